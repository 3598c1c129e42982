"""The least coarsening of public columns that puts every row in a group of k."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from leakgauge.artefacts import Quantity, Request
from leakgauge.artefacts.coarsening import Coarsened, CoarseningFound
from leakgauge.artefacts.request.coarsening import MAX_SUPPRESSED
from leakgauge.design.coarsening import Hiding, Node, least_coarsening
from leakgauge.errors import OptionError, RefusalError
from leakgauge.measures import entropy
from leakgauge.probability import Interval, Label
from leakgauge.probability.cells import Codes
from leakgauge.rounding import from_above, from_below
from leakgauge.tables import Binning, Hierarchy, Levels, Table, parse_binning
from leakgauge.tables.binnings import both_bins_and_levels
from leakgauge.tables.levels import parse_levels

Progress = Callable[[int, int], None]


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


def choose_levels(asked: Request, table: Table, progress: Progress | None = None) -> tuple[Request, CoarseningFound]:
    """The request with the bins and levels that lose least in place of the choices, and the result of the search.

    Raises:
        RefusalError: no levels put every row in a group of ``min_k`` without suppressing more than allowed.
        OptionError: bins that are not coarser than those before, or more combinations than are searched.
        ColumnError, FileError: columns and level files that cannot be used.
    """
    assert asked.coarsening.min_k is not None
    (binned, bins), (levelled, levels) = _binned(asked), _levelled(asked)
    for name in binned.keys() & levelled.keys():
        raise both_bins_and_levels(name)
    ladders = {name: binned.get(name) or levelled.get(name) or Ladder() for name in asked.roles.public}
    hiding = _hiding(table, ladders, asked.coarsening.min_k, asked.coarsening.max_suppressed, asked.roles.unit)
    found = least_coarsening(hiding, progress)
    if found.best is None:
        raise _refused(hiding, found.coarsest)
    settled = asked.having(
        bins=(*bins, *_settled(binned, ladders, found.best)),
        levels=(*levels, *_settled(levelled, ladders, found.best)),
        suppress_below=asked.coarsening.min_k if found.best.suppressed else None,
        min_k=None,
        max_suppressed=MAX_SUPPRESSED,
    )
    return settled, CoarseningFound(
        asked.coarsening.min_k,
        asked.coarsening.max_suppressed,
        asked.roles.unit,
        table.rows,
        _stored(ladders, found.best),
        None if found.runner_up is None else _stored(ladders, found.runner_up),
        hiding.nodes,
        found.counted,
    )


def _binned(asked: Request) -> tuple[Ladders, list[str]]:
    """The bins of public columns that are choices, and the bins of all other columns."""
    pairs = [(column, how) for column, _, how in (text.rpartition("=") for text in asked.coarsening.bins)]
    spelled = {name: tuple(how for column, how in pairs if column == name) for name in asked.roles.public}
    ladders = {name: Ladder(tuple(map(parse_binning, hows)), hows) for name, hows in spelled.items() if hows}
    return ladders, [
        text for text, (column, _) in zip(asked.coarsening.bins, pairs, strict=True) if column not in ladders
    ]


def _levelled(asked: Request) -> tuple[Ladders, list[str]]:
    """The levels of public columns that are choices (all levels of a file without a number), and those of all
    others."""
    ladders: Ladders = {}
    others: list[str] = []
    found = parse_levels(asked.coarsening.levels, (*asked.roles.secrets, *asked.roles.seen))
    for text, (name, (hierarchy, number)) in zip(asked.coarsening.levels, found.items(), strict=True):
        file = text.removeprefix(f"{name}=")
        if name not in asked.roles.public and number is None:
            raise OptionError(
                "--levels of column {column!r} does not say which level, and --min-k chooses for public columns only; "
                "write e.g. {example!s}.",
                column=name,
                example=f"{name}={hierarchy.file}:1",
            )
        if name not in asked.roles.public:
            others.append(text)
        elif number is not None:
            ladders[name] = Ladder((hierarchy.level(number),), (file,))
        else:
            numbers = range(hierarchy.highest + 1)
            spelled = tuple(f"{file}:{one}" if one else None for one in numbers)
            ladders[name] = Ladder(tuple(map(hierarchy.level, numbers)), spelled, hierarchy)
    return ladders, others


def _settled(some: Ladders, ladders: Ladders, node: Node) -> list[str]:
    """The chosen steps of some columns as options; columns that stay unchanged are left out."""
    chosen = {name: one.spelled[step] for (name, one), step in zip(ladders.items(), node.steps, strict=True)}
    return [f"{name}={how}" for name, how in chosen.items() if name in some and how is not None]


def _hiding(table: Table, ladders: Ladders, k: int, max_suppressed: float, unit: str | None) -> Hiding:
    """The search space: combinations of the finest steps, counted once."""
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


def _stored(ladders: Ladders, node: Node) -> Coarsened:
    chosen = {
        name: (one.steps[at], one.spelled[at]) for (name, one), at in zip(ladders.items(), node.steps, strict=True)
    }
    # Only the name of the file is shown; its folder is private.
    told = {
        name: str(step) if spelled and isinstance(step, Levels) else spelled for name, (step, spelled) in chosen.items()
    }
    return Coarsened(told, Quantity(node.loss, "bits"), node.suppressed, node.groups)


def _refused(hiding: Hiding, coarsest: Node) -> RefusalError:
    """The refusal: why no levels are allowed, and how much suppression the coarsest need."""
    needed = coarsest.suppressed / hiding.n
    enough = math.ceil(100 * needed) / 100
    if enough >= 1:
        return RefusalError(
            "--min-k {k} cannot be reached: even at the coarsest levels nearly all rows would be suppressed; give "
            "coarser levels, publish fewer columns, or ask for a smaller k.",
            k=hiding.k,
        )
    return RefusalError(
        "--min-k {k} needs {needed:.4g} % of the rows suppressed even at the coarsest levels, but {allowed:.4g} % are "
        "allowed; give coarser levels, or --max-suppressed {enough:g}.",
        k=hiding.k,
        needed=from_above(100 * needed, 4),
        allowed=from_below(100 * hiding.max_suppressed, 4),
        enough=enough,
    )
