"""Composition: sourced numbers, exact truths, and that no bound lies below them."""

from __future__ import annotations

import math
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from scipy import integrate, special, stats

from leakgauge.claims import (
    ApproximateDP,
    CentralDP,
    GaussianDP,
    LocalDP,
    MutualInformation,
    RenyiDP,
    Statement,
    ZeroConcentratedDP,
)
from leakgauge.errors import InputError, LeakgaugeError, ModelError, OptionError
from leakgauge.measures.divergences import hockey_stick, renyi
from leakgauge.measures.information import Unit
from leakgauge.mechanisms.steps import (
    Claimed,
    ClaimedCurve,
    DiscreteGaussianNoise,
    DiscreteLaplaceNoise,
    ExponentialChoice,
    GaussianNoise,
    KnownChannel,
    LaplaceNoise,
    PermuteAndFlip,
    RandomizedResponse,
    Step,
)
from leakgauge.notions import approximate_dp_at
from leakgauge.notions.composition import (
    Composition,
    Method,
    Neighbours,
    Parts,
    amplified_by_sampling,
    compose,
    compose_exactly,
    group_privacy,
    in_parallel,
    profile,
)
from leakgauge.notions.formulas import approximate_of_gaussian, delta_of_gaussian
from leakgauge.probability import Channel
from leakgauge.probability.cells import Floats
from leakgauge.randomness import simulation

ADD = Neighbours.ADD_OR_REMOVE_ONE
PLD = Method.LOSS_DISTRIBUTION
LN3 = math.log(3)
ROUNDING = 1e-9


@pytest.fixture
def accounting() -> Any:
    return pytest.importorskip("dp_accounting")


def exact_epsilon(channel: Channel, delta: float) -> float:
    return approximate_dp_at(channel, delta).value


def least_epsilon(delta_of: Callable[[float], float], delta: float, high: float = 200.0) -> float:
    """Bisection, independent of the library's own inversions."""
    low = 0.0
    if delta_of(0.0) <= delta:
        return 0.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if delta_of(middle) > delta else (low, middle)
    return high


def true_epsilon(channel: Channel, delta: float) -> float:
    rows = [channel.row(label) for label in channel.inputs]
    return max(least_epsilon(lambda e: hockey_stick(p, q, e), delta) for p, q in permutations(rows, 2))  # noqa: B023


def random_channel(random: np.random.Generator, inputs: int, outputs: int) -> Channel:
    return Channel(range(inputs), range(outputs), random.dirichlet(np.full(outputs, 2.0), inputs))


def flip(epsilon: float) -> Channel:
    keep = 1 / (1 + math.exp(-epsilon))
    return Channel("ab", "ab", [[keep, 1 - keep], [1 - keep, keep]])


def assert_sound(whole: Composition, truth: float) -> None:
    for method, epsilon in whole.bounds.items():
        assert epsilon >= truth * (1 - ROUNDING) - ROUNDING, (method, epsilon, truth)


# --- randomized response ---------------------------------------------------------------------------------------


def test_ten_randomized_responses_spend_ten_times_one() -> None:
    for letters in (2, 5):
        whole = compose([RandomizedResponse(LN3, letters, count=10)], delta=0)
        assert whole.epsilon == pytest.approx(10.986, abs=1e-3)
        assert whole.method is Method.BASIC
    as_channels = compose([flip(LN3)] * 10, delta=0)
    assert as_channels.epsilon == pytest.approx(10 * LN3)
    assert as_channels.bounds[Method.EXACT] == pytest.approx(10 * LN3)


@pytest.mark.parametrize("delta", [1e-9, 1e-6, 1e-3, 0.05])
def test_ten_randomized_responses_at_a_delta_are_the_binomial_truth(accounting: Any, delta: float) -> None:
    lies = np.arange(11)
    first, second = stats.binom.pmf(lies, 10, 0.25), stats.binom.pmf(lies, 10, 0.75)
    truth = least_epsilon(lambda e: float(np.maximum(first - math.exp(e) * second, 0).sum()), delta)
    whole = compose([RandomizedResponse(LN3, count=10)], delta)
    assert_sound(whole, truth)
    assert whole.epsilon == pytest.approx(truth, rel=1e-6)
    assert truth - ROUNDING <= whole.bounds[PLD] <= truth * 1.001
    claim = compose([Claimed(LocalDP(LN3), count=10)], delta)
    assert claim.epsilon == pytest.approx(whole.epsilon), "the sharp worst case of the claim"


def test_the_accountant_behind_forgets_the_count(accounting: Any) -> None:
    """Why randomized response never goes through dp-accounting's events; when this fails it has been mended."""
    pld = import_module("dp_accounting.pld")
    event = accounting.SelfComposedDpEvent(accounting.RandomizedResponseDpEvent(0.5, 2), 10)
    accountant = pld.PLDAccountant(accounting.NeighboringRelation.REPLACE_ONE)
    accountant.compose(event)
    assert accountant.get_epsilon(1e-6) == pytest.approx(LN3, abs=1e-3)
    assert compose([RandomizedResponse(LN3, count=10)], 1e-6).epsilon > 10.9


# --- Gaussian and Laplace noise --------------------------------------------------------------------------------


def analytic_gaussian(mu: float, delta: float) -> float:
    def delta_of(e: float) -> float:
        return float(stats.norm.cdf(mu / 2 - e / mu) - math.exp(e + stats.norm.logcdf(-mu / 2 - e / mu)))

    return least_epsilon(delta_of, delta)


@pytest.mark.parametrize(("sigma", "count"), [(1.0, 1), (5.0, 10), (20.0, 100), (50.0, 1000), (2.0, 16)])
@pytest.mark.parametrize("delta", [1e-10, 1e-6, 1e-3])
def test_gaussians_compose_to_one_gaussian(accounting: Any, sigma: float, count: int, delta: float) -> None:
    truth = analytic_gaussian(math.sqrt(count) / sigma, delta)
    whole = compose([GaussianNoise(sigma, count=count)], delta)
    assert_sound(whole, truth)
    assert whole.method is Method.EXACT
    assert whole.epsilon == pytest.approx(truth, rel=1e-7)
    # One alone composes with nothing.
    assert PLD not in whole.bounds if count == 1 else truth <= whole.bounds[PLD] <= truth * 1.01
    assert compose([GaussianDP(math.sqrt(count) / sigma)], delta).epsilon == pytest.approx(truth, rel=1e-7)


def test_gaussians_that_are_composed_and_not_merged_stay_within_a_percent(accounting: Any) -> None:
    # A little randomized response makes the exact way inapplicable to the whole.
    whole = compose([GaussianNoise(10.0, count=50), RandomizedResponse(1e-4)], 1e-6)
    truth = analytic_gaussian(math.sqrt(50) / 10, 1e-6)
    assert truth <= whole.bounds[PLD] <= truth * 1.01


@pytest.mark.parametrize(("epsilon", "count"), [(0.1, 100), (1.0, 5), (0.03, 1000)])
def test_laplace_agrees_with_the_accountant_used_directly(accounting: Any, epsilon: float, count: int) -> None:
    accountant = import_module("dp_accounting.pld").PLDAccountant(value_discretization_interval=1e-4)
    accountant.compose(accounting.SelfComposedDpEvent(accounting.LaplaceDpEvent(1 / epsilon), count))
    whole = compose([LaplaceNoise(epsilon, count=count)], 1e-6)
    assert whole.bounds[PLD] == pytest.approx(accountant.get_epsilon(1e-6), rel=2e-3)
    assert whole.epsilon <= whole.bounds[PLD]
    assert compose([LaplaceNoise(epsilon, count=count)], 0).epsilon == pytest.approx(epsilon * count)


def test_sampled_gaussian_agrees_with_the_accountants_used_directly(accounting: Any) -> None:
    event = accounting.SelfComposedDpEvent(accounting.PoissonSampledDpEvent(0.02, accounting.GaussianDpEvent(1.1)), 500)
    by_losses = import_module("dp_accounting.pld").PLDAccountant()
    by_orders = import_module("dp_accounting.rdp").RdpAccountant()
    by_losses.compose(event)
    by_orders.compose(event)
    step = GaussianNoise(1.1, count=500, sampling_probability=0.02)
    whole = compose([step], 1e-5, neighbours=ADD)
    assert whole.bounds[PLD] == pytest.approx(by_losses.get_epsilon(1e-5), rel=5e-3)
    assert whole.bounds[Method.RENYI] == pytest.approx(by_orders.get_epsilon(1e-5), rel=2e-2)
    assert compose([step], 1e-5).epsilon > whole.epsilon, "replaced records gain in δ only"


def test_discrete_laplace_is_randomized_response_at_sensitivity_one(accounting: Any) -> None:
    geometric, response = (
        compose([kind], 1e-5) for kind in (DiscreteLaplaceNoise(0.7, count=8), RandomizedResponse(0.7, count=8))
    )
    assert geometric.epsilon == pytest.approx(response.epsilon)
    finer = compose([DiscreteLaplaceNoise(0.7, 50, count=8)], 1e-5).epsilon
    assert finer == pytest.approx(compose([LaplaceNoise(0.7, count=8)], 1e-5).epsilon, rel=0.02)


# --- curves and conversions ------------------------------------------------------------------------------------


def converted(curve: Callable[[float], float], delta: float) -> float:
    orders = 1 + np.geomspace(1e-3, 1e6, 40_000)
    return float(
        min(curve(a) + math.log1p(-1 / a) - (math.log(delta) + math.log(a)) / (a - 1) for a in orders.tolist())
    )


@pytest.mark.parametrize("delta", [1e-9, 1e-5])
@pytest.mark.parametrize("rho", [1e-4, 0.05, 2.0])
def test_zcdp_converts_by_the_tight_formula(rho: float, delta: float) -> None:
    whole = compose([Claimed(ZeroConcentratedDP(rho / 4), count=4)], delta)
    assert whole.method is Method.ZCDP
    assert whole.epsilon == pytest.approx(converted(lambda a: a * rho, delta), rel=1e-6)
    assert whole.epsilon < rho + 2 * math.sqrt(rho * math.log(1 / delta)), "better than the familiar form"


def test_levels_of_zcdp_are_the_sharp_ones() -> None:
    pure = compose([CentralDP(4.0)], 1e-6).bounds[Method.ZCDP]
    assert pure == pytest.approx(converted(lambda a: a * 4 * math.tanh(2), 1e-6), rel=1e-6)
    choice = compose([ExponentialChoice(1.0)], 1e-6).bounds[Method.ZCDP]
    assert choice == pytest.approx(converted(lambda a: a / 8, 1e-6), rel=1e-6)


@pytest.mark.parametrize("order", [1.01, 1.5, 2.0, 7.3, 40.0])
def test_curves_are_the_divergences_they_stand_for(order: float) -> None:
    at = np.array([order])

    def of(channel: Channel) -> float:
        rows = [channel.row(label) for label in channel.inputs]
        divergences: list[float] = [renyi(p, q, order, Unit.NATS) for p, q in permutations(rows, 2)]
        return max(divergences)

    for epsilon in (1e-3, 0.7, 3.0):
        assert Claimed(CentralDP(epsilon)).renyi(at)[0] == pytest.approx(of(flip(epsilon)), rel=1e-8, abs=1e-13)
        other = 1 / (math.exp(epsilon) + 3)
        four = Channel("abcd", "abcd", np.full((4, 4), other) + np.diag(np.full(4, 1 - 4 * other)))
        assert RandomizedResponse(epsilon, 4).renyi(at)[0] == pytest.approx(of(four), rel=1e-8, abs=1e-13)

        def density_ratio(x: float, e: float = epsilon) -> float:
            return 0.5 * math.exp(-order * abs(x) - (1 - order) * abs(x - e))

        total = sum(integrate.quad(density_ratio, *ends)[0] for ends in ((-60, 0), (0, epsilon), (epsilon, 60)))
        assert LaplaceNoise(epsilon).renyi(at)[0] == pytest.approx(math.log(total) / (order - 1), rel=1e-5, abs=1e-9)
    random = simulation(7)
    channel = random_channel(random, 4, 5)
    assert KnownChannel(channel).renyi(at)[0] == pytest.approx(of(channel))


def test_sampled_gaussian_curve_lies_on_or_above_the_integral() -> None:
    probability, sigma = 0.1, 1.5
    for order in (1.5, 2.0, 3.0, 4.7, 12.0):

        def moment(x: float, a: float = order) -> float:
            ratio = 1 - probability + probability * math.exp((2 * x - 1) / (2 * sigma**2))
            return float(ratio**a) * math.exp(-(x**2) / (2 * sigma**2)) / (sigma * math.sqrt(2 * math.pi))

        truth = math.log(integrate.quad(moment, -30, 60, limit=500)[0]) / (order - 1)
        curve = import_module("leakgauge.mechanisms.steps.renyi_curves")
        bound = float(curve.sampled_gaussian(1 / sigma, probability, np.array([order]))[0])
        assert bound >= truth * (1 - 1e-7)
        if order.is_integer():
            assert bound == pytest.approx(truth, rel=1e-6)


def test_a_claimed_curve_is_used_at_its_orders_and_safely_between() -> None:
    orders = [2.0, 4.0, 8.0, 16.0, 32.0]
    few = ClaimedCurve.from_mapping({a: a * 0.05 for a in orders}, "a few orders", count=3)
    every = ClaimedCurve("every order", function=lambda a: 0.05 * a, count=3)
    few_whole, whole = compose([few], 1e-6), compose([every], 1e-6)
    assert whole.epsilon == pytest.approx(compose([ZeroConcentratedDP(0.15)], 1e-6).epsilon)
    assert whole.epsilon <= few_whole.epsilon <= 1.1 * whole.epsilon
    assert set(whole.bounds) == {Method.RENYI, Method.BASIC}
    one = compose([RenyiDP(0.4, 8.0)], 1e-6)
    assert one.epsilon <= 0.4 + math.log1p(-1 / 8) - (math.log(1e-6) + math.log(8)) / 7 + 1e-9
    between = few.renyi(np.array([3.0, 40.0]))
    assert between[0] >= 0.15
    assert between[1] == math.inf


# --- no bound below the truth ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_no_bound_lies_below_exactly_composed_channels(accounting: Any, seed: int) -> None:
    random = simulation(seed)
    inputs = int(random.integers(2, 4))
    kinds = [random_channel(random, inputs, int(random.integers(2, 4))) for _ in range(2)]
    counts = random.integers(1, 4, size=2).tolist()
    exactly = compose_exactly([kind for kind, count in zip(kinds, counts, strict=True) for _ in range(count)])
    for delta in (0.0, 1e-6, 1e-3, 0.1):
        truth = true_epsilon(exactly, delta) if delta else exact_epsilon(exactly, 0.0)
        assert exact_epsilon(exactly, delta) == pytest.approx(truth, rel=1e-6, abs=1e-8)
        steps = [KnownChannel(kind, "x", count=n) for kind, n in zip(kinds, counts, strict=True)]
        whole = compose(steps, delta)
        assert_sound(whole, truth)
        assert whole.epsilon == pytest.approx(truth, rel=1e-6, abs=1e-8)
        if delta:
            assert whole.bounds[PLD] <= truth * 1.01 + 1e-3
        assert_sound(compose([KnownChannel(step.channel, count=step.count) for step in steps], delta), truth)


def test_channels_of_unnamed_secrets_may_meet_different_pairs() -> None:
    """Two columns of one record: the pair that is worst for one channel need not be the other's."""
    first = Channel("abc", "yn", [[0.9, 0.1], [0.1, 0.9], [0.5, 0.5]])
    second = Channel("abc", "yn", [[0.5, 0.5], [0.9, 0.1], [0.1, 0.9]])
    side_by_side = first.product(second)
    for delta in (0.0, 0.01):
        truth = exact_epsilon(side_by_side, delta)
        assert_sound(compose([first, second], delta), truth)
        same = compose([KnownChannel(first, "x"), KnownChannel(second, "x")], delta)
        assert same.epsilon < truth - 0.1


@pytest.mark.parametrize("seed", range(6))
def test_bounds_of_mixed_claims_hold_for_channels_that_satisfy_them(accounting: Any, seed: int) -> None:
    random = simulation(100 + seed)
    first, second = random_channel(random, 3, 3), random_channel(random, 3, 3)
    epsilon, delta = exact_epsilon(first, 0.01), exact_epsilon(second, 0)
    steps: list[Step | Statement] = [Claimed(ApproximateDP(epsilon, 0.01), count=2), CentralDP(delta)]
    for target in (0.02, 0.05, 0.2):
        truth = exact_epsilon(compose_exactly([first, first, second]), target)
        assert_sound(compose(steps, target), truth)


def exponential(scores: Floats, epsilon: float) -> Floats:
    return np.asarray(special.softmax(epsilon * scores / 2))


@pytest.mark.parametrize("seed", range(6))
def test_exponential_mechanism_bounds_hold_and_beat_basic(accounting: Any, seed: int) -> None:
    random = simulation(200 + seed)
    epsilon = float(random.choice([0.5, 1.0, 3.0]))
    rows = []
    for _ in range(2):
        scores = random.choice([0.0, 1.0, 5.0], 4)
        rows.append((exponential(scores, epsilon), exponential(scores + random.choice([-1.0, 1.0], 4), epsilon)))
    channels = [Channel("xy", range(4), np.array(pair)) for pair in rows]
    for delta in (1e-6, 1e-2):
        truth = exact_epsilon(compose_exactly([channels[0]] * 2 + [channels[1]] * 3), delta)
        assert_sound(compose([ExponentialChoice(epsilon, count=5)], delta), truth)
    many = compose([ExponentialChoice(0.1, count=100)], 1e-6)
    assert many.epsilon < 0.3 * many.bounds[Method.BASIC]
    assert many.epsilon < compose([PermuteAndFlip(0.1, count=100)], 1e-6).epsilon


def test_worst_curve_of_bounded_range_dominates_every_two_point_pair() -> None:
    eta, grid = 1.3, np.linspace(-2, 2, 81)
    loss = ExponentialChoice(eta).loss()
    assert loss is not None
    above = [loss.cells(np.array([epsilon, math.inf])) for epsilon in grid]
    curve = np.array([p[0] - math.exp(epsilon) * q[0] for epsilon, (p, q) in zip(grid, above, strict=True)])
    best = np.zeros(81)
    for t in np.linspace(1e-6, eta - 1e-6, 4001):
        p = math.expm1(eta - t) / (math.exp(-t) * math.expm1(eta))
        pair = p * np.maximum(1 - np.exp(grid - t), 0) + (1 - p) * np.maximum(1 - np.exp(grid - t + eta), 0)
        best = np.maximum(best, pair)
    assert np.all(curve >= best - 1e-12)
    np.testing.assert_allclose(curve, best, atol=1e-6)


def test_permute_and_flip_does_not_get_the_eighth() -> None:
    second = math.exp(-1) / 2
    channel = Channel(["(0, 0)", "(1, −1)"], ["first", "second"], [[0.5, 0.5], [1 - second, second]])
    assert exact_epsilon(channel, 0) == pytest.approx(1.0)
    orders = np.linspace(1.01, 30, 3000)
    rho = float((KnownChannel(channel).renyi(orders) / orders).max())
    assert 0.260 <= rho <= PermuteAndFlip(1.0).rho() == pytest.approx(math.tanh(0.5))
    assert rho > ExponentialChoice(1.0).rho() == pytest.approx(1 / 8)


# --- sampling --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_sampled_claims_hold_for_the_mixtures_they_describe(accounting: Any, seed: int) -> None:
    random = simulation(300 + seed)
    absent, one, other = random.dirichlet(np.full(4, 2.0), 3)
    probability = float(random.uniform(0.05, 0.9))
    mixed = [(1 - probability) * absent + probability * row for row in (one, other)]
    replaced = Channel("xy", range(4), np.array([one, other]))
    added = Channel("xy", range(4), np.array([absent, one]))
    for delta in (0.0, 1e-4, 0.02):
        for neighbours, unsampled, rows in (
            (Neighbours.REPLACE_ONE, replaced, mixed),
            (ADD, added, [absent, mixed[0]]),
        ):
            truth = exact_epsilon(compose_exactly([Channel("xy", range(4), np.array(rows))] * 3), delta)
            for claim in (
                CentralDP(exact_epsilon(unsampled, 0)),
                ApproximateDP(exact_epsilon(unsampled, 0.005), 0.005),
            ):
                step = Claimed(claim, count=3, sampling_probability=probability)
                assert_sound(compose([step], delta, neighbours=neighbours), truth)
                once = amplified_by_sampling(claim, probability, neighbours=neighbours)
                assert_sound(compose([Claimed(once, count=3)], delta, neighbours=neighbours), truth)
    seen_sometimes = KnownChannel(replaced, "x", count=3, sampling_probability=probability)
    truth = exact_epsilon(compose_exactly([Channel("xy", range(4), np.array(mixed))] * 3), 1e-4)
    assert_sound(compose([seen_sometimes], 1e-4), truth)


def test_sampling_of_replaced_records_alone_does_not_lower_epsilon() -> None:
    """Without the record the mechanism may answer what it never answers with it."""
    probability, epsilon = 0.1, 1.0
    keep = 1 / (1 + math.exp(-epsilon))
    rows = [[1 - probability, probability * keep, probability * (1 - keep)]]
    rows.append([rows[0][0], rows[0][2], rows[0][1]])
    assert exact_epsilon(Channel("xy", range(3), rows), 0) == pytest.approx(epsilon)
    assert amplified_by_sampling(CentralDP(epsilon), probability) == CentralDP(epsilon)
    amplified = amplified_by_sampling(ApproximateDP(epsilon, 1e-6), probability, neighbours=ADD)
    assert amplified.epsilon == pytest.approx(math.log1p(0.1 * math.expm1(1)))
    assert dict(amplified.parameters)["delta"] == pytest.approx(1e-7)


# --- groups and parts ------------------------------------------------------------------------------------------


def test_group_privacy() -> None:
    assert group_privacy(CentralDP(0.5), 3) == CentralDP(1.5)
    assert group_privacy(LocalDP(0.5), 3) == CentralDP(1.5)
    assert group_privacy(ZeroConcentratedDP(0.5), 3) == ZeroConcentratedDP(4.5)
    assert group_privacy(GaussianDP(0.5), 3) == GaussianDP(1.5)
    assert group_privacy(RenyiDP(0.5, 16.0), 3) == RenyiDP(4.5, 4.0)
    grouped = group_privacy(ApproximateDP(0.5, 1e-6), 3)
    assert isinstance(grouped, ApproximateDP)
    assert grouped.epsilon == 1.5
    assert 3e-6 < grouped.delta <= 3 * math.exp(2 * 0.5) * 1e-6
    assert group_privacy(ApproximateDP(0.0, 1e-6), 3) == ApproximateDP(0.0, 3e-6)
    with pytest.raises(OptionError, match="at least 8"):
        group_privacy(RenyiDP(0.5, 4.0), 3)


def test_group_privacy_holds_along_a_chain_of_neighbours() -> None:
    random = simulation(5)
    for _ in range(20):
        chain = Channel(range(4), range(4), random.dirichlet(np.full(4, 2.0), 4))
        rows = [chain.row(label) for label in range(4)]
        epsilon = 0.3
        delta = max(hockey_stick(rows[i], rows[j], epsilon) for i in range(4) for j in range(4) if abs(i - j) == 1)
        grouped = group_privacy(ApproximateDP(epsilon, delta), 3)
        assert isinstance(grouped, ApproximateDP)
        assert hockey_stick(rows[0], rows[3], grouped.epsilon) <= grouped.delta


def test_parts_side_by_side_spend_the_largest() -> None:
    claims = [CentralDP(0.5), CentralDP(1.0)]
    assert in_parallel(claims, parts=Parts.FIXED) == CentralDP(1.0)
    assert in_parallel(claims, parts=Parts.BY_VALUE, neighbours=ADD) == CentralDP(1.0)
    assert in_parallel(claims, parts=Parts.BY_VALUE) == CentralDP(2.0), "a replaced record touches two parts"
    mixed = [ApproximateDP(0.5, 1e-5), ApproximateDP(1.0, 1e-6)]
    assert in_parallel(mixed, parts=Parts.FIXED) == ApproximateDP(1.0, 1e-5)
    with pytest.raises(OptionError, match="one notion"):
        in_parallel([CentralDP(1.0), ZeroConcentratedDP(1.0)], parts=Parts.FIXED)


# --- laws ------------------------------------------------------------------------------------------------------

MIXED: list[Step | Statement | Channel] = [
    LaplaceNoise(0.2, count=3),
    GaussianNoise(4.0, count=2),
    RandomizedResponse(0.5, 3),
    ExponentialChoice(0.3, count=2),
    PermuteAndFlip(0.2),
    flip(0.4),
    CentralDP(0.1),
    DiscreteLaplaceNoise(0.3, 2),
    GaussianNoise(1.0, sampling_probability=0.1),
]


def test_order_and_grouping_of_steps_do_not_matter(accounting: Any) -> None:
    one = compose(MIXED, 1e-6)
    assert compose(MIXED[::-1], 1e-6).bounds == one.bounds
    split = [LaplaceNoise(0.2), *MIXED[1:], LaplaceNoise(0.2, count=2)]
    assert compose(split, 1e-6).bounds == one.bounds
    assert set(one.bounds) == {Method.BASIC, Method.ZCDP, Method.RENYI, PLD}


@pytest.mark.parametrize(
    "kind",
    [LaplaceNoise, ExponentialChoice, PermuteAndFlip, RandomizedResponse, DiscreteLaplaceNoise],
    ids=lambda kind: str(kind.__name__),
)
def test_more_runs_never_spend_less(accounting: Any, kind: Callable[..., Step]) -> None:
    spent = [compose([kind(0.3, count=count)], 1e-5).epsilon for count in (1, 2, 3, 5, 10, 30)]
    assert spent == sorted(spent)
    deltas = [compose([kind(0.3, count=10)], delta).epsilon for delta in (0.0, 1e-9, 1e-6, 1e-3, 0.1)]
    assert deltas == sorted(deltas, reverse=True)


def test_basic_adds_the_decimals_that_were_written() -> None:
    whole = compose([Claimed(ApproximateDP(0.1, 1e-7), count=3)], 3e-7)
    assert whole.bounds[Method.BASIC] == pytest.approx(0.3)
    assert compose([Claimed(ApproximateDP(0.1, 1e-7), count=4)], 3e-7).bounds[Method.BASIC] == math.inf
    left_over = compose([ApproximateDP(0.1, 1e-7), RenyiDP(0.4, 8.0)], 1e-6)
    assert left_over.method is Method.BASIC
    assert left_over.epsilon == pytest.approx(0.1 + compose([RenyiDP(0.4, 8.0)], 9e-7).epsilon)


@pytest.mark.parametrize(("epsilon", "count"), [(0.001, 1000), (0.1, 100), (0.0333, 300), (2.0, 3)])
def test_many_approximate_claims_meet_the_optimal_composition(accounting: Any, epsilon: float, count: int) -> None:
    """Kairouz, Oh and Viswanath 2015, theorem 3.3: the truth is a binomial, and δ of all runs."""
    whole = compose([Claimed(ApproximateDP(epsilon, 1e-9), count=count)], 1e-5)
    lies = np.arange(count + 1)
    first = stats.binom.pmf(lies, count, 1 / (1 + math.exp(epsilon)))
    second = stats.binom.pmf(lies, count, 1 / (1 + math.exp(-epsilon)))
    left = 1 - (1 - 1e-5) / (1 - 1e-9) ** count
    truth = least_epsilon(lambda e: float(np.maximum(first - math.exp(e) * second, 0).sum()), left)
    assert_sound(whole, truth)
    assert whole.epsilon == pytest.approx(truth, rel=1e-5)
    assert whole.bounds[PLD] <= truth * 1.001


def test_infinite_is_an_answer() -> None:
    for step in (CentralDP(math.inf), GaussianNoise(0.0), ZeroConcentratedDP(math.inf), Channel.identity("ab")):
        for delta in (0.0, 1e-6):
            assert compose([step], delta).epsilon == math.inf
    leaking = Channel("ab", "abc", [[0.5, 0.499, 0.001], [0.5, 0.5, 0.0]])
    assert compose([leaking], 0.0).epsilon == math.inf
    assert compose([leaking], 0.002).epsilon < 0.01
    assert compose([GaussianNoise(math.inf), CentralDP(0.0)], 0.0).epsilon == 0.0
    constant = Channel("a", "xy", [[0.5, 0.5]])
    assert compose([constant, RandomizedResponse(1.0)], 1e-3).epsilon > 0.9


def test_the_answer_is_a_statement() -> None:
    assert compose([CentralDP(0.5)], 0).statement == CentralDP(0.5)
    assert isinstance(compose([CentralDP(0.5)], 1e-6).statement, ApproximateDP)
    with pytest.raises(TypeError):
        compose([CentralDP(0.5)], 0).bounds[Method.BASIC] = 0.0  # type: ignore[index]


def test_heavy_parts_are_loaded_when_asked() -> None:
    check = (
        "import sys; from leakgauge.notions.composition import compose; from leakgauge.mechanisms.steps import *\n"
        "print('scipy' in sys.modules)\n"
        "compose([LaplaceNoise(1.0, count=9)], 1e-6); print('dp_accounting' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"], "loss distributions need no extra"


def test_a_thousand_mechanisms_of_twenty_kinds_take_less_than_five_seconds(accounting: Any) -> None:
    import_module("dp_accounting.pld.privacy_loss_distribution")
    random = simulation(1)
    kinds: list[Step] = []
    for at in range(4):
        level = 0.02 + 0.03 * at
        kinds += [LaplaceNoise(level), GaussianNoise(1 / level, sampling_probability=0.5), RandomizedResponse(level, 3)]
        kinds += [ExponentialChoice(level), KnownChannel(flip(level))]
    steps = [kinds[at] for at in random.integers(0, 20, 1000)]
    for neighbours in Neighbours:
        steps = [
            s
            for s in steps
            if neighbours is Neighbours.REPLACE_ONE or s.names_a_missing_record or s.sampling_probability == 1
        ]
        start = time.process_time()
        whole = compose(steps, 1e-6, neighbours=neighbours)
        assert time.process_time() - start < 5
        assert PLD in whole.bounds
        assert whole.epsilon < 0.5 * whole.bounds[Method.BASIC]


# --- refused at the door ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: LaplaceNoise(-1.0),
        lambda: LaplaceNoise(math.nan),
        lambda: RandomizedResponse(1.0, 1),
        lambda: GaussianNoise(-1.0),
        lambda: DiscreteLaplaceNoise(1.0, 0),
        lambda: ExponentialChoice(math.nan),
        lambda: PermuteAndFlip(-0.1),
        lambda: LaplaceNoise(1.0, count=0),
        lambda: LaplaceNoise(1.0, count=1.5),  # type: ignore[arg-type]
        lambda: LaplaceNoise(1.0, sampling_probability=0.0),
        lambda: LaplaceNoise(1.0, sampling_probability=1.1),
        lambda: LaplaceNoise(1.0, sampling_probability=math.nan),
        lambda: Claimed(ApproximateDP(1.0, 1.0)),
        lambda: Claimed(MutualInformation(1.0)),
        lambda: Claimed(RenyiDP(1.0, 1.0)),
        lambda: ClaimedCurve("nothing"),
        lambda: ClaimedCurve.from_mapping({0.5: 1.0}, "low"),
        lambda: ClaimedCurve.from_mapping({2.0: -1.0}, "negative"),
        lambda: compose([ClaimedCurve("bad", function=lambda a: a * math.nan)], 1e-6),
        lambda: compose([], 0),
        lambda: compose([CentralDP(1.0)], 1.0),
        lambda: compose([CentralDP(1.0)], -1e-9),
        lambda: compose([CentralDP(1.0)], math.nan),
        lambda: compose([1.0], 0),  # type: ignore[list-item]
        lambda: compose([KnownChannel(flip(1), "x"), KnownChannel(Channel.identity("cd"), "x")], 0),
        lambda: compose([RandomizedResponse(1.0, sampling_probability=0.5)], 0, neighbours=ADD),
        lambda: compose_exactly([]),
        lambda: compose_exactly([flip(1), Channel.identity("cd")]),
        lambda: compose_exactly([flip(1)] * 30),
        lambda: exact_epsilon(flip(1), 1.0),
        lambda: group_privacy(CentralDP(1.0), 0),
        lambda: group_privacy(MutualInformation(1.0), 2),
        lambda: in_parallel([], parts=Parts.FIXED),
        lambda: amplified_by_sampling(CentralDP(1.0), 0.0),
        lambda: amplified_by_sampling(LocalDP(1.0), 0.5),
    ],
)
def test_bad_input_is_refused_in_one_sentence(wrong: Callable[[], object]) -> None:
    with pytest.raises(InputError) as caught:
        wrong()
    assert isinstance(caught.value, OptionError | ModelError)
    assert isinstance(caught.value, LeakgaugeError)
    assert str(caught.value).endswith(".")
    assert caught.value.template


def test_a_secret_may_be_named_by_a_number() -> None:
    first = Channel("abc", "uv", [[0.9, 0.1], [0.1, 0.9], [0.5, 0.5]])
    second = Channel("abc", "uv", [[0.5, 0.5], [0.1, 0.9], [0.9, 0.1]])
    by_name = {
        name: compose([KnownChannel(first, count=2), KnownChannel(second, secret=name)], 0) for name in (0, 1, "z")
    }
    assert {round(found.epsilon, 9) for found in by_name.values()} == {round(3 * math.log(9), 9)}


def test_a_local_claim_says_nothing_of_a_missing_record() -> None:
    with pytest.raises(ModelError, match="missing record"):
        compose([Claimed(LocalDP(1.0), sampling_probability=0.01)], 0, neighbours=Neighbours.ADD_OR_REMOVE_ONE)


def test_huge_levels_are_infinite_not_errors() -> None:
    assert compose([Claimed(GaussianDP(1e200))], 1e-6).epsilon == math.inf
    assert compose([ExponentialChoice(1e200)], 1e-6).epsilon >= 1e200


def test_channels_that_tell_everything_compose_to_an_infinite_budget() -> None:
    everything = KnownChannel(Channel.identity(["a", "b", "c"]))
    assert compose([everything, everything], delta=1e-6).epsilon == math.inf


def test_a_discrete_gaussian_of_any_size_has_a_level() -> None:
    assert DiscreteGaussianNoise(3.6e-187).rho() == math.inf
    assert DiscreteGaussianNoise(2.0, 3).rho() == 0.125
    fine, coarse = (compose([DiscreteGaussianNoise(2.0, steps)], 1e-5) for steps in (200, 1))
    # On a fine grid the discrete law is as good as the continuous one; its exact ε is known from a formula.
    assert fine.epsilon == pytest.approx(approximate_of_gaussian(0.5, 1e-5), rel=1e-4)
    assert fine.method is Method.EXACT and coarse.epsilon < coarse.bounds[Method.ZCDP]


@pytest.mark.parametrize("mu", [1e-8, 1e-4, 1e-3, 0.3, 0.499, 0.5, 3.0, 50.0])
def test_the_gaussian_curve_is_exact_at_every_size_and_on_the_safe_side(mu: float) -> None:
    mpmath = import_module("mpmath")

    def truth(epsilon: float) -> Any:
        e, m = mpmath.mpf(epsilon), mpmath.mpf(mu)
        return mpmath.ncdf(m / 2 - e / m) - mpmath.exp(e) * mpmath.ncdf(-m / 2 - e / m)

    with mpmath.workdps(60):
        for delta in (1e-15, 1e-9, 1e-6, 1e-3, 0.3):
            epsilon = approximate_of_gaussian(mu, delta)
            assert truth(epsilon) <= delta
            assert epsilon == 0 or truth(epsilon * (1 - 1e-9)) > delta
            for at in (0.0, epsilon / 3, epsilon):
                assert 1 <= delta_of_gaussian(mu, at) / truth(at) <= 1 + 1e-9


def test_much_noise_is_not_bounded_but_exact() -> None:
    # Solved for ε to 60 digits from Balle and Wang's formula.
    for sigma, delta, truth in ((1e4, 1e-6, 1.9383931724e-4), (1e8, 1e-12, 3.3630153303e-8)):
        found = compose([GaussianNoise(sigma)], delta)
        assert found.method is Method.EXACT and found.epsilon == pytest.approx(truth, rel=1e-9)


def test_even_an_infinite_epsilon_needs_the_delta_that_is_claimed() -> None:
    everything = Channel("ab", "abc", [[0.5, 0.499, 0.001], [0.5, 0.5, 0.0]])
    for steps, delta in (
        ([Claimed(ApproximateDP(0.1, 1e-3))], 1e-3),
        ([Claimed(ApproximateDP(0.1, 1e-3)), GaussianNoise(2.0)], 1e-3),
        ([KnownChannel(everything)], 1e-3),
        ([Claimed(CentralDP(math.inf))], 1.0),
    ):
        found = profile(steps).delta_at(math.inf)
        assert delta <= found <= delta * (1 + 1e-6)
    assert profile([GaussianNoise(2.0)]).delta_at(math.inf) == 0


def test_what_was_not_computed_is_not_called_infinite() -> None:
    little = compose([DiscreteGaussianNoise(0.01)], 1e-6)
    assert Method.EXACT not in little.bounds and little.epsilon < 5600
    many = compose([LaplaceNoise(1e-4, count=10**9)], 1e-6)
    assert PLD not in many.bounds and many.epsilon < 21


def test_a_count_may_come_from_numpy() -> None:
    step = GaussianNoise(1.0, count=np.int64(3))  # type: ignore[arg-type]
    assert step == GaussianNoise(1.0, count=3) and type(step.count) is int


def test_a_claim_that_does_not_compose_is_named_as_it_is_written() -> None:
    with pytest.raises(OptionError, match=r"^'mutual-information:0\.1bits' does not compose; claim one of dp,"):
        Claimed(MutualInformation(0.1))
