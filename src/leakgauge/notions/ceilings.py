"""The highest success of any attack under a claim.

An attacker guesses x from y. Let p be what it knows beforehand, v = max p(x), A_x the outputs at which it guesses x,
and s_x the chance of A_x given x. Under (ε, δ) every other x' has a chance of at least e^−ε (s_x − δ) at A_x, and the
chances of all A_x add up to 1, so Σ_x (p(x) + (1 − p(x)) e^−ε) s_x ≤ 1 + e^−ε δ Σ_x (1 − p(x)). A guess is right with
Σ_x p(x) s_x, which is therefore at most

    f(v) (1 + e^−ε δ (k − 1)),   f(v) = v / (v + (1 − v) e^−ε),

for k letters that can occur. Against one x' alone, s_x ≤ e^ε Q_x'(A_x) + δ gives e^ε v + δ. The smaller one holds; at
δ = 0 it is f(v). Membership is k = 2, v = 1/2; finding one's row among n is k = n, v = 1/n, and two rows change places.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from leakgauge.artefacts import Level
from leakgauge.probability.cells import Codes, Floats

_PURE = ("local-dp", "dp")
_APPROXIMATE = "approximate-dp"


@dataclass(frozen=True)
class Promise:
    """(ε, δ) for the values of one row, in nats."""

    epsilon: float
    delta: float = 0.0

    def times(self, count: int) -> Promise:
        """What so many releases of the same values promise together, by adding up."""
        return Promise(self.epsilon * count, min(self.delta * count, 1.0))

    def swapped(self) -> Promise:
        """What is promised to two rows that change places."""
        # e^ε beyond the floats is a δ of 1, which promises nothing.
        delta = 0.0 if self.delta == 0 else (1 + math.exp(min(self.epsilon, 700.0))) * self.delta
        return Promise(2 * self.epsilon, min(delta, 1.0))

    def most(self, prior: npt.ArrayLike, letters: npt.ArrayLike) -> Floats:
        """The success allowed at most, where the best guess beforehand is right with ``prior``, of so many letters."""
        v, k = np.asarray(prior, dtype=np.float64), np.asarray(letters, dtype=np.float64)
        shrink = math.exp(-self.epsilon)
        all_pairs = v / (v + (1 - v) * shrink) * (1 + shrink * self.delta * np.maximum(k - 1, 0))
        one_pair = math.exp(min(self.epsilon, 700.0)) * v + self.delta
        return np.asarray(np.minimum(np.minimum(all_pairs, one_pair), 1.0))

    def recognised(self, false_alarms: float) -> float:
        """The share of members that a test may recognise at most at this rate of false alarms.

        P(E) ≤ e^ε Q(E) + δ, and the same for the complement of E and with P and Q exchanged (Kairouz, Oh and Viswanath,
        The composition theorem for differential privacy, 2015).
        """
        above = math.exp(min(self.epsilon, 700.0)) * false_alarms + self.delta
        below = 1 - math.exp(-self.epsilon) * (1 - self.delta - false_alarms)
        return min(above, below, 1.0)


def promises(levels: Mapping[str, Level]) -> tuple[Promise, ...]:
    """What the levels of a record promise, each by itself; empty where nothing finite is claimed."""
    found = []
    for name in (*_PURE, _APPROXIMATE):
        level = levels.get(name)
        if level is not None and math.isfinite(level.value):
            found.append(Promise(level.value, level.delta or 0.0))
    return tuple(found)


def ceiling(claimed: Iterable[Promise], prior: Floats, letters: npt.ArrayLike, weights: Floats | Codes) -> float | None:
    """The success that the claim allows at most, averaged; None where nothing is claimed."""
    found = [float(np.average(promise.most(prior, letters), weights=weights)) for promise in claimed]
    return min(found) if found else None


def bound_by_others(promise: Promise, by_others: Floats, shares: Floats) -> Floats:
    """What the claim allows each target at most, from how often the same guess is right with the output of anybody.

    Let A be the outputs at which the target's own input u is guessed right. Under (ε, δ) every other input has a chance
    of at least e^−ε (Q_u(A) − δ) at A, and p(u) of the rows have u itself, so that the output of a random row is in A
    with at least p(u) Q_u(A) + (1 − p(u)) e^−ε (Q_u(A) − δ). What the attacker knows otherwise does not matter.
    """
    shrink = (1 - shares) * math.exp(-promise.epsilon)
    return np.asarray((by_others + shrink * promise.delta) / (shares + shrink))
