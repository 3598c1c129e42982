"""Proofs of optimality: a lower bound on what any channel costs, and the cost of a given one. All in nats.

The cost of a channel is I(X;Y|Z) + E cost(X,Y). For any weights r(y|z) > 0, and q(y|x) the channel they induce, no
channel costs less than

    −Σ_x p(x) ln Σ_y exp(Σ_z p(z|x) ln r(y|z) − cost(x, y)) − Σ_z p(z) ln max_y c(y, z),

c(y, z) = Σ_x p(x|z) q(y|x) / r(y|z). The first sum is convex in r and falls by p(z) ln t when r(·|z) grows t-fold, so
that its tangent at r bounds it everywhere. Without background this is the bound of Blahut and Arimoto.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from leakgauge.probability.cells import Floats, log_or_zero

ROUNDING = 2.0**-46
"""A relative slack far above the rounding of the sums here; every bound gives it away: a gap is never flattered."""


@dataclass(frozen=True)
class Secrets:
    """p(x, z) with every row and column above 0, and the tables made of it; one column where nobody knows more.

    Attributes:
        joint: p(x, z).
        prior: p(x).
        background: p(z).
    """

    joint: Floats
    prior: Floats
    background: Floats

    @classmethod
    def of(cls, joint: Floats) -> Secrets:
        """The tables of a joint."""
        return cls(joint, np.asarray(joint.sum(axis=1)), np.asarray(joint.sum(axis=0)))

    @cached_property
    def given_secret(self) -> Floats:
        """p(z|x), a row a secret."""
        return np.asarray(self.joint / self.prior[:, None])

    def seen(self, channel: Floats) -> Floats:
        """r(y|z), a row a background."""
        return np.asarray(self.joint.T @ channel / self.background[:, None])

    def leakage(self, channel: Floats) -> float:
        """I(X;Y|Z) of a channel from x, in nats."""
        channel = channel[:, channel.any(axis=0)]
        given = self.prior @ (channel * log_or_zero(channel)).sum(axis=1)
        seen = self.seen(channel)
        return max(float(given - self.background @ (seen * log_or_zero(seen)).sum(axis=1)), 0.0)


def lower_bound(secrets: Secrets, costs: Floats, logarithms: Floats) -> float:
    """What every channel costs at least, in nats.

    Args:
        secrets: p(x, z).
        costs: of releasing y for x, in nats; infinite where it is forbidden.
        logarithms: ln r(y|z), a row a background.
    """
    # Any weights prove a bound; at e^-600 and above no ratio below is lost to underflow.
    logarithms = np.maximum(logarithms, -600.0)
    scores = secrets.given_secret @ logarithms - costs
    highest = scores.max(axis=1)
    channel = np.exp(scores - highest[:, None])
    totals = channel.sum(axis=1)
    value = -float(secrets.prior @ (highest + np.log(totals)))
    ratios = _largest_ratios(secrets, channel / totals[:, None], logarithms)
    loss = float(secrets.background @ np.log(ratios))
    return value - loss - ROUNDING * (1 + abs(value) + abs(loss))


def _largest_ratios(secrets: Secrets, channel: Floats, logarithms: Floats) -> Floats:
    """max_y c(y, z) for each z."""
    seen = secrets.seen(channel)
    with np.errstate(divide="ignore"):
        return np.asarray(np.exp((np.log(seen) - logarithms).max(axis=1)))
