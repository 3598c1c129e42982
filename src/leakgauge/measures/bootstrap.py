"""Intervals for measures without a formula of their own, by redrawing the counts.

Measures with a maximum or an order in them (vulnerability, guessing entropy) are biased most where outcomes tie, and
frequencies, which hardly ever tie, do not show it: redrawn from them, the bias is less than half of what it was.
So the counts are redrawn from several populations that they do not contradict, as observed and with ties wherever
there may be some (the moment selection of Andrews and Soares, Econometrica 78(1), 2010), and the interval is the
widest that any of them asks for. Measured coverage: ``tests/measures/test_bootstrap_coverage.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from math import log

import numpy as np

from leakgauge.measures.information import quotient
from leakgauge.measures.terms import AxisRoles, Measure
from leakgauge.probability import Channel, Counts, Distribution, Joint, Scenario
from leakgauge.probability.cells import Codes, Floats, gather, sums_by
from leakgauge.probability.labels import Label
from leakgauge.probability.scenario import Weights
from leakgauge.randomness import simulation

_REDRAWS = 200  # from each population
_RESOLVED, *_RUNGS = ((1 - confidence) / 2 for confidence in (0.95, 0.99, 0.999, 0.9999))
"""The first tail, and any larger one, holds enough redraws to be read off them. The populations of a
smaller tail are added to those of the larger ones here, so that the interval holds those of these confidences.
"""
_ALIKE = 3.0  # counts that differ by at most so many standard deviations may tie in the population
_STRETCH = 1.15
"""The redraws follow the sampling law only to first order: without the stretch, coverage fell to 91 % in places."""
_STRETCH_BEHIND = 1.3
"""Behind a known channel other letters tie than in the counts, and the ties made here miss them: the low end of
min-entropy leakage then covered 90 %.
"""
_LARGEST = 1 << 16  # beyond so many cells only those that occur are redrawn


def bootstrap(
    measures: Sequence[Measure],
    counts: Counts,
    roles: AxisRoles,
    weights: Weights | None,
    confidence: float,
    simulation_seed: int,
) -> list[tuple[float, float]]:
    """Both ends of an interval for each of some measures of the same letters, in its unit, all from the same redraws.

    Each population asks for its bias and the farther of its two quantiles, on either side: with few observations
    the deviation grows with the true value, and the law of one population is too narrow on one side.
    """
    (letters,) = {roles.letters(measure) for measure in measures}
    merged = roles.merged(counts, letters)
    cells = CountedCells(merged, roles.channel, weights)
    tail = (1 - confidence) / 2
    generator = simulation(simulation_seed)

    def measured(shares: Floats) -> list[float]:
        scenario = cells.scenario(shares)
        return [measure(scenario) for measure in measures]

    observed = np.array(measured(cells.times / merged.n))
    below, above, least = np.zeros(len(measures)), np.zeros(len(measures)), observed
    populations = _populations(cells, _RESOLVED)
    if tail < _RESOLVED:
        for rung in (*(rung for rung in _RUNGS if rung > tail), tail):
            populations += _populations(cells, rung)[1:]
    for at, shares in enumerate(populations):
        redraws = generator.multinomial(merged.n, shares, size=_REDRAWS) / merged.n
        values = np.ascontiguousarray(np.array([measured(redraw) for redraw in redraws]).T)
        # The first population is what was observed, but for what was never seen.
        truth = observed if at == 0 else np.array(measured(shares))
        mean = truth if at == 0 else values.mean(axis=1)
        farther = _deviation(values, mean, tail)
        below, above = np.maximum(below, farther + mean - truth), np.maximum(above, farther + truth - mean)
        least = np.minimum(least, values.min(axis=1))
    stretch = _STRETCH if roles.channel is None else _STRETCH_BEHIND
    # What was never negative in any redraw is not made so by the stretch.
    floor = np.where(least >= 0, 0.0, -np.inf)
    low, high = np.maximum(observed - stretch * below, floor), observed + stretch * above
    return list(zip(low.tolist(), high.tolist(), strict=True))


def _deviation(values: Floats, mean: Floats, tail: float) -> Floats:
    """How far the farther of both quantiles of each row lies from its mean."""
    low = np.quantile(values, tail, axis=1, method="lower")
    high = np.quantile(values, 1 - tail, axis=1, method="higher")
    farther = np.maximum(high - mean, mean - low)
    if tail >= _RESOLVED:
        return np.asarray(farther)
    from scipy.special import ndtri

    # No redraw lies beyond the extreme ones, however small the tail: the normal law goes on from where many do.
    return np.maximum(farther, _deviation(values, mean, _RESOLVED) * float(ndtri(tail) / ndtri(_RESOLVED)))


class CountedCells:
    """Cells of a table: where each lies, how often it occurs, and what makes them a scenario again.

    They are all cells of the table, or beyond the largest number those that occur.
    """

    def __init__(
        self, merged: Counts, channel: Channel | None, weights: Weights | None, largest: int = _LARGEST
    ) -> None:
        self.labels = {letter: merged.labels(letter) for letter in merged.names}
        self.channel, self.weights = channel, weights
        codes, times = merged.codes, merged.counts
        if np.prod(merged.shape, dtype=float) <= largest:
            codes, times = np.indices(merged.shape).reshape(len(self.labels), -1), merged.array().ravel()
        self.codes: dict[str, Codes] = dict(zip(self.labels, codes, strict=True))
        self.times = times.astype(np.float64)

    @property
    def seen(self) -> Codes:
        """A number for what is seen with each cell; 0 where nothing is counted besides the secret."""
        key = np.zeros(len(self.times), dtype=np.int64)
        for letter, labels in self.labels.items():
            key = key if letter == "X" else key * len(labels) + self.codes[letter]
        return key

    @cached_property
    def _pairs(self) -> tuple[tuple[tuple[Label, Label], ...], Codes]:
        """The pairs of secret and background among the cells, and which of them each cell has."""
        secrets, backgrounds = self.labels["X"], self.labels["Z"]
        keys, at = np.unique(self.codes["X"] * len(backgrounds) + self.codes["Z"], return_inverse=True)
        pairs = tuple((secrets[key // len(backgrounds)], backgrounds[key % len(backgrounds)]) for key in keys.tolist())
        return pairs, at

    def scenario(self, shares: Floats) -> Scenario:
        """The scenario in which each cell has its share."""
        if "Y" not in self.labels:
            if "Z" in self.labels:
                return Scenario(self._joint("Z", shares), self.channel, weights=self.weights)
            source = Distribution._trusted(self.labels["X"], sums_by(self.codes["X"], shares, len(self.labels["X"])))
            return Scenario(source, self.channel, weights=self.weights)
        if "Z" not in self.labels:
            joint = self._joint("Y", shares)
            return Scenario(joint.row_marginal(), joint.channel(), weights=self.weights)
        pairs, at = self._pairs
        known = sums_by(at, shares, len(pairs))[at]
        # The release of a pair that does not occur does not matter, but must have a law.
        law = np.divide(shares, known, where=known > 0, out=1 / np.bincount(at)[at])
        response = gather((len(pairs), len(self.labels["Y"])), at, self.codes["Y"], law)
        channel = Channel._trusted(pairs, self.labels["Y"], response)
        return Scenario(self._joint("Z", shares), channel, weights=self.weights)

    def _joint(self, other: str, shares: Floats) -> Joint:
        # Labels and codes were looked at when the counts were made: again for each redraw would take half the time.
        shape = len(self.labels["X"]), len(self.labels[other])
        cells = gather(shape, self.codes["X"], self.codes[other], shares)
        return Joint._trusted(self.labels["X"], self.labels[other], cells)


def _populations(cells: CountedCells, tail: float) -> list[Floats]:
    """The shares as observed, with ties among the secrets behind whatever is seen, and with ties among all secrets."""
    times, n, size = cells.times, cells.times.sum(), len(cells.times)
    # That nothing was seen of some cells refutes −log(tail) expected observations of them and no fewer.
    unseen = -log(tail)
    never = times == 0
    extra = np.where(never, unseen * (1 - never.mean()) / max(int(never.sum()), 1), 0.0) + unseen / size
    seen, x = cells.seen, cells.codes["X"]
    populations = [(times + 1 / size) / (n + 1), (_tied(times, seen) + extra) / (n + extra.sum())]
    if seen.any():
        letters = len(cells.labels["X"])
        spread = times + unseen / size
        before, alone = sums_by(x, spread, letters), sums_by(x, times, letters)
        after = _tied(alone, np.zeros(letters, dtype=np.int64)) + unseen / letters
        scaled = spread * quotient(after, before)[x]
        populations.append(scaled / scaled.sum())
    return populations


def _tied(times: Floats, column: Codes) -> Floats:
    """The counts of each column, those that may be equal in truth replaced by their mean."""
    order = np.lexsort((-times, column))
    sorted_times, first = times[order], np.searchsorted(column[order], column[order])
    rank = np.arange(len(order)) - first
    by_rank = np.argsort(rank, kind="stable")
    bounds = np.searchsorted(rank[by_rank], np.arange(int(rank.max()) + 2))
    leader, fresh = sorted_times.copy(), rank == 0
    for start, stop in pairwise(bounds[1:]):
        at = by_rank[start:stop]
        lead, own = leader[at - 1], sorted_times[at]
        fresh[at] = lead - own > _ALIKE * np.sqrt(lead + own)
        leader[at] = np.where(fresh[at], own, lead)
    group = np.cumsum(fresh) - 1
    means = sums_by(group, sorted_times, int(group[-1]) + 1) / np.bincount(group)
    tied = np.empty_like(times)
    tied[order] = means[group]
    return tied
