"""The recipient's kit of a job: what is in it, what is not, and that it goes with its release."""

from __future__ import annotations

import dataclasses
import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.csv
import pytest
from msgspec.structs import replace

import leakgauge as lg
from leakgauge.artefacts import Job, Judgement, PublicRecord, Quantity, Recipients, Record, Request
from leakgauge.artefacts.channel_file import read_channel
from leakgauge.artefacts.codec import read
from leakgauge.artefacts.estimates import Kit, Method, ReadAs
from leakgauge.artefacts.improvement import StoredImprovement
from leakgauge.artefacts.verdict import Recommendation
from leakgauge.cli import main
from leakgauge.errors import OptionError, RefusalError
from leakgauge.jobs import protect as jobs
from leakgauge.jobs.protect import protect
from leakgauge.jobs.protect.earlier import Earlier
from leakgauge.jobs.protect.recipients import epsilon_of_histogram, require_private_shares, write_recipients_kit
from leakgauge.release import Release
from leakgauge.release.estimates import Protected, write_kit
from leakgauge.release.estimates.handed_out import CHOSEN
from leakgauge.report import Edition, Report
from leakgauge.report.markdown import to_markdown
from tests.jobs.finished import Finished
from tests.jobs.people import write_people
from tests.jobs.stubs import stubbed
from tests.release.estimates.test_kit import ALWAYS, agrees, contents, script
from tests.release.test_keep_inside import numbers

ROWS = 600
IMPROVEMENT = "improvement.json"


def asked_of(table: Path) -> Request:
    return Request.of(str(table), secret=("illness",), public=("city",), keep="shares", max_distortion=0.2, simulate=3)


@pytest.fixture(scope="session")
def keeping(once: Callable[[str, Callable[[Path], None]], Path]) -> Path:
    """A finished job that keeps the shares; nobody may change it."""

    def make(place: Path) -> None:
        protect(asked_of(write_people(place / "people.csv", ROWS)), place / "out").require()

    return once("keeping", make) / "out"


def true_shares(folder: Path) -> dict[str, float]:
    table = pyarrow.csv.read_csv(folder.parent / "people.csv")
    return {one["values"]: one["counts"] / ROWS for one in table["illness"].value_counts().to_pylist()}


def test_a_kit_without_the_channel_has_the_shares(keeping: Path) -> None:
    kit = keeping / "kit"
    assert {path.name for path in kit.iterdir()} == {*ALWAYS, "estimate.xlsx", "release.csv"}
    assert (kit / "release.csv").read_bytes() == (keeping / "release.csv").read_bytes()
    found = lg.estimate(kit)
    shares = found.shares("illness")
    assert shares.method is Method.DIRECT and shares.effective_rows is not None
    assert shares.effective_rows.value == pytest.approx(ROWS / 2)
    assert all(share in shares.of(value) for value, share in true_shares(keeping).items())
    assert agrees(script(kit)[1], shares)
    with pytest.raises(OptionError, match="A cross-table of 'illness' cannot be estimated without its channel"):
        found.crosstab("illness", "city")


def test_no_number_of_the_kit_follows_from_the_counts(keeping: Path) -> None:
    kit = json.loads((keeping / "kit" / "kit.json").read_text())
    assert sorted(numbers(kit)) == [1, ROWS]
    # The attack, on what is kept inside: the stationary vector of the channel is the histogram.
    matrix = read_channel(keeping / "channel.json").channel.matrix
    values, vectors = np.linalg.eig(matrix.T)
    shares = np.real(vectors[:, np.argmax(np.real(values))])
    assert np.sort(shares / shares.sum()) == pytest.approx(sorted(true_shares(keeping).values()), abs=1e-9)
    handed_out = "".join(content for name, content in contents(keeping / "kit").items() if name != "release.csv")
    assert not any(str(cell) in handed_out for cell in matrix.ravel().tolist())


@pytest.fixture(scope="session")
def searching(once: Callable[[str, Callable[[Path], None]], Path]) -> Path:
    """A finished job whose setting was searched for; nobody may change it."""

    def make(place: Path) -> None:
        table = write_people(place / "people.csv", ROWS)
        asked = asked_of(table).having(max_distortion=None, keep=None, min_protection=60.0)
        protect(asked, place / "out").require()

    return once("searching", make) / "out"


def test_a_search_ends_in_a_release_that_recipients_can_use(searching: Path) -> None:
    shares = lg.estimate(searching / "kit").shares("illness")
    assert shares.method is Method.DIRECT
    assert all(share in shares.of(value) for value, share in true_shares(searching).items())
    # No setting was even tried of which recipients could compute nothing.
    tried = {str(one.mechanism).partition(":")[0] for one in read(StoredImprovement, searching / IMPROVEMENT).trials}
    assert {name.partition(",")[0] for name in tried} == {"keep-or-redraw", "least leaking that keeps the shares"}
    # Nor does the kit, or the public record, name the setting, which follows from the counts.
    assert not list((searching / "kit").glob("channel*"))
    public = (searching / "release.public.json").read_text(encoding="utf-8")
    assert '"withheld"' in public and "redraw" not in public


def test_a_simulation_is_neither_recommended_nor_for_others(searching: Path) -> None:
    job, verdict = read(Job, searching / "job.json"), read(Judgement, searching / "verdict.json")
    assert verdict.facts.simulated and job.shareable == ()
    assert job.headline is not None
    assert job.headline.recommendation is verdict.recommendation is Recommendation.DO_NOT_RELEASE
    assert "simulation" in str(verdict.reasons[0]) and job.headline.reasons == verdict.reasons
    # What it rehearses keeps every limit: the same is to be drawn for real.
    (action,) = verdict.actions
    assert action.request == job.request.having(simulate=None) and action.left_out == ("--simulate 3",)
    assert action.recommendation is Recommendation.RELEASE_IF
    report = to_markdown(Report.of(searching).documents()[0])
    assert "Recommendation: do not release." in report and "Next step: give" not in report


def test_a_kit_explains_only_how_its_own_columns_are_read(searching: Path, tmp_path: Path) -> None:
    page = (searching / "kit" / "README.md").read_text(encoding="utf-8")
    assert "(`keeps_shares`)" in page and "（`keeps_shares`）" in page and "`rows_per_unit`" in page
    assert "unknown amount" not in page and "未知的偏差" not in page and "(`noise`)" not in page
    columns = [Protected("illness", unreadable=CHOSEN)]
    write_kit(tmp_path / "kit", searching / "release.csv", columns)
    page = (tmp_path / "kit" / "README.md").read_text(encoding="utf-8")
    assert "unknown amount" in page and "未知的偏差" in page and "`keeps_shares`" not in page


def test_a_search_for_a_setting_that_nobody_could_use_is_refused(tmp_path: Path) -> None:
    table = write_people(tmp_path / "people.csv", ROWS)
    asked: dict[str, Any] = {"secret": "illness", "min_protection": 60.0, "keep": "nothing", "simulate": 3}
    with pytest.raises(OptionError, match="recipients can compute nothing; leave --keep nothing out, or add --publish"):
        lg.protect(table, tmp_path / "out", **asked)
    assert not (tmp_path / "out").exists()
    # Noise is of use where recipients may know how much it is.
    asked = {"secret": "age", "min_protection": 60.0, "lower": 0, "upper": 100, "bins": (), "simulate": 3}
    lg.protect(table, tmp_path / "noisy", publish_shares=True, **asked).require()
    assert lg.estimate(tmp_path / "noisy" / "kit").mean("age").cells


def written(folder: Path, place: Path, **changes: Any) -> Kit:
    """The kit that the job would have written, had something else been asked."""
    asked, release = read(Job, folder / "job.json").request, Release.read(folder / "release.json")
    found = read(Recipients, folder / "recipients.json")
    write_recipients_kit(asked.having(**changes), release, found, place)
    return read(Kit, place / "kit.json")


def test_cells_that_a_spreadsheet_would_run_are_named(keeping: Path, tmp_path: Path) -> None:
    asked, release = read(Job, keeping / "job.json").request, Release.read(keeping / "release.json")
    record = replace(release.record, output=replace(release.record.output, formulas=("city",)))
    found = read(Recipients, keeping / "recipients.json")
    write_recipients_kit(asked, dataclasses.replace(release, record=record), found, tmp_path)
    assert "would run cells of city as formulas" in (tmp_path / "README.md").read_text()
    assert "would run cells of city as formulas" in script(tmp_path)[1]
    assert "would run cells" not in (keeping / "kit" / "README.md").read_text()


def test_shares_that_may_be_published_let_cross_tables_be_corrected(keeping: Path, tmp_path: Path) -> None:
    (column,) = written(keeping, tmp_path / "kit", publish_shares=True).protected
    assert column.keeps_shares and column.channel is not None
    found = lg.estimate(tmp_path / "kit").crosstab("illness", "city")
    # Only the kit says that the shares are kept, with which its cross-tables agree.
    kept = Protected("illness", read_channel(keeping / "channel.json").channel, keeps_shares=True)
    assert found == lg.estimate(keeping / "release.csv", {"illness": kept}).crosstab("illness", "city")
    assert found.method is Method.MARGINS
    assert agrees(script(tmp_path / "kit")[1], lg.estimate(tmp_path / "kit").shares("illness"))
    assert agrees(script(tmp_path / "kit", "illness", "city")[1], found)


def test_a_kit_is_the_same_whatever_only_the_table_says(keeping: Path, tmp_path: Path) -> None:
    """The masking law of the external edition, for kits: what was measured of the table may be anything."""
    asked, release = read(Job, keeping / "job.json").request, Release.read(keeping / "release.json")
    found = read(Recipients, keeping / "recipients.json")
    asked = asked.having(purpose="teaching", terms="Only for teaching.", contact="data@example.org")
    write_recipients_kit(asked, release, found, tmp_path / "a")
    other: dict[str, Any] = {"worth": Quantity(0.9, "share"), "rows": Quantity(1.0, "rows"), "confused": 7}
    columns = tuple(replace(one, **other) for one in found.columns)
    record = replace(release.record, claims={}, together={}, reference="0", created="0", versions={}, assumptions=())
    apart = tmp_path / "apart"
    apart.mkdir()
    for name in ("release.csv", "release.public.json"):
        shutil.copy(keeping / name, apart / name)
    # Neither the table nor another file of the job is there, and its place has another name.
    moved = dataclasses.replace(
        release, output=apart / "release.csv", record_file=apart / "release.json", record=record
    )
    write_recipients_kit(asked, moved, replace(found, columns=columns), tmp_path / "b")
    said = contents(tmp_path / "a")
    assert contents(tmp_path / "b") == said
    assert said.keys() == {*ALWAYS, "estimate.xlsx", "release.csv"}
    told = [json.loads(said[name]) for name in ("croissant.json", "datapackage.json")]
    assert "people" not in said["croissant.json"] + said["datapackage.json"] + said["README.md"]
    public = read(PublicRecord, keeping / "release.public.json")
    assert [one["name"] for one in told] == [f"release-{public.reference}"] * 2


def test_persons_and_rehearsals_are_noted(keeping: Path, tmp_path: Path) -> None:
    assert [str(one)[:20] for one in written(keeping, tmp_path / "a").notes] == ["This is a simulation"]
    persons = written(keeping, tmp_path / "b", simulate=None, unit="name")
    assert [str(one)[:34] for one in persons.notes] == ["One person may have several rows, "]
    declared = written(keeping, tmp_path / "c", simulate=None, unit="name", rows_per_unit=3)
    assert declared.notes == () and declared.rows_per_unit == 3
    assert "One person may have several rows" in (tmp_path / "b" / "README.md").read_text()


def test_the_job_says_what_recipients_can_compute(
    keeping: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = read(Recipients, keeping / "recipients.json")
    (one,) = found.columns
    assert one.read_as is ReadAs.COUNTED and not one.corrected and one.worth is not None and one.rows is not None
    assert 0.5 < one.worth.value < 1 and one.rows.value == pytest.approx(ROWS * one.worth.value)
    opened, again = map(shlex.split, found.commands)
    assert opened[1:3] == ["ledger", "open"] and again[1] == "protect" and "--simulate" not in again
    assert again[again.index("--accounted") + 1] == "1" and again[-1] == f"{keeping}-accounted"
    asked = ["protect", *read(Job, keeping / "job.json").request.arguments()]
    shutil.copytree(keeping, tmp_path / "out")
    assert main([*asked, "-o", str(tmp_path / "out")]) == 0
    screen = capsys.readouterr().out
    assert f"│ {one.rows.value:.0f} rows " in screen
    assert f"  {found.commands[1]}\n" in screen
    report = Report.of(keeping)
    for edition, said, unsaid in (
        (Edition.INTERNAL, "leakgauge ledger open", "at least 300 rows"),
        (Edition.EXTERNAL, "at least 300 rows", "leakgauge ledger open"),
    ):
        text = to_markdown(report.documents(edition=edition)[0])
        assert "## What recipients can compute" in text and said in text and unsaid not in text


def test_the_kit_goes_with_its_release(finished: Finished, made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kit = finished.folder / "kit"
    before = {path.name: path.read_bytes() for path in kit.iterdir()}
    (kit / "release.csv").write_text("something else")
    (kit / "channel-7.json").touch()
    with stubbed(made):
        protect(finished.asked, finished.folder)
        assert {path.name: path.read_bytes() for path in kit.iterdir()} == before
        # Of another job the old release goes with its kit, before a new one is drawn.
        gone: list[bool] = []
        again = finished.asked.having(simulate=9)
        protect(again, finished.folder, overwrite=True, progress=lambda _: gone.append(not kit.exists()))
        assert gone[0] and {path.name: path.read_bytes() for path in kit.iterdir()} == before
        # A release that must not be given away has none.
        monkeypatch.setattr(jobs, "refusal_of", lambda verdict: RefusalError("A veto stands against it."))
        done = protect(again, finished.folder)
    assert done.refused is not None and not kit.exists() and "kit" not in done.job.shareable


@pytest.mark.parametrize(
    ("asked", "private"),
    [
        ({"max_distortion": 0.2}, True),
        ({"mechanism": ("randomized-response:epsilon=1",)}, False),
        ({"mechanism": ("randomized-response:epsilon=1", "unary-encoding:epsilon=1"), "max_leakage": 1}, True),
        ({"max_distortion": 0.2, "accounted": 1.0, "ledger": "some.ledger"}, False),
        ({"mechanism": ("exponential:epsilon=1",)}, True),
    ],
)
def test_publishing_shares_needs_shares_to_publish(asked: dict[str, object], private: bool) -> None:
    question = Request.of("people.csv", secret=("illness",), publish_shares=True, **asked)  # type: ignore[arg-type]
    if private:
        require_private_shares(question, None)
    else:
        with pytest.raises(OptionError, match="--publish-shares is for channels that follow from private"):
            require_private_shares(question, None)


@pytest.mark.parametrize(
    ("roles", "hidden"),
    [
        ({"background": ("team",)}, "team"),
        ({"background": ("team", "city"), "public": ("city",)}, "team"),
        ({"public": ("city",), "public_distortion": {"city": 0.1}}, "city"),
        ({"background": ("city",), "public": ("city",)}, None),
    ],
)
def test_no_channel_is_handed_out_that_follows_from_what_is_not_published(
    roles: dict[str, object], hidden: str | None
) -> None:
    question = Request.of("people.csv", secret=("illness",), publish_shares=True, max_distortion=0.2, **roles)  # type: ignore[arg-type]
    if hidden is None:
        require_private_shares(question, None)
        return
    with pytest.raises(OptionError, match=f"exact cross-table with {hidden} follows"):
        require_private_shares(question, None)


def test_a_repeated_channel_follows_from_what_it_was_designed_against(keeping: Path) -> None:
    earlier = Earlier(keeping, read(Job, keeping / "job.json"), read(Record, keeping / "release.json"))
    assert earlier.job.request.roles.seen
    for public, refused in ((earlier.job.request.roles.public, False), ((), True)):
        again = earlier.job.request.having(publish_shares=True, background=(), public=public)
        with pytest.raises(OptionError, match="exact cross-table") if refused else nullcontext():
            require_private_shares(again, earlier)


def test_noise_of_a_histogram_is_small_beside_chance() -> None:
    assert [epsilon_of_histogram(rows) for rows in (16, 600, 2000, 30_000, 10**7)] == [1.0, 1.0, 0.6, 0.2, 0.1]


@pytest.mark.nightly
def test_the_commands_let_recipients_correct_cross_tables(keeping: Path, tmp_path: Path) -> None:
    opened, again = map(shlex.split, read(Recipients, keeping / "recipients.json").commands)
    for words in (opened, [*again[:-1], str(tmp_path / "again")]):
        done = subprocess.run([sys.executable, "-m", *words], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert lg.estimate(tmp_path / "again" / "kit").crosstab("illness", "city").method is not Method.DIRECT
