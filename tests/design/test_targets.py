"""Targets are met on the safe side, also where the curve is straight or has corners; impossible ones are refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from leakgauge import randomness
from leakgauge.design import (
    Knowledge,
    MaxDistortion,
    MaxLeakage,
    RateDistortion,
    Slope,
    frontier,
    solve,
    symmetric_channel,
    waste,
)
from leakgauge.design.baselines import maximum_entropy_channel
from leakgauge.design.problem import Target
from leakgauge.distances import Absolute, Distortion, Given, Hamming, Squared
from leakgauge.errors import EngineError, LabelError, OptionError, RefusalError
from leakgauge.measures import entropy, mutual_information
from leakgauge.probability import Channel, Distribution, Joint, Scenario
from tests.design.sources import FILM


def some_joint(seed: int = 8) -> Joint:
    return Joint(range(8), range(4), randomness.simulation(seed).dirichlet(np.ones(32)).reshape(8, 4))


@pytest.mark.parametrize("knowledge", [Knowledge.NOBODY, Knowledge.ATTACKER, Knowledge.BOTH])
@pytest.mark.parametrize("distortion", [Hamming(), Absolute(), Squared()])
def test_targets_are_met_and_agree_with_each_other(knowledge: Knowledge, distortion: Distortion) -> None:
    joint = some_joint()
    flat = solve(RateDistortion(joint, distortion, Slope(0), knowledge)).distortion
    for share in (0.9, 0.5, 0.1):
        target = share * flat
        best = solve(RateDistortion(joint, distortion, MaxDistortion(target), knowledge))
        assert best.distortion <= target
        assert best.gap <= 1e-9 / math.log(2)
        back = solve(RateDistortion(joint, distortion, MaxLeakage(best.objective), knowledge))
        assert back.objective <= best.objective
        assert back.distortion == pytest.approx(target, abs=1e-7 * flat)
        at_slope = solve(RateDistortion(joint, distortion, Slope(best.slope), knowledge))
        line = at_slope.objective - best.objective + best.slope * (at_slope.distortion - target) / math.log(2)
        assert line <= 1e-8, "the curve lies above its tangent"


def test_a_straight_piece_is_met_by_mixing() -> None:
    # Releasing z costs a little for all, a and b nothing for one: the curve jumps between two supports.
    loss = Given([[0, 1, 0.3], [1, 0, 0.3]], ["a", "b"], ["a", "b", "z"])
    source = Distribution(["a", "b"], [0.5, 0.5])
    whole = frontier(RateDistortion(source, loss, Slope(1)), 60)
    drops = np.diff([best.distortion for best in whole])
    assert drops.min() < -0.02
    jump = int(drops.argmin())
    middle = (whole[jump].distortion + whole[jump + 1].distortion) / 2
    best = solve(RateDistortion(source, loss, MaxDistortion(middle)))
    assert best.distortion <= middle
    assert best.gap <= 1e-9 / math.log(2)
    mean = (whole[jump].leakage + whole[jump + 1].leakage) / 2
    assert best.leakage <= mean + 1e-9


@pytest.mark.parametrize("knowledge", [Knowledge.NOBODY, Knowledge.ATTACKER, Knowledge.BOTH])
def test_the_frontier_is_convex_and_ends_where_it_must(knowledge: Knowledge) -> None:
    points = frontier(RateDistortion(some_joint(), Squared(), Slope(1), knowledge), 15)
    assert len(points) == 15
    leakages, distortions = [p.objective for p in points], [p.distortion for p in points]
    assert points[0].objective == pytest.approx(points[0].background_floor if knowledge is not Knowledge.NOBODY else 0)
    assert points[-1].distortion == 0 and points[-1].slope == math.inf
    assert np.all(np.diff(leakages) > 0) and np.all(np.diff(distortions) < 0)
    slopes = np.diff(leakages) / -np.diff(distortions)
    assert np.all(np.diff(slopes) > -1e-6)
    assert max(p.gap for p in points) <= 1e-9 / math.log(2)


def test_the_ends_of_the_slope() -> None:
    flat = solve(RateDistortion(FILM, Hamming(), Slope(0)))
    assert (flat.letters, flat.epsilon) == (1, 0)
    assert (flat.leakage, flat.distortion) == pytest.approx((0, 20 / 39), abs=1e-12)
    sharp = solve(RateDistortion(FILM, Hamming(), Slope(math.inf)))
    assert (sharp.distortion, sharp.epsilon) == (0, math.inf)
    assert sharp.leakage == pytest.approx(entropy(FILM))
    ties = Given([[0, 0, 1], [1, 0, 0]], [1, 2], ["a", "b", "c"])
    one = solve(RateDistortion(Distribution([1, 2], [0.5, 0.5]), ties, Slope(math.inf)))
    assert one.leakage == pytest.approx(0, abs=1e-12), "the shared nearest letter tells nothing"
    assert one.letters == 1


@pytest.mark.parametrize("knowledge", [Knowledge.NOBODY, Knowledge.ATTACKER, Knowledge.BOTH])
@pytest.mark.parametrize("target", [Slope(2.0), MaxDistortion(0.5), Slope(math.inf)])
def test_letters_that_never_occur_act_like_others(knowledge: Knowledge, target: Target) -> None:
    joint = np.array([[0.2, 0.1, 0], [0, 0, 0], [0.3, 0.4, 0]])
    source = Joint([1, 2, 4], "uvw", joint)
    best = solve(RateDistortion(source, Absolute(), target, knowledge))
    without = solve(RateDistortion(Joint([1, 4], "uv", joint[[0, 2], :2]), Absolute(), target, knowledge, [1, 2, 4]))
    assert best.objective == pytest.approx(without.objective, abs=1e-9)
    assert best.distortion == pytest.approx(without.distortion, abs=1e-7)
    if knowledge is not Knowledge.BOTH:
        rows = best.channel.matrix
        assert (rows[1] == rows[0]).all() or (rows[1] == rows[2]).all()
        assert best.identifiability is None
        assert best.epsilon == pytest.approx(without.epsilon, abs=1e-6)
    else:
        assert set(best.channel.inputs) == {(x, z) for x in (1, 2, 4) for z in "uvw"}


@pytest.mark.parametrize("bound", [1.0, 3.0])
@pytest.mark.parametrize("knowledge", [Knowledge.NOBODY, Knowledge.ATTACKER])
def test_local_bounds_are_kept_and_reached(bound: float, knowledge: Knowledge) -> None:
    problem = RateDistortion(some_joint(), Hamming(), Slope(6.0), knowledge, local_dp=bound)
    best = solve(problem, gap=1e-7)
    assert bound - 1e-6 <= best.epsilon <= bound
    free = solve(RateDistortion(some_joint(), Hamming(), Slope(6.0), knowledge))
    assert free.epsilon > bound
    assert best.objective + 6 / math.log(2) * best.distortion > free.objective + 6 / math.log(2) * free.distortion
    loose = solve(RateDistortion(some_joint(), Hamming(), Slope(6.0), knowledge, local_dp=30.0), gap=1e-7)
    assert loose.objective == pytest.approx(free.objective, abs=1e-5)


def test_a_bound_too_tight_to_say_anything_leaves_one_letter() -> None:
    best = solve(RateDistortion(some_joint(), Hamming(), Slope(6.0), local_dp=0.1), gap=1e-7)
    assert (best.letters, best.epsilon) == (1, 0)


def test_local_bounds_with_a_target() -> None:
    problem = RateDistortion(FILM, Hamming(), MaxDistortion(0.45), local_dp=1.5)
    best = solve(problem, gap=1e-7)
    assert best.distortion <= 0.45 and best.epsilon <= 1.5
    with pytest.raises(RefusalError, match="the least that these bounds allow is 0\\.4"):
        solve(problem.with_target(MaxDistortion(0.1)), gap=1e-7)


def test_identifiability_is_kept_and_its_floor_named() -> None:
    best = solve(RateDistortion(FILM, Hamming(), Slope(5.0), identifiability=3.0), gap=1e-7)
    assert best.identifiability is not None
    assert 3 - 1e-6 <= best.identifiability.value <= 3
    with pytest.raises(RefusalError, match=r"Δ = 2\.25129"):
        RateDistortion(FILM, Hamming(), Slope(5.0), identifiability=2.0)


def test_what_is_impossible_is_refused_with_the_floor() -> None:
    joint = some_joint()
    with pytest.raises(RefusalError, match=r"I\(X;Z\) = 0\.39"):
        solve(RateDistortion(joint, Hamming(), MaxLeakage(0.01), Knowledge.ATTACKER))
    far = Given([[1, 2], [3, 2]])
    with pytest.raises(RefusalError, match=r"already have 1\.5"):
        solve(RateDistortion(Distribution("ab", [0.5, 0.5]), far, MaxDistortion(1.0)))
    with pytest.raises(EngineError, match="proven to be within"):
        solve(RateDistortion(joint, Squared(), Slope(1.0), Knowledge.ATTACKER), gap=1e-30)


@pytest.mark.parametrize("wrong", [-1.0, math.nan, "2"])
@pytest.mark.parametrize("kind", [Slope, MaxDistortion, MaxLeakage])
def test_targets_that_are_no_amounts_are_refused(kind: type[Slope], wrong: float) -> None:
    with pytest.raises(OptionError, match="of at least 0"):
        kind(wrong)


def test_problems_that_make_no_sense_are_refused() -> None:
    with pytest.raises(OptionError, match="cannot know a background"):
        RateDistortion(FILM, Hamming(), Slope(1), Knowledge.ATTACKER)
    with pytest.raises(OptionError, match="reads the background"):
        RateDistortion(some_joint(), Hamming(), Slope(1), Knowledge.BOTH, identifiability=5.0)
    with pytest.raises(OptionError, match="cannot both be bounded"):
        RateDistortion(FILM, Hamming(), Slope(1), local_dp=1.0, identifiability=4.0)
    with pytest.raises(OptionError, match="gap of 0"):
        solve(RateDistortion(FILM, Hamming(), Slope(1)), gap=0)
    with pytest.raises(OptionError, match="has no ends"):
        frontier(RateDistortion(FILM, Hamming(), Slope(1)), 1)
    with pytest.raises(LabelError, match="repeat"):
        RateDistortion(FILM, Hamming(), Slope(1), outputs=["a", "a"])


def test_the_exponential_mechanism_is_the_channel_of_largest_entropy() -> None:
    channel = maximum_entropy_channel(FILM, Absolute(), MaxDistortion(0.5))
    distances = Absolute().between(FILM.outcomes, FILM.outcomes)
    assert 0.5 - 1e-9 < FILM.probabilities @ (channel.matrix * distances).sum(axis=1) <= 0.5
    logs = np.log(channel.matrix)
    slope = logs[0, 0] - logs[0, 1]
    assert np.allclose(logs - logs[:, :1], -slope * (distances - distances[:, :1]), atol=1e-9)
    hamming = maximum_entropy_channel(FILM, Hamming(), MaxDistortion(0.3))
    assert np.allclose(hamming.matrix, symmetric_channel(FILM.outcomes, 0.3).matrix, atol=1e-9)
    assert maximum_entropy_channel(FILM, Hamming(), MaxDistortion(1.0)).matrix.max() == pytest.approx(0.2)


def test_waste_is_what_the_prior_would_have_saved() -> None:
    channel = symmetric_channel(FILM.outcomes, 0.3)
    found = waste(channel, RateDistortion(FILM, Hamming(), Slope(1)))
    assert found.distortion == pytest.approx(0.3)
    assert found.leakage == pytest.approx(mutual_information(Scenario(FILM, channel)))
    assert 0.1 < found.bits == found.leakage - found.best.leakage
    best = solve(RateDistortion(FILM, Hamming(), Slope(2.0))).channel
    assert waste(best, RateDistortion(FILM, Hamming(), Slope(1))).bits < 1e-8
    with pytest.raises(LabelError):
        waste(Channel("ab", "ab", np.eye(2)), RateDistortion(FILM, Hamming(), Slope(1)))
    with pytest.raises(OptionError, match=r"from 0 to 0\.8"):
        symmetric_channel(FILM.outcomes, 0.9)
