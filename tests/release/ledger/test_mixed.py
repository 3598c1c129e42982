"""Mixed accounts: pure and Gaussian releases on one limit, beside the offline optimum of the same sequence."""

from __future__ import annotations

import math

import numpy as np
import pytest

from leakgauge.claims import CentralDP, GaussianDP
from leakgauge.mechanisms.steps import (
    Claimed,
    DiscreteGaussianNoise,
    DiscreteLaplaceNoise,
    GaussianNoise,
    LaplaceNoise,
    RandomizedResponse,
    Step,
)
from leakgauge.notions.composition import Method, compose
from leakgauge.notions.formulas import approximate_of_concentration
from leakgauge.release.ledger import Account, ApproximateLimit
from leakgauge.release.ledger.admission import charged, nothing_of, rule_of_sums, spending
from leakgauge.release.ledger.cost import Cost
from leakgauge.release.ledger.splits import splits_of
from leakgauge.rounding import at_least

KINDS = (
    LaplaceNoise,
    lambda level: DiscreteLaplaceNoise(level, 3),
    lambda level: RandomizedResponse(level, 2),
    lambda level: Claimed(CentralDP(level)),
    lambda level: GaussianNoise(1 / level),
    lambda level: Claimed(GaussianDP(level)),
    lambda level: DiscreteGaussianNoise(1 / level),
    lambda level: DiscreteGaussianNoise(1 / level, 3),
)
LEVELS = np.geomspace(0.003, 0.025, 6).round(4)


def random_sequence(seed: int) -> tuple[list[Step], float]:
    """60 to 160 releases, half of them pure, each with ε or μ between 0.003 and 0.025, and a δ."""
    draw = np.random.default_rng(seed)
    count = int(draw.integers(60, 161))
    steps: list[Step] = [
        KINDS[draw.integers(len(KINDS))](float(LEVELS[draw.integers(len(LEVELS))])) for _ in range(count)
    ]
    return steps, float(10.0 ** -draw.integers(5, 9))


def account_of(epsilon: float, delta: float) -> Account:
    return Account("survey", ApproximateLimit(epsilon, delta), splits=splits_of(epsilon, delta))


def admitted(steps: list[Step], account: Account) -> int:
    """How many of the steps fit, one after another, until the first that does not."""
    spent = nothing_of(account)
    for at, step in enumerate(steps):
        spent = spent.plus(charged(account, spent, Cost((step,))))
        if rule_of_sums(account, spent) is None:
            return at
    return len(steps)


@pytest.mark.parametrize("seed", [pytest.param(seed, marks=[pytest.mark.nightly] * (seed > 2)) for seed in range(20)])
def test_a_filter_spends_at_most_a_twentieth_more_than_the_optimum_in_hindsight(seed: int) -> None:
    pytest.importorskip("dp_accounting")
    steps, delta = random_sequence(seed)
    offline = compose(steps, delta)
    assert offline.method is Method.LOSS_DISTRIBUTION
    assert admitted(steps, account_of(1.05 * offline.epsilon, delta)) == len(steps)
    # The rule before, Σ ρ, takes more; and no filter takes less than the optimum.
    by_rho = approximate_of_concentration(math.fsum(Cost((step,)).rho for step in steps), delta)
    assert by_rho > 1.05 * offline.epsilon
    assert admitted(steps, account_of(0.999 * offline.epsilon, delta)) < len(steps)


def test_what_is_left_fits_as_it_is_written_and_as_it_is_shown() -> None:
    draw = np.random.default_rng(1)
    for _ in range(40):
        account = account_of(1.0, 1e-6)
        spent = nothing_of(account)
        for _ in range(int(draw.integers(1, 4))):
            level = float(draw.uniform(0.001, 0.25))
            step = LaplaceNoise(level) if draw.random() < 0.7 else GaussianNoise(1 / level)
            more = charged(account, spent, Cost((step,)))
            if rule_of_sums(account, spent.plus(more)) is not None:
                spent = spent.plus(more)
        left = spending(account, spent).epsilon_left
        assert left is not None
        for shown in (left, at_least(left)):
            if shown > 0:
                after = spent.plus(charged(account, spent, Cost((LaplaceNoise(shown),))))
                assert rule_of_sums(account, after) is not None, (spent, left, shown)
