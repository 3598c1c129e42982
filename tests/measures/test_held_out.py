"""The held-out bound: below the exact information of the law the rows came from, as often as it says."""

from __future__ import annotations

import numpy as np
import pytest

from leakgauge.errors import ModelError, OptionError
from leakgauge.measures.held_out import held_out_information
from leakgauge.probability.cells import Codes, Floats
from leakgauge.randomness import simulation

RUNS = [pytest.param(200, id="200"), pytest.param(2000, id="2000", marks=pytest.mark.nightly)]


def random_joint(seed: int) -> tuple[Floats, float]:
    """p(x, w) and its information in bits: every third one without any, others weak or strong."""
    draws = simulation(seed)
    letters, values = int(draws.integers(2, 6)), int(draws.integers(2, 12))
    source = draws.dirichlet(np.full(letters, draws.choice([0.5, 2.0])))
    if seed % 3 == 0:
        channel = np.tile(draws.dirichlet(np.ones(values)), (letters, 1))
    else:
        channel = draws.dirichlet(np.full(values, draws.choice([0.3, 3.0, 30.0])), size=letters)
    joint = source[:, None] * channel
    outer = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    some = joint > 0
    # Rounding makes the information of an independent pair a hair less than 0.
    return joint, max(float((joint[some] * np.log2(joint[some] / outer[some])).sum()), 0.0)


def drawn(joint: Floats, rows: int, seed: int) -> tuple[Codes, Codes]:
    cells = simulation(seed).choice(joint.size, size=rows, p=joint.ravel())
    return cells // joint.shape[1], cells % joint.shape[1]


def looked_up(joint: Floats, seed: int, rows: int = 200) -> Floats:
    """r(x|w), learnt from other rows, half an observation added to each."""
    x, w = drawn(joint, rows, seed)
    counts = np.zeros(joint.shape)
    np.add.at(counts, (x, w), 1.0)
    return np.asarray((counts + 0.5) / (counts + 0.5).sum(axis=0))


@pytest.mark.parametrize("runs", RUNS)
@pytest.mark.parametrize("rows", [60, 400])
def test_it_is_above_the_truth_no_more_often_than_it_says(runs: int, rows: int) -> None:
    above = 0
    for seed in range(runs):
        joint, exact = random_joint(seed)
        x, w = drawn(joint, rows, 20_000 + seed)
        # Now and then the attacker knows the law itself: the bound has nothing to spare then.
        known = joint / joint.sum(axis=0) if seed % 2 else looked_up(joint, 10_000 + seed)
        above += held_out_information(x, known.T[w]).low > exact
    # Three standard deviations of a binomial share beside 5%.
    assert above <= 0.05 * runs + 3 * np.sqrt(0.05 * 0.95 * runs)


def test_it_is_above_the_truth_no_more_often_where_units_repeat_themselves() -> None:
    above, runs = 0, 200
    for seed in range(runs):
        joint, exact = random_joint(seed)
        x, w = (np.repeat(one, 10) for one in drawn(joint, 60, 20_000 + seed))
        above += held_out_information(x, (joint / joint.sum(axis=0)).T[w], np.arange(600) // 10).low > exact
    assert above <= 0.05 * runs + 3 * np.sqrt(0.05 * 0.95 * runs)


def test_it_comes_near_the_truth_and_the_upper_limit_holds_what_the_attacker_tells() -> None:
    joint, exact = random_joint(4)
    x, w = drawn(joint, 100_000, 1)
    found = held_out_information(x, (joint / joint.sum(axis=0)).T[w])
    assert exact - 0.03 < found.low <= exact <= found.high < exact + 0.03


def test_a_useless_predictor_shows_nothing() -> None:
    x = simulation(1).integers(4, size=1000)
    assert held_out_information(x, np.roll(np.eye(4), 1, axis=0)[x]).low == 0
    assert held_out_information(x, np.full((1000, 4), 0.25)).low == 0


def test_what_cannot_be_used_is_refused() -> None:
    x, r = np.array([0, 1]), np.full((2, 2), 0.5)
    with pytest.raises(OptionError, match="confidence of 1"):
        held_out_information(x, r, confidence=1.0)
    with pytest.raises(ModelError, match="1 units were scored"):
        held_out_information(x, r, np.array([3, 3]))
