"""What the dials say of cases that are known: marital status of Adult, the paper's own experiment, anchors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from leakgauge.artefacts.dials import OF_A_RAW_COPY, DialEvidence
from leakgauge.assessment.dials.evidence import evidence_by_law
from leakgauge.assessment.dials.guarantee import guaranteed
from leakgauge.assessment.dials.policy import MOST_SURE
from leakgauge.assessment.dials.reading import dials_of
from leakgauge.case.law import ReleaseLaw
from leakgauge.case.numbers import law_of_noise
from leakgauge.claims import LocalDP
from leakgauge.design import Keep, MaxDistortion, RateDistortion, solve
from leakgauge.distances import Hamming
from leakgauge.mechanisms import gaussian, laplace, randomized_response
from leakgauge.papers import rate_distortion
from leakgauge.probability import Channel, Distribution, Joint
from leakgauge.probability.cells import Floats
from leakgauge.randomness import simulation
from tests.laws.releases import household, sources

REFERENCE = {
    "response 1": (0.056, 0.052, 0.059, 0.056),
    "response 2": (0.304, 0.244, 0.274, 0.265),
    "response 3": (0.593, 0.516, 0.560, 0.550),
    "shares 0.2": (0.582, 0.418, 0.500, 0.486),
    "shares 0.3": (0.388, 0.251, 0.315, 0.302),
    "shares 0.4": (0.204, 0.130, 0.169, 0.160),
    "nothing 0.2": (0.578, 0.363, 0.467, 0.453),
    "independent 0": (0.0, 0.0, 0.0, 0.0),
}
"""Marital status of Adult where occupation is known: A, B, τ of the shares, τ of the cross-table with occupation."""


@pytest.mark.parametrize("case", REFERENCE)
def test_marital_status_where_occupation_is_known(case: str) -> None:
    people = rate_distortion.adult()
    kind, amount = case.split()
    if kind == "response":
        channel = randomized_response(float(amount), letters=people.rows).channel()
    elif kind == "independent":
        channel = Channel(people.rows, people.rows, np.tile(people.row_marginal().probabilities, (7, 1)))
    else:
        asked = RateDistortion(people.row_marginal(), Hamming(), MaxDistortion(float(amount)), keep=Keep(kind))
        channel = solve(asked, 1e-6).channel
    hidden = evidence_by_law(ReleaseLaw(people, channel, ("occupation",)), backgrounds=[["occupation"]])
    shown = evidence_by_law(ReleaseLaw(people, channel, ("occupation",), ("occupation",)))
    (knowing,) = (one for one in hidden.attackers if one.knows)
    found = [knowing.gained, knowing.told, *(one.worth for one in shown.statistics)]
    assert [one.value for one in found if one is not None] == pytest.approx(REFERENCE[case], abs=5.1e-4)


def require_noise(column: Floats) -> None:
    """Laplace ε = 0.1 and Gaussian (0.1, 10^-3) leave nothing, whichever δ was declared."""
    even, upper = np.full(len(column), 1 / len(column)), float(np.ceil(column.max()))
    for noise in (
        laplace(0.1, lower=0, upper=upper),
        *(gaussian(0.1, delta, lower=0, upper=upper) for delta in (1e-3, 1e-6, 1e-2)),
    ):
        law, points = law_of_noise(noise, column, even)
        dials = dials_of(evidence_by_law(law, numbers=points, claims=noise.claims))
        assert dials.usefulness.value <= 2
        assert dials.protection.value >= 98
        assert dials.surest.value <= 2
        assert dials.guarantee is not None and dials.guarantee.advantage <= 0.1


def test_the_papers_own_experiment_is_noise(data: Path) -> None:
    for name in ("active_power_kw", "current_a"):
        require_noise(household(data)[name])


def test_a_load_like_the_papers_is_noise_too() -> None:
    require_noise(simulation(4).gamma(1.5, 0.7, size=5000))


@pytest.mark.parametrize("numbers", [None, np.arange(7.0)], ids=["letters", "numbers"])
def test_a_raw_copy_has_the_dials_that_pictures_start_from(numbers: Floats | None) -> None:
    people = rate_distortion.adult()
    law = ReleaseLaw(people, Channel.identity(people.rows), ("occupation",), ("occupation",))
    if numbers is not None:
        copy = Channel.identity([float(one) for one in numbers])
        law = ReleaseLaw(Joint(copy.inputs, people.columns, people.matrix), copy, ("occupation",), ("occupation",))
    dials = dials_of(evidence_by_law(law, backgrounds=[["occupation"]], numbers=numbers))
    found = {name: getattr(dials, name).ends for name in OF_A_RAW_COPY}
    assert found == {name: pytest.approx((value, value), abs=1e-4) for name, value in OF_A_RAW_COPY.items()}


def test_the_anchors_of_the_guarantee() -> None:
    anchors = {0.1: 95, 0.5: 76, 1.0: 54, 2.0: 24, 3.0: 9}
    for epsilon, points in anchors.items():
        found = guaranteed([LocalDP(epsilon)])
        assert found is not None and round(100 * (1 - found.advantage)) == points
        assert found.odds == pytest.approx(np.exp(epsilon))
    assert guaranteed([LocalDP(np.inf)]) is None
    assert guaranteed([]) is None
    assert dials_of(DialEvidence(attackers=())).guarantee is None


SUREST = {
    "response 1": (24.2, 24.4),
    "response 2": (45.6, 46.1),
    "response 3": (62.6, 63.4),
    "redraw 0.8": (80.0, 89.1),
    "redraw 0.6": (60.0, 75.2),
    "redraw 0.4": (40.0, 57.1),
    "redraw 0.25": (25.0, 39.1),
    "copy 1": (100.0, 100.0),
}
PROTECTION = {
    "response 1": (91.2, 94.4),
    "response 2": (65.3, 69.6),
    "response 3": (38.4, 40.7),
    "redraw 0.8": (24.6, 27.7),
    "redraw 0.6": (49.3, 55.4),
    "redraw 0.4": (73.9, 82.5),
    "redraw 0.25": (91.3, 93.0),
    "copy 1": (0.0, 0.0),
}
"""Of the specification, from the table alone by independent code: of somebody who knows nothing, and the occupation."""


@pytest.mark.parametrize("case", SUREST)
def test_how_sure_somebody_becomes_of_a_marital_status(case: str) -> None:
    people = rate_distortion.adult()
    kind, amount = case.split()
    shares, kept = people.row_marginal().probabilities, float(amount)
    if kind == "response":
        channel = randomized_response(kept, letters=people.rows).channel()
    else:
        channel = Channel(people.rows, people.rows, kept * np.eye(7) + (1 - kept) * np.tile(shares, (7, 1)))
    attackers = evidence_by_law(ReleaseLaw(people, channel, ("occupation",)), backgrounds=[["occupation"]]).attackers
    protection = [100 * (1 - max(one.gained.value, one.told.value)) for one in attackers if one.gained and one.told]
    assert protection == pytest.approx(PROTECTION[case], abs=0.051)
    assert [100 * one.surest.value for one in attackers if one.surest] == pytest.approx(SUREST[case], abs=0.051)


def test_a_rare_disease_is_ranked_by_how_sure_somebody_becomes_of_it() -> None:
    """0.93% of 10,000: a release whose positives are right half the time is worse than randomized response at ε = 2."""
    ill = 0.0093
    source = Distribution(["ill", "well"], [ill, 1 - ill])
    half = 1 - ill / (1 - ill)
    found = Channel(source.outcomes, source.outcomes, [[1.0, 0.0], [1 - half, half]])
    response = randomized_response(2.0, letters=source.outcomes).channel()
    released, noisy = (dials_of(evidence_by_law(ReleaseLaw(source, one))) for one in (found, response))
    assert released.surest.value == pytest.approx(49.5, abs=0.1) and released.surest.value > MOST_SURE
    assert noisy.surest.value < released.surest.value
    assert released.surest_of.worst == "ill"


def test_a_fair_coin_cannot_stay_below_a_threshold() -> None:
    """47.5% of people get a label that is 92% certain: below a threshold of 0.9 by hardly anything, and not safe."""
    coin = Distribution(["heads", "tails"], [0.5, 0.5])
    label = np.array([[0.92, 0.08], [0.08, 0.92]])
    channel = Channel(coin.outcomes, ("heads", "tails", None), np.column_stack([0.475 * label, np.full(2, 0.525)]))
    dials = dials_of(evidence_by_law(ReleaseLaw(coin, channel)))
    assert dials.surest.value == pytest.approx(84) and dials.surest.value > MOST_SURE


def test_forty_percent_in_the_clear_is_exposure_that_an_average_misses() -> None:
    for source in sources(5)[:2]:
        size = len(source)
        matrix = np.column_stack([0.4 * np.eye(size), np.full(size, 0.6)])
        channel = Channel(source.outcomes, (*source.outcomes, None), matrix)
        dials = dials_of(evidence_by_law(ReleaseLaw(source, channel)))
        assert dials.protection.value == pytest.approx(60)
        assert dials.surest.value == pytest.approx(100)
        assert dials.usefulness.value == pytest.approx(40)
