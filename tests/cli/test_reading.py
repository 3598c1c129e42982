"""How a table is read is said alike to every verb that reads one."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import openpyxl
import pytest
from click import Command, Context, Group

from leakgauge.artefacts import Request
from leakgauge.artefacts.request import Reading
from leakgauge.cli import options, verbs
from tests.cli.running import as_json, run

pytestmark = pytest.mark.usefixtures("undrawn")

READS_A_TABLE = ("survey", "measure", "design", "compare", "release", "improve", "audit", "assess", "protect")


def commands() -> dict[str, Command]:
    assert isinstance(verbs, Group)
    found = {name: verbs.get_command(Context(verbs), name) for name in (*READS_A_TABLE, "query")}
    query = found.pop("query")
    assert isinstance(query, Group)
    return {name: one for name, one in (found | dict(query.commands)).items() if one is not None}


@pytest.fixture
def clinic(tmp_path: Path) -> str:
    """A sheet of a workbook with two, in which numbers and dates are text."""
    book = openpyxl.Workbook()
    sheet, notes = book.worksheets[0], book.create_sheet("Notes")
    sheet.title, notes["A1"] = "Visits", "remark"
    sheet.append(["illness", "city", "cost", "visit"])
    for at, (illness, city) in enumerate(list(product(("flu", "none", "cold"), "ABC")) * 30):
        sheet.append([illness, city, f"1.{at % 9}00,5", f"{at % 28 + 1:02d}/02/2024"])
    book.save(tmp_path / "clinic.xlsx")
    return f"{tmp_path / 'clinic.xlsx'}#Visits"


def test_every_verb_takes_all_of_them() -> None:
    found = commands()
    assert len(found) == 15
    for name, command in found.items():
        assert set(options.names_of(Reading).split()) <= {one.name for one in command.params}, name


def test_a_verb_reads_as_it_is_asked(capsys: pytest.CaptureFixture[str], clinic: str) -> None:
    written = ("--thousands", ".", "--decimal", ",", "--date-format", "visit=dd/mm/yyyy", "--missing", "?")
    bins = ("--bins", "cost=edges:1500", "--bins", "visit=week")
    roles = ("--secret", "illness", "--background", "cost", "--background", "visit")
    code, found = as_json(capsys, "measure", clinic, *roles, *written, *bins)
    assert (code, found["rows"], found["letters"]["background"]) == (0, 270, 10)
    mean = ("mean", "--column", "cost", "--lower", "0", "--upper", "9999", "--epsilon", "50", "--simulate", "1")
    code, found = as_json(capsys, "query", clinic, *mean, *written)
    assert code == 0 and abs(found["answers"][0]["value"] - 1400.5) < 5
    code, found = as_json(capsys, "compare", clinic, "--secret", "illness", "--max-distortion", "0.3", *written)
    assert code == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ("audit", "laplace:epsilon=1,sensitivity=1", "--no-header"),
            "--no-header does not apply to the audit of a mechanism",
        ),
        (
            ("measure", "{clinic}", "--secret", "illness", "--encoding", "latin-1"),
            "so --encoding does not apply",
        ),
        (("survey", "{clinic}", "--decimal", "x"), "--decimal 'x' is not a single character"),
        (("measure", "{clinic}", "--secret", "a", "--date-format", "visit=%m/%d/%Y"), "does not fit 150 of its values"),
        (("survey", "{clinic}es"), "has no sheet 'Visitses'; did you mean 'Visits'?"),
    ],
)
def test_misuse(capsys: pytest.CaptureFixture[str], clinic: str, arguments: tuple[str, ...], told: str) -> None:
    code, out, err = run(capsys, *(one.format(clinic=clinic) for one in arguments))
    assert (code, out) == (2, "") and told in err and err.count("\n") == 1


def test_a_sheet_is_protected_into_a_text_file(capsys: pytest.CaptureFixture[str], clinic: str, tmp_path: Path) -> None:
    roles = ("--secret", "illness", "--public", "city", "--background", "visit", "--bins", "visit=week")
    written = ("--date-format", "visit=dd/mm/yyyy", "--thousands", ".", "--decimal", ",")
    asked = (*roles, *written, "--max-distortion", "0.3", "--simulate", "1")
    code, found = as_json(capsys, "protect", clinic, *asked, "-o", tmp_path / "out")
    assert code in (0, 1) and found["outcome"]["released"]
    assert [(one["name"], one["kind"]) for one in found["table"]["columns"]][2:] == [
        ("cost", "numbers"),
        ("visit", "dates"),
    ]
    assert (tmp_path / "out" / "release.csv").read_text(encoding="utf-8").startswith('"illness","city"')
    assert "--date-format visit=dd/mm/yyyy" in found["command"] and "--thousands ." in found["command"]


def test_what_was_said_is_in_the_command() -> None:
    request = Request.of("t.csv", secret=("a",), max_distortion=0.1, encoding="latin-1", decimal=",", no_header=True)
    assert request.command("out").endswith("--encoding latin-1 --decimal , --no-header -o out")
    assert request.reading.keywords() | {"decimal": "."} == Reading().keywords() | {
        "encoding": "latin-1",
        "no_header": True,
    }
