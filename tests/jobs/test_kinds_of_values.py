"""Columns of every kind go through the main job: numbers, truths, dates and decimals, some of them missing."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from leakgauge.jobs.protect import protect
from leakgauge.languages import ENGLISH
from leakgauge.telling.blocks import blocks_of, inlines, text_of
from leakgauge.telling.outcome import protected
from leakgauge.telling.shown import Shown
from leakgauge.telling.voice import Voice
from tests.grids import diagonal
from tests.jobs.stubs import stubbed

ROWS = 240
LEVELS = [1 + at % 5 if at % 3 else 5 for at in range(ROWS)]


def missing(values: list[Any]) -> list[Any]:
    return [None if at % 11 == 0 else value for at, value in enumerate(values)]


VALUES: dict[str, Any] = {
    "whole numbers": LEVELS,
    "floats": list(map(float, LEVELS)),
    "many floats": [1.0 + at * 7 % 30 for at in range(ROWS)],
    "truths": [level > 2 for level in LEVELS],
    "dates": [date(2020, 1, 1) + timedelta(level) for level in LEVELS],
    "times": [datetime.combine(date(2020, 1, 1), time(level)) for level in LEVELS],
    "decimals": pa.array([Decimal(level) / 4 for level in LEVELS], pa.decimal128(6, 2)),
    "missing numbers": missing(LEVELS),
    "missing floats": missing(list(map(float, LEVELS))),
    "missing truths": missing([level > 2 for level in LEVELS]),
}


CASES = [
    case
    for case in diagonal(list(VALUES), [{"min_protection": 40.0}, {"mechanism": "unary-encoding:epsilon=3"}])
    # Sets of thirty values are too many to count.
    if case.values[0] != "many floats" or "mechanism" not in case.values[1]
]


@pytest.mark.parametrize(("kind", "how"), CASES)
def test_values_of_every_kind_are_protected(kind: str, how: dict[str, Any], made: Path, tmp_path: Path) -> None:
    with stubbed(made, ("report",)):
        done = protect(pa.table({"level": VALUES[kind]}), tmp_path / "out", secret="level", simulate=3, **how)
    done.require()
    assert done.verdict.protection.ends[0] >= how.get("min_protection", 0)
    # No value is lost where it is released in sets, missing ones neither; the screen says how sets are read.
    assert not done.verdict.facts.lost
    told = protected(Voice(Shown(done.kept.dossier())), done.folder, tmp_path / "other", refused=False)
    texts = [text_of(parts, ENGLISH) for block in blocks_of(told) for parts in inlines(block)]
    is_told = any("an empty cell is the set of none" in text for text in texts)
    assert is_told is ("mechanism" in how)
