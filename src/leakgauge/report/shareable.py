"""The facts that everybody may know: what is public, declared or accounted for, and no number of the table.

A few numbers of a table, however coarse, can be solved together for the count of a rare value: the program and what it
was asked for are known, so that every count can be tried. So a quantity is shown by its origin, another field where its
type names an origin, and whatever names none is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin, get_type_hints

import msgspec

from leakgauge.artefacts import Origin, PublicRecord, Quantity
from leakgauge.artefacts.quantity import PROMISE
from leakgauge.report.facts import ARTEFACTS, Facts

_OF_A_QUANTITY: Final = ("value", "unit", "order", "delta", "origin")
"""The fields of a quantity that are shown; the witness of a level names values."""
_NOTHING: Final = object()


def shareable(facts: Facts) -> Facts:
    """The part of the facts that everybody may know."""
    marks: set[object] = {one for one in Origin if one.is_shareable}
    # Counts are masked where the document is made; a promise that is printed comes with what speaks against it.
    marks |= {Origin.COUNT, PROMISE} if has_shareable_mechanism(facts) else {Origin.COUNT}
    parts = {name: _part(fields, ARTEFACTS[name], marks) for name, fields in facts.files.items() if name in ARTEFACTS}
    return Facts({name: fields for name, fields in parts.items() if fields is not _NOTHING}, facts.diagram)


def has_shareable_mechanism(facts: Facts) -> bool:
    """Whether the mechanisms, and so what they promise, follow from declared settings or accounted counts alone."""
    origin = facts.get("release.json", "budget", "epsilon", "origin")
    return origin is not None and Origin(origin).is_shareable


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
