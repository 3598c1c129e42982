"""A lower bound on the level of a release made elsewhere, from its rows, whatever made it."""

from __future__ import annotations

import itertools

import numpy as np

from leakgauge.artefacts import Shown
from leakgauge.audit.foreign.columns import Changed
from leakgauge.audit.levels import least_level
from leakgauge.audit.released_rows import FEWEST_ROWS, shown_by_groups
from leakgauge.claims import LocalDP
from leakgauge.measures.binomial import at_least, at_most
from leakgauge.probability.cells import Codes, Floats
from leakgauge.randomness import simulation

_INPUTS = 8
"""The most frequent values, of which a pair is chosen."""
_CHOOSING = 4
"""One row in so many chooses the pair; the others prove."""


def shown_by_matched_rows(column: Changed, confidence: float, simulation_seed: int) -> Shown | None:
    """The ε that the released values of two true values show at least; None where too few rows share a value.

    If too few rows share a number, rows of the lowest quarter are compared with those of the highest: mixtures are no
    easier to distinguish than the values in them.
    """
    order = simulation(simulation_seed).permutation(len(column.original))
    chooses, proves = order[::_CHOOSING], np.delete(order, slice(None, None, _CHOOSING))
    pair = _pair(column.original, column.released, chooses, proves)
    if pair is not None:
        groups = {f"value {at}": proves[column.original[proves] == one] for at, one in enumerate(pair, 1)}
    elif column.ordered:
        low, high = np.quantile(column.original, [0.25, 0.75], method="inverted_cdf")
        groups = {
            "rows of the lowest quarter": proves[column.original[proves] <= low],
            "rows of the highest quarter": proves[column.original[proves] >= high],
        }
        if low == high or min(map(len, groups.values())) < FEWEST_ROWS:
            return None
    else:
        return None
    # Their numbers, not their texts: no value of the table is shown.
    outputs = {name: column.released[rows] for name, rows in groups.items()}
    if not column.ordered:
        outputs = {name: np.array([f"output {one + 1}" for one in codes]) for name, codes in outputs.items()}
    return shown_by_groups((outputs, None), None, confidence)


def _pair(x: Codes, y: Codes, chooses: Codes, proves: Codes) -> tuple[int, int] | None:
    """The two frequent values that some rows promise to tell apart best; None where fewer than two are frequent."""
    values, counts = np.unique(x[proves], return_counts=True)
    frequent = np.argsort(-counts, kind="stable")[:_INPUTS]
    rows = {int(values[at]): int(counts[at]) for at in frequent if counts[at] >= FEWEST_ROWS}
    if len(rows) < 2:
        return None
    size = int(y.max()) + 1
    made = {one: np.bincount(y[chooses][x[chooses] == one], minlength=size) + 0.5 for one in rows}
    shares = {one: counted / counted.sum() for one, counted in made.items()}

    def promised(pair: tuple[int, int]) -> float:
        first, second = (shares[one] for one in pair)
        return _expected(first, second, min(rows[one] for one in pair))

    return max(itertools.permutations(rows, 2), key=promised)


def _expected(first: Floats, second: Floats, trials: int) -> float:
    """The ε that so many rows of each would show if these were the shares of what is released."""
    order = np.argsort(-first / second, kind="stable")
    low = at_least(np.floor(np.cumsum(first[order]) * trials), trials, 0.02)
    high = at_most(np.ceil(np.cumsum(second[order]) * trials), trials, 0.02)
    return float(least_level(LocalDP(0.0), low, np.minimum(high, 1.0)).max())
