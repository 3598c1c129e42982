"""Simulated people sleep at home, work where they work, and can be drawn again."""

from __future__ import annotations

import numpy as np
import pytest

from leakgauge.distances import MapCells
from leakgauge.errors import OptionError
from leakgauge.location.areas import distances_apart, distances_between
from leakgauge.location.traces.mobility import HOME, WORK, Known, Mobility
from leakgauge.location.tracking.bayes import infer
from leakgauge.location.tracking.evidence import Evidence
from leakgauge.location.tracking.markov import track
from leakgauge.location.tracking.movement import Movement, observed_moves, speed_limit
from leakgauge.mechanisms.finite import through_channel
from leakgauge.probability import Channel, Distribution
from leakgauge.randomness import Simulated
from leakgauge.randomness.sources import simulation

TOWN = MapCells(40.70, 40.76, -74.02, -73.94, rows=6, columns=6)
PEOPLE = Distribution(TOWN.labels, simulation(2).dirichlet(np.full(36, 1.5)))
MODEL = Mobility(TOWN, PEOPLE, scale=1500, reach=6000)


def test_people_live_as_the_model_says() -> None:
    trips = MODEL.simulate(400, 7, simulation_seed=1)
    assert trips.areas.shape == (400, 168)
    assert (HOME + WORK <= 1).all()
    at_home = (trips.areas == trips.homes[:, None]).mean(axis=0)
    at_work = ((trips.areas == trips.works[:, None]) & (trips.works != trips.homes)[:, None]).mean(axis=0)
    assert at_home[3] > 0.95
    assert at_work[12] > 0.7
    assert at_work[5 * 24 + 12] < 0.4, "nobody works on Saturday"
    assert np.bincount(trips.homes, minlength=36) / 400 == pytest.approx(PEOPLE.probabilities, abs=0.06)
    again = MODEL.simulate(400, 7, simulation_seed=1)
    assert np.array_equal(trips.areas, again.areas)
    assert not np.array_equal(trips.areas, MODEL.simulate(400, 7, simulation_seed=2).areas)
    with pytest.raises(OptionError, match="make no trace"):
        MODEL.simulate(0, 1, simulation_seed=1)


def test_who_knows_a_home_or_the_moves_of_others_tracks_better() -> None:
    trips = MODEL.simulate(60, 4, simulation_seed=3)
    far = distances_between(TOWN)
    weights = np.exp(-far / 1000)
    channel = Channel(TOWN.labels, TOWN.labels, weights / weights.sum(axis=1, keepdims=True))
    found = {known: infer(trips.background(known), channel, far) for known in Known}
    stranger = infer(trips.background(Known.HOUR).row_marginal(), channel, far)
    assert found[Known.HOME].error < 0.8 * stranger.error
    assert all(one.error < stranger.error for one in found.values())
    # Transitions learnt from others: the filter errs less than each report alone, on people it never saw.
    limit = speed_limit(TOWN.labels, TOWN.points, reach=6000)
    others = trips.areas[20:]
    learnt = observed_moves(others.ravel(), limit, smoothing=1.0, traces=np.repeat(np.arange(40), 96))
    start = Distribution(TOWN.labels, np.bincount(others[:, 0], minlength=36) / 80 + 1 / 72)
    missed = []
    for truth in trips.areas[:6]:
        law = through_channel(channel).law
        reports = law.draw(truth, Simulated(int(truth.sum())))
        path = track(Movement(start, learnt), Evidence.through_law(law, 36, reports), TOWN.points, hindsight=True)
        alone = far[truth, stranger.guesses[reports]].mean()
        missed.append((distances_apart(TOWN.points, path.guesses, truth).mean(), alone))
    tracked, alone = np.mean(missed, axis=0)
    assert tracked < 0.8 * alone
