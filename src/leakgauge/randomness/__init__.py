"""The only source of random bits, and the exact samplers that turn them into numbers.

Releases draw from the operating system. Simulations, bootstraps and tests draw from a seeded generator, which
protects nobody and is named so.
"""

from leakgauge.randomness.alias import AliasTables
from leakgauge.randomness.discrete import (
    discrete_gaussian,
    discrete_laplace,
    opendp_discrete_gaussian,
    opendp_discrete_laplace,
)
from leakgauge.randomness.draws import below, coins, proportionally, shuffled
from leakgauge.randomness.sources import OperatingSystem, Randomness, Simulated, simulation

__all__ = [
    "AliasTables",
    "OperatingSystem",
    "Randomness",
    "Simulated",
    "below",
    "coins",
    "discrete_gaussian",
    "discrete_laplace",
    "opendp_discrete_gaussian",
    "opendp_discrete_laplace",
    "proportionally",
    "shuffled",
    "simulation",
]
