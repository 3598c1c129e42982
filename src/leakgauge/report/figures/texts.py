"""Texts in pictures: how wide they are about, broken to a width, kept apart."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

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
    if width_of(text, size) <= width:
        return text
    kept = len(text) - 1
    while kept > 2 and width_of(_without_middle(text, kept), size) > width:
        kept -= 1
    return _without_middle(text, kept)


def _without_middle(text: str, kept: int) -> str:
    return f"{text[: kept // 2]}…{text[len(text) - (kept - kept // 2) :]}"


def apart(wanted: Sequence[float], least: float, lowest: float, highest: float) -> list[float]:
    """Places as near as can be to those wanted, in their order, at least so far apart and from one end to the other.

    Those that would come too near each other are put around their common middle.
    """

    def kept_inside(middle: float, count: int) -> float:
        half = (count - 1) * least / 2
        return min(max(middle, lowest + half), max(highest - half, lowest + half))

    order = sorted(range(len(wanted)), key=lambda at: wanted[at])
    # Runs of places at the least distance: the middle of each, and how many.
    runs: list[tuple[float, int]] = []
    for at in order:
        middle, count = wanted[at], 1
        # At the ends a run is moved inwards, where it may meet the one before.
        while runs and kept_inside(middle, count) - runs[-1][0] < (count + runs[-1][1]) * least / 2:
            before, many = runs.pop()
            middle, count = (before * many + middle * count) / (many + count), many + count
        runs.append((kept_inside(middle, count), count))
    places = [middle + (at - (count - 1) / 2) * least for middle, count in runs for at in range(count)]
    found = [0.0] * len(places)
    for at, place in zip(order, places, strict=True):
        found[at] = place
    return found


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
