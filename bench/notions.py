"""Levels of a large channel, and a long composition beside dp-accounting."""

from __future__ import annotations

import time

import numpy as np

from leakgauge import notions, randomness
from leakgauge.measures import renyi
from leakgauge.mechanisms.steps import GaussianNoise, LaplaceNoise, RandomizedResponse, Step
from leakgauge.notions.composition import compose
from leakgauge.probability import Channel, Distribution


def run() -> None:
    matrix = randomness.simulation(0).dirichlet(np.ones(2000), 2000)
    channel, prior = Channel(range(2000), range(2000), matrix), Distribution.uniform(range(2000))
    start = time.process_time()
    found = notions.levels(channel, prior)
    seconds = time.process_time() - start
    print(f"{len(found)} levels of a 2000×2000 channel: {seconds:.2f} s of CPU; target 1 s")
    start = time.process_time()
    renyi.maximal_leakage(channel)
    print(f"of which maximal leakage: {time.process_time() - start:.3f} s")
    steps: list[Step] = [LaplaceNoise(0.01 * (k + 1), count=50) for k in range(7)]
    steps += [GaussianNoise(5.0 + k, count=50) for k in range(7)]
    steps += [RandomizedResponse(0.02 * (k + 1), letters=2 + k, count=50) for k in range(6)]
    compose(steps, 1e-6)  # imports
    start = time.process_time()
    whole = compose(steps, 1e-6)
    seconds = time.process_time() - start
    mechanisms = sum(step.count for step in steps)
    print(f"{mechanisms} mechanisms of {len(steps)} kinds composed: {seconds:.2f} s of CPU; target 5 s")
    print("  " + ", ".join(f"{method.value} ε = {epsilon:.4f}" for method, epsilon in whole.bounds.items()))
    _beside_dp_accounting()


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
