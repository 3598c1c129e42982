"""Measures of large joints beside one numpy pass and dit."""

from __future__ import annotations

import time

import numpy as np

from bench.clock import best, line
from leakgauge import measures, randomness
from leakgauge.probability import Channel, Counts, Joint, Scenario, Seen


def run() -> None:
    random = randomness.simulation(0)
    matrix = random.random((1000, 1000))
    matrix /= matrix.sum()
    one_pass = best(lambda: -(matrix * np.log2(matrix)).sum(), 15)
    joint = Joint(range(1000), range(1000), matrix)
    line(
        "all basic measures of a 1000×1000 joint",
        best(lambda: measures.basic(Scenario(joint), Seen.BACKGROUND), 15),
        one_pass,
        "one numpy pass −Σ p log2 p",
        "3 ×",
    )
    scenario = Scenario(joint.row_marginal(), joint.channel())
    line("the same of source and channel", best(lambda: measures.basic(scenario), 15), one_pass, "one numpy pass")
    _beside_dit(random)
    _sparse(random)
    _estimate(random)


def _beside_dit(random: np.random.Generator) -> None:
    import dit

    small = random.random((60, 60))
    small /= small.sum()
    start = time.perf_counter()
    theirs = dit.Distribution([(str(i), str(j)) for i in range(60) for j in range(60)], small.ravel().tolist())
    theirs.set_rv_names("XY")
    dit.shannon.mutual_information(theirs, ["X"], ["Y"])
    dit_seconds = time.perf_counter() - start
    ours = best(lambda: measures.background_floor(Scenario(Joint(range(60), range(60), small))))
    line("build a 60×60 joint and its mutual information", ours, dit_seconds, "dit")


def _sparse(random: np.random.Generator) -> None:
    rows = np.repeat(np.arange(100_000), 5)
    columns = random.integers(0, 50, len(rows))
    values = random.random(len(rows))
    values /= values.sum()
    start = time.perf_counter()
    joint = Joint.from_cells(range(100_000), range(50), rows, columns, values)
    scenario = Scenario(joint, Channel.identity(range(100_000)))
    found = measures.leakage_with_background(scenario), measures.background_floor(scenario)
    seconds = time.perf_counter() - start
    print(f"sparse 100000×50 joint, {len(rows)} draws, identity channel: {seconds:.3f} s (I(X;YZ), I(X;Z) = {found})")


def _estimate(random: np.random.Generator) -> None:
    for shape, n in (((7, 14), 30_718), ((1000, 1000), 10_000_000)):
        probabilities = random.dirichlet(np.ones(shape[0] * shape[1]))
        counts = Counts(
            {"x": range(shape[0]), "y": range(shape[1])}, random.multinomial(n, probabilities).reshape(shape)
        )
        seconds = best(lambda: measures.estimate(measures.mutual_information, counts, ["x"], ["y"]), 3)  # noqa: B023
        print(f"estimate of I with interval, {shape[0]}×{shape[1]}, n = {n}: {seconds:.3f} s")
