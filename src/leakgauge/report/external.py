"""The edition for everybody: what is public, declared or accounted for, no number of the table, small counts masked.

A few numbers of a table, however coarse, can be solved together for the count of a rare value: the program and its
inputs are known, so every count can be tried. So a quantity is shown only by its origin, another field only if its type
names an origin, and everything else is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin, get_type_hints

import msgspec

from leakgauge.artefacts import Origin, PublicRecord, Quantity, Utility
from leakgauge.artefacts.quantity import PROMISE
from leakgauge.artefacts.report import Picture
from leakgauge.errors import InternalError, OptionError
from leakgauge.report.document import Document, Edition, numbers_of, retold
from leakgauge.report.facts import Facts
from leakgauge.report.numbers import Number
from leakgauge.report.sections.pictures import FOR_EVERYBODY, figure_of
from leakgauge.report.sections.teller import Teller

LIMIT: Final = 10
"""Counts below it are masked."""
_UNITS: Final = ("rows", "people", "persons", "records", "targets", "members")
"""Units that count people or rows, whatever a number says of itself."""
_OF_A_QUANTITY: Final = ("value", "unit", "order", "delta", "origin")
"""The fields of a quantity that are shown; the witness of a level names values."""
_NOTHING: Final = object()


def shareable(facts: Facts, limit: int = LIMIT) -> Facts:
    """The part of the facts that everybody may know; shares that were declared publishable are rounded."""
    marks: set[object] = {one for one in Origin if one.is_shareable}
    # Counts are masked where the document is made.
    marks.add(Origin.COUNT)
    origin = facts.get("release.json", "budget", "epsilon", "origin")
    if origin is not None and Origin(origin).is_shareable:
        # The mechanisms, and so what they promise, follow from declared settings or accounted counts alone; a promise
        # that is printed comes with what speaks against it.
        marks.add(PROMISE)
    kinds = facts.kinds
    parts = {name: _part(fields, kinds[name], marks) for name, fields in _published(facts).items() if name in kinds}
    known = {name: fields for name, fields in parts.items() if fields is not _NOTHING}
    if facts.get("job.json", "asked", "publish_shares"):
        known |= {name: _with_shares(known.get(name, {}), facts, name, limit) for name in _utilities(facts)}
    return Facts(known, facts.diagram, own=facts.own)


def _utilities(facts: Facts) -> list[str]:
    """The files that have the shares of values in the table."""
    return [name for name in facts.files if facts.kinds.get(name) is Utility]


def _with_shares(known: Mapping[str, Any], facts: Facts, file: str, limit: int) -> Mapping[str, Any]:
    """The publishable part of a file, and the shares in it that were declared publishable, without their counts."""
    rows = facts.get("release.json", "rows")
    shares = {name: facts.items(file, "columns", name, "shares") for name in facts.names(file, "columns")}
    coarse = {name: _coarse(some, rows, limit) for name, some in shares.items() if some and rows}
    columns = {name: {"shares": some} for name, some in coarse.items() if some}
    return {**known, "columns": columns} if columns else known


def _coarse(shares: Sequence[Mapping[str, Any]], rows: int, limit: int) -> list[Mapping[str, Any]]:
    """The shares of the values in the table, to the nearest multiple of twice the limit of rows.

    So a share stands for about that many counts. The commonest value has what the others leave, because its own
    rounding would tell some of their counts apart; so would shares by the law of the release, which are left out.
    Nothing is shown where a value that occurs has no more rows than the limit, or so few rows are left to the commonest
    that another seems more frequent.
    """
    step = 2 * limit
    counts = {at: round(float(one["table"]["value"]) * rows) for at, one in enumerate(shares)}
    shown = {at: (count + limit) // step * step for at, count in counts.items() if count}
    if not shown or any(counts[at] <= limit for at in shown):
        return []
    commonest = max(shown, key=shown.__getitem__)
    shown[commonest] += rows - sum(shown.values())
    if shown[commonest] < max(shown.values()):
        return []
    return [
        {"value": shares[at]["value"], "table": {"value": count / rows, "unit": "share"}} for at, count in shown.items()
    ]


def _published(facts: Facts) -> Mapping[str, Any]:
    """The files, and of the survey what anybody counts in the release: the public columns together.

    Other columns are not released, and the table decides in which order they stand and which combinations are named.
    """
    public = facts.get("survey.json", "published") if facts.has("release.json") else None
    if facts.names("job.json", "asked", "public_distortion"):
        # Of columns that are changed in the release nobody counts these groups there.
        public = None
    # What would change a verdict is a question with settings that were found from private counts.
    inside = ("survey.json", "verdict.json", "promise.json")
    rest = {name: fields for name, fields in facts.files.items() if name not in inside}
    return rest if public is None else {**rest, "survey.json": {"published": public}}


def _part(found: Any, hint: Any, marks: set[object]) -> Any:
    """What everybody may know of plain data of a type; ``_NOTHING`` where that is nothing."""
    kind, inner = get_origin(hint), get_args(hint)
    if hint is PublicRecord or (kind is Annotated and marks.intersection(inner[1:])):
        return found
    if kind in (Union, UnionType) and found is not None:
        kinds = [one for one in inner if one is not NoneType]
        return _part(found, kinds[0], marks) if len(kinds) == 1 else _NOTHING
    if kind is tuple:
        # Every entry keeps its place, which numbers name as their source.
        entries = [_part(one, inner[0], marks) for one in found]
        known = any(one is not _NOTHING for one in entries)
        return [None if one is _NOTHING else one for one in entries] if known else _NOTHING
    if kind is dict:
        return _named({name: _part(one, inner[1], marks) for name, one in found.items()})
    if found is None or not isinstance(hint, type) or not issubclass(hint, msgspec.Struct):
        return _NOTHING
    if issubclass(hint, Quantity):
        known = Origin(found.get("origin", Origin.TABLE)).is_shareable
        return {name: found[name] for name in _OF_A_QUANTITY if name in found} if known else _NOTHING
    hints = _hints(hint)
    return _named({name: _part(value, hints.get(name), marks) for name, value in found.items()})


def _named(parts: Mapping[str, Any]) -> Any:
    return {name: part for name, part in parts.items() if part is not _NOTHING} or _NOTHING


@cache
def _hints(kind: type[msgspec.Struct]) -> Mapping[str, Any]:
    """The types of a kind's fields by the names they have in JSON."""
    hints = get_type_hints(kind, include_extras=True)
    return {one.encode_name: hints[one.name] for one in msgspec.structs.fields(kind)}


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


def require_masked(document: Document, known: Facts, limit: int = LIMIT) -> None:
    """Refuse a document with a count below the limit, or with a number or a picture that is not publishable.

    Raises:
        InternalError: names the section, not the number.
    """
    drawn = _drawn(document, known)
    for section in document.sections:
        numbers = [number for block in section.blocks for number in numbers_of(block)]
        if any(_is_small(number, limit) for number in numbers):
            raise InternalError(
                "A count below the limit is left in the section {section} of the external report; nothing was written, "
                "please report this.",
                section=section.key,
            )
        shows = any(isinstance(block, Picture) and block.spec not in drawn for block in section.blocks)
        if shows or not all(_is_known(number, known, limit) for number in numbers):
            raise InternalError(
                "A number that not everybody may know is left in the section {section} of the external report; "
                "nothing was written, please report this.",
                section=section.key,
            )


def _drawn(document: Document, known: Facts) -> list[Mapping[str, Any]]:
    """The pictures that what everybody may know allows."""
    tell = Teller(known.files, known.diagram, document.language, Edition.EXTERNAL, own=known.own)
    tellers = {one.group: one for one in (tell, *tell.each)}.values()
    figures = (figure_of(one, name) for one in tellers for name in FOR_EVERYBODY)
    return [one.spec for one in figures if one is not None]


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
