"""Distributions, channels, joints, counts, scenarios and estimates: labels and read-only arrays."""

from leakgauge.probability.channel import Channel
from leakgauge.probability.counts import Counts
from leakgauge.probability.distribution import Distribution
from leakgauge.probability.estimate import Estimate
from leakgauge.probability.files import PriorOrigin
from leakgauge.probability.joint import Joint
from leakgauge.probability.labels import Interval, Label
from leakgauge.probability.scenario import Scenario, Seen

__all__ = [
    "Channel",
    "Counts",
    "Distribution",
    "Estimate",
    "Interval",
    "Joint",
    "Label",
    "PriorOrigin",
    "Scenario",
    "Seen",
]
