"""Steps read back from a ledger as they were written."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leakgauge.claims import ApproximateDP, CentralDP, GaussianDP, LocalDP, RenyiDP, ZeroConcentratedDP
from leakgauge.errors import FileError, OptionError
from leakgauge.mechanisms.steps import (
    Claimed,
    ClaimedCurve,
    DiscreteGaussianNoise,
    DiscreteLaplaceNoise,
    ExponentialChoice,
    GaussianNoise,
    KnownChannel,
    LaplaceNoise,
    PermuteAndFlip,
    RandomizedResponse,
    Step,
)
from leakgauge.probability import Channel
from leakgauge.release.ledger.cost import Cost, step_from_json, step_to_json

LEVELS = st.floats(0, 1e6) | st.just(math.inf) | st.integers(0, 100)
MULTIPLIERS = st.just(0.0) | st.floats(1e-100, 1e6) | st.just(math.inf)  # whose squares are floats
WHOLE = st.integers(1, 10**6)
RUNS = {"count": WHOLE, "sampling_probability": st.floats(0, 1, exclude_min=True)}
STATEMENTS = st.one_of(
    st.builds(CentralDP, LEVELS),
    st.builds(LocalDP, LEVELS),
    st.builds(ApproximateDP, LEVELS, st.floats(0, 0.999)),
    st.builds(ZeroConcentratedDP, LEVELS),
    st.builds(RenyiDP, LEVELS, st.floats(1.001, 1e3)),
    st.builds(GaussianDP, LEVELS),
)
POINTS = st.dictionaries(st.floats(1.001, 1e3), LEVELS, min_size=1, max_size=4).map(
    lambda levels: tuple(sorted(levels.items()))
)
STEPS = st.one_of(
    st.builds(LaplaceNoise, LEVELS, **RUNS),
    st.builds(DiscreteLaplaceNoise, LEVELS, WHOLE, **RUNS),
    st.builds(GaussianNoise, MULTIPLIERS, **RUNS),
    st.builds(DiscreteGaussianNoise, MULTIPLIERS, WHOLE, **RUNS),
    st.builds(RandomizedResponse, LEVELS, st.integers(2, 100), **RUNS),
    st.builds(ExponentialChoice, LEVELS, **RUNS),
    st.builds(PermuteAndFlip, LEVELS, **RUNS),
    st.builds(Claimed, STATEMENTS, **RUNS),
    st.builds(ClaimedCurve, st.just("a curve"), POINTS, **RUNS),
)


def through_text(step: Step) -> Step:
    return step_from_json(json.loads(json.dumps(step_to_json(step), allow_nan=False)))


@given(STEPS)
def test_every_kind_reads_back(step: Step) -> None:
    assert through_text(step) == step


@given(st.lists(st.lists(st.integers(0, 1000), min_size=3, max_size=3).filter(any), min_size=2, max_size=5))
def test_channels_read_back_bit_for_bit_without_labels(weights: list[list[int]]) -> None:
    matrix = np.array(weights) / np.array(weights).sum(axis=1, keepdims=True)
    channel = Channel([f"secret {row}" for row in range(len(matrix))], "xyz", matrix)
    kept = step_to_json(KnownChannel(channel, secret="illness", count=3))
    assert "secret" not in json.dumps(kept) and "illness" not in json.dumps(kept)
    back = step_from_json(json.loads(json.dumps(kept)))
    assert isinstance(back, KnownChannel)
    assert (back.channel.matrix == channel.matrix).all()
    assert (back.channel.inputs, back.channel.outputs) == (tuple(range(len(matrix))), (0, 1, 2))
    assert (back.count, back.secret) == (3, None)


def test_a_large_channel_is_kept_by_its_level() -> None:
    matrix = np.full((65, 64), 0.5 / 63)
    matrix[np.arange(65), np.arange(65) % 64] = 0.5
    step = KnownChannel(Channel(range(65), range(64), matrix))
    back = through_text(step)
    assert isinstance(back, Claimed) and isinstance(back.statement, LocalDP)
    assert step.pure_epsilon() < back.statement.epsilon < step.pure_epsilon() * (1 + 1e-13)
    assert Cost((back,)).epsilon >= Cost((step,)).epsilon


def test_a_curve_that_is_a_function_cannot_be_kept() -> None:
    with pytest.raises(OptionError, match="by its points"):
        step_to_json(ClaimedCurve("mine", function=lambda orders: orders))


@dataclass(frozen=True)
class LaterNoise(Step):
    """A step of a mechanism that is added later."""

    epsilon: float

    def pure_epsilon(self) -> float:
        return self.epsilon


@dataclass(frozen=True)
class LaterTable(LaterNoise):
    labels: tuple[str, ...] = ("a", "b")

    def rho(self) -> float:
        return 0.01


def test_a_step_of_a_later_mechanism_is_kept() -> None:
    assert through_text(LaterNoise(0.5, count=2)) == LaterNoise(0.5, count=2)
    back = through_text(LaterTable(0.5, count=2))
    assert back == Claimed(CentralDP(0.5), count=2)
    assert Cost((back,)).total == Cost((LaterTable(0.5, count=2),)).total


@pytest.mark.parametrize(
    "kept",
    [
        {"kind": "teleportation", "count": 1, "sampling_probability": 1.0},
        {"kind": "claimed", "notion": "unheard-of", "levels": {}, "count": 1, "sampling_probability": 1.0},
        {"kind": "laplace-noise", "epsilon": 1.0, "tilt": 2.0, "count": 1, "sampling_probability": 1.0},
        {"kind": "laplace-noise", "epsilon": {"low": 1.0}, "count": 1, "sampling_probability": 1.0},
        {"kind": "laplace-noise", "count": 1, "sampling_probability": 1.0},
        {"kind": "known-channel", "matrix": [[1.0], [0.5, 0.5]], "count": 1, "sampling_probability": 1.0},
        {"kind": "known-channel", "matrix": [], "count": 1, "sampling_probability": 1.0},
        {"kind": "claimed-curve", "name": "c", "points": [[2.0]], "count": 1, "sampling_probability": 1.0},
        {},
    ],
)
def test_what_a_newer_version_wrote_is_refused(kept: dict[str, object]) -> None:
    with pytest.raises(FileError, match="newer version"):
        step_from_json(kept)


def test_a_bug_in_a_step_is_not_told_as_a_newer_version(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(step: Step) -> None:
        raise TypeError("ours")

    kept = step_to_json(LaplaceNoise(1.0))
    monkeypatch.setattr(LaplaceNoise, "__post_init__", wrong)
    with pytest.raises(TypeError, match="ours"):
        step_from_json(kept)


@given(st.lists(STEPS, min_size=1, max_size=5))
def test_sums_are_never_too_small(steps: list[Step]) -> None:
    cost = Cost(tuple(steps))
    for found, levels in (
        (cost.epsilon, [step.pure_epsilon() for step in steps]),
        (cost.rho, [step.rho() for step in steps]),
    ):
        exact = math.fsum(step.count * level for step, level in zip(steps, levels, strict=True))
        assert found >= exact * (1 - 1e-15)
        assert found <= exact * (1 + 1e-13) + 1e-300


def test_tiny_levels_are_not_nothing() -> None:
    assert Cost((LaplaceNoise(1e-200),)).rho > 0
    assert Cost((GaussianNoise(1e200),)).rho > 0
    one, other = [0.5, 0.5 - 1e-10, 1e-10], [0.5, np.nextafter(0.5 - 1e-10, 1), np.nextafter(1e-10, 0)]
    nearly = KnownChannel(Channel("ab", "xyz", [one, other]))
    assert Cost((nearly,)).epsilon > 0
    assert Cost((KnownChannel(Channel("ab", "xyz", [one, one])),)).epsilon == 0.0
