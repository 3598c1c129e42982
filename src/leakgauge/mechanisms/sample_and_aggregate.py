"""Sample and aggregate: any statistic, made private by its values on disjoint blocks of rows.

The mean of a statistic over one subsample is not private: a sampled row changes the answer as much as without sampling.
Private is the following: the rows are split into blocks at random, so that one row is in one block only, and the
blocks' values are aggregated with noise that hides any one of them.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

import numpy as np

from leakgauge.arguments import checked
from leakgauge.claims import CentralDP
from leakgauge.errors import OptionError
from leakgauge.mechanisms.choice import exponential
from leakgauge.mechanisms.mechanism import Mechanism, Parameter
from leakgauge.mechanisms.noise import DiscreteLaplace, Steps, quotient_above
from leakgauge.mechanisms.span import Span, half_up, require_budget, span
from leakgauge.mechanisms.steps.step import amplified_epsilon
from leakgauge.probability import Estimate
from leakgauge.probability.cells import Codes
from leakgauge.randomness import Randomness
from leakgauge.randomness.draws import below, shuffled

Rows: TypeAlias = Any
"""Rows of a table: a frame, an array or a list; those of a block are of the same kind, of a list an array."""
Statistic = Callable[[Rows], float]


class Aggregate(Enum):
    """The function that combines the values of the blocks."""

    MEAN = "mean"
    MEDIAN = "median"


@dataclass(frozen=True)
class Aggregated:
    """A private answer, with its guarantee for the rows of the table and for a row known to be in the sample.

    A mean has an interval that holds the mean of the blocks' clamped values; a median has the number of ranks among
    the blocks' values by which it may miss the middle, at the same confidence.
    """

    value: float
    claim: CentralDP
    claim_in_sample: CentralDP
    interval: Estimate | None = None
    rank_error: float | None = None


@dataclass(frozen=True)
class SampleAndAggregate(Mechanism):
    """A statistic on random disjoint blocks, aggregated privately; made by ``sample_and_aggregate``.

    It claims what is guaranteed to the rows of the table, the sampling counted.
    """

    claims: tuple[CentralDP]
    law: None
    claim_in_sample: CentralDP
    statistic: Statistic
    span: Span
    blocks: int
    aggregate: Aggregate
    sampling_rate: float

    @checked
    def run(self, rows: Rows, randomness: Randomness, confidence: float = 0.95) -> Aggregated:
        """The private answer for a table: a frame, a list of rows, or an array whose first axis they are."""
        count, taken = _by_place(rows)
        used = math.floor(self.sampling_rate * count)
        if used < self.blocks:
            raise OptionError(
                "{used} rows are fewer than {blocks} blocks; use fewer blocks or a higher sampling rate.",
                used=used,
                blocks=self.blocks,
            )
        order = shuffled(count, randomness)[:used]
        steps = np.array([self._on_grid(taken(part)) for part in np.array_split(order, self.blocks)], dtype=np.int64)
        aggregated = self._mean if self.aggregate is Aggregate.MEAN else self._median
        return aggregated(steps, randomness, confidence)

    def _on_grid(self, block: Rows) -> int:
        """The statistic of a block in steps; the middle of the bounds if it fails, so that a failure reveals
        nothing."""
        low, high = self.span.bounds
        try:
            # A warning on the screen would reveal something about the rows.
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                value = float(self.statistic(block))
        except Exception:
            value = math.nan
        if math.isnan(value):
            return (low + high) // 2
        return int(np.clip(half_up(np.array(value / self.span.grid)), low, high))

    def _mean(self, steps: Steps, randomness: Randomness, confidence: float) -> Aggregated:
        # One row changes one block, which changes the sum by at most the width of the bounds.
        law = DiscreteLaplace(quotient_above(self.span.steps, self.claim_in_sample.epsilon))
        total = sum(steps.tolist()) + int(law.noise(1, randomness)[0])
        value = total * self.span.grid / self.blocks
        # Half a step for the rounding of each block's value.
        reach = law.reach(confidence) * self.span.grid / self.blocks + self.span.grid / 2
        interval = Estimate(value, value - reach, value + reach, confidence, self.blocks)
        return Aggregated(value, self.claims[0], self.claim_in_sample, interval=interval)

    def _median(self, steps: Steps, randomness: Randomness, confidence: float) -> Aggregated:
        low, high = self.span.bounds
        # Grid points between two values have the same utility: they are one candidate with a multiplicity.
        values = np.unique(steps)
        starts = np.unique(np.concatenate([[low], values, values + 1]))
        starts = starts[starts <= high]
        widths = np.diff(np.append(starts, high + 1))
        ordered = np.sort(steps)
        under = np.searchsorted(ordered, starts, side="left")
        over = self.blocks - np.searchsorted(ordered, starts, side="right")
        # Twice the ranks by which the middle is missed; one changed block moves both counts by at most 1, so Δ = 2.
        utilities = -np.maximum(np.maximum(2 * under, 2 * over) - self.blocks, 0)
        choice = exponential(self.claim_in_sample.epsilon, sensitivity=2.0)
        at = choice.run(utilities.tolist(), randomness, widths.tolist())
        point = int(starts[at]) + int(below(int(widths[at]), 1, randomness)[0])
        # The median of the blocks' values misses by 0, so what is lost against it is the miss itself.
        rank_error = choice.error_bar(high - low + 1, confidence) / 2
        return Aggregated(point * self.span.grid, self.claims[0], self.claim_in_sample, rank_error=rank_error)


def _by_place(rows: Rows) -> tuple[int, Callable[[Codes], Rows]]:
    """How many rows there are, and how those at some places are taken."""
    if hasattr(rows, "iloc"):
        # A pandas object looks numbers up in its index, where a row may have no label, or one that others have too.
        return len(rows), rows.iloc.__getitem__
    if hasattr(rows, "to_arrow"):
        return len(rows), rows.__getitem__
    if hasattr(rows, "to_pylist"):
        return len(rows), rows.take
    try:
        array = np.asarray(rows)
    except ValueError:
        array = np.array(0)
    if not array.ndim:
        raise OptionError(
            "The rows are of type {found!r}; give an array, a list of rows of one length, or a frame of pandas, "
            "polars or Arrow.",
            found=type(rows).__name__,
        )
    return len(array), array.__getitem__


@checked
def sample_and_aggregate(
    epsilon: float,
    *,
    statistic: Statistic,
    lower: float,
    upper: float,
    blocks: int,
    aggregate: Aggregate = Aggregate.MEAN,
    sampling_rate: float = 1.0,
    grid: float | None = None,
) -> SampleAndAggregate:
    """Any statistic with ε-differential privacy: its values on random disjoint blocks, aggregated with noise.

    The answer is about the mean or median of the blocks' values, which is near the statistic of all rows only where
    the statistic is stable from block to block. A block on which it raises or gives NaN counts as the middle of the
    bounds; how long it takes, and what it writes elsewhere, is not protected.

    Args:
        epsilon: the budget in nats, for a row that is in the sample.
        statistic: from the rows of a block to a number; of a frame it gets a frame.
        lower, upper: the bounds to which the blocks' values are clamped; to be known without the data.
        blocks: how many; more means less noise, and a statistic of fewer rows.
        aggregate: ``MEAN`` by discrete Laplace noise of (upper − lower)/blocks on a grid, ``MEDIAN`` by the exponential
            mechanism over the grid points.
        sampling_rate: the share of the rows that is drawn without replacement. Below 1 the claim for the table is
            ln(1 + rate · (e^ε − 1)) when one row is replaced.
        grid: a power of two.

    Raises:
        OptionError: an ε, bounds, grid, number of blocks or rate that cannot be used.

    References:
        Nissim, Raskhodnikova and Smith, Smooth sensitivity and sampling, 2007; Balle, Barthe and Gaboardi, Privacy
        amplification by subsampling, 2018, theorem 9.

    Example:
        >>> from leakgauge.randomness import Simulated
        >>> middle = sample_and_aggregate(1.0, statistic=np.median, lower=0, upper=100, blocks=50)
        >>> ages = np.arange(10_000) % 90
        >>> str(middle.run(ages, Simulated(simulation_seed=5)).interval)
        '43.9614 [37.9661, 49.9567]'
    """
    require_budget(epsilon)
    if blocks < 2:
        raise OptionError("{blocks} blocks cannot hide each other; use a whole number of at least 2.", blocks=blocks)
    if not 0 < sampling_rate <= 1:
        raise OptionError(
            "A sampling rate of {rate} is not above 0 and at most 1; give a share of the rows.", rate=sampling_rate
        )
    spans = span(sensitivity=None, lower=lower, upper=upper, grid=grid, scale=1 / (epsilon * blocks))
    parameters: dict[str, Parameter] = {
        "epsilon": epsilon,
        "lower": lower,
        "upper": upper,
        "blocks": blocks,
        "aggregate": aggregate.value,
        "sampling_rate": sampling_rate,
        "grid": spans.grid,
    }
    # Rounded up.
    amplified = min(amplified_epsilon(epsilon, sampling_rate) * (1 + 1e-14), epsilon)
    claims = (CentralDP(epsilon if sampling_rate == 1 else amplified),)
    how = (CentralDP(epsilon), statistic, spans, blocks, aggregate, sampling_rate)
    return SampleAndAggregate("sample-and-aggregate", parameters, claims, None, *how)
