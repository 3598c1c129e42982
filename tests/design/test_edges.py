"""The edges of the design problem: bounds that leave nothing, ends of the curve, targets below the rounding."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog

from leakgauge import randomness
from leakgauge.design import Knowledge, MaxDistortion, MaxLeakage, RateDistortion, Slope, frontier, solve
from leakgauge.design.certificate import Secrets
from leakgauge.design.cones import Window
from leakgauge.design.curve import Curve
from leakgauge.design.ends import least_distortion, least_hamming
from leakgauge.design.families import OneChannel
from leakgauge.design.problem import Target
from leakgauge.distances import Absolute, Distortion, Given, Hamming
from leakgauge.errors import EngineError, RefusalError
from leakgauge.measures import background_floor, entropy
from leakgauge.measures.interior import MixtureFit, minimise
from leakgauge.notions import prior_skew
from leakgauge.probability import Distribution, Joint, Scenario
from leakgauge.probability.cells import Floats

NATS = math.log(2)
THREE = Distribution("abc", [0.5, 0.3, 0.2])
KNOWN = Joint("abc", "uv", np.array([[6, 4], [2, 4], [1, 3]]) / 20)
FAR = Given([[0, 1, 1e6], [1, 0, 2], [3, 1, 0]], "abc", "abc")
TIED = Given([[0, 0, 1e6], [1, 0, 2], [3, 1, 0]], "abc", "abc")


def least_by_program(prior: Floats, distances: Floats, epsilon: float) -> float:
    """The least mean distortion of a channel with q(y|x) ≤ e^ε q(y|x') for every pair, each written out."""
    inputs, outputs = distances.shape
    rows = []
    for y in range(outputs):
        for x in range(inputs):
            for other in range(inputs):
                row = np.zeros((inputs, outputs))
                row[x, y] += 1
                row[other, y] -= math.exp(epsilon)
                rows.append(row.ravel())
    sums = np.kron(np.eye(inputs), np.ones(outputs))
    found = linprog(
        (prior[:, None] * distances).ravel(), A_ub=rows, b_ub=np.zeros(len(rows)), A_eq=sums, b_eq=np.ones(inputs)
    )
    return float(found.fun)


# Targets that the search cannot pass by in ordinary numbers.


@pytest.mark.parametrize(
    ("problem", "gap"),
    [
        (RateDistortion(THREE, Hamming(), MaxDistortion(0.2)), 1e-13),
        (RateDistortion(KNOWN, Hamming(), MaxDistortion(1e-10), Knowledge.ATTACKER), 1e-9),
        (RateDistortion(KNOWN, Hamming(), MaxLeakage(0.5), Knowledge.ATTACKER), 1e-13),
        (RateDistortion(THREE, Hamming(), MaxDistortion(0.3), local_dp=700.0), 1e-9),
        (RateDistortion(THREE, Hamming(), MaxDistortion(0.3), weights=[1e9, 1, 1]), 1e-9),
    ],
)
def test_the_search_for_a_target_ends(problem: RateDistortion, gap: float) -> None:
    found = solve(problem, gap)
    unit = max(found.problem.weights) if isinstance(found.problem.weights, tuple) else 1.0
    assert found.gap * NATS <= gap * unit
    if isinstance(problem.target, MaxDistortion):
        assert found.distortion <= problem.target.distortion
    else:
        assert found.objective <= 0.5


def test_a_gap_below_rounding_is_given_up_with_how_close_it_came() -> None:
    with pytest.raises(EngineError, match="proven to be within"):
        solve(RateDistortion(THREE, Hamming(), MaxDistortion(0.2)), gap=1e-16)


@pytest.mark.parametrize("knowledge", list(Knowledge))
@pytest.mark.parametrize("most", [1e-11, 1e-12, 1e-18, 1e-30, 5e-324])
def test_distortions_below_the_rounding_are_met(most: float, knowledge: Knowledge) -> None:
    found = solve(RateDistortion(KNOWN, Hamming(), MaxDistortion(most), knowledge))
    assert found.distortion <= most
    assert found.gap * NATS <= 1e-9
    assert found.objective == pytest.approx(entropy(KNOWN.row_marginal()), abs=1e-7)


def test_a_secret_that_is_all_but_sure() -> None:
    source = Distribution("abc", [1 - 1e-12, 1e-12, 0])
    found = solve(RateDistortion(source, Hamming(), MaxDistortion(1e-13)))
    assert found.distortion <= 1e-13
    assert found.leakage <= entropy(source)


# Bounds that leave no room.


@pytest.mark.parametrize("knowledge", [Knowledge.NOBODY, Knowledge.ATTACKER])
@pytest.mark.parametrize("epsilon", [0.0, 1e-9])
@pytest.mark.parametrize("target", [MaxLeakage(1.0), Slope(2.0), Slope(math.inf), MaxDistortion(0.5)])
def test_no_room_for_ratios_leaves_the_best_letter(knowledge: Knowledge, epsilon: float, target: Target) -> None:
    found = solve(RateDistortion(KNOWN, Hamming(), target, knowledge, local_dp=epsilon))
    assert found.distortion == pytest.approx(0.5, abs=1e-12)
    assert (found.leakage, found.epsilon, found.letters) == (0, 0, 1)


def test_less_than_the_best_letter_is_refused_where_there_is_no_room() -> None:
    with pytest.raises(RefusalError, match=r"impossible: the least that these bounds allow is 0\.5;"):
        solve(RateDistortion(KNOWN, Hamming(), MaxDistortion(0.45), local_dp=0.0))


@pytest.mark.parametrize("above", [0.0, 1e-9])
def test_an_identifiability_as_low_as_the_priors(above: float) -> None:
    # The likeliest and the rarest secret then act alike; the one between may differ, which is of no use here.
    skew = prior_skew(THREE)
    for target in (Slope(2.0), MaxLeakage(0.05)):
        found = solve(RateDistortion(THREE, Hamming(), target, identifiability=skew + above))
        assert found.distortion == pytest.approx(0.5, abs=1e-9)
        assert found.identifiability is not None and found.identifiability.value <= skew + above


def test_a_channel_of_no_leakage_is_not_proven_by_that_alone() -> None:
    setting = OneChannel(Secrets.of(THREE.probabilities[:, None]), 1 - np.eye(3), Window.within_ratio(np.ones(3), 0.5))
    best = setting.at(2.0, 1e-9)
    assert best.gap <= 1e-9
    # Always the rarest letter leaks nothing either, and costs 0.8 instead of 0.5.
    rarest = np.tile([0.0, 0.0, 1.0], (3, 1))
    other = replace(best, channel=rarest, leakage=0.0, excess=setting.excess_of(rarest))
    assert other.gap == pytest.approx(2 * 0.3, abs=1e-8)


@pytest.mark.parametrize("above", [0.0, 1e-9, 0.1, 2.0])
def test_a_channel_is_moved_into_its_window_and_no_further(above: float) -> None:
    draw = randomness.simulation(14)
    for _ in range(20):
        prior = Distribution(range(4), draw.dirichlet(np.ones(4)))
        epsilon = prior_skew(prior) + above
        window = Window.within_ratio(prior.probabilities, epsilon)
        inside = window.inside(draw.dirichlet(np.ones(5), 4))
        assert np.allclose(inside.sum(axis=1), 1)
        seen = prior.probabilities[:, None] * inside
        assert (seen.max(axis=0) <= math.exp(epsilon) * seen.min(axis=0) * (1 + 1e-12)).all()
        assert np.allclose(window.inside(inside), inside, atol=1e-14)
        least = least_distortion(prior.probabilities, draw.random((4, 5)), window)
        assert 0 <= least.excess - least.lower <= 1e-6


# The steep end.


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
def test_the_least_distortion_within_bounds_is_the_programs(epsilon: float) -> None:
    distances = FAR.between("abc", "abc")
    least = least_by_program(THREE.probabilities, distances, epsilon)
    window = Window.within_ratio(np.ones(3), epsilon)
    found = least_distortion(THREE.probabilities, distances, window)
    assert found.lower <= least * (1 + 1e-9)
    assert found.excess - found.lower <= 1e-9 * least
    ratios = found.channel.max(axis=0) / np.maximum(found.channel.min(axis=0), 1e-300)
    assert ratios.max() <= math.exp(epsilon) * (1 + 1e-12)
    for target in (MaxLeakage(5.0), Slope(math.inf)):
        best = solve(RateDistortion(THREE, FAR, target, local_dp=epsilon), gap=1e-6)
        assert best.distortion == pytest.approx(least, rel=1e-5)
        assert best.gap * NATS <= 1e-6


def test_nothing_is_refused_that_the_program_allows() -> None:
    problem = RateDistortion(THREE, FAR, MaxDistortion(0.5489), local_dp=1.0)
    assert solve(problem, gap=1e-6).distortion <= 0.5489
    least = least_by_program(THREE.probabilities, FAR.between("abc", "abc"), 1.0)
    assert solve(problem.with_target(MaxDistortion(least + 1e-6)), gap=1e-6).distortion <= least + 1e-6
    with pytest.raises(RefusalError, match=r"is impossible: the least that these bounds allow is 0\.52272"):
        solve(problem.with_target(MaxDistortion(least - 1e-6)), gap=1e-6)
    points = frontier(problem, 4, 1e-6)
    assert [points[0].distortion, points[-1].distortion] == pytest.approx([0.7, least], rel=1e-5)
    assert len(points) == 4


@pytest.mark.parametrize(
    ("distortion", "told"),
    [
        (Hamming(), r"is impossible: the least that these bounds allow is 0\.935447822; "),
        (Absolute(), r"is not found: .* which is not proven for so many values"),
    ],
)
def test_a_large_alphabet_says_whether_its_least_is_proven(distortion: Distortion, told: str) -> None:
    prior = Distribution(range(130), randomness.simulation(1).dirichlet(np.ones(130)))
    with pytest.raises(RefusalError, match=told):
        solve(RateDistortion(prior, distortion, MaxDistortion(1e-3), local_dp=0.5), gap=1e-3)


def test_the_least_hamming_distortion_is_that_of_the_linear_program() -> None:
    draw = randomness.simulation(17)
    for _ in range(40):
        inputs, more = int(draw.integers(1, 9)), int(draw.integers(0, 3))
        prior = draw.dirichlet(np.full(inputs, draw.choice([0.2, 1.0, 5.0]))) + 1e-9
        prior /= prior.sum()
        matches = draw.permutation(inputs + more)[:inputs]
        distances = np.ones((inputs, inputs + more))
        distances[np.arange(inputs), matches] = 0.0
        epsilon = float(draw.choice([0.0, 1e-3, 0.3, 1.0, 3.0, 10.0, 100.0]))
        window = Window.within_ratio(np.ones(inputs), epsilon)
        closed = least_hamming(prior, matches, inputs + more, window)
        program = least_distortion(prior, distances, window)
        assert closed.excess == pytest.approx(program.excess, abs=1e-12)
        assert closed.lower == pytest.approx(program.excess, abs=1e-12)
        assert closed.lower <= program.excess
        assert closed.excess == pytest.approx(float(prior @ (closed.channel * distances).sum(axis=1)), abs=1e-15)
        assert (closed.channel.max(axis=0) <= math.exp(epsilon) * closed.channel.min(axis=0) * (1 + 1e-12)).all()


def test_wide_bounds_end_at_the_nearest_letters() -> None:
    found = solve(RateDistortion(THREE, TIED, Slope(math.inf), local_dp=40.0), gap=1e-4)
    assert found.distortion <= 1e-6
    assert found.epsilon <= 40


@pytest.mark.parametrize("target", [MaxDistortion(0.0), Slope(math.inf), Slope(1e300)])
def test_weights_with_two_nearest_letters(target: Target) -> None:
    found = solve(RateDistortion(THREE, TIED, target, weights=[1, 2, 1]))
    assert found.distortion == 0
    # The first secret may take the second's letter: only the third is told apart.
    merged = Distribution("bc", [0.8, 0.2])
    assert found.leakage == pytest.approx(entropy(merged), abs=1e-6)
    assert found.gap * NATS <= 2e-9


# The flat end.


@pytest.mark.parametrize(
    ("rows", "best"),
    [
        ([[0.4, 0], [0.1, 0], [0, 0.3], [0, 0.2]], 0.3),
        (np.diag([0.4, 0.1, 0.3, 0.2]), 0.0),
        ([[0.4, 0, 0], [0.05, 0.05, 0], [0, 0.3, 0], [0, 0, 0.2]], 0.4),
        ([[0.4, 0], [0.1, 0], [0, 0.3], [0.1, 0.1]], 0.6),
    ],
)
def test_secrets_that_the_background_tells_apart_need_not_act_alike(rows: Floats, best: float) -> None:
    joint = Joint("abcd", range(len(rows[0])), rows)
    floor = background_floor(Scenario(joint))
    for target in (MaxLeakage(floor), Slope(0.0), MaxDistortion(best)):
        found = solve(RateDistortion(joint, Hamming(), target, Knowledge.ATTACKER))
        assert found.distortion == pytest.approx(best, abs=1e-12)
        assert found.leakage_with_background == pytest.approx(floor, abs=1e-9)


def test_secrets_told_apart_still_keep_their_ratios() -> None:
    joint = Joint("abcd", "xy", [[0.4, 0], [0.1, 0], [0, 0.3], [0, 0.2]])
    free = solve(RateDistortion(joint, Hamming(), Slope(0.0), Knowledge.ATTACKER))
    bound = solve(RateDistortion(joint, Hamming(), Slope(0.0), Knowledge.ATTACKER, local_dp=1.0))
    assert bound.epsilon <= 1
    # Two rows, of a and b and of c and d, with the letters a and c: 1 − (0.4 + 0.3) e / (1 + e).
    assert bound.distortion == pytest.approx(1 - 0.7 * math.e / (1 + math.e), abs=1e-9)
    assert free.distortion < bound.distortion < 0.6
    assert bound.leakage_with_background == pytest.approx(bound.background_floor, abs=1e-9)


@pytest.mark.parametrize("slope", [1e-17, 1e-300])
def test_a_slope_next_to_nothing_leaves_one_letter(slope: float) -> None:
    found = solve(RateDistortion(THREE, Hamming(), Slope(slope)))
    assert (found.distortion, found.leakage, found.letters) == (0.5, 0, 1)


@pytest.mark.parametrize("knowledge", list(Knowledge))
@pytest.mark.parametrize("slope", [800.0, 1e9, 1e300])
def test_a_slope_next_to_infinity_releases_the_nearest_letter(slope: float, knowledge: Knowledge) -> None:
    found = solve(RateDistortion(KNOWN, Hamming(), Slope(slope), knowledge))
    assert (found.distortion, found.slope) == (0, slope)
    assert found.objective == pytest.approx(entropy(KNOWN.row_marginal()), abs=1e-9)


# Searches that stall, and weights far apart.


@pytest.mark.parametrize("slope", [0.02, 0.0275, 0.03])
def test_a_search_that_swings_between_two_corners_goes_on(slope: float) -> None:
    distances = np.array([[0.6, 160, 4], [0, 760, 29], [750, 5, 29.0]])
    source = Distribution("abc", [0.03, 0.22, 0.75])
    found = solve(RateDistortion(source, Given(distances, "abc", "abc"), Slope(slope)))
    assert found.gap * NATS <= 1e-9


def test_badly_scaled_searches_end_in_a_proof() -> None:
    draw = randomness.simulation(12)
    for _ in range(300):
        inputs, outputs = draw.integers(2, 7, 2)
        prior = np.maximum(draw.dirichlet(np.full(inputs, 0.5)), 1e-6)
        costs = 10 ** draw.uniform(-3, 1) * 10 ** draw.uniform(-2, 3, (inputs, outputs))
        kernel = np.exp(costs.min(axis=1, keepdims=True) - costs)
        found = minimise(MixtureFit(kernel, prior / prior.sum()), np.full(outputs, 1 / outputs), 1e-8)
        assert found.gap <= 1e-8


@pytest.mark.parametrize("target", [Slope(math.inf), Slope(1.0), MaxDistortion(0.3)])
@pytest.mark.parametrize("weights", [[1e9, 1, 1], [1e9, 1e9, 1e9], [1e-200, 1, 1], [1e-9, 1e-9, 1e-9]])
def test_weights_of_any_size_are_proven_in_their_own_unit(target: Target, weights: list[float]) -> None:
    unit = max(weights)
    found = solve(RateDistortion(THREE, Hamming(), target, weights=weights))
    assert found.gap * NATS <= 1e-9 * unit
    if isinstance(target, Slope) and math.isfinite(target.nats_per_unit):
        target = Slope(target.nats_per_unit / unit)
    scaled = solve(RateDistortion(THREE, Hamming(), target, weights=[weight / unit for weight in weights]))
    assert found.objective == pytest.approx(unit * scaled.objective, rel=1e-6, abs=1e-8 * unit)
    assert found.distortion == pytest.approx(scaled.distortion, abs=1e-6)


def test_a_target_between_two_points_closer_than_the_rounding() -> None:
    joint = [
        [0.04321611120114451, 0.6776329532161086],
        [0.19144397195823457, 0],
        [0.03873534976135791, 0.026023975679952863],
    ]
    source = Joint("abcd", "uv", np.array([*joint, [0, 0.022947638183201374]]))
    distances = [[1.7305264285314637, 60.04558940917713, 1.34036677582782], [12.8, 0.3243258196595151, 113.0]]
    distances += [[0.06313588163205557, 0.07970516007331221, 222.7], [15.2, 0.021190228725285785, 125.1]]
    loss = Given(distances, "abcd", "abc")
    least = float(source.row_marginal().probabilities @ np.min(distances, axis=1))
    for share in (1e-6, 2e-6, 3e-6, 5e-6):
        found = solve(RateDistortion(source, loss, MaxDistortion(least + share), Knowledge.BOTH))
        assert found.distortion <= least + share
        assert found.gap * NATS <= 1e-9


def test_the_end_of_the_curve_is_proven_for_many_bounds() -> None:
    draw = randomness.simulation(13)
    for inputs, epsilon in ((4, 0.5), (6, 1.0), (8, 3.0)):
        prior = draw.dirichlet(np.ones(inputs))
        distances = draw.random((inputs, inputs))
        distances -= distances.min(axis=1, keepdims=True)
        cone = Window.within_ratio(np.ones(inputs), epsilon)
        curve = Curve(OneChannel(Secrets.of(prior[:, None]), distances, cone), 1e-9)
        assert curve.end.gap <= 1e-9
        assert curve.end.excess == pytest.approx(least_by_program(prior, distances, epsilon), abs=1e-8)
