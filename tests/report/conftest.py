"""Real folders of jobs, made once."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from leakgauge.cli import main
from leakgauge.randomness import simulation
from leakgauge.report.facts import Facts

ILLNESSES = ("asthma", "cancer", "healthy", "influenza")
"""Values of the secret, which an external report must not name."""
HOSTILE = '<script>alert("x")</script>|`*'


def write_people(place: Path) -> None:
    """A table of 500 people; a rare job makes small counts."""
    draws = simulation(11)
    with place.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["illness", "job", "town", HOSTILE])
        for at in range(500):
            job = "diver" if at < 3 else ("nurse", "clerk")[int(draws.integers(2))]
            ill = draws.choice(4, p=[0.3, 0.1, 0.4, 0.2] if job == "nurse" else [0.1, 0.05, 0.65, 0.2])
            rows.writerow([ILLNESSES[int(ill)], job, ("north", "south")[int(draws.integers(2))], at % 7])


def run(folder: Path, *arguments: str) -> int:
    """One run of the command line beside the table, so that its path is short."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        return main(list(arguments))
    finally:
        os.chdir(before)


@pytest.fixture(scope="session")
def people(once: Callable[[str, Callable[[Path], None]], Path]) -> Path:
    """The table beside two jobs: one that is finished, and one that was refused."""
    return once("report", make) / "people.csv"


def make(place: Path) -> None:
    """A designed channel, released, audited and graded; and a job that no design can do."""
    write_people(place / "people.csv")
    (place / "policy.toml").write_text(
        'schema = "leakgauge/policy/1"\nmax_epsilon = 1.0\nmax_leakage_bits = 1.5\n', encoding="utf-8"
    )
    code = run(
        place,
        *("protect", "people.csv", "--secret", "illness", "--background", "job"),
        *("--public", "job", "--public", HOSTILE),
        *("--max-distortion", "0.2", "--purpose", "a study of illness", "--review", "2027-11-16"),
        *("--policy", "policy.toml", "-o", "job"),
    )
    # The policy asks for less ε than the channel has: the release is made, and the answer is no.
    assert code == 1
    asked = ("--secret", "illness", "--background", "job", "--max-leakage", "0")
    assert run(place, "protect", "people.csv", *asked, "-o", "refused") == 1


@pytest.fixture(scope="session")
def job(people: Path) -> Path:
    """A finished job: a designed channel, released, audited and graded."""
    return people.parent / "job"


@pytest.fixture(scope="session")
def facts(job: Path) -> Facts:
    return Facts.read(job)


@pytest.fixture(scope="session")
def refused(people: Path) -> Facts:
    """A job that no design can do: less leakage than the background has."""
    return Facts.read(people.parent / "refused")
