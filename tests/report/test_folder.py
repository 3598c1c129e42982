"""A folder that a report is made of: whole, finished and as its job left it, or one sentence."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from leakgauge.errors import FileError, VerificationError
from tests.report.facts import Facts


def test_a_folder_that_is_none_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"^\S+ is not a folder; name the folder of a finished job\.$"):
        Facts.read(tmp_path / "nowhere")
    with pytest.raises(FileError, match=r"neither a job\.json nor a release\.json"):
        Facts.read(tmp_path)
    (tmp_path / "job.json").write_text("{", encoding="utf-8")
    with pytest.raises(FileError, match="cannot be read as JSON"):
        Facts.read(tmp_path)
    (tmp_path / "job.json").write_text('{"schema": "leakgauge/job/4"}', encoding="utf-8")
    with pytest.raises(FileError, match="is not a whole job: 'asked' is missing"):
        Facts.read(tmp_path)


@pytest.fixture
def copied(job: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(job, tmp_path / "job"))


def written(job: Path) -> list[str]:
    """What the stages before the report wrote."""
    stages = json.loads((job / "job.json").read_text(encoding="utf-8"))["stages"]
    return [file for name, one in stages.items() if name != "report" for file in one["outputs"]]


def test_a_file_that_was_changed_is_one_sentence(copied: Path) -> None:
    files = written(copied)
    assert {"verdict.json", "measurement.json", "audit.json", "plan.toml", "release.csv"} <= set(files)
    for file in files:
        place = copied / file
        kept = place.read_bytes()
        # Only a blank at the end: the fields of an artefact stay what they are.
        place.write_bytes(kept + b" ")
        with pytest.raises(VerificationError, match=rf"{file} was changed after the job wrote it; put it back"):
            Facts.read(copied)
        place.write_bytes(kept)
    assert Facts.read(copied).has("verdict.json", "protection")


def test_an_artefact_that_is_missing_is_one_sentence_and_a_release_may_be_elsewhere(copied: Path) -> None:
    (copied / "release.csv").unlink()
    (copied / "report.html").write_text("another edition", encoding="utf-8")
    assert Facts.read(copied).has("audit.json")
    (copied / "audit.json").unlink()
    with pytest.raises(VerificationError, match=r"audit\.json, which the job wrote, is missing"):
        Facts.read(copied)


def test_a_diagram_that_was_changed_is_one_sentence(copied: Path) -> None:
    place, fields = copied / "job.json", json.loads((copied / "job.json").read_text(encoding="utf-8"))
    fields["stages"]["assess"]["outputs"]["diagram.toml"] = "0" * 64
    place.write_text(json.dumps(fields), encoding="utf-8")
    (copied / "diagram.toml").write_text("", encoding="utf-8")
    with pytest.raises(VerificationError, match=r"diagram\.toml was changed"):
        Facts.read(copied)


def test_a_record_is_held_to_its_digest_without_a_job(job: Path, tmp_path: Path) -> None:
    record = json.loads((job / "release.json").read_text(encoding="utf-8"))
    (tmp_path / "release.json").write_text(json.dumps({**record, "rows": 5}), encoding="utf-8")
    with pytest.raises(VerificationError, match="was changed: its digest"):
        Facts.read(tmp_path)


def test_a_job_that_is_not_finished_is_one_sentence(copied: Path) -> None:
    fields = json.loads((copied / "job.json").read_text(encoding="utf-8"))
    assert fields["schema"] == "leakgauge/job/4"
    (copied / "job.json").write_text(json.dumps({**fields, "finished": None}), encoding="utf-8")
    with pytest.raises(FileError, match="is not finished; run the same command again to finish it"):
        Facts.read(copied)
