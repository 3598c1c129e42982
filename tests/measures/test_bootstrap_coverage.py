"""Measured coverage of redrawn intervals: at least 93 in 100 hold the truth, ties and rare outcomes included.

The intervals are those of ``bootstrap`` itself, before they are widened to hold a point estimate.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest

from leakgauge.measures import guessing, renyi, vulnerability
from leakgauge.measures.bootstrap import CountedCells, bootstrap
from leakgauge.measures.terms import AxisRoles, Measure
from leakgauge.probability import Channel, Counts, Distribution, Joint, Scenario, Seen
from leakgauge.randomness import simulation

Floats = npt.NDArray[np.float64]

ALONE: tuple[Measure, ...] = (vulnerability.prior, guessing.prior)
SEEING: tuple[Measure, ...] = (vulnerability.posterior, guessing.posterior, renyi.leakage)
PROMISED = 0.93


def zipf(size: int) -> Floats:
    weights = 1 / np.arange(1, size + 1)
    return np.asarray(weights / weights.sum())


def sources(size: int, n: int, generator: np.random.Generator) -> Iterator[tuple[str, Floats]]:
    """Populations of one variable: ties, near ties, and all but one letter so rare that they may stay unseen."""
    uniform = np.full(size, 1 / size)
    yield "uniform", uniform
    yield "Zipf", zipf(size)
    near = 1 + np.linspace(0, 2, size) * np.sqrt(size / n)
    yield "nearly tied", near / near.sum()
    for expected in (3.3, 6.0):
        rare = min(expected / n, 0.9)
        yield f"{expected} others expected", (1 - rare) * np.eye(size)[0] + rare * uniform
    for concentration in (0.2, 1.0):
        yield f"Dirichlet {concentration}", generator.dirichlet(np.full(size, concentration))


def pairs(shape: tuple[int, int], n: int, generator: np.random.Generator) -> Iterator[tuple[str, Floats]]:
    """Populations of two variables."""
    uniform = np.full(shape, 1 / (shape[0] * shape[1]))
    yield "independent, uniform", uniform
    yield "independent, Zipf", np.outer(zipf(shape[0]), zipf(shape[1]))
    for strength in (0.15, 0.6):
        yield f"dependent by {strength}", strength * np.eye(*shape) / min(shape) + (1 - strength) * uniform
    determined = np.zeros(shape)
    determined[np.arange(shape[1]) % shape[0], np.arange(shape[1])] = 1 / shape[1]
    for expected in (3.3, 20.0):
        rare = min(expected / n, 0.9)
        yield f"determined but for {expected}", (1 - rare) * determined + rare * uniform
    for concentration in (0.2, 1.0):
        yield f"Dirichlet {concentration}", generator.dirichlet(np.full(uniform.size, concentration)).reshape(shape)


def shortfall(
    measure: Measure, roles: AxisRoles, truth: Scenario, p: Floats, n: int, repetitions: int, seed: int
) -> str | None:
    """What is wrong with the coverage of one measure of one population, if anything is."""
    generator = simulation(seed)
    value = measure(truth)
    held, width = 0, 0.0
    for _ in range(repetitions):
        sample = generator.multinomial(n, p.ravel()).reshape(p.shape)
        counts = Counts(dict(zip("xy", (range(size) for size in p.shape), strict=False)), sample)
        ((low, high),) = bootstrap([measure], counts, roles, None, 0.95, int(generator.integers(1 << 30)))
        held += low - 1e-9 <= value <= high + 1e-9
        width += (high - low) / repetitions
    if held >= PROMISED * repetitions:
        return None
    return f"{measure.__module__}.{measure.__name__}: {held / repetitions:.3f} (width {width:.3g})"


def of_sources(size: int, times: int, repetitions: int, only: tuple[str, ...] = ()) -> list[str]:
    found = []
    for name, p in sources(size, times * size, simulation(21)):
        if only and name not in only:
            continue
        truth = Scenario(Distribution(range(size), p))
        for measure in ALONE:
            wrong = shortfall(measure, AxisRoles(("x",)), truth, p, times * size, repetitions, 22)
            found += [f"{name}: {wrong}"] if wrong else []
    return found


def of_pairs(shape: tuple[int, int], times: int, repetitions: int, only: tuple[str, ...] = ()) -> list[str]:
    found = []
    n = times * shape[0] * shape[1]
    for name, p in pairs(shape, n, simulation(23)):
        if only and name not in only:
            continue
        joint = Joint(range(shape[0]), range(shape[1]), p / p.sum())
        truth = Scenario(joint.row_marginal(), joint.channel())
        for measure in SEEING:
            wrong = shortfall(measure, AxisRoles(("x",), ("y",)), truth, joint.matrix, n, repetitions, 24)
            found += [f"{name}: {wrong}"] if wrong else []
    return found


def of_responses(size: int, epsilon: float, times: int, repetitions: int) -> list[str]:
    """Randomized response, also of a source whose letters tie behind it: one letter likelier by e^ε."""
    matrix = np.ones((size, size)) + np.expm1(epsilon) * np.eye(size)
    channel = Channel(range(size), range(size), matrix / matrix.sum(axis=1, keepdims=True))
    tied = np.where(np.arange(size) == 0, np.exp(epsilon), 1.0)
    found = []
    for name, p in (("uniform", np.full(size, 1 / size)), ("Zipf", zipf(size)), ("tied", tied / tied.sum())):
        truth = Scenario(Distribution(range(size), p), channel)
        for measure in SEEING:
            roles = AxisRoles(("x",), channel=channel)
            wrong = shortfall(measure, roles, truth, p, times * size * size, repetitions, 25)
            found += [f"{name} by ε = {epsilon}: {wrong}"] if wrong else []
    return found


def test_sources() -> None:
    assert of_sources(7, 5, 30, ("uniform", "6.0 others expected")) == []


def test_pairs() -> None:
    assert of_pairs((7, 14), 5, 15, ("determined but for 20.0",)) == []


def test_known_channels() -> None:
    assert of_responses(2, 2.0, 5, 15) == []


@pytest.mark.nightly
@pytest.mark.parametrize("times", [5, 15, 50])
@pytest.mark.parametrize("size", [2, 3, 7])
def test_sources_at_length(size: int, times: int) -> None:
    assert of_sources(size, times, 600) == []


@pytest.mark.nightly
@pytest.mark.parametrize("times", [5, 15, 50])
@pytest.mark.parametrize("shape", [(2, 2), (3, 4), (7, 14)], ids=str)
def test_pairs_at_length(shape: tuple[int, int], times: int) -> None:
    assert of_pairs(shape, times, 400) == []


@pytest.mark.nightly
@pytest.mark.parametrize("times", [5, 25])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.0])
@pytest.mark.parametrize("size", [2, 7])
def test_known_channels_at_length(size: int, epsilon: float, times: int) -> None:
    assert of_responses(size, epsilon, times, 400) == []


def test_redrawn_scenarios_are_the_ones_the_counts_make() -> None:
    drawn = simulation(3).multinomial(300, np.full(24, 1 / 24)).reshape(2, 3, 4)
    counts = Counts({"X": "ab", "Y": "uvw", "Z": range(4)}, drawn)
    cells = CountedCells(counts, None, None)
    again, direct = cells.scenario(cells.times / counts.n), Scenario.from_counts(counts, ["X"], ["Y"], ["Z"])
    for seen in Seen:
        np.testing.assert_allclose(again.view(seen).cells.dense(), direct.view(seen).cells.dense(), atol=1e-15)
