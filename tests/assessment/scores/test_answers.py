"""Noisy counts against somebody who knows everybody else, beside sums over every output."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from leakgauge.artefacts.scores import Neighbours, Statistic
from leakgauge.assessment.scores.answers import PersonsCells, cells_of_counts, evidence_of_answers, evidence_of_cells
from leakgauge.assessment.scores.evidence import evidence_by_law
from leakgauge.assessment.scores.reading import scores_of
from leakgauge.case.law import ReleaseLaw
from leakgauge.errors import ModelError
from leakgauge.mechanisms import gaussian, laplace, unary_encoding
from leakgauge.probability import Distribution
from leakgauge.probability.cells import Floats
from leakgauge.randomness import simulation
from tests.laws.releases import sources


def summed(cells: PersonsCells) -> tuple[float, float, float]:
    """How often the best guess is right, the nats told and how sure somebody becomes, output by output."""
    p = np.append(cells.shares, 1 - cells.shares.sum())
    right, left, seen = 0.0, 0.0, list[Floats]()
    for outputs in product(range(len(cells.own)), repeat=len(cells.shares)):
        law = [[cells.own[y] if at == who else cells.other[y] for at, y in enumerate(outputs)] for who in range(len(p))]
        joint = p * np.prod(law, axis=1)
        if joint.sum() == 0:
            continue
        t = joint / joint.sum()
        right += joint.max()
        left -= float((joint * np.log(np.where(joint > 0, joint / joint.sum(), 1.0))).sum())
        seen.append(joint)
    whole = -float((p[p > 1e-12] * np.log(p[p > 1e-12])).sum())
    every = np.array(seen)
    t = every / every.sum(axis=1, keepdims=True)
    sure = []
    for value in np.flatnonzero(p > 1e-9):
        order = np.argsort(-t[:, value])
        taken = np.diff(np.minimum(np.cumsum(every[order, value]), p[value] / 10), prepend=0.0)
        sure.append(float(taken @ t[order, value]) / (p[value] / 10) - p[value])
    return right, whole - left, max(sure) / (1 - p[p > 1e-9].min())


def drawn_cells(seed: int) -> PersonsCells:
    draw = simulation(seed)
    size = int(draw.integers(2, 5))
    shares: Floats = [np.full(size, 1 / size), draw.dirichlet(np.ones(size + 1))[:size]][seed % 2]
    sharp = float(draw.choice([0.2, 1.0, 5.0]))
    return PersonsCells(shares, draw.dirichlet(np.full(3, sharp)), draw.dirichlet(np.full(3, sharp)))


@pytest.mark.parametrize("seed", range(12))
def test_cells_are_what_a_sum_over_all_outputs_says(seed: int) -> None:
    cells = drawn_cells(seed)
    right, told, surest = summed(cells)
    assert cells.guessed() == pytest.approx(right, abs=1e-9)
    assert cells.told() >= told - 1e-9
    low, high, _ = cells.surest()
    assert low - 1e-9 <= surest <= high + 1e-9
    law = cells.law()
    assert law is not None
    evidence = evidence_by_law(law)
    (attacker,) = evidence.attackers
    assert attacker.surest is not None and attacker.surest.value == pytest.approx(surest, abs=1e-9)


def test_unary_encoding_is_cells_of_coins() -> None:
    for source in sources(10):
        mechanism = unary_encoding(1.5, letters=source.outcomes)
        channel = mechanism.channel()
        assert channel is not None
        q = mechanism.law.other_probability
        cells = PersonsCells(source.probabilities, np.array([0.5, 0.5]), np.array([1 - q, q]))
        written = evidence_by_law(ReleaseLaw(source, channel))
        found = evidence_of_cells(cells, mechanism, Statistic(), Neighbours.VALUES_OF_A_PERSON)
        assert scores_of(found).protection.value == pytest.approx(scores_of(written).protection.value, abs=1e-6)
        assert cells.guessed() == pytest.approx(law_guess(source, channel.matrix), abs=1e-9)


def law_guess(source: Distribution, matrix: Floats) -> float:
    return float((source.probabilities[:, None] * matrix).max(axis=0).sum())


def test_counts_beat_rows_where_only_shares_are_asked_for() -> None:
    shares = np.array([0.5, 0.3, 0.15, 0.05])
    scores = scores_of(evidence_of_answers(shares, laplace(1.0, sensitivity=1, grid=1), 10_000, Neighbours.MEMBERSHIP))
    assert scores.usefulness.value > 99
    assert scores.protection.value > 60
    assert str(scores.notes[0]) == "The guarantee is about the table with one person and without."
    few = evidence_of_answers(shares, gaussian(1.0, 1e-6, sensitivity=1), 10, Neighbours.MEMBERSHIP)
    sampling, noise = 10 * float(shares @ (1 - shares)), gaussian(1.0, 1e-6, sensitivity=1)
    error = 4 * (noise.added.standard_deviation * noise.span.grid) ** 2
    assert scores_of(few).usefulness.value == pytest.approx(100 * sampling / (sampling + error))


def test_laws_of_cells_are_those_of_the_noise() -> None:
    noise = laplace(0.7, sensitivity=1, grid=1)
    cells = cells_of_counts(np.array([0.4, 0.6]), noise)
    # A count of one person has just two ratios of likelihoods.
    assert len(cells._levels[0]) == 2
    assert cells._levels[0] == pytest.approx([-0.7, 0.7], abs=1e-9)


def test_shares_beyond_one_are_refused() -> None:
    with pytest.raises(ModelError, match="The 2 shares exceed 1, or the two laws of a cell differ in length"):
        PersonsCells(np.array([0.8, 0.4]), np.ones(1), np.ones(1))
