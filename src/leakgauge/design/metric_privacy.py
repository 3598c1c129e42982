"""The channel of least mean loss under metric privacy: q(y|x) ≤ e^(ε d(x,x')) q(y|x') for all inputs x and x'.

Small maps are solved with every pair that matters and every output. On larger ones the program has only the pairs of a
spanner and the few outputs that are used: a program with fewer bounds has a smaller loss, and outputs that no channel
would gain by are proven to be so, so that what it proves holds for the whole. The channel is then raised until it keeps
all pairs; the little that this costs is in its loss.

References: Bordenabe, Chatzikokolakis and Palamidessi, Optimal geo-indistinguishable mechanisms for location privacy,
CCS 2014.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from leakgauge.arguments import checked
from leakgauge.design.metric_privacy_program import EXACT, Interior, Ratios, least_cost, price, spanner
from leakgauge.errors import OptionError, UnprovedError
from leakgauge.probability import Channel, Distribution
from leakgauge.probability.cells import Codes, Floats, as_matrix

MOST_INPUTS = 625  # work and memory grow with the fourth and third power of the inputs
WHOLE = 64  # inputs up to which every pair that matters and every output are in the program
CLOSEST = 1e-6  # the smallest gap, a share of the loss: rounding proves no less
ROUGH_STRETCH, ROUGH_GAPS = 1.03, (0.1, 0.1)  # of the programs that only look for the outputs that are used
STRETCHES = (1.008, 1.004, 1.0)
"""Of the pairs that the bound and the channel are made with, until they are close enough."""
ROUNDS = 8  # of adding outputs, at most
SPREAD = 64  # outputs of the first rough program
SELDOM = 0.02  # outputs that no input is released as more often in a rough program are left out of the next
PLATEAUS = (0.0, 1.0, 2.0)  # in nats: columns that are tried first where an output might be of use
RAISED = 1.0  # the share of a rough program's gap that its prices are raised by to see which outputs it lacks
SPENT = 0.9  # the share of what the gap leaves that prices are lowered by, so that more outputs are proven useless
NOTICEABLE = 1e-3  # a share of the loss that is worth another output
WIDEST = 30.0
"""Nats beyond which two inputs' probabilities are not compared: e^-30 of a uniform release is given away instead."""


@dataclass(frozen=True, eq=False)
class MetricSolution:
    """A channel of multiples of 2^-53, and the numbers of just this channel."""

    channel: Channel = field(repr=False)  # from the inputs to the same labels; unused outputs have probability 0
    distance: float  # its mean loss, in the unit of the loss
    lower_bound: float  # the mean loss that no channel undercuts that keeps the ε asked for
    epsilon: float  # in nats per unit of distance, over all pairs, rounded up; at most the ε asked for
    spanner_stretch: float  # of the pairs in the program; 1 where none was left out that matters

    @property
    def gap(self) -> float:
        """The share of the loss by which a better channel could undercut it at most."""
        return (self.distance - self.lower_bound) / self.distance if self.distance > 0 else 0.0


@checked
def least_distance(
    prior: Distribution, distances: Floats, epsilon: float, *, loss: Floats | None = None, gap: float = 0.01
) -> MetricSolution:
    """The channel of least mean loss that keeps metric privacy ε, up to a proven share of its loss.

    Args:
        prior: how often each input occurs. One that never does is protected like the others and counts in no mean.
        distances: a metric between the inputs, in the order of the prior's outcomes.
        epsilon: in nats per unit of distance.
        loss: of releasing the column's input for the row's; the distances where it is left out.
        gap: the share of its loss that a better channel could save at most; from 1e-6.

    Raises:
        OptionError: an ε or a gap outside its range, distances that are not a metric, a loss that does not fit, or
            more inputs than can be solved.
        UnprovedError: the gap was not reached; the message says how close it came.

    References:
        Bordenabe, Chatzikokolakis and Palamidessi, Optimal geo-indistinguishable mechanisms for location privacy, CCS
        2014.

    Example:
        >>> line = np.abs(np.subtract.outer(np.arange(3.0), np.arange(3.0)))
        >>> best = least_distance(Distribution("abc", [0.2, 0.5, 0.3]), line, epsilon=1.0, gap=1e-5)
        >>> round(best.distance, 3), best.epsilon <= 1.0, best.gap <= 1e-5
        (0.435, True, True)
    """
    metric = _metric(distances, len(prior))
    costs = metric if loss is None else _loss(loss, len(prior))
    if not 0 < epsilon < math.inf:
        raise OptionError("An ε of {epsilon} is not a finite number above 0; give one.", epsilon=epsilon)
    if not CLOSEST <= gap < 1:
        raise OptionError(
            "A gap of {gap} is not a share from {least:g} to 1; give the share of the loss that may be saved at most.",
            gap=gap,
            least=CLOSEST,
        )
    problem = _Problem(prior.probabilities, metric, costs, epsilon, gap)
    found = _whole(problem) if len(prior) <= WHOLE else _large(problem)
    channel, level = _dyadic(prior, found.channel, metric, epsilon)
    distance = float(prior.probabilities @ (channel.matrix * costs).sum(axis=1))
    lower = min(max(found.lower, problem.nearest), distance)
    if distance - lower > gap * distance + problem.negligible:
        raise UnprovedError(
            "The best channel found is proven to be within {found:.3g} of the least loss, not within {asked:.3g}; ask "
            "for a larger gap.",
            found=(distance - lower) / distance,
            asked=gap,
        )
    return MetricSolution(channel, distance, lower, level, found.stretch)


@dataclass(frozen=True, eq=False)
class _Problem:
    prior: Floats
    distances: Floats
    loss: Floats
    epsilon: float
    gap: float

    @property
    def costs(self) -> Floats:
        """What an output for an input adds to the mean loss per probability."""
        return self.prior[:, None] * self.loss

    @property
    def spread(self) -> Floats:
        """How a change of the bound is spread over the prices of the rows."""
        return np.asarray((self.prior + 1 / len(self.prior)) / 2)

    @property
    def nearest(self) -> float:
        """The mean loss without privacy."""
        return float(self.prior @ self.loss.min(axis=1))

    @property
    def negligible(self) -> float:
        """A difference of means that is not told from rounding."""
        return 1e-9 * float(self.loss.max())

    def bounds(self, stretch: float) -> Ratios:
        one, other = spanner(self.distances, stretch)
        bounds = np.minimum(self.epsilon * self.distances[one, other], WIDEST)
        return Ratios(
            len(self.prior), np.concatenate([one, other]), np.concatenate([other, one]), np.concatenate([bounds] * 2)
        )

    @property
    def given_away(self) -> float:
        """By how much narrowing the bounds to ``WIDEST`` may raise the least loss.

        A channel of the wider bounds keeps the narrower ones when a share n e^-WIDEST of it is released uniformly.
        """
        share = len(self.prior) * math.exp(-WIDEST)
        return share * float(self.prior @ self.loss.mean(axis=1))

    def lower(self, prices: Floats, left: Floats) -> float:
        return float((prices + left).sum()) - self.given_away


@dataclass(frozen=True, eq=False)
class _Found:
    channel: Floats
    lower: float
    stretch: float


def _whole(problem: _Problem) -> _Found:
    inner = least_cost(problem.costs, problem.bounds(1.0), problem.gap / 2)
    everything = np.arange(len(problem.prior))
    return _Found(_kept_by_all(problem, inner.channel, everything), inner.lower - problem.given_away, 1.0)


def _large(problem: _Problem) -> _Found:
    outputs = _candidates(problem)
    for stretch in STRETCHES:
        bounds = problem.bounds(stretch)
        for _ in range(ROUNDS):
            inner = least_cost(problem.costs[:, outputs], bounds, problem.gap / 2)
            channel = _kept_by_all(problem, inner.channel, outputs)
            mean = float((problem.costs * channel).sum())
            lower, wanted = _proven(problem, inner, outputs, bounds, mean * (1 - problem.gap))
            if not len(wanted):
                break
            outputs = np.union1d(outputs, wanted)
        if mean - lower <= problem.gap * mean + problem.negligible:
            break
    return _Found(channel, lower, stretch)


def _candidates(problem: _Problem) -> Codes:
    """The outputs that a rough program uses, and those that it could do better with."""
    outputs = _spread(problem.distances, problem.prior)
    bounds = problem.bounds(ROUGH_STRETCH)
    for gap in ROUGH_GAPS:
        inner = least_cost(problem.costs[:, outputs], bounds, gap)
        # The prices of a rough solution lie below the best ones, by its gap in all.
        short = float((problem.costs[:, outputs] * inner.channel).sum()) - inner.lower
        prices = inner.prices + RAISED * short * problem.spread
        outputs = np.union1d(outputs[inner.channel.max(axis=0) > SELDOM], _better(problem, inner, prices))
    return outputs


def _spread(distances: Floats, prior: Floats) -> Codes:
    """Inputs that occur, far from each other: each is the furthest from those before it."""
    occurring = np.flatnonzero(prior)
    chosen = [int(prior.argmax())]
    nearest = distances[chosen[0], occurring]
    while len(chosen) < min(SPREAD, len(occurring)):
        chosen.append(int(occurring[nearest.argmax()]))
        nearest = np.minimum(nearest, distances[chosen[-1], occurring])
    return np.sort(np.array(chosen, dtype=np.int64))


def _better(problem: _Problem, inner: Interior, prices: Floats) -> Codes:
    """Outputs for which a known column costs less than its prices: the program would use them.

    Known are the columns found, and those that fall by ε per unit of distance from a plateau around an input.
    """
    plateaus = [np.exp(-np.maximum(problem.epsilon * problem.distances - flat, 0)) for flat in PLATEAUS]
    columns = np.concatenate([inner.channel.T, *plateaus])
    gained = columns @ (problem.costs - prices[:, None])
    best = gained.argmin(axis=1)
    smallest = -NOTICEABLE * float((problem.prior * problem.loss.mean(axis=1)).sum())
    return np.unique(best[gained[np.arange(len(best)), best] < smallest * (columns @ problem.prior)])


def _proven(problem: _Problem, inner: Interior, outputs: Codes, bounds: Ratios, target: float) -> tuple[float, Codes]:
    """What no channel undercuts, and the outputs for which this is not proven yet.

    Prices that are lower by a little, within what the target leaves, prove more outputs useless.
    """
    spare = max(problem.lower(inner.prices, inner.left) - target, NOTICEABLE * target)
    prices = inner.prices - SPENT * spare * problem.spread
    better = np.setdiff1d(_better(problem, inner, prices), outputs)
    if len(better):
        return -math.inf, better
    others = np.setdiff1d(np.arange(len(problem.prior)), outputs)
    priced = price(problem.costs[:, others], prices, bounds)
    return problem.lower(prices, np.minimum(inner.left, priced.left)), others[priced.wanted]


def _kept_by_all(problem: _Problem, channel: Floats, outputs: Codes) -> Floats:
    """The channel with as little change as makes it keep every pair, with a column for every output.

    Each probability is raised to what the others leave as its least; all are then lowered by one factor, the largest
    with which what the rows lack is itself within the bounds: one output takes it.
    """
    narrow = np.exp(-problem.epsilon * problem.distances)
    raised = np.zeros_like(channel)
    for row, probabilities in zip(narrow.T, channel, strict=True):
        np.maximum(raised, row[:, None] * probabilities, out=raised)
    sums = raised.sum(axis=1)
    steep = sums[None, :] - narrow * sums[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        factors = np.where(steep > 0, (1 - narrow) / steep, np.inf)
    np.fill_diagonal(factors, np.inf)
    factor = min(float(factors.min()), 1 / float(sums.max()))
    lacking = np.maximum(1 - factor * sums, 0.0)
    kept = np.zeros((len(channel), problem.loss.shape[1]))
    # Each column goes to the output that is best for it, which changes no ratio.
    places = (problem.costs.T @ raised).argmin(axis=0)
    for column, place in zip(raised.T, places.tolist(), strict=True):
        kept[:, place] += factor * column
    kept[:, (lacking @ problem.costs).argmin()] += lacking
    return kept


def _dyadic(prior: Distribution, channel: Floats, distances: Floats, epsilon: float) -> tuple[Channel, float]:
    """The dyadic channel and its ε; its rows are mixed with one row until the rounding leaves ε where it was asked."""
    used = channel.max(axis=0) > 0
    middle = (prior.probabilities @ channel + used / used.sum()) / 2
    share = 2.0**-44
    while True:
        mixed = (1 - share) * channel + share * middle
        exact = Channel(prior.outcomes, prior.outcomes, mixed / mixed.sum(axis=1, keepdims=True)).dyadic()
        level = _exact_epsilon(np.asarray(exact.matrix[:, used]), distances)
        if level <= epsilon or share == 1:
            return exact, level
        share = min(4 * share, 1.0)


def _exact_epsilon(matrix: Floats, distances: Floats) -> float:
    """Metric privacy over all pairs in nats per unit of distance, rounded up."""
    largest = 0.0
    for row, apart in zip(matrix, distances, strict=True):
        # The difference of two multiples of 2^-53 is exact, so that a tiny ε keeps all its digits.
        above = ((row - matrix) / matrix).max(axis=1)
        slopes = np.log1p(np.maximum(above, 0.0))[apart > 0] / apart[apart > 0]
        largest = max(largest, float(slopes.max(initial=0.0)))
    return largest * (1 + 1e-14)


def _metric(distances: object, inputs: int) -> Floats:
    """The distances, refused where they are not a metric between so many inputs."""
    table = as_matrix(distances, "distances")
    if table.shape != (inputs, inputs):
        raise OptionError(
            "The distances are {rows} by {columns}, but there are {inputs} inputs; give one row and column for each.",
            rows=table.shape[0],
            columns=table.shape[1],
            inputs=inputs,
        )
    if inputs > MOST_INPUTS:
        raise OptionError(
            "There are {inputs:,} inputs, more than {most}, which the linear program can be solved for; use larger "
            "cells, or planar Laplace, which any number fits.",
            inputs=inputs,
            most=MOST_INPUTS,
        )
    size = float(table.max(initial=0.0))
    apart = ~np.eye(inputs, dtype=np.bool_)
    if table.diagonal().any() or not np.allclose(table, table.T, rtol=1e-9, atol=1e-12 * size):
        raise OptionError(
            "The distances are not a metric: some are not the same in both directions, or not 0 from an input to "
            "itself; give one distance for each two inputs."
        )
    if not table[apart].all():
        raise OptionError("The distances are not a metric: two inputs are 0 apart; merge them.")
    for middle in table:
        if (table > (middle[:, None] + middle) * (1 + 1e-9) + EXACT * size).any():
            raise OptionError(
                "The distances are not a metric: a way over a third input is shorter than the direct one; give the "
                "lengths of the shortest ways."
            )
    return np.asarray((table + table.T) / 2)


def _loss(loss: object, inputs: int) -> Floats:
    table = as_matrix(loss, "losses")
    if table.shape != (inputs, inputs):
        raise OptionError(
            "The losses are {rows} by {columns}, but there are {inputs} inputs; give one row and column for each.",
            rows=table.shape[0],
            columns=table.shape[1],
            inputs=inputs,
        )
    return table
