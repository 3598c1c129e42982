"""Tests of what whoever looks at a release sees."""
