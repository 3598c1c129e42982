"""Small counts masked, and the check that a document for everybody says nothing but what everybody may know."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from leakgauge.errors import InternalError, OptionError
from leakgauge.report.document import Block, Code, Document, Grid, Number, Picture, Section, inlines, with_parts
from leakgauge.report.facts import Facts

LIMIT: Final = 10
"""Counts below it are masked."""
_UNITS: Final = ("rows", "people", "persons", "records", "targets", "members")
"""Units that count people or rows, whatever a number says of itself."""
_COUNTED: Final = re.compile(
    r"(?<![\w.,<])(\d{1,3}(?:,\d{3})+|\d+)(?=\s*(?:other\s+)?"
    r"(?:rows?|people|persons?|records?|individuals?|targets?|members?|行|人|条|名|个(?:人|目标|成员|体)))"
)
"""A number in a text that counts people or rows."""
_LETTERS: Final = re.compile(r"[:,]letters=[^;()\n]*")
"""The values of a column in the spelling of a mechanism."""


def masked(document: Document, limit: int = LIMIT) -> Document:
    """The document with small counts masked.

    Args:
        document: any.
        limit: counts below it are masked.

    Raises:
        OptionError: a limit below 1.
    """
    if limit < 1:
        raise OptionError("The limit of counts is {limit}; give at least 1.", limit=limit)

    def text(said: str) -> str:
        said = _LETTERS.sub("", said)
        return _COUNTED.sub(lambda found: found[1] if int(found[1].replace(",", "")) >= limit else f"<{limit}", said)

    def number(one: Number) -> Number:
        return replace(one, value=f"<{limit}", low=None, high=None, confidence=None) if _is_small(one, limit) else one

    return with_parts(document, text, number)


def require_masked(document: Document, known: Facts, limit: int = LIMIT) -> None:
    """Refuse a document that says a count below the limit, or shows a number or a picture that not everybody may know.

    Args:
        document: as it would be written.
        known: what everybody may know; every number of the document must stand in it.
        limit: counts below it must be masked.

    Raises:
        InternalError: names the section; the number itself stays unsaid.
    """
    for section in document.sections:
        texts = [document.title, section.title, *(text for block in section.blocks for text in _texts(block))]
        if any(int(found.replace(",", "")) < limit for text in texts for found in _COUNTED.findall(text)):
            raise _small_count(section)
        for block in section.blocks:
            numbers = [part for inline in inlines(block) for part in inline if isinstance(part, Number)]
            if any(_is_small(number, limit) for number in numbers):
                raise _small_count(section)
            if isinstance(block, Picture) or not all(_is_known(number, known, limit) for number in numbers):
                raise InternalError(
                    "A number that not everybody may know is left in the section {section} of the external report; "
                    "nothing was written, please report this.",
                    section=section.key,
                )


def _small_count(section: Section) -> InternalError:
    return InternalError(
        "A count below the limit is left in the section {section} of the external report; nothing was written, please "
        "report this.",
        section=section.key,
    )


def _is_known(number: Number, known: Facts, limit: int) -> bool:
    try:
        found = known.resolve(number.source)
    except (KeyError, IndexError, TypeError, ValueError):
        return False
    return number.value in (found, f"<{limit}")


def _is_small(number: Number, limit: int) -> bool:
    ends = (number.value, number.low, number.high)
    counts = number.count or number.unit in _UNITS
    return counts and any(isinstance(end, int | float) and end < limit for end in ends)


def _texts(block: Block) -> Iterator[str]:
    for inline in inlines(block):
        yield from (part for part in inline if isinstance(part, str))
    if isinstance(block, Grid):
        yield block.caption
        yield from block.head
    elif isinstance(block, Code):
        yield block.text
