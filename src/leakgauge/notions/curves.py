"""Levels that look at whole output distributions: (ε, δ), Rényi, zero-concentrated, Gaussian, mutual-information DP.

Exact for a finite channel: every pair that the structure compares is looked at, in blocks, so that no array
has more than a fixed number of cells.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise, permutations

import numpy as np

from leakgauge.arguments import checked
from leakgauge.claims import (
    ApproximateDP,
    GaussianDP,
    MutualInformationDP,
    RenyiDP,
    TotalVariation,
    ZeroConcentratedDP,
)
from leakgauge.errors import OptionError
from leakgauge.measures import capacities
from leakgauge.measures.information import renyi_of_laws
from leakgauge.notions.formulas import concentration_of_pure, information_of_ratio
from leakgauge.notions.neighbours import Structure, compared
from leakgauge.notions.witness import Level, Witness
from leakgauge.probability import Channel
from leakgauge.probability.cells import Floats

BLOCK = 1 << 22
"""Cells of the largest array used at once (32 MiB)."""
ZCDP_TOLERANCE = 1e-6
"""The zero-concentrated level is reported from above, at most this share too large."""


@checked
def approximate_dp(channel: Channel, epsilon: float, structure: Structure | None = None) -> Level:
    """(ε, δ) with the smallest δ for which the channel is (ε, δ)-differentially private.

    Its ``value`` is the ε that was asked for, in nats; what is found is its ``delta``.

    Example:
        >>> found = approximate_dp(Channel("ab", "ab", [[0.75, 0.25], [0.25, 0.75]]), 0.0)
        >>> found.value, found.delta
        (0.0, 0.5)
    """
    if not epsilon >= 0:
        raise OptionError("An ε of {epsilon} is not at least 0; give one that is.", epsilon=epsilon)
    delta, witness = _delta(channel, epsilon, structure)
    return Level(ApproximateDP(epsilon, min(delta, 1.0)), witness)


@checked
def total_variation(channel: Channel, structure: Structure | None = None) -> Level:
    """The largest total variation between the outputs of two inputs: δ at ε = 0."""
    variation, witness = _delta(channel, 0.0, structure)
    return Level(TotalVariation(min(variation, 1.0)), witness)


@checked
def approximate_dp_at(channel: Channel, delta: float, structure: Structure | None = None) -> Level:
    """The smallest ε for which the channel is (ε, δ)-differentially private, in nats, rounded up by 10^-12 of it."""
    if not 0 <= delta < 1:
        raise OptionError("A δ of {delta} is not from 0 to below 1; give one that is.", delta=delta)
    high = renyi_dp(channel, math.inf, structure).value
    at_most = high if high < 700 else 700.0
    if delta == 0 or _delta(channel, at_most, structure)[0] > delta:
        return Level(ApproximateDP(high, delta))
    low, high = 0.0, at_most
    if _delta(channel, low, structure)[0] <= delta:
        high = low
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if _delta(channel, middle, structure)[0] <= delta else (middle, high)
    return Level(ApproximateDP(high, delta), _delta(channel, high, structure)[1])


def _delta(channel: Channel, epsilon: float, structure: Structure | None) -> tuple[float, Witness | None]:
    factor = math.exp(min(epsilon, 709.0))
    return _worst(channel, structure, lambda p, q: np.asarray(np.maximum(p - factor * q, 0).sum(axis=-1)))


@checked
def renyi_dp(channel: Channel, order: float, structure: Structure | None = None) -> Level:
    """max D_α(q_x ‖ q_x') over the inputs compared, in nats; order 1 is Kullback–Leibler."""
    if not order >= 1:
        raise OptionError(
            "An order of {order} is below 1, where Rényi DP is not defined; give one of at least 1.", order=order
        )
    value, witness = _worst(channel, structure, lambda p, q: renyi_of_laws(p, q, order))
    return Level(RenyiDP(value, order), witness)


@checked
def zero_concentrated_dp(channel: Channel, structure: Structure | None = None) -> Level:
    """sup over α > 1 of D_α / α, in nats, at most 2·10^-6 of it too large, never too small."""
    best, witness = _largest(channel, structure, _concentration)
    # A pair may exceed the best so far by the tolerance without being noticed: allow for it once.
    ceiling = concentration_of_pure(renyi_dp(channel, math.inf, structure).value)
    return Level(ZeroConcentratedDP(min(best * (1 + ZCDP_TOLERANCE), ceiling)), witness)


@checked
def gaussian_dp(channel: Channel, structure: Structure | None = None) -> Level:
    """The smallest μ for which no test distinguishes two inputs better than N(0, 1) from N(μ, 1).

    The trade-off curve of a finite channel is piecewise linear and a Gaussian's is convex, so that its vertices
    decide: μ = max Φ⁻¹(1 − type I) − Φ⁻¹(type II).
    """
    from scipy.special import ndtri

    def separation(p: Floats, q: Floats, to_beat: float) -> float:
        # The ends, (0, 1) and (1, 0), lie on every curve; rounding there must not look like a difference.
        first, kept, second, power = (errors[1:-1] for errors in _errors(p, q))
        with np.errstate(invalid="ignore"):
            # −Φ⁻¹(a) from a or from 1 − a, whichever is small and so exact.
            needed = np.where(first < 0.5, -ndtri(first), ndtri(kept)) + np.where(
                second < 0.5, -ndtri(second), ndtri(power)
            )
        # ∞ − ∞ is an output that only one of them shows, with a chance too small to be seen in 1 − chance.
        return float(np.nan_to_num(needed, nan=math.inf, posinf=math.inf).max(initial=0.0))

    mu, witness = _largest(channel, structure, separation)
    return Level(GaussianDP(mu), witness)


def _errors(p: Floats, q: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Errors of the best tests of p against q at the vertices of their convex curve, each summed from its small end.

    Type I error and its complement, type II error and its complement. The test of a vertex rejects p on the outputs
    that q shows relatively most.
    """
    possible = (p > 0) | (q > 0)
    p, q = p[possible], q[possible]
    with np.errstate(divide="ignore"):
        order = np.argsort(-(q / p), kind="stable")
    up = [np.concatenate([[0.0], np.cumsum(law[order])]) for law in (p, q)]
    down = [np.concatenate([np.cumsum(law[order][::-1])[::-1], [0.0]]) for law in (p, q)]
    return up[0], down[0], down[1], up[1]


@checked
def privacy_curve(channel: Channel, epsilons: Sequence[float], structure: Structure | None = None) -> list[Level]:
    """The exact δ of each ε, as ``approximate_dp`` gives it."""
    return [approximate_dp(channel, epsilon, structure) for epsilon in epsilons]


@checked
def mutual_information_dp(channel: Channel, structure: Structure | None = None) -> Level:
    """sup over records and priors of I(X_i;Y|X_−i), in bits: the largest capacity of the inputs compared.

    From above, and with ``low``, which some prior reaches: the two are about 10^-12 nats apart.

    Given the other records, the record in question meets the channel of one group of neighbours; the supremum over
    priors puts all weight on the worst group and its capacity-achieving law (Cuff and Yu 2016).
    """
    groups = compared(channel.inputs, structure)
    found = [capacities.shannon(channel.restrict([channel.inputs[place] for place in group])) for group in groups]
    # A cap that is free of rounding where rows are nearly equal.
    ceiling = information_of_ratio(renyi_dp(channel, math.inf, structure).value) / math.log(2)
    high = min(max((one.high for one in found), default=0.0), ceiling)
    return Level(MutualInformationDP(high), low=min(max((one.value for one in found), default=0.0), high))


def _worst(
    channel: Channel, structure: Structure | None, divergence: Callable[[Floats, Floats], Floats]
) -> tuple[float, Witness | None]:
    """The largest divergence of the output of one input from that of another, and which they are."""
    matrix = channel.matrix
    best, witness = 0.0, None
    for group in compared(channel.inputs, structure):
        rows = np.array(group)
        part = matrix[rows]
        step = max(BLOCK // part.size, 1)
        for start in range(0, len(rows), step):
            divergences = divergence(part[start : start + step, None, :], part[None, :, :])
            at = int(divergences.argmax())
            x, other = divmod(at, len(rows))
            if divergences.flat[at] > best:
                best = float(divergences.flat[at])
                witness = Witness((channel.inputs[rows[start + x]], channel.inputs[rows[other]]))
    return best, witness


def _largest(
    channel: Channel, structure: Structure | None, level: Callable[[Floats, Floats, float], float]
) -> tuple[float, Witness | None]:
    """The largest level of a pair of inputs, and which they are; ``level`` is told what it has to beat."""
    best, witness = 0.0, None
    for group in compared(channel.inputs, structure):
        for x, other in permutations(group, 2):
            value = level(channel.matrix[x], channel.matrix[other], best)
            if value > best:
                best, witness = value, Witness((channel.inputs[x], channel.inputs[other]))
    return best, witness


def _concentration(p: Floats, q: Floats, to_beat: float) -> float:
    """sup over α of D_α(p‖q)/α from above, or anything up to ``to_beat`` where it cannot be exceeded.

    (α − 1) D_α is convex in α, so on an interval it lies below its chord; splitting the interval with the largest
    bound closes the gap quadratically.
    """
    ceiling = float(renyi_of_laws(p, q, math.inf))
    if concentration_of_pure(ceiling) <= to_beat:
        return to_beat  # no pair within this ratio can have more
    if ceiling < 1e-9 or ceiling == math.inf:
        # So close to equal that only rounding could be searched: the bound of randomized response is as good.
        return concentration_of_pure(ceiling)

    shown = p > 0
    weight, loss = p[shown], np.log(p[shown]) - np.log(q[shown])

    def cumulant(alpha: float) -> float:
        """(α − 1) D_α = ln Σ p e^((α−1) loss), without cancellation near α = 1."""
        exponents = (alpha - 1) * loss
        if exponents.max() < 1:
            return math.log1p(float(weight @ np.expm1(exponents)))
        return (alpha - 1) * float(renyi_of_laws(p, q, alpha))

    with np.errstate(divide="ignore", invalid="ignore"):
        # Kullback–Leibler as Σ p (q/p − 1 − ln q/p), each term at least 0, so that nothing cancels.
        divergence = max(float(weight @ (np.expm1(-loss) + loss)) + float(q[p == 0].sum()), 0.0)
    known = max(divergence, to_beat)
    if known <= 0:
        return concentration_of_pure(ceiling)
    # Beyond α = ε/known the level ε/α is below what is known already.
    last = max(ceiling / known, 2.0) + 1.0
    points: list[float] = np.concatenate([[1.0], 1 + np.geomspace(1e-4, last - 1, 24)]).tolist()
    values = [0.0, *(cumulant(point) for point in points[1:])]
    heap = [
        (-_chord(a, b, u, v, divergence), a, b, u, v) for (a, u), (b, v) in pairwise(zip(points, values, strict=True))
    ]
    heapify(heap)
    best = max([known, *(value / (a * (a - 1)) for a, value in zip(points[1:], values[1:], strict=True))])
    while True:
        negative, low, high, g_low, g_high = heappop(heap)
        if -negative <= best * (1 + ZCDP_TOLERANCE) or high - low < 1e-11:
            return max(-negative, best) if best > to_beat else to_beat
        middle = (low + high) / 2
        g = cumulant(middle)
        best = max(best, g / (middle * (middle - 1)))
        for a, b, u, v in ((low, middle, g_low, g), (middle, high, g, g_high)):
            heappush(heap, (-_chord(a, b, u, v, divergence), a, b, u, v))


def _chord(low: float, high: float, g_low: float, g_high: float, divergence: float) -> float:
    """An upper bound on g(α)/(α(α−1)) for α in [low, high], where g lies below the chord of its ends."""
    slope = (g_high - g_low) / (high - low)
    if low == 1.0:
        # g(1) = 0, so the chord gives g/(α−1) ≤ slope, over α ≥ 1.
        return max(slope, divergence)
    # c(α) = (g_low + slope (α − low)) / (α (α − 1)) has its only interior extreme where the quadratic below is 0.
    offset = g_low - slope * low
    candidates = [low, high]
    discriminant = offset * offset + slope * offset
    if slope != 0 and discriminant >= 0:
        candidates += [(-offset + sign * math.sqrt(discriminant)) / slope for sign in (1, -1)]
    inside = [alpha for alpha in candidates if low <= alpha <= high]
    # Measured from the low end: offset + slope·α would cancel near α = 1.
    return max((g_low + slope * (alpha - low)) / (alpha * (alpha - 1)) for alpha in inside)
