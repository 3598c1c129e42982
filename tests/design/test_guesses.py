"""How near a guess comes after so many bits: no channel's best guess is nearer, and one is as near."""

from __future__ import annotations

import math

import numpy as np
import pytest

from leakgauge import randomness
from leakgauge.claims import MutualInformation
from leakgauge.design.guesses import nearest_guess, nearest_guess_from
from leakgauge.distances import Absolute, Distortion, Given, Hamming, Squared
from leakgauge.errors import OptionError
from leakgauge.jobs.relate import relate
from leakgauge.measures import mutual_information, vulnerability
from leakgauge.notions import Circumstances
from leakgauge.probability import Channel, Distribution, Scenario

PRIOR = Distribution(range(4), [0.4, 0.3, 0.2, 0.1])


@pytest.mark.parametrize("distortion", [Hamming(), Absolute(), Squared()], ids=lambda one: type(one).__name__)
def test_no_guess_is_nearer_than_the_bits_allow_and_one_is_as_near(distortion: Distortion) -> None:
    draw = randomness.simulation(31)
    for _ in range(12):
        channel = Channel(PRIOR.outcomes, range(3), draw.dirichlet(np.full(3, 0.7), size=4))
        bits = mutual_information(Scenario(PRIOR, channel))
        assert nearest_guess_from(channel, PRIOR, distortion) >= nearest_guess(PRIOR, distortion, bits).low
    found = nearest_guess(PRIOR, distortion, 0.5)
    assert mutual_information(Scenario(PRIOR, found.channel)) <= 0.5
    assert nearest_guess_from(found.channel, PRIOR, distortion) == pytest.approx(found.distance, abs=1e-9)
    assert found.distance - found.low < 1e-6


def test_forbidden_guesses_are_never_made() -> None:
    distances = Given([[0.0, math.inf], [1.0, 0.0]], [0, 1], [0, 1])
    flip = Channel([0, 1], "uv", [[0.9, 0.1], [0.1, 0.9]])
    assert nearest_guess_from(flip, Distribution([0, 1], [0.5, 0.5]), distances) == pytest.approx(0.5)


@pytest.mark.parametrize("bits", [0.0, 0.01, 0.3, 1.0, 5.0])
def test_bits_bound_the_guess_and_what_is_said_is_sharp(bits: float) -> None:
    found = relate(MutualInformation(bits), PRIOR, distortion="absolute")
    assert found.guess is not None
    assert found.distance is not None
    best = nearest_guess(PRIOR, Hamming(), bits)
    assert found.guess.value == pytest.approx(vulnerability.posterior(Scenario(PRIOR, best.channel)), abs=1e-6)
    leakage = next(one for one in found.implied if one.notion == "min-entropy-leakage")
    assert leakage.value == pytest.approx(math.log2(found.guess.value / 0.4), abs=1e-9)
    assert leakage.sharp is (bits < 2 and bits != 5.0)
    assert found.distance.value == pytest.approx(nearest_guess(PRIOR, Absolute(), min(bits, 2.0)).low, abs=1e-9)


@pytest.mark.parametrize("statement", ["local-dp:0.5", "dp:1,delta=1e-6", "total-variation:0.2", "identifiability:2"])
def test_every_guess_from_a_channel_is_within_what_its_level_implies(statement: str) -> None:
    promised = relate(statement, PRIOR, distortion="absolute")
    assert promised.guess is not None
    assert promised.distance is not None
    draw = randomness.simulation(17)
    for _ in range(40):
        rows = 0.9 * np.full(3, 1 / 3) + 0.1 * draw.dirichlet(np.ones(3), size=4)
        channel = Channel(PRIOR.outcomes, range(3), rows)
        exact = relate(channel, PRIOR, distortion="absolute")
        assert exact.levels["local-dp"].value < 0.5
        assert exact.guess is not None
        assert exact.distance is not None
        assert exact.guess.value <= promised.guess.value
        assert exact.distance.value >= promised.distance.value
        assert exact.guess.value == pytest.approx(vulnerability.posterior(Scenario(PRIOR, channel)))


def test_distances_without_a_prior_and_values_said_twice_are_refused() -> None:
    with pytest.raises(OptionError, match="depends on the prior"):
        relate("mutual-information:0.2bits", distortion="absolute")
    with pytest.raises(OptionError, match="--values 3 again"):
        relate("dp:1,delta=1e-6", PRIOR, wanted=Circumstances(values=3))
    with pytest.raises(OptionError, match="0 values does not exist"):
        Circumstances(values=0)
    bits = {one.notion: one.value for one in relate("dp:1,delta=1e-6", wanted=Circumstances(values=2)).implied}
    assert bits["mutual-information"] == pytest.approx(0.16, abs=5e-4)
    assert relate("dp:1,delta=1e-6").guess is None
