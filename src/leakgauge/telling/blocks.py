"""Findings as data: texts, tables, lists, pictures and code, and numbers that name the file they come from.

Numbers are written with the same digits in every rendering and language.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from enum import Enum
from typing import TypeAlias

from msgspec.structs import replace

from leakgauge import rounding as rounding_of
from leakgauge.artefacts import report as stored
from leakgauge.artefacts.report import Code, Grid, N, Paragraph, Picture, Points, Tile, Tiles
from leakgauge.claims import PRACTICALLY_UNLIMITED
from leakgauge.languages import Language, message
from leakgauge.sentences import Sentence
from leakgauge.visible import on_one_line

_NO_UNITS = ("1", "letters", "correlation", "association", "probability")
"""What artefacts say of a number without a unit: what it is of is said beside it."""
_NATS = "nats"
_PERCENT = "%"
_NOISE = 1e-12
"""Bits that differ from 0 by less do so by a computer's arithmetic."""
_OF_EACH = (message("per unit of distance"), message("per unit of distortion"))
"""What may be left of the unit of a level."""
_OF_ONE = {
    "releases per period": message("release per period"),
    "rows": message("row"),
    "bits": message("bit"),
    "guesses": message("guess"),
    "variances of the data": message("variance of the data"),
}
"""Units of a single one."""


@dataclass(frozen=True)
class Number:
    """A number in a document, traceable to a file.

    Attributes:
        value: the number; ``"infinity"`` where it is infinite; a text such as ``"<10"`` where a count is masked.
        unit: in the words of the artefact, such as ``bits``; empty where it has none.
        source: the file in the job's folder and the JSON pointer in it, such as ``audit.json#/attacks/0/success``.
        count: whether it counts people or rows: such numbers are masked in the external edition where they are small.
        digits: significant digits that are shown.
        percent: whether a share is shown as a percentage.
        rounding: of the value; that of a bound goes away from the truth.
    """

    value: float | str
    unit: str
    source: str
    low: float | str | None = None
    high: float | str | None = None
    confidence: float | None = None
    count: bool = False
    digits: int = 3
    percent: bool = False
    rounding: str = ROUND_HALF_EVEN


def written(number: Number, language: Language) -> str:
    """A number for a person, with its unit and its interval, such as ``0.0764 [0.0711, 0.082] bits`` or ``27%``.

    It has the number's significant digits, thousands apart; whole numbers of the artefact, such as counts, are written
    in full. An interval is rounded outwards, so that it never looks narrower than it is. What is masked stays as it is,
    and infinity is told in words, as are levels in nats that promise next to nothing.
    """
    text = _value(number, number.value, language, number.rounding)
    unit = "" if _is_percentage(number) else _unit(number, text, language)
    ends = (number.value, number.low, number.high)
    if number.unit == _NATS and isinstance(number.value, float) and number.value >= PRACTICALLY_UNLIMITED:
        return text if _is_infinite(number.value) else language.say("practically unlimited")
    is_masked = isinstance(number.value, str) and not _is_infinite(number.value)
    if not is_masked and number.low is not None and number.high is not None and not _is_pinned(number):
        low = _value(number, number.low, language, ROUND_FLOOR)
        high = _value(number, number.high, language, ROUND_CEILING)
        text = f"{text} [{low}, {high}]"
    if all(end is None or _is_infinite(end) for end in ends):
        # Nothing is counted in a unit.
        return text
    return f"{text} {unit}" if unit else text


def _is_pinned(number: Number) -> bool:
    """Whether a proof leaves less open than the digits that are shown: brackets would then be of the rounding alone."""
    ends = (number.low, number.high)
    if number.confidence != 1.0 or not all(isinstance(end, float) and not _is_infinite(end) for end in ends):
        return False
    low, high = (rounding_of.rounded(float(end), number.digits) for end in ends if end is not None)
    return low == high


def _unit(number: Number, text: str, language: Language) -> str:
    if number.unit in _NO_UNITS:
        return ""
    if text == "1" and number.low is None and number.unit in _OF_ONE:
        return language.say(_OF_ONE[number.unit])
    return unit_of(number.unit, language)


def unit_of(unit: str, language: Language) -> str:
    """What is said of a unit: nothing of nats, because a level such as ε is read as a plain number."""
    return language.retell(unit.removeprefix(_NATS).strip())


def _value(number: Number, value: float | str, language: Language, rounding: str) -> str:
    if _is_infinite(value):
        return language.say("minus infinity") if str(value).startswith("-") else language.say("infinite")
    if isinstance(value, str):
        return language.retell(value)
    if isinstance(value, int) and not _is_percentage(number):
        return f"{value:,}"
    if number.percent:
        return f"{rounding_of.written(rounding_of.percentage(float(value), number.digits, rounding))}%"
    if number.unit == "bits" and abs(value) < _NOISE:
        return "0"
    exact = Decimal(repr(float(value)))
    if number.count:
        return f"{exact.to_integral_value(rounding):,}"
    text = rounding_of.written(rounding_of.rounded(exact, number.digits, rounding))
    return f"{text}%" if _is_percentage(number) else text


def _is_percentage(number: Number) -> bool:
    """Whether a percent sign follows each value: those of a share, or of a number that counts percent."""
    return number.percent or number.unit == _PERCENT


def _is_infinite(value: float | str) -> bool:
    return value in ("infinity", "-infinity", float("inf"), float("-inf"))


class Edition(Enum):
    """The audience of a document: those who may see the table, or everybody."""

    INTERNAL = "internal"
    EXTERNAL = "external"


Inline: TypeAlias = tuple[str | Number, ...]
"""Text with numbers in it."""
Block: TypeAlias = stored.Block[Number]
Section: TypeAlias = stored.Section[Number]
Content: TypeAlias = Block | Inline
"""A block, or a text that is a plain paragraph of its own."""


def commands(*lines: str) -> Code:
    """Commands to copy, each on one line: a value in it with a line break cannot pass for a sentence of ours."""
    return Code("\n".join(map(on_one_line, lines)))


def blocks_of(contents: Iterable[Content]) -> tuple[Block, ...]:
    """The blocks; a text by itself is a plain paragraph."""
    return tuple(Paragraph("plain", one) if isinstance(one, tuple) else one for one in contents)


def unprinted(contents: Iterable[Content]) -> Iterator[Block]:
    """The blocks as only the report's data have them: no page does."""
    return (replace(block, printed=False) for block in blocks_of(contents))


def whole(contents: Iterable[Content]) -> Iterator[Block]:
    """The blocks with those that a report leaves to its data, for a face that has no data beside it."""
    return (replace(block, printed=True) for block in blocks_of(contents))


def inlines(block: Block) -> Iterator[Inline]:
    """The texts of a block."""
    if isinstance(block, Paragraph):
        yield block.parts
    elif isinstance(block, Points):
        yield from block.items
    elif isinstance(block, Grid):
        yield from (cell for row in block.rows for cell in row)
    elif isinstance(block, Tiles):
        yield from (part for one in block.tiles for part in (one.shown, one.words, one.limit))


def numbers_of(block: Block) -> list[Number]:
    """The numbers in the texts of a block."""
    return [part for inline in inlines(block) for part in inline if isinstance(part, Number)]


def text_of(parts: Inline, language: Language) -> str:
    """A text with its numbers written."""
    return "".join(part if isinstance(part, str) else written(part, language) for part in parts)


def sentence(language: Language, template: str, **fields: object) -> Inline:
    """A template in a language with its fields; numbers, and texts with numbers in them, stay what they are."""
    kept: Mapping[str, Inline] = {
        name: value if isinstance(value, tuple) else (value,)
        for name, value in fields.items()
        if isinstance(value, Number | tuple)
    }
    # They are put in as marks that no text has, and found again: a translation may order them anew.
    marks = {name: Sentence(f"\x00{name}\x00") for name in kept}
    pieces = language.say(template, **{**fields, **marks}).split("\x00")
    return tuple(
        part for at, piece in enumerate(pieces) for part in (kept[piece] if at % 2 else (piece,)) if part != ""
    )


def with_parts(
    sections: Sequence[Section], text: Callable[[str], str], number: Callable[[Number], N]
) -> tuple[stored.Section[N], ...]:
    """The sections with every text and every number changed but for code and pictures."""

    def inline(parts: Inline) -> tuple[str | N, ...]:
        return tuple(text(part) if isinstance(part, str) else number(part) for part in parts)

    def block(one: Block) -> stored.Block[N]:
        if isinstance(one, Paragraph):
            return Paragraph(one.tone, inline(one.parts), printed=one.printed)
        if isinstance(one, Points):
            return Points(one.numbered, tuple(map(inline, one.items)), printed=one.printed)
        if isinstance(one, Grid):
            rows = tuple(tuple(map(inline, row)) for row in one.rows)
            return Grid(text(one.caption), tuple(map(text, one.head)), rows, printed=one.printed)
        if isinstance(one, Tiles):
            tiles = (
                Tile(text(each.title), inline(each.shown), inline(each.words), inline(each.limit), each.met)
                for each in one.tiles
            )
            return Tiles(text(one.caption), tuple(tiles), printed=one.printed)
        return replace(one, caption=text(one.caption)) if isinstance(one, Picture) else one

    return tuple(
        stored.Section(one.key, text(one.title), tuple(map(block, one.blocks)), one.question) for one in sections
    )
