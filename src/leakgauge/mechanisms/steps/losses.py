"""Loss distributions as frozen data, and their composition by dp-accounting, which is optional.

A mechanism's pairs of neighbours may be many. The pointwise largest hockey-stick curve over all of them, for every
ε from −∞ to ∞, is the curve of one dominating pair, and dominating pairs compose, adaptively too (Zhu, Dong and
Wang, Optimal accounting of differential privacy via characteristic function, 2022). So a
curve is enough; dp-accounting turns it into a pessimistic distribution (Doroshenko et al., Connect the dots, 2022).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, ClassVar, TypeAlias

import numpy as np

from leakgauge.probability.cells import Floats

POINTS = 600
"""At most so many points of a hockey-stick curve; chords between them lie above it."""
CURVE_POINTS = 257
"""At most so many points of a curve that a ledger counts by."""

Curve: TypeAlias = tuple[Floats, Floats]
"""Losses in nats, ascending from 0, and δ there; chords in e^loss lie above the curve, the last δ is never left."""


class Loss(ABC):
    """The privacy loss of one run, in the form that dp-accounting takes."""

    names_a_missing_record: ClassVar[bool] = True
    """Whether it knows the law without the record, so that sampling can be amplified."""
    mu: float | None = None
    """The distance of two Gaussians, in standard deviations, where it is theirs."""
    largest: float | None = None
    """The largest finite loss in nats, where that is known without the law."""

    @abstractmethod
    def distribution(self, accounting: Any, interval: float, sampling_probability: float) -> Any:
        """The pessimistic distribution on a grid of losses, by dp-accounting's module."""

    def curve(self) -> Curve | None:
        """The hockey-stick curve, the larger of both orders of the pair; None where it is known by ``mu`` alone."""
        return None


@dataclass(frozen=True)
class NoiseLoss(Loss):
    """The loss of a noise that dp-accounting has a function for, by its name, parameter and sensitivity there."""

    noise: str
    parameter: float
    sensitivity: int = 1
    mu: float | None = None

    def distribution(self, accounting: Any, interval: float, sampling_probability: float) -> Any:
        return getattr(accounting, f"from_{self.noise}_mechanism")(
            self.parameter,
            sensitivity=self.sensitivity,
            value_discretization_interval=interval,
            sampling_prob=sampling_probability,
        )

    def curve(self) -> Curve | None:
        if self.noise == "laplace":
            losses = np.linspace(0.0, 1 / self.parameter, CURVE_POINTS)
            return losses, -np.expm1((losses - losses[-1]) / 2)
        if self.noise == "discrete_laplace":
            return _curve_of_discrete_laplace(self.parameter, self.sensitivity)
        return None


def gaussian_loss(mu: float) -> NoiseLoss:
    """The loss of N(μ, 1) against N(0, 1)."""
    return NoiseLoss("gaussian", 1 / mu, mu=mu)


@dataclass(frozen=True, eq=False)
class CurveLoss(Loss):
    """A hockey-stick curve δ(ε) of a pair, or of all pairs at once, with the losses where it bends."""

    deltas: Callable[[Floats], Floats]
    bends: Floats
    names_a_missing_record = False

    @property
    def largest(self) -> float:  # type: ignore[override]
        """Where the curve bends last."""
        return float(np.abs(self.bends).max(initial=0.0))

    def distribution(self, accounting: Any, interval: float, sampling_probability: float) -> Any:
        """By connecting points of the curve, which lies below the chords; it cannot be sampled."""
        bends = self.bends if len(self.bends) else np.zeros(1)
        low, high = math.floor(bends.min() / interval), math.ceil(bends.max() / interval)
        points = np.unique(np.concatenate([np.floor(bends / interval), np.ceil(bends / interval), [low, high]]))
        mesh = np.linspace(low, high, POINTS // 4 if len(points) <= POINTS else POINTS).round()
        points = np.union1d(points, mesh) if len(points) <= POINTS else np.unique(mesh)
        deltas = np.clip(self.deltas(points * interval), 0.0, 1.0)
        build = import_module("dp_accounting.pld.pld_pmf").create_pmf_pessimistic_connect_dots
        # Rounding may leave a curve rising by one unit in the last place; the larger value is the safe one.
        deltas = np.maximum.accumulate(deltas[::-1])[::-1]
        return accounting.PrivacyLossDistribution(build(interval, points.astype(int), deltas))

    def curve(self) -> Curve | None:
        losses = np.union1d(self.bends[self.bends > 0], np.zeros(1))
        if len(losses) > CURVE_POINTS:
            losses = losses[np.linspace(0, len(losses) - 1, CURVE_POINTS).round().astype(int)]
        # The last bend was rounded: the curve is 0, or what it stays at, only behind it.
        losses[-1] += 1e-12
        return losses, np.clip(self.deltas(losses), 0.0, 1.0)


@dataclass(frozen=True)
class Part:
    """A loss that occurs ``count`` times.

    ``amplified`` is the Poisson sampling probability under add-or-remove neighbours; ``seen`` that with which the
    record is seen at all, when nothing better than that is proved.
    """

    loss: Loss
    count: int
    amplified: float = 1.0
    seen: float = 1.0


def curve_of_rows(matrix: Floats) -> CurveLoss:
    """max over ordered pairs of rows of Σ max(p − e^ε q, 0)."""
    ratios = []
    for row in matrix:
        both = (row > 0) & (matrix > 0)
        ratios.append(np.log(np.divide(matrix, row, where=both, out=np.ones(matrix.shape)))[both])
    bends = np.unique(np.concatenate(ratios).round(12))

    def deltas(epsilons: Floats) -> Floats:
        worst = np.empty(len(epsilons))
        for at, epsilon in enumerate(epsilons):
            scaled = math.exp(epsilon) * matrix
            worst[at] = max(float(np.maximum(row - scaled, 0).sum(axis=1).max()) for row in matrix)
        return worst

    return CurveLoss(deltas, bends)


def curve_of_pair(p: Floats, q: Floats) -> CurveLoss:
    """Σ max(p − e^ε q, 0), in this order only."""
    both = (p > 0) & (q > 0)
    bends = np.unique((np.log(p[both]) - np.log(q[both])).round(12))

    def deltas(epsilons: Floats) -> Floats:
        return np.asarray([np.maximum(p - math.exp(epsilon) * q, 0).sum() for epsilon in epsilons])

    return CurveLoss(deltas, bends)


def curve_of_bounded_range(epsilon: float) -> CurveLoss:
    """(e^(η/2) − e^(ε/2))² / (e^η − 1) for |ε| ≤ η: every mechanism whose losses span at most η.

    The largest over the two-point pairs with losses t and t − η, which are the worst (Dong, Durfee and Rogers,
    Optimal differential privacy composition for exponential mechanisms, 2020); here in closed form, t = (η + ε)/2.
    """

    def deltas(epsilons: Floats) -> Floats:
        inside = np.clip(epsilons, -epsilon, epsilon)
        curve = np.expm1((inside - epsilon) / 2) ** 2 / -math.expm1(-epsilon)
        return np.where(epsilons < -epsilon, -np.expm1(epsilons), curve)

    return CurveLoss(deltas, np.linspace(-epsilon, epsilon, POINTS // 2))


def _curve_of_discrete_laplace(decay: float, sensitivity: int) -> Curve:
    """Of the law ∝ e^(−decay·|n|) and its shift, at every loss (s − 2j)·decay from 0 on or at some of them."""
    j = np.append(sensitivity / 2, np.arange(sensitivity // 2, -1, -1.0))
    if len(j) > CURVE_POINTS:
        j = j[np.linspace(0, len(j) - 1, CURVE_POINTS).round().astype(int)]
    losses, first = np.unique((sensitivity - 2 * j) * decay, return_index=True)
    # Losses above one of them are those of the outputs up to 0 and of 1 … ⌈j⌉ − 1.
    inner = np.maximum(np.ceil(j[first]) - 1, 0)
    share = -np.expm1(-decay * inner)
    below = np.exp(losses - decay * sensitivity)
    deltas = (1 - below + share * (math.exp(-decay) - below * np.exp(decay * inner))) / (1 + math.exp(-decay))
    return losses, np.clip(deltas, 0.0, 1.0)


def available() -> bool:
    """Whether the extra ``accounting`` is installed."""
    return find_spec("dp_accounting") is not None


def epsilon_at(parts: Sequence[Part], delta: float, interval: float) -> float:
    """An upper bound in nats on the ε of the whole sequence at a δ above 0, by privacy loss distributions.

    ``interval`` is the grid of losses in nats; a coarser one is faster and the bound larger, never unsafe.
    """
    total = sum(part.count for part in parts)
    # Fourier transforms leave errors of about this size in sums of probabilities, and they may favour either side.
    usable = delta * (1 - 1e-9) - 1e-14 * len(parts) - 1e-15 * total
    if usable <= 0:
        return math.inf
    try:
        with np.errstate(all="ignore"):
            distributions = [_distribution(part, interval) for part in parts]
            while len(distributions) > 1:
                pairs = zip(distributions[::2], distributions[1::2], strict=False)
                odd = distributions[-1:] if len(distributions) % 2 else []
                distributions = [first.compose(second) for first, second in pairs] + odd
            epsilon = float(distributions[0].get_epsilon_for_delta(usable))
    except (OverflowError, MemoryError, IndexError):
        # dp-accounting finds no first probability where every loss is infinite.
        return math.inf
    return epsilon * (1 + 1e-12)


def _distribution(part: Part, interval: float) -> Any:
    accounting = import_module("dp_accounting.pld.privacy_loss_distribution")
    one = part.loss.distribution(accounting, interval, part.amplified)
    if part.seen < 1:
        one = one.compute_mixture(accounting.identity(interval), part.seen)
    return one.self_compose(part.count) if part.count > 1 else one
