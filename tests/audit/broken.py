"""Mechanisms with planted faults, and right ones, drawn many at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from leakgauge import randomness

Sampler = Callable[[Any, int], Any]


def on_grid(numbers: Any) -> Any:
    """On multiples of 2^-10, so that no low bit tells anything."""
    return np.rint(np.asarray(numbers) * 1024) / 1024


def laplace(seed: int, scale: float) -> Sampler:
    draw = randomness.simulation(seed)
    return lambda value, count: on_grid(value + draw.laplace(0, scale, count))


def textbook_laplace(seed: int, scale: float = 1.0) -> Sampler:
    draw = randomness.simulation(seed)
    return lambda value, count: value + draw.laplace(0, scale, count)


def unclamped_mean(seed: int, people: int = 100) -> Sampler:
    """The mean of values that ought to be clamped to [0, 1]: noise of scale 1/n, values as they come."""
    draw = randomness.simulation(seed)
    return lambda values, count: on_grid(np.mean(values) + draw.laplace(0, 1 / people, count))


def without_noise(value: float, count: int) -> Any:
    """Noise for a sensitivity of 0 is none."""
    return np.full(count, value)


def stale_key(seed: int) -> Sampler:
    """Randomized response whose key is never renewed: each batch repeats the coins of the one before."""

    def run(value: int, count: int) -> Any:
        lies = randomness.simulation(seed).random(count) < 1 / (1 + np.e)
        return np.where(lies, 1 - value, value)

    return run
