"""What is measured is what is published: bins and roles of columns, seen in the files that commands write."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from datetime import date, timedelta
from math import log2
from pathlib import Path
from typing import Any

import pytest

from leakgauge.artefacts import Request
from leakgauge.artefacts.codec import sentence_of
from leakgauge.jobs.protect import protect
from leakgauge.tables import open_table
from tests.cli.running import as_json, run
from tests.release.people import places

JOB = ("protect", "visits.csv", "--secret", "illness", "--max-distortion", "0.2", "--simulate", "3")


@pytest.fixture(scope="module")
def visits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Visits whose illness goes with the season; one stay is far longer, and one person far older, than all others."""
    place, draw = tmp_path_factory.mktemp("visits") / "visits.csv", random.Random(7)
    lines = ["day,age,illness"]
    for _ in range(800):
        day = date(2023, 1, 1) + timedelta(days=draw.randrange(150))
        illness = draw.choices(("flu", "cold", "none"), (max(6 - day.month, 1), 2, day.month))[0]
        lines.append(f"{day},{draw.randrange(19, 80)},{illness}")
    place.write_text("\n".join([*lines, "2023-01-01,104,none"]) + "\n", encoding="utf-8")
    return place


@pytest.fixture
def here(visits: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "visits.csv").write_bytes(visits.read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(place: str) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(Path(place).read_text(encoding="utf-8"))
    return fields


def rows_of(place: str, *columns: str) -> list[tuple[Any, ...]]:
    with open_table(place) as table:
        batches = table.batches(*columns)
        return [tuple(row[name] for name in columns) for batch in batches for row in batch.to_pylist()]


def information(pairs: list[tuple[Any, Any]]) -> float:
    """I(X;Z) of the pairs that occur, in bits."""
    both, first, second = Counter(pairs), Counter(x for x, _ in pairs), Counter(z for _, z in pairs)
    return sum(n / len(pairs) * log2(n * len(pairs) / (first[x] * second[z])) for (x, z), n in both.items())


def attacks(fields: dict[str, Any]) -> dict[str, tuple[float, float]]:
    return {
        str(sentence_of(one["attack"])): (one["success"]["value"], one["baseline"]["value"])
        for one in fields["attacks"]
    }


def test_a_background_binned_by_month_is_published_and_measured_by_month(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    roles = ("--background", "day", "--public", "day", "--bins", "day=month")
    code, _, told = run(capsys, *JOB, *roles, "-o", "out")
    assert code == 0, told
    original, shown = rows_of("visits.csv", "illness", "day"), rows_of("out/release.csv", "day")
    published = [shown[at] for at in places("out/release.json")]
    starts = [date(2023, month, 1) for month in range(1, 7)]
    assert [text for (text,) in published] == [f"[{starts[day.month - 1]}, {starts[day.month]})" for _, day in original]
    # The floor that was measured is that of the published column beside the secret.
    told_by_file = information([(secret, text) for (secret, _), (text,) in zip(original, published, strict=True)])
    assert read("out/measurement.json")["background_floor"]["value"] == pytest.approx(told_by_file, abs=1e-9)
    assert information(original) > told_by_file + 0.05
    assert read("out/release.json")["plan"]["bins"] == {
        "day": {"binning": "month", "learnt": None, "from_another_table": False, "levels": None}
    }
    # The record alone repeats it: the same attacks, verified.
    code, found = as_json(
        capsys, "audit", "out/release.json", "--original", "visits.csv", "--background", "day", "--simulate", "3"
    )
    assert code == 0
    assert attacks(found) == attacks(read("out/audit.json"))
    assert found["anonymity"]["k"] == min(Counter(published).values())
    assert run(capsys, "verify", "out/release.json")[0] == 0


def test_a_background_that_is_not_public_is_known_and_not_published(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = ("--background", "day", "--bins", "day=month")
    code, out, told = run(capsys, *JOB, *known, "-o", "kept")
    assert code == 0, told
    assert "Not released: day, age" in out
    assert run(capsys, *JOB, *known, "--public", "day", "-o", "published")[0] == 0
    assert read("kept/release.json")["output"]["columns"] == ["illness"]
    assert (here / "kept" / "plan.toml").read_text().startswith("public = []\n")
    # Whoever knows it learns as much in either case.
    names = ("background_floor", "leakage_with_background")
    for file in ("measurement.json", "leakage.json"):
        one, other = read(f"kept/{file}"), read(f"published/{file}")
        assert [one[name] for name in names] == [other[name] for name in names]
    inference = "attribute inference, best guess"
    assert attacks(read("kept/audit.json"))[inference] == attacks(read("published/audit.json"))[inference]
    unknown = as_json(capsys, "audit", "kept/release.json", "--original", "visits.csv", "--simulate", "3")[1]
    assert attacks(unknown)[inference][1] < attacks(read("kept/audit.json"))[inference][1]
    # From the record alone: as coarse as it is known.
    again = ("audit", "kept/release.json", "--original", "visits.csv", *known, "--simulate", "3")
    assert attacks(as_json(capsys, *again)[1]) == attacks(read("kept/audit.json"))
    assert read("kept/audit.json")["anonymity"] is None
    assert set(read("kept/utility.json")["columns"]) == {"illness"}
    for folder, said in (("kept", "background, not released"), ("published", "background, released in bins")):
        assert said in (here / folder / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "how", ["--max-distortion=0.3", "--mechanism=randomized-response:epsilon=2", "--min-protection=20"]
)
def test_a_secret_in_bins_is_protected_attacked_and_judged_in_bins(
    how: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("protect", "visits.csv", "--secret", "age", "--bins", "age=width:20", how, "--simulate", "3", "-o", "out")
    code, _, told = run(capsys, *asked)
    assert code == 0, told
    bins = {"[0, 20)", "[20, 40)", "[40, 60)", "[60, 80)", "[100, 120)"}
    assert {text for (text,) in rows_of("out/release.csv", "age")} <= bins
    ages = [f"[{age // 20 * 20}, {age // 20 * 20 + 20})" for (age,) in rows_of("visits.csv", "age")]
    entropy = information(list(zip(ages, ages, strict=True)))
    assert read("out/measurement.json")["entropy"]["value"] == pytest.approx(entropy, abs=1e-9)
    # Without the release the best guess is the largest bin, in every attack alike.
    largest = max(Counter(ages).values()) / len(ages)
    baselines = [
        one["baseline"]["value"]
        for one in read("out/audit.json")["attacks"]
        if "inference, best" in str(sentence_of(one["attack"]))
    ]
    assert baselines == [pytest.approx(largest, abs=0.06)]
    code, _, told = run(
        capsys,
        "assess",
        "out/release.json",
        "out/audit.json",
        "--original",
        "visits.csv",
        "-o",
        "again.json",
    )
    assert code == 0, told
    again, first = (read(file)["protection"]["value"] for file in ("again.json", "out/verdict.json"))
    assert again == pytest.approx(first, abs=2.0)


def test_a_public_column_in_bins_is_published_in_bins(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    roles = ("--public", "age", "--public", "day", "--bins", "age=edges:40,60", "--bins", "day=year")
    code, _, told = run(capsys, *JOB, *roles, "-o", "out")
    assert code == 0, told
    assert {age for (age,) in rows_of("out/release.csv", "age")} == {"(-∞, 40)", "[40, 60)", "[60, ∞)"}
    assert {day for (day,) in rows_of("out/release.csv", "day")} == {"[2023-01-01, 2024-01-01)"}


def test_learnt_edges_publish_neither_the_least_nor_the_greatest_value(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    roles = ("--background", "age", "--public", "age", "--bins", "age=quantiles:4")
    code, _, told = run(capsys, *JOB, *roles, "-o", "out")
    assert code == 0, told
    published = {age for (age,) in rows_of("out/release.csv", "age")}
    assert published == {"(-∞, 33)", "[33, 48)", "[48, 64)", "[64, ∞)"}
    record = read("out/release.json")
    learnt = {"asked": "quantiles:4", "merged": 0}
    assert record["plan"]["bins"] == {
        "age": {"binning": "edges:33,48,64", "learnt": learnt, "from_another_table": False, "levels": None}
    }
    assert any("learnt from this table and rounded" in str(sentence_of(said)) for said in record["assumptions"])
    for file in ("release.csv", "release.json", "plan.toml", "channel.json", "design.json"):
        text = (here / "out" / file).read_text(encoding="utf-8")
        assert not re.search(r"(?<![\d.])104(?!\d)", text.replace(record["digest"], "")), file
    code, found = as_json(
        capsys, "audit", "out/release.json", "--original", "visits.csv", "--background", "age", "--simulate", "3"
    )
    assert (code, attacks(found)) == (0, attacks(read("out/audit.json")))


@pytest.mark.parametrize("file", ["out.csv", "out.parquet"])
def test_a_plan_with_bins_is_released_verified_audited_and_judged(
    file: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "plan.toml").write_text(
        'public = ["day"]\n[columns]\nage = "randomized-response:epsilon=3,letters=this-table"\n'
        '[bins]\nage = "width:10"\nday = "month"\n'
    )
    code, _, told = run(capsys, "release", "visits.csv", "--plan", "plan.toml", "-o", file, "--simulate", "1")
    assert code == 0, told
    days = {day for (day,) in rows_of(file, "day")}
    assert "[2023-02-01, 2023-03-01)" in days
    assert len(days) == 5
    assert {age for (age,) in rows_of(file, "age")} >= {"[20, 30)", "[70, 80)"}
    assert run(capsys, "verify", f"{file}.json")[0] == 0
    audit = ("audit", f"{file}.json", "--original", "visits.csv", "--background", "day", "-o", "audit.json")
    assert run(capsys, *audit)[0] == 0
    judged = ("assess", f"{file}.json", "audit.json", "--original", "visits.csv", "--json")
    assert run(capsys, *judged)[0] == 0
    # The number a recipient counts is the number that was measured.
    code, own = as_json(
        capsys, "measure", "visits.csv", "--secret", "illness", "--release", "day", "--bins", "day=month"
    )
    shown = rows_of(file, "day")
    pairs = [(s, *shown[at]) for (s,), at in zip(rows_of("visits.csv", "illness"), places(f"{file}.json"), strict=True)]
    assert own["mutual_information"]["value"] == pytest.approx(information(pairs), abs=1e-9)


def test_a_channel_of_intervals_goes_through_a_plan_with_the_same_bins(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    design = ("design", "visits.csv", "--secret", "age", "--bins", "age=width:20", "--max-distortion", "0.2")
    assert run(capsys, *design, "-o", "channel.json")[0] == 0
    (here / "plan.toml").write_text('[columns]\nage = "channel.json"\n[bins]\nage = "width:20"\n')
    prior = ("--prior", "age=this-table")
    code, _, told = run(
        capsys, "release", "visits.csv", "--plan", "plan.toml", "-o", "out.csv", "--simulate", "1", *prior
    )
    assert code == 0, told
    assert {age for (age,) in rows_of("out.csv", "age")} >= {"[20, 40)", "[40, 60)"}
    measured = ("measure", "visits.csv", "--secret", "age", "--bins", "age=width:20", "--channel", "channel.json")
    assert as_json(capsys, *measured)[0] == 0


@pytest.mark.parametrize(
    ("bins", "columns", "says"),
    [
        ('day = "month"', 'age = "laplace:epsilon=1,lower=0,upper=100"', "bins for column 'day', which it does not"),
        ('age = "width:10"', 'age = "laplace:epsilon=1,lower=0,upper=100"', "'age' holds bins, which laplace cannot"),
        ('age = "month"', 'age = "unary-encoding:epsilon=1,letters=this-table"', "calendar bins need dates"),
        ('age = "months"', 'age = "unary-encoding:epsilon=1,letters=this-table"', "'months' is not a binning"),
        ("age = 10", 'age = "unary-encoding:epsilon=1,letters=this-table"', "mechanisms, bins and levels must be text"),
    ],
)
def test_bins_of_a_plan_that_cannot_be_used_are_refused_before_anything_is_written(
    bins: str, columns: str, says: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "plan.toml").write_text(f"[columns]\n{columns}\n[bins]\n{bins}\n")
    for more in ((), ("--dry-run",)):
        code, _, told = run(capsys, "release", "visits.csv", "--plan", "plan.toml", "-o", "out.csv", *more)
        assert code == 2
        assert says in told.splitlines()[-1]
    assert not (here / "out.csv").exists()


def test_the_same_roles_in_python(visits: Path, tmp_path: Path) -> None:
    asked = Request.of(
        str(visits),
        secret=("illness",),
        background=("day",),
        public=("day", "age"),
        bins=("day=month", "age=width:20"),
        local_dp=2.0,
        simulate=1,
    )
    done = protect(asked, tmp_path / "out")
    done.require()
    assert done.job.withheld == ()
    assert asked.roles.released == ("illness", "day", "age")
    assert "--public day --public age" in done.job.command
