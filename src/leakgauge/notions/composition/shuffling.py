"""What shuffling adds to local privacy: nobody sees which of many answers is whose."""

from __future__ import annotations

import math

import numpy as np

from leakgauge.arguments import checked
from leakgauge.claims import ApproximateDP, LocalDP
from leakgauge.errors import OptionError
from leakgauge.mechanisms.steps.step import require_whole
from leakgauge.notions.composition.law import SAFE_SIDE
from leakgauge.probability.cells import Floats

BLOCKS = 2_000
"""Numbers of clones that are looked at one by one; beyond, neighbouring ones count as the smallest of them."""
CUT = 1e-6
"""The share of δ that numbers of clones too rare to be looked at may take."""


@checked
def amplified_by_shuffling(statement: LocalDP, people: int, delta: float) -> ApproximateDP:
    """The (ε, δ) in nats, for a person's value being replaced, of a local mechanism whose answers are shuffled.

    Each of ``people`` answers once by the same ε₀-private mechanism, and only the shuffled answers are seen. With
    p = 1/(e^ε₀ + 1), the answers on two values of one person are mixtures of two laws with weights e^ε₀·p and p, in
    either order, and of a common one; those of everybody else have each of the two laws with weight p at least. So a
    shuffle tells no more than how many of each there are: (A + D, C − A + 1 − D) against (A + 1 − D, C − A + D), with
    C ~ Bin(n − 1, 2p), A ~ Bin(C, 1/2) and D ~ Bernoulli(e^ε₀·p) (Feldman, McMillan and Talwar, Stronger privacy
    amplification by shuffling, 2022; smaller weights are a thinning of these, hence post-processing). The
    hockey-stick divergence of the two is computed, not bounded by their closed form.

    Raises:
        OptionError: fewer than one person, or a δ that is not above 0 and below 1.

    Example:
        >>> shuffled = amplified_by_shuffling(LocalDP(1.0), 10_000, 1e-6)
        >>> round(shuffled.epsilon, 3)
        0.043
    """
    require_whole(people, 1, "A number of people")
    if not 0 < delta < 1:
        raise OptionError("A δ of {delta!r} is not above 0 and below 1; give one that is.", delta=delta)
    local = float(statement.epsilon)
    if people == 1 or not 1e-9 < local < 30:
        return ApproximateDP(local, delta)  # beyond 30 hardly anybody has a clone
    clones, shares, rare = _clones(people - 1, 2 / (math.exp(local) + 1), CUT * delta)
    low, high = 0.0, local
    if rare + _delta(local, 0.0, clones, shares) <= delta:
        return ApproximateDP(0.0, delta)
    while high - low > 1e-6 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if rare + _delta(local, middle, clones, shares) <= delta else (middle, high)
    return ApproximateDP(high, delta)


def _clones(others: int, chance: float, cut: float) -> tuple[Floats, Floats, float]:
    """Numbers of clones, the chance of each, and the chance of those left out.

    Another clone is post-processing, so fewer of them tell more: a block of numbers counts as its smallest.
    """
    from scipy.special import betainc

    mean = others * chance
    # By Chernoff's bound fewer have at most the chance that is cut; what they have is counted.
    first = max(math.floor(mean - math.sqrt(-2 * mean * math.log(cut))), 0)
    last = min(math.ceil(mean + 8 * math.sqrt(mean) + 30), others)
    edges = np.unique(np.linspace(first, last, BLOCKS).astype(int)).astype(np.float64)
    # P(C < k) = I_{1−p}(n − k + 1, k).
    some = np.maximum(edges, 1.0)
    below = np.append(np.where(edges > 0, betainc(others - some + 1, some, 1 - chance), 0.0), 1.0)
    return edges, np.diff(below), float(below[0])


def _delta(local: float, epsilon: float, clones: Floats, shares: Floats) -> float:
    """The hockey-stick divergence at ε, over the numbers of clones."""
    more = 1 / (1 + math.exp(-local))
    # Of c + 1 answers of either kind, a of the first: the likelihood ratio rises with a and passes e^ε where
    # a(more − e^ε·less) = (c + 1 − a)(e^ε·more − less).
    factor, less = math.exp(epsilon), 1 - more
    rise, fall = more - factor * less, factor * more - less
    if rise <= 0:
        return 0.0
    least = np.floor((clones + 1) * fall / (rise + fall))
    # P(A > least − 1) and P(A > least), for a = A + D.
    with_one, without = _above(least - 1, clones), _above(least, clones)
    first = more * with_one + less * without
    second = less * with_one + more * without
    # What rounding may have taken from the difference is added.
    return float(shares @ (np.maximum(first - factor * second, 0.0) + 1e-12 * first)) * (1 + SAFE_SIDE)


def _above(count: Floats, tosses: Floats) -> Floats:
    """The chance of more than so many heads in fair tosses."""
    from scipy.special import betainc

    inside = (count >= 0) & (count < tosses)
    # P(A > k) = I_{1/2}(k + 1, c − k).
    chances = betainc(np.where(inside, count + 1, 1.0), np.where(inside, tosses - count, 1.0), 0.5)
    return np.where(inside, chances, (count < 0).astype(np.float64))
