"""Attackers who know more, or see more, do better wherever theory says so."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from leakgauge import measures
from leakgauge.errors import ModelError, OptionError
from leakgauge.location.tracking.bayes import earlier_place, infer, often_together, report_of_companion
from leakgauge.location.tracking.large_maps import infer_by_drawing
from leakgauge.location.tracking.movement import Movement, speed_limit
from leakgauge.measures.sequences import joint_channel
from leakgauge.mechanisms.finite import through_channel
from leakgauge.probability import Channel, Distribution, Scenario
from leakgauge.randomness.sources import simulation

COUNT = 9
POINTS = np.stack(np.divmod(np.arange(COUNT), 3), axis=-1).astype(np.float64)
FAR = np.hypot(*(POINTS[:, None] - POINTS).T)


def prior(seed: int) -> Distribution:
    return Distribution(range(COUNT), simulation(seed).dirichlet(np.full(COUNT, 0.8)))


def fresh_reports(channel: Channel, count: int) -> Channel:
    """From a place to how often each area is reported."""
    return joint_channel(Counter({channel: count}))


def blurred(epsilon: float) -> Channel:
    weights = np.exp(-epsilon * FAR)
    return Channel(range(COUNT), range(COUNT), weights / weights.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("seed", range(4))
def test_averaging_finds_the_place(seed: int) -> None:
    source, channel = prior(seed), blurred(0.7)
    errors, left = zip(
        *((one.error, one.remaining) for one in (infer(source, fresh_reports(channel, k), FAR) for k in (1, 2, 3, 5))),
        strict=True,
    )
    assert list(errors) == sorted(errors, reverse=True)
    assert list(left) == sorted(left, reverse=True)
    assert errors[-1] < 0.8 * errors[0]


@pytest.mark.parametrize("reports", [1, 3])
def test_drawn_reports_tell_what_the_exact_channel_does(reports: int) -> None:
    source, channel = prior(9), blurred(0.7)
    exact = infer(source, fresh_reports(channel, reports), FAR)
    drawn = infer_by_drawing(
        source, through_channel(channel).law, POINTS, reports=reports, draws=600, simulation_seed=4
    )
    assert exact.error in drawn.error
    assert exact.remaining in drawn.remaining
    assert exact.information in drawn.information


@pytest.mark.parametrize("seed", range(4))
def test_an_earlier_place_and_a_speed_limit_help(seed: int) -> None:
    movement, channel = Movement(prior(seed), speed_limit(range(COUNT), POINTS, reach=1)), blurred(0.7)
    errors = []
    for steps in (1, 2, 4):
        known = earlier_place(movement, steps)
        alone, both = infer(known.row_marginal(), channel, FAR), infer(known, channel, FAR)
        assert both.error < alone.error
        assert both.added <= both.information
        errors.append(both.remaining - alone.remaining)
    # The longer ago, the less it tells.
    assert errors == sorted(errors)
    assert earlier_place(movement).row_given_column(0).support == (0, 1, 3)


def test_a_companion_gives_someone_away() -> None:
    """What B reports tells of A the more, the more often they are together; nothing where they never are."""
    source, channel = prior(3), blurred(1.5)
    told = []
    for share in (0.0, 0.4, 0.8, 1.0):
        known = report_of_companion(often_together(source, source, share), channel)
        assert known.row_marginal().probabilities == pytest.approx(source.probabilities)
        found = infer(known, channel, FAR)
        told.append(found.floor)
        assert found.error <= infer(source, channel, FAR).error + 1e-12
    assert told[0] == pytest.approx(0.0, abs=1e-12)
    assert told == sorted(told)
    assert told[-1] == pytest.approx(infer(source, channel, FAR).information, abs=1e-12)
    # Always together, two reports are two reports of one place.
    assert found.remaining == pytest.approx(infer(source, fresh_reports(channel, 2), FAR).remaining, abs=1e-12)


def test_attacks_rank_as_they_err() -> None:
    movement, channel = Movement(prior(2), speed_limit(range(COUNT), POINTS, reach=1)), blurred(0.7)
    known = earlier_place(movement)
    stranger = known.row_marginal()
    ranked = measures.rank_attacks({"stranger": Scenario(stranger, channel), "witness": Scenario(known, channel)})
    assert ranked.order == (("witness",), ("stranger",))
    assert ranked.remaining["witness"] == pytest.approx(infer(known, channel, FAR).remaining, abs=1e-12)
    with pytest.raises(ModelError, match="different mechanisms"):
        measures.rank_attacks({"one": Scenario(known, channel), "two": Scenario(known, blurred(0.8))})


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(OptionError, match="cannot be together"):
        often_together(prior(1), prior(1), 1.5)
    with pytest.raises(OptionError, match="not earlier"):
        earlier_place(Movement.resting(prior(1)), 0)
