"""Confidence intervals for Shannon's measures: every value whose sampling law would not be surprised by the data.

A measure θ has at each cell a slope D (its influence) and between cells a curvature Q. From samples of size n its
estimate has variance E[D²]/n + tr(Q²)/(2n²) and third cumulant (E[D³] + 3 D·Q·D)/n² + tr(Q³)/n³. At independence D
vanishes and these are those of the chi-squared law of 2n I; far from it they are those of the delta method.

The law at a candidate θ is Pearson's type III with these cumulants, its variance moving with θ at the rate
E[D³] + 2 D·Q·D per E[D²]: there is no seam between the chi-squared and the normal law.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from leakgauge.measures.bias import GroupingShares
from leakgauge.measures.information import quotient
from leakgauge.measures.terms import Layout, gather, scatter
from leakgauge.probability.cells import Floats, log_or_zero

_PRODUCT = 1e9
"""Beyond so many multiplications a trace is bounded instead of computed."""


class Cumulants:
    """Derivatives of a measure at the shares of each row of ``counts``, one column per cell of the layout; in nats.

    ``variance``, ``cube`` and ``fourth`` are E[D²], E[D³] and E[D⁴], ``bend`` is D·Q·D, ``squares`` and ``cubes`` are
    tr Q² and tr Q³, the latter as far as it needs to be known.

    Attributes:
        value: the measure at the observed shares.
        low: least value but for chance (see ``bias``), ``high`` the largest.
        rare: Σ D² over cells, those seen once counting more: what rarely seen cells may hide of n E[D²].
        largest: largest |D| of any cell seen.
        rise: D of the observation that would raise the measure most, at a cell never seen; 0 if there is none.
        fall: −D of the one that would lower it most.
    """

    def __init__(self, layout: Layout, counts: Floats) -> None:
        self.n = counts.sum(-1)
        p = counts / self.n[:, None]
        shown = [GroupingShares(grouping, p) for grouping in layout.groupings]
        self.value: Floats = p @ layout.linear
        self.low, self.high = self.value.copy(), self.value.copy()
        for each in shown:
            sign = each.grouping.sign
            ends = each.bracket(self.n)
            self.value += sign * each.plug_in
            self.low += sign * ends[sign < 0]
            self.high += sign * ends[sign > 0]
        influence = _influence(layout, shown, p)
        square = influence**2
        self.variance = (p * square).sum(-1)
        self.cube = (p * square * influence).sum(-1)
        self.fourth = (p * square**2).sum(-1)
        self.bend = np.zeros(len(p))
        for each in shown:
            self.bend -= each.grouping.sign * _curvature(each, p * influence)
        self.squares, self.cubes = _traces(shown, p)
        self.rare = (square * ((counts == 1) + 0.7 * (counts > 0))).sum(-1)
        self.largest = np.abs(influence).max(-1)
        self.rise, self.fall = _newcomers(layout, shown, counts, self.value)


def _influence(layout: Layout, shown: list[GroupingShares], p: Floats) -> Floats:
    slope = np.tile(layout.linear, (len(p), 1))
    for each in shown:
        grouping = each.grouping
        slope -= grouping.sign * scatter(grouping.weighted, log_or_zero(each.share))
        slope -= grouping.sign * scatter(grouping.spread, each.weight)
    slope -= (p * slope).sum(-1, keepdims=True)
    slope[p == 0] = 0.0
    return slope


def _curvature(shown: GroupingShares, change: Floats) -> Floats:
    """Second derivative of Σ w p log p along a change of the shares of the cells."""
    grouping = shown.grouping
    plain, weighted = gather(grouping.spread, change), gather(grouping.weighted, change)
    return np.asarray((quotient(plain, shown.share) * (2 * weighted - shown.weight * plain)).sum(-1))


def _traces(shown: list[GroupingShares], p: Floats) -> tuple[Floats, Floats]:
    """tr Q² and tr Q³ on the changes that keep the total."""
    excess = [2 * quotient(gather(each.grouping.twice_weighted, p), each.share) - each.weight**2 for each in shown]
    squares, cubes, trace = np.zeros(len(p)), np.zeros(len(p)), np.zeros(len(p))
    for i, each in enumerate(shown):
        # Without weights the eigenvalues of Q are mostly 0, 1 and −1, and those of a grouping are 1 and 0: the
        # cube of Q then has the trace of Q. Only the skewness rests on it.
        cubes -= each.grouping.sign * (each.weight**3 * each.sharp).sum(-1)
        trace -= each.grouping.sign * each.felt.sum(-1)
        squares += each.grouping.sign**2 * _product(each, each, excess[i], excess[i], p)
        for j in range(i):
            both = 2 * each.grouping.sign * shown[j].grouping.sign
            squares += both * _product(each, shown[j], excess[i], excess[j], p)
    total = sum(each.grouping.sign for each in shown)
    if shown and total:
        weight = np.asarray(shown[0].grouping.weighted.sum(axis=1)).ravel()
        cubes += total * (p @ weight**3)
        trace += total * (p @ weight)
        squares -= total**2 * (2 * (p @ weight**2) - (p @ weight) ** 2)
    squares = np.maximum(squares, 0.0)
    if any(not each.grouping.certain for each in shown):
        # A channel shrinks the eigenvalues. Were they all alike, this would be the sum of their cubes.
        cubes = np.sign(trace) * quotient(squares**2, np.abs(trace))
    return squares, np.clip(cubes, -(squares**1.5), squares**1.5)


def _product(a: GroupingShares, b: GroupingShares, excess_a: Floats, excess_b: Floats, p: Floats) -> Floats:
    """tr of the product of two curvatures."""
    first, second = a.grouping, b.grouping
    for coarse, fine, excess in ((a, b, excess_a), (b, a, excess_b)):
        if fine.grouping.certain and fine.grouping.spread.shape[1] == p.shape[1]:
            return _diagonal(coarse, fine, p)
        if coarse.grouping.certain and set(coarse.grouping.letters) <= set(fine.grouping.letters):
            return np.asarray((excess * coarse.sharp).sum(-1))  # those of nested groupings are those of the coarser
    if first.certain and second.certain:
        weight = np.asarray(first.weighted.sum(axis=1)).ravel()
        one, other = scatter(first.spread, a.weight), scatter(second.spread, b.weight)
        factor = 4 * weight**2 - 2 * weight * (one + other) + one * other
        return np.asarray(
            (quotient(p * p, scatter(first.spread, a.share) * scatter(second.spread, b.share)) * factor).sum(-1)
        )
    if first.spread.nnz * float(second.spread.shape[1]) > _PRODUCT:
        # Both curvatures have eigenvalues within 0 and 1: the trace of the product is below either trace.
        return np.asarray(np.minimum((excess_a * a.sharp).sum(-1), (excess_b * b.sharp).sum(-1)))
    return np.array([_overlap(a, b, p, at) for at in range(len(p))])


def _diagonal(coarse: GroupingShares, fine: GroupingShares, p: Floats) -> Floats:
    """The product with the curvature of the cells themselves, which is w / p on the diagonal: Σ w p Q."""
    grouping = coarse.grouping
    heavy = p * np.asarray(fine.grouping.weighted.sum(axis=1)).ravel()
    cross, square = gather(grouping.weighted_overlaps, heavy), gather(grouping.overlaps, heavy)
    return np.asarray(quotient(2 * cross - coarse.weight * square, coarse.share).sum(-1))


def _overlap(a: GroupingShares, b: GroupingShares, p: Floats, at: int) -> float:
    """Σ p p′ Q Q′ over pairs of cells, where Q is Σ q q′ (u + u′) / share over values and u is w − mean w / 2."""
    matrices = [a.grouping.spread, a.grouping.weighted, b.grouping.spread, b.grouping.weighted]
    if matrices[0].nnz > 0.05 * matrices[0].shape[0] * matrices[0].shape[1]:
        matrices = [matrix.toarray() for matrix in matrices]
        left, heavy_left = ((matrix * p[at][:, None]).T for matrix in matrices[:2])
    else:
        left, heavy_left = (matrix.multiply(p[at][:, None]).T.tocsr() for matrix in matrices[:2])
    inverse = [quotient(np.ones_like(shown.share[at]), shown.share[at]) for shown in (a, b)]
    mean = [inverse[0] * a.weight[at], inverse[1] * b.weight[at]]

    def total(one: Any, other: Any, rows: Floats, columns: Floats) -> float:
        both = one.multiply(other) if hasattr(one, "multiply") else one * other
        return float(rows @ (both @ columns))

    plain = left @ matrices[2]
    if a.grouping.weighted is a.grouping.spread:
        return total(plain, plain, *inverse)
    # The product (u + u′)(v + v′) multiplied out.
    rows, columns, twice = heavy_left @ matrices[2], left @ matrices[3], heavy_left @ matrices[3]
    return (
        2 * total(twice, plain, *inverse)
        + 2 * total(rows, columns, *inverse)
        - 2 * total(rows, plain, inverse[0], mean[1])
        - 2 * total(columns, plain, mean[0], inverse[1])
        + total(plain, plain, *mean)
    )


def _newcomers(layout: Layout, shown: list[GroupingShares], counts: Floats, value: Floats) -> tuple[Floats, Floats]:
    """How much one observation of a cell never seen could raise or lower the measure at most, times n."""
    n = counts.sum(-1)
    once = np.log1p(n)
    rise, fall = np.full(len(n), layout.extremes[1]), np.full(len(n), -layout.extremes[0])
    finest = max((each.grouping.size for each in shown if each.grouping.certain), default=0)
    for each in shown:
        sign, size = each.grouping.sign, each.grouping.size
        if each.grouping.certain and size == finest == layout.counted:
            # A cell never seen is a new value here, and would then be seen once in n + 1.
            most, least = once, once
        else:
            new = each.grouping.certain & (size > (each.share > 0).sum(-1))
            most = np.where(new, once, -np.log(np.where(each.share > 0, each.share, 1.0).min(-1)))
            least = -np.log(each.share.max(-1))
        rise += layout.heaviest * sign * (most if sign > 0 else least)
        fall -= layout.heaviest * sign * (least if sign > 0 else most)
    rise = np.minimum(rise, layout.heaviest * once) - value
    fall = np.minimum(fall, layout.heaviest * once) + value
    unseen = layout.counted > (counts > 0).sum(-1)
    return np.where(unseen, np.maximum(rise, 0.0), 0.0), np.where(unseen, np.maximum(fall, 0.0), 0.0)


_STEPS = 40
_WIDER = 1.02
"""Measured coverage of the second-order law falls short by up to 0.5 % in places: every quantile is 2 % wider."""


def intervals(layout: Layout, counts: Floats, confidence: float) -> tuple[Floats, Floats]:
    """Lower and upper ends in nats for each row of ``counts``, one column per cell of the layout."""
    from scipy.special import ndtri

    law = Cumulants(layout, counts)
    z = _WIDER * float(ndtri((1 + confidence) / 2))
    below, above = _ends(law, layout, z)
    low, high = np.minimum(below, law.low), np.maximum(above, law.high)
    return np.clip(low, layout.lowest, layout.highest), np.clip(high, layout.lowest, layout.highest)


def _ends(law: Cumulants, layout: Layout, z: float) -> Floats:
    """The farthest values below and above, one row each, that the data do not contradict, by halving."""
    n, side = law.n, np.array([[-1.0], [1.0]])
    centre, new = np.array([law.low, law.high]), np.array([law.fall, law.rise])
    # One observation not made, of the cell that would matter most: with none at all the variance would be 0 where
    # everything seen agrees. It plays the part of the 3.7 in "0 of n seen, at most 3.7 / n is likely".
    variance = law.variance + new**2 / n
    cube = law.cube + side * new**3 / n
    flat, direction = law.squares / n, quotient(law.cubes, law.squares)
    tilt = quotient(cube, variance + flat)
    bend = quotient(law.bend + direction * flat, variance + flat)
    # The variance at the observed shares is off as their value is; by its curvature at most by tr(Q²)/n.
    off = centre - law.value
    corrected = law.variance + tilt * off + np.clip(2 * bend * off, -flat, flat)
    hidden = (np.maximum(law.largest, new) ** 2 + law.rare) / n
    quantile = -side * z * _student(law, hidden, z)
    inside = np.clip(centre, layout.lowest, layout.highest)
    outside = np.broadcast_to(np.where(side > 0, layout.highest, layout.lowest), centre.shape)
    slope, tilted = tilt + 2 * bend, tilt + 3 * bend
    second, third_order = law.squares / (2 * n**2), law.cubes / n**3
    for _ in range(_STEPS):
        middle = (inside + outside) / 2
        first_order = np.maximum(corrected + slope * (middle - centre), 0.0) + hidden
        deviation = np.sqrt(np.maximum(first_order / n + second, 1e-30))
        third = tilted * first_order / n**2 + third_order
        likely = side * (centre - middle - deviation * _pearson(quantile, third / deviation**3)) > 0
        inside, outside = np.where(likely, middle, inside), np.where(likely, outside, middle)
    return np.asarray(outside)


def _student(law: Cumulants, hidden: Floats, z: float) -> Floats:
    """How much wider Student's quantile is than the normal one: the variance is itself estimated."""
    # What the variance owes to the value itself is in the rate; only the rest of its noise counts here.
    noise = np.maximum(law.fourth - law.variance**2 - quotient(law.cube**2, law.variance), 0.0)
    total = law.variance + law.squares / (2 * law.n) + hidden
    inverse = np.minimum(quotient(noise, 2 * law.n * total**2), 1 / 3)
    return 1 + (z**2 + 1) / 4 * inverse


def _pearson(z: Floats, skew: Floats) -> Floats:
    """Quantiles of Pearson's type III law from normal ones, by Wilson and Hilferty's cube."""
    bounded = np.clip(skew, -2.83, 2.83)  # chi-squared with one degree of freedom, the most skew law in play
    k = np.where(np.abs(bounded) < 1e-4, 1e-4, bounded)
    return np.asarray(2 / k * (np.maximum(1 + k * z / 6 - k**2 / 36, 0.0) ** 3 - 1))
