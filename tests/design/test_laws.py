"""Laws of every solution: who knows what, optimality, the ends of the curve, witnesses, letters that never occur."""

from __future__ import annotations

import math

import numpy as np
import pytest

from leakgauge import randomness
from leakgauge.design import Knowledge, MaxDistortion, RateDistortion, Slope, solve
from leakgauge.distances import Absolute, Given, Hamming
from leakgauge.measures import entropy
from leakgauge.mechanisms.finite import exact_epsilon
from leakgauge.notions.ratios import identifiability, local_dp
from leakgauge.probability import Distribution, Joint
from tests.design.sources import FILM
from tests.grids import nightly


def random_joint(seed: int, inputs: int = 5, backgrounds: int = 3) -> Joint:
    law = randomness.simulation(seed).dirichlet(np.full(inputs * backgrounds, 0.7))
    return Joint(range(inputs), range(backgrounds), law.reshape(inputs, backgrounds))


@pytest.mark.parametrize("seeds", [range(3), nightly(range(3, 15))])
def test_the_attackers_optimum_never_leaks_more_than_the_published_channel(seeds: range) -> None:
    for seed in seeds:
        joint = random_joint(seed)
        distances = Given(randomness.simulation(100 + seed).random((5, 4)), range(5), "abcd")
        published = solve(RateDistortion(joint, distances, Slope(3.0), Knowledge.PUBLISHED))
        true = published.leakage_with_background
        equal = MaxDistortion(published.distortion)
        attacker = solve(RateDistortion(joint, distances, equal, Knowledge.ATTACKER))
        both = solve(RateDistortion(joint, distances, equal, Knowledge.BOTH))
        assert true is not None
        assert both.objective - both.gap - 1e-12 <= attacker.objective <= true + attacker.gap + 1e-12
        assert published.leakage <= attacker.leakage + published.gap + 1e-12, "it is the least without Z"


def test_the_optimality_conditions_hold_with_a_background() -> None:
    for seed in range(10):
        joint, slope = random_joint(seed), 3.0
        best = solve(RateDistortion(joint, Absolute(), Slope(slope), Knowledge.ATTACKER))
        matrix, law = best.channel.matrix, joint.matrix
        used = matrix.max(axis=0) > 0
        seen = law.T @ matrix[:, used] / law.sum(axis=0)[:, None]
        distances = Absolute().between(range(5), range(5))[:, used]
        scores = law / law.sum(axis=1, keepdims=True) @ np.log(seen) - slope * distances
        induced = np.exp(scores)
        assert np.allclose(induced / induced.sum(axis=1, keepdims=True), matrix[:, used], atol=1e-5)


@pytest.mark.parametrize("knowledge", [Knowledge.ATTACKER, Knowledge.BOTH])
def test_the_ends_of_the_slope_with_a_background(knowledge: Knowledge) -> None:
    joint = random_joint(7)
    flat = solve(RateDistortion(joint, Hamming(), Slope(0), knowledge))
    assert flat.objective == pytest.approx(flat.background_floor, abs=1e-12)
    assert flat.leakage_with_background == flat.objective
    sharp = solve(RateDistortion(joint, Hamming(), Slope(math.inf), knowledge))
    assert sharp.distortion == 0
    assert sharp.objective == pytest.approx(entropy(joint.row_marginal()), abs=1e-12)


@pytest.mark.parametrize("bound", [None, 1.5])
def test_renaming_and_reordering_changes_no_number_of_a_bounded_optimum(bound: float | None) -> None:
    joint, order = random_joint(9), randomness.simulation(9).permutation(5)
    first = solve(RateDistortion(joint, Hamming(), Slope(4), Knowledge.ATTACKER, local_dp=bound), gap=1e-6)
    moved = Joint(["abcde"[at] for at in order], "uvw", joint.matrix[order])
    second = solve(RateDistortion(moved, Hamming(), Slope(4), Knowledge.ATTACKER, local_dp=bound), gap=1e-6)
    costs = [best.objective * math.log(2) + 4 * best.distortion for best in (first, second)]
    assert costs[0] == pytest.approx(costs[1], abs=2e-6)
    assert first.epsilon == pytest.approx(second.epsilon, abs=1e-4)


@pytest.mark.parametrize("slope", [1.0, 3.0, 10.0])
@pytest.mark.parametrize("knowledge", [Knowledge.NOBODY, Knowledge.ATTACKER])
def test_witnesses_reach_the_levels(slope: float, knowledge: Knowledge) -> None:
    joint = random_joint(3)
    best = solve(RateDistortion(joint, Hamming(), Slope(slope), knowledge))
    channel, prior = best.channel, joint.row_marginal()
    witness = best.local_dp.witness
    assert best.epsilon == best.local_dp.value == exact_epsilon(channel)
    assert best.epsilon == pytest.approx(local_dp(channel).value, rel=1e-12)
    assert witness is not None
    more, less = (channel.row(label)[witness.output] for label in witness.inputs)
    assert math.log(more / less) == pytest.approx(best.epsilon, rel=1e-12)
    assert best.identifiability is not None
    told = best.identifiability.witness
    assert best.identifiability.value == identifiability(channel, prior).value
    assert told is not None
    more, less = (prior[label] * channel.row(label)[told.output] for label in told.inputs)
    assert math.log(more / less) == pytest.approx(best.identifiability.value, rel=1e-12)


def test_a_letter_that_rules_an_input_out_is_the_witness() -> None:
    sharp = solve(RateDistortion(FILM, Hamming(), Slope(math.inf)))
    assert sharp.epsilon == math.inf
    assert sharp.local_dp.witness is not None
    more, less = (sharp.channel.row(label)[sharp.local_dp.witness.output] for label in sharp.local_dp.witness.inputs)
    assert (more, less) == (1, 0)
    flat = solve(RateDistortion(FILM, Hamming(), Slope(0)))
    assert (flat.epsilon, flat.local_dp.witness) == (0, None)


def test_letters_that_never_occur_are_named() -> None:
    source = Distribution("abc", [0.5, 0, 0.5])
    assert solve(RateDistortion(source, Hamming(), Slope(2))).never_occurring == ("b",)
    assert solve(RateDistortion(FILM, Hamming(), Slope(2))).never_occurring == ()
    joint = Joint("ab", "uv", [[0.5, 0.25], [0, 0.25]])
    by_pairs = solve(RateDistortion(joint, Hamming(), Slope(2), Knowledge.BOTH))
    assert by_pairs.never_occurring == (("b", "u"),)
    assert solve(RateDistortion(joint, Hamming(), Slope(2), Knowledge.ATTACKER)).never_occurring == ()
