"""Certified optima: seconds of CPU a point, beside dit's and a conic solver's, and what warm starts save."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from leakgauge import randomness
from leakgauge.design import Knowledge, MaxDistortion, RateDistortion, Slope, capacity, frontier, solve, solve_on_grid
from leakgauge.distances import Absolute, Grid, Hamming, Squared
from leakgauge.probability import Channel, Distribution, Joint

Answer = TypeVar("Answer")


def run() -> None:
    solve(RateDistortion(Distribution([1, 2], [0.4, 0.6]), Squared(), Slope(1.0)))  # imports
    draw = randomness.simulation(0)
    five_hundred = Distribution(range(500), draw.dirichlet(np.ones(500)))
    problem = RateDistortion(five_hundred, Hamming(), Slope(3.0))
    seconds, best = timed(lambda: solve(problem, closed_forms=False))
    print(f"Hamming, 500 letters, closed form off: {seconds:.3f} s, gap {best.gap * math.log(2):.1e} nats")
    _beside_dit(five_hundred, seconds, best.leakage, best.distortion)
    two_thousand = Distribution(range(2000), draw.dirichlet(np.ones(2000)))
    seconds, best = timed(lambda: solve(RateDistortion(two_thousand, Hamming(), Slope(3.0)), gap=1e-6))
    print(f"Hamming, 2000 letters: {seconds:.3f} s, gap {best.gap * math.log(2):.1e} nats; target 0.5 s at 1e-6")
    _on_a_line(draw)
    _capacity()
    _one_sided(draw)
    _on_a_plane(draw)


def timed(work: Callable[[], Answer]) -> tuple[float, Answer]:
    start = time.process_time()
    answer = work()
    return time.process_time() - start, answer


def _on_a_line(draw: np.random.Generator) -> None:
    thousand = Distribution([place / 100 for place in range(1000)], draw.dirichlet(np.ones(1000)))
    for distortion in (Squared(), Absolute()):
        name = type(distortion).__name__.lower()
        for slope in (0.5, 3.0, 10.0):
            problem = RateDistortion(thousand, distortion, Slope(slope))
            one, best = timed(lambda problem=problem: solve(problem))  # type: ignore[misc]
            print(
                f"{name} distance, 1000 letters, slope {slope:g}: {one:.2f} s, {best.iterations} steps, "
                f"gap {best.gap * math.log(2):.1e} nats; target 2 s at 1e-9"
            )
        seconds, best = timed(lambda problem=problem: solve(problem.with_target(MaxDistortion(0.3))))  # type: ignore[misc]
        print(
            f"{name} distance, 1000 letters, distortion at most 0.3: {seconds:.2f} s, {seconds / one:.1f} × one point"
        )
        seconds, points = timed(lambda problem=problem: frontier(problem, 50))  # type: ignore[misc]
        print(
            f"{name} distance, frontier of {len(points)}: {seconds:.1f} s, {seconds / one:.1f} × one point; target 15 ×"
        )


def _capacity() -> None:
    places = np.linspace(-1, 1, 500)
    noise = np.exp(-((places[:, None] - places) ** 2) / (2 * 0.05**2))
    channel = Channel(range(500), range(500), noise / noise.sum(axis=1, keepdims=True))
    seconds, found = timed(lambda: capacity(channel))
    print(f"capacity of a 500×500 Gaussian channel: {seconds:.3f} s, gap {found.gap * math.log(2):.1e}; target 0.5 s")


def _one_sided(draw: np.random.Generator) -> None:
    joint = Joint(range(500), range(200), draw.dirichlet(np.full(100_000, 0.1)).reshape(500, 200))
    for slope in (2.0, 5.0):
        problem = RateDistortion(joint, Hamming(), Slope(slope), Knowledge.ATTACKER)
        seconds, best = timed(lambda problem=problem: solve(problem, gap=1e-3))  # type: ignore[misc]
        print(
            f"500 letters, 200 attacker backgrounds, slope {slope:g}: {seconds:.2f} s, {best.iterations} sweeps, "
            f"gap {best.gap * math.log(2):.1e} nats; target 5 s"
        )


def _on_a_plane(draw: np.random.Generator) -> None:
    prior = draw.dirichlet(np.ones(1_000_000)).reshape(1000, 1000)
    seconds, best = timed(lambda: solve_on_grid(prior, Grid((1000, 1000)), slope=0.3))
    print(
        f"straight distance, 1000×1000 cells, slope 0.3: {seconds:.1f} s, {best.iterations} sweeps, "
        f"gap {best.gap * math.log(2):.1e} nats; target 60 s at 1e-3"
    )


def _beside_dit(source: Distribution, ours: float, bits: float, distortion: float) -> None:
    """dit tries many starts and stops on stagnation; its cost is compared with the certified one at the same slope."""
    from dit.rate_distortion.blahut_arimoto import blahut_arimoto

    beta = 3.0 / math.log(2)
    seconds, (found, _) = timed(lambda: blahut_arimoto(source.probabilities, beta, restarts=1))
    above = found.rate + beta * found.distortion - bits - beta * distortion
    print(f"  dit, one start: {seconds:.2f} s, {seconds / ours:.1f} × ours, and {above:.1e} bits above the optimum")
