"""Where random bits come from: the operating system, or a seed."""

from __future__ import annotations

import os
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from leakgauge.errors import OptionError

Words: TypeAlias = npt.NDArray[np.uint64]


class Randomness(Protocol):
    """A source of independent uniform 64-bit words."""

    @property
    def private(self) -> bool:
        """Whether nobody else can draw the same words; only then can the draws protect anyone."""

    def words(self, count: int) -> Words:
        """An array of ``count`` words."""


def require_source(randomness: Randomness) -> None:
    """Refuse what draws no words, such as None."""
    if not hasattr(randomness, "words"):
        raise OptionError(
            "The randomness is of type {found!r}; give OperatingSystem(), or Simulated(seed) for a simulation.",
            found=type(randomness).__name__,
        )


class OperatingSystem:
    """The kernel's cryptographic generator: no state in this process, so nothing to steal, fork or repeat."""

    private = True

    def words(self, count: int) -> Words:
        """An array of ``count`` words."""
        return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)


class Simulated:
    """Words that follow from a seed: for simulations only, anyone who knows the seed draws them again."""

    private = False

    def __init__(self, simulation_seed: int) -> None:
        if simulation_seed < 0:
            raise OptionError(
                "A simulation seed of {seed} is below 0; give a whole number from 0 on.", seed=simulation_seed
            )
        self.simulation_seed = simulation_seed
        self._generator = np.random.PCG64(simulation_seed)

    def words(self, count: int) -> Words:
        """An array of ``count`` words."""
        return self._generator.random_raw(count)


def simulation(simulation_seed: int) -> np.random.Generator:
    """A seeded generator for simulations only: anyone with the seed can generate the same words."""
    return np.random.Generator(np.random.PCG64(simulation_seed))
