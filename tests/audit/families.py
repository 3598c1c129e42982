"""Right and broken mechanisms on which auditors are compared in the literature, drawn many at a time.

Restated from the papers: histograms and report noisy max (Ding, Wang, Wang, Zhang and Kifer, Detecting violations of
differential privacy, CCS 2018, algorithms 5 to 10), the sparse vector technique (Lyu, Su and Li, Understanding the
sparse vector technique for differential privacy, VLDB 2017, algorithms 1 to 6), numerical sparse vector and prefix sums
(Wang, Ding, Wang, Kifer and Zhang, Proving differential privacy with shadow execution, PLDI 2019), RAPPOR (Erlingsson,
Pihur and Korolova, CCS 2014), the truncated geometric mechanism (Balcer and Vadhan, Differential privacy on finite
computers, 2018), and two that run others side by side (Bichsel, Steffen, Bogunovic and Vechev, DP-Sniper, S&P 2021),
whose settings all of them have. Numbers are on a grid: what they leak is the fault of the algorithm and not of its
floats.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from leakgauge.claims import CentralDP
from leakgauge.mechanisms.mechanism import Pair
from leakgauge.randomness import simulation
from tests.audit.broken import Sampler, on_grid

Draw = np.random.Generator
FALSE, ABORTED = -1000.0, -2000.0
"""What numerical answers have in place of a number."""
HASHES, BITS = 4, 20


@dataclass(frozen=True)
class Family:
    """A mechanism with neighbouring inputs.

    Attributes:
        epsilon: the level it claims.
        level: the most that the inputs may show, by proof; infinite where no level is kept.
        run: so many outputs on an input.
    """

    name: str
    epsilon: float
    level: float
    pairs: tuple[Pair, ...]
    run: Callable[[Draw, Any, int], Any]

    @property
    def claim(self) -> CentralDP:
        return CentralDP(self.epsilon)

    @property
    def broken(self) -> bool:
        return self.level > self.epsilon * (1 + 1e-9)

    def sampler(self, seed: int) -> Sampler:
        draw = simulation(seed)
        return lambda value, count: self.run(draw, np.asarray(value, dtype=np.float64), count)


def families(epsilon: float = 0.1) -> list[Family]:
    """All of them at a claimed ε; those of DP-Sniper are at 0.1."""
    one, five, ten = _one_moves(1), _one_moves(5), _all_move(10)
    keep = 1 / (1 + 2.0 ** -math.ceil(math.log(2 / epsilon)))
    flip = 1 / (1 + math.exp(epsilon))
    bits = ((tuple(range(HASHES)), tuple(range(HASHES, 2 * HASHES))),)
    return [
        Family("Laplace", epsilon, epsilon, one, lambda d, x, n: on_grid(x + d.laplace(0, 1 / epsilon, n))),
        Family("TruncatedGeometric", -math.log(keep), -math.log(keep), one, _truncated(keep)),
        Family("NoisyHist1", epsilon, epsilon, five, _histogram(1 / epsilon)),
        Family("NoisyHist2", epsilon, 1 / epsilon, five, _histogram(epsilon)),
        Family("ReportNoisyMax1", epsilon, epsilon, _all_move(5), _noisy(epsilon, Draw.laplace, np.argmax)),
        Family("ReportNoisyMax2", epsilon, epsilon, _all_move(5), _noisy(epsilon, _exponential, np.argmax)),
        Family("ReportNoisyMax3", epsilon, 2.5 * epsilon, _all_move(5), _noisy(epsilon, Draw.laplace, np.max)),
        Family("ReportNoisyMax4", epsilon, math.inf, _all_move(5), _noisy(epsilon, _exponential, np.max)),
        Family("SVT1", epsilon, epsilon, ten, _sparse(2 / epsilon, 4 / epsilon)),
        # After the only answer that it gives, a new threshold changes nothing.
        Family("SVT2", epsilon, epsilon, ten, _sparse(2 / epsilon, 4 / epsilon)),
        Family("SVT3", epsilon, math.inf, ten, _sparse(2 / epsilon, 2 / epsilon, values=True)),
        Family("SVT4", epsilon, 1.75 * epsilon, ten, _sparse(4 / epsilon, 4 / epsilon / 3)),
        Family("SVT5", epsilon, math.inf, ten, _sparse(2 / epsilon, None, endless=True)),
        # Infinite for any number of queries; of ten each adds at most ε/2, and five of them move in the worst case.
        Family("SVT6", epsilon, 5 * epsilon, ten, _sparse(2 / epsilon, 2 / epsilon, endless=True)),
        Family("RAPPOR", 8 * _odds(0.4875), 8 * _odds(0.4875), bits, _bloom(0.4875)),
        Family("OneTimeRAPPOR", 8 * _odds(0.475), 8 * _odds(0.475), bits, _bloom(0.475)),
        Family("RAPPOR with too little noise", 4 * epsilon, 8 * epsilon, bits, _bloom(flip)),
        Family("LaplaceParallel", epsilon, epsilon, one, _parallel_laplace(epsilon / 20)),
        Family("SVT34Parallel", 2 * epsilon, math.inf, ten, _parallel_sparse(epsilon)),
        Family("PrefixSum", epsilon, 10 * epsilon, ten, _prefix_sums(epsilon)),
        Family("NumericalSVT", epsilon, epsilon, ten, _numerical_sparse(epsilon)),
    ]


def family(name: str, epsilon: float = 0.1) -> Family:
    return next(one for one in families(epsilon) if one.name == name)


def _one_moves(length: int) -> tuple[Pair, ...]:
    same = (1.0,) * (length - 1)
    return (((1.0, *same), (0.0, *same)), ((1.0, *same), (2.0, *same)))


def _all_move(length: int) -> tuple[Pair, ...]:
    """One above, one below, one above and the rest below and the reverse, half and half, all, and the X."""
    half, rest = length // 2, length - length // 2
    ones = (1.0,) * length
    others = [
        (2.0, *(0.0,) * (length - 1)),
        (0.0, *(2.0,) * (length - 1)),
        (2.0,) * half + (0.0,) * rest,
        (2.0,) * length,
        (0.0,) * length,
    ]
    crossed = ((1.0,) * half + (0.0,) * rest, (0.0,) * half + (1.0,) * rest)
    return (*_one_moves(length), *((ones, other) for other in others), crossed)


def _odds(flip: float) -> float:
    return math.log((1 - flip) / flip)


def _exponential(draw: Draw, _: float, scale: float, size: tuple[int, ...]) -> Any:
    return draw.exponential(scale, size)


def _histogram(scale: float) -> Callable[[Draw, Any, int], Any]:
    return lambda draw, x, count: on_grid(x + draw.laplace(0, scale, (count, len(x))))


def _truncated(keep: float) -> Callable[[Draw, Any, int], Any]:
    def run(draw: Draw, x: Any, count: int) -> Any:
        up, down = (draw.geometric(1 - keep, count) for _ in range(2))
        return np.clip(x.astype(np.int64) + up - down, 0, 5)

    return run


def _noisy(epsilon: float, noise: Any, reported: Callable[..., Any]) -> Callable[[Draw, Any, int], Any]:
    def run(draw: Draw, x: Any, count: int) -> Any:
        found = reported(x + noise(draw, 0.0, 2 / epsilon, (count, len(x))), axis=1)
        return found if reported is np.argmax else on_grid(found)

    return run


def _sparse(
    threshold: float, queries: float | None, values: bool = False, endless: bool = False
) -> Callable[[Draw, Any, int], Any]:
    """Which queries are above a noisy threshold of 1, up to the first one or without end; or their noisy values."""

    def run(draw: Draw, x: Any, count: int) -> Any:
        bar = 1 + draw.laplace(0, threshold, (count, 1))
        noisy = x + (0.0 if queries is None else draw.laplace(0, queries, (count, len(x))))
        above = np.broadcast_to(noisy >= bar, (count, len(x)))
        done = np.zeros_like(above) if endless else np.cumsum(above, axis=1) - above > 0
        if not values:
            return np.where(done, -1, above.astype(np.int64))
        return np.where(done, ABORTED, np.where(above, on_grid(noisy), FALSE))

    return run


def _numerical_sparse(epsilon: float, answers: int = 2) -> Callable[[Draw, Any, int], Any]:
    """Values, with fresh noise, of the queries above a noisy threshold of 1, and 0 of others."""

    def run(draw: Draw, x: Any, count: int) -> Any:
        size = (count, len(x))
        bar = 1 + draw.laplace(0, 3 / epsilon, (count, 1))
        above = x + draw.laplace(0, 6 * answers / epsilon, size) >= bar
        fresh = on_grid(x + draw.laplace(0, 3 * answers / epsilon, size))
        done = np.cumsum(above, axis=1) - above >= answers
        return np.where(done, FALSE, np.where(above, fresh, 0.0))

    return run


def _bloom(flip: float) -> Callable[[Draw, Any, int], Any]:
    """The bits of a Bloom filter, each of them flipped; an input is the bits that are set."""

    def run(draw: Draw, x: Any, count: int) -> Any:
        bits = np.isin(np.arange(BITS), x)
        return (bits ^ (draw.random((count, BITS)) < flip)).astype(np.int64)

    return run


def _parallel_laplace(epsilon: float) -> Callable[[Draw, Any, int], Any]:
    return lambda draw, x, count: on_grid(x[0] + draw.laplace(0, 1 / epsilon, (count, 20)))


def _parallel_sparse(epsilon: float) -> Callable[[Draw, Any, int], Any]:
    numbers, letters = _sparse(2 / epsilon, 2 / epsilon, values=True), _sparse(4 / epsilon, 4 / epsilon / 3)
    return lambda draw, x, count: np.hstack([numbers(draw, x, count), letters(draw, x, count)])


def _prefix_sums(epsilon: float) -> Callable[[Draw, Any, int], Any]:
    return lambda draw, x, count: on_grid(np.cumsum(x + draw.laplace(0, 1 / epsilon, (count, len(x))), axis=1))
