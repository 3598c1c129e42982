"""Who may read what is written: its owner alone, and others only what is meant to be handed out."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from leakgauge.artefacts import JobEvent, Request
from leakgauge.cli import main
from leakgauge.drafts import draft
from leakgauge.jobs.protect import protect
from leakgauge.release.ledger import Unlimited, open_ledger
from leakgauge.report import Edition, Report
from tests.jobs.people import write_people

UMASKS = (0o000, 0o022, 0o027, 0o077)
SHAREABLE = {"release.csv", "release.public.json", "report-external.html"}


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("mask", UMASKS)
def test_drafts_are_closed_from_the_start_and_only_what_is_shareable_follows_the_umask(
    tmp_path: Path, mask: int
) -> None:
    with umask(mask):
        for name, shareable in (("inside", False), ("shared", True)):
            with draft(tmp_path / name, shareable=shareable) as made:
                (hidden,) = tmp_path.glob(f".{name}.*")
                assert mode(hidden) == 0o600
                made.write("text")
                assert mode(hidden) == 0o600
                made.keep()
    assert mode(tmp_path / "inside") == 0o600
    assert mode(tmp_path / "shared") == 0o666 & ~mask


def test_a_file_that_others_could_read_is_closed_when_it_is_replaced(tmp_path: Path) -> None:
    for before, after in ((0o644, 0o600), (0o400, 0o400)):
        place = tmp_path / f"{before:o}"
        place.touch()
        place.chmod(before)
        with draft(place) as made:
            made.write("text")
            made.keep()
        assert mode(place) == after


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_a_job_is_for_its_owner_and_stays_so_when_it_goes_on(tmp_path: Path, mask: int) -> None:
    table = write_people(tmp_path / "people.csv", 120)
    asked = Request.of(str(table), secret=("illness",), background=("city",), max_distortion=0.2, simulate=3)
    folder = tmp_path / "new" / "out"

    class StoppedError(Exception):
        pass

    def stop(event: JobEvent) -> None:
        if (event.stage, event.state) == ("release", "working"):
            # A release that is being drawn is nobody else's.
            assert {mode(path) for path in folder.glob(".*")} == {0o600}
        if event == JobEvent("audit", "started"):
            raise StoppedError

    with umask(mask):
        with pytest.raises(StoppedError):
            protect(asked, folder, progress=stop)
        # An earlier version, or a person, may have opened it.
        folder.chmod(0o755)
        protect(asked, folder)
    assert mode(folder) == 0o700
    modes = {path.name: mode(path) for path in folder.iterdir()}
    assert modes.keys() >= SHAREABLE | {".job.lock", "job.json", "release.json", "channel.json", "report.html"}
    assert modes.pop("kit") == 0o777 & ~mask
    assert modes == {name: 0o666 & ~mask if name in SHAREABLE else 0o600 for name in modes}
    assert {mode(path) for path in (folder / "kit").iterdir()} == {0o666 & ~mask}
    _require_reports_closed(folder, mask)


def _require_reports_closed(folder: Path, mask: int) -> None:
    """Those for everybody follow the umask, the others do not, in every format."""
    report, place = Report.of(folder), folder.parent
    with umask(mask):
        for edition in Edition:
            report.to_html(place / f"{edition.value}.html", edition=edition)
            report.to_markdown(place / f"{edition.value}.md", edition=edition)
            report.to_json(place / f"{edition.value}.json", edition=edition)
            arguments = ["report", str(folder), "--edition", edition.value, "--json"]
            assert main([*arguments, "-o", str(place / f"{edition.value}-cli.json")]) == 0
    found = {path.name: mode(path) for path in place.glob("*ternal*")}
    assert len(found) == 8
    assert found == {name: 0o666 & ~mask if name.startswith("external") else 0o600 for name in found}


def test_folders_that_were_there_are_closed_unless_they_hold_other_things(tmp_path: Path) -> None:
    table = write_people(tmp_path / "people.csv", 120)
    asked = Request.of(str(table), secret=("illness",), max_distortion=0.2, simulate=3)
    for name in ("empty", "used"):
        (tmp_path / name).mkdir()
        (tmp_path / name).chmod(0o755)
    (tmp_path / "used" / "mine.txt").touch()
    for name in ("empty", "used"):
        with pytest.raises(KeyboardInterrupt):
            protect(asked, tmp_path / name, overwrite=True, progress=_interrupt)
    assert mode(tmp_path / "empty") == 0o700 and mode(tmp_path / "used") == 0o755
    assert mode(tmp_path / "used" / "job.json") == 0o600


def _interrupt(event: JobEvent) -> None:
    if event.stage == "design":
        raise KeyboardInterrupt


def test_each_verb_closes_what_it_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_people(tmp_path / "people.csv", 120)
    (tmp_path / "plan.toml").write_text('public = ["city"]\n\n[columns]\nillness = "channel.json"\n')
    for name in ("people.csv", "plan.toml"):
        Path(name).chmod(0o644)
    commands = [
        "ledger open people.ledger --dataset people --unlimited",
        "measure people.csv --secret illness -o measured.json",
        "design people.csv --secret illness --max-distortion 0.2 -o channel.json",
        "design people.csv --secret illness --curve 3 -o curve.csv",
        "release people.csv --plan plan.toml --ledger people.ledger -o out.csv",
        "audit out.csv.json --original people.csv --simulate 1 -o audit.json",
        "assess out.csv.json audit.json --original people.csv -o verdict.json",
        "assess --template questions.csv",
        "demo --sample sample.csv",
    ]
    shareable = {"people.csv", "plan.toml", "out.csv", "out.csv.public.json", "questions.csv", "sample.csv"}
    with umask(0o022):
        for command in commands:
            assert main(command.split()) in (0, 1), command
    modes = {path.name: mode(path) for path in tmp_path.iterdir()}
    assert modes == {name: 0o644 if name in shareable else 0o600 for name in modes}
    assert len(modes) == 14, sorted(modes)


def test_a_ledger_is_for_its_owner_whatever_the_umask(tmp_path: Path) -> None:
    with umask(0):
        ledger = open_ledger(tmp_path / "budget", create=True)
        ledger.open_account("people", Unlimited())
        assert {mode(path) for path in tmp_path.iterdir()} == {0o600}
