"""Levels that need no outputs: of a channel that is written down."""

from __future__ import annotations

from leakgauge.claims import ApproximateDP, GaussianDP, RenyiDP, Statement, ZeroConcentratedDP
from leakgauge.notions import Level, approximate_dp_at, gaussian_dp, renyi_dp, zero_concentrated_dp
from leakgauge.notions.ratios import local_dp
from leakgauge.probability import Channel


def exact_level(channel: Channel, claim: Statement) -> Level:
    """The level of the claim's notion that a channel has, over any two of its inputs, with those that reach it."""
    if isinstance(claim, ApproximateDP):
        return approximate_dp_at(channel, claim.delta)
    if isinstance(claim, RenyiDP):
        return renyi_dp(channel, claim.order)
    if isinstance(claim, ZeroConcentratedDP):
        return zero_concentrated_dp(channel)
    return gaussian_dp(channel) if isinstance(claim, GaussianDP) else local_dp(channel)
