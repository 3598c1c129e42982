"""The part of a dossier that everybody may know: what is public, declared or accounted for, and no number of the table.

A few numbers of a table, however coarse, can be solved together for the count of a rare value: the program and its
inputs are known, so every count can be tried. So a quantity is kept only by its origin, another field only if its type
names an origin, and everything else is left out.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from leakgauge.artefacts.dossier import Dossier
from leakgauge.artefacts.measurement import Utility, ValueShares
from leakgauge.artefacts.quantity import PROMISE, Origin, Quantity
from leakgauge.artefacts.record import PublicRecord
from leakgauge.artefacts.survey import Survey

_INTERVAL: Final = ("low", "high", "confidence", "witness", "method")
"""The fields of a quantity that are left out; the witness of a level names values."""
_NOTHING: Final = object()
Kept = TypeVar("Kept", bound=msgspec.Struct)


def shareable(dossier: Dossier, limit: int) -> Dossier:
    """The same dossier with nothing where an origin forbids; shares that were declared publishable are rounded.

    Counts are kept: they are masked below the limit where they are shown.
    """
    marks: set[object] = {one for one in Origin if one.is_shareable} | {Origin.COUNT}
    if dossier.record is not None and dossier.record.budget.epsilon.origin.is_shareable:
        # The mechanisms, and so what they promise, follow from declared settings or accounted counts alone; a promise
        # that is printed comes with what speaks against it.
        marks.add(PROMISE)
    asked = None if dossier.job is None else dossier.job.asked
    rows = dossier.record.rows if dossier.record is not None and asked is not None and asked.publish_shares else 0
    # What would change a verdict is a question with settings that were found from private counts.
    inside = msgspec.structs.replace(dossier, verdict=None, promise=None, survey=_published(dossier))

    def part(_: str, found: msgspec.Struct) -> Any:
        known = _part(found, type(found), marks)
        if isinstance(found, Utility) and rows:
            known = _with_shares(known, found, rows, limit)
        return None if known is _NOTHING else known

    return inside.mapped(part)


def _published(dossier: Dossier) -> Survey | None:
    """Of the survey what anybody counts in the release: the public columns together.

    Other columns are not released, and the table decides in which order they stand and which combinations are named.
    Of columns that are changed in the release nobody counts these groups there.
    """
    changed = dossier.job is not None and dossier.job.asked.public_distortion
    if dossier.survey is None or dossier.survey.published is None or dossier.record is None or changed:
        return None
    return _without(dossier.survey, published=dossier.survey.published)


def _with_shares(known: Any, found: Utility, rows: int, limit: int) -> Any:
    """The publishable part of what columns are worth, and the shares that were declared publishable, without counts."""
    coarse = {name: _coarse(one.shares, rows, limit) for name, one in found.columns.items()}
    columns = {name: _without(found.columns[name], shares=some) for name, some in coarse.items() if some}
    if not columns:
        return known
    return _without(found if known is _NOTHING else known, columns=columns)


def _coarse(shares: Sequence[ValueShares], rows: int, limit: int) -> tuple[ValueShares, ...]:
    """The shares of the values in the table, to the nearest multiple of twice the limit of rows.

    So a share stands for about that many counts. The commonest value has what the others leave, because its own
    rounding would tell some of their counts apart; so would shares by the law of the release, which are left out.
    Nothing is shown where a value that occurs has no more rows than the limit, or so few rows are left to the commonest
    that another seems more frequent.
    """
    step = 2 * limit
    counts = {at: round(one.table.value * rows) for at, one in enumerate(shares)}
    shown = {at: (count + limit) // step * step for at, count in counts.items() if count}
    if not shown or any(counts[at] <= limit for at in shown):
        return ()
    commonest = max(shown, key=shown.__getitem__)
    shown[commonest] += rows - sum(shown.values())
    if shown[commonest] < max(shown.values()):
        return ()
    tables = {at: Quantity(count / rows, "share") for at, count in shown.items()}
    return tuple(_without(shares[at], value=shares[at].value, table=table) for at, table in tables.items())


def _part(found: Any, hint: Any, marks: set[object]) -> Any:
    """What everybody may know of a part of a type; ``_NOTHING`` where that is nothing."""
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
        return tuple(None if one is _NOTHING else one for one in entries) if known else _NOTHING
    if kind is dict:
        parts = {name: _part(one, inner[1], marks) for name, one in found.items()}
        return {name: one for name, one in parts.items() if one is not _NOTHING} or _NOTHING
    if found is None or not isinstance(hint, type) or not issubclass(hint, msgspec.Struct):
        return _NOTHING
    if issubclass(hint, Quantity):
        return _exact(found) if found.origin.is_shareable else _NOTHING
    hints = _hints(hint)
    fields = {name: _part(getattr(found, name), hints[name], marks) for name in found.__struct_fields__}
    parts = {name: one for name, one in fields.items() if one is not _NOTHING}
    return _without(found, **parts) if parts else _NOTHING


def _exact(found: Quantity) -> Quantity:
    known = copy.copy(found)
    for name in _INTERVAL:
        if name in known.__struct_fields__:
            msgspec.structs.force_setattr(known, name, None)
    return known


def _without(found: Kept, **known: Any) -> Kept:
    """A part with nothing in it but these fields: an empty list, mapping or part, and None for everything else."""
    made = copy.copy(found)
    for name, hint in _hints(type(found)).items():
        msgspec.structs.force_setattr(made, name, known[name] if name in known else _empty(getattr(found, name), hint))
    return made


def _empty(found: Any, hint: Any) -> Any:
    kind = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    is_part = isinstance(kind, type) and issubclass(kind, msgspec.Struct) and not issubclass(kind, Quantity)
    if is_part:
        return _without(found)
    return type(found)() if isinstance(found, tuple | list | Mapping) else None


@cache
def _hints(kind: type[msgspec.Struct]) -> Mapping[str, Any]:
    """The types of a kind's fields."""
    hints = get_type_hints(kind, include_extras=True)
    return {name: hints[name] for name in kind.__struct_fields__}
