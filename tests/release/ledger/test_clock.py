"""The laws behind the Gaussian clock: domination, the supermartingale, and adversaries that choose by what they saw."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import log_ndtr, ndtr

from leakgauge.claims import ApproximateDP, CentralDP, GaussianDP, RenyiDP, ZeroConcentratedDP
from leakgauge.mechanisms.steps import (
    Claimed,
    DiscreteGaussianNoise,
    DiscreteLaplaceNoise,
    ExponentialChoice,
    GaussianNoise,
    KnownChannel,
    LaplaceNoise,
    RandomizedResponse,
    Step,
)
from leakgauge.probability import Channel
from leakgauge.probability.cells import Floats
from leakgauge.release.ledger import Account, ApproximateLimit
from leakgauge.release.ledger.admission import Rule, charged, nothing_of, rule_of_sums, spending
from leakgauge.release.ledger.clock import clock_cost, largest_time, pure_of_gaussian
from leakgauge.release.ledger.cost import Cost, Total
from leakgauge.release.ledger.splits import are_within, splits_of

TIMES = st.floats(math.log(1e-3), math.log(4.0)).map(math.exp)
LEVELS = st.floats(math.log(1e-3), math.log(3.0)).map(math.exp)


def gaussian_curve(time: float, x: Floats) -> Floats:
    mu = math.sqrt(time)
    return np.asarray(ndtr(mu / 2 - x / mu) - np.exp(x + log_ndtr(-mu / 2 - x / mu)))


def expected(p: Floats, q: Floats, time: float, x: float) -> float:
    """E D_t(x − ℓ) under p, an infinite loss counted as 1."""
    both = (p > 0) & (q > 0)
    losses = np.log(p[both]) - np.log(q[both])
    return float((p[both] * gaussian_curve(time, x - losses)).sum() + p[(p > 0) & (q == 0)].sum())


def pairs_of(step: Step) -> list[tuple[Floats, Floats]]:
    """The output laws of neighbours, written down without the code that is tested."""
    match step:
        case KnownChannel(channel=channel):
            return [(one, other) for one in channel.matrix for other in channel.matrix]
        case DiscreteLaplaceNoise(epsilon=epsilon, sensitivity=sensitivity):
            steps = np.arange(-math.ceil(40 * sensitivity / epsilon), math.ceil(40 * sensitivity / epsilon) + 1)
            one, other = (np.exp(-epsilon / sensitivity * np.abs(steps - shift)) for shift in (0, sensitivity))
            return [(one / one.sum(), other / one.sum())]
        case LaplaceNoise(epsilon=epsilon):
            edges = np.concatenate([[-math.inf], np.linspace(0, epsilon, 2001), [math.inf]])
            laws = []
            for centre in (0.0, epsilon):
                tails = np.exp(-np.abs(edges - centre)) / 2
                laws.append(np.diff(np.where(edges < centre, tails, 1 - tails)))
            return [(laws[0], laws[1]), (laws[1], laws[0])]
        case ExponentialChoice(epsilon=epsilon):
            # Two-point laws with losses t and t − ε, the worst of bounded range.
            pairs = []
            for t in np.linspace(0.01, 0.99, 9) * epsilon:
                chance = -math.expm1(t - epsilon) / (math.exp(t) - math.exp(t - epsilon))
                q = np.array([chance, 1 - chance])
                p = q * np.exp([t, t - epsilon])
                pairs += [(p, q), (q, p)]
            return pairs
    pair = step.pair()
    assert pair is not None
    return [pair, (pair[1], pair[0])]


CHANNELS = st.lists(st.lists(st.integers(1, 30), min_size=3, max_size=3), min_size=2, max_size=3).map(
    lambda rows: KnownChannel(Channel(range(len(rows)), "xyz", np.array(rows) / np.array(rows).sum(1, keepdims=True)))
)
STEPS = st.one_of(
    LEVELS.map(lambda level: Claimed(CentralDP(level))),
    st.builds(RandomizedResponse, LEVELS, st.integers(2, 6)),
    st.builds(DiscreteLaplaceNoise, st.floats(0.05, 3.0), st.integers(1, 9)),
    st.builds(LaplaceNoise, st.floats(0.01, 3.0)),
    st.builds(ExponentialChoice, st.floats(0.01, 3.0)),
    st.builds(DiscreteGaussianNoise, st.floats(0.7, 30.0), st.integers(1, 3)),
    CHANNELS,
)


@given(STEPS, TIMES, st.floats(1.0, 3.0), st.floats(-4.0, 12.0))
def test_a_step_never_raises_the_clocks_curve_in_expectation(
    step: Step, reserve: float, more: float, at: float
) -> None:
    cost, time = clock_cost(step, reserve), reserve * more
    if cost == math.inf:
        return
    x = at * math.sqrt(time + cost)
    allowed = float(gaussian_curve(time + cost, np.array(x)))
    for p, q in pairs_of(step):
        assert expected(p, q, time, x) <= allowed * (1 + 1e-7) + 1e-14


@pytest.mark.parametrize("ratio", [0.1, 0.3, 1.0, 3.0])
def test_a_cost_is_the_least_that_dominates(ratio: float) -> None:
    step, reserve = Claimed(CentralDP(0.2 * ratio)), 0.04
    cost = clock_cost(step, reserve)
    pair = step.pair()
    assert pair is not None
    x = np.linspace(0.0, 8.0, 2000) * math.sqrt(reserve)
    least = 0.995 * cost
    assert any(expected(*pair, reserve, one) > float(gaussian_curve(reserve + least, np.array(one))) for one in x)


def test_gaussians_cost_their_variance_and_small_steps_hardly_more_than_theirs() -> None:
    for reserve in (0.0, 1e-3, 1.0):
        assert clock_cost(GaussianNoise(10.0), reserve) == pytest.approx(0.01, rel=1e-8)
        assert clock_cost(Claimed(GaussianDP(0.1)), reserve) == pytest.approx(0.01, rel=1e-8)
    # 1.0012, 1.006, 1.014, 1.137 and π/2 times ε² are the values of an independent computation on a grid of x.
    for ratio, factor in ((0.1, 1.0017), (0.2, 1.0067), (0.3, 1.0149), (1.0, 1.139), (1e6, math.pi / 2)):
        assert clock_cost(Claimed(CentralDP(1e-3)), (1e-3 / ratio) ** 2) == pytest.approx(factor * 1e-6, rel=1e-3)
    for noise in (DiscreteGaussianNoise(20.0), DiscreteGaussianNoise(20.0, 100_000), DiscreteGaussianNoise(1e3)):
        assert noise.mu**2 < clock_cost(noise, 0.05) < 1.005 * noise.mu**2


@given(STEPS, TIMES, st.floats(1.0, 3.0))
def test_a_larger_reserve_never_costs_more(step: Step, reserve: float, more: float) -> None:
    assert clock_cost(step, reserve * more) <= clock_cost(step, reserve) * (1 + 1e-4)


@given(LEVELS, st.floats(1.0, 3.0), TIMES)
def test_a_larger_step_never_costs_less(level: float, more: float, reserve: float) -> None:
    for kind in (LaplaceNoise, RandomizedResponse, ExponentialChoice):
        assert clock_cost(kind(level), reserve) <= clock_cost(kind(level * more), reserve) * (1 + 1e-4)


def test_steps_without_a_time_on_the_clock() -> None:
    for step in (
        Claimed(ApproximateDP(0.1, 1e-9)),
        Claimed(RenyiDP(0.1, 2.0)),
        Claimed(CentralDP(math.inf)),
        KnownChannel(Channel.identity("ab")),
    ):
        assert clock_cost(step, 1.0) == clock_cost(step, 0.0) == math.inf
    assert clock_cost(LaplaceNoise(0.0), 0.0) == 0.0
    tiny = (
        LaplaceNoise(1e-200),
        GaussianNoise(1e200),
        DiscreteGaussianNoise(1e200),
        DiscreteGaussianNoise(1e9),
        LaplaceNoise(1e-13),
    )
    for small in tiny:
        assert 0 < clock_cost(small, 1e-3) < 1e-15
        account = Account("survey", ApproximateLimit(1.0, 1e-6), splits=splits_of(1.0, 1e-6))
        assert rule_of_sums(account, charged(account, nothing_of(account), Cost((small,)))) is not None
    concentrated = Claimed(ZeroConcentratedDP(0.01))
    assert 0.02 < clock_cost(concentrated, 1.0) < 0.0205
    assert clock_cost(concentrated, 0.01) == math.inf


@given(st.floats(1e-12, 0.1), st.floats(0.05, 20.0))
def test_the_largest_time_is_within_the_limit(delta: float, epsilon: float) -> None:
    time = largest_time(epsilon, delta)
    assert float(gaussian_curve(time, np.array(epsilon))) <= delta
    assert float(gaussian_curve(time * (1 + 1e-6), np.array(epsilon))) > delta * (1 - 1e-8)


@given(st.floats(1e-3, 3.0))
def test_what_is_said_to_be_left_for_a_pure_release_fits(mu: float) -> None:
    assert clock_cost(Claimed(CentralDP(pure_of_gaussian(mu))), 0.0) <= mu * mu


def test_splits_promise_no_more_than_their_limit() -> None:
    for epsilon, delta in ((0.1, 1e-9), (1.0, 1e-6), (10.0, 1e-3)):
        splits = splits_of(epsilon, delta)
        assert len(splits) == 4 and are_within(splits, epsilon, delta)
        assert not are_within((*splits, splits[0]), epsilon, delta)
        assert not are_within(splits, epsilon * 0.999, delta)
    for nothing in ((1.0, 0.0), (1.0, 1e-20), (1e6, 1e-6)):
        assert splits_of(*nothing) == ()


MENU = (
    Claimed(CentralDP(0.15)),
    RandomizedResponse(0.4),
    Claimed(CentralDP(0.7)),
    RandomizedResponse(0.5, 3),
    DiscreteGaussianNoise(2.5),
)


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.02), (0.6, 0.1), (1.5, 0.005)])
def test_no_adversary_who_chooses_by_what_it_saw_passes_the_limit(epsilon: float, delta: float) -> None:
    """The largest E_P (1 − e^(ε − L))⁺ over every adaptive choice of admitted steps, three deep."""
    account = Account("survey", ApproximateLimit(epsilon, delta), splits=splits_of(epsilon, delta))

    @cache
    def after(spent: Total, step: Step) -> Total | None:
        found = spent.plus(charged(account, spent, Cost((step,))))
        return None if rule_of_sums(account, found) is None else found

    def worst(spent: Total, losses: Floats, depth: int) -> Floats:
        """For each loss so far, the largest that can still come of it."""
        best = np.maximum(-np.expm1(epsilon - losses), 0.0)
        for step in MENU if depth else ():
            found = after(spent, step)
            if found is None:
                continue
            p, q = (law[:-2] if isinstance(step, DiscreteGaussianNoise) else law for law in step.pair() or ())
            seen = p > 1e-12
            ahead = (losses[:, None] + np.log(p[seen]) - np.log(np.maximum(q[seen], 1e-300))).ravel()
            value = worst(found, ahead, depth - 1).reshape(len(losses), -1)
            best = np.maximum(best, value @ p[seen])
        return best

    value = float(worst(nothing_of(account), np.zeros(1), 3)[0])
    assert delta / 20 < value <= delta


def test_sure_losses_leave_room_for_gaussian_noise() -> None:
    account = Account("survey", ApproximateLimit(1.0, 1e-6), splits=splits_of(1.0, 1e-6))
    spent = nothing_of(account)
    for step in (LaplaceNoise(0.5), DiscreteGaussianNoise(60.0, count=5), LaplaceNoise(0.2), GaussianNoise(90.0)):
        spent = spent.plus(charged(account, spent, Cost((step,))))
        left = spending(account, spent)
        assert left.epsilon_left is not None and left.rho_left is not None and left.rho_left > 0
        assert left.at_delta <= 1.0
    assert rule_of_sums(account, spent) is Rule.CLOCK
    assert left.rho_left is not None
    # What is said to be left fits, of discrete noise too, and a little more does not.
    for share, rule in ((0.999, Rule.CLOCK), (1.2, None)):
        for kind in (GaussianNoise, DiscreteGaussianNoise):
            noise = kind(1 / math.sqrt(2 * left.rho_left * share))
            assert rule_of_sums(account, spent.plus(charged(account, spent, Cost((noise,))))) is rule


def test_many_runs_of_a_step_cost_what_they_cost_one_by_one() -> None:
    account = Account("survey", ApproximateLimit(1.0, 1e-6), splits=splits_of(1.0, 1e-6))
    one_by_one = nothing_of(account)
    for _ in range(60):
        one_by_one = one_by_one.plus(charged(account, one_by_one, Cost((LaplaceNoise(0.02),))))
    at_once = charged(account, nothing_of(account), Cost((LaplaceNoise(0.02, count=60),)))
    for used, other in zip(one_by_one.splits, at_once.splits, strict=True):
        assert float(used.sure) == pytest.approx(float(other.sure)) and float(used.time) == pytest.approx(
            float(other.time)
        )
    assert len({used.time for used in at_once.splits}) > 1
