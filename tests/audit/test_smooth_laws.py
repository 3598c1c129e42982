"""Laws of the ranges of a score, smoothed by a line."""

from __future__ import annotations

import numpy as np
import pytest

from leakgauge.audit.scores import smooth_laws
from leakgauge.probability.cells import Floats
from leakgauge.randomness import simulation

SCORES = np.linspace(-2.0, 2.0, 9)
SECOND = np.array([1, 4, 20, 60, 80, 60, 20, 4, 1]) / 250


def tilted(slope: float) -> Floats:
    law = SECOND * np.exp(slope * SCORES)
    return np.asarray(law / law.sum())


def mean(law: Floats) -> float:
    return float(law @ SCORES)


@pytest.mark.parametrize("slope", [-0.5, 0.0, 0.2, 1.0, 5.0])
def test_both_are_laws_and_the_likelier_one_leans_to_higher_scores(slope: float) -> None:
    draw = simulation(1)
    counts = [draw.multinomial(20_000, law) for law in (tilted(slope), SECOND)]
    first, second = smooth_laws(SCORES.tolist(), *counts)
    for law in (first, second):
        assert law.min() >= 0
        assert law.sum() == pytest.approx(1)
    known = second > 0
    assert (np.diff(first[known] / second[known]) >= -1e-12).all()
    # Less than what was counted, by the slope's error; nothing where a higher score is not the likelier one.
    assert mean(first) - mean(second) <= max(mean(tilted(slope)) - mean(SECOND), 0.0) + 0.02


def test_a_rare_tail_is_known_better_than_by_its_own_hits() -> None:
    draw = simulation(2)
    truth = np.log(tilted(0.2)[-1] / SECOND[-1])
    smoothed, counted = [], []
    for _ in range(50):
        ours, theirs = (draw.multinomial(5_000, law) for law in (tilted(0.2), SECOND))
        first, second = smooth_laws(SCORES.tolist(), ours, theirs)
        smoothed.append(np.log(first[-1] / second[-1]) - truth)
        counted.append(np.log((ours[-1] + 0.5) / (theirs[-1] + 0.5)) - truth)
    assert np.sqrt(np.mean(np.square(smoothed))) < 0.5 * np.sqrt(np.mean(np.square(counted)))


@pytest.mark.parametrize("counts", [([0, 0], [0, 0]), ([9, 0], [0, 9]), ([0, 9], [9, 0]), ([5, 5], [5, 5])])
def test_extreme_counts_have_laws_too(counts: tuple[list[int], list[int]]) -> None:
    first, second = smooth_laws([0.0, 1.0], *map(np.array, counts))
    assert np.isfinite(first).all()
    assert np.isfinite(second).all()
