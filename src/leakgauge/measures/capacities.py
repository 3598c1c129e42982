"""Capacities: the most that seeing can help, over all priors, for one guess or any gain; over all gains too.

Exact where a theorem gives it, else between what a prior reaches and what none exceeds. The most over all priors *and*
all gains is the multiplicative capacity of one guess (the "miracle" theorem), whose logarithm is
``renyi.maximal_leakage``; of the difference it is ``additive_over_vulnerabilities``.

References: Alvim, Chatzikokolakis, McIver, Morgan, Palamidessi and Smith, The Science of Quantitative Information Flow,
2020, chapter 7; Chatzikokolakis, On the additive capacity problem for quantitative information flow, QEST 2018;
Chatzikokolakis, Cherubin, Palamidessi and Troncoso, Bayes security: a not so average metric, CSF 2023.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from leakgauge.arguments import checked
from leakgauge.errors import OptionError
from leakgauge.measures import vulnerability, worst_priors
from leakgauge.measures.information import unweighted_cells
from leakgauge.measures.interior import CapacityFit, minimise
from leakgauge.measures.terms import Measure
from leakgauge.measures.vulnerability import Gain, additive_leakage
from leakgauge.probability import Channel, Distribution, Scenario, Seen
from leakgauge.probability.cells import Floats
from leakgauge.probability.labels import same_alphabet

NODES = 1000
"""Branches that are looked at before the bracket is handed back as it is."""
FEW = 16
"""Secrets up to which all sets of them are looked at."""
MOST_PAIRS, MOST_TRIPLES = 5_000, 1_000
"""Inputs × outputs, and with gains × actions, up to which the worst prior is searched: some seconds."""
TINY = 1e-200
"""Probabilities whose products with weights would no longer be numbers above 0."""
ROUNDING = 2.0**-46
"""A relative slack far above the rounding of sums of logarithms; the upper bound gives it away."""


@dataclass(frozen=True, eq=False)
class Capacity:
    """The most over all priors, between two proven bounds.

    Attributes:
        value: what is reached at ``prior``; the capacity is not below it.
        high: what no prior exceeds; equal to ``value`` where a theorem gives the capacity.
        prior: where ``value`` is reached.
    """

    value: float
    high: float
    prior: Distribution = field(repr=False)


@checked
def shannon(channel: Channel, gap: float = 1e-12) -> Capacity:
    """The most that I(X;Y) can be, over all priors, in bits.

    Between what a prior reaches and max_x KL(q(·|x) ‖ q) at some prior, which none exceeds, by a primal-dual interior
    point: sweeps of Blahut and Arimoto need about as many as the capacity is small.

    Args:
        gap: how far apart the bounds may be, in nats; where rounding keeps them further apart, they are given so.

    Raises:
        OptionError: a gap that is not above 0.

    Example:
        >>> round(shannon(Channel("ab", "ab", [[0.9, 0.1], [0.1, 0.9]])).high, 6)
        0.531004
    """
    if not 0 < gap < math.inf:
        raise OptionError("A gap of {gap} nats cannot be reached; give a finite number above 0.", gap=gap)
    matrix, count = channel.matrix, len(channel.inputs)
    # Without outputs so rare that all of them together tell less than the rounding that is given away.
    found = minimise(CapacityFit(matrix[:, matrix.max(axis=0) > TINY]), np.full(count, 1 / count), gap)
    value = max(-found.upper, 0.0)
    # Nor is it above the min-capacity, or what there is to tell, beyond which rounding is not given away.
    proven = min(-found.lower, math.log(max(float(matrix.max(axis=0).sum()), 1.0)))
    high = min(max(proven, value) + ROUNDING * (1 + abs(proven)), math.log(count))
    prior = Distribution(channel.inputs, found.weights)
    return Capacity(min(value, high) / math.log(2), high / math.log(2), prior)


@checked
def multiplicative(channel: Channel, gain: Gain | None = None, *, nodes: int = NODES) -> Capacity:
    """The most that V(X|Y) / V(X) can be, over all priors: by which factor seeing helps at most.

    Without a gain exactly Σ_y max_x q(y|x), reached by the uniform prior; no gain makes it more.

    Args:
        gain: what actions gain; by default guessing the secret in one try.
        nodes: branches that are looked at for a gain; with fewer the bounds are further apart.

    Raises:
        OptionError: too many inputs, outputs and actions, or no branches.
        LabelError: gains of other secrets.

    Example:
        >>> multiplicative(Channel("abc", "ab", [[1, 0], [0.5, 0.5], [0, 1]])).value
        2.0
    """
    _require_branches(nodes)
    most = float(channel.cells.column_maxima().sum())
    if gain is None:
        return Capacity(most, most, Distribution.uniform(channel.inputs))
    gains = _of_inputs(channel, gain)
    useful = gains.max(axis=0) > 0
    if not useful.any():
        # Where nothing can be gained, nothing can be gained by seeing.
        return Capacity(1.0, 1.0, Distribution.uniform(channel.inputs))
    _require_solvable(channel, gain)
    # What is at stake with a secret scales like its probability: each is searched for with a largest gain of 1.
    stakes = gains.max(axis=0)[useful]
    found = worst_priors.of_gains(channel.matrix[useful], gains[:, useful] / stakes, nodes, ratio=True)
    weights = np.zeros(len(useful))
    weights[useful] = found.weights / stakes
    return _evaluated(channel, gain, weights / weights.sum(), min(found.bound, most), vulnerability.leakage)


@checked
def additive(channel: Channel, gain: Gain | None = None, *, nodes: int = NODES) -> Capacity:
    """The most that V(X|Y) − V(X) can be, over all priors: how much seeing adds at most.

    Without a gain a uniform prior over some of the secrets reaches it; up to 16 secrets it is exact, since all sets are
    looked at. To find it is NP-complete.

    Args:
        gain: what actions gain; by default guessing the secret in one try.
        nodes: branches that are looked at; with fewer the bounds are further apart.

    Raises:
        OptionError: too many inputs, outputs and actions, or no branches.
        LabelError: gains of other secrets.

    Example:
        >>> additive(Channel("abc", "ab", [[1, 0], [0.5, 0.5], [0, 1]])).value
        0.5
    """
    _require_branches(nodes)
    if gain is None and len(channel.inputs) <= FEW:
        exact = _evaluated(channel, None, worst_priors.all_subsets(channel.matrix), -math.inf, additive_leakage)
        return Capacity(exact.value, exact.value, exact.prior)
    apart = additive_over_vulnerabilities(channel)
    if gain is None:
        _require_solvable(channel, None)
        found = worst_priors.of_one_guess(channel.matrix, nodes)
        return _evaluated(channel, None, found.weights, min(found.bound, apart), additive_leakage)
    gains = _of_inputs(channel, gain)
    _require_solvable(channel, gain)
    # V is at least what the safest action gains for certain, and at most the largest gain.
    largest, span = float(gains.max()), float(gains.max() - gains.min(axis=1).max())
    if span <= 0:
        return Capacity(0.0, 0.0, Distribution.uniform(channel.inputs))
    found = worst_priors.of_gains(channel.matrix, gains / largest, nodes, ratio=False)
    return _evaluated(channel, gain, found.weights, min(found.bound * largest, span * apart), additive_leakage)


@checked
def additive_bounds(channel: Channel) -> Capacity:
    """Bounds on ``additive`` without a gain that need no search, often far apart.

    The uniform priors that reach the multiplicative capacity C and the risk capacity are tried. Since V(X|Y) is at most
    1 and at most C V(X), no prior exceeds 1 − 1 / C.

    Example:
        >>> found = additive_bounds(Channel("abc", "ab", [[1, 0], [0.5, 0.5], [0, 1]]))
        >>> found.value, found.high
        (0.5, 0.5)
    """
    most = multiplicative(channel)
    bound = min(1 - 1 / most.value, additive_over_vulnerabilities(channel))
    tried = (most.prior, risk(channel).prior)
    found = [_evaluated(channel, None, one.probabilities, bound, additive_leakage) for one in tried]
    return max(found, key=lambda one: one.value)


@checked
def risk(channel: Channel) -> Capacity:
    """The most that R(X) / R(X|Y) can be, over all priors: by which factor seeing lowers the chance of a wrong guess.

    Exactly 1 / (1 − max TV(q(·|x), q(·|x'))), reached by the uniform prior over the two secrets told apart best; its
    inverse is Bayes security β*. Infinite where some output tells two secrets apart with certainty.

    Example:
        >>> risk(Channel("ab", "ab", [[0.75, 0.25], [0.25, 0.75]])).value
        2.0
    """
    from scipy.spatial.distance import pdist

    if len(channel.inputs) == 1:
        return Capacity(1.0, 1.0, Distribution.uniform(channel.inputs))
    furthest = pdist(channel.matrix, "cityblock").argmax()
    one, other = (int(side[furthest]) for side in np.triu_indices(len(channel.inputs), 1))
    # From what both rows share, which has no rounding where they share nothing.
    shared = float(np.minimum(channel.matrix[one], channel.matrix[other]).sum())
    value = max(1 / shared, 1.0) if shared > 0 else math.inf
    weights = np.zeros(len(channel.inputs))
    weights[[one, other]] = 0.5
    return Capacity(value, value, Distribution(channel.inputs, weights))


@checked
def additive_over_gains(scenario: Scenario, seen: Seen = Seen.RELEASE) -> float:
    """The most that V(X|Y) − V(X) can be under this prior, over all gains of which no action's differ by more than 1.

    Σ_y p(y) TV(p(x|y), p(x)): how far posteriors are from the prior on average.

    Example:
        >>> flip = Channel("ab", "ab", [[0.75, 0.25], [0.25, 0.75]])
        >>> additive_over_gains(Scenario(Distribution("ab", [0.5, 0.5]), flip))
        0.25
    """
    cells = unweighted_cells(scenario, seen, "A capacity")
    expected = cells.across_rows(cells.row_sums()) * cells.across_columns(cells.column_sums())
    # Only cells that are laid out are summed, so the excess is taken: it equals what is lacking elsewhere.
    return float(np.maximum(cells.values - expected, 0.0).sum())


@checked
def additive_over_vulnerabilities(channel: Channel) -> float:
    """1 − Σ_y min_x q(y|x): the most that V(X|Y) − V(X) can be over all priors and all gains with V between 0 and 1.

    The same for every prior in which all secrets occur.

    Example:
        >>> additive_over_vulnerabilities(Channel("ab", "ab", [[0.75, 0.25], [0.25, 0.75]]))
        0.5
    """
    return max(1 - float(channel.matrix.min(axis=0).sum()), 0.0)


def _evaluated(channel: Channel, gain: Gain | None, weights: Floats, bound: float, leakage: Measure) -> Capacity:
    """What the prior of these weights reaches, and the bound, which rounding must not put below it."""
    prior = Distribution(channel.inputs, weights)
    value = leakage(Scenario(prior, channel), gain)
    return Capacity(value, max(bound, value), prior)


def _of_inputs(channel: Channel, gain: Gain) -> Floats:
    same_alphabet(gain.secrets, channel.inputs, "secrets of the gains", "inputs of the channel")
    return np.asarray(gain.matrix)


def _require_branches(nodes: int) -> None:
    if nodes < 1:
        raise OptionError("{nodes} branches cannot be looked at; give at least 1.", nodes=nodes)


def _require_solvable(channel: Channel, gain: Gain | None) -> None:
    inputs, outputs = len(channel.inputs), len(channel.outputs)
    actions = inputs if gain is None else len(gain.actions)
    if inputs * outputs > MOST_PAIRS or (gain is not None and inputs * outputs * actions > MOST_TRIPLES):
        raise OptionError(
            "A channel of {inputs} inputs and {outputs} outputs with {actions} actions is too large to search for its "
            "worst prior; merge outputs, or take additive_over_vulnerabilities or the multiplicative capacity without "
            "gains, which bound every prior and gain.",
            inputs=inputs,
            outputs=outputs,
            actions=actions,
        )
