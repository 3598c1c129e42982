"""Profiles, calibration and amplification: published numbers, dp-accounting, and nothing below the truth."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

from leakgauge.claims import (
    ApproximateDP,
    CentralDP,
    GaussianDP,
    LocalDP,
    MaximalLeakage,
    MutualInformation,
    MutualInformationDP,
    RenyiDP,
    Statement,
    ZeroConcentratedDP,
)
from leakgauge.errors import InputError, ModelError, OptionError
from leakgauge.measures import capacities
from leakgauge.mechanisms import permute_and_flip
from leakgauge.mechanisms.steps import (
    Batch,
    Claimed,
    DiscreteGaussianNoise,
    DiscreteLaplaceNoise,
    ExponentialChoice,
    GaussianNoise,
    KnownChannel,
    LaplaceNoise,
    PermuteAndFlip,
    RandomizedResponse,
    Step,
    renyi_curves,
)
from leakgauge.notions.composition import (
    Method,
    Neighbours,
    amplified_by_shuffling,
    amplified_without_replacement,
    calibrate,
    compose,
    compose_exactly,
    profile,
)
from leakgauge.probability import Channel
from leakgauge.probability.cells import Floats, sums_by
from leakgauge.randomness import simulation

ADD = Neighbours.ADD_OR_REMOVE_ONE
PLD = Method.LOSS_DISTRIBUTION
ROUNDING = 1e-9


@pytest.fixture
def accounting() -> Any:
    logging.getLogger("absl").setLevel(logging.ERROR)
    return pytest.importorskip("dp_accounting")


def flip(epsilon: float) -> Channel:
    keep = 1 / (1 + math.exp(-epsilon))
    return Channel("ab", "ab", [[keep, 1 - keep], [1 - keep, keep]])


def true_delta(p: Floats, q: Floats, epsilon: float) -> float:
    return float(np.maximum(p - math.exp(epsilon) * q, 0).sum())


def true_power(p: Floats, q: Floats, rate: float) -> float:
    """The best of all tests that reject on a set of outputs, and at random on one more."""
    shown = (p > 0) | (q > 0)
    p, q = p[shown], q[shown]
    with np.errstate(divide="ignore"):
        order = np.argsort(-(p / q))
    rates, powers = np.append(0, np.cumsum(q[order])), np.append(0, np.cumsum(p[order]))
    return float(np.interp(rate, rates, powers))


def pairs(channel: Channel) -> list[tuple[Floats, Floats]]:
    return list(permutations(channel.matrix, 2))


def random_channels(seed: int) -> tuple[list[Step], Channel]:
    random = simulation(seed)
    inputs = int(random.integers(2, 4))
    kinds = [Channel(range(inputs), range(3), random.dirichlet(np.full(3, 2.0), inputs)) for _ in range(2)]
    counts = random.integers(1, 4, size=2).tolist()
    steps: list[Step] = [KnownChannel(kind, "x", count=count) for kind, count in zip(kinds, counts, strict=True)]
    return steps, compose_exactly([kind for kind, count in zip(kinds, counts, strict=True) for _ in range(count)])


# --- numbers with a source -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("people", "batch", "sigma", "epochs", "delta", "published"),
    [(60_000, 150, 1.3, 15, 1e-5, 0.7242234026109595), (100_000, 100, 1.0, 30, 1e-7, 1.4154988495444845)],
)
def test_training_costs_what_tensorflow_privacy_prints(
    people: int, batch: int, sigma: float, epochs: int, delta: float, published: float
) -> None:
    """tensorflow_privacy/privacy/analysis/compute_dp_sgd_privacy_test.py: Rényi DP, at the best of a few orders."""
    step = GaussianNoise(sigma, count=epochs * people // batch, sampling_probability=batch / people)
    whole = compose([step], delta, neighbours=ADD)
    assert 0.99 * published < whole.bounds[Method.RENYI] <= published * (1 + 1e-6)
    assert whole.epsilon == whole.bounds[PLD] < published


def test_profiles_are_those_of_dp_accounting_s_own_tests() -> None:
    """dp_accounting/pld/pld_privacy_accountant_test.py, version 0.6."""
    gaussian = profile([GaussianNoise(math.sqrt(3), count=3)])
    assert gaussian.delta_at(1.0) == pytest.approx(0.126936, abs=1e-6)
    assert gaussian.epsilon_at(0.126936) == pytest.approx(1.0, abs=1e-4)
    sampled = profile([GaussianNoise(0.5, count=3, sampling_probability=0.2)], neighbours=ADD)
    assert sampled.delta_at(1.0) == pytest.approx(0.15594, abs=1e-5)
    assert sampled.epsilon_at(0.15594) == pytest.approx(1.0, abs=1e-4)
    laplace = profile([LaplaceNoise(2.0, count=3, sampling_probability=0.2)], neighbours=ADD)
    assert laplace.epsilon_at(0) == pytest.approx(2.46964, abs=1e-5)


def test_the_sampled_gaussian_s_curve_is_that_of_dp_accounting_s_own_test() -> None:
    """dp_accounting/rdp/rdp_privacy_accountant_test.py, version 0.6; to a ten-thousandth, as there."""
    orders = np.array([1.5, 2.5, 5.0, 50.0, 100.0])
    published = [6.70579741e-04, 1.08548710e-03, 2.18075656e-03, 2.38460375e-02, 1.67416308e02]
    found = 50 * renyi_curves.sampled_gaussian(1 / 2.5, 0.01, orders)
    # At fractional orders near 1 theirs is a bound, and ours the integral.
    np.testing.assert_allclose(found[2:], published[2:], rtol=1e-4)
    assert (found[:2] <= np.array(published[:2]) * (1 + 1e-4)).all()


@pytest.mark.parametrize(("probability", "sigma"), [(0.01, 0.7), (0.1, 1.0), (0.3, 2.0), (0.5, 5.0), (1e-4, 0.3)])
def test_the_sampled_gaussian_s_curve_is_the_integral_at_every_order(
    accounting: Any, probability: float, sigma: float
) -> None:
    theirs = accounting.rdp.rdp_privacy_accountant._compute_rdp_poisson_subsampled_gaussian
    orders = np.array([1.05, 1.5, 2.0, 3.7, 4.0, 9.3, 20.0])
    bounds = renyi_curves.sampled_gaussian(1 / sigma, probability, orders)
    for order, bound in zip(orders.tolist(), bounds.tolist(), strict=True):

        def moment(x: float, a: float = order, shift: float = (order - 1) * bound) -> float:
            ratio = np.logaddexp(math.log1p(-probability), math.log(probability) + (2 * x - 1) / (2 * sigma**2))
            return math.exp(a * ratio + stats.norm.logpdf(x, 0, sigma) - shift)

        whole = integrate.quad(moment, -12 * sigma, order + 12 * sigma, limit=2000, epsabs=0, epsrel=1e-12)[0]
        assert whole == pytest.approx(1.0, rel=1e-9)
    above = np.array(theirs(probability, sigma, orders))
    assert (bounds <= above * (1 + 1e-9) + 1e-12).all(), "as tight as the literature's at every order"


# --- beside dp-accounting --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("steps", "event"),
    [
        ([GaussianNoise(1.1, count=500, sampling_probability=0.02)], ("Gaussian", 1.1, 500, 0.02)),
        ([GaussianNoise(0.8, count=1000, sampling_probability=0.002)], ("Gaussian", 0.8, 1000, 0.002)),
        ([LaplaceNoise(0.5, count=100, sampling_probability=0.1)], ("Laplace", 2.0, 100, 0.1)),
        ([LaplaceNoise(0.1, count=300)], ("Laplace", 10.0, 300, 1.0)),
    ],
)
def test_profiles_agree_with_dp_accounting(
    accounting: Any, steps: list[Step], event: tuple[str, float, int, float]
) -> None:
    kind, noise, count, probability = event
    one = getattr(accounting, f"{kind}DpEvent")(noise)
    one = accounting.PoissonSampledDpEvent(probability, one) if probability < 1 else one
    theirs = accounting.pld.PLDAccountant()
    theirs.compose(accounting.SelfComposedDpEvent(one, count))
    ours = profile(steps, neighbours=ADD)
    for delta in (1e-9, 1e-6, 1e-3):
        assert ours.epsilon_at(delta) == pytest.approx(theirs.get_epsilon(delta), rel=1e-3)
    for epsilon in (0.5, 1.0, 2.0):
        assert ours.delta_at(epsilon) == pytest.approx(theirs.get_delta(epsilon), rel=1e-2, abs=1e-12)


@pytest.mark.parametrize(
    ("multiplier", "epsilon"), [(0.03, 15524.0), (10.0, 0.116952), (1000.0, 0.00074445), (1e6, 0.0)]
)
def test_much_noise_and_little_noise_are_accounted_too(multiplier: float, epsilon: float) -> None:
    """Beside dp-accounting's bounds on grids of 1, 1e-6 and 1e-8 nats; the total variation of the last is 1.3e-7."""
    steps = [GaussianNoise(multiplier, count=1000, sampling_probability=0.01)]
    found = profile(steps, neighbours=ADD).epsilon_at(1e-6)
    assert epsilon * 0.998 <= found <= epsilon * 1.001


@pytest.mark.parametrize(
    ("count", "probability", "epsilon", "delta"), [(1000, 0.01, 1.0, 1e-6), (300, 0.05, 3.0, 1e-5)]
)
def test_calibration_agrees_with_dp_accounting(
    accounting: Any, count: int, probability: float, epsilon: float, delta: float
) -> None:
    found = calibrate(
        lambda sigma: [GaussianNoise(sigma, count=count, sampling_probability=probability)],
        ApproximateDP(epsilon, delta),
        between=(0.3, 30.0),
        neighbours=ADD,
    )

    def spent(sigma: float) -> float:
        theirs = accounting.pld.PLDAccountant()
        sampled = accounting.PoissonSampledDpEvent(probability, accounting.GaussianDpEvent(sigma))
        theirs.compose(accounting.SelfComposedDpEvent(sampled, count))
        return float(theirs.get_epsilon(delta))

    # A hundredth of noise less does not do by their account, and a thousandth more does.
    assert spent(0.99 * found.parameter) > epsilon >= spent(1.001 * found.parameter)


# --- nothing below the truth -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_profiles_of_channels_are_the_truth(seed: int) -> None:
    steps, exactly = random_channels(seed)
    whole = profile(steps)
    on_a_grid = profile([*steps, LaplaceNoise(1e-9)])
    for epsilon in (0.0, 0.3, 1.0, 2.5):
        truth = max(true_delta(p, q, epsilon) for p, q in pairs(exactly))
        assert truth * (1 - ROUNDING) <= whole.delta_at(epsilon) <= truth * (1 + 1e-6) + 1e-12
        assert truth <= on_a_grid.delta_at(epsilon) <= truth + 1e-3
    for rate in (0.0, 1e-4, 0.01, 0.2, 0.5, 0.9, 1.0):
        truth = max(true_power(p, q, rate) for p, q in pairs(exactly))
        assert truth * (1 - ROUNDING) <= whole.power_at(rate) <= truth * (1 + 1e-6) + 1e-12
        assert truth * (1 - ROUNDING) <= on_a_grid.power_at(rate) <= truth + 1e-3


@pytest.mark.parametrize("seed", range(4))
def test_profiles_of_claims_hold_for_channels_that_satisfy_them(seed: int) -> None:
    """By loss distributions, by Rényi levels alone, and by both."""
    steps, exactly = random_channels(100 + seed)
    pure: list[Step] = [Claimed(CentralDP(step.pure_epsilon()), count=step.count) for step in steps]
    concentrated: list[Step] = [Claimed(ZeroConcentratedDP(step.rho()), count=step.count) for step in steps]
    for claims in (pure, concentrated, [pure[0], concentrated[1]]):
        whole = profile(claims)
        for epsilon in (0.0, 0.7, 3.0):
            assert whole.delta_at(epsilon) >= max(true_delta(p, q, epsilon) for p, q in pairs(exactly)) - ROUNDING
        for rate in (0.0, 1e-3, 0.1, 0.6, 1.0):
            assert whole.power_at(rate) >= max(true_power(p, q, rate) for p, q in pairs(exactly)) - ROUNDING


@pytest.mark.parametrize("seed", range(4))
def test_sampled_profiles_hold_for_the_mixtures_they_describe(seed: int) -> None:
    random = simulation(300 + seed)
    absent, present = random.dirichlet(np.full(4, 2.0), 2)
    probability = float(random.uniform(0.05, 0.9))
    epsilon = float(np.abs(np.log(present / absent)).max())
    mixture = probability * present + (1 - probability) * absent
    rows = compose_exactly([Channel("xy", range(4), np.array([absent, mixture]))] * 3)
    whole = profile([Claimed(CentralDP(epsilon), count=3, sampling_probability=probability)], neighbours=ADD)
    for level in (0.0, 0.2, 1.0):
        assert whole.delta_at(level) >= max(true_delta(p, q, level) for p, q in pairs(rows)) - ROUNDING
    for rate in (0.0, 0.05, 0.5, 0.95):
        assert whole.power_at(rate) >= max(true_power(p, q, rate) for p, q in pairs(rows)) - ROUNDING


def some_step(random: np.random.Generator, neighbours: Neighbours) -> tuple[Step, tuple[Floats, Floats]]:
    """A step with a finite worst pair, and the pair as sampling makes it."""
    epsilon, count = float(random.uniform(0.05, 2.5)), int(random.integers(1, 4))
    probability = 1.0 if random.random() < 0.4 else float(random.uniform(0.01, 0.95))
    runs: dict[str, Any] = {"count": count, "sampling_probability": probability}
    match int(random.integers(0, 3)):
        case 0:
            step: Step = DiscreteLaplaceNoise(epsilon, int(random.integers(1, 5)), **runs)
        case 1:
            step = Claimed(ApproximateDP(epsilon, float(random.choice([0.0, 1e-4, 0.01]))), **runs)
        case _:
            probability = 1.0 if neighbours is ADD else probability
            step = RandomizedResponse(
                epsilon, int(random.integers(2, 5)), count=count, sampling_probability=probability
            )
    pair = step.pair()
    assert pair is not None
    p, q = pair
    if neighbours is ADD:
        return step, (probability * p + (1 - probability) * q, q)
    return step, (np.append(probability * p, 1 - probability), np.append(probability * q, 1 - probability))


def both_laws(sequence: list[tuple[Step, tuple[Floats, Floats]]]) -> tuple[Floats, Floats]:
    """The two laws of all outputs, those of one likelihood ratio as one."""
    p, q = np.ones(1), np.ones(1)
    for step, (first, second) in sequence:
        for _ in range(step.count):
            p, q = np.outer(p, first).ravel(), np.outer(q, second).ravel()
            with np.errstate(divide="ignore", invalid="ignore"):
                ratios = np.nan_to_num(np.round(np.log(p) - np.log(q), 10), posinf=1e9, neginf=-1e9)
            _, kind = np.unique(ratios, return_inverse=True)
            p, q = (sums_by(kind, law, int(kind.max()) + 1) for law in (p, q))
    return p, q


def assert_never_below(seed: int) -> None:
    random = simulation(600 + seed)
    neighbours = list(Neighbours)[seed % 2]
    sequence = [some_step(random, neighbours) for _ in range(int(random.integers(1, 4)))]
    steps, (p, q) = [step for step, _ in sequence], both_laws(sequence)
    whole = profile(steps, neighbours=neighbours)
    with_levels_only = profile([*steps, ZeroConcentratedDP(1e-12)], neighbours=neighbours)
    for delta in (1e-8, 1e-5, 0.0107, 0.1):
        for method, bound in compose(steps, delta, neighbours=neighbours).bounds.items():
            truth = max(true_delta(p, q, min(bound, 700.0)), true_delta(q, p, min(bound, 700.0)))
            assert bound == math.inf or truth <= delta * (1 + 1e-6) + 1e-13, (method, steps)
    for answer in (whole, with_levels_only):
        for epsilon in (0.0, 0.3, 1.0, 3.0):
            assert answer.delta_at(epsilon) >= max(true_delta(p, q, epsilon), true_delta(q, p, epsilon)) - ROUNDING
        for rate in (0.0, 1e-3, 0.1, 0.5, 0.95):
            assert answer.power_at(rate) >= max(true_power(p, q, rate), true_power(q, p, rate)) - ROUNDING


def test_no_answer_lies_below_the_truth_of_mixed_sampled_sequences() -> None:
    for seed in range(12):
        assert_never_below(seed)


@pytest.mark.nightly
def test_no_answer_lies_below_the_truth_of_many_sequences() -> None:
    for seed in range(12, 400):
        assert_never_below(seed)


MIXED: list[Step | Statement] = [
    LaplaceNoise(0.2, count=3),
    GaussianNoise(4.0, count=2),
    RandomizedResponse(0.5, 3),
    ExponentialChoice(0.3, count=2),
    PermuteAndFlip(0.2),
    CentralDP(0.1),
    DiscreteLaplaceNoise(0.3, 2),
    DiscreteGaussianNoise(3.0, 2),
    GaussianNoise(1.0, sampling_probability=0.1),
    ApproximateDP(0.1, 1e-8),
]


def test_a_profile_is_one_curve_seen_from_all_sides() -> None:
    whole = profile(MIXED)
    for delta in (1e-7, 1e-5, 1e-2):
        assert whole.epsilon_at(delta) == compose(MIXED, delta).epsilon
        assert whole.delta_at(whole.epsilon_at(delta)) == pytest.approx(delta, rel=1e-4)
    drawn = whole.curve(points=50)
    assert len(drawn.epsilons) == len(drawn.deltas) == 50
    assert (np.diff(drawn.deltas) <= 0).all() and (np.diff(drawn.powers) >= 0).all()
    assert drawn.false_positive_rates[0] == 0.0 and drawn.powers[-1] == 1.0
    slopes = np.diff(drawn.powers) / np.diff(drawn.false_positive_rates)
    assert (np.diff(slopes) <= 1e-6 * slopes[:-1] + 1e-9).all(), "concave"
    for rate, power in zip(drawn.false_positive_rates, drawn.powers, strict=True):
        tangents = np.exp(drawn.epsilons) * rate + drawn.deltas
        assert power <= tangents.min() + 1e-9, "the tangent of all (ε, δ)"
    only_levels = profile([ZeroConcentratedDP(0.1)]).curve(points=9)
    assert (only_levels.powers >= only_levels.false_positive_rates).all()


def test_the_power_against_gaussians_is_theirs() -> None:
    whole = profile([GaussianDP(1.3)])
    for rate in (0.0, 1e-5, 0.05, 0.5, 1.0):
        assert whole.power_at(rate) == pytest.approx(stats.norm.cdf(stats.norm.ppf(rate) + 1.3), rel=1e-9)
    sharp = profile([GaussianNoise(10.0, count=169), RandomizedResponse(1e-6)])
    assert sharp.power_at(0.05) == pytest.approx(whole.power_at(0.05), rel=1e-4)


# --- calibration -----------------------------------------------------------------------------------------------

Sequence = Callable[[float], Iterable[Step | Statement | Channel]]


def binary_entropy(share: float) -> float:
    return -share * math.log2(share) - (1 - share) * math.log2(1 - share)


def information_of_ratio(epsilon: float) -> float:
    a = epsilon / -math.expm1(-epsilon)
    return a - 1 - math.log(a)


def twenty_answers(epsilon: float) -> list[Step | Statement | Channel]:
    return [RandomizedResponse(epsilon, 4, count=20), CentralDP(0.01)]


@pytest.mark.parametrize(
    ("sequence", "target", "level"),
    [
        (lambda s: [LaplaceNoise(1 / s, count=10)], CentralDP(2.0), lambda s: 10 / s),
        (
            lambda s: [LaplaceNoise(1 / s, count=10)],
            ApproximateDP(2.0, 1e-6),
            lambda s: compose([LaplaceNoise(1 / s, count=10)], 1e-6).epsilon,
        ),
        (twenty_answers, ApproximateDP(2.0, 1e-6), lambda e: compose(twenty_answers(e), 1e-6).epsilon),
        (lambda s: [GaussianNoise(s, count=100)], ZeroConcentratedDP(0.3), lambda s: 50 / s**2),
        (
            lambda s: [GaussianNoise(s, count=50, sampling_probability=0.1)],
            RenyiDP(0.5, 4.5),
            lambda s: 50 * math.log(0.9 + 0.1 * math.exp(3.5 * 4.5 / (2 * s**2))) / 3.5,
        ),
        (
            lambda s: [GaussianNoise(s, count=100), LaplaceNoise(1 / s)],
            MutualInformationDP(0.5),
            lambda s: (25 / s**2 + information_of_ratio(1 / s)) / math.log(2),
        ),
        (
            lambda e: [flip(e)] * 3,
            MutualInformation(0.2),
            lambda e: 3 * (1 - binary_entropy(1 / (1 + math.exp(e)))),
        ),
    ],
)
def test_calibration_is_safe_and_sharp(sequence: Sequence, target: Statement, level: Callable[[float], float]) -> None:
    found = calibrate(sequence, target, between=(0.05, 500.0))
    assert found.reached.level <= target.level
    assert found.reached.level == pytest.approx(level(found.parameter), rel=1e-6)
    assert type(found.reached) is type(target) and found.reached.parameters == target.parameters
    assert (found.composition is not None) == isinstance(target, CentralDP | ApproximateDP)
    towards_less_noise = -1 if level(2 * found.parameter) < level(found.parameter) else 1
    assert level(found.parameter * (1 + 1.01e-4 * towards_less_noise)) > target.level
    assert found.evaluations < 20


@pytest.mark.parametrize("seed", range(3))
def test_calibrated_channels_meet_the_target_when_composed_exactly(seed: int) -> None:
    random = simulation(seed)
    base, other = random.dirichlet(np.full(3, 2.0), 2)
    target = ApproximateDP(float(random.uniform(0.2, 0.8)), 0.01)

    def diluted(share: float) -> Channel:
        return Channel("xy", range(3), np.array([base, (1 - share) * base + share * other]))

    found = calibrate(lambda share: [KnownChannel(diluted(share), "x", count=4)], target, between=(0.01, 1.0))

    def truth(share: float) -> float:
        return max(true_delta(p, q, target.epsilon) for p, q in pairs(compose_exactly([diluted(share)] * 4)))

    assert truth(found.parameter) <= target.delta < truth(found.parameter * (1 + 2e-4))


def test_information_over_steps_is_never_below_the_truth() -> None:
    """Capacity of the channel of all outputs, of which mutual information under any prior is at most."""
    for seed in range(4):
        steps, exactly = random_channels(400 + seed)
        truth = capacities.shannon(exactly).value
        for claims in (steps, [Claimed(CentralDP(step.pure_epsilon()), count=step.count) for step in steps]):
            found = calibrate(
                lambda extra, claims=claims: [*claims, Claimed(ZeroConcentratedDP(extra))],  # type: ignore[misc]
                MutualInformationDP(50.0),
                between=(1e-3, 100.0),
            )
            left = 50.0 - found.parameter / math.log(2)
            assert left >= truth - 50 * 1.1e-4, "what the claims take of fifty bits"
    # Two equally likely Gaussians, μ apart, and three at the corners of a triangle of that side.
    for mu in (0.3, 1.0, 3.0):
        by_two = integrate.quad(
            lambda x, m=mu: -stats.norm.pdf(x, m / 2) * np.log((1 + math.exp(-m * x)) / 2), -30, 30, limit=500
        )[0]
        assert by_two <= mu**2 / 4


# --- batches, shuffles, choices --------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_batches_without_replacement_hold_for_the_mixtures_they_are(seed: int) -> None:
    """All batches of two or three of four records, each mechanism a channel from the number of ones to an output."""
    random = simulation(500 + seed)
    size = int(random.integers(2, 4))
    per_count = random.dirichlet(np.full(3, 2.0), size + 1)
    step = KnownChannel(Channel(range(size), range(3), per_count[:-1]))
    neighbours = [(per_count[k], per_count[k + 1]) for k in range(size)]
    epsilon = max(float(np.abs(np.log(p / q)).max()) for p, q in neighbours)
    order_two = max(math.log(float((p * p / q).sum())) for a, b in neighbours for p, q in ((a, b), (b, a)))

    def law(data: tuple[int, ...]) -> Floats:
        batches = list(combinations(data, size))
        return np.asarray(sum(per_count[sum(batch)] for batch in batches) / len(batches))

    truths = []
    for others in product((0, 1), repeat=3):
        rows = np.array([law((*others, 0)), law((*others, 1))])
        truths.append(compose_exactly([Channel("xy", range(3), rows)] * 3))
    claim = amplified_without_replacement(CentralDP(epsilon), size, 4)
    claims: list[Step] = [
        Batch(Claimed(CentralDP(epsilon)), size, 4, count=3),
        Batch(Claimed(ZeroConcentratedDP(Claimed(CentralDP(epsilon)).rho())), size, 4, count=3),
        Batch(Claimed(RenyiDP(order_two, 2.0)), size, 4, count=3),
        Claimed(claim, count=3),
    ]
    assert step.channel is not None
    for batch in claims:
        whole = profile([batch])
        for level in (0.0, 0.1, 0.5, 1.0):
            truth = max(true_delta(p, q, level) for rows in truths for p, q in pairs(rows))
            assert whole.delta_at(level) >= truth - ROUNDING, (batch, level)
        for delta in (0.0, 1e-3, 0.05):
            for bound in compose([batch], delta).bounds.values():
                assert max(true_delta(p, q, min(bound, 700)) for t in truths for p, q in pairs(t)) <= delta + ROUNDING


def test_batches_without_replacement_follow_the_theorem() -> None:
    assert amplified_without_replacement(ApproximateDP(1.0, 1e-6), 10, 1000) == ApproximateDP(
        math.log1p(0.01 * math.expm1(1.0)), 0.01 * 1e-6
    )
    one = profile([Batch(GaussianNoise(1.0), 100, 1000)])
    for epsilon in (0.0, 0.5, 1.5):
        inner = math.log1p(math.expm1(epsilon) / 0.1)
        assert one.delta_at(epsilon) == pytest.approx(0.1 * profile([GaussianNoise(1.0)]).delta_at(inner), rel=1e-3)
    everyone = compose([Batch(LaplaceNoise(0.3), 7, 7, count=4)], 1e-6)
    assert everyone.epsilon == pytest.approx(compose([LaplaceNoise(0.3, count=4)], 1e-6).epsilon)
    with pytest.raises(ModelError, match="replaced records only"):
        compose([Batch(LaplaceNoise(0.3), 7, 70)], 1e-6, neighbours=ADD)


def binomial(count: int, chance: float) -> Floats:
    return np.asarray(stats.binom.pmf(np.arange(count + 1), count, chance))


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 2.5])
@pytest.mark.parametrize("people", [1, 2, 3, 6, 10])
def test_shuffling_is_never_below_exact_counts_of_answers(epsilon: float, people: int) -> None:
    """Shuffled binary answers are their number of ones, which is a sum of two binomials."""
    keep = 1 / (1 + math.exp(-epsilon))
    for delta in (1e-6, 1e-3, 0.05):
        bound = amplified_by_shuffling(LocalDP(epsilon), people, delta)
        for ones in range(people):
            others = np.convolve(binomial(ones, keep), binomial(people - 1 - ones, 1 - keep))
            laws = [np.convolve(others, one) for one in ([keep, 1 - keep], [1 - keep, keep])]
            assert max(true_delta(p, q, bound.epsilon) for p, q in permutations(laws, 2)) <= delta * (1 + ROUNDING)
        assert bound.epsilon <= epsilon


def test_shuffling_is_never_below_exact_histograms_of_three_letters() -> None:
    """Others who hold a third letter hide least; the bound comes close to them."""
    epsilon, people = 1.5, 7
    other = 1 / (math.exp(epsilon) + 2)
    answers = np.full((3, 3), other) + np.diag(np.full(3, 1 - 3 * other))
    laws: list[dict[tuple[int, ...], float]] = [{(0, 0, 0): 1.0}, {(0, 0, 0): 1.0}]
    for at, first in enumerate((0, 1)):
        for letter in (first, *[2] * (people - 1)):
            after: dict[tuple[int, ...], float] = {}
            for counts, chance in laws[at].items():
                for shown in range(3):
                    more = tuple(count + (shown == k) for k, count in enumerate(counts))
                    after[more] = after.get(more, 0.0) + chance * answers[letter, shown]
            laws[at] = after
    p, q = (np.array([law[key] for key in sorted(law)]) for law in laws)
    for delta in (1e-3, 0.02):
        bound = amplified_by_shuffling(LocalDP(epsilon), people, delta).epsilon
        assert true_delta(p, q, bound) <= delta < true_delta(p, q, bound / 1.5)


def test_shuffling_many_is_below_the_published_closed_form() -> None:
    """Feldman, McMillan and Talwar, Hiding among the clones, 2021, theorem 3.1."""
    for epsilon, people, delta in ((1.0, 10_000, 1e-6), (2.0, 10_000_000, 1e-8), (0.5, 100_000, 1e-5)):
        grown = math.exp(epsilon)
        root = 8 * math.sqrt(grown * math.log(4 / delta) / people) + 8 * grown / people
        published = math.log1p((grown - 1) / (grown + 1) * root)
        assert amplified_by_shuffling(LocalDP(epsilon), people, delta).epsilon < published
    more = [amplified_by_shuffling(LocalDP(1.0), people, 1e-6).epsilon for people in (10, 100, 1000, 10_000)]
    assert more == sorted(more, reverse=True)
    blocks = amplified_by_shuffling(LocalDP(0.2), 2_000, 1e-6).epsilon
    assert blocks == pytest.approx(amplified_by_shuffling(LocalDP(0.2), 2_001, 1e-6).epsilon, rel=1e-2)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
def test_permute_and_flip_is_as_bad_as_laplace_noise_and_no_worse(epsilon: float) -> None:
    choose, laplace = permute_and_flip(epsilon), profile([LaplaceNoise(epsilon)])
    random = simulation(9)
    levels = np.linspace(0.0, 0.95 * epsilon, 6)
    bounds = [laplace.delta_at(float(level)) for level in levels]
    assert [profile([PermuteAndFlip(epsilon)]).delta_at(float(level)) for level in levels] == bounds
    reached = np.zeros(len(levels))
    for trial in range(300):
        candidates = 2 if trial < 150 else int(random.integers(3, 6))
        utilities = random.uniform(-3, 3, candidates)
        moved = utilities + (random.choice([-1.0, 1.0], candidates) if trial % 3 else random.uniform(-1, 1, candidates))
        p, q = (np.asarray(choose.probabilities(scores.tolist())) for scores in (utilities, moved))
        reached = np.maximum(reached, [max(true_delta(p, q, e), true_delta(q, p, e)) for e in levels.tolist()])
    assert (reached <= np.array(bounds) * (1 + 1e-6) + 1e-9).all()
    for level, bound in zip(levels.tolist(), bounds, strict=True):
        # Two candidates, the second one behind by as much as makes this level the hardest.
        behind = [(level / epsilon - 1) + 2 * step for step in (0, 1)]
        p, q = (np.asarray(choose.probabilities([0.0, -gap])) for gap in behind)
        assert true_delta(p, q, level) == pytest.approx(bound, rel=1e-3)


def test_choices_compose_by_their_own_losses() -> None:
    """Seldom worse than what ε-DP alone gives, in every method."""
    by_claim = compose([Claimed(CentralDP(0.5), count=40)], 1e-6)
    flipped, exponential = (compose([kind(0.5, count=40)], 1e-6) for kind in (PermuteAndFlip, ExponentialChoice))
    for method in (Method.RENYI, PLD):
        assert exponential.bounds[method] < 0.7 * flipped.bounds[method] < 0.7 * by_claim.bounds[method]


@pytest.mark.parametrize("order", [1.01, 1.7, 2.0, 8.0, 100.0])
def test_the_exponential_mechanism_s_curve_is_the_worst_of_two_points(order: float) -> None:
    for epsilon in (0.01, 1.0, 5.0):
        worst = 0.0
        for t in np.linspace(1e-9, 1 - 1e-9, 20_001) * epsilon:
            p = math.expm1(epsilon - t) / (math.exp(-t) * math.expm1(epsilon))
            moment = p * math.exp((order - 1) * t) + (1 - p) * math.exp((order - 1) * (t - epsilon))
            worst = max(worst, math.log(moment) / (order - 1))
        curve = float(ExponentialChoice(epsilon).renyi(np.array([order]))[0])
        assert worst <= curve * (1 + 1e-12) + 1e-12
        assert curve == pytest.approx(worst, rel=1e-3, abs=1e-12)


# --- refused at the door ---------------------------------------------------------------------------------------


def laplace_at(scale: float) -> list[Step]:
    return [LaplaceNoise(1 / scale)]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: calibrate(laplace_at, CentralDP(1e-3), between=(0.1, 10.0)), "at 10.0, with the most noise"),
        (lambda: calibrate(laplace_at, CentralDP(1e3), between=(0.1, 10.0)), "at 0.1, with the least noise"),
        (lambda: calibrate(laplace_at, CentralDP(1.0), between=(10.0, 0.1)), "not a range"),
        (lambda: calibrate(laplace_at, CentralDP(1.0), between=(0.0, 0.1)), "not a range"),
        (lambda: calibrate(laplace_at, CentralDP(1.0), between=(1.0, math.inf)), "not a range"),
        (lambda: calibrate(laplace_at, RenyiDP(1.0, 1.0), between=(0.1, 10.0)), "order of 1"),
        (lambda: calibrate(laplace_at, MaximalLeakage(1.0), between=(0.1, 10.0)), "not a target"),
        (lambda: calibrate(laplace_at, ApproximateDP(1.0, 1.0), between=(0.1, 10.0)), "not in"),
        (lambda: calibrate(lambda s: [GaussianNoise(s)], CentralDP(1.0), between=(0.1, 10.0)), "a δ above 0"),
        (lambda: calibrate(lambda s: [GaussianNoise(s)], ApproximateDP(1.0, 0.0), between=(0.1, 10.0)), "a δ above 0"),
        (lambda: calibrate(lambda s: s, CentralDP(1.0), between=(0.1, 10.0)), "list of steps"),  # type: ignore[arg-type,return-value]
        (lambda: calibrate(lambda s: [s], CentralDP(1.0), between=(0.1, 10.0)), "does not compose"),  # type: ignore[list-item]
        (lambda: calibrate(lambda s: [], CentralDP(1.0), between=(0.1, 10.0)), "no steps"),
        (
            lambda: calibrate(
                lambda s: [LaplaceNoise(1.0, sampling_probability=s)], CentralDP(1.0), between=(0.1, 10.0)
            ),
            "sampling probability of 10.0",
        ),
        (lambda: profile([]), "no steps"),
        (lambda: profile([CentralDP(1.0)]).delta_at(-1.0), "at least 0"),
        (lambda: profile([CentralDP(1.0)]).delta_at(math.nan), "at least 0"),
        (lambda: profile([CentralDP(1.0)]).epsilon_at(1.0), "not in"),
        (lambda: profile([CentralDP(1.0)]).power_at(1.1), "from 0 to 1"),
        (lambda: profile([CentralDP(1.0)]).curve(points=1), "at least 3"),
        (lambda: Batch(LaplaceNoise(1.0), 0, 10), "at least 1"),
        (lambda: Batch(LaplaceNoise(1.0), 11, 10), "larger than the population"),
        (lambda: Batch(LaplaceNoise(1.0, count=2), 1, 10), "give the batch the count"),
        (lambda: Batch(CentralDP(1.0), 1, 10), "of type"),  # type: ignore[arg-type]
        (lambda: amplified_without_replacement(LocalDP(1.0), 1, 10), "no rule"),
        (lambda: amplified_without_replacement(CentralDP(1.0), 11, 10), "larger than the population"),
        (lambda: amplified_by_shuffling(LocalDP(1.0), 0, 1e-6), "at least 1"),
        (lambda: amplified_by_shuffling(LocalDP(1.0), 10, 0.0), "above 0 and below 1"),
        (lambda: amplified_by_shuffling(CentralDP(1.0), 10, 1e-6), "of type"),  # type: ignore[arg-type]
    ],
)
def test_bad_input_is_refused_in_one_sentence(wrong: Callable[[], object], words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        wrong()
    assert isinstance(caught.value, OptionError | ModelError)
    assert str(caught.value).endswith(".")


def test_infinite_is_an_answer() -> None:
    told = profile([Channel.identity("ab")])
    assert told.delta_at(5.0) == told.power_at(0.0) == 1.0
    assert told.epsilon_at(1e-6) == math.inf
    nothing = profile([CentralDP(0.0)])
    assert nothing.delta_at(0.0) == 0.0 and nothing.power_at(0.3) == pytest.approx(0.3)
    without_a_bound = profile([GaussianNoise(0.0)])
    assert without_a_bound.delta_at(1.0) == without_a_bound.power_at(0.0) == 1.0
    assert amplified_by_shuffling(LocalDP(math.inf), 10, 1e-6).epsilon == math.inf
