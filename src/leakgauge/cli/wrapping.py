"""Lines broken between wide letters, which have no spaces between them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

_NEVER_FIRST = "，。；：、？！）》」』”’…"
_NEVER_LAST = "（《「『“‘"


def wrapped(text: str, width: int) -> list[str]:
    """A line of text in lines of at most so many columns; words and numbers stay whole where they fit."""
    lines, line = [], ""
    for piece in _pieces(text):
        if line and columns(line + piece.rstrip()) > width:
            lines.append(line.rstrip())
            line = piece.lstrip()
        else:
            line += piece
    return [*lines, line.rstrip()]


def columns(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(_width(letter) for letter in text)


def _width(letter: str) -> int:
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def _pieces(text: str) -> Iterator[str]:
    """What a line is never broken within: words, wide letters with the punctuation that belongs to them."""
    piece = ""
    for letter in text:
        if piece and letter not in _NEVER_FIRST and piece[-1] not in _NEVER_LAST:
            wide = _width(letter) > 1 or _width(piece[-1]) > 1
            if (wide or piece[-1] == " ") and letter != " ":
                yield piece
                piece = ""
        piece += letter
    yield piece
