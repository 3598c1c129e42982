"""A panel: month by month mostly the same people, of whom most have the same answer as before."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pyarrow as pa
from pyarrow import csv

from leakgauge.randomness import simulation

ANSWERS = ("none", "flu", "asthma")
SHARES = (0.6, 0.3, 0.1)


def panel(months: int, people: int = 600, *, stay: float = 0.9, change: float = 0.0, seed: int = 7) -> list[pa.Table]:
    """So many months of people with a city and an illness.

    Of the people of a month a share stays in the next, in whom the illness changes with some probability; the others
    leave, and as many join.
    """
    draws = simulation(seed)
    whose, illness = list(range(people)), draws.choice(3, size=people, p=SHARES)
    newest, found = people, list[pa.Table]()
    for _ in range(months):
        names = [f"p{one}" for one in whose]
        found.append(
            pa.table(
                {"person": names, "city": ["AB"[one % 2] for one in whose], "illness": [ANSWERS[at] for at in illness]}
            )
        )
        for at in draws.permutation(people)[: round((1 - stay) * people)].tolist():
            whose[at], illness[at] = newest, draws.choice(3, p=SHARES)
            newest += 1
        for at in (draws.random(people) < change).nonzero()[0].tolist():
            illness[at] = (illness[at] + 1) % 3
    return found


def write_panel(place: Path, months: list[pa.Table]) -> list[Path]:
    """The months as files."""
    files = [place / f"month-{number:02}.csv" for number in range(1, len(months) + 1)]
    for file, table in zip(files, months, strict=True):
        csv.write_csv(table, file)
    return files


def fix_key(ledger: Path, dataset: str, key: bytes) -> None:
    """Give an account a key that is known, so that a test of drawn values always draws the same ones."""
    from leakgauge.release.ledger.noise_keys import TABLE

    connection = sqlite3.connect(ledger)
    connection.execute(TABLE)
    connection.execute("INSERT OR REPLACE INTO noise_keys VALUES (?, ?)", (dataset, key.hex()))
    connection.commit()
    connection.close()
