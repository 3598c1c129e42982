"""What the dials say of cases that are known: marital status of Adult, the paper's own experiment, anchors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from leakgauge.artefacts.dials import OF_A_RAW_COPY, DialEvidence, Neighbours
from leakgauge.assessment.dials.evidence import evidence_by_law
from leakgauge.assessment.dials.guarantee import advantage_of
from leakgauge.assessment.dials.reading import dials_of
from leakgauge.case.law import ReleaseLaw
from leakgauge.case.numbers import law_of_noise
from leakgauge.claims import LocalDP
from leakgauge.design import Keep, MaxDistortion, RateDistortion, solve
from leakgauge.distances import Hamming
from leakgauge.mechanisms import gaussian, laplace, randomized_response
from leakgauge.papers import rate_distortion
from leakgauge.probability import Channel, Joint
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
        dials = dials_of(
            evidence_by_law(law, numbers=points, claims=noise.claims, neighbours=Neighbours.VALUES_OF_A_PERSON)
        )
        assert dials.usefulness.value <= 2
        assert dials.protection.value >= 98
        assert dials.exposed.value <= 1e-6
        assert dials.guarantee.value >= 90


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
        evidence = DialEvidence(attackers=(), advantage=advantage_of([LocalDP(epsilon)]))
        assert round(dials_of(evidence).guarantee.value) == points
    assert advantage_of([LocalDP(np.inf)]) == 1
    assert advantage_of([]) is None
    assert dials_of(DialEvidence(attackers=())).guarantee.value == 0


def test_forty_percent_in_the_clear_is_exposure_that_an_average_misses() -> None:
    for source in sources(5)[:2]:
        size = len(source)
        matrix = np.column_stack([0.4 * np.eye(size), np.full(size, 0.6)])
        channel = Channel(source.outcomes, (*source.outcomes, None), matrix)
        dials = dials_of(evidence_by_law(ReleaseLaw(source, channel)))
        assert dials.protection.value == pytest.approx(60)
        assert dials.exposed.value == pytest.approx(40)
        assert dials.usefulness.value == pytest.approx(40)
