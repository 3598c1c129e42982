"""The main job: every way to ask for it, and everything in one folder."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from leakgauge.artefacts import Request
from leakgauge.artefacts.codec import encode
from leakgauge.artefacts.request import Declared
from leakgauge.cli import main
from leakgauge.errors import FileError, OptionError, RefusalError, TableError
from leakgauge.jobs.protect import NAMES, protect
from leakgauge.tables import open_table
from tests.grids import nightly
from tests.jobs.conftest import numbers
from tests.jobs.finished import Finished, Told
from tests.jobs.people import write_people
from tests.jobs.stubs import stubbed
from tests.report.facts import Facts


def test_a_table_becomes_a_release_with_its_audit_verdict_and_report(finished: Finished) -> None:
    fields = json.loads((finished.folder / "job.json").read_text(encoding="utf-8"))
    assert finished.steps == [(stage, state) for stage in NAMES for state in ("started", "finished")]
    assert fields["outcome"] == {"released": True, "reason": None, "instead": None}
    assert fields["withheld"] == ["name", "age"]
    with open_table(str(finished.folder / "release.csv")) as released:
        assert [one.name for one in released.columns()] == ["city", "illness", "not_private"]
        assert released.rows == 600
    found = fields["headline"]
    after, floor = found["leakage_after"]["value"], found["floor"]["value"]
    assert floor < after < found["leakage_before"]["value"]
    assert found["unchanged"]["value"] == pytest.approx(0.8)
    assert found["advantage"]["value"] == pytest.approx(found["success"]["value"] - found["baseline"]["value"])
    verdict = json.loads((finished.folder / "verdict.json").read_text(encoding="utf-8"))
    assert found["recommendation"] == verdict["recommendation"] in ("release", "release if", "do not release")
    assert found["scores"] == verdict["scores"]["illness"] and found["reasons"] == verdict["reasons"]
    for edition in ("report.html", "report-external.html"):
        assert "</html>" in (finished.folder / edition).read_text(encoding="utf-8")


def test_every_number_of_the_report_stands_in_a_file_of_the_folder(finished: Finished) -> None:
    facts = Facts.read(finished.folder)
    found = numbers(json.loads((finished.folder / "report.json").read_text(encoding="utf-8")))
    assert len(found) > 150
    for one in found:
        stored = facts.resolve(one["source"])
        assert stored == one["value"] or float(stored) == pytest.approx(float(one["value"])), one["source"]


def test_adult_with_two_background_columns(data: Path, tmp_path: Path) -> None:
    asked = Request.of(
        str(data / "adult_train.parquet"),
        secret=("marital_status",),
        background=("occupation", "education"),
        max_distortion=0.2,
        keep="nothing",
        simulate=1,
    )
    done = protect(asked, tmp_path / "out")
    done.require()
    assert done.job.table.rows == 32561
    # Known to the attacker, and not released.
    assert {"occupation", "education"} < set(done.job.withheld)
    found = done.job.headline
    assert found is not None and found.leakage_after is not None and found.floor is not None
    assert found.leakage_after.value == pytest.approx(0.7573, abs=1e-4)
    assert found.floor.value == pytest.approx(0.1350, abs=1e-4)
    with open_table(str(tmp_path / "out" / "release.parquet")) as released:
        assert released.rows == 32561


@pytest.mark.parametrize(
    ("change", "says", "files"),
    [
        ({"max_distortion": None, "max_leakage": 1e-6}, "the background alone reveals", {"frontier.json"}),
        (
            {"max_distortion": None, "min_protection": 95.0, "min_usefulness": 60.0},
            "No setting that was tried",
            {"improvement.json"},
        ),
        (
            {"mechanism": ("randomized-response:epsilon=0.1",), "max_distortion": 0.1},
            "None of 1 mechanisms meets",
            {"comparison.json"},
        ),
    ],
)
def test_where_nothing_meets_the_target_the_report_says_what_is_possible(
    change: dict[str, Any], says: str, files: set[str], asked: Request, tmp_path: Path
) -> None:
    wanted = asked.having(**change)
    for _ in range(2):
        # The second time the answer is kept.
        told = Told()
        done = protect(wanted, tmp_path / "out", progress=told)
        with pytest.raises(RefusalError, match=says):
            done.require()
    assert told.states() == dict.fromkeys(NAMES, "kept") | dict.fromkeys(("release", "audit", "assess"), "skipped")
    assert not done.released
    assert done.job.outcome is not None and says in str(done.job.outcome.reason)
    written = {file.name for file in (tmp_path / "out").iterdir()}
    assert files | {"measurement.json", "report.html"} <= written
    assert files <= set(done.job.stages["design"].outputs)
    assert not any(name.startswith("release") for name in written)
    assert "Nothing was released" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "mechanism"),
    [
        ({"local_dp": 2.0, "max_distortion": None}, "channel"),
        # At this ε the least distorting channel always says the commonest value; one that keeps the shares does not.
        ({"local_dp": 0.2, "max_distortion": None, "keep": "nothing"}, "randomized-response"),
        ({"local_dp": 0.2, "max_distortion": None}, "channel"),
        nightly({"local_dp": 3.0, "max_distortion": 0.25}, "channel"),
        ({"mechanism": ("randomized-response:epsilon=4", "randomized-response:epsilon=3")}, "randomized-response"),
        nightly({"mechanism": ("exponential:epsilon=7",)}, "channel"),
        ({"min_protection": 20.0, "max_distortion": None, "background": ()}, ""),
        nightly({"max_distortion": None, "max_leakage": 0.5}, "channel"),
        (
            {"secret": ("age",), "mechanism": ("laplace:epsilon=1,lower=0,upper=100",), "max_distortion": None},
            "laplace",
        ),
        ({"secret": ("age",), "bins": ("age=width:20",), "max_distortion": 0.3, "public": ("illness",)}, "channel"),
        nightly({"background": ("age",), "bins": ("age=width:20",)}, "channel"),
        nightly({"keep": "nothing"}, "channel"),
    ],
    ids=str,
)
def test_every_way_to_ask(change: dict[str, Any], mechanism: str, asked: Request, made: Path, tmp_path: Path) -> None:
    wanted = asked.having(**change)
    # Reports on letters are made by other tests.
    with stubbed(made, () if wanted.roles.secret == ("age",) else ("report",)):
        done = protect(wanted, tmp_path / "out")
    done.require()
    record = json.loads((tmp_path / "out" / "release.json").read_text(encoding="utf-8"))
    assert record["plan"]["columns"][wanted.roles.secret[0]]["mechanism"].startswith(mechanism)
    found = done.job.headline
    assert found is not None
    (aim,) = wanted.aims
    if aim.local_dp is not None:
        assert found.epsilon is not None and found.epsilon.value <= aim.local_dp
    if aim.max_leakage is not None:
        assert found.leakage_after is not None and found.leakage_after.value <= aim.max_leakage
    assert set(record["output"]["columns"]) == set(wanted.roles.released)


def test_the_command_and_the_script_ask_for_the_same(people: Path, tmp_path: Path) -> None:
    wanted = Request.of(
        str(people),
        secret=("illness",),
        background=("city",),
        local_dp=2.5,
        missing=("?", "n a"),
        purpose="a 'test'",
        simulate=3,
    )
    done = protect(wanted, tmp_path / "out")
    told = encode(done.job.stages)
    program, verb, *arguments = shlex.split(done.job.command)
    assert (program, verb) == ("leakgauge", "protect")
    assert main(["protect", *arguments]) == 0
    assert json.loads((tmp_path / "out" / "job.json").read_text(encoding="utf-8"))["stages"] == told
    ran = subprocess.run(
        [sys.executable, "-c", done.job.script], capture_output=True, text=True, check=True, env={**os.environ}
    )
    assert ran.stdout.strip().endswith("report.html")
    assert json.loads((tmp_path / "out" / "job.json").read_text(encoding="utf-8"))["stages"] == told


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"background": ("illness",)}, "both as secret and as background"),
        ({"background": ("city", "city")}, "named twice"),
        ({"public": ("city", "city")}, "named twice as public"),
        ({"public": ("illness",)}, "both as secret and as public"),
        ({"max_leakage": 1.0}, "Two targets"),
        ({"max_distortion": None}, "No target"),
        ({"min_protection": 101.0}, "101"),
        ({"use": "row"}, "did you mean 'rows'"),
        ({"max_distortion": -1.0}, "not a finite number"),
        ({"local_dp": 0.0}, "--local-dp 0.0 is not a finite number above 0"),
        ({"confidence": 1.0}, "not between 0 and 1"),
        ({"accounted": 1.0}, "--accounted buys"),
        ({"ledger": "x.db"}, "simulation uses no budget"),
        ({"releases_per_period": -3.0}, "not a finite number above 0"),
        ({"review": "soon"}, "is not a date"),
        ({"lower": 5.0}, "go with --min-protection"),
    ],
)
def test_what_cannot_be_asked_is_one_sentence(change: dict[str, Any], says: str, asked: Request) -> None:
    with pytest.raises(OptionError, match=says) as refused:
        asked.having(**change)
    assert "\n" not in str(refused.value)


def test_what_cannot_be_used_leaves_nothing_behind(asked: Request, tmp_path: Path) -> None:
    with pytest.raises(TableError, match="did you mean 'illness'"):
        protect(asked.having(secret=("ilness",)), tmp_path / "out")
    with pytest.raises(OptionError, match="foo"):
        protect(asked.having(mechanism=("foo:epsilon=1",)), tmp_path / "out")
    # A request that was stored before its review stays readable; a job is not begun with it.
    with pytest.raises(OptionError, match="'2020-01-01' is in the past; give today's date or a later one"):
        protect(asked.having(review="2020-01-01"), tmp_path / "out")
    Declared(review=datetime.now().astimezone().date().isoformat()).require_review_to_come()
    few = write_people(tmp_path / "few.csv", 10)
    with pytest.raises(TableError, match="10 rows, too few"):
        protect(replace(asked, table=str(few)), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("stubs")
def test_a_folder_of_something_else_stays_as_it_is(finished: Finished, tmp_path: Path) -> None:
    other = finished.asked.having(max_distortion=0.3)
    with pytest.raises(FileError, match="holds the release of another job"):
        protect(other, finished.folder)
    assert json.loads((finished.folder / "job.json").read_text())["asked"]["max_distortion"] == 0.2
    assert protect(other, finished.folder, overwrite=True).job.request.aims[0].max_distortion == 0.3
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(FileError, match="is not empty"):
        protect(finished.asked, tmp_path / "mine")
    with pytest.raises(FileError, match="is a file"):
        protect(finished.asked, Path(finished.asked.table))


def test_nothing_that_was_written_is_parsed_or_decoded_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_people(tmp_path / "people.csv")
    parsed: list[str] = []
    encoded: set[str] = set()
    decoded: set[str] = set()
    loads, built, convert = json.loads, msgspec.to_builtins, msgspec.convert

    def written(fields: Any) -> str:
        # Files have infinity in words.
        plain = json.dumps(fields, sort_keys=True, default=str)
        return re.sub(r"(-?)Infinity", r'"\1infinity"', plain)

    def encoding(artefact: Any, **options: Any) -> Any:
        made = built(artefact, **options)
        if isinstance(made, dict):
            encoded.add(written(made))
        return made

    def decoding(fields: Any, *kind: Any, **options: Any) -> Any:
        if isinstance(fields, dict):
            decoded.add(written(fields))
        return convert(fields, *kind, **options)

    def counted(text: str | bytes, **options: Any) -> Any:
        parsed.append(str(text)[:200])
        return loads(text, **options)

    monkeypatch.setattr(json, "loads", counted)
    monkeypatch.setattr(msgspec, "to_builtins", encoding)
    monkeypatch.setattr(msgspec, "convert", decoding)
    asked = Request.of(
        str(tmp_path / "people.csv"),
        secret=("illness",),
        background=("city",),
        public=("city",),
        max_distortion=0.2,
        simulate=7,
    )
    done = protect(asked, tmp_path / "out")
    files = {place.name for place in (tmp_path / "out").glob("*.json")}
    assert {"job.json", "release.json", "audit.json", "verdict.json", "report.json"} <= files
    # But the key of the order of the rows, which is held no longer than it is needed.
    assert not [text for text in parsed if "leakgauge/" in text and "leakgauge/row-order/" not in text]
    assert done.released
    # Of nothing but artefacts: a text or a number that is read by itself is none.
    assert len(encoded) > 5 and decoded
    # Other options to weigh are requests of their own, whose parts may be those that were asked for.
    assert [text for text in encoded & decoded if '"schema"' in text] == []
