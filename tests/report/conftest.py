"""Real folders of jobs, made once."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leakgauge.jobs.protect import protect, tuned
from leakgauge.randomness import simulation
from tests.report.artefacts import make_files
from tests.report.facts import Facts

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


def run(folder: Path, table: str, job: str, **asked: Any) -> bool:
    """Whether a job beside the table, so that its path is short, released something."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        # Actions have tests of their own.
        patch.setattr(tuned, "MOST_WORK", 4)
        return protect(table, job, **asked).released


@pytest.fixture(scope="session")
def people(once: Callable[[str, Callable[[Path], None]], Path]) -> Path:
    """The table beside two jobs: one that is finished, and one that was refused."""
    return once("report", make) / "people.csv"


def make(place: Path) -> None:
    """A designed channel, released, audited and judged; and a job that no design can do."""
    write_people(place / "people.csv")
    known = {"secret": "illness", "background": "job"}
    declared = {"purpose": "a study of illness", "review": "2099-11-16"}
    assert run(place, "people.csv", "job", **known, public=["job", HOSTILE], max_distortion=0.2, **declared)
    assert not run(place, "people.csv", "refused", **known, max_leakage=0.0)


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """The files that commands leave, by name."""
    return make_files(tmp_path_factory.mktemp("commands"))


@pytest.fixture(scope="session")
def job(people: Path) -> Path:
    """A finished job: a designed channel, released, audited and judged."""
    return people.parent / "job"


@pytest.fixture(scope="session")
def facts(job: Path) -> Facts:
    return Facts.read(job)


@pytest.fixture(scope="session")
def refused(people: Path) -> Facts:
    """A job that no design can do: less leakage than the background has."""
    return Facts.read(people.parent / "refused")
