"""Proofs of optimality: a lower bound on what any channel costs, and the cost of a given one. All in nats.

The cost of a channel is I(X;Y|Z) + E cost(X,Y). For any weights r(y|z) > 0, and q(y|x) the channel they induce, no
channel costs less than

    −Σ_x p(x) ln Σ_y exp(Σ_z p(z|x) ln r(y|z) − cost(x, y)) − ln Σ_x p(x) max_y Σ_z p(z|x) c(y, z),

c(y, z) = Σ_x p(x|z) q(y|x) / r(y|z). The first sum is convex in r and falls by p(z) ln t when r(·|z) grows t-fold, so
that its tangent at r bounds it everywhere; what any channel q' shows is Σ_x p(x) p(z|x) q'(y|x), which is where the
second sum comes from. Each r(·|z) is scaled to max_y c(y, z) = 1 first, so that the bound is never below the one with
Σ_z p(z) ln max_y c(y, z) in its place. Without background it is that of Blahut and Arimoto.

With weights w(x) of secrets the cost is Σ_x w(x) p(x) KL(q(·|x) ‖ r) + E cost, r the output marginal under p itself. It
is convex in q, since KL is convex in both its arguments and both are linear in q. For any prices π(x) no channel costs
less than Σ_x p(x) π(x) + min_y max_θ (θ − Σ_x w(x) p(x) exp((θ − cost(x, y) + π(x)) / w(x) − 1)), with
θ ≤ cost(x, y) − π(x) where w(x) = 0: a column v costs at least that for each unit of Σ_x p(x) v(x), and those add to 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from leakgauge.errors import OptionError, UnprovedError
from leakgauge.probability.cells import Floats, log_or_zero

ROUNDING = 2.0**-46
"""A relative slack far above the rounding of the sums here; every bound gives it away: a gap is never flattered."""


@dataclass(frozen=True)
class Secrets:
    """p(x, z) with every row and column above 0, and the tables made of it; one column where nobody knows more.

    ``weights`` is how much each secret matters, only without background; None where all count alike.
    """

    joint: Floats
    prior: Floats
    background: Floats
    weights: Floats | None = None

    @classmethod
    def of(cls, joint: Floats, weights: Floats | None = None) -> Secrets:
        """The tables of a joint."""
        return cls(joint, np.asarray(joint.sum(axis=1)), np.asarray(joint.sum(axis=0)), weights)

    @cached_property
    def given_secret(self) -> Floats:
        """p(z|x), one row per secret."""
        return np.asarray(self.joint / self.prior[:, None])

    def seen(self, channel: Floats) -> Floats:
        """r(y|z), one row per background."""
        return np.asarray(self.joint.T @ channel / self.background[:, None])

    def leakage(self, channel: Floats) -> float:
        """I(X;Y|Z) of a channel from x, in nats; with weights I_w(X;Y)."""
        used = channel.any(axis=0)
        channel = channel if used.all() else channel[:, used]
        if self.weights is not None:
            ratios = log_or_zero(channel) - np.log(self.prior @ channel)
            return max(float((self.weights * self.prior) @ (channel * ratios).sum(axis=1)), 0.0)
        given = self.prior @ (channel * log_or_zero(channel)).sum(axis=1)
        seen = self.seen(channel)
        return max(float(given - self.background @ (seen * log_or_zero(seen)).sum(axis=1)), 0.0)


def require_gap(gap: float) -> None:
    """Refuse a gap in nats that no proof can reach."""
    if not 0 < gap < math.inf:
        raise OptionError("A gap of {gap} nats cannot be reached; give a finite number above 0.", gap=gap)


def not_reached(found: float, asked: float) -> UnprovedError:
    """The error that says how close the search came, in nats."""
    return UnprovedError(
        "The best channel found is proven to be within {found:.3g} nats of the best, not within {asked:.3g}; ask for a "
        "larger gap.",
        found=found,
        asked=asked,
    )


def lower_bound(secrets: Secrets, costs: Floats, logarithms: Floats) -> float:
    """What every channel costs at least, in nats, by any ln r(y|z); costs are infinite where a letter is forbidden."""
    # Any weights prove a bound; at e^-600 and above no ratio below is lost to underflow.
    logarithms = np.maximum(logarithms, -600.0)
    channel, value = induced_by(secrets, costs, logarithms)
    loss, felt = ratio_loss(secrets, channel, logarithms)
    loss += math.log(float(secrets.prior @ felt.max(axis=1)))
    return value - loss - ROUNDING * (1 + abs(value) + abs(loss))


def ratio_loss(secrets: Secrets, channel: Floats, logarithms: Floats) -> tuple[float, Floats]:
    """Σ_z p(z) ln m(z), m(z) = max_y c(y,z), and Σ_z p(z|x) c(y,z) / m(z), one row per x; all of it at most 1."""
    with np.errstate(divide="ignore"):
        ratios = np.log(secrets.seen(channel)) - logarithms
    highest = ratios.max(axis=1, keepdims=True)
    return float(secrets.background @ highest[:, 0]), np.asarray(secrets.given_secret @ np.exp(ratios - highest))


def induced_by(secrets: Secrets, costs: Floats, logarithms: Floats) -> tuple[Floats, float]:
    """The best channel for the weights ln r(y|z), and what both cost in nats."""
    scores = secrets.given_secret @ logarithms - costs
    highest = scores.max(axis=1, keepdims=True)
    channel = np.exp(scores - highest)
    totals = channel.sum(axis=1, keepdims=True)
    return channel / totals, -float(secrets.prior @ (highest + np.log(totals))[:, 0])


def weighted_lower_bound(secrets: Secrets, costs: Floats, prices: Floats) -> float:
    """What every channel costs at least where secrets have weights, in nats, by any prices p(x) π(x)."""
    assert secrets.weights is not None
    reduced = costs - (prices / secrets.prior)[:, None]
    matters = secrets.weights > 0
    weights, prior, own = secrets.weights[matters][:, None], secrets.prior[matters][:, None], reduced[matters]
    exponents = own / weights + 1 - np.log(prior)
    # At the start one term is 1 and none above it; from there Newton's steps on a convex function only fall.
    levels = (weights * exponents).min(axis=0)
    for _ in range(60):
        terms = np.exp(levels / weights - exponents)
        total = terms.sum(axis=0)
        change = np.log(total) * total / (terms / weights).sum(axis=0)
        levels = levels - change
        if (abs(change) <= 1e-15 * (1 + abs(levels))).all():
            break
    if not matters.all():
        levels = np.minimum(levels, reduced[~matters].min(axis=0))
    # Any level proves a bound: one that is not quite the best only makes the gap larger.
    least = float((levels - (weights * np.exp(levels / weights - exponents)).sum(axis=0)).min())
    paid = float(prices.sum())
    return paid + least - ROUNDING * (1 + float(abs(prices).sum()) + abs(least) + float(abs(levels).max()))
