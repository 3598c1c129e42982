"""A small table for releases, with a secret token in every column that no plan names."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv
from pyarrow import parquet as pq

from leakgauge.release import Release
from leakgauge.tables import Table, open_table

TOKEN = "tok3n"
"""Occurs in every column that plans below leave out, and nowhere else."""


def people(rows: int = 12) -> pa.Table:
    """Rows with every kind of column."""
    at = range(rows)
    return pa.table(
        {
            "name": [f"{TOKEN}-name-{i}" for i in at],
            "age": pa.array([20 + 7 * i % 60 for i in at], pa.int64()),
            "income": pa.array([1000.5 * (i % 5) for i in at], pa.float64()),
            "illness": [["flu", "none", "cold"][i % 3] for i in at],
            "answer": [["yes", "no", None][i % 3] for i in at],
            "city": [["Oslo", "Bergen"][i % 2] for i in at],
            "seen": pa.array([date(2024, 1 + i % 3, 1) for i in at]),
            f"notes_{TOKEN}": [f"{TOKEN}-note-{i}" for i in at],
        }
    )


def opened(rows: int = 12) -> Table:
    """The same, opened."""
    return open_table(people(rows))


def places(record: Release | Path | str) -> list[int]:
    """For each row of the table the place where it was released."""
    made = Release.read(record)
    order = made.order
    return list(range(made.rows)) if order is None else order.places(np.arange(made.rows), made.rows).tolist()


def put_back(made: Release) -> pa.Table:
    """What was released, row by row with the table it was made from."""
    read = csv.read_csv(made.output) if made.output.suffix == ".csv" else pq.read_table(made.output)
    return read.take(pa.array(places(made)))
