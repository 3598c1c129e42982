"""Small tables to serve."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from leakgauge.randomness import simulation
from tests.web.serving import Served

ROWS = 300
"""Enough for a job that shall be short."""
CITIES = ("Aachen", "Bergen", "Cork")
ILLNESSES = ("asthma", "none", "flu", "gout")


def people(rows: int = 400, seed: int = 1) -> bytes:
    """A CSV file of people whose illness depends on their city."""
    draw = simulation(seed)
    lines = ["city,age,illness"]
    for _ in range(rows):
        city = int(draw.integers(3))
        illness = city if draw.random() < 0.5 else int(draw.integers(4))
        lines.append(f"{CITIES[city]},{int(draw.integers(18, 90))},{ILLNESSES[illness]}")
    return ("\n".join(lines) + "\n").encode()


def folder_with_people(place: Path, rows: int = 400) -> Path:
    """A new folder with ``people.csv`` in it."""
    place.mkdir(parents=True, exist_ok=True)
    (place / "people.csv").write_bytes(people(rows))
    return place


def asked_of(served: Served, **more: Any) -> dict[str, Any]:
    """The question of a job about ``people.csv``; None leaves a field out."""
    asked = {"table": served.open("people.csv"), "secret": ["illness"], "background": ["city"], "max_distortion": 0.2}
    return {name: value for name, value in {**asked, **more}.items() if value is not None}
