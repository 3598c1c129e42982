"""Mechanisms as text and back, and the step each takes in a composition."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.artefacts.codec import text_of
from leakgauge.claims import ApproximateDP, CentralDP, LocalDP, ZeroConcentratedDP
from leakgauge.errors import FileError, OptionError
from leakgauge.mechanisms import (
    CATALOGUE,
    MaxNoise,
    Mechanism,
    above_threshold,
    discrete_gaussian,
    exponential,
    exponential_channel,
    gaussian,
    geometric,
    laplace,
    parse_mechanism,
    permute_and_flip,
    randomized_response,
    report_noisy_max,
    sample_and_aggregate,
    sparse_vector,
    spelled,
    subset_selection,
    through_channel,
    unary_encoding,
)
from leakgauge.mechanisms.noisy_number import NoisyNumber
from leakgauge.mechanisms.steps import Claimed, KnownChannel, Step
from leakgauge.probability import Channel
from leakgauge.probability.files import NamedChannel
from leakgauge.randomness import Simulated

LETTERS = ["plain", "with|bar", "with,comma", "a=b", "back\\slash", "end\\", "line\nbreak", None]
NUMERIC: list[Mechanism] = [
    laplace(1.0, sensitivity=2.5),
    laplace(1e-3, lower=-7, upper=120, grid=0.5, missing=3),
    gaussian(0.1, 1e-3, lower=0, upper=100),
    gaussian(1.0, 1e-9, sensitivity=0.1),
    geometric(0.3, sensitivity=2),
    geometric(0.3, lower=-5, upper=9, missing=0),
    discrete_gaussian(0.5, sensitivity=3),
    discrete_gaussian(1e-3, lower=0, upper=4),
    exponential(0.7, sensitivity=3.0),
    permute_and_flip(0.7),
    report_noisy_max(0.7, sensitivity=2.5),
    report_noisy_max(0.7, noise=MaxNoise.EXPONENTIAL, monotonic=True),
    report_noisy_max(0.7, noise=MaxNoise.GUMBEL),
    above_threshold(0.7, threshold=-3, sensitivity=0.3, monotonic=True),
    sparse_vector(0.7, threshold=2.5, count=4, grid=0.5),
    unary_encoding(1.3, letters=["a", "b", "c,d"]),
    subset_selection(1.3, letters=["a", "b", "c,d"]),
]


@pytest.mark.parametrize("mechanism", NUMERIC, ids=spelled)
def test_what_is_spelled_reads_back(mechanism: Mechanism) -> None:
    assert parse_mechanism(spelled(mechanism)) == mechanism


def test_letters_read_back_whatever_is_in_them() -> None:
    response = randomized_response(0.4, letters=LETTERS)
    again = parse_mechanism(spelled(response))
    assert again.parameters == response.parameters
    assert again.channel() == response.channel()


def test_channel_files_are_mechanisms(tmp_path: Path) -> None:
    channel = Channel("ab", "xy", [[0.75, 0.25], [0.25, 0.75]])
    place = tmp_path / "odd, name.json"
    place.write_text(text_of(ChannelFile.of(NamedChannel(channel, ("secret",), ("seen",)))), encoding="utf-8")
    for text in (str(place), spelled(parse_mechanism(str(place)))):
        mechanism = parse_mechanism(text)
        assert mechanism.channel() == channel
        assert mechanism.parameters["file"] == str(place)
    with pytest.raises(FileError):
        parse_mechanism(str(tmp_path / "nowhere.json"))


def test_letters_come_from_the_text_before_they_come_from_the_caller() -> None:
    for name in ("randomized-response", "unary-encoding", "subset-selection"):
        assert parse_mechanism(f"{name}:epsilon=1", letters=[1, 2, None]).parameters["letters"] == (1, 2, None)
        assert parse_mechanism(f"{name}:epsilon=1,letters=a|b", letters=[1, 2]).parameters["letters"] == ("a", "b")


def test_whole_numbers_stay_whole() -> None:
    mechanism = parse_mechanism("geometric: epsilon=1e0, lower=0, upper=10")
    assert [type(mechanism.parameters[key]) for key in ("lower", "upper")] == [int, int]
    assert isinstance(mechanism, NoisyNumber)
    assert mechanism.run(np.array([3]), Simulated(simulation_seed=0)).dtype == np.int64


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("laplac:epsilon=1", "no mechanism 'laplac'; did you mean 'laplace'"),
        ("", "no mechanism ''"),
        ("laplace", "lacks epsilon"),
        ("laplace:", "lacks epsilon"),
        ("gaussian:epsilon=1,lower=0,upper=1", "lacks delta"),
        ("discrete-gaussian:sensitivity=1", "lacks rho"),
        ("channel", "lacks file"),
        ("laplace:epsilon=1,epsilon=2,sensitivity=1", "epsilon twice"),
        ("laplace:epsilon=1,sensitivty=1", "no parameter 'sensitivty'; did you mean 'sensitivity'"),
        ("laplace:epsilon=one,sensitivity=1", "epsilon='one'; give a finite number"),
        ("laplace:epsilon=nan,sensitivity=1", "finite number"),
        ("laplace:epsilon=inf,sensitivity=1", "finite number"),
        ("laplace:epsilon,sensitivity=1", "'epsilon' instead of key=value"),
        ("laplace:epsilon=1,,sensitivity=1", "'' instead of key=value"),
        ("laplace:epsilon=0,sensitivity=1", "ε of 0"),
        ("laplace:epsilon=1,lower=5,upper=2", "reversed"),
        ("laplace:epsilon=1", "Bounds are missing"),
        ("geometric:epsilon=1,sensitivity=1.5", "give a whole number"),
        ("randomized-response:epsilon=1", "declare them with letters="),
        ("unary-encoding:epsilon=1,letters=a", "2 or more"),
        ("report-noisy-max:epsilon=1,noise=lapalce", "no noise 'lapalce'; did you mean 'laplace'\\?"),
        ("report-noisy-max:epsilon=1,noise=uniform", "known are 'laplace', 'exponential', 'gumbel'"),
        ("report-noisy-max:epsilon=1,noise=gumbel,grid=1", "gumbel has no grid"),
        ("report-noisy-max:epsilon=1,monotonic=true", "give yes or no"),
        ("report-noisy-max:epsilon=1,sensitivity=0", "sensitivity of 0"),
        ("above-threshold:epsilon=1", "lacks threshold"),
        ("above-threshold:epsilon=1,threshold=inf", "finite number"),
        ("above-threshold:epsilon=1,threshold=1e30", "1e\\+30 is not a finite number within 2\\^52 steps"),
        ("above-threshold:epsilon=1,threshold=2,count=3", "no parameter 'count'"),
        ("sparse-vector:epsilon=1,threshold=2", "lacks count"),
        ("sparse-vector:epsilon=1,threshold=2,count=0", "count of 0 is not a whole number from 1 to"),
        ("sparse-vector:epsilon=1,threshold=2,count=1.5", "give a whole number"),
    ],
)
def test_what_cannot_be_read_is_refused(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        parse_mechanism(text)


def test_every_name_is_known() -> None:
    for name in CATALOGUE:
        with pytest.raises(OptionError, match=f"{name} (lacks|has no letters)"):
            parse_mechanism(name)


def asked(mechanism: Mechanism) -> dict[type, float]:
    return {type(claim): claim.level for claim in mechanism.claims}


NEAR = 1e-12
"""Steps sum and take logarithms in floats."""


@pytest.mark.parametrize(
    "mechanism",
    [
        *NUMERIC,
        randomized_response(0.4, letters="abc"),
        randomized_response(2.0, letters=range(100)),
        through_channel(Channel("ab", "xy", [[0.75, 0.25], [0.25, 0.75]])),
        exponential_channel("ab", "xy", [[0, 1], [1, 0]], 1.0),
        sample_and_aggregate(1.0, statistic=np.mean, lower=0, upper=1, blocks=10, sampling_rate=0.5),
    ],
    ids=lambda mechanism: spelled(mechanism)[:60],
)
def test_a_step_spends_what_its_mechanism_claims(mechanism: Mechanism) -> None:
    step, claims = mechanism.step(), asked(mechanism)
    pure = claims.get(CentralDP, claims.get(LocalDP))
    if pure is not None:
        assert pure * (1 - 1e-9) <= step.pure_epsilon() <= pure * (1 + NEAR)
    if ZeroConcentratedDP in claims:
        assert step.rho() == pytest.approx(claims[ZeroConcentratedDP], rel=NEAR)
    if mechanism.name == "discrete-gaussian":
        rho = mechanism.parameters["rho"]
        assert isinstance(rho, float) and rho * (1 - 1e-12) < step.rho() <= rho
    if ApproximateDP in claims:
        assert math.isinf(step.pure_epsilon())


def test_small_channels_compose_by_their_cells_and_large_ones_by_their_epsilon() -> None:
    def kind(size: int) -> type[Step]:
        return type(through_channel(Channel(range(size), range(64), np.full((size, 64), 1 / 64))).step())

    assert kind(64) is KnownChannel
    assert kind(65) is Claimed
