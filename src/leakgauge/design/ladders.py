"""The steps by which columns of a table get coarser, and the search space that these are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from leakgauge.design.coarsening import Hiding
from leakgauge.errors import OptionError
from leakgauge.measures import entropy
from leakgauge.probability import Interval, Label
from leakgauge.probability.cells import Codes
from leakgauge.tables import Binning, Hierarchy, Table


@dataclass(frozen=True)
class Ladder:
    """The steps of one column, from fine to coarse.

    Attributes:
        steps: the grouping of the column at each step; None for the values themselves.
        spelled: each step as it is written after the column's name; None for the values themselves.
        hierarchy: the file whose levels are the steps, the values themselves first; None for bins and for a single
        level.
    """

    steps: tuple[Binning | None, ...] = (None,)
    spelled: tuple[str | None, ...] = (None,)
    hierarchy: Hierarchy | None = None


Ladders = dict[str, Ladder]


def search_space(table: Table, ladders: Ladders, k: int, max_suppressed: float, unit: str | None) -> Hiding:
    """All combinations of the columns' steps, those of the finest counted once.

    Raises:
        OptionError: bins that are not coarser than those before, or more combinations than are searched.
    """
    finest = {name: one.steps[0] for name, one in ladders.items() if one.steps[0] is not None}
    most = max(table.rows, 1)
    counts = table.counts(*ladders, *(() if unit is None else (unit,)), bins=finest, limit=most)
    return Hiding(
        counts.codes[: len(ladders)],
        counts.counts,
        tuple(tuple(_steps(table, name, one, counts.labels(name))) for name, one in ladders.items()),
        tuple(entropy(table.counts(name, limit=most).distribution()) for name in ladders),
        k,
        max_suppressed,
        None if unit is None else counts.codes[-1],
    )


def _steps(table: Table, name: str, ladder: Ladder, finest: tuple[Label, ...]) -> list[Codes]:
    """For each step of a column, the index of the coarser value of each finest value."""
    if ladder.hierarchy is not None:
        values: tuple[Label, ...] = ladder.hierarchy.values
        levels = (dict(zip(values, coarser, strict=True)) for coarser in ladder.hierarchy.columns)
        # A missing value that the file does not list stays missing.
        return [_numbered(finest), *(_numbered([level.get(one) for one in finest]) for level in levels)]
    steps = [_numbered(finest)]
    for binning, (finer, coarser) in zip(ladder.steps[1:], pairwise(ladder.spelled), strict=True):
        assert binning is not None
        bins = table.counts(name, bins={name: binning}, limit=max(table.rows, 1)).labels(name)
        holders = _holders(finest, bins)
        steps.append(_numbered(holders))
        merged = len({*zip(*(step.tolist() for step in steps[-2:]), strict=True)}) == len({*steps[-2].tolist()})
        if not merged or holders.count(None) > finest.count(None):
            raise OptionError(
                "The bins {coarser!s} of column {column!r} are not made of whole bins {finer!s}; give --bins from fine "
                "to coarse, the edges of each among those of the one before.",
                coarser=str(coarser),
                column=name,
                finer=str(finer),
            )
    return steps


def _numbered(values: Sequence[Label]) -> Codes:
    numbers: dict[Label, int] = {}
    return np.array([numbers.setdefault(value, len(numbers)) for value in values], dtype=np.int64)


def _holders(finest: Sequence[Any], bins: Sequence[Any]) -> list[Interval | None]:
    """For each of the finest bins, the coarser bin that contains it, None where none does; both lists are in order."""
    intervals, at = [one for one in bins if one is not None], 0
    holders: list[Interval | None] = []
    for one in finest:
        if one is None:
            holders.append(None)
            continue
        while one.low is not None and at + 1 < len(intervals) and intervals[at + 1].low <= one.low:
            at += 1
        holder = intervals[at]
        from_low = holder.low is None or (one.low is not None and holder.low <= one.low)
        to_high = holder.high is None or (one.high is not None and one.high <= holder.high)
        holders.append(holder if from_low and to_high else None)
    return holders
