"""A frame gives the same numbers as the command line does for the same table in a file."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import csv
from pyarrow import parquet as pq

import leakgauge as lg
from leakgauge.artefacts.codec import encode
from leakgauge.jobs.measure import Roles, measure
from leakgauge.randomness import simulation
from leakgauge.tables import in_bins, parse_binning
from tests.cli.running import as_json, run
from tests.jobs.finished import Finished

FRAMES: dict[str, Callable[[pa.Table], object]] = {
    "arrow": lambda table: table,
    "pandas": lambda table: table.to_pandas(),
    "labelled": lambda table: table.to_pandas().set_index(pd.Index(range(len(table) + 7, 7, -1))),
    "polars": pl.from_arrow,
}
OF_A_RUN = {"table", "file", "record", "sha256", "bytes", "digest", "reference", "source", "beside"}
"""Fields that say where a table is, or how long and with how much memory it was worked on."""


@pytest.fixture(scope="module")
def people() -> pa.Table:
    draw = simulation(41)
    city = draw.choice(["A", "B", "C"], 240)
    ill = draw.choice(["flu", "none", "cold"], 240, p=[0.2, 0.7, 0.1])
    return pa.table(
        {
            "illness": ["none" if at == "C" else one for one, at in zip(ill.tolist(), city.tolist(), strict=True)],
            "city": [None if at % 31 == 0 else one for at, one in enumerate(city.tolist())],
            "age": draw.integers(18, 90, 240),
            "weight": draw.normal(70, 9, 240).round(1),
            "born": pd.to_datetime(draw.integers(0, 20_000, 240), unit="D").date,
        }
    )


@pytest.fixture(scope="module")
def file(people: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("people") / "people.csv"
    csv.write_csv(people, place)
    return place


@pytest.fixture(params=FRAMES)
def frame(request: pytest.FixtureRequest, people: pa.Table) -> object:
    return FRAMES[request.param](people)


def numbers(fields: Any) -> Any:
    """What was found, without the names of files and times."""
    if isinstance(fields, dict):
        return {name: numbers(one) for name, one in fields.items() if name not in OF_A_RUN}
    return [numbers(one) for one in fields] if isinstance(fields, list | tuple) else fields


def test_measured(frame: object, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    typed = ("--secret", "illness", "--background", "city", "--background", "age", "--bins", "age=width:20")
    code, told = as_json(capsys, "measure", file, *typed)
    with lg.open_table(frame) as table:
        roles = Roles(("illness",), (), ("city", "age"))
        found = measure(in_bins(table, {"age": parse_binning("width:20")}), roles, called="frame")
    assert code == 0 and numbers(encode(found)) == numbers(told)


def test_surveyed(frame: object, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, told = as_json(capsys, "survey", file, "--secret", "illness", "--bins", "born=year")
    found = encode(lg.survey(frame, "illness", bins="born=year"))
    assert code == 0 and numbers(found) == numbers(told)


def test_designed(frame: object, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    typed = ("--secret", "illness", "--background", "city", "--max-distortion", "0.05")
    code, told = as_json(capsys, "design", file, *typed)
    with lg.open_table(frame) as table:
        joint = table.counts("illness", "city").joint()
    problem = lg.design.RateDistortion(joint, lg.Hamming(), lg.MaxDistortion(0.05), lg.Knowledge.ATTACKER)
    leakage = lg.design.solve(problem).leakage
    assert code == 0 and leakage == told["leakage"]["value"] > 0.01


def test_protected(finished_job: Finished, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    typed, made = tmp_path / "typed", tmp_path / "made"
    shutil.copytree(finished_job.folder, typed)
    options = ("--secret", "illness", "--background", "city", "--public", "city", "--max-distortion", "0.2")
    # Every stage of the finished job is kept, so the command line asks for the very same job.
    assert run(capsys, "protect", finished_job.asked.table, *options, "--simulate", "3", "-o", typed)[0] == 0
    assert (typed / "audit.json").read_bytes() == (finished_job.folder / "audit.json").read_bytes()
    frame = pd.read_csv(finished_job.asked.table)
    lg.protect(
        frame, made, secret="illness", background="city", public="city", max_distortion=0.2, simulate=3
    ).require()
    for name in ("measurement.json", "channel.json", "audit.json", "verdict.json", "utility.json"):
        found, told = (json.loads((one / name).read_text()) for one in (made, typed))
        assert numbers(found) == numbers(told), name
    # The rows are the same in the same order; those of a frame leave as Parquet.
    assert pq.read_table(made / "release.parquet").equals(csv.read_csv(typed / "release.csv"))
