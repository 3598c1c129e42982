"""Tracking 10^5 steps on 10^4 cells: the filter and the smoother, in seconds of CPU."""

from __future__ import annotations

import numpy as np

from bench.clock import timed
from leakgauge.location.areas import distances_apart
from leakgauge.location.tracking.evidence import Evidence
from leakgauge.location.tracking.markov import track
from leakgauge.location.tracking.movement import Following, Movement, gravity, speed_limit
from leakgauge.probability import Distribution
from leakgauge.randomness.sources import simulation

SIDE, STEPS = 100, 100_000
SIZE = f"{STEPS:,} steps on {SIDE * SIDE:,} cells"


def run() -> None:
    labels = range(SIDE * SIDE)
    points = np.stack(np.divmod(np.arange(SIDE * SIDE), SIDE), axis=-1).astype(np.float64)
    movement = Movement(Distribution.uniform(labels), speed_limit(labels, points, reach=2))
    channel = gravity(labels, points, np.ones(SIDE * SIDE), reach=8, scale=1)
    truth = movement.simulate(1, STEPS, simulation_seed=1)[0]
    reports = Following(channel).draw(truth, simulation(2))
    evidence = Evidence.of_codes(channel, reports)
    for name, work in {
        "one report at a time": lambda: track(Movement.independent(movement.start), evidence, points),
        "filter": lambda: track(movement, evidence, points),
        "smoother": lambda: track(movement, evidence, points, hindsight=True),
    }.items():
        seconds, found = timed(work)
        off = distances_apart(points, found.guesses, truth).mean()
        print(f"{SIZE}, {name}: {seconds:.1f} s; errs {off:.3f} cells, expects {found.errors.mean():.3f}; target 60 s")
