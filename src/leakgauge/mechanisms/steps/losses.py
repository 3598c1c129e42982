"""The privacy loss of one run as frozen data: how much of each of two neighbouring laws lies between two losses.

A mechanism's pairs of neighbours may be many. The pointwise largest hockey-stick curve over all of them, for every
ε from −∞ to ∞, is the curve of one dominating pair (P, Q), and dominating pairs compose, adaptively too (Zhu, Dong and
Wang, Optimal accounting of differential privacy via characteristic function, 2022). So one pair per mechanism is
enough, and of the pair only the law of its loss ln P/Q: whoever composes losses splits each cell between two points of
a grid to the points, which keeps both laws' share of the cell and is a dominating pair again (Doroshenko et al.,
Connect the dots, 2022).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from leakgauge.probability.cells import Floats, sums_by

POINTS = 600  # at most so many points of a hockey-stick curve of many pairs; chords between them lie above it
BLOCK = 1 << 20  # numbers of the largest array used at once
LARGEST = 700.0  # beyond so many nats e^ε is out of the range of floats; such losses of a channel count as infinite
REACH = 10.0  # standard deviations of a Gaussian beyond which losses count as infinite: 10^-23 of it lies there
NEGLIGIBLE = 1e-20  # a share of a law that may count as one of infinite loss
MARGIN = 1e-9  # in nats, how much wider a span is than the losses in it
CURVE_POINTS = 257  # at most so many points of a curve that a ledger counts by

Cells: TypeAlias = tuple[Floats, Floats]
"""The shares of P and of Q whose loss lies above each edge but the last and not above the next."""
Curve: TypeAlias = tuple[Floats, Floats]
"""Losses in nats, ascending from 0, and δ there; chords in e^loss lie above the curve, the last δ is never left."""


class Loss(ABC):
    """The law of ln P/Q for a pair (P, Q) that dominates one run, P being the law with the record in question."""

    mu: float | None = None
    """The distance of two Gaussians, in standard deviations, where it is theirs."""
    infinite: float = 0.0
    """The share of P that Q never shows."""

    @abstractmethod
    def span(self) -> tuple[float, float]:
        """The smallest and the largest finite loss in nats, but for a negligible share."""

    @abstractmethod
    def cells(self, edges: Floats) -> Cells:
        """The shares of both laws between ascending edges, perhaps infinite; what only Q shows has a loss of −∞."""

    def curve(self) -> Curve:
        """The hockey-stick curve from 0 on, the larger of both orders of the pair."""
        losses = self._bends()
        # The last loss was rounded: only behind it the curve is 0, or what it stays at.
        losses = np.append(losses, losses[-1] + 1e-12 * max(losses[-1], 1.0))
        p, q = (np.cumsum(share[::-1])[::-1] for share in self.cells(np.append(losses, math.inf)))
        reversed_p, reversed_q = (np.cumsum(share)[::-1] for share in self.cells(np.append(-math.inf, -losses[::-1])))
        factors = np.exp(losses)
        # A little above, for what rounding did to the difference of two sums.
        forwards = self.infinite + (p - factors * q) + 2e-14 * p
        backwards = reversed_q - factors * reversed_p + 2e-14 * reversed_q
        return losses, np.clip(np.maximum(forwards, backwards), 0.0, 1.0)

    def _bends(self) -> Floats:
        """Losses from 0 on at which the curve is computed."""
        low, high = self.span()
        return np.linspace(0.0, max(high, -low), CURVE_POINTS)


@dataclass(frozen=True)
class GaussianLoss(Loss):
    """The loss of N(μ, 1) against N(0, 1): itself Gaussian, of mean ±μ²/2 and standard deviation μ."""

    mu: float

    def span(self) -> tuple[float, float]:
        middle = self.mu * self.mu / 2
        return -middle - REACH * self.mu, middle + REACH * self.mu

    def cells(self, edges: Floats) -> Cells:
        from scipy.special import ndtr

        def between(standardised: Floats) -> Floats:
            # From the nearer tail, so that small shares are as exact as large ones.
            below, above = ndtr(standardised), ndtr(-standardised)
            shares = np.where(standardised[:-1] > 0, above[:-1] - above[1:], below[1:] - below[:-1])
            return np.asarray(shares, dtype=np.float64)

        under_p = edges / self.mu - self.mu / 2
        return between(under_p), between(under_p + self.mu)


@dataclass(frozen=True)
class ExponentialLoss(Loss):
    """Losses from −ε to ε with densities in proportion to e^(loss/2) under P and e^(−loss/2) under Q.

    Beside them P has the share ``top`` at ε and e^−ε times as much at −ε, Q the reverse. Half at the top is the loss of
    two Laplace laws whose centres are ε scales apart. None is the largest curve over all mechanisms whose losses span
    at most ε, such as the exponential one:
    δ(x) = (e^(ε/2) − e^(x/2))² / (e^ε − 1), over the two-point pairs with losses t and t − ε, which are the worst
    (Dong, Durfee and Rogers, Optimal differential privacy composition for exponential mechanisms, 2020), at
    t = (ε + x)/2.
    """

    epsilon: float
    top: float

    def span(self) -> tuple[float, float]:
        return -self.epsilon, self.epsilon

    def cells(self, edges: Floats) -> Cells:
        epsilon = self.epsilon
        weight = (1 - self.top * (1 + math.exp(-epsilon))) / -math.expm1(-epsilon)
        inside = np.clip(edges, -epsilon, epsilon)
        widths = np.diff(inside) / 2
        p = weight * np.exp((inside[1:] - epsilon) / 2) * -np.expm1(-widths)
        q = weight * np.exp(-(inside[:-1] + epsilon) / 2) * -np.expm1(-widths)
        if self.top:
            for end, share_p, share_q in (
                (epsilon, self.top, self.top * math.exp(-epsilon)),
                (-epsilon, self.top * math.exp(-epsilon), self.top),
            ):
                holds = (edges[:-1] < end) & (end <= edges[1:])
                p, q = p + share_p * holds, q + share_q * holds
        return p, q


@dataclass(frozen=True, eq=False)
class PairLoss(Loss):
    """The loss of one finite law against another."""

    p: Floats
    q: Floats
    _losses: Floats = field(init=False, repr=False)

    def __post_init__(self) -> None:
        with np.errstate(divide="ignore"):
            seen = (self.p > 0) | (self.q > 0)
            object.__setattr__(self, "p", self.p[seen])
            object.__setattr__(self, "q", self.q[seen])
            object.__setattr__(self, "_losses", np.log(self.p) - np.log(self.q))

    @property
    def infinite(self) -> float:  # type: ignore[override]
        return float(self.p[self.q == 0].sum())

    def span(self) -> tuple[float, float]:
        finite = self._losses[np.isfinite(self._losses)]
        return float(finite.min(initial=0.0)), float(finite.max(initial=0.0))

    def cells(self, edges: Floats) -> Cells:
        at = np.searchsorted(edges, self._losses, side="left") - 1
        at = np.where(self._losses == -math.inf, np.searchsorted(edges, -math.inf, side="right") - 1, at)
        inside = (at >= 0) & (at < len(edges) - 1) & (self._losses < math.inf)
        p, q = (sums_by(at[inside], law[inside], len(edges) - 1) for law in (self.p, self.q))
        return p, q

    def _bends(self) -> Floats:
        """Between two losses the curve is linear in e^loss."""
        losses = np.unique(np.append(np.abs(self._losses[np.isfinite(self._losses)]), 0.0))
        if len(losses) > CURVE_POINTS:
            losses = losses[np.linspace(0, len(losses) - 1, CURVE_POINTS).round().astype(int)]
        return losses


def loss_of_rows(matrix: Floats) -> PairLoss:
    """The largest curve over ordered pairs of rows, max Σ max(p − e^ε q, 0): chords between points of it.

    A curve that is linear in e^ε between points is that of a pair with atoms at the points: where its slope rises by
    q, Q has q and P has e^ε·q. Chords lie above a convex curve.
    """
    ratios = []
    for row in matrix:
        both = (row > 0) & (matrix > 0)
        ratios.append(np.log(np.divide(matrix, row, where=both, out=np.ones(matrix.shape)))[both])
    bends = np.clip(np.unique(np.concatenate(ratios)), -LARGEST, LARGEST)
    # Nothing finite lies above the last bend: rounding must not leave a share there, which would count as infinite.
    last = bends[-1] + 1e-12 * max(abs(bends[-1]), 1.0)
    mesh = np.linspace(bends[0], last, POINTS // 4 if len(bends) <= POINTS else POINTS)
    points = np.union1d(bends, mesh) if len(bends) <= POINTS else mesh
    # Slopes between points that nearly coincide would be rounding alone.
    apart = np.diff(points) > 1e-5 * (last - bends[0])
    points = np.append(points[:-1][apart], last)
    factors = np.exp(points)
    block = max(BLOCK // matrix.size, 1)
    deltas = np.concatenate([_largest(matrix, factors[at : at + block]) for at in range(0, len(factors), block)])
    # Left of all points lies the chord from 1 at e^ε = 0; right of them only what is infinite.
    slopes = np.concatenate([[(deltas[0] - 1) / factors[0]], np.diff(deltas) / np.diff(factors), [0.0]])
    q = np.maximum(np.diff(slopes), 0.0)
    return PairLoss(np.append(factors * q, deltas[-1]), np.append(q, 0.0))


def _largest(matrix: Floats, factors: Floats) -> Floats:
    """max over ordered pairs of rows of Σ max(p − factor · q, 0), for each factor."""
    scaled = factors[:, None, None] * matrix
    worst = [np.maximum(row - scaled, 0).sum(axis=2).max(axis=1) for row in matrix]
    return np.asarray(np.max(worst, axis=0), dtype=np.float64)


@dataclass(frozen=True)
class Sampled(Loss):
    """The loss of a mechanism on a sample that holds the record in question with a probability."""

    loss: Loss
    probability: float

    @property
    def infinite(self) -> float:  # type: ignore[override]
        return self.probability * self.loss.infinite


class Seen(Sampled):
    """A loss that occurs with a probability; otherwise both neighbours give the same law, and show that they do."""

    def span(self) -> tuple[float, float]:
        low, high = self.loss.span()
        return min(low, 0.0), max(high, 0.0)

    def cells(self, edges: Floats) -> Cells:
        unseen = (1 - self.probability) * ((edges[:-1] < 0) & (edges[1:] >= 0))
        p, q = (self.probability * share + unseen for share in self.loss.cells(edges))
        return p, q


class Removed(Sampled):
    """The loss of a Poisson sample with the record in question against one without: (1 − s)Q + sP against Q."""

    def span(self) -> tuple[float, float]:
        least, ends = math.log1p(-self.probability), self.loss.span()
        # ln(1 − s + s·e^x), where e^x may be out of the range of floats.
        low, high = (float(np.logaddexp(least, math.log(self.probability) + end)) for end in ends)
        _, below = self.loss.cells(np.array([-math.inf, ends[0] - MARGIN]))
        # Down to what only Q shows, where there is such a share; other losses may lie much nearer to 0. A little lower,
        # so that rounding cannot put the lowest loss outside.
        return (least if below[0] > NEGLIGIBLE else low) - MARGIN, high

    def cells(self, edges: Floats) -> Cells:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            # ln((e^x − (1 − s))/s), without cancellation or overflow; nothing lies below ln(1 − s).
            inside = np.log1p(np.expm1(np.minimum(edges, 30.0)) / self.probability)
            far = edges - math.log(self.probability) + np.log1p(-(1 - self.probability) * np.exp(-edges))
        inside = np.where(edges > 30.0, far, inside)
        p, q = self.loss.cells(np.where(np.isnan(inside), -math.inf, inside))
        return self.probability * p + (1 - self.probability) * q, q


@dataclass(frozen=True)
class Added(Loss):
    """The loss of the two laws of ``Removed`` in the other order."""

    loss: Loss
    probability: float

    def span(self) -> tuple[float, float]:
        low, high = Removed(self.loss, self.probability).span()
        return -high, -low

    def cells(self, edges: Floats) -> Cells:
        mixture, q = Removed(self.loss, self.probability).cells(-edges[::-1])
        return q[::-1], mixture[::-1]


class Batched(Sampled):
    """A loss of replaced records on a batch drawn without replacement; the probability is the share of all records.

    δ'(ε') = s·δ(ε) with e^ε' = 1 + s(e^ε − 1) for every ε of at least 0 (Balle, Barthe and Gaboardi 2018, theorem 9).
    Above 0 that is the curve of ``Removed``; below 0 its mirror image, as neighbours may be exchanged; what is left of
    either law lies at 0.
    """

    def span(self) -> tuple[float, float]:
        high = max(Removed(self.loss, self.probability).span()[1], 0.0)
        return -high, high

    def cells(self, edges: Floats) -> Cells:
        removed = Removed(self.loss, self.probability)
        p, q = removed.cells(np.maximum(edges, 0.0))
        mirrored_q, mirrored_p = removed.cells(np.maximum(-edges[::-1], 0.0))
        p, q = p + mirrored_p[::-1], q + mirrored_q[::-1]
        whole_p, whole_q = removed.cells(np.array([0.0, math.inf]))
        # Both laws have this at 0; rounding may leave it a little below nothing.
        rest = max(1 - self.infinite - float(whole_p.sum() + whole_q.sum()), 0.0)
        at_zero = rest * ((edges[:-1] < 0) & (edges[1:] >= 0))
        return p + at_zero, q + at_zero


@dataclass(frozen=True)
class Part:
    """A loss that occurs ``count`` times; ``added`` is that of the neighbours in the other order, where it differs."""

    loss: Loss
    count: int
    added: Loss | None = None
