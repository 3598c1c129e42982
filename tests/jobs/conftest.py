"""A finished job, made once and copied for every test that needs one."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from leakgauge.jobs.protect import Asked, protect
from tests.jobs.people import write_people


@dataclass
class Finished:
    """A job that came to its end, in a folder of its own."""

    asked: Asked
    folder: Path


@pytest.fixture(scope="session")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small table that no test changes."""
    return write_people(tmp_path_factory.mktemp("people") / "people.csv", 600)


@pytest.fixture
def asked(people: Path) -> Asked:
    """A job with noise of a seed, so that the same comes out again."""
    return Asked(str(people), "illness", ("city",), ("city",), max_distortion=0.2, simulate=3)


@pytest.fixture(scope="session")
def _made(people: Path, tmp_path_factory: pytest.TempPathFactory) -> Finished:
    folder = tmp_path_factory.mktemp("made") / "out"
    asked = Asked(str(people), "illness", ("city",), ("city",), max_distortion=0.2, simulate=3)
    protect(asked, folder)
    return Finished(asked, folder)


@pytest.fixture
def finished(_made: Finished, tmp_path: Path) -> Finished:
    """A copy that a test may change."""
    shutil.copytree(_made.folder, tmp_path / "out")
    return Finished(_made.asked, tmp_path / "out")


class Told:
    """Every step of a job, in order."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, str]] = []

    def __call__(self, stage: str, state: str, done: int = 0, total: int = 0, /) -> None:
        if state != "working":
            self.steps.append((stage, state))

    def states(self) -> dict[str, str]:
        """The last state of every stage."""
        return dict(self.steps)


def numbers(data: Any) -> list[dict[str, Any]]:
    """Every number of a report's data."""
    if isinstance(data, dict):
        if "source" in data and "value" in data:
            return [data]
        return [one for value in data.values() for one in numbers(value)]
    return [one for value in data for one in numbers(value)] if isinstance(data, list) else []
