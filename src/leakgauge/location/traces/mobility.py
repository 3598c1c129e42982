"""A stated model of how people of a town move, simulated hour by hour: traces whose truth is known.

Everyone has a home, drawn from where people live, and a workplace, drawn by gravity from there: the mass of an area
times e^(−distance / scale). Each hour someone goes home or to work with the chance of that hour, or else stays where
they are with a fixed chance, or else goes on an errand, drawn by gravity from where they are. On days 6 and 7 of each
week nobody works. Given a person, the hour and the area, the next area depends on nothing before.

The pings of a town that does not exist follow the same model: it has a centre and two suburbs, and within its cell of
250 metres a ping lies anywhere.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

import numpy as np

from leakgauge.distances.map_cells import MapCells
from leakgauge.errors import OptionError
from leakgauge.location.areas import Areas
from leakgauge.location.tracking.movement import Following, gravity
from leakgauge.probability import Distribution, Joint
from leakgauge.probability.cells import Codes, Floats
from leakgauge.probability.labels import Label, same_alphabet
from leakgauge.randomness.sources import simulation

HOURS = 24
HOME = np.array([0.95] * 6 + [0.6, 0.2] + [0.05] * 9 + [0.3, 0.4, 0.4, 0.4, 0.5, 0.7, 0.9])
"""The chance of going home, or of staying there, in each hour of the day."""
WORK = np.array([0.0] * 7 + [0.3, 0.7] + [0.85] * 8 + [0.3] + [0.0] * 6)
"""The chance of going to work, or of staying there, in each hour of a working day."""
TOWN: Final = MapCells(47.0, 47.072, 8.0, 8.1056, rows=32, columns=32)
CENTRES: Final = ((0.5, 0.5, 0.10, 5.0), (0.25, 0.75, 0.07, 2.0), (0.7, 0.2, 0.07, 2.0))
"""How far north and east each lies as a share of the town, how wide it is, and how many people it draws."""
PEOPLE: Final = 80
DAYS: Final = 2
SEED: Final = 7
SCALE, REACH = 1500.0, 6000.0
"""Metres over which the pull of an area falls to a third, and how far an errand leads at most."""


class Known(enum.Enum):
    """What an attacker may know about someone."""

    HOME = "home"
    WORK = "work"
    HOUR = "hour"


@dataclass(frozen=True)
class Mobility:
    """A town and its people.

    Args:
        people: how many live in each area, as shares over the labels of the areas; they also draw errands and work.
        scale: the distance in metres over which the pull of an area falls to a third.
        reach: how far an errand or a workplace is away at most, in metres.
        stay: the chance of staying where one is, for someone not drawn home or to work.

    Raises:
        OptionError: a chance outside 0 to 1, or lengths that are none.
        LabelError: the shares are of other areas.
    """

    areas: Areas
    people: Distribution
    scale: float
    reach: float
    stay: float = 0.5

    def __post_init__(self) -> None:
        same_alphabet(self.people.outcomes, self.areas.labels, "areas of the people", "labels of the areas")
        if not 0 <= self.stay <= 1:
            raise OptionError("A chance of staying of {stay} is not between 0 and 1; give one that is.", stay=self.stay)

    def simulate(self, count: int, days: int, simulation_seed: int) -> Trips:
        """So many people over so many days from midnight of a Monday; the seed draws them again."""
        if count < 1 or days < 1:
            raise OptionError(
                "{count} people over {days} days make no trace; give 1 or more of each.", count=count, days=days
            )
        pull = gravity(self.areas.labels, self.areas.points, self.people.probabilities, self.reach, self.scale)
        generator, errands = simulation(simulation_seed), Following(pull)
        homes = generator.choice(len(self.people), size=count, p=self.people.probabilities)
        works = errands.draw(homes, generator)
        now, steps = homes, []
        for hour in range(days * HOURS):
            of_day, works_today = hour % HOURS, hour // HOURS % 7 < 5
            mark, home = generator.random(count), HOME[of_day]
            work = WORK[of_day] * works_today
            at_rest = np.where(generator.random(count) < self.stay, now, errands.draw(now, generator))
            now = np.where(mark < home, homes, np.where(mark < home + work, works, at_rest))
            steps.append(now)
        return Trips(self.areas.labels, np.stack(steps, axis=1), homes, works)


@dataclass(frozen=True, eq=False)
class Trips:
    """Where simulated people were, hour by hour from midnight of a Monday, and where each lives and works.

    ``areas`` are positions among the labels, one row per person and one column per hour.
    """

    labels: tuple[Label, ...]
    areas: Codes
    homes: Codes
    works: Codes

    def background(self, known: Known) -> Joint:
        """p(area, what is known) over all people and hours: the knowledge of whoever knows a home, a workplace or the
        hour of the day."""
        people, hours = self.areas.shape
        facts = {
            Known.HOME: np.repeat(self.homes, hours),
            Known.WORK: np.repeat(self.works, hours),
            Known.HOUR: np.tile(np.arange(hours) % HOURS, people),
        }
        columns: tuple[Label, ...] = tuple(range(HOURS)) if known is Known.HOUR else self.labels
        chances: Floats = np.full(self.areas.size, 1 / self.areas.size)
        return Joint.from_cells(self.labels, columns, self.areas.ravel(), facts[known], chances)


def places_csv() -> str:
    """Simulated pings of two working days, one row per person and hour of a CSV file: person, time, lat, lon."""
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
