"""Text that people look at before they trust or copy it: what a screen would hide or turn around is written out."""

from __future__ import annotations

import shlex
from collections.abc import Iterable


def shown(text: str) -> str:
    r"""The text with control characters, and those that turn its direction around, as escapes.

    Example:
        >>> shown("a\u202eb")
        'a\\u202eb'
    """
    return "".join(letter if letter.isprintable() else _escape(letter) for letter in text)


def shell_line(words: Iterable[str]) -> str:
    r"""Words as one line for a shell; with escapes where needed, which bash, ksh and zsh read back.

    Example:
        >>> shell_line(["echo", "a b", "c\u202ed"])
        "echo 'a b' $'c\\u202ed'"
    """
    return " ".join(shlex.quote(word) if word.isprintable() else _quoted(word) for word in words)


def _quoted(word: str) -> str:
    plain = word.replace("\\", "\\\\").replace("'", "\\'")
    return f"$'{shown(plain)}'"


def _escape(letter: str) -> str:
    number = ord(letter)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
