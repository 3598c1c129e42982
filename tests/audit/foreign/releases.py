"""Releases made with numpy alone, by channels that the tests know."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

from leakgauge.probability import Channel, Distribution, Scenario
from leakgauge.randomness import simulation

ILLNESSES = ("flu", "none", "cold", "cancer")
SHARES = (0.3, 0.4, 0.2, 0.1)
KEPT = 0.6
"""The chance of the true illness; else one of the four is drawn, the true one among them."""
EPSILON = float(np.log((KEPT + (1 - KEPT) / 4) / ((1 - KEPT) / 4)))


def channel() -> Channel:
    """What was done to the illness."""
    return Channel(ILLNESSES, ILLNESSES, KEPT * np.eye(4) + (1 - KEPT) / 4)


def scenario() -> Scenario:
    """How often each illness occurs, and what was done to it."""
    return Scenario(Distribution(ILLNESSES, SHARES), channel())


def made(folder: Path, rows: int = 4000, seed: int = 2) -> tuple[pa.Table, Path]:
    """A table of people, and a release of all but 50 of them in another order.

    The illness is randomised, the age an interval, the postcode masked, the city as it is, some of it suppressed.
    """
    draws = simulation(seed)
    illness = draws.choice(ILLNESSES, rows, p=SHARES)
    age = draws.integers(18, 90, rows)
    city = draws.choice(["A", "B", "C"], rows)
    postcode = [f"1{at:04d}" for at in draws.integers(0, 10_000, rows)]
    people = pa.table(
        {"id": draws.permutation(rows) + 1000, "illness": illness, "age": age, "city": city, "postcode": postcode}
    )
    said = np.where(draws.random(rows) < KEPT, illness, draws.choice(ILLNESSES, rows))
    decade = age // 10 * 10
    changed = people.set_column(1, "illness", pa.array(said))
    changed = changed.set_column(2, "age", pa.array([f"[{low}, {low + 10})" for low in decade.tolist()]))
    changed = changed.set_column(3, "city", pa.array(city, mask=draws.random(rows) < 0.05))
    changed = changed.set_column(4, "postcode", pa.array([one[:2] + "***" for one in postcode]))
    released = folder / "theirs.csv"
    pyarrow.csv.write_csv(changed.take(draws.permutation(rows)[50:]), released)
    return people, released
