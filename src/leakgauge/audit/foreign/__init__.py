"""Releases that were made elsewhere, of which there is no record."""
