"""Honest releases of every mechanism that releases columns, of every kind of column and in every format, hold."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from leakgauge.mechanisms import CATALOGUE, laplace
from leakgauge.probability import Channel, Interval
from leakgauge.probability.files import NamedChannel
from leakgauge.randomness import Simulated
from leakgauge.release import ReleasePlan, release, verify
from leakgauge.tables import open_table

HOURS = [datetime(2024, 1, 1, 8, tzinfo=UTC), datetime(2024, 1, 1, 9, 30, tzinfo=UTC)]
TABLE = pa.table(
    {
        "text": ["a", "b|c", "d,e", 'f"g', "two\nlines", None] * 40,
        "code": ["007", "7", "7.0", "1e1", "nan", ""] * 40,
        "number": pa.array([1, 2, 3, None, 2**62, -1] * 40, pa.int64()),
        "huge": pa.array([2**64 - 1, 1, 2] * 80, pa.uint64()),
        "float": [0.5, 1.0, 1e20, -0.0, float("nan"), 1e-7] * 40,
        "flag": [True, False, None] * 80,
        "day": [date(2024, 1, 1), date(2024, 2, 1), None] * 80,
        "hour": pa.array(HOURS * 120, pa.timestamp("us", tz="UTC")),
        "only": [None, "x"] * 120,
        "cell": ["40.70500 -74.01500", "40.70500 -74.00500", "40.72500 -74.01500"] * 80,
        "near": ["40.70500 -74.01500", "40.71500 -74.00500"] * 120,
        "home": ["40.70500 -74.01500", "40.71500 -74.00500"] * 120,
    }
)
MAP = "south=40.7,north=40.73,west=-74.02,east=-74,rows=3,columns=2"
OWN = "{}:epsilon=1,letters=this-table"
BOUNDS = "lower=0,upper=3,missing=1"
PARTS = [Interval(None, 2.0), Interval(2.0, 3.0), Interval(3.0, None, True), None]
MIXED = Channel(["x", None], ["x", 1, 2.5, None], [[0.25, 0.25, 0.25, 0.25], [0.25, 0.25, 0.5, 0.0]])
PAIRS = [(flag, day) for flag in (True, False, None) for day in (date(2024, 1, 1), date(2024, 2, 1), None)]
JOINT = NamedChannel(Channel(PAIRS, PAIRS, np.full((9, 9), 1 / 9).tolist()), ("flag", "day"), ("flag", "day"))
PLANS: dict[str, Mapping[str, str | Channel | NamedChannel]] = {
    "letters of every kind": {name: OWN.format("randomized-response") for name in TABLE.column_names},
    "cells of a map": {
        "cell": f"planar-laplace:epsilon=1,{MAP}",
        "near": f"coarser-cells:level=1,{MAP}",
        "home": f"dummies:count=2,{MAP}",
    },
    "a column alone, with missing values": {"only": OWN.format("randomized-response")},
    "sets": {
        "number": OWN.format("unary-encoding"),
        "day": OWN.format("subset-selection"),
        "flag": OWN.format("unary-encoding"),
        "huge": OWN.format("subset-selection"),
    },
    "samples and redraws": {
        "flag": OWN.format("keep-or-redraw"),
        "huge": "sampled-randomized-response:epsilon=1,sampling_probability=0.5,letters=this-table",
    },
    "noise": {
        "number": f"geometric:epsilon=0.01,{BOUNDS}",
        "huge": "discrete-gaussian:rho=0.1,lower=-5,upper=5",
        "float": f"gaussian:epsilon=1,delta=1e-6,{BOUNDS}",
    },
    "grids": {
        "number": f"laplace:epsilon=1,{BOUNDS},grid=0.03125",
        "huge": "laplace:epsilon=1,lower=0,upper=1e6,grid=4",
        "float": f"laplace:epsilon=1,{BOUNDS}",
    },
    "channels": {
        "number": Channel(PARTS, PARTS, np.full((4, 4), 0.25).tolist()),
        "huge": laplace(1.0, lower=0, upper=8, grid=0.5).channel_over([1, 2, 2**64 - 1], (), lambda: np.empty(0)),
        "only": MIXED,
        "flag": JOINT,
        "day": JOINT,
    },
}


def test_the_plans_hold_every_mechanism_for_columns() -> None:
    named = {how.partition(":")[0] for plan in PLANS.values() for how in plan.values() if isinstance(how, str)}
    answers = {"exponential", "permute-and-flip", "report-noisy-max", "above-threshold", "sparse-vector"}
    assert named | {"channel"} | answers == set(CATALOGUE)


@pytest.mark.parametrize("name", list(PLANS))
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_honest_releases_hold(tmp_path: Path, name: str, suffix: str) -> None:
    plan = ReleasePlan(PLANS[name], ["text"] if name != "letters of every kind" and len(PLANS[name]) > 1 else [])
    for source in (None, Simulated(1)) if suffix == "csv" else (None,):
        made = release(plan, open_table(TABLE), tmp_path / f"o.{suffix}", randomness=source, overwrite=True)
        verify(made.record_file).require()


@pytest.mark.parametrize("extension", ["csv", "parquet"])
def test_public_columns_of_every_kind_are_written_as_they_are_checked(tmp_path: Path, extension: str) -> None:
    rows, at = 40, range(40)
    hours = [datetime(2024, 1, 1, 2, 3, 4, tzinfo=UTC) + timedelta(hours=one) for one in at]
    draws = np.random.default_rng(1)
    public = pa.table(
        {
            "illness": ["a", "b"] * 20,
            "second": pa.array([one.replace(tzinfo=None) for one in hours], pa.timestamp("s")),
            "zone": pa.array(hours, pa.timestamp("ms", "Europe/Oslo")),
            "clock": pa.array([time(one % 24, 5) for one in at]),
            "money": pa.array([Decimal(one) / 4 for one in at], pa.decimal128(10, 2)),
            "digits": pa.array([Decimal(10**25 + one) for one in at], pa.decimal128(38, 0)),
            "single": pa.array(draws.random(rows), pa.float32()),
            "double": draws.normal(size=rows) * 10.0 ** draws.integers(-20, 20, rows),
            "late": pa.array([None] * (rows - 1) + [3]),
            "never": pa.array([None] * rows, pa.string()),
            **{name: TABLE.column(name).slice(0, rows) for name in ("text", "code", "huge", "float", "flag", "day")},
        }
    )
    plan = ReleasePlan({"illness": "randomized-response:epsilon=1,letters=a|b"}, public.column_names[1:])
    made = plan.apply(open_table(public), tmp_path / f"o.{extension}")
    verify(made.record_file).require()
    verify(made.public_record_file).require()
