"""Measured interactions, and the unbiased tables that follow from them, with exact standard errors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import numpy.typing as npt

from leakgauge.arguments import checked
from leakgauge.errors import OptionError
from leakgauge.notions.composition import Neighbours
from leakgauge.probability import Estimate
from leakgauge.probability.cells import Codes, Floats
from leakgauge.probability.labels import Label
from leakgauge.randomness import OperatingSystem, Randomness
from leakgauge.randomness.sources import require_source
from leakgauge.release.counts.counting import ExactTables
from leakgauge.release.counts.noise import noisy_interaction, variance_of
from leakgauge.release.counts.planning import CountsPlan, two_sided
from leakgauge.release.counts.workload import Places


@dataclass(frozen=True, eq=False)
class Measurement:
    """What leaves: whole numbers, from which everything else is computed.

    Attributes:
        interactions: for each set of the closure Π m_i times the centred noisy table.
    """

    plan: CountsPlan
    interactions: Mapping[Places, Codes] = field(repr=False)

    @checked
    def table(self, *names: str) -> UnbiasedTable:
        """The unbiased table of some attributes, in the order of the workload.

        Raises:
            ColumnError: no table of the workload holds them together.
        """
        return UnbiasedTable(self, self.plan.workload.measured(names))

    @property
    def rows(self) -> float:
        """The number of rows: noisy, or exact where it is public; noise may take it below 0."""
        return float(self.interactions[()])

    def part(self, places: Places) -> Floats:
        """The centred table of some attributes, in rows."""
        return np.asarray(self.interactions[places] / self.plan.workload.cells(places))


@dataclass(frozen=True, eq=False)
class UnbiasedTable:
    """A table whose cells, and sums of cells, are right on average; noise takes some below 0.

    Clipping them there would make every sum too large; ``consistent`` has tables without negative cells.
    """

    measurement: Measurement = field(repr=False)
    places: Places

    @property
    def names(self) -> tuple[str, ...]:
        """Its attributes, one axis each."""
        return self.measurement.plan.workload.names_of(self.places)

    @property
    def labels(self) -> tuple[tuple[Label, ...], ...]:
        """The values along each axis."""
        attributes = self.measurement.plan.workload.attributes
        return tuple(tuple(attributes[at].values) for at in self.places)

    @property
    def counts(self) -> Floats:
        """The estimated rows of each cell."""
        workload = self.measurement.plan.workload
        total: Floats = np.zeros(workload.shape(self.places))
        for some in _subsets(self.places):
            spread = [workload.sizes[at] if at in some else 1 for at in self.places]
            share = workload.cells(self.places) / workload.cells(some)
            total += self.measurement.part(some).reshape(spread) / share
        return total

    @property
    def standard_error(self) -> float:
        """Of every cell, in rows; of sums of cells see ``total``."""
        return self.measurement.plan.standard_error(*self.names)

    def total(self, weights: npt.ArrayLike, confidence: float = 0.95) -> Estimate:
        """Σ weight · rows over all cells, with its interval: the answer to any linear question.

        Args:
            weights: one number per cell; 1 for the cells that are added up and 0 for the others gives their sum.

        Raises:
            OptionError: weights of another shape, or not finite.
        """
        asked, counts = np.asarray(weights, dtype=np.float64), self.counts
        if asked.shape != counts.shape or not np.isfinite(asked).all():
            raise OptionError(
                "The weights have shape {found}, but the table has {shape}; give one finite number per cell.",
                found=str(asked.shape),
                shape=str(counts.shape),
            )
        value = float((asked * counts).sum())
        reach = two_sided(confidence) * self._error_of(asked)
        # One draw of noise, which is all that n says: how many rows there are may be secret.
        return Estimate(value, value - reach, value + reach, confidence, 1)

    def _error_of(self, weights: Floats) -> float:
        """Interactions are independent, and each one's noise is that of the whole table, centred."""
        plan = self.measurement.plan
        sigma = dict(zip(plan.workload.closure, plan.sigmas, strict=True))
        square = 0.0
        for some in _subsets(self.places):
            out = tuple(axis for axis, at in enumerate(self.places) if at not in some)
            seen = weights.sum(axis=out)
            for axis in range(len(some)):
                seen = seen - seen.mean(axis=axis, keepdims=True)
            share = plan.workload.cells(self.places) / plan.workload.cells(some)
            square += variance_of(sigma[some]) * float((seen**2).sum()) / share**2
        # Rounded up by what a difference of nearly equal numbers may have lost.
        return math.sqrt(square) * (1 + 1e-12)


def measure(plan: CountsPlan, tables: ExactTables, randomness: Randomness | None = None) -> Measurement:
    """Every interaction of a plan with fresh noise.

    This spends the plan's guarantee: what calls it takes it from a ledger first, and keeps the exact tables inside.

    Args:
        randomness: by default the operating system's; a simulation protects nobody.

    Raises:
        OptionError: tables that were counted for another workload.

    Example:
        >>> import pyarrow as pa
        >>> from leakgauge.claims import ApproximateDP
        >>> from leakgauge.release.counts import Attribute, Workload, count_tables, plan_counts
        >>> from leakgauge.tables import open_table
        >>> people = open_table(pa.table({"sex": ["f", "m"] * 500, "smokes": ["n", "y", "n", "n"] * 250}))
        >>> work = Workload([Attribute("sex", "fm"), Attribute("smokes", "ny")], [("sex", "smokes")])
        >>> plan = plan_counts(work, ApproximateDP(1.0, 1e-6))
        >>> table = measure(plan, count_tables(people, work)).table("sex", "smokes")
        >>> bool(abs(table.counts[0, 0] - 500) < 8 * table.standard_error)
        True
    """
    source = OperatingSystem() if randomness is None else randomness
    require_source(source)
    if (tables.workload.attributes, tables.workload.places) != (plan.workload.attributes, plan.workload.places):
        raise OptionError("The tables were counted for another workload than the plan's; count them for the plan's.")
    found: dict[Places, Codes] = {}
    for places, sigma in zip(plan.workload.closure, plan.sigmas, strict=True):
        if sigma == 0 and plan.neighbours is Neighbours.REPLACE_ONE:
            found[places] = tables.array(places)  # the number of rows, which is public
        else:
            found[places] = noisy_interaction(tables.array(places), sigma, source)
    return Measurement(plan, found)


def _subsets(places: Places) -> list[Places]:
    return [some for ways in range(len(places) + 1) for some in combinations(places, ways)]
