"""What is promised, beside exact optima of small laws and drawn tables."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import beta, norm

from leakgauge.claims import ApproximateDP, GaussianDP, ZeroConcentratedDP
from leakgauge.errors import BudgetError, OptionError
from leakgauge.mechanisms.noise import DiscreteGaussian
from leakgauge.notions.composition import Neighbours
from leakgauge.probability.cells import Floats
from leakgauge.randomness import Simulated
from leakgauge.release.counts import Attribute, CountsPlan, Guarantee, Workload, measure, plan_counts
from leakgauge.release.counts.guarantee import guarantee_of
from leakgauge.release.counts.precision import LARGEST_GAP
from leakgauge.release.ledger import ApproximateLimit, ConcentratedLimit, open_ledger
from leakgauge.release.ledger.clock import clock_cost
from leakgauge.release.ledger.cost import Cost
from tests.release.counts.small_laws import SmallLaw
from tests.release.counts.tables import PAIRS, counted

ONE = Workload([Attribute("answer", "abc")], ["answer"])
SIGMAS = [(1.0, 0.8), (2.0, 1.5), (4.0, 4.0), (1.5, 3.0)]


@cache
def laws(sigmas: tuple[float, float]) -> list[Floats]:
    """The law of all measurements of one table of three values: without the row, and with each value."""
    total = DiscreteGaussian(sigmas[0])
    steps = np.arange(-40, 41)
    law = SmallLaw((3,), sigmas[1])
    without = np.multiply.outer(total.probability(steps), law.law)
    return [without, *(np.multiply.outer(total.probability(steps - 1), law.moved(at)) for at in range(3))]


@pytest.mark.parametrize("sigmas", SIGMAS)
@pytest.mark.parametrize("neighbours", Neighbours)
def test_ceilings_hold_for_exact_optima(sigmas: tuple[float, float], neighbours: Neighbours) -> None:
    without, *values = laws(sigmas)
    if neighbours is Neighbours.REPLACE_ONE:
        found = guarantee_of(ONE, (0.0, sigmas[1]), neighbours, 1)
        values = [one.sum(axis=0) for one in values]
        pairs = [(a, b) for a in values for b in values if a is not b]
    else:
        found = guarantee_of(ONE, sigmas, neighbours, 1)
        pairs = [pair for value in values for pair in ((value, without), (without, value))]
    for p, q in pairs:
        for delta in (1e-2, 1e-4, 1e-6):
            assert float(np.maximum(p - math.exp(found.epsilon(delta)) * q, 0).sum()) <= delta
        assert float(np.maximum(p - q, 0).sum()) <= found.advantage
        order = np.argsort(-(np.log(p + 1e-300) - np.log(q + 1e-300)), axis=None)
        alarms, power = np.cumsum(q.ravel()[order]), np.cumsum(p.ravel()[order])
        for at in np.searchsorted(alarms, [1e-4, 0.01, 0.1, 0.3, 0.6]):
            assert power[at] <= found.power(float(alarms[at]))
    for prior in ([1 / 3, 1 / 3, 1 / 3], [0.8, 0.1, 0.1]):
        best = float(np.max([share * one for share, one in zip(prior, values, strict=True)], axis=0).sum())
        assert best <= found.success(max(prior))
        mixed = sum(share * one for share, one in zip(prior, values, strict=True))
        told = 0.0
        for share, one in zip(prior, values, strict=True):
            told += share * float((one * np.log2((one + 1e-300) / (mixed + 1e-300))).sum())
        assert told <= found.bits


def test_ceilings_are_near_where_there_is_much_noise() -> None:
    """At μ = 0.2367 the advantage is 0.094."""
    without, *values = laws((4.0, 4.0))
    found = guarantee_of(ONE, (4.0, 4.0), Neighbours.ADD_OR_REMOVE_ONE, 1)
    exact = float(np.maximum(values[0] - without, 0).sum())
    assert exact <= found.advantage <= 1.06 * exact
    plan = plan_counts(PAIRS, ApproximateDP(1.0, 1e-6))
    assert plan.guarantee.advantage == pytest.approx(0.094, abs=5e-4)
    assert plan.guarantee.gaussian_mu == pytest.approx(0.2367, abs=5e-5)
    assert plan.guarantee.success(0.5) == pytest.approx(norm.cdf(plan.guarantee.gaussian_mu), abs=1e-6)


@pytest.mark.parametrize(("epsilon", "mu"), [(0.5, 0.1241), (1.0, 0.2367), (2.0, 0.4483)])
def test_budgets_are_used_up_and_not_exceeded(epsilon: float, mu: float) -> None:
    found = plan_counts(PAIRS, ApproximateDP(epsilon, 1e-6)).guarantee
    assert found.gaussian_mu == pytest.approx(mu, abs=5e-5)
    assert (1 - 1e-6) * epsilon <= found.epsilon(1e-6) <= epsilon
    approximate, *others = found.claims(1e-6)
    assert approximate == ApproximateDP(found.epsilon(1e-6), 1e-6)
    assert others == [ZeroConcentratedDP(found.rho), GaussianDP(found.gaussian_mu)]


def test_whole_tables_are_charged_where_smoothing_is_not_negligible() -> None:
    little, much = (guarantee_of(ONE, (sigma, sigma), Neighbours.ADD_OR_REMOVE_ONE, 1) for sigma in (0.5, 9.0))
    assert little.mu == pytest.approx(math.sqrt(2) / 0.5) and little.kappa == 0
    assert much.mu == pytest.approx(math.sqrt(1 + 2 / 3) / 9) and 0 <= much.kappa < 1e-9
    assert little.gaussian_mu == math.inf and math.isfinite(little.epsilon(1e-6))
    replaced = guarantee_of(ONE, (0.0, 0.5), Neighbours.REPLACE_ONE, 1)
    assert replaced.mu == pytest.approx(math.sqrt(2) / 0.5)


def test_rows_of_a_person_and_releases_add_up() -> None:
    one = guarantee_of(ONE, (9.0, 9.0), Neighbours.ADD_OR_REMOVE_ONE, 1)
    assert guarantee_of(ONE, (9.0, 9.0), Neighbours.ADD_OR_REMOVE_ONE, 3).mu == pytest.approx(3 * one.mu)
    twice = one.times(2)
    assert twice.rho == pytest.approx(2 * one.rho) and twice.epsilon(1e-6) < 2 * one.epsilon(1e-6)
    (step,), (concentrated,) = one.steps(), one.steps(by_rho=True)
    assert concentrated.rho() == one.rho <= step.rho()
    assert one.mu**2 <= clock_cost(step, 1.0) <= 1.1 * one.mu**2


@pytest.mark.parametrize("limit", [ApproximateLimit(1.0, 1e-6), ConcentratedLimit(0.03)])
def test_a_plan_fits_an_account_of_its_budget_once(tmp_path: Path, limit: ApproximateLimit | ConcentratedLimit) -> None:
    by_rho = isinstance(limit, ConcentratedLimit)
    budget = ZeroConcentratedDP(limit.rho) if isinstance(limit, ConcentratedLimit) else ApproximateDP(1.0, 1e-6)
    cost = Cost(plan_counts(PAIRS, budget).guarantee.steps(by_rho=by_rho))
    with open_ledger(str(tmp_path / "budget.ledger"), create=True) as ledger:
        ledger.open_account("people", limit, neighbours=Neighbours.ADD_OR_REMOVE_ONE)
        ledger.spend("people", cost, "all tables of two columns", "first")
        with pytest.raises(BudgetError):
            ledger.spend("people", cost, "the same again", "second")


@pytest.mark.parametrize("delta", [0.0, 1.0])
def test_gaussian_noise_needs_a_delta(delta: float) -> None:
    with pytest.raises(OptionError, match=rf"A δ of {delta} is not between 0 and 1, as Gaussian noise in counts"):
        plan_counts(ONE, ApproximateDP(1.0, delta))


def shown_mu(plan: CountsPlan, draws: int) -> tuple[float, float]:
    """A μ that holds with 99.9 %, and its estimate, of an attacker who knows everybody else and tests for one person.

    Her statistic is the measured interactions in the direction in which the person moves them.
    """
    tables, source = counted(60, plan.workload), Simulated(9)
    base = {places: tables.array(places) for places in plan.workload.closure}
    seen = []
    for _ in range(draws):
        measured, statistic = measure(plan, tables, source), 0.0
        for places, sigma in zip(plan.workload.closure, plan.sigmas, strict=True):
            person = np.zeros(plan.workload.shape(places))
            person[(0,) * len(places)] = 1.0
            noise = base[places].astype(float)
            for axis in range(len(places)):
                person = person - person.mean(axis=axis, keepdims=True)
                noise = noise - noise.mean(axis=axis, keepdims=True)
            statistic += float((person * (measured.part(places) - noise)).sum()) / sigma**2
        seen.append(statistic)
    # With the person the statistic has μ² more; half of the draws stand for each case.
    square = sum(
        plan.workload.share(places) / sigma**2 for places, sigma in zip(plan.workload.closure, plan.sigmas, strict=True)
    )
    half = draws // 2
    alarms = sum(one > square / 2 for one in seen[:half])
    misses = sum(one + square <= square / 2 for one in seen[half:])
    worst = [beta.ppf(0.9995, count + 1, half - count) for count in (alarms, misses)]
    return float(norm.ppf(1 - worst[0]) + norm.ppf(1 - worst[1])), float(
        norm.ppf(1 - alarms / half) + norm.ppf(1 - misses / half)
    )


def test_drawn_tables_show_most_of_the_claim_and_no_more() -> None:
    work = Workload.of_ways([Attribute("age", range(4)), Attribute("sex", range(2))])
    coarse = Workload.of_ways([Attribute("sex", range(2)), Attribute("rare", range(2))])
    assert plan_counts(work, ZeroConcentratedDP(0.3)).gap > LARGEST_GAP  # charged whole, so that less is there to see
    plan = plan_counts(coarse, ZeroConcentratedDP(0.3))
    assert plan.gap <= LARGEST_GAP
    shown, estimate = shown_mu(plan, 8000)
    assert 0.8 * plan.guarantee.mu <= shown <= plan.guarantee.mu
    assert estimate == pytest.approx(plan.guarantee.mu, abs=0.1)


def test_a_guarantee_is_data() -> None:
    assert Guarantee(Neighbours.REPLACE_ONE, 0.0, 0.0, 0.0).advantage == pytest.approx(0, abs=1e-12)
