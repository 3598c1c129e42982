"""A small table to protect."""

from __future__ import annotations

from pathlib import Path

ILLNESSES = ("flu", "none", "none", "cold", "none", "asthma", "flu", "none")


def write_people(place: Path, rows: int = 2000) -> Path:
    """People whose illness depends somewhat on their city, with an age and a name that are not released."""
    lines = (
        f"p{at},{'ABC'[at % 3]},{ILLNESSES[(at * 5 + at // 7 + (at % 3) * (at // 11)) % 8]},{20 + at * 7 % 60}"
        for at in range(rows)
    )
    place.write_text("\n".join(["name,city,illness,age", *lines]) + "\n", encoding="utf-8")
    return place
