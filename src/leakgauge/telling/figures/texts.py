"""Texts in pictures: how wide they are about, broken to a width, kept apart."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import numpy as np

from leakgauge.languages import Language

_PIECES = re.compile(r"[(\[（《]*[⺀-￯][)\]）》、，。；：]*|[^\s⺀-￯]+\s*|\s+")
_LONG_PIECES = re.compile(r"[^-_:,;/=|]+[-_:,;/=|]*|[-_:,;/=|]+")


_NARROW, _WIDE = set("ijlt f|.,:;'!()[]-r"), set("mwMW%@▲▼↕")


def width_of(text: str, size: float = 12) -> float:
    """About how wide a text is, in pixels, rather more than less: fonts differ from machine to machine."""
    return size * sum(map(_letter, text))


def _letter(letter: str) -> float:
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    if letter in _WIDE:
        return 0.9
    return 0.33 if letter in _NARROW else 0.74 if letter.isupper() else 0.59


def lines_of(text: str, width: float, size: float = 12) -> list[str]:
    """The text in lines of at most a width: broken at blanks, between Chinese letters, and in long names at signs."""
    made = [""]
    for piece in _pieces(text, width, size):
        if made[-1] and width_of((made[-1] + piece).rstrip(), size) > width:
            made.append("")
        made[-1] += piece
    return [line.strip() for line in made]


def _pieces(text: str, width: float, size: float) -> list[str]:
    found = []
    for piece in _PIECES.findall(text):
        if width_of(piece.rstrip(), size) <= 0.7 * width:
            found.append(piece)
            continue
        for part in _LONG_PIECES.findall(piece):
            if width_of(part.rstrip(), size) <= width:
                found.append(part)
                continue
            most = max(int(width / size / 0.6), 1)
            found += [part[at : at + most] for at in range(0, len(part), most)]
    return found


def shortened(text: str, width: float, size: float = 12) -> str:
    """The text with its middle left out where it is too wide: names often differ at their ends."""
    short, kept = text, len(text)
    while kept > 2 and width_of(short, size) > width:
        kept -= 1
        short = f"{text[: kept // 2]}…{text[len(text) - (kept - kept // 2) :]}"
    return short


def told_apart(names: Sequence[str]) -> list[str]:
    """The names, numbered where several look alike: marks of one name would lie on each other."""
    return [
        f"{name} ({names[:at].count(name) + 1})" if names.count(name) > 1 else name for at, name in enumerate(names)
    ]


def apart(wanted: Sequence[float], least: float, lowest: float, highest: float) -> list[float]:
    """Places as near as can be to those wanted, in their order, at least so far apart and from one end to the other.

    Less so many of the least distances, places must not fall: an isotonic regression.
    """
    from scipy.optimize import isotonic_regression

    order = np.argsort(wanted, kind="stable")
    steps = least * np.arange(len(order))
    nearest = isotonic_regression(np.asarray(wanted)[order] - steps).x if len(order) else steps
    places = np.empty(len(order))
    places[order] = np.clip(nearest, lowest, max(highest - least * (len(order) - 1), lowest)) + steps
    return [float(place) for place in places]


def joined(language: Language, *sentences: str) -> str:
    """Sentences one after the other; empty ones are left out."""
    return ("" if language.code == "zh" else " ").join(one for one in sentences if one)


def listed(language: Language, *things: str) -> str:
    """Words one after the other, with commas."""
    return ("，" if language.code == "zh" else ", ").join(things)


def clauses(language: Language, *things: str) -> str:
    """Things that may hold commas themselves, one after the other."""
    return ("；" if language.code == "zh" else "; ").join(things)


def named(language: Language, name: str, what: str) -> str:
    """A name, a colon, and what is said of it."""
    return f"{name}{'：' if language.code == 'zh' else ': '}{what}"


def ended(language: Language, text: str) -> str:
    """The text with a full stop."""
    return text + ("。" if language.code == "zh" else ".")
