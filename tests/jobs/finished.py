"""A finished job, which the whole test run has in common."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from leakgauge.artefacts import JobEvent, Request
from leakgauge.jobs.protect import protect
from tests.jobs.people import write_people

ROWS = 600


@dataclass
class Finished:
    """A job that came to its end, in a folder of its own; ``steps`` is what was told on the way."""

    asked: Request
    folder: Path
    steps: list[tuple[str, str]]


def finished_once(once: Callable[[str, Callable[[Path], None]], Path]) -> Finished:
    """The job of people and their illness, with noise of a seed; whoever changes something copies it first."""
    place = once("job", _make)
    steps = [(stage, state) for stage, state in json.loads((place / "steps.json").read_text(encoding="utf-8"))]
    return Finished(_question(place), place / "out", steps)


def _question(place: Path) -> Request:
    return Request.of(
        str(place / "people.csv"),
        secret=("illness",),
        background=("city",),
        public=("city",),
        max_distortion=0.2,
        simulate=3,
    )


def _make(place: Path) -> None:
    write_people(place / "people.csv", ROWS)
    told = Told()
    protect(_question(place), place / "out", progress=told).require()
    (place / "steps.json").write_text(json.dumps(told.steps), encoding="utf-8")


class Told:
    """Every step of a job, in order."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, str]] = []

    def __call__(self, event: JobEvent) -> None:
        if event.state != "working":
            self.steps.append((event.stage, event.state))

    def states(self) -> dict[str, str]:
        """The last state of every stage."""
        return dict(self.steps)
