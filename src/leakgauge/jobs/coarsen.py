"""The least coarsening of public columns that puts every row in a group of k."""

from __future__ import annotations

import math
from collections.abc import Callable

from leakgauge.artefacts import Quantity, Request
from leakgauge.artefacts.request.terms import MAX_SUPPRESSED
from leakgauge.artefacts.survey import Coarsened, CoarseningFound
from leakgauge.design.coarsening import Hiding, Node, least_coarsening
from leakgauge.design.ladders import Ladder, Ladders, search_space
from leakgauge.errors import OptionError, RefusalError
from leakgauge.rounding import from_above, from_below
from leakgauge.tables import Levels, Table, parse_binning
from leakgauge.tables.binnings import both_bins_and_levels
from leakgauge.tables.levels import parse_levels

Progress = Callable[[int, int], None]


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
    hiding = search_space(table, ladders, asked.coarsening.min_k, asked.coarsening.max_suppressed, asked.roles.unit)
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
    """The same of levels: a file without a number stands for all of its levels."""
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
        "--min-k {k} needs {needed:.4g}% of the rows suppressed even at the coarsest levels, but {allowed:.4g}% are "
        "allowed; give coarser levels, or --max-suppressed {enough:g}.",
        k=hiding.k,
        needed=from_above(100 * needed, 4),
        allowed=from_below(100 * hiding.max_suppressed, 4),
        enough=enough,
    )
