"""What may be shown to everybody: small counts masked, numbers of the table made coarse, and the check for counts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final

from leakgauge.errors import InternalError, OptionError
from leakgauge.report.coarse import Grain, coarse
from leakgauge.report.document import (
    TOO_FEW,
    Block,
    Code,
    Document,
    Grid,
    Inline,
    Number,
    Paragraph,
    Part,
    Picture,
    Points,
    Section,
    inlines,
)

LIMIT: Final = 10
"""Counts below it are masked."""
_UNITS: Final = ("rows", "people", "persons", "records", "targets", "members")
"""Units that count people or rows, whatever a number says of itself."""
_COUNTED: Final = re.compile(
    r"(?<![\w.,<])(\d{1,3}(?:,\d{3})+|\d+)(?=\s*(?:other\s+)?"
    r"(?:rows?|people|persons?|records?|individuals?|targets?|members?|行|人|条|名|个(?:人|目标|成员|体)))"
)
"""A number in a text that counts people or rows."""
_EXACT: Final = re.compile(r"(?<![=:\w.-])\d+\.\d{3,}(?![\w.])")
"""A number in a stored sentence with more digits than everybody may see; in settings it is public."""
_LETTERS: Final = re.compile(r"[:,]letters=[^;()\n]*")
"""The values of a column in the spelling of a mechanism."""


def masked(document: Document, limit: int = LIMIT, rows: int | None = None) -> Document:
    """The document with small counts masked and numbers of the table made coarse.

    Args:
        document: any.
        limit: counts below it are masked.
        rows: of the table: the fewer, the coarser its shares are, so that none of them gives a small count away; None
            where they are not known, which takes a large table for granted.

    Raises:
        OptionError: a limit below 1.
    """
    if limit < 1:
        raise OptionError("The limit of counts is {limit}; give at least 1.", limit=limit)
    title, mask = _text(document.title, limit), _Mask(limit, Grain.of(rows, limit))
    return replace(document, title=title, sections=tuple(_section(one, mask) for one in document.sections))


@dataclass(frozen=True)
class _Mask:
    """What is masked, and how coarse numbers are."""

    limit: int
    grain: Grain

    def part(self, part: Part) -> Part:
        if isinstance(part, str):
            return self.text(part)
        if _is_small(part, self.limit):
            return replace(part, value=f"<{self.limit}", low=None, high=None, confidence=None)
        return coarse(part, self.grain) if part.from_table else part

    def inline(self, parts: Inline) -> Inline:
        return tuple(map(self.part, parts))

    def cell(self, parts: Inline) -> Inline:
        """A cell; where a number in it may not be told nothing else is left of it."""
        made = self.inline(parts)
        return tuple(filter(_is_untold, made))[:1] or made

    def text(self, text: str) -> str:
        return _text(text, self.limit)


def require_masked(document: Document, limit: int = LIMIT) -> None:
    """Refuse a document that says a count below the limit, in its text, its tables or the data of its pictures.

    Raises:
        InternalError: names the place.
    """
    for section in document.sections:
        for text in [document.title, section.title, *(text for block in section.blocks for text in _texts(block))]:
            if any(int(found.replace(",", "")) < limit for found in _COUNTED.findall(text)):
                raise _left(section)
        for block in section.blocks:
            numbers = [part for inline in inlines(block) for part in inline if isinstance(part, Number)]
            if any(_is_small(number, limit) for number in numbers):
                raise _left(section)
            if isinstance(block, Picture) and any(_small_counts(block.figure.spec, limit)):
                raise _left(section)


def _left(section: Section) -> InternalError:
    # The count itself stays unsaid.
    return InternalError(
        "A count below the limit is left in the section {section} of the external report; nothing was written, please "
        "report this.",
        section=section.key,
    )


def _section(section: Section, mask: _Mask) -> Section:
    blocks = (_block(one, mask) for one in section.blocks)
    return replace(section, title=mask.text(section.title), blocks=tuple(one for one in blocks if one is not None))


def _block(block: Block, mask: _Mask) -> Block | None:
    """The block masked; sentences with a number that may not be told are left out."""
    if isinstance(block, Paragraph):
        parts = mask.inline(block.parts)
        return None if any(map(_is_untold, parts)) else replace(block, parts=parts)
    if isinstance(block, Points):
        items = [item for item in map(mask.inline, block.items) if not any(map(_is_untold, item))]
        return replace(block, items=tuple(items)) if items else None
    if isinstance(block, Grid):
        return replace(
            block,
            caption=mask.text(block.caption),
            head=tuple(map(mask.text, block.head)),
            rows=tuple(tuple(map(mask.cell, row)) for row in block.rows),
        )
    return Code(mask.text(block.text)) if isinstance(block, Code) else block


def _text(text: str, limit: int) -> str:
    text = _LETTERS.sub("", text)
    text = _EXACT.sub(lambda found: f"{Decimal(found[0]):.2f}", text)
    return _COUNTED.sub(lambda found: found[1] if int(found[1].replace(",", "")) >= limit else f"<{limit}", text)


def _is_untold(part: Part) -> bool:
    return isinstance(part, Number) and part.value == TOO_FEW


def _counts(number: Number) -> bool:
    return number.count or number.unit in _UNITS


def _is_small(number: Number, limit: int) -> bool:
    ends = (number.value, number.low, number.high)
    return _counts(number) and any(isinstance(end, int | float) and end < limit for end in ends)


def _texts(block: Block) -> Iterator[str]:
    for inline in inlines(block):
        yield from (part for part in inline if isinstance(part, str))
    if isinstance(block, Grid):
        yield block.caption
        yield from block.head
    elif isinstance(block, Picture):
        yield block.caption
        yield block.figure.told
    elif isinstance(block, Code):
        yield block.text


def _small_counts(data: Any, limit: int) -> Iterator[bool]:
    """For each whole number in the data of a picture whether it is below the limit."""
    if isinstance(data, dict):
        for name, one in data.items():
            if name == "values":
                yield from _whole_numbers(one, limit)
            else:
                yield from _small_counts(one, limit)
    elif isinstance(data, list | tuple):
        for one in data:
            yield from _small_counts(one, limit)


def _whole_numbers(data: Any, limit: int) -> Iterator[bool]:
    if isinstance(data, dict | list | tuple):
        for one in data.values() if isinstance(data, dict) else data:
            yield from _whole_numbers(one, limit)
    elif isinstance(data, int) and not isinstance(data, bool):
        yield 0 <= data < limit
