"""Attacks that try, and lower bounds that hold."""
