"""The language of the running verb, its texts, and lines broken between wide letters."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from leakgauge.errors import OptionError, did_you_mean
from leakgauge.languages import CODES, ENGLISH, Language, language_of
from leakgauge.sentences import Sentence

VARIABLE: Final = "LEAKGAUGE_LANGUAGE"
"""The environment variable that chooses the language where no option does."""

_NEVER_FIRST = "，。；：、？！）》」』”’…"
_NEVER_LAST = "（《「『“‘"

_SPOKEN: ContextVar[Language] = ContextVar("spoken", default=ENGLISH)


def current() -> Language:
    """The current language; English where none was chosen."""
    return _SPOKEN.get()


def say(template: str, /, **fields: object) -> str:
    """The template in the current language, with its fields filled in.

    A field that holds a user's own word is written ``{field!s}`` or ``{field!r}``: it is never translated.
    """
    return current().say(template, **fields)


def retell(text: str | Sentence) -> str:
    """A sentence from a lower room in the current language; an unknown text is left as it is."""
    return current().retell(text)


@contextmanager
def speaking(code: str) -> Iterator[Language]:
    """Use a language until the end of the block."""
    language = language_of(code)
    before = _SPOKEN.set(language)
    try:
        yield language
    finally:
        _SPOKEN.reset(before)


def language_asked(arguments: Sequence[str]) -> str:
    """The language code that ``--language`` gives, else the environment's, else that of English.

    It is read before the arguments are parsed, so that errors in them are in this language too.
    """
    asked = None
    for at, given in enumerate(arguments):
        if given == "--":
            break
        if given == "--language":
            asked = "".join(arguments[at + 1 : at + 2]) or asked
        elif given.startswith("--language="):
            asked = given.partition("=")[2]
    if asked is not None:
        return asked
    code = os.environ.get(VARIABLE) or ENGLISH.code
    if code not in CODES:
        raise OptionError(
            "There is no language {code!r}, which LEAKGAUGE_LANGUAGE asks for; {hint}",
            code=code,
            hint=did_you_mean(code, CODES),
        )
    return code


def wrapped(text: str, width: int) -> list[str]:
    """Text broken into lines of at most ``width`` columns; words and numbers stay whole where they fit."""
    from rich.cells import cell_len

    lines, line = [], ""
    for piece in _pieces(text):
        if line and cell_len(line + piece.rstrip()) > width:
            lines.append(line.rstrip())
            line = piece.lstrip()
        else:
            line += piece
    return [*lines, line.rstrip()]


def _pieces(text: str) -> Iterator[str]:
    """Pieces that are never broken: words, and wide letters with their punctuation."""
    from rich.cells import cell_len

    piece = ""
    for letter in text:
        if piece and letter not in _NEVER_FIRST and piece[-1] not in _NEVER_LAST:
            wide = cell_len(letter) > 1 or cell_len(piece[-1]) > 1
            if (wide or piece[-1] == " ") and letter != " ":
                yield piece
                piece = ""
        piece += letter
    yield piece
