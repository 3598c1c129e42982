"""A mark for texts that are translated where they are used, not where they are written."""

from __future__ import annotations


def message(template: str) -> str:
    """The template itself; the catalogues must have it."""
    return template
