"""Next month's release: the same job on a new table, by the mechanism that is there, counted with the one before."""

from __future__ import annotations

import csv
import itertools
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import chdir
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leakgauge as lg
from leakgauge.artefacts import JobEvent, Judgement, Record, codec
from leakgauge.artefacts.channel_file import read_channel
from leakgauge.artefacts.estimates import Kit, KitColumn
from leakgauge.artefacts.job import Repeated
from leakgauge.artefacts.scores import Attacker, AttackerName
from leakgauge.design import Keep, Knowledge, MaxDistortion, RateDistortion
from leakgauge.distances import Hamming
from leakgauge.errors import BudgetError, FileError, InputError, OptionError, RefusalError, VerificationError
from leakgauge.jobs.protect import Done
from leakgauge.jobs.protect.stages import STAGES
from leakgauge.mechanisms.steps import LaplaceNoise
from leakgauge.probability import Channel, Distribution, Joint, PriorOrigin
from leakgauge.release import verify
from leakgauge.release.estimates.kit import INSIDE
from leakgauge.release.estimates.rebuilding import rebuilt
from leakgauge.release.ledger import ApproximateLimit, Period, open_ledger
from leakgauge.release.ledger import ledger as ledgers
from leakgauge.release.ledger.cost import Cost
from leakgauge.release.record import read_any_record, read_record
from leakgauge.tables import open_table
from leakgauge.telling.blocks import Edition
from tests.cli.running import as_json, run
from tests.jobs.finished import Finished, Told
from tests.jobs.people import write_people
from tests.jobs.stubs import stubbed
from tests.report.facts import Facts, compose
from tests.report.reading import ENGLISH, texts

ROWS, LATER = 600, 60
LIMIT = 7.0
STUBBED = ("survey", "audit", "assess", "report")
ASKED: dict[str, Any] = {
    "secret": "illness",
    "public": "city",
    "unit": "name",
    "rows_per_unit": 1,
    "local_dp": 2.0,
    "max_distortion": 0.3,
    "confidence": 0.9,
    "ledger": "budget.ledger",
    # Noise that people keep is in test_kept_noise.py.
    "noise": "fresh",
}


def write_months(place: Path) -> None:
    """January, and February with 60 of its 600 persons replaced and every tenth illness another."""
    write_people(place / "all.csv", ROWS + LATER)
    head, *lines = (place / "all.csv").read_text(encoding="utf-8").splitlines()
    (place / "january.csv").write_text("\n".join([head, *lines[:ROWS]]) + "\n", encoding="utf-8")
    later = [
        line.replace(",cold,", ",flu,").replace(",none,", ",cold,") if at % 10 == 0 else line
        for at, line in enumerate(lines)
    ]
    (place / "february.csv").write_text("\n".join([head, *later[LATER:]]) + "\n", encoding="utf-8")


@pytest.fixture
def here(once: Callable[[str, Callable[[Path], None]], Path], finished_job: Finished, tmp_path: Path) -> Iterator[Path]:
    """A folder with both tables, a ledger and the job of January, as the working folder; attacks are copied."""

    def make(place: Path) -> None:
        write_months(place)
        with chdir(place), open_ledger("budget.ledger", create=True) as ledger:
            ledger.open_account("january", ApproximateLimit(LIMIT), unit="the rows of one value of 'name'")
        with chdir(place), stubbed(finished_job.folder, STUBBED):
            lg.protect("january.csv", "out/january", **ASKED)

    shutil.copytree(once("months", make), tmp_path, dirs_exist_ok=True)
    with chdir(tmp_path), stubbed(finished_job.folder, STUBBED):
        yield tmp_path


def again(table: str = "february.csv", folder: str = "out/february", **asked: Any) -> Done:
    return lg.protect(table, folder, **{"repeat": "out/january", **asked})


def told(done: Done) -> Repeated:
    assert done.job.repeated is not None
    return done.job.repeated


def together(channel: Channel, table: str, releases: int) -> tuple[float, float]:
    """Bits and best guess of so many uses of a channel by brute force: every sequence of outputs."""
    with open_table(table) as opened:
        counts = opened.counts("illness")
    by_label = dict(zip(counts.labels("illness"), counts.array(), strict=True))
    p = np.array([by_label.get(label, 0) for label in channel.inputs]) / sum(by_label.values())
    sequences = itertools.product(range(len(channel.outputs)), repeat=releases)
    joint = np.array([p * np.prod(channel.matrix[:, one], axis=1) for one in sequences])
    seen = joint.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = np.nansum(joint * np.log2(joint / (seen * p)))
    return float(bits), float(joint.max(axis=1).sum())


def bound(record: Record) -> Channel:
    """The channel that a record says the illness was released through."""
    channel = record.plan.columns["illness"].channel
    assert channel is not None
    return channel.named().channel


def test_the_mechanism_stays_and_both_releases_are_counted_together(here: Path) -> None:
    done = again()
    before, now = (read_record(f"out/{month}/release.json") for month in ("january", "february"))
    assert before.plan.columns["illness"].channel_prior is PriorOrigin.THIS_TABLE
    assert now.plan.columns["illness"].channel_prior is PriorOrigin.ANOTHER_TABLE
    assert read_channel("out/february/channel.json").prior_origin is PriorOrigin.ANOTHER_TABLE
    assert bound(now) == bound(before)
    assert now.claims["illness"].levels["local-dp"] == before.claims["illness"].levels["local-dp"]
    said = " ".join(map(str, now.assumptions))
    assert "designed from another table" in said and "this table" not in said
    assert verify("out/february/release.json").holds
    # What was asked stays, the account too, though the table has another name.
    assert (done.job.request.declared.confidence, done.job.request.budget.dataset) == (0.9, "january")
    found = told(done)
    (january,) = found.before
    assert (january.reference, january.rows, january.unknown) == (before.reference, ROWS, None)
    assert (january.shared, found.units, found.counted) == (ROWS - LATER, ROWS, 2)
    assert january.unchanged is not None and 0.9 <= january.unchanged["illness"].value < 0.97
    (secret,) = found.secrets
    for releases, bits, guessed in ((1, secret.alone, secret.guessed_alone), (2, secret.together, secret.guessed)):
        assert bits is not None and guessed is not None and secret.exact
        assert (bits.value, guessed.value) == pytest.approx(together(bound(now), "february.csv", releases), abs=1e-9)
    spent = sum(one.budget.epsilon.value for one in (before, now))
    assert found.epsilon.value == pytest.approx(spent)
    assert found.spent is not None and found.spent.value == pytest.approx(spent)
    with open_ledger("budget.ledger") as ledger:
        assert ledger.spent("january").epsilon == pytest.approx(spent)


def test_recipients_of_january_can_read_february(here: Path) -> None:
    """Its kit has the channel that follows from January's released rows and declared settings, and nothing else."""
    again()
    kits = {month: codec.read(Kit, Path(f"out/{month}/kit/kit.json")) for month in ("january", "february")}
    (column,) = kits["february"].protected
    assert column.since == kits["january"].sha256 and column.unreadable is None and not column.keeps_shares
    with open_table("out/january/kit/release.csv") as table:
        found = rebuilt(table, "illness", ("city",), declared, sha256="")
    assert found is not None
    handed_out = read_channel("out/february/kit/channel-1.json")
    assert handed_out.channel == found.channel and handed_out.prior_origin is PriorOrigin.PUBLIC
    rows = np.array([one.matrix for one in found.jackknife])
    assert np.allclose(rows, column.jackknife, rtol=0, atol=1e-8)
    exact = bound(read_record("out/february/release.json"))
    assert not np.allclose(exact.matrix, found.channel.restrict(exact.inputs).matrix, atol=1e-6)
    # Without January's kit, nobody is known to have its rows.
    shutil.rmtree("out/january/kit")
    (column,) = write_again("out/unread")
    assert column.channel is None and column.unreadable == INSIDE


def test_how_much_noise_a_search_chose_is_not_handed_out(here: Path) -> None:
    lg.protect("january.csv", "out/searched", secret="illness", public="city", min_protection=60)
    lg.protect("february.csv", "out/after", repeat="out/searched")
    (column,) = codec.read(Kit, Path("out/after/kit/kit.json")).protected
    assert column.channel is None and column.since is None and column.unreadable == INSIDE


def declared(source: Distribution | Joint) -> RateDistortion:
    """What was declared of January's design."""
    known = Knowledge.ATTACKER if isinstance(source, Joint) else Knowledge.NOBODY
    target = MaxDistortion(ASKED["max_distortion"])
    return RateDistortion(source, Hamming(), target, known, local_dp=ASKED["local_dp"], keep=Keep.SHARES)


def write_again(folder: str) -> tuple[KitColumn, ...]:
    """How the kit of one more February says that its columns are read."""
    again(folder=folder, ledger=None, dataset=None)
    return codec.read(Kit, Path(folder) / "kit" / "kit.json").protected


def test_the_report_says_whose_mechanism_it_is_and_what_both_tell(here: Path) -> None:
    again()
    facts = Facts.read("out/february")
    inside, outside = (compose(facts, ENGLISH, edition) for edition in Edition)
    said = {section.key: texts(replace(inside, sections=(section,))) for section in inside.sections}
    assert "designed from another table" in said["assumptions"]
    assert "that of an earlier release" in said["earlier"]
    assert "out/january" in said["earlier"] and "\n540\n" in said["earlier"]
    assert "The account of january in the ledger has used" in said["earlier"]
    everywhere = " ".join(said.values())
    assert "designed from this table" not in everywhere and "learnt from this table" not in everywhere
    # Who is in both, and what they tell together, follows from private tables.
    handed_out = {one.key: one for one in outside.sections}["earlier"]
    assert [number.value for number in replace(outside, sections=(handed_out,)).numbers()] == [2]
    for number in inside.numbers():
        assert number.value == facts.resolve(number.source)


def test_a_chain_counts_every_release_and_assumes_the_worst_of_what_is_gone(here: Path) -> None:
    again()
    third = again("all.csv", "out/march", repeat="out/february")
    found = told(third)
    assert [one.folder for one in found.before] == ["out/january", "out/february"]
    assert [one.shared for one in found.before] == [ROWS, ROWS]
    assert (found.releases, found.counted) == (3, 3)
    (secret,) = found.secrets
    assert secret.together is not None
    channel = bound(read_record("out/march/release.json"))
    assert secret.together.value == pytest.approx(together(channel, "all.csv", 3)[0], abs=1e-9)
    assert found.epsilon.value == pytest.approx(3 * found.before[0].epsilon.value)
    # The finished job says the same of itself; later the first folder and the second table are gone.
    shutil.rmtree("out/january")
    Path("february.csv").write_text("name\nAda\n", encoding="utf-8")
    found = told(again("all.csv", "out/april", repeat="out/february", ledger=None, dataset=None))
    assert [one.shared for one in found.before] == [None, None]
    assert list(map(str, (one.unknown for one in found.before))) == [
        "its folder is gone or holds another job",
        "its table has changed since",
    ]
    assert found.counted == 3 and found.spent is None


def test_a_release_that_shares_nobody_adds_nothing(here: Path) -> None:
    found = told(again(strangers()))
    assert (found.before[0].shared, found.before[0].unchanged, found.counted) == (0, None, 1)
    assert found.secrets[0].together == found.secrets[0].alone
    assert told(again("others.csv", "out/rows", unit=None, rows_per_unit=None, ledger=None, dataset=None)).counted == 2


def test_letters_and_edges_of_the_earlier_table_stay_and_are_called_so(here: Path) -> None:
    for month in ("january", "february"):
        # The age is called the illness, so that what is copied fits.
        lines = Path(f"{month}.csv").read_text(encoding="utf-8").splitlines()
        Path(f"{month}.csv").write_text("\n".join(["name,city,old,illness", *lines[1:]]) + "\n", encoding="utf-8")
    asked: dict[str, Any] = {
        "secret": "illness",
        "bins": "illness=quantiles:3",
        "mechanism": "randomized-response:epsilon=1",
    }
    lg.protect("january.csv", "out/first", unit="name", **asked)
    # Typed as they were, bins mean the edges that they had.
    again(folder="out/second", repeat="out/first", bins="illness=quantiles:3")
    first, second = (read_record(f"out/{name}/release.json") for name in ("first", "second"))
    assert first.plan.bins["illness"].learnt is not None and not first.plan.bins["illness"].from_another_table
    assert second.plan.bins["illness"].learnt is None and second.plan.bins["illness"].from_another_table
    assert second.plan.bins["illness"].binning == first.plan.bins["illness"].binning
    letters = [one.plan.columns["illness"].letters for one in (first, second)]
    assert letters == ["this table", "another table"]
    assert second.plan.columns["illness"].mechanism == first.plan.columns["illness"].mechanism
    said = " ".join(map(str, second.assumptions))
    assert "edges of the bins of illness were learnt from another table" in said
    assert "letters of illness were taken from another table" in said and "this table" not in said
    # As private as those of this table.
    public = read_any_record("out/second/release.public.json").plan.columns["illness"]
    assert (public.mechanism, public.channel) == ("randomized-response:epsilon=1", None)
    assert all(verify(f"out/second/{name}.json").holds for name in ("release", "release.public"))
    third = again(folder="out/third", repeat="out/second")
    assert read_record("out/third/release.json").plan == second.plan
    assert third.job.request.coarsening.bins == (f"illness={first.plan.bins['illness'].binning}",)


def test_a_limit_that_the_mechanism_does_not_keep_here_is_told_before_anything_is_drawn(here: Path) -> None:
    asked = {**ASKED, "max_distortion": None, "max_leakage": 0.2, "local_dp": None, "ledger": None}
    lg.protect("january.csv", "out/limited", **asked)
    done = again(repeat="out/limited", max_leakage=0.1)
    assert not done.released and done.job.repeated is None
    with pytest.raises(
        RefusalError, match=r"out/limited reveals 0\.\d+ bits of illness in the new table, but 0\.1 are"
    ):
        done.require()
    assert again(folder="out/more", repeat="out/limited", max_leakage=1.0).released


def test_what_is_too_expensive_is_refused_as_ever(here: Path) -> None:
    for month in ("february", "march"):
        assert again(folder=f"out/{month}").released
    done = again(folder="out/april")
    assert not done.released
    with pytest.raises(BudgetError):
        done.require()
    with open_ledger("budget.ledger") as ledger:
        assert ledger.spent("january").epsilon == pytest.approx(6.0)


def test_a_repeated_job_goes_on_where_it_was_and_notices_another_mechanism(here: Path) -> None:
    def stop(event: JobEvent) -> None:
        if event == JobEvent("release", "started"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        again(progress=stop)
    steps = Told()
    again(progress=steps)
    assert steps.states()["design"] == "kept" and steps.states()["release"] == "finished"
    steps = Told()
    again(progress=steps)
    assert steps.states()["release"] == "kept"
    record = Path("out/january/release.json")
    record.write_text(record.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    with pytest.raises(VerificationError, match="was changed after the job wrote it"):
        again()
    # The same question to another table has another channel in its place, which would draw something else.
    shutil.rmtree("out/january")
    lg.protect("all.csv", "out/january", **ASKED, dataset="january")
    with pytest.raises(FileError, match="generate another one, which would leak more"):
        again()


@pytest.mark.parametrize(
    ("asked", "error", "says"),
    [
        ({"repeat": "out/nowhere"}, FileError, "out/nowhere is not the folder of a job"),
        (
            {"folder": "out/january"},
            OptionError,
            "out/january holds the job to repeat and is also named for the new one",
        ),
        ({"secret": "age"}, OptionError, "other secrets are named"),
        ({"max_distortion": 0.1}, OptionError, "--max-distortion differs from out/january"),
        ({"keep": "nothing"}, OptionError, "--keep differs from out/january"),
        ({"bins": "illness=width:2"}, OptionError, "--bins differs from"),
        ({"accounted": 1.0, "rows_per_unit": None}, OptionError, "--accounted differs from"),
        ({"publik": "city"}, OptionError, "did you mean 'public'"),
        ({"repeat": 3}, OptionError, "'repeat' is missing or of another type"),
        ({"table": "city,illness,name\nA,flu,p1\n", "public": ["city", "age", "town"]}, InputError, "'age', 'town'"),
        ({"table": "city,illness,name\nA,1,p1\n"}, InputError, "held text in .* and holds whole numbers in the new"),
        (
            {"table": "city,illness,name\n" + "A,gout,p1\nA,flu,p2\n" * 9, "rows_per_unit": 9},
            InputError,
            "9 of 18 rows",
        ),
    ],
)
def test_what_cannot_be_repeated_is_refused_in_one_sentence_and_leaves_nothing(
    asked: dict[str, Any], error: type[Exception], says: str, here: Path
) -> None:
    Path("mine.csv").write_text(asked.pop("table", Path("february.csv").read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(error, match=says) as refused:
        again("mine.csv", **asked)
    assert "gout" not in str(refused.value)
    assert not Path("out/february").exists()


def test_a_job_that_released_nothing_or_is_not_finished_is_not_repeated(here: Path) -> None:
    place = Path("out/january/job.json")
    whole = json.loads(place.read_text(encoding="utf-8"))
    place.write_text(json.dumps({**whole, "finished": None}), encoding="utf-8")
    with pytest.raises(OptionError, match="out/january is not finished"):
        again()
    del whole["stages"]["release"]
    place.write_text(json.dumps(whole), encoding="utf-8")
    with pytest.raises(OptionError, match="out/january released nothing"):
        again()


def test_on_the_command_line_what_is_typed_counts_and_defaults_do_not(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ("protect", "--repeat", "out/january", "february.csv", "-o", "out/february", "--purpose", "monthly")
    code, fields = as_json(capsys, *command)
    assert code == 0
    assert (fields["asked"]["confidence"], fields["asked"]["purpose"]) == (0.9, "monthly")
    assert fields["repeated"]["before"][0]["shared"] == ROWS - LATER
    code, out, _ = run(capsys, *command)
    assert code == 0
    told = " ".join(out.split())
    assert "Persons in this table: 600." in told and " 540 │" in told
    assert "it was not designed for this table" in told and "The account of january in the ledger has used" in told
    # What the job notes as its command is the same question.
    assert run(capsys, *fields["command"].split()[1:])[0] == 0
    code, _, err = run(capsys, *command, "--max-distortion", "0.1")
    assert (code, err.count("\n")) == (2, 1)


def test_levels_are_those_of_the_record_whatever_is_in_their_file_now(here: Path) -> None:
    cities = sorted({row["city"] for row in rows_of("january.csv")} | {row["city"] for row in rows_of("february.csv")})
    Path("cities.csv").write_text("".join(f"{one};all\n" for one in cities), encoding="utf-8")
    asked = {**ASKED, "levels": ["city=cities.csv:1"], "ledger": None}
    done = lg.protect("january.csv", "out/levels", **asked)
    files = {file: file.read_bytes() for file in done.folder.rglob("*") if file.is_file()}
    Path("cities.csv").write_text("".join(f"{one};renamed\n" for one in cities), encoding="utf-8")
    with pytest.raises(FileError, match="the job would now generate another one"):
        lg.protect("january.csv", "out/levels", **asked)
    still = {file: file.read_bytes() for file in done.folder.rglob("*") if file.is_file()}
    assert still == files, "a finished job stays one"
    for month in ("renamed", "gone"):
        if month == "gone":
            Path("cities.csv").unlink()
        made = again(folder=f"out/{month}", repeat="out/levels")
        assert {row["city"] for row in rows_of(made.folder / "release.csv")} == {"all"}
        assert made.read(Record, "release.json").plan.bins == done.read(Record, "release.json").plan.bins


ATTACKED = ("survey", "report")


@pytest.fixture
def judged(here: Path, once: Callable[[str, Callable[[Path], None]], Path], finished_job: Finished) -> Iterator[Path]:
    """The same folder with a job of January that was attacked and judged, as are those made here."""

    def make(place: Path) -> None:
        with chdir(place), pytest.MonkeyPatch.context() as patch, stubbed(finished_job.folder, ATTACKED):
            patch.setitem(STAGES, "audit", _AUDIT)
            patch.setitem(STAGES, "assess", _ASSESS)
            shutil.copy(here / "january.csv", place)
            lg.protect("january.csv", "out/judged", **{**ASKED, "ledger": None})

    shutil.copytree(once("judged", make), here, dirs_exist_ok=True)
    with stubbed(finished_job.folder, ATTACKED), pytest.MonkeyPatch.context() as patch:
        patch.setitem(STAGES, "audit", _AUDIT)
        patch.setitem(STAGES, "assess", _ASSESS)
        yield here


_AUDIT, _ASSESS = STAGES["audit"], STAGES["assess"]


def of_both(verdict: Judgement) -> list[Attacker]:
    """Who has the earlier releases too."""
    found = verdict.evidence["illness"].attackers
    return [one for one in found if one.name is AttackerName.HAS_EARLIER_RELEASES]


def test_the_verdict_is_for_the_people_in_both_tables(judged: Path) -> None:
    done = again(repeat="out/judged")
    (record,) = (one.reference for one in told(done).before)
    assert [(one.reference, one.same_mechanism) for one in done.job.before] == [(record, True)]
    (both,) = of_both(done.verdict)
    alone = done.verdict.evidence["illness"].attackers[0]
    assert both.gained is not None and alone.gained is not None and both.told is not None and alone.told is not None
    # City adds to both: as much as the channel alone adds by brute force, and a little.
    bits, _ = together(bound(read_record("out/february/release.json")), "february.csv", 2)
    entropy = told(done).secrets[0].entropy.value
    assert both.told.value == pytest.approx(bits / entropy, abs=0.03) and both.told.value > alone.told.value + 0.1
    assert both.gained.value > alone.gained.value
    protection = done.verdict.scores["illness"].protection
    assert protection.ends[0] == pytest.approx(100 * (1 - max(both.gained.value, both.told.value)))
    # How many more people are guessed because of this release does not count the earlier one.
    assert done.verdict.facts.guessed is not None and alone.left is not None
    assert done.verdict.facts.guessed[0] <= round(alone.gained.value * alone.left * ROWS)
    # Judged again it is the same, from what recipients of the earlier release have and what was asked for then.
    kept = {"kit", "job.json", "release.json", "improvement.json"}
    for place in (one for one in Path("out/judged").iterdir() if one.name not in kept):
        place.unlink()
    judged_again = lg.assess("out/february")
    assert (judged_again.evidence, judged_again.scores) == (done.verdict.evidence, done.verdict.scores)


def test_releases_of_all_periods_count_because_nobody_forgets_in_january(
    judged: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledgers, "now", lambda: datetime(2026, 12, 1, tzinfo=UTC))
    with open_ledger("yearly.ledger", create=True) as ledger:
        unit, period = "the rows of one value of 'name'", Period("year", date(2026, 1, 1))
        ledger.open_account("january", ApproximateLimit(LIMIT), unit=unit, period=period)
        ledger.spend("january", Cost((LaplaceNoise(1.0),)), "release of 'illness'", "last", told={"illness": None})
    monkeypatch.setattr(ledgers, "now", lambda: datetime(2027, 2, 1, tzinfo=UTC))
    done = again(repeat="out/judged", ledger="yearly.ledger", dataset="january")
    assert [one.reference for one in done.job.before if not one.same_mechanism] == ["last"]
    assert of_both(done.verdict)
    found, own = told(done), read_record("out/february/release.json").budget.epsilon.value
    assert found.spent is not None and found.spent_in_period is not None
    assert found.spent_in_period.value == pytest.approx(own)
    assert found.spent.value == pytest.approx(own + 1.0)
    said = said_in("out/february", "earlier")
    assert "in this period and ε =" in said and "in all periods together, this release included" in said


def test_a_protection_that_only_one_release_alone_would_keep_is_refused_before_anything_is_drawn(judged: Path) -> None:
    done = again(repeat="out/judged", min_protection=53)
    assert not done.released and "release" not in done.job.stages
    with pytest.raises(RefusalError, match=r"protection is 50\.\d of 100; you require 53"):
        done.require()
    assert again(folder="out/alone", repeat="out/judged", table=strangers(), min_protection=53).released


def test_who_is_in_no_earlier_table_is_judged_by_this_release_alone(judged: Path) -> None:
    done = again(strangers(), repeat="out/judged")
    assert done.job.before == () and not of_both(done.verdict)


def test_other_releases_in_the_ledger_count_by_the_most_their_levels_allow(judged: Path) -> None:
    with open_ledger("budget.ledger") as ledger:
        ledger.spend("january", Cost((LaplaceNoise(0.1),)), "mean of age", "a-query")
        ledger.spend("january", Cost((LaplaceNoise(0.1),)), "release of 'age'", "ages", told={"age": None})
        (first,) = (one for one in ledger.entries("january") if one.told.keys() == {"illness"})
    response = {"max_distortion": None, "local_dp": None, "mechanism": "randomized-response:epsilon=1"}
    done = lg.protect("february.csv", "out/other", **{**ASKED, **response, "dataset": "january"})
    (before,) = done.job.before
    assert (before.reference, before.same_mechanism, done.job.unnamed) == (first.reference, False, 1)
    assert before.epsilon == float(first.cost.epsilon) and first.told["illness"] is not None
    assert before.bits == {"illness": first.told["illness"].told}
    (both,) = of_both(done.verdict)
    alone = done.verdict.evidence["illness"].attackers[0]
    for known, bounded in ((alone.gained, both.gained), (alone.told, both.told)):
        assert known is not None and bounded is not None
        assert bounded.low == pytest.approx(known.value) and bounded.high == bounded.value
        assert bounded.value > known.value + 0.05
    assert lg.assess("out/other").scores == done.verdict.scores
    said = said_in("out/other", "earlier")
    assert "together with earlier ones of the same secrets (1)" in said
    assert "known only from the ledger: 1" in said
    assert "such as queries (1)" in said
    # Running the same job again counts what it counted, and not its own release.
    assert lg.protect("february.csv", "out/other", **{**ASKED, **response, "dataset": "january"}).job.before == (
        before,
    )


def strangers() -> str:
    """February with other people."""
    head, *lines = Path("february.csv").read_text(encoding="utf-8").splitlines()
    Path("others.csv").write_text("\n".join([head, *(f"q{line}" for line in lines)]) + "\n", encoding="utf-8")
    return "others.csv"


def said_in(folder: str, section: str) -> str:
    inside = compose(Facts.read(folder), ENGLISH, Edition.INTERNAL)
    return texts(replace(inside, sections=tuple(one for one in inside.sections if one.key == section)))


def rows_of(file: Path | str) -> list[dict[str, str]]:
    with Path(file).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))
