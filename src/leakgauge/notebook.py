"""The hook by which values show themselves in a notebook: a room above all of them knows how, and no room below."""

from __future__ import annotations

from collections.abc import Callable

_SHOWN_BY: list[Callable[[object], str]] = []


def shown(value: object) -> str:
    """The value as HTML: plain tables and texts, everything escaped, nothing that runs."""
    return _SHOWN_BY[-1](value)


def show_by(html: Callable[[object], str]) -> None:
    """Take what makes the HTML of every value that has the hook."""
    _SHOWN_BY[:] = [html]
