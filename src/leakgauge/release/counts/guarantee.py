"""What measured interactions promise, and how much an attacker who knows everybody else can gain at most.

By ``noise`` the law of all measurements is (√ρ + √κ)²-zCDP with ρ = μ²/2, and every probability is within e^±k, for a
tiny k, of post-processed Gaussian noise whose μ is a little larger. That is Gaussian DP with μ' = μ + 2.6k:

The power of a test at false alarms a is at most Φ(Φ⁻¹(a') + μ) up to e^±k, with a' within e^±k of a. As both hold for a
test and for its complement, a factor e^±k need only be taken of the smaller of a probability x and 1 − x. It moves
Φ⁻¹(x) by at most k times the largest x/φ(Φ⁻¹(x)) for x up to e^k/2, which is √(π/2) = 1.2533 at 1/2 and below 1.3 for
k ≤ 0.01; and that happens twice, once for the false alarms and once for the power.

Of zCDP the binary test is enough: its outcome has a Rényi divergence of order α of at most αρ, for every α and in both
orders. Each bound holds, so the smaller one does; with little noise the second, with much the first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from leakgauge.claims import ApproximateDP, GaussianDP, Statement, ZeroConcentratedDP
from leakgauge.errors import OptionError
from leakgauge.mechanisms.steps import Claimed, Step
from leakgauge.notions.composition import Neighbours
from leakgauge.notions.formulas import approximate_of_concentration, approximate_of_gaussian, variation_of_gaussian
from leakgauge.probability.cells import Floats
from leakgauge.release.counts.noise import NEGLIGIBLE, grid_smoothing, line_smoothing
from leakgauge.release.counts.precision import moved, worst_patterns
from leakgauge.release.counts.workload import Workload

_UP = 1 + 1e-12
"""Rounding goes up, towards promising less."""
_SMALLEST = 1e-7
"""κ' of all interactions together: so much is Gaussian noise taken smaller that it is no more."""
_ORDERS = 1 + np.geomspace(1e-3, 1e4, 120)
"""At which the test of the zCDP level is made; each order by itself is a bound."""


@dataclass(frozen=True)
class Guarantee:
    """What is promised to a person whose rows are added, removed or replaced.

    Attributes:
        mu: √(2ρ) of the noise as it is charged, in standard deviations.
        kappa: what smoothing along the lines adds; 0 where whole tables are charged.
        gaussian_mu: the level of Gaussian DP, a little above ``mu``; infinite where there is too little noise for one.
    """

    neighbours: Neighbours
    mu: float
    kappa: float
    gaussian_mu: float

    @property
    def rho(self) -> float:
        """The zero-concentrated level in nats: (√ρ + √κ)²."""
        return (self.mu / math.sqrt(2) + math.sqrt(self.kappa)) ** 2 * _UP

    def epsilon(self, delta: float) -> float:
        """ε in nats at a δ, rounded up.

        Raises:
            OptionError: a δ that is not between 0 and 1.
        """
        require_delta(delta)
        return min(approximate_of_gaussian(self.gaussian_mu, delta), approximate_of_concentration(self.rho, delta))

    def claims(self, delta: float) -> tuple[Statement, ...]:
        """What is claimed of the release."""
        claimed = ApproximateDP(self.epsilon(delta), delta), ZeroConcentratedDP(self.rho)
        return (*claimed, GaussianDP(self.gaussian_mu)) if math.isfinite(self.gaussian_mu) else claimed

    def steps(self, *, by_rho: bool = False) -> tuple[Step, ...]:
        """What it costs, as a ledger counts it: for (ε, δ) as Gaussian noise, for an account in ρ as zCDP."""
        if by_rho or not math.isfinite(self.gaussian_mu):
            return (Claimed(ZeroConcentratedDP(self.rho)),)
        return (Claimed(GaussianDP(self.gaussian_mu)),)

    def times(self, releases: int) -> Guarantee:
        """What so many releases of one plan promise together."""
        root = math.sqrt(releases) * _UP
        return replace(self, mu=self.mu * root, kappa=self.kappa * releases, gaussian_mu=self.gaussian_mu * root)

    def power(self, false_alarms: float) -> float:
        """The share of cases in which any test sees a person who is there, at most, at this rate of false alarms."""
        from scipy.special import ndtr, ndtri

        gaussian = float(ndtr(ndtri(false_alarms) + self.gaussian_mu)) if false_alarms > 0 else 0.0
        return min(gaussian * _UP, _power_by_concentration(false_alarms, self.rho), 1.0)

    def success(self, prior: float) -> float:
        """How often any guess about a person is correct, at most, whose best guess beforehand is with ``prior``.

        1 − f(prior): with the law where the person's row is left out, or is a fixed one, the guess is correct with at
        most the prior, whatever the value; the power is concave in that.
        """
        return max(self.power(prior), prior)

    @property
    def advantage(self) -> float:
        """Correct less false alarms of any test whether a person is there, or which of two rows she has, at most."""
        # Pinsker's inequality, and that of Bretagnolle and Huber.
        concentrated = min(math.sqrt(self.rho / 2), math.sqrt(-math.expm1(-self.rho)))
        return min(variation_of_gaussian(self.gaussian_mu), concentrated * _UP)

    @property
    def bits(self) -> float:
        """I(X;Y) in bits of a person's row, given everybody else's, at most: the divergence to the law without it."""
        return self.rho / math.log(2) * _UP


def require_delta(delta: float) -> None:
    """Refuse a δ that Gaussian noise cannot keep."""
    if not 0 < delta < 1:
        raise OptionError(
            "A δ of {delta} is not between 0 and 1, as Gaussian noise in counts needs it to be; give a small one, such "
            "as 1e-6.",
            delta=delta,
        )


def guarantee_of(workload: Workload, sigmas: Sequence[float], neighbours: Neighbours, rows: int) -> Guarantee:
    """What noise of these σ for the interactions of the closure promises to persons of so many rows each.

    A σ of 0 stands for the number of rows where it is public. Rows of one person move a measurement at most as if they
    were alike, so that they multiply μ.
    """
    shapes = [workload.shape(places) for places in workload.closure]
    kappas = [
        line_smoothing(shape, sigma**2) if sigma > 0 else 0.0 for shape, sigma in zip(shapes, sigmas, strict=True)
    ]
    by_size = sorted(range(len(kappas)), key=lambda at: kappas[at])
    kept = np.searchsorted(np.cumsum([kappas[at] for at in by_size]), NEGLIGIBLE)
    whole = np.zeros(len(kappas), dtype=bool)
    whole[by_size[int(kept) :]] = True
    kappa = sum(one for one, charged in zip(kappas, whole, strict=True) if not charged)

    variances = np.square(np.array(sigmas, dtype=np.float64))
    smaller = np.array([grid_smoothing(shape, _SMALLEST / len(shapes)) for shape in shapes])
    with np.errstate(divide="ignore"):
        exact = np.where(variances > 0, 1 / variances, 0.0)
        gaussian = np.where(variances > smaller, 1 / (variances - smaller), np.where(variances > 0, np.inf, 0.0))
    mu = rows * math.sqrt(_squared(workload, exact, whole, neighbours)) * _UP
    beside = rows * math.sqrt(_squared(workload, gaussian, whole, neighbours)) * _UP
    return Guarantee(neighbours, mu, kappa, beside + 2.6 * (kappa + _SMALLEST))


def _squared(workload: Workload, t: Floats, whole: Floats, neighbours: Neighbours) -> float:
    """μ² for one row at these precisions, where some tables are charged whole."""
    if not np.isfinite(t).all():
        return math.inf
    sharp = np.where(whole, 0.0, t)
    if neighbours is Neighbours.ADD_OR_REMOVE_ONE:
        return float(moved(workload, None) @ sharp + t[whole.astype(bool)].sum())
    # The worst pattern of the one part and that of the other may differ; then this is more than there is.
    return worst_patterns(workload, sharp)[1] + 2 * float(t[whole.astype(bool)].sum())


def _power_by_concentration(false_alarms: float, rho: float) -> float:
    """The largest b whose coin is within αρ of that of the false alarms, by halves for all orders at once."""
    if not 0 < false_alarms < 1 or not math.isfinite(rho):
        return float(false_alarms > 0) if math.isfinite(rho) else 1.0

    def divergence(p: Floats, q: Floats) -> Floats:
        logs = np.logaddexp(
            _ORDERS * np.log(p) + (1 - _ORDERS) * np.log(q), _ORDERS * np.log1p(-p) + (1 - _ORDERS) * np.log1p(-q)
        )
        return np.asarray(logs / (_ORDERS - 1))

    a = np.full(len(_ORDERS), false_alarms)
    low, high = a.copy(), np.full(len(_ORDERS), 1 - 2.0**-53)
    for _ in range(60):
        middle = (low + high) / 2
        within = (divergence(middle, a) <= _ORDERS * rho) & (divergence(a, middle) <= _ORDERS * rho)
        low, high = np.where(within, middle, low), np.where(within, high, middle)
    return float(high.min())
