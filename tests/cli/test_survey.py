"""``leakgauge survey`` on the bundled sample: what people read, and its JSON."""

from __future__ import annotations

from pathlib import Path

import pytest

from leakgauge.jobs.samples import adult_csv
from tests.cli.running import as_json, fields, run


@pytest.fixture(scope="module")
def adult(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("adult") / "adult.csv"
    place.write_text(adult_csv(), encoding="utf-8")
    return place


def test_the_sample_is_a_real_table_with_a_number_per_person(adult: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = fields(capsys, "survey", adult, "--secret", "marital_status")
    assert found["rows"] == found["sampled"] == 30718
    assert len(found["columns"]) == 11
    assert found["suggested"]["id"] == "leave out"
    assert found["suggested"]["age"] == "coarsen"
    assert found["combinations"][0]["columns"] == ["age", "education", "occupation"]
    assert found["combinations"][0]["alone"] == 1924
    occupation = next(one for one in found["columns"] if one["name"] == "occupation")
    told = occupation["tells"][0]["information"]
    # I = 0.076373 bits, as `measure` has it.
    assert told["value"] == pytest.approx(0.076373, abs=1e-6)
    assert told["low"] < told["value"] < told["high"]


def test_what_a_person_reads(adult: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "survey", adult, "--secret", "marital_status", "--column", "id", "--column", "age")
    assert code == 0
    assert "These columns identify people; do not publish them: id." in out
    assert "native_country" not in out
    code, out, _ = run(capsys, "survey", adult, "--column", "age", "--column", "hours_per_week")
    assert code == 0
    assert "age, hours_per_week" in out and " 949 " in out


def test_without_a_secret_no_column_is_said_to_reveal_little(adult: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "survey", adult, "--column", "sex", "--column", "id")
    assert "depends on" in out and "public" not in out and "leave out:" in out
    _, out, _ = run(capsys, "survey", adult, "--secret", "income", "--column", "sex", "--column", "income")
    assert "public: reveals" in out and "depends on" not in out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--secret", "marital"), "did you mean 'marital_status'"),
        (("--unit", "persons"), "There is no column 'persons'"),
        (("--column", "ag"), "did you mean 'age'"),
        (("--bins", "age=widht:10"), "widht"),
    ],
)
def test_bad_input_gets_one_sentence(
    arguments: tuple[str, ...], says: str, adult: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, "survey", adult, *arguments)
    assert (code, out) == (2, "")
    assert says in err and len(err.splitlines()) == 1


def test_it_is_written_to_a_file(adult: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = as_json(capsys, "survey", adult, "--column", "sex", "-o", tmp_path / "survey.json")
    assert code == 0
    assert found["schema"] == "leakgauge/survey/1"
    assert (tmp_path / "survey.json").stat().st_mode & 0o777 == 0o600
