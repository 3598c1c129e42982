"""The only source of random bits, and the exact samplers that turn them into numbers.

Releases draw from the operating system. Simulations, bootstraps and tests draw from a seeded generator, which
protects nobody and is named so.
"""

from leakgauge.randomness.sources import OperatingSystem, Randomness, Simulated, simulation

__all__ = [
    "OperatingSystem",
    "Randomness",
    "Simulated",
    "simulation",
]
