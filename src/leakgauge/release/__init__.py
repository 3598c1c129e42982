"""Releases: what leaves the house, with its record and its budget."""
