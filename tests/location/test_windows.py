"""What a window of a trace tells equals a sum over all paths and reports; beyond, it lies between its bounds."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from leakgauge.errors import OptionError
from leakgauge.location.traces import windows
from leakgauge.location.traces.windows import drawn_window_leakage, release_trace, window_leakage
from leakgauge.location.tracking.movement import Movement
from leakgauge.mechanisms.finite import through_channel
from leakgauge.probability import Channel, Distribution
from leakgauge.probability.cells import Floats
from leakgauge.randomness import Simulated
from leakgauge.randomness.sources import simulation


def rows(count: int, width: int, seed: int) -> Floats:
    drawn = simulation(seed).gamma(0.6, size=(count, width)) + 0.01
    drawn[drawn < 0.1] = 0.0
    drawn[:, 0] += 0.01
    return np.asarray(drawn / drawn.sum(axis=1, keepdims=True))


def world(seed: int) -> tuple[Movement, Channel]:
    start = Distribution("abc", rows(1, 3, seed)[0])
    moves = (rows(3, 3, seed + 1) + np.eye(3)) / 2
    return Movement(start, Channel("abc", "abc", moves)), Channel("abc", "wxyz", rows(3, 4, seed + 2))


def told(movement: Movement, channel: Channel, steps: int, repeated: bool) -> float:
    """I(path; reports) by a sum over everything, in bits."""
    joint = np.zeros((3**steps, 4**steps))
    for at, path in enumerate(itertools.product(range(3), repeat=steps)):
        chance = movement.start.probabilities[path[0]]
        for x, y in itertools.pairwise(path):
            chance *= movement.transitions.matrix[x, y]
        for seen, reports in enumerate(itertools.product(range(4), repeat=steps)):
            weight = chance
            for step in range(steps):
                if repeated and step and path[step] == path[step - 1]:
                    weight *= float(reports[step] == reports[step - 1])
                else:
                    weight *= channel.matrix[path[step], reports[step]]
            joint[at, seen] = weight
    independent = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    occurs = joint > 0
    return float((joint[occurs] * np.log2(joint[occurs] / independent[occurs])).sum())


@pytest.mark.parametrize("repeated", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_a_window_equals_a_sum_over_everything_and_stays_between_its_bounds(
    seed: int, repeated: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    movement, channel = world(seed * 10)
    exact = {steps: told(movement, channel, steps, repeated) for steps in (1, 2, 3, 4)}
    for steps, truth in exact.items():
        found = window_leakage(movement, channel, steps, repeated=repeated)
        assert found.exact
        assert found.low == pytest.approx(truth, abs=1e-12)
        assert found.low >= found.parts.max()
        assert exact[max(steps - 1, 1)] <= truth + 1e-12
        if not repeated:
            assert truth <= found.parts.sum() + 1e-12
    for most in (1, 20, 60, 200):
        monkeypatch.setattr(windows, "MOST", most)
        for steps, truth in exact.items():
            found = window_leakage(movement, channel, steps, repeated=repeated)
            assert found.low <= truth + 1e-12
            assert found.high >= truth - 1e-12
            assert found.low >= found.parts.max()
            if steps > 1:
                assert found.low >= window_leakage(movement, channel, steps - 1, repeated=repeated).low - 1e-12
    monkeypatch.undo()
    drawn = drawn_window_leakage(
        movement, through_channel(channel).law, 4, repeated=repeated, traces=500, simulation_seed=seed + 7
    )
    assert abs(drawn.value - exact[4]) < 2 * (drawn.high - drawn.low)


def test_long_windows_have_narrow_bounds_and_estimates_between() -> None:
    movement, channel = world(40)
    found = window_leakage(movement, channel, 30)
    assert not found.exact
    assert found.high - found.low < 0.01 * found.high
    drawn = drawn_window_leakage(movement, through_channel(channel).law, 30, traces=200, simulation_seed=3)
    assert drawn.low <= found.high
    assert drawn.high >= found.low
    assert window_leakage(movement, channel, 20).high <= found.low


def test_resting_shows_what_repeating_saves() -> None:
    resting = Movement.resting(Distribution.uniform("abc"))
    channel = Channel("abc", "abc", [[0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]])
    fresh = [window_leakage(resting, channel, steps).high for steps in (1, 3, 6)]
    again = [window_leakage(resting, channel, steps, repeated=True).high for steps in (1, 3, 6)]
    assert fresh[0] < fresh[1] < fresh[2] < math.log2(3)
    assert again == pytest.approx([fresh[0]] * 3, abs=1e-12)
    # Where reports say nothing of a place, repeating them still says who moved.
    blind = Channel.constant("abc", Distribution.uniform("wxyz"))
    moving = Movement(Distribution.uniform("abc"), Channel("abc", "abc", (np.eye(3) + 1 / 3) / 2))
    assert window_leakage(moving, blind, 3).high == pytest.approx(0.0, abs=1e-12)
    assert window_leakage(moving, blind, 3, repeated=True).high > 0.3


def test_a_warning_where_steps_are_alike() -> None:
    movement, channel = world(0)
    warning = window_leakage(movement, channel, 3).warning
    assert warning is not None
    assert "judge the whole trace" in str(warning)
    assert window_leakage(Movement.independent(movement.start), channel, 3).warning is None


def test_repeated_reports_change_only_with_the_area_or_the_trace() -> None:
    law = through_channel(Channel.constant(range(3), Distribution.uniform(range(64)))).law
    areas, whose = [0, 0, 0, 1, 1, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1, 1, 2, 2]
    reports = release_trace(areas, law, Simulated(5), repeated=True, traces=whose)
    assert [len(list(run)) for _, run in itertools.groupby(reports.tolist())] == [3, 2, 2, 2]
    assert len(set(release_trace(areas, law, Simulated(5)).tolist())) > 5
    with pytest.raises(OptionError, match="below 0"):
        release_trace([0, -1], law, Simulated(5))
    with pytest.raises(OptionError, match="1 traces for 2 areas"):
        release_trace([0, 1], law, Simulated(5), repeated=True, traces=[1])
    with pytest.raises(OptionError, match="0 steps"):
        window_leakage(*world(0), 0)
