"""A finished job, made once and copied for every test that needs one."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from leakgauge.jobs.protect import Asked, protect
from tests.jobs.people import write_people
from tests.jobs.stubs import stubbed


@dataclass
class Finished:
    """A job that came to its end, in a folder of its own; ``steps`` is what was told on the way."""

    asked: Asked
    folder: Path
    steps: list[tuple[str, str]]


@pytest.fixture(scope="session")
def _made(once: Callable[[str, Callable[[Path], None]], Path]) -> Finished:
    """One job for all: nobody may change it."""

    def question(place: Path) -> Asked:
        return Asked(str(place / "people.csv"), "illness", ("city",), ("city",), max_distortion=0.2, simulate=3)

    def make(place: Path) -> None:
        write_people(place / "people.csv", 600)
        told = Told()
        protect(question(place), place / "out", progress=told).require()
        (place / "steps.json").write_text(json.dumps(told.steps), encoding="utf-8")

    place = once("job", make)
    steps = [(stage, state) for stage, state in json.loads((place / "steps.json").read_text(encoding="utf-8"))]
    return Finished(question(place), place / "out", steps)


@pytest.fixture(scope="session")
def people(_made: Finished) -> Path:
    """A small table that no test changes."""
    return Path(_made.asked.table)


@pytest.fixture
def asked(_made: Finished) -> Asked:
    """A job with noise of a seed, so that the same comes out again."""
    return _made.asked


@pytest.fixture
def made(_made: Finished) -> Path:
    """The folder of the finished job, to copy from."""
    return _made.folder


@pytest.fixture
def stubs(_made: Finished) -> Iterator[None]:
    """Every stage copies what the finished job left."""
    with stubbed(_made.folder):
        yield


@pytest.fixture
def finished(_made: Finished, tmp_path: Path) -> Finished:
    """A copy that a test may change."""
    shutil.copytree(_made.folder, tmp_path / "out")
    return Finished(_made.asked, tmp_path / "out", _made.steps)


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
