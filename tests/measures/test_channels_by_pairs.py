"""Known channels that read the background too: the same estimates, with what they read counted."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from leakgauge.errors import LabelError
from leakgauge.measures import (
    Estimator,
    conditional_mutual_information,
    estimate,
    leakage_with_background,
    mutual_information,
    vulnerability,
)
from leakgauge.measures.terms import Measure
from leakgauge.probability import Channel, Counts, Scenario
from leakgauge.randomness import simulation

X, Z = ("a", "b", "c"), (0, 1)


@pytest.fixture
def counts() -> Counts:
    draws = simulation(4)
    return Counts({"x": X, "z": Z}, draws.multinomial(2000, [0.3, 0.05, 0.1, 0.25, 0.2, 0.1]).reshape(3, 2))


def test_a_channel_that_ignores_the_background_is_the_same_by_pairs(counts: Counts) -> None:
    plain = Channel(X, "yn", [[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]])
    lifted = Channel(product(X, Z), "yn", np.repeat(plain.matrix, 2, axis=0))
    for measure in (leakage_with_background, conditional_mutual_information):
        for estimator in (Estimator.PLUG_IN, Estimator.MILLER_MADOW, Estimator.SHRINKAGE):
            found, wanted = (
                estimate(measure, counts, ["x"], background=["z"], channel=one, estimator=estimator)
                for one in (lifted, plain)
            )
            for name in ("value", "low", "high"):
                assert getattr(found, name) == pytest.approx(getattr(wanted, name), rel=1e-9)
    alone = estimate(mutual_information, counts, ["x"], background=["z"], channel=lifted)
    assert alone.value == pytest.approx(estimate(mutual_information, counts, ["x"], channel=plain).value)


def test_estimates_are_of_the_pairs(counts: Counts) -> None:
    channel = Channel(product(X, Z), "yn", [[0.9, 0.1], [0.5, 0.5], [0.1, 0.9], [0.6, 0.4], [0.2, 0.8], [0.7, 0.3]])
    scenario = Scenario(counts.joint(["x"], ["z"]), channel)
    for measure in (
        mutual_information,
        leakage_with_background,
        conditional_mutual_information,
        vulnerability.posterior,
    ):
        found = estimate(measure, counts, ["x"], background=["z"], channel=channel)
        assert found.value == pytest.approx(measure(scenario))
        assert found.low <= found.value <= found.high


@pytest.mark.parametrize("measure", [mutual_information, conditional_mutual_information])
def test_intervals_hold_the_truth(measure: Measure) -> None:
    """Of a hundred intervals at 95 % about five miss, and more than twelve once in a thousand runs."""
    truth = np.array([0.3, 0.05, 0.1, 0.25, 0.2, 0.1])
    channel = Channel(product(X, Z), "yn", [[0.9, 0.1], [0.5, 0.5], [0.1, 0.9], [0.6, 0.4], [0.2, 0.8], [0.7, 0.3]])
    exact = Counts({"x": X, "z": Z}, np.rint(truth * 10**6).astype(np.int64).reshape(3, 2)).joint(["x"], ["z"])
    wanted = measure(Scenario(exact, channel))
    draws = simulation(9)
    tables = (Counts({"x": X, "z": Z}, draws.multinomial(400, truth).reshape(3, 2)) for _ in range(100))
    found = [estimate(measure, one, ["x"], background=["z"], channel=channel) for one in tables]
    assert sum(not one.low <= wanted <= one.high for one in found) <= 12


def test_other_pairs_are_refused(counts: Counts) -> None:
    turned = Channel(product(Z, X), "yn", np.full((6, 2), 0.5))
    with pytest.raises(LabelError, match="6 inputs that are not the 3 secrets"):
        estimate(mutual_information, counts, ["x"], background=["z"], channel=turned)


def test_one_background_is_none() -> None:
    counts = Counts({"x": X, "z": ["only"]}, [[30], [50], [20]])
    plain = Channel(X, "yn", [[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]])
    lifted = Channel(product(X, ["only"]), "yn", plain.matrix)
    found, wanted = (
        estimate(conditional_mutual_information, counts, ["x"], background=["z"], channel=one)
        for one in (lifted, plain)
    )
    assert found.value == pytest.approx(wanted.value)
