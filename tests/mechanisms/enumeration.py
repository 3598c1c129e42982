"""The exact ε of a law over neighbouring lists of numbers, by going through many of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import product

import numpy as np
import numpy.typing as npt

from leakgauge.mechanisms.noise import DiscreteLaplace

Law = Callable[[list[float]], npt.NDArray[np.float64]]
Lists = tuple[list[float], list[float]]


def neighbouring(values: Iterable[float], length: int, moves: Iterable[float]) -> Iterator[Lists]:
    """Every list of so many of these values, with every list that moves each of its numbers by one of the moves."""
    steps = list(product(moves, repeat=length))
    for first in product(values, repeat=length):
        for step in steps:
            yield list(first), [one + by for one, by in zip(first, step, strict=True)]


def exact_epsilon(law: Law, pairs: Iterable[Lists]) -> float:
    """The largest log-ratio of any output over the pairs, in nats."""
    known: dict[tuple[float, ...], npt.NDArray[np.float64]] = {}
    worst = 0.0
    for pair in pairs:
        for one in pair:
            if tuple(one) not in known:
                known[tuple(one)] = np.log(law(one))
        worst = max(worst, float(np.abs(known[tuple(pair[0])] - known[tuple(pair[1])]).max()))
    return worst


def noise_chances(noise: DiscreteLaplace, reach: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """The noise −reach … reach and the chance of each, from the definition."""
    steps = np.arange(-reach, reach + 1)
    weights = np.exp(-np.abs(steps) / noise.scale)
    return steps, weights / weights.sum()
