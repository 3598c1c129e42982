"""Columns that searches are tried on: of Adult, of a household's loads, and made up."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from leakgauge.randomness import simulation
from leakgauge.tables import Table, open_table
from tests.laws.releases import columns_of_numbers, household

ADULT: dict[str, dict[str, float]] = {
    "marital_status": {},
    "relationship": {},
    "race": {},
    "sex": {},
    "income": {},
    "workclass": {},
    "education": {},
    "occupation": {},
    "native_country": {},
    "age": {"lower": 0, "upper": 100},
    "hours_per_week": {"lower": 0, "upper": 100},
}
POWER: dict[str, dict[str, float]] = {
    "active_power_kw": {"lower": 0, "upper": 10},
    "voltage_v": {"lower": 220, "upper": 260},
    "current_a": {"lower": 0, "upper": 40},
}
NUMBERS: dict[str, dict[str, float]] = {
    "bell": {"lower": 0, "upper": 100},
    "skewed": {"lower": 0, "upper": 100},
    "heaps": {},
}
LETTERS = {
    "coin": [0.5, 0.5],
    "rare": [0.97, 0.03],
    "even": [0.1] * 10,
    "dominant": [0.9, *([0.02] * 5)],
    "long tail": [0.4, 0.25, 0.15, 0.1, 0.05, 0.03, 0.01, 0.006, 0.004],
    "many": [1 / 60] * 60,
}
"""Columns that are made up, with their shares."""


@cache
def made_up(rows: int = 20_000) -> Table:
    """Columns of letters with their shares, of numbers, and an area that goes a little with each."""
    draw = simulation(3)
    columns: dict[str, Any] = {}
    for name, shares in LETTERS.items():
        counts = np.diff(np.round(np.cumsum([0.0, *shares]) * rows)).astype(int)
        columns[name] = [f"v{at}" for at in draw.permutation(np.repeat(np.arange(len(shares)), counts))]
    columns |= {name: values for name, values in columns_of_numbers(rows).items() if name in NUMBERS}
    even = np.array([int(value[1:]) for value in columns["even"]])
    columns["area"] = [f"a{at}" for at in np.where(draw.random(rows) < 0.6, draw.integers(0, 4, rows), even % 4)]
    return open_table(pa.table(columns))


@cache
def adult(data: Path) -> Table:
    """People, of whom every one has a row."""
    return open_table(pq.read_table(data / "adult_train.parquet"))


@cache
def power(data: Path) -> Table:
    """Hourly loads."""
    return open_table(pa.table({name: values for name, values in household(data).items() if name in POWER}))
