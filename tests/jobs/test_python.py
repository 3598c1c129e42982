"""The main job, improve and compare in Python: frames as well as files, and the numbers of the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pytest

import leakgauge as lg
from leakgauge.artefacts import Kit
from leakgauge.artefacts.codec import encode, read
from leakgauge.artefacts.verdict import Recommendation
from leakgauge.cli import main
from leakgauge.errors import FileError, InputError, OptionError, RefusalError, TableError
from leakgauge.jobs.improve import stored
from tests.cli.running import as_json
from tests.jobs.finished import Finished, Told
from tests.jobs.stubs import stubbed
from tests.release.people import places

ASKED: dict[str, Any] = {
    "secret": "illness",
    "background": "city",
    "public": ["city"],
    "max_distortion": 0.2,
    "simulate": 3,
}
NUMBERS = ("measurement.json", "frontier.json", "design.json", "comparison.json", "leakage.json", "levels.json")


def test_a_frame_is_protected_like_the_file_of_it(finished: Finished, people: Path, made: Path, tmp_path: Path) -> None:
    frame = pd.read_csv(people)
    with stubbed(made, ("report",)):
        done = lg.protect(frame, folder=tmp_path / "frame", **ASKED)
    assert done.require() is done
    with pytest.raises(RefusalError, match=r"^The release is not recommended: .*; do not hand it out\.$"):
        done.require(strict=True)
    of_file = json.loads((finished.folder / "job.json").read_text(encoding="utf-8"))
    for name in NUMBERS:
        found, wanted = (
            json.loads((place / name).read_text(encoding="utf-8")) for place in (done.folder, finished.folder)
        )
        assert {**found, "table": None} == {**wanted, "table": None}, name
    assert encode(done.job.headline) == of_file["headline"]
    assert done.verdict.recommendation is Recommendation.DO_NOT_RELEASE
    assert "do not release" in done._repr_html_()
    assert done.job.table.name == "frame" and done.job.table.rows == 600
    assert done.job.command == "" and "    frame,\n" in done.job.script
    # The release of a frame is Parquet; its kit has what the kit's own script reads.
    assert read(Kit, done.folder / "kit" / "kit.json").release == "release.csv"
    script = [sys.executable, str(done.folder / "kit" / "estimate.py")]
    assert subprocess.run(script, capture_output=True, check=False).returncode == 0
    told = Told()
    with stubbed(made, ("report",)):
        # The same rows in other pieces.
        pieces = pa.concat_tables([pa.Table.from_pandas(part) for part in (frame[:100], frame[100:])])
        again = lg.protect(pieces.replace_schema_metadata(None), tmp_path / "frame", progress=told, **ASKED)
    assert again.released and set(told.states().values()) == {"kept"}
    frame.loc[0, "city"] = "C"
    with pytest.raises(FileError, match="holds the release of another job"):
        lg.protect(frame, tmp_path / "frame", **ASKED)


def test_rows_leave_in_a_random_order_unless_the_tables_is_asked_for(
    people: Path, made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cities = pd.read_csv(people)["city"].tolist()
    assert pd.read_csv(made / "release.csv")["city"].tolist() != cities
    assert [pd.read_csv(made / "release.csv")["city"][at] for at in places(made / "release.json")] == cities
    job = json.loads((made / "job.json").read_text(encoding="utf-8"))
    assert (made / "release.order.json").stat().st_mode & 0o777 == 0o600
    assert not any("order" in name for name in job["shareable"])
    asked = ["protect", str(people), "--secret", "illness", "--background", "city", "--public", "city"]
    with stubbed(made, ("measure", "audit", "assess", "report")):
        assert (
            main([*asked, "--max-distortion", "0.2", "--keep-order", "--simulate", "3", "-o", str(tmp_path / "o")]) == 0
        )
    assert "Rows are in the table's order, which may reveal what their values do not." in capsys.readouterr().out
    kept = json.loads((tmp_path / "o" / "job.json").read_text(encoding="utf-8"))
    assert kept["asked"]["keep_order"] and "--keep-order" in kept["command"] and "keep_order=True" in kept["script"]
    assert pd.read_csv(tmp_path / "o" / "release.csv")["city"].tolist() == cities
    assert not (tmp_path / "o" / "release.order.json").exists()


def test_what_is_asked_may_be_a_request_or_its_fields(people: Path, made: Path, tmp_path: Path) -> None:
    request = lg.Request.of(
        str(people), secret=("illness",), background=("city",), public=("city",), max_distortion=0.2, simulate=3
    )
    with stubbed(made):
        assert lg.protect(people, tmp_path / "out", **ASKED).job.request == request
        told = Told()
        assert lg.protect(request, tmp_path / "out", progress=told).released
    assert set(told.states().values()) == {"kept"}


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        ({"publik": "city"}, OptionError, "no option 'publik'; did you mean 'public'"),
        ({"secret": "ilness"}, TableError, "did you mean 'illness'"),
        ({"secret": None}, OptionError, "'secret' is missing or of another type"),
        ({"max_distortion": "much"}, OptionError, "--max-distortion 'much' is not a number"),
        ({"background": ["illness"]}, OptionError, "both as secret and as background"),
        ({"max_leakage": 1.0}, OptionError, "Two targets"),
        ({"target": 70}, OptionError, "no option 'target'"),
        ({"use": "row"}, OptionError, "no use 'row'; did you mean 'rows'"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_sentence(
    change: dict[str, object], error: type[InputError], says: str, people: Path, tmp_path: Path
) -> None:
    with pytest.raises(error, match=says):
        lg.protect(people, tmp_path / "out", **{**ASKED, **change})
    assert not (tmp_path / "out").exists()


def test_improve_is_the_command_line_s(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, fields = as_json(capsys, "improve", str(people), "--secret", "illness", "--min-protection", "60")
    assert code == 0
    # The screen has a command, and shows what that promises.
    fields["promised"] = None
    for table in (people, pl.read_csv(people)):
        found = lg.improve(table, secret="illness", min_protection=60.0)
        assert encode(stored(found)) == fields
        assert found.require() is found.search.chosen


def test_compare_is_the_command_line_s(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mechanism = "randomized-response:epsilon=1"
    asked = ("--secret", "illness", "--background", "city", mechanism, "--max-distortion", "0.3")
    code, fields = as_json(capsys, "compare", str(people), *asked)
    assert code == 0
    for table in (str(people), arrow_csv.read_csv(people)):
        found = lg.compare(table, mechanism, secret="illness", background=["city"], max_distortion=0.3)
        assert encode(found) == fields
    with pytest.raises(OptionError, match="2 targets are given"):
        lg.compare(people, secret="illness", max_distortion=0.3, max_leakage=1.0)
