"""Intervals for measures without a formula of their own, by redrawing the counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from leakgauge.measures.terms import Measure, Roles
from leakgauge.probability import Counts, Scenario
from leakgauge.probability.cells import Codes
from leakgauge.randomness import simulation

if TYPE_CHECKING:
    from leakgauge.probability.scenario import Weights

_REDRAWS = 400
_STRETCH = 1.3
_LARGEST = 1 << 16
"""Beyond so many cells only those that occur are redrawn."""


def bootstrap(
    measure: Measure, counts: Counts, roles: Roles, weights: Weights | None, confidence: float, simulation_seed: int
) -> tuple[float, float]:
    """Both ends of an interval for a measure of scenarios, in the measure's unit.

    It spans the percentile interval of the redraws and its mirror image about the observed value: the first follows
    skewness, the second corrects bias, and where they differ the wider end is the safe one. Measures with a maximum
    or an order in them (vulnerability, guessing entropy) are biased most where outcomes tie, and the redraws, whose
    population ties less, then show only 0.41 of that bias (√2 − 1): the end that bias hides is moved by twice what they
    show, and all is stretched, as measured coverage asks for.
    """
    letters = roles.letters(measure)
    merged = counts.merge({letter: roles.axes(letter) for letter in roles.counted(letters)})
    codes, shares = _population(merged)
    generator = simulation(simulation_seed)
    axes = {letter: merged.labels(letter) for letter in merged.names}
    values = np.empty(_REDRAWS)
    for at, redraw in enumerate(generator.multinomial(merged.n, shares, size=_REDRAWS)):
        values[at] = measure(_scenario(Counts.from_cells(axes, list(codes), redraw), roles, weights))
    observed = float(measure(_scenario(merged, roles, weights)))
    tail = (1 - confidence) / 2
    low = float(np.quantile(values, tail, method="lower"))
    high = float(np.quantile(values, 1 - tail, method="higher"))
    bias = float(values.mean()) - observed
    below = observed - min(low, 2 * observed - high) + 2 * max(bias, 0.0)
    above = max(high, 2 * observed - low) - observed + 2 * max(-bias, 0.0)
    stretch = _STRETCH + np.prod(merged.shape, dtype=float) / merged.n
    floor = 0.0 if values.min() >= 0 and observed >= 0 else -np.inf
    # What was never negative in any redraw is not made so by the stretch.
    return max(observed - stretch * below, floor), observed + stretch * above


def _population(merged: Counts) -> tuple[Codes, np.ndarray]:
    """What is redrawn from: the frequencies and one more observation spread over all cells, so that what was never
    seen may be.
    """
    cells = float(np.prod(merged.shape, dtype=float))
    if cells > _LARGEST:
        return merged.codes, merged.counts / merged.n
    codes = np.indices(merged.shape).reshape(len(merged.shape), -1)
    return codes, (merged.array().ravel() + 1 / cells) / (merged.n + 1)


def _scenario(merged: Counts, roles: Roles, weights: Weights | None) -> Scenario:
    if roles.channel is None:
        names = merged.names
        return Scenario.from_counts(
            merged, ["X"], ["Y"] if "Y" in names else (), ["Z"] if "Z" in names else (), weights=weights
        )
    source = merged.joint(["X"], ["Z"]) if "Z" in merged.names else merged.distribution("X")
    return Scenario(source, roles.channel, weights=weights)
