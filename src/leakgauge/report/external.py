"""The edition for everybody: small counts are masked, and nothing is in it that not everybody may know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from leakgauge.artefacts.report import Picture
from leakgauge.errors import InternalError, OptionError
from leakgauge.report.document import Document, retold
from leakgauge.telling.blocks import Number, numbers_of
from leakgauge.telling.figures.chart import NARROW, WIDTH
from leakgauge.telling.pictures import FOR_EVERYBODY, figure_of
from leakgauge.telling.voice import Voice

LIMIT: Final = 10
"""Counts below it are masked."""
_UNITS: Final = ("rows", "people", "persons", "records", "targets", "members")
"""Units that count people or rows, whatever a number says of itself."""


def masked(document: Document, limit: int = LIMIT) -> Document:
    """The document with counts below a limit masked: numbers that say of themselves that they count people or rows.

    Texts stay: a name of a column such as ``2 rows``, or a declared purpose, is no count.

    Raises:
        OptionError: a limit below 1.
    """
    if limit < 1:
        raise OptionError("The limit for counts is {limit}; give at least 1.", limit=limit)

    def number(one: Number) -> Number:
        return replace(one, value=f"<{limit}", low=None, high=None, confidence=None) if _is_small(one, limit) else one

    return retold(document, lambda same: same, number)


def require_masked(document: Document, known: Voice, limit: int = LIMIT) -> None:
    """Refuse a document with a count below the limit, or with a number or a picture that is not publishable.

    What everybody may know is what ``known`` tells of.

    Raises:
        InternalError: names the section, not the number.
    """
    drawn = _drawn(known)
    for section in document.sections:
        numbers = [number for block in section.blocks for number in numbers_of(block)]
        if any(_is_small(number, limit) for number in numbers):
            raise InternalError(
                "A count below the limit is left in the section {section} of the external report; nothing was written, "
                "please report this.",
                section=section.key,
            )
        pictures = [block for block in section.blocks if isinstance(block, Picture)]
        shows = any(one not in drawn for block in pictures for one in (block.spec, block.narrow) if one is not None)
        if shows or not all(_is_known(number, known, limit) for number in numbers):
            raise InternalError(
                "A number that not everybody may know is left in the section {section} of the external report; "
                "nothing was written, please report this.",
                section=section.key,
            )


def _drawn(known: Voice) -> list[Mapping[str, Any]]:
    """The pictures that what everybody may know allows."""
    tellers = {one.group: one for one in (known, *known.each)}.values()
    figures = (figure_of(one, name, width) for one in tellers for name in FOR_EVERYBODY for width in (WIDTH, NARROW))
    return [one.spec for one in figures if one is not None]


def _is_known(number: Number, known: Voice, limit: int) -> bool:
    try:
        found = known.shown.resolve(number.source)
    except (LookupError, AttributeError, TypeError, ValueError):
        return False
    return number.value in (found, f"<{limit}")


def _is_small(number: Number, limit: int) -> bool:
    ends = (number.value, number.low, number.high)
    counts = number.count or number.unit in _UNITS
    return counts and any(isinstance(end, int | float) and end < limit for end in ends)
