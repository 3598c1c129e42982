"""Simulated pings: people of a town that does not exist, every hour of two working days.

The town has a centre and two suburbs; homes, workplaces and errands follow the model of ``location.traces.mobility``
with a fixed seed. Within its cell of 250 metres a ping lies anywhere.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

import numpy as np

from leakgauge.distances.map_cells import MapCells
from leakgauge.location.traces.mobility import Mobility
from leakgauge.probability import Distribution
from leakgauge.randomness.sources import simulation

TOWN: Final = MapCells(47.0, 47.072, 8.0, 8.1056, rows=32, columns=32)
CENTRES: Final = ((0.5, 0.5, 0.10, 5.0), (0.25, 0.75, 0.07, 2.0), (0.7, 0.2, 0.07, 2.0))
"""How far north and east each lies as a share of the town, how wide it is, and how many people it draws."""
PEOPLE: Final = 80
DAYS: Final = 2
SEED: Final = 7
SCALE, REACH = 1500.0, 6000.0
"""Metres over which the pull of an area falls to a third, and how far an errand leads at most."""


def places_csv() -> str:
    """One row per person and hour as the text of a CSV file: person, time, lat, lon."""
    trips = Mobility(TOWN, _people(), SCALE, REACH).simulate(PEOPLE, DAYS, SEED).areas
    generator = simulation(SEED)
    tall, wide = (TOWN.north - TOWN.south) / TOWN.rows, (TOWN.east - TOWN.west) / TOWN.columns
    aside = (generator.random((*trips.shape, 2)) - 0.5) * (tall, wide)
    places = TOWN.places[trips] + aside
    start = datetime(2024, 3, 4, tzinfo=UTC)
    lines = ["person,time,lat,lon"]
    lines += [
        f"{person + 1},{start + timedelta(hours=hour):%Y-%m-%d %H:%M},{lat:.6f},{lon:.6f}"
        for person, trip in enumerate(places.tolist())
        for hour, (lat, lon) in enumerate(trip)
    ]
    return "\n".join(lines) + "\n"


def _people() -> Distribution:
    up, along = np.divmod(np.arange(TOWN.count), TOWN.columns)
    north, east = (up + 0.5) / TOWN.rows, (along + 0.5) / TOWN.columns
    weights = sum(
        mass * np.exp(-((north - at) ** 2 + (east - beside) ** 2) / (2 * width**2))
        for at, beside, width, mass in CENTRES
    )
    return Distribution(TOWN.labels, weights / np.sum(weights))
