"""What is refused looks approved nowhere, and the next command is named and runs."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from leakgauge.artefacts import Request
from leakgauge.artefacts.report import Code
from leakgauge.artefacts.verdict import Form
from leakgauge.cli import main
from leakgauge.jobs.protect import Done, protect
from leakgauge.jobs.protect.alternatives import _wider
from leakgauge.report import Edition, Report
from leakgauge.telling.alternatives import alternatives
from leakgauge.telling.blocks import blocks_of
from leakgauge.telling.shown import Shown
from leakgauge.telling.voice import Voice
from tests.jobs.people import write_people

KNOWN = {"secret": ("illness",), "background": ("city",)}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_people(tmp_path / "people.csv", 600)
    return tmp_path


def require_stamped(done: Done) -> None:
    """Every file for people says that it is not approved, and none offers a signature or a kit."""
    folder = done.folder
    assert done.refused is not None and done.job.shareable == ()
    assert not (folder / "kit").exists()
    for edition, name in ((Edition.INTERNAL, "report.html"), (Edition.EXTERNAL, "report-external.html")):
        (document,) = Report.of(folder).documents("en", edition)
        assert document.stamp == "NOT APPROVED"
        assert b"NOT APPROVED" in (folder / name).read_bytes()
        Report.of(folder).to_markdown(folder / "report.md", "both", edition)
        told = (folder / "report.md").read_text(encoding="utf-8")
        assert "NOT APPROVED" in told and "未获批准" in told
        assert "☐" not in told and "Use it for statistics" not in told
    assert '"stamp":"NOT APPROVED"' in (folder / "report.json").read_text(encoding="utf-8").replace('": "', '":"')


def test_what_is_strictly_refused_has_no_kit_of_an_earlier_run(here: Path) -> None:
    asked = Request.of("people.csv", **KNOWN, max_distortion=0.05)  # type: ignore[arg-type]
    first = protect(asked, "out")
    release = Path("out/release.csv").read_bytes()
    assert first.refused is None and "kit" in first.job.shareable and Path("out/kit").is_dir()
    again = protect(asked, "out", strict=True)
    # Nothing is drawn again.
    assert again.released and Path("out/release.csv").read_bytes() == release
    require_stamped(again)


@pytest.mark.parametrize(
    "asked", [{"max_leakage": 0.0001}, {"min_protection": 99.0, "min_usefulness": 95.0}], ids=["target", "search"]
)
def test_where_nothing_is_released_the_next_command_releases_something(here: Path, asked: dict[str, float]) -> None:
    done = protect(Request.of("people.csv", **KNOWN, public=("city",), **asked), "out")  # type: ignore[arg-type]
    assert not done.released and done.job.outcome is not None
    require_stamped(done)
    instead = done.job.outcome.instead
    assert instead is not None and instead.request is not None
    command = instead.request.command("out-2")
    Report.of("out").to_markdown("out.md")
    assert command in Path("out.md").read_text(encoding="utf-8").replace("\\", "")
    assert main(shlex.split(command)[1:]) == 0
    assert Path("out-2/release.csv").exists()


def options(done: Done) -> tuple[list[Form], list[str]]:
    """The forms side by side, and their commands."""
    voice = Voice(Shown(done.kept.dossier()))
    found = voice.dossier.verdict
    assert found is not None
    blocks = blocks_of(alternatives(voice, found))
    lines = [line for one in blocks if isinstance(one, Code) for line in one.text.splitlines()]
    return [one.form for one in found.alternatives], [line for line in lines if not line.startswith("#")]


def test_every_option_has_a_command_that_makes_what_was_judged(here: Path) -> None:
    done = protect(Request.of("people.csv", **KNOWN, public=("city", "age"), max_distortion=0.4), "out")  # type: ignore[arg-type]
    forms, commands = options(done)
    assert forms == [Form.WITHHELD, Form.COARSER, Form.FEWER, Form.ROWS]
    assert len(commands) == 3 and "--bins age=quantiles:4" in commands[1] and "--public age" not in commands[2]
    for command in commands:
        assert main(shlex.split(command)[1:]) == 0, command
    coarser = done.verdict.alternatives[1]
    assert coarser.asked is not None
    made = protect(coarser.asked.request(), "out-coarser").verdict
    for name in ("protection", "surest", "usefulness"):
        judged, found = (getattr(one, name).value for one in (coarser.scores, made.scores["illness"]))
        # A drawn release is judged by what its attacks found, too.
        assert judged == pytest.approx(found, abs=3), name


def test_groups_are_larger_where_no_column_is_coarser(here: Path) -> None:
    lines = Path("people.csv").read_text(encoding="utf-8").splitlines()
    Path("people.csv").write_text("\n".join([*lines, "q1,D,flu,30", "q2,D,none,31"]) + "\n", encoding="utf-8")
    asked = Request.of("people.csv", secret=("illness",), public=("city",), max_distortion=0.4)
    done = protect(asked, "out")
    forms, commands = options(done)
    assert forms == [Form.WITHHELD, Form.GROUPED, Form.FEWER, Form.ROWS]
    assert "--suppress-below 10" in commands[1] and main(shlex.split(commands[1])[1:]) == 0
    # Without small groups there is nothing coarser of a text without levels.
    Path("people.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert options(protect(asked, "other"))[0] == [Form.WITHHELD, Form.FEWER, Form.ROWS]


@pytest.mark.parametrize(
    ("bins", "wider"),
    [
        ("width:5", "width:10"),
        ("quantiles:8", "quantiles:4"),
        ("quantiles:3", None),
        ("month", "quarter"),
        ("year", None),
        ("edges:0,18", None),
    ],
)
def test_bins_are_made_wider(bins: str, wider: str | None) -> None:
    assert _wider(bins) == wider
