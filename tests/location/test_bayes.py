"""Inference from one report equals a sum over every area and report written out."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from leakgauge import measures
from leakgauge.errors import LabelError, ModelError
from leakgauge.location.tracking.bayes import infer, infer_from_beliefs
from leakgauge.papers import information_models as paper
from leakgauge.probability import Channel, Distribution, Joint, Scenario
from leakgauge.probability.cells import DenseCells, Floats
from leakgauge.randomness.sources import simulation


def shares(*shape: int, seed: int, some_zero: bool = False) -> Floats:
    drawn = simulation(seed).gamma(0.4, size=shape)
    if some_zero:
        drawn[drawn < 0.05] = 0.0
    return np.asarray(drawn / drawn.sum(axis=-1, keepdims=True))


def line(count: int) -> Floats:
    at = np.arange(count)
    return np.asarray(np.abs(at[:, None] - at), dtype=np.float64)


@pytest.mark.parametrize("seed", range(8))
def test_one_report_equals_brute_force(seed: int) -> None:
    prior, channel, far = shares(5, seed=seed, some_zero=True), shares(5, 4, seed=seed + 100), line(5) ** 1.3
    found = infer(Distribution("abcde", prior), Channel("abcde", "wxyz", channel), far)
    error, near, remaining = 0.0, 0.0, 0.0
    for y in range(4):
        weights = [prior[x] * channel[x, y] for x in range(5)]
        costs = [sum(weights[x] * far[x, g] for x in range(5)) for g in range(5)]
        assert costs[found.guesses[y]] == pytest.approx(min(costs), abs=1e-15)
        error += min(costs)
        near += sum(weights[x] for x in range(5) if far[x, found.guesses[y]] <= 1.0)
        remaining -= sum(w * math.log2(w / sum(weights)) for w in weights if w > 0)
    assert found.error == pytest.approx(error, abs=1e-12)
    assert found.within(1.0) == pytest.approx(near, abs=1e-12)
    assert found.remaining == pytest.approx(remaining, abs=1e-12)
    entropy = measures.entropy(Distribution("abcde", prior))
    assert found.information + found.remaining == pytest.approx(entropy, abs=1e-12)
    for x in range(5):
        assert found.errors[x] == pytest.approx(sum(channel[x, y] * far[x, found.guesses[y]] for y in range(4)))


@pytest.mark.parametrize("seed", range(8))
def test_background_never_makes_the_attacker_worse(seed: int) -> None:
    known = Joint("abcde", "uvw", shares(15, seed=seed, some_zero=True).reshape(5, 3))
    channel, far = Channel("abcde", "xyz", shares(5, 3, seed=seed + 50)), line(5)
    alone, both = infer(known.row_marginal(), channel, far), infer(known, channel, far)
    assert both.error <= alone.error + 1e-12
    assert both.information >= max(alone.information, both.floor) - 1e-12
    assert both.remaining <= alone.remaining + 1e-12
    cost = 0.0
    for z, y in itertools.product(range(3), range(3)):
        guess = both.guesses[both.seen.index(("uvw"[z], "xyz"[y]))]
        cost += sum(known.matrix[x, z] * channel.matrix[x, y] * far[x, guess] for x in range(5))
    assert both.error == pytest.approx(cost, abs=1e-12)
    scenario = Scenario(known, channel)
    assert both.added == pytest.approx(measures.conditional_mutual_information(scenario), abs=1e-12)
    assert both.floor == pytest.approx(measures.background_floor(scenario), abs=1e-12)


def test_a_large_sparse_channel_is_the_same_as_a_dense_one() -> None:
    count = 1100
    rows = np.arange(count)
    columns = np.concatenate([rows, (rows + 1) % count])
    sparse = Channel.from_cells(range(count), range(count), np.tile(rows, 2), columns, np.full(2 * count, 0.5))
    assert not isinstance(sparse.cells, DenseCells)
    prior, far = Distribution(range(count), shares(count, seed=4)), line(count)
    found = infer(prior, sparse, far)
    weights = prior.probabilities[:, None] * sparse.matrix
    assert found.error == pytest.approx(float((weights.T @ far).min(axis=1).sum()), rel=1e-12)
    assert found.within(0.0) == pytest.approx(float(weights.max(axis=0).sum()), rel=1e-12)


def test_what_never_occurs_is_guessed_as_the_prior_is() -> None:
    found = infer(Distribution("ab", [0.1, 0.9]), Channel("ab", "xy", [[1, 0], [1, 0]]), line(2))
    assert found.guesses.tolist() == [1, 1]
    assert found.errors.tolist() == [1.0, 0.0]


def test_the_paper_example_is_an_instance() -> None:
    """Section 4: prior, generalisation and background by Bayes; and its posteriors taken as given."""
    far = 1 - np.eye(len(paper.REGIONS))
    left = {}
    for equation, belief in paper.BELIEFS.items():
        channel, attackers = paper.generalisation(belief.release), paper.attackers()
        known = attackers.row_given_column(belief.knowledge)
        seen = infer(known, channel, far)
        at = channel.outputs.index(belief.release)
        assert paper.REGIONS[seen.guesses[at]] in ("r", "r-1")
        posterior = Joint.of(known, channel).row_given_column(belief.release)
        given = infer_from_beliefs(
            Distribution([belief.release], [1.0]),
            Channel([belief.release], posterior.support, [belief.stated]),
            1 - np.eye(len(belief.stated)),
        )
        left[equation] = given.remaining
        assert measures.entropy(posterior) == pytest.approx(belief.bits, abs=belief.tolerance)
        assert given.remaining == pytest.approx(belief.bits, abs=belief.tolerance)
        assert given.information == pytest.approx(0.0, abs=1e-12)
    assert left["(31)"] > left["(29)"] > left["(32)"]


def test_attacks_on_different_mechanisms_are_not_ranked() -> None:
    attackers = paper.attackers()
    four, eight = (paper.generalisation(name) for name in paper.COVERED)
    ranked = measures.rank_attacks(
        {"habits": Scenario(attackers, four), "nothing": Scenario(attackers.row_marginal(), four)}
    )
    assert ranked.order == (("habits",), ("nothing",))
    found = infer(attackers, four, 1 - np.eye(len(paper.REGIONS)))
    assert ranked.leakage["habits"] == pytest.approx(found.information, abs=1e-12)
    with pytest.raises(ModelError, match="different mechanisms"):
        measures.rank_attacks({"four": Scenario(attackers, four), "eight": Scenario(attackers, eight)})


def test_what_does_not_fit_is_refused() -> None:
    prior, channel = Distribution("ab", [0.5, 0.5]), Channel.identity("ab")
    with pytest.raises(ModelError, match="3 rows for 2 areas"):
        infer(prior, channel, line(3))
    with pytest.raises(LabelError):
        infer(Distribution("ac", [0.5, 0.5]), channel, line(2))
