"""From a workload and a budget, or an error that is wanted, to noise for each interaction."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from leakgauge.arguments import check_fields, checked
from leakgauge.claims import ApproximateDP, GaussianDP, ZeroConcentratedDP
from leakgauge.errors import OptionError, RefusalError
from leakgauge.mechanisms.noise import LARGEST_SIGMA
from leakgauge.notions.composition import Neighbours
from leakgauge.probability.cells import Floats
from leakgauge.release.counts.guarantee import Guarantee, guarantee_of, require_delta
from leakgauge.release.counts.noise import variance_of
from leakgauge.release.counts.precision import Precisions, error_rows, least_error
from leakgauge.release.counts.workload import Places, Workload

Budget: TypeAlias = ApproximateDP | ZeroConcentratedDP | GaussianDP
"""What may be spent."""

_UP = 1 + 2.0**-50
_LARGEST = 60.0
"""ln μ² of plans at most: next to no noise."""


@dataclass(frozen=True)
class Within:
    """Every cell of every table within so many percentage points of the rows, with a confidence.

    Attributes:
        points: half the width of the interval of a cell, in hundredths of the rows.
        rows: how many rows there are, as far as is public; it enters the plan, so it must not be counted.
    """

    points: float
    rows: int
    confidence: float = 0.95

    def __post_init__(self) -> None:
        check_fields(self)
        if not 0 < self.points < 100 or self.rows < 1 or not 0 < self.confidence < 1:
            raise OptionError(
                "Within {points} points of {rows} rows at a confidence of {confidence} is not an error that can be "
                "asked for; give points between 0 and 100, at least 1 row, and a confidence between 0 and 1.",
                points=self.points,
                rows=self.rows,
                confidence=self.confidence,
            )

    @property
    def variance(self) -> float:
        """Of a cell, in squared rows."""
        return (self.points / 100 * self.rows / two_sided(self.confidence)) ** 2


@dataclass(frozen=True, eq=False)
class CountsPlan:
    """The noise of each interaction, and what it costs; no row of the table entered it.

    Attributes:
        sigmas: the σ for each interaction of the closure; 0 for the number of rows where it is public.
        rows_per_person: how many rows a person has at most.
        error: the weighted sum of variances of all cells, or, for the largest, the largest variance.
        bound: no Gaussian plan with the guarantee's μ has less.
    """

    workload: Workload
    neighbours: Neighbours
    rows_per_person: int
    sigmas: tuple[float, ...] = field(repr=False)
    guarantee: Guarantee
    error: float
    bound: float

    @property
    def gap(self) -> float:
        """How much more the error is than the bound, as a share of it; whole tables that are charged add to it."""
        return self.error / self.bound - 1

    def standard_error(self, *names: str) -> float:
        """The standard error in rows of each cell of a table that is measured, or of a margin of one."""
        return math.sqrt(self.variance(self.workload.measured(names)))

    def variance(self, places: Places) -> float:
        """The variance in squared rows of each cell of a table."""
        variances = np.array([*map(variance_of, self.sigmas)])
        return float(error_rows(self.workload, [places])[0] @ variances)


@checked
def plan_counts(
    workload: Workload,
    budget: Budget | None = None,
    *,
    within: Within | None = None,
    neighbours: Neighbours = Neighbours.ADD_OR_REMOVE_ONE,
    rows_per_person: int = 1,
    largest: bool = False,
) -> CountsPlan:
    """The plan of least error for a budget, or of least cost for an error.

    Args:
        budget: (ε, δ), ρ or μ; None for the least that keeps ``within``.
        within: the error that is wanted of every cell; with a budget, it is refused where the budget is too small.
        neighbours: what is protected; where a row is replaced, the number of rows is public.
        rows_per_person: how many rows a person has at most; it multiplies the sensitivity.
        largest: make the largest variance of a cell least, rather than the weighted sum of all; always so ``within``.

    Raises:
        OptionError: neither budget nor error, or one that cannot be kept with Gaussian noise.
        RefusalError: the budget is too small for the error, with the least that is enough.

    Example:
        >>> from leakgauge.release.counts import Attribute, Workload
        >>> work = Workload([Attribute("sex", "fm"), Attribute("smokes", "ny")], [("sex", "smokes")])
        >>> plan = plan_counts(work, ZeroConcentratedDP(0.02))
        >>> round(plan.guarantee.mu, 4), round(plan.standard_error("sex", "smokes"), 2), plan.gap < 1e-3
        (0.2, 5.0, True)
    """
    if rows_per_person < 1:
        raise OptionError("{rows} rows per person cannot be protected; give at least 1.", rows=rows_per_person)
    if isinstance(budget, ApproximateDP):
        require_delta(budget.delta)
    largest = largest or within is not None
    unit = least_error(workload, neighbours, np.ones(len(workload.tables)) if largest else None)

    def scaled(square: float) -> CountsPlan:
        return _scaled(workload, unit, square, neighbours, rows_per_person)

    # Noise cannot be larger than this; where that is more exact than is asked for, it is what is given.
    least = float(rows_per_person**2 / (unit.t.min() * (LARGEST_SIGMA * (1 - 1e-9)) ** 2))
    if within is None:
        if budget is None:
            raise OptionError("There is neither a budget nor an error that is wanted; give one of them.")
        return scaled(_largest_square(scaled, budget, least))
    enough = scaled(max(unit.error * rows_per_person**2 / within.variance, least))
    if budget is None or _level(enough.guarantee, budget) <= budget.level:
        return enough if budget is None else scaled(_largest_square(scaled, budget, least))
    raise RefusalError(
        "Within {points} points of {rows} rows needs at least {least!s}, more than {budget!s}; raise the budget, or "
        "allow a larger error.",
        points=within.points,
        rows=within.rows,
        least=str(type(budget)(_level(enough.guarantee, budget), *(value for _, value in budget.parameters))),
        budget=str(budget),
    )


def two_sided(confidence: float) -> float:
    """The standard deviations within which a normal variable stays with this probability."""
    from scipy.special import ndtri

    return -float(ndtri((1 - confidence) / 2))


def _level(guarantee: Guarantee, budget: Budget) -> float:
    """What the guarantee takes, in the notion of the budget."""
    match budget:
        case ApproximateDP(_, delta):
            return guarantee.epsilon(delta)
        case ZeroConcentratedDP():
            return guarantee.rho
        case _:
            return guarantee.gaussian_mu


def _scaled(
    workload: Workload, unit: Precisions, square: float, neighbours: Neighbours, rows_per_person: int
) -> CountsPlan:
    """The plan whose interactions take this μ², where smoothing is negligible."""
    t = unit.t * square / rows_per_person**2
    # Up by a few units in the last place: more noise, never less.
    sigmas: Floats = np.sqrt(1 / t) * _UP
    guarantee = guarantee_of(workload, sigmas.tolist(), neighbours, rows_per_person)
    scale = rows_per_person**2 / guarantee.mu**2
    return CountsPlan(
        workload,
        neighbours,
        rows_per_person,
        tuple(sigmas.tolist()),
        guarantee,
        unit.error * rows_per_person**2 / square,
        unit.bound * scale,
    )


def _largest_square(scaled: Callable[[float], CountsPlan], budget: Budget, least: float) -> float:
    """The largest μ² within the budget, and at least ``least``, by halves of its logarithm; from below."""
    if not 0 < budget.level < math.inf:
        raise OptionError(
            "A budget of {budget!s} is not a finite number above 0; give one that is.", budget=str(budget)
        )

    def fits(logarithm: float) -> bool:
        return _level(scaled(math.exp(logarithm)).guarantee, budget) <= budget.level

    lowest = math.log(least)
    low = high = max(0.0, lowest)
    while not fits(low):
        if low == lowest:
            raise OptionError("A budget of {budget!s} is too small for any count; raise it.", budget=str(budget))
        low, high = max(low - 2, lowest), low
    while low == high or (high < _LARGEST and fits(high)):
        low, high = high, high + 2
    while high - low > 1e-7:
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return math.exp(low)
