"""Levels of a large channel; long compositions and the noise for a target, beside dp-accounting."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from leakgauge import notions, randomness
from leakgauge.claims import ApproximateDP
from leakgauge.measures import renyi
from leakgauge.mechanisms.steps import (
    DiscreteGaussianNoise,
    DiscreteLaplaceNoise,
    ExponentialChoice,
    GaussianNoise,
    LaplaceNoise,
    PermuteAndFlip,
    RandomizedResponse,
    Step,
)
from leakgauge.notions.composition import Neighbours, calibrate, compose, profile
from leakgauge.probability import Channel, Distribution

Answer = TypeVar("Answer")
RUNS, RATE, EPSILON, DELTA = 1000, 0.01, 1.0, 1e-6


def run() -> None:
    matrix = randomness.simulation(0).dirichlet(np.ones(2000), 2000)
    channel, prior = Channel(range(2000), range(2000), matrix), Distribution.uniform(range(2000))
    found, seconds = _timed(lambda: notions.levels(channel, prior))
    print(f"{len(found)} levels of a 2000×2000 channel: {seconds:.2f} s of CPU; target 1 s")
    print(f"of which maximal leakage: {_timed(lambda: renyi.maximal_leakage(channel))[1]:.3f} s")
    compose([LaplaceNoise(0.1, count=9)], DELTA)  # imports
    _of_many_kinds()
    _of_distinct_mechanisms()
    _noise_for_a_target()
    _beside_dp_accounting()


def _timed(task: Callable[[], Answer]) -> tuple[Answer, float]:
    start = time.process_time()
    return task(), time.process_time() - start


def _of_many_kinds() -> None:
    steps: list[Step] = [LaplaceNoise(0.01 * (k + 1), count=50) for k in range(7)]
    steps += [GaussianNoise(5.0 + k, count=50) for k in range(7)]
    steps += [RandomizedResponse(0.02 * (k + 1), letters=2 + k, count=50) for k in range(6)]
    whole, seconds = _timed(lambda: compose(steps, DELTA))
    mechanisms = sum(step.count for step in steps)
    print(f"{mechanisms} mechanisms of {len(steps)} kinds composed: {seconds:.2f} s of CPU; target 2 s")
    print("  " + ", ".join(f"{method.value} ε = {epsilon:.4f}" for method, epsilon in whole.bounds.items()))


def _of_distinct_mechanisms() -> None:
    """No two alike; dp-accounting gets the half of them that it has events for, and so do we beside it."""
    import dp_accounting
    from dp_accounting.pld import PLDAccountant

    levels = randomness.simulation(1).uniform(0.01, 0.1, RUNS).tolist()
    kinds: list[Callable[[float], Step]] = [
        LaplaceNoise,
        lambda level: GaussianNoise(1 / level),
        lambda level: GaussianNoise(0.3 / level, sampling_probability=0.1),
        lambda level: DiscreteLaplaceNoise(level, 3),
        ExponentialChoice,
        PermuteAndFlip,
        lambda level: DiscreteGaussianNoise(1 / level, 2),
        lambda level: RandomizedResponse(level, 3),
    ]
    steps = [kinds[at % 8](level) for at, level in enumerate(levels)]
    whole, seconds = _timed(lambda: compose(steps, DELTA))
    print(
        f"{RUNS} distinct mechanisms of 8 kinds composed: {seconds:.2f} s of CPU, ε = {whole.epsilon:.4f}; target 2 s"
    )

    def theirs() -> float:
        accountant = PLDAccountant()
        for at, level in enumerate(levels):
            noise = dp_accounting.GaussianDpEvent(0.3 / level) if at % 2 else dp_accounting.LaplaceDpEvent(1 / level)
            accountant.compose(dp_accounting.PoissonSampledDpEvent(0.1, noise) if at % 2 else noise)
        return float(accountant.get_epsilon(DELTA))

    both = [
        GaussianNoise(0.3 / level, sampling_probability=0.1) if at % 2 else LaplaceNoise(level)
        for at, level in enumerate(levels)
    ]
    ours, seconds = _timed(lambda: profile(both, neighbours=Neighbours.ADD_OR_REMOVE_ONE).epsilon_at(DELTA))
    epsilon, their_seconds = _timed(theirs)
    print(
        f"  Laplace and sampled Gaussian alone: ours ε = {ours:.4f} in {seconds:.2f} s, "
        f"dp-accounting ε = {epsilon:.4f} in {their_seconds:.2f} s; {seconds / their_seconds:.3f} of its time"
    )


def _noise_for_a_target() -> None:
    import dp_accounting
    from dp_accounting.pld import PLDAccountant

    found, seconds = _timed(
        lambda: calibrate(
            lambda sigma: [GaussianNoise(sigma, count=RUNS, sampling_probability=RATE)],
            ApproximateDP(EPSILON, DELTA),
            between=(0.3, 300.0),
            neighbours=Neighbours.ADD_OR_REMOVE_ONE,
        )
    )

    def event(sigma: float) -> Any:
        sampled = dp_accounting.PoissonSampledDpEvent(RATE, dp_accounting.GaussianDpEvent(sigma))
        return dp_accounting.SelfComposedDpEvent(sampled, RUNS)

    def theirs() -> float:
        bracket = dp_accounting.ExplicitBracketInterval(0.3, 300.0)
        precision = found.parameter * 1e-4
        return float(dp_accounting.calibrate_dp_mechanism(PLDAccountant, event, EPSILON, DELTA, bracket, tol=precision))

    sigma, their_seconds = _timed(theirs)
    print(
        f"noise for ({EPSILON}, {DELTA}) after {RUNS} Gaussians sampled at {RATE}: ours {found.parameter:.4f} in "
        f"{seconds:.2f} s and {found.evaluations} evaluations (target 2 s), "
        f"dp-accounting {sigma:.4f} in {their_seconds:.2f} s; "
        f"{seconds / their_seconds:.3f} of its time"
    )


def _beside_dp_accounting() -> None:
    import dp_accounting
    from dp_accounting.pld import PLDAccountant

    start = time.process_time()
    theirs = PLDAccountant(dp_accounting.NeighboringRelation.REPLACE_ONE)
    theirs.compose(dp_accounting.RandomizedResponseDpEvent(2 / (1 + np.exp(1.0986)), 2), 10)
    seconds = time.process_time() - start
    ours = compose([RandomizedResponse(1.0986, letters=2, count=10)], 1e-9)
    print(
        f"ten randomized responses at ε = 1.0986, δ = 1e-9: ours {ours.epsilon:.4f}, "
        f"dp-accounting's PLD accountant with count=10 {theirs.get_epsilon(1e-9):.4f} ({seconds:.2f} s)"
    )
