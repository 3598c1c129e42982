"""Coarser columns through the whole job, and through each verb."""

from __future__ import annotations

import json
from collections import Counter
from math import log2
from pathlib import Path
from typing import Any

import pytest

from leakgauge.artefacts import Request
from leakgauge.errors import OptionError
from leakgauge.measures.coarsening import information_lost, values_covered
from leakgauge.probability import Counts
from leakgauge.tables import open_table
from tests.cli.running import as_json, run
from tests.release.people import places

JOBS = {"baker": "food", "cook": "food", "judge": "law", "lawyer": "law", "nurse": "health"}
NAMES = ["baker", "cook", "cook", "judge", "lawyer", "baker", "cook", "nurse", "cook", "judge", "baker"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    lines = ["job,age,illness"]
    for at in range(400):
        job = NAMES[at % 11]
        lines.append(
            f"{job},{20 + at * 7 % 50},{'flu' if (at * 5 + at // 7) % 3 == 0 or JOBS[job] == 'law' else 'none'}"
        )
    (tmp_path / "people.csv").write_text("\n".join([*lines, "nurse,69,flu"]) + "\n", encoding="utf-8")
    (tmp_path / "jobs.csv").write_text("".join(f"{one};{JOBS[one]};*\n" for one in JOBS), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(place: str) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(Path(place).read_text(encoding="utf-8"))
    return fields


def rows_of(place: str, *columns: str) -> list[tuple[Any, ...]]:
    with open_table(place) as table:
        return [tuple(row.values()) for batch in table.batches(*columns) for row in batch.to_pylist()]


def entropy(values: list[Any]) -> float:
    return -sum(n / len(values) * log2(n / len(values)) for n in Counter(values).values())


def test_the_whole_job(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("protect", "people.csv", "--secret", "illness", "--public", "job", "--public", "age", "--simulate", "3")
    coarser = ("--levels", "job=jobs.csv:1", "--bins", "age=edges:40", "--suppress-below", "30")
    job = (*asked, *coarser, "--max-distortion", "0.2", "-o", "out")
    code, out, told = run(capsys, *job)
    assert code == 0, told
    made = rows_of("out/release.csv", "job", "age")
    groups = Counter(made)
    assert min(groups.values()) >= 30
    assert {job for job, _ in made} == {"food", "law", None}
    assert f"Public values of {groups[None, None]} of 401 rows are suppressed." in out
    assert "job is released at level 1 of jobs.csv." in out
    assert read("out/survey.json")["published"]["smallest"] == min(groups.values())
    # What is lost is counted on the rows themselves.
    worth, values = read("out/utility.json")["columns"], rows_of("people.csv", "job")
    seen = [(one, made[at][0]) for (one,), at in zip(values, places("out/release.json"), strict=True)]
    lost = entropy(seen) - entropy([job for _, job in seen])
    assert worth["job"]["lost"]["value"] == pytest.approx(lost, abs=1e-9)
    assert worth["job"]["unchanged"]["value"] == 0
    assert worth["job"]["distortion"]["value"] == 0
    assert worth["age"]["covered"]["value"] > 10
    assert worth["illness"]["lost"] is None
    # Another content of the level file is another job, and nothing is drawn again silently.
    text = (here / "jobs.csv").read_text(encoding="utf-8")
    (here / "jobs.csv").write_text(text.replace("health", "law"), encoding="utf-8")
    code, _, told = run(capsys, *job)
    assert (code, "the job would now generate another one" in told) == (2, True)
    # What is there does not need it.
    (here / "jobs.csv").unlink()
    assert run(capsys, "verify", "out/release.json")[0] == 0
    code, audit = as_json(capsys, "audit", "out/release.json", "--original", "people.csv", "--simulate", "3")
    assert code == 0
    assert audit["anonymity"] == read("out/audit.json")["anonymity"]
    report = (here / "out" / "report.html").read_text(encoding="utf-8")
    for said in ("Released at a coarser level, and not protected", "Bits lost", "are not differential privacy"):
        assert said in report
    external = (here / "out" / "report-external.html").read_text(encoding="utf-8")
    assert "Released at a coarser level" in external
    assert "rows whose public values are suppressed" not in external
    assert "jobs.csv" not in external


@pytest.mark.parametrize(
    "verb",
    [
        ("measure", "--background", "job"),
        ("design", "--background", "job", "--max-distortion", "0.2"),
        ("compare", "--background", "job", "--max-distortion", "0.3", "randomized-response:epsilon=1"),
        ("survey",),
    ],
)
def test_every_verb_sees_the_level(verb: tuple[str, ...], here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What it says is what it says of a table that holds the coarser values themselves."""
    lines = (here / "people.csv").read_text(encoding="utf-8").splitlines()
    coarser = [lines[0], *(f"{JOBS[one.split(',')[0]]},{one.split(',', 1)[1]}" for one in lines[1:])]
    (here / "coarser").mkdir()
    (here / "coarser" / "people.csv").write_text("\n".join(coarser) + "\n", encoding="utf-8")
    name, *rest = verb
    found = as_json(capsys, name, "people.csv", "--secret", "illness", *rest, "--levels", "job=jobs.csv:1")
    expected = as_json(capsys, name, "coarser/people.csv", "--secret", "illness", *rest)
    for one in (found[1], expected[1]):
        one.pop("table", None)
    assert found == expected


def test_level_files_are_not_written_over(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for verb in (("measure",), ("survey",), ("design", "--max-distortion", "0.2")):
        code, _, told = run(
            capsys, *verb, "people.csv", "--secret", "job", "--levels", "job=jobs.csv:1", "-o", "jobs.csv"
        )
        assert (code, "jobs.csv is an input" in told) == (2, True)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"suppress_below": 1, "public": ("job",)}, "--suppress-below 1 suppresses nothing"),
        ({"suppress_below": 5}, "no column is public"),
        ({"suppress_below": 5, "public": ("job",), "background": ("job",)}, "suppressing it hides nothing"),
    ],
)
def test_suppression_that_cannot_be(given: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        Request.of("people.csv", secret=("illness",), max_distortion=0.2, **given)


def test_what_coarser_values_lose() -> None:
    alike = Counts({"x": ["a", "b"], "y": ["a", "b"]}, [[3, 0], [0, 5]])
    assert (information_lost(alike), values_covered(alike)) == (0.0, 1.0)
    hidden = Counts({"x": ["a", "b", "c"], "y": ["ab", None]}, [[2, 0], [2, 0], [1, 3]])
    assert values_covered(hidden) == 3.0
