"""A steward's ordinary work in one go: a sheet, a number within an error, columns at levels, a report."""

from __future__ import annotations

import csv
from pathlib import Path

import openpyxl
import pytest

from leakgauge.artefacts import Record, Utility, codec
from leakgauge.randomness import simulation
from leakgauge.release.recorded_plan import binnings
from leakgauge.tables import in_bins, open_table
from tests.cli.running import as_json

pytestmark = pytest.mark.usefixtures("undrawn")

ROWS = 700
JOBS = {"nurse": "care", "doctor": "care", "clerk": "office", "judge": "office"}
CITIES = {"Köln": "Rhine", "Bonn": "Rhine", "Kiel": "coast"}


@pytest.fixture
def workbook(tmp_path: Path) -> str:
    """Costs with some 700 values, a job and a city, on the second of two sheets; and a level file for each column."""
    draws = simulation(17)
    book = openpyxl.Workbook()
    book.create_sheet("notes").append(["nothing here"])
    sheet = book.create_sheet("stays")
    sheet.append(["cost", "nights", "job", "city"])
    jobs, cities = draws.choice(list(JOBS), ROWS), draws.choice(list(CITIES), ROWS)
    costs = draws.lognormal(7, 0.8, ROWS) * (1 + 0.5 * (jobs == "doctor"))
    for cost, night, job, city in zip(costs, draws.integers(0, 15, ROWS), jobs, cities, strict=True):
        sheet.append([round(float(cost), 2), int(night), str(job), str(city)])
    book.save(tmp_path / "clinic.xlsx")
    for name, coarser in (("jobs", JOBS), ("cities", CITIES)):
        text = "".join(f"{value};{above};*\n" for value, above in coarser.items())
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    return f"{tmp_path / 'clinic.xlsx'}#stays"


def test_from_a_sheet_to_a_report(capsys: pytest.CaptureFixture[str], workbook: str, tmp_path: Path) -> None:
    files = {"job": tmp_path / "jobs.csv", "city": tmp_path / "cities.csv"}
    levels = [text for name, file in files.items() for text in ("--levels", f"{name}={file}:1")]
    noise = "nights=laplace:epsilon=1,lower=0,upper=14"
    roles = ("--secret", "cost", "--secret", "nights", "--public", "job", "--public", "city")
    asked = (*roles, *levels, "--within", "cost=900", "--mechanism", noise, "--clamp", "--simulate", "1")
    code, found = as_json(capsys, "protect", workbook, *asked, "-o", tmp_path / "out")
    assert code in (0, 1) and found["outcome"]["released"]
    plan = codec.read(Record, tmp_path / "out" / "release.json").plan
    with (tmp_path / "out" / "release.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    # What was measured is what is released: the bins and levels of the record, and nothing else.
    with open_table(workbook) as table:
        measured = in_bins(table, binnings(plan))
        for name in ("cost", "job", "city"):
            known = {str(label) for label in measured.counts(name).labels(name)}
            assert {row[name] for row in rows} <= known, name
    assert {row["job"] for row in rows} == set(JOBS.values()) and {row["city"] for row in rows} == set(CITIES.values())
    assert all(0 <= float(row["nights"]) <= 14 for row in rows)
    error = codec.read(Utility, tmp_path / "out" / "utility-cost.json").numbers["cost"]
    assert error.promised is not None and error.measured.value <= error.promised.value <= 900 * (1 + 1e-9)
    report = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Mean error of released numbers" in report and "Coarser columns" in report
