"""Right mechanisms are not accused more often than is stated."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import binom

from leakgauge.audit import lower_bound
from leakgauge.audit.betting import Bets
from leakgauge.audit.checks import DeclaredNoise, noise_checks
from leakgauge.audit.events import best_events
from leakgauge.audit.levels import at_level, least_level, line
from leakgauge.claims import ApproximateDP, CentralDP, GaussianDP, RenyiDP, Statement, ZeroConcentratedDP
from leakgauge.mechanisms import (
    discrete_gaussian,
    exponential_channel,
    gaussian,
    geometric,
    laplace,
    randomized_response,
)
from leakgauge.mechanisms.noise import DiscreteGaussian, DiscreteLaplace
from leakgauge.randomness import Simulated, simulation
from tests.audit.families import families
from tests.grids import nightly

RIGHT: dict[str, Callable[[], object]] = {
    "laplace": lambda: laplace(1.0, sensitivity=1),
    "gaussian": lambda: gaussian(1.0, 1e-2, sensitivity=1),
    "exponential": lambda: exponential_channel(range(4), range(4), -np.abs(np.subtract.outer(range(4), range(4))), 1.0),
    "randomized response": lambda: randomized_response(1.0, letters=range(5)),
    "geometric": lambda: geometric(0.5, sensitivity=1),
    "discrete gaussian": lambda: discrete_gaussian(rho=0.1, sensitivity=1),
}


def most(audits: int, chance: float) -> int:
    """The 99.9 % quantile of how many of these audits accuse, each with this chance."""
    return int(binom.ppf(0.999, audits, chance))


@pytest.mark.parametrize("audits", [30, nightly(402)])
def test_of_many_audits_of_right_mechanisms_few_accuse(audits: int) -> None:
    seeds = range(audits // len(RIGHT))
    accused = {
        name: sum(lower_bound(make(), samples=3_000, randomness=Simulated(seed)).violated for seed in seeds)
        for name, make in RIGHT.items()
    }
    assert sum(accused.values()) <= most(audits, 0.05), accused


@pytest.mark.parametrize("audits", [11, nightly(440)])
def test_of_many_audits_of_right_members_of_published_families_few_accuse(audits: int) -> None:
    """Rows of numbers, of letters, and of numbers with others that stand for none: what scores are learnt of."""
    right = [one for one in families(1.0) if not one.broken]
    accused = {}
    for one in right:
        pairs = one.pairs[-1:]
        accused[one.name] = sum(
            lower_bound(one.sampler(seed), one.claim, pairs, samples=6_000, batched=True).violated
            for seed in range(-(-audits // len(right)))
        )
    assert sum(accused.values()) <= most(audits, 0.05), accused


@pytest.mark.parametrize("audits", [60, nightly(300)])
@pytest.mark.parametrize("claim", [CentralDP(1.0), ApproximateDP(0.8, 0.05)])
def test_bets_on_a_mechanism_at_its_very_limit_rarely_win(claim: Statement, audits: int) -> None:
    draw = simulation(1)
    epsilon, delta = claim.level, dict(claim.parameters).get("delta", 0.0)
    q = 0.2
    p = np.exp(epsilon) * q + delta
    won = 0
    for _ in range(audits):
        bets = Bets(claim, miss=0.1)
        known = [(draw.random(200) < share).astype(np.int64) for share in (p, q)]
        for _ in range(4):
            events = best_events(claim, known[0], known[1], None, 400, 0.05)
            fresh = [(draw.random(400) < share).astype(np.int64) for share in (p, q)]
            bets.play(events, fresh[0], fresh[1])
            known = [np.concatenate(pair) for pair in zip(known, fresh, strict=True)]
            if bets.disproved is not None:
                won += 1
                break
    assert won <= most(audits, 0.1)


def test_the_checks_of_the_scale_accuse_rarely() -> None:
    draw = simulation(2)
    for law, noise in ((DiscreteLaplace, draw.laplace), (DiscreteGaussian, draw.normal)):
        accused = 0
        for _ in range(400):
            first, second = noise(0.0, 2.0, 500), noise(1.0, 2.0, 500)
            checks = noise_checks(first, second, DeclaredNoise(law, 2.0, 1.0), miss=0.05)
            accused += not all(check.holds for check in checks)
        assert accused <= 35, law


CLAIMS: list[Statement] = [
    CentralDP(0.7),
    ApproximateDP(0.7, 0.05),
    RenyiDP(0.4, 3.0),
    ZeroConcentratedDP(0.2),
    GaussianDP(0.9),
]


@pytest.mark.parametrize("claim", CLAIMS, ids=str)
def test_the_line_of_a_claim_holds_of_every_event_within_it(claim: Statement) -> None:
    draw = simulation(3)
    p, q = draw.random((2, 20_000))
    within = least_level(claim, p, q) <= claim.level
    assert within.sum() > 1_000
    assert (~within).sum() > 1_000
    for at in range(400):
        slope, height = line(claim, float(p[at]), float(q[at]))
        assert (p[within] <= slope * q[within] + height + 1e-9).all()


@pytest.mark.parametrize("claim", CLAIMS, ids=str)
def test_an_event_that_is_told_apart_better_proves_more(claim: Statement) -> None:
    p, q = np.linspace(0.3, 0.95, 50), np.full(50, 0.2)
    assert (np.diff(least_level(claim, p, q)) >= 0).all()
    assert (np.diff(least_level(claim, q + 0.75, np.linspace(0.01, 0.9, 50))) <= 0).all()
    assert (least_level(claim, q, p) == 0).all()


@pytest.mark.parametrize("claim", CLAIMS, ids=str)
def test_levels_of_coins_are_those_of_their_channel(claim: Statement) -> None:
    """Two coins are a channel, whose level another room computes; a coin and its complement are both events."""
    from leakgauge.audit import exact_level
    from leakgauge.probability import Channel

    draw = simulation(4)
    for _ in range(40):
        p, q = np.sort(draw.random(2))[::-1]
        exact = exact_level(Channel([0, 1], [0, 1], [[p, 1 - p], [q, 1 - q]]), claim).value
        events = (least_level(claim, np.array(a), np.array(b)) for a, b in ((p, q), (1 - q, 1 - p)))
        assert max(map(float, events)) == pytest.approx(exact, rel=2e-2, abs=1e-9)


def test_a_claim_at_another_level_keeps_what_else_it_says() -> None:
    assert at_level(ApproximateDP(1.0, 0.1), 2.0) == ApproximateDP(2.0, 0.1)
