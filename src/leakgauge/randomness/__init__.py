"""The only source of random bits.

Releases will draw from the operating system through this room. Simulations, bootstraps and tests draw from
a seeded generator, which protects nobody and is named so.
"""

from __future__ import annotations

import numpy as np


def simulation(simulation_seed: int) -> np.random.Generator:
    """A seeded generator for simulations only: what it draws can be drawn again by anyone."""
    return np.random.Generator(np.random.PCG64(simulation_seed))


__all__ = ["simulation"]
