"""Numbers of the paper and of its tables, recomputed."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from leakgauge.design import Knowledge, MaxDistortion, RateDistortion, Slope, Solution, solve, symmetric_channel
from leakgauge.distances import Hamming
from leakgauge.measures import leakage_with_background, mutual_information
from leakgauge.probability import Joint, Scenario
from tests.design.sources import FILM, adult, by_the_general_solver


@pytest.fixture(scope="module")
def people(data: Path) -> Joint:
    return adult(data)


@pytest.mark.parametrize("closed_forms", [True, False])
@pytest.mark.parametrize(
    ("slope", "bits", "distortion", "epsilon", "letters"),
    [
        (0.6, 0.0, 0.512821, 0.0, 1),
        (1, 0.025459, 0.493883, 1.864997, 2),
        (2, 0.397735, 0.325239, 3.558145, 4),
        (3, 0.965622, 0.166075, 5.251292, 5),
        (5, 1.718735, 0.026244, 7.251292, 5),
        (10, 1.943536, 0.000182, 12.251292, 5),
    ],
)
def test_film(slope: float, bits: float, distortion: float, epsilon: float, letters: int, closed_forms: bool) -> None:
    problem = RateDistortion(FILM, Hamming(), Slope(slope))
    best = solve(problem if closed_forms else by_the_general_solver(problem))
    assert best.leakage == pytest.approx(bits, abs=6e-7)
    assert best.distortion == pytest.approx(distortion, abs=6e-7)
    # The general solver knows the probability of a rare letter a little less sharply than what the letter costs.
    assert best.epsilon == pytest.approx(epsilon, abs=6e-7 if closed_forms else 2e-5)
    assert best.letters == letters


PUBLISHED = [
    # slope, distortion, R, true leakage with background, ε
    (0.5, 0.5086, 0.0154, 0.0906, 0.869),
    (1.0, 0.4228, 0.1073, 0.1757, 1.369),
    (1.5, 0.3545, 0.2293, 0.2893, 1.869),
    (2.0, 0.2696, 0.4437, 0.4931, 3.214),
    (2.5, 0.2028, 0.6593, 0.6989, 3.714),
    (3.0, 0.1560, 0.8440, 0.8760, 4.214),
    (3.5, 0.1197, 1.0146, 1.0401, 6.337),
    (4.0, 0.0807, 1.2245, 1.2420, 6.837),
    (4.5, 0.0533, 1.3924, 1.4042, 8.107),
    (5.0, 0.0333, 1.5291, 1.5366, 8.607),
    (5.5, 0.0207, 1.6238, 1.6286, 9.107),
    (6.0, 0.0129, 1.6881, 1.6912, 9.607),
]


@pytest.mark.parametrize(("slope", "distortion", "rate", "true", "epsilon"), PUBLISHED)
def test_table_2(people: Joint, slope: float, distortion: float, rate: float, true: float, epsilon: float) -> None:
    best = solve(RateDistortion(people, Hamming(), Slope(slope), Knowledge.PUBLISHED))
    assert (best.distortion, best.leakage) == pytest.approx((distortion, rate), abs=6e-5)
    assert best.leakage_with_background == pytest.approx(true, abs=6e-5)
    assert best.background_floor == pytest.approx(0.076373, abs=6e-7)
    assert best.epsilon == pytest.approx(epsilon, abs=6e-4)
    assert best.objective == best.leakage


SYMMETRIC = [
    (0.5, 0.3397),
    (1.0, 0.4963),
    (1.5, 0.6379),
    (2.0, 0.8387),
    (3.0, 1.1587),
    (4.0, 1.4166),
    (5.0, 1.6205),
    (6.0, 1.7261),
]


@pytest.mark.parametrize(("slope", "bits"), SYMMETRIC)
def test_the_symmetric_channel_of_table_2(people: Joint, slope: float, bits: float) -> None:
    best = solve(RateDistortion(people, Hamming(), Slope(slope)))
    channel = symmetric_channel(people.rows, best.distortion)
    assert mutual_information(Scenario(people.row_marginal(), channel)) == pytest.approx(bits, abs=1.5e-3)


@pytest.mark.parametrize(
    ("knowledge", "slope", "distortion", "bits"),
    [
        (Knowledge.ATTACKER, 0.5, 0.5010, 0.0959),
        (Knowledge.ATTACKER, 1, 0.4111, 0.1920),
        (Knowledge.ATTACKER, 2, 0.2548, 0.5344),
        (Knowledge.ATTACKER, 3, 0.1471, 0.9129),
        (Knowledge.ATTACKER, 6, 0.0112, 1.7054),
        (Knowledge.BOTH, 0.5, 0.4650, 0.0814),
        (Knowledge.BOTH, 2, 0.2681, 0.4585),
        (Knowledge.BOTH, 6, 0.0129, 1.6884),
    ],
)
def test_honest_optima(people: Joint, knowledge: Knowledge, slope: float, distortion: float, bits: float) -> None:
    best = solve(RateDistortion(people, Hamming(), Slope(slope), knowledge))
    assert (best.distortion, best.objective) == pytest.approx((distortion, bits), abs=6e-5)


@pytest.mark.parametrize("distortion", [0.05, 0.2, 0.45])
def test_knowing_what_the_attacker_knows_never_leaks_more(people: Joint, distortion: float) -> None:
    target = MaxDistortion(distortion)
    found = {
        knowledge: solve(RateDistortion(people, Hamming(), target, knowledge)).leakage_with_background
        for knowledge in Knowledge
    }
    published, attacker, both = (found[k] for k in (Knowledge.PUBLISHED, Knowledge.ATTACKER, Knowledge.BOTH))
    assert published is not None and attacker is not None and both is not None
    assert both <= attacker + 1e-8
    assert attacker <= published + 1e-8
    assert attacker < published - 1e-6, "the published channel is not the best one"


@pytest.mark.parametrize("knowledge", list(Knowledge))
def test_the_numbers_are_those_of_the_dyadic_channel(people: Joint, knowledge: Knowledge) -> None:
    best: Solution = solve(RateDistortion(people, Hamming(), MaxDistortion(0.2), knowledge))
    assert best.channel.dyadic() == best.channel
    assert (best.channel.matrix * 2.0**53 % 1 == 0).all()
    scenario = Scenario(people, best.channel)
    assert best.leakage == pytest.approx(mutual_information(scenario), abs=1e-12)
    assert best.leakage_with_background == pytest.approx(leakage_with_background(scenario), abs=1e-12)
    assert best.distortion <= 0.2
    if knowledge is not Knowledge.BOTH:
        high, low = best.channel.matrix.max(axis=0), best.channel.matrix.min(axis=0)
        used = high > 0
        assert (low[used] > 0).all(), "no letter rules an input out"
        assert best.epsilon == pytest.approx(math.log((high[used] / low[used]).max()), rel=1e-12)
