"""The catalogue of mechanisms, one file each."""

from leakgauge.mechanisms.discrete_gaussian import discrete_gaussian
from leakgauge.mechanisms.finite import FiniteMechanism
from leakgauge.mechanisms.gaussian import gaussian
from leakgauge.mechanisms.geometric import geometric
from leakgauge.mechanisms.laplace import laplace
from leakgauge.mechanisms.laws import DiscreteGaussian, DiscreteLaplace
from leakgauge.mechanisms.mechanism import Capabilities, Mechanism, spelled
from leakgauge.mechanisms.noisy_number import NoisyNumber, Span
from leakgauge.mechanisms.randomized_response import randomized_response
from leakgauge.mechanisms.through_channel import through_channel

__all__ = [
    "Capabilities",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "FiniteMechanism",
    "Mechanism",
    "NoisyNumber",
    "Span",
    "discrete_gaussian",
    "gaussian",
    "geometric",
    "laplace",
    "randomized_response",
    "spelled",
    "through_channel",
]
