"""The sparse vector technique: which of many answers reach a threshold, at the price of the few that do.

Above threshold stops at the first answer that does; the sparse vector stops after ``count`` of them. Answers and
threshold are rounded to a grid, on which the noise is discrete. The proof for continuous noise holds there too (Lyu,
Su and Li, Understanding the sparse vector technique for differential privacy, 2017, section 4).

Let Δ be the sensitivity in whole steps, c the count and ε = ε1 + ε2. Compare a run on one table, the threshold's noise
being k, with a run on its neighbour, the noise being k + Δ. With a scale of Δ/ε1, k is at most e^ε1 times as likely as
k + Δ. An answer that stays below the first threshold stays below the second, since a neighbour moves it by Δ at most.
One that reaches the first reaches the second with 2Δ more noise: with a scale of 2cΔ/ε2 that is at least e^(−ε2/c)
times as likely, and it happens c times at most.

If the answers are monotonic, Δ more noise and a scale of cΔ/ε2 are enough. Where the neighbour's answers are higher,
those that reach the first threshold need only Δ more for the second. Where they are lower, k is compared with k itself:
those that stay below still do, and those that reach it need Δ more.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from leakgauge.arguments import checked
from leakgauge.claims import CentralDP
from leakgauge.errors import OptionError
from leakgauge.mechanisms.choice import Utility, exact_numbers
from leakgauge.mechanisms.mechanism import Mechanism, Outputs, Pair, Parameter, numbers_in
from leakgauge.mechanisms.noise import DiscreteLaplace, Steps, quotient_above
from leakgauge.mechanisms.noisy_max import FAR, MOST_SUMMED, in_batches
from leakgauge.mechanisms.span import LARGEST_STEPS, Span, require_budget, span
from leakgauge.probability.cells import Floats
from leakgauge.randomness import Randomness
from leakgauge.randomness.sources import require_source

Truths: TypeAlias = npt.NDArray[np.bool_]
MOST_OUTCOMES = 1 << 12
"""Outcomes up to which the law of a sparse vector is written down."""

MOST_FOUND = 1 << 20
"""Answers that may reach the threshold before the end; the noise of so many drowns everything."""
MOST_LASTS = 32
"""Answers that are lowered in a neighbouring input that is named, however many end the run."""


@dataclass(frozen=True)
class Thresholded(Mechanism):
    """Noisy answers compared with one noisy threshold, until ``count`` of them have reached it.

    The threshold is in steps of the grid; its noise is drawn once, that of answers for each.
    """

    law: None
    span: Span
    threshold: int
    count: int
    monotonic: bool
    threshold_noise: DiscreteLaplace
    answer_noise: DiscreteLaplace

    @property
    def reach(self) -> float:
        return self.span.steps * self.span.grid

    @property
    def moves_one_way(self) -> bool:
        return self.monotonic

    @property
    def draws_at_once(self) -> bool:
        return True

    def neighbours(self) -> list[Pair]:
        """Some answers at the threshold raised, and then as many answers near it lowered as end the run.

        That all of the first stay below says that the noisy threshold is high; that the last reach it all the same is
        what a neighbour changes most. With fewer or more of the first, it is seldom enough, or tells less.
        """
        scale, step, pairs = self.answer_noise.scale, self.span.steps, []
        lasts = min(self.count, MOST_LASTS)
        for firsts, away in ((6 if self.count == 1 else 5, 0.5), (8, 0.0)):
            low, high = self.threshold, self.threshold + round(away * scale)
            before = [low] * firsts + [high] * lasts
            after = [low + step] * firsts + [high if self.monotonic else high - step] * lasts
            pairs.append(([one * self.span.grid for one in before], [one * self.span.grid for one in after]))
        return pairs

    def read_input(self, text: str) -> list[float]:
        return numbers_in(text)

    def repeated(self, value: Any, count: int, randomness: Randomness) -> Outputs:
        """So many runs on one list of answers, each coded as ``_coded`` does."""
        steps = self._steps(value)
        return in_batches(lambda runs: self._coded(self._reached(steps, runs, randomness)), count, len(steps))

    @abstractmethod
    def _coded(self, reached: Truths) -> Outputs:
        """Outputs of runs as numbers, a row or a number each, from whether each answer reaches the threshold."""

    def _reached(self, steps: Steps, runs: int, randomness: Randomness) -> Truths:
        """Whether each answer reaches the threshold, in each run, as if none of them had ended it."""
        thresholds = self.threshold + self.threshold_noise.noise(runs, randomness)
        noisy = steps + self.answer_noise.noise(runs * len(steps), randomness).reshape(runs, -1)
        return np.asarray(noisy >= thresholds[:, None])

    def _steps(self, answers: Iterable[Utility]) -> Steps:
        exact = exact_numbers(answers)
        if exact is None:
            raise OptionError("An answer is not a finite number; give one number per query.")
        if not exact:
            raise OptionError("There are no answers to compare with the threshold; give at least one.")
        return np.array([self.span.nearest(answer) for answer in exact], dtype=np.int64)

    def _sums(self, steps: Steps) -> _Sums | None:
        """The law over these answers; None where it is too much work."""
        reach = math.ceil(FAR * self.threshold_noise.scale)
        if len(steps) * (2 * reach + 1) > MOST_SUMMED:
            return None
        noise = np.arange(-reach, reach + 1)
        levels, places = np.unique(steps, return_inverse=True)
        apart = (levels[:, None] - self.threshold - noise).astype(np.float64)
        # P(K ≥ k) is P(K ≤ −k), which keeps its digits where it is small.
        chances = (self.answer_noise.below(-apart - 1), self.answer_noise.below(apart))
        return _Sums(self.threshold_noise.probability(noise), chances, places.tolist())


@dataclass(frozen=True, eq=False)
class _Sums:
    """The law of a run, summed over the noise of the threshold, of which less than e^−40 is left out.

    Attributes:
        weights: the chance of each noise of the threshold.
        chances: given that noise, of an answer to stay below the threshold and to reach it; a row per different answer.
        places: the row of each answer.
    """

    weights: Floats
    chances: tuple[Floats, Floats]
    places: list[int]

    def outcomes(self, count: int) -> Iterator[tuple[tuple[bool, ...], float]]:
        """Each outcome up to its end, the earliest end first, and its probability."""
        open_still: list[tuple[tuple[bool, ...], Floats]] = [((), self.weights)]
        while open_still:
            so_far, weights = open_still.pop()
            if len(so_far) == len(self.places) or sum(so_far) == count:
                yield so_far, float(weights.sum())
                continue
            below, reached = (chance[self.places[len(so_far)]] for chance in self.chances)
            open_still += [((*so_far, False), weights * below), ((*so_far, True), weights * reached)]


@dataclass(frozen=True)
class AboveThreshold(Thresholded):
    """The position of the first answer whose noisy value reaches the noisy threshold."""

    def run(self, answers: Iterable[Utility], randomness: Randomness) -> int | None:
        """That position; None where no answer does.

        Raises:
            OptionError: no answers, or one that is not a finite number.
        """
        require_source(randomness)
        found = int(self._coded(self._reached(self._steps(answers), 1, randomness))[0])
        return None if found < 0 else found

    def probabilities(self, answers: Iterable[Utility]) -> Floats | None:
        """The law of the position, and last the probability of none; None where it is too much work.

        Exact but for the rounding of floats and a part below e^−40.
        """
        sums = self._sums(self._steps(answers))
        return None if sums is None else np.array([chance for _, chance in sums.outcomes(1)])

    def _coded(self, reached: Truths) -> Outputs:
        """The position, −1 for none."""
        return np.where(reached.any(axis=1), np.argmax(reached, axis=1), -1)


@dataclass(frozen=True)
class SparseVector(Thresholded):
    """For each answer whether its noisy value reaches the noisy threshold, until ``count`` of them have."""

    def run(self, answers: Iterable[Utility], randomness: Randomness) -> list[bool]:
        """One truth per answer; the list ends with the last of ``count`` true ones.

        Raises:
            OptionError: no answers, or one that is not a finite number.
        """
        require_source(randomness)
        row = self._coded(self._reached(self._steps(answers), 1, randomness))[0]
        return [bool(found) for found in row if found >= 0]

    def probabilities(self, answers: Iterable[Utility]) -> dict[tuple[bool, ...], float] | None:
        """The probability of each list of truths; None where there are too many, or it is too much work.

        Exact but for the rounding of floats and a part below e^−40.
        """
        steps = self._steps(answers)
        outcomes = sum(math.comb(len(steps), found) for found in range(self.count + 1))
        sums = self._sums(steps) if outcomes <= MOST_OUTCOMES else None
        return None if sums is None else dict(sums.outcomes(self.count))

    def _coded(self, reached: Truths) -> Outputs:
        """1 where an answer reaches the threshold, 0 where it does not, and −1 after the end."""
        found_before: Steps = np.cumsum(reached, axis=1) - reached
        return np.where(found_before < self.count, reached.astype(np.int8), np.int8(-1))


@checked
def above_threshold(
    epsilon: float,
    *,
    threshold: float,
    sensitivity: float = 1.0,
    monotonic: bool = False,
    grid: float | None = None,
) -> AboveThreshold:
    """The position of the first answer that reaches a threshold, both with noise: ε-differential privacy.

    Args:
        epsilon: the budget in nats, whatever the number of answers; the threshold has a share of 1/(1 + 2^(2/3)) of
            it, or half if the answers are monotonic, with which the comparisons are the most accurate.
        threshold: it is rounded to the grid.
        sensitivity: how far one record moves any answer, at most.
        monotonic: whether one record moves all answers in one direction, as it does counts where records are added or
            removed; less noise is then enough.
        grid: a power of two; by default at most a 256th of the sensitivity over ε.

    Raises:
        OptionError: an ε, threshold, sensitivity or grid that cannot be used.

    References:
        Dwork and Roth, The algorithmic foundations of differential privacy, 2014, section 3.6; Lyu, Su and Li,
        Understanding the sparse vector technique for differential privacy, 2017.

    Example:
        >>> from leakgauge.randomness import Simulated
        >>> first = above_threshold(4.0, threshold=100)
        >>> first.run([60, 80, 120, 90], Simulated(simulation_seed=1))
        2
        >>> first.probabilities([98, 99, 101]).round(3).tolist()
        [0.078, 0.176, 0.557, 0.19]
    """
    return AboveThreshold(*_parts("above-threshold", epsilon, threshold, sensitivity, 1, monotonic, grid))


@checked
def sparse_vector(
    epsilon: float,
    *,
    threshold: float,
    count: int,
    sensitivity: float = 1.0,
    monotonic: bool = False,
    grid: float | None = None,
) -> SparseVector:
    """For each answer whether it reaches a threshold, until ``count`` of them have: ε-differential privacy.

    The answers themselves are not released. The threshold has a share of 1/(1 + (2·count)^(2/3)) of ε, or of
    1/(1 + count^(2/3)) if the answers are monotonic. Other arguments, errors and references are those of
    ``above_threshold``.

    Args:
        count: how many answers that reach the threshold end it; the noise grows with it.

    Example:
        >>> from leakgauge.randomness import Simulated
        >>> sparse_vector(8.0, threshold=100, count=2).run([60, 120, 80, 130, 70], Simulated(simulation_seed=1))
        [False, True, False, True]
    """
    parts = _parts("sparse-vector", epsilon, threshold, sensitivity, count, monotonic, grid, {"count": count})
    return SparseVector(*parts)


def _parts(
    name: str,
    epsilon: float,
    threshold: float,
    sensitivity: float,
    count: int,
    monotonic: bool,
    grid: float | None,
    more: dict[str, Parameter] | None = None,
) -> tuple[Any, ...]:
    """The fields of either mechanism."""
    require_budget(epsilon)
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST_FOUND:
        raise OptionError(
            "A count of {count!r} is not a whole number from 1 to {most}; give one that is.",
            count=count,
            most=MOST_FOUND,
        )
    moved = count if monotonic else 2 * count
    # The threshold's share with which the comparisons have the least variance (Lyu, Su and Li, section 4).
    first = epsilon / (1 + moved ** (2 / 3))
    spans = span(sensitivity=sensitivity, lower=None, upper=None, grid=grid, scale=1 / epsilon)
    if not -LARGEST_STEPS * spans.grid < threshold < LARGEST_STEPS * spans.grid:
        raise OptionError(
            "A threshold of {threshold} is not a finite number within 2^52 steps of a grid of {grid:g}; give another "
            "threshold, or a coarser grid.",
            threshold=threshold,
            grid=spans.grid,
        )
    parameters: dict[str, Parameter] = {"epsilon": epsilon, "threshold": threshold, "sensitivity": sensitivity}
    parameters |= {**(more or {}), **({"monotonic": "yes"} if monotonic else {}), "grid": spans.grid}
    # Scales are rounded up to floats: more noise, never less. What the threshold does not spend is spent by all
    # answers that reach it together.
    noises = (
        DiscreteLaplace(quotient_above(spans.steps, first)),
        DiscreteLaplace(quotient_above(moved * spans.steps, Fraction(epsilon) - Fraction(first))),
    )
    nearest = spans.nearest(Fraction(threshold))
    return name, parameters, (CentralDP(epsilon),), None, spans, nearest, count, monotonic, *noises
