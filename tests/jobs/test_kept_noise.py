"""Months of one panel, in which people keep their noise: they do not add up, and everything says so alike."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import leakgauge as lg
from leakgauge.artefacts import Finding
from leakgauge.artefacts.job import Repeated
from leakgauge.artefacts.scores import AttackerName
from leakgauge.audit.attacks.averaging import AVERAGING
from leakgauge.audit.attacks.catalogue import attack_of
from leakgauge.errors import OptionError, TableError
from leakgauge.jobs.audit import audit_release
from leakgauge.jobs.protect import Done
from leakgauge.measures.sequences import sequence_leakage
from leakgauge.mechanisms import parse_mechanism
from leakgauge.probability import Channel, Distribution
from leakgauge.randomness import Simulated
from leakgauge.release import ReleasePlan, release, verify
from leakgauge.release.ledger import Unlimited, open_ledger
from leakgauge.release.ledger.summary import account_told
from leakgauge.release.record import read_record
from leakgauge.tables import open_table
from leakgauge.telling.blocks import Edition
from tests.jobs.finished import Finished
from tests.jobs.panels import ANSWERS, SHARES, fix_key, panel, write_panel
from tests.jobs.stubs import stubbed
from tests.release.people import put_back
from tests.report.facts import Facts, compose
from tests.report.reading import ENGLISH, texts

UNIT = "the rows of one value of 'person'"
MECHANISM = "randomized-response:epsilon=1,letters=none|flu|asthma"
MONTHS = 12
KEY = bytes(range(32))


def channel_of(mechanism: str) -> Channel:
    found = parse_mechanism(mechanism).channel()
    assert found is not None
    return found


def guesses(channel: Channel, seen: list[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    """The likeliest value of each person, given releases that are independent given the value."""
    logs = np.log(channel.matrix)
    scores = np.log(SHARES) + sum(logs[:, one].T for one in seen)
    return np.asarray(scores.argmax(axis=1))


def draw_months(place: Path, *, keep: bool) -> tuple[list[dict[str, int]], list[dict[str, int]]]:
    """The true and the released value of each person in twelve months; fresh noise is that of a simulation."""
    channel, true, drawn = channel_of(MECHANISM), list[dict[str, int]](), list[dict[str, int]]()
    plan = ReleasePlan({"illness": MECHANISM}, unit="person")
    with open_ledger(place / "panel.ledger", create=True) as ledger:
        ledger.open_account("panel", Unlimited(), unit=UNIT)
        fix_key(place / "panel.ledger", "panel", KEY)
        for number, table in enumerate(panel(MONTHS, 2000)):
            paid: dict[str, Any] = {"ledger": ledger, "dataset": "panel"} if keep else {"randomness": Simulated(number)}
            made = release(plan, open_table(table), place / f"{number}.csv", **paid)
            people = table["person"].to_pylist()
            for said, rows, letters in ((true, table, channel.inputs), (drawn, put_back(made), channel.outputs)):
                said.append(dict(zip(people, map(letters.index, rows["illness"].to_pylist()), strict=True)))
        told = account_told(ledger.account("panel"), ledger)
    if keep:
        # Charged is every month; who never changed pays for one.
        assert told.spent is not None and told.spent.epsilon.value == pytest.approx(MONTHS)
        assert told.unchanged is not None and told.unchanged.epsilon.value == pytest.approx(1)
    return true, drawn


def test_twelve_months_tell_no_more_than_the_first_of_whoever_stays_and_does_not_change(tmp_path: Path) -> None:
    channel, right = channel_of(MECHANISM), dict[bool, list[float]]()
    for keep in (True, False):
        (tmp_path / str(keep)).mkdir()
        true, drawn = draw_months(tmp_path / str(keep), keep=keep)
        stayed = sorted(set.intersection(*(set(one) for one in true)))
        assert len(stayed) > 500 and all(one[who] == true[0][who] for one in true for who in stayed)
        seen = [np.array([one[who] for who in stayed]) for one in drawn]
        values = np.array([true[0][who] for who in stayed])
        same = [bool((one == seen[0]).all()) for one in seen]
        assert all(same) if keep else not any(same[1:])
        # Who knows that noise is kept has one release of these people: the others are copies.
        different = [*{one.tobytes(): one for one in seen}.values()]
        # Who averages all the same counts one look twelve times, which makes no guess better.
        right[keep] = [float((guesses(channel, which) == values).mean()) for which in (seen[:1], different, seen)]
    first, knowing, averaging = right[True]
    assert knowing == first >= averaging - 0.01
    # With fresh noise twelve looks are twelve.
    assert right[False][2] > right[False][0] + 0.15
    # And so by law.
    prior = Distribution(ANSWERS, SHARES)
    one, twelve = (sequence_leakage(prior, [channel] * count) for count in (1, MONTHS))
    assert first == pytest.approx(one.success, abs=0.05)
    assert right[False][2] == pytest.approx(twelve.success, abs=0.05)


ASKED: dict[str, Any] = {
    "secret": "illness",
    "public": "city",
    "unit": "person",
    "rows_per_unit": 1,
    "mechanism": "randomized-response:epsilon=2,letters=none|flu|asthma",
    "ledger": "budget.ledger",
    "dataset": "panel",
}


@pytest.fixture
def january(
    once: Callable[[str, Callable[[Path], None]], Path], finished_job: Finished, tmp_path: Path
) -> Iterator[Path]:
    """A folder with months of a panel, a ledger and the job of the first month, as the working folder."""

    def make(place: Path) -> None:
        write_panel(place, panel(3, change=0.02))
        with chdir(place), stubbed(finished_job.folder, ("survey",)):
            with open_ledger("budget.ledger", create=True) as ledger:
                for dataset in ("panel", "other"):
                    ledger.open_account(dataset, Unlimited(), unit=UNIT)
            fix_key(Path("budget.ledger"), "panel", KEY)
            lg.protect("month-01.csv", "out/1", **ASKED)

    shutil.copytree(once("kept months", make), tmp_path, dirs_exist_ok=True)
    with chdir(tmp_path), stubbed(finished_job.folder, ("survey",)):
        yield tmp_path


def again(month: int, **asked: Any) -> Done:
    return lg.protect(f"month-{month:02}.csv", f"out/{month}", **{"repeat": f"out/{month - 1}", **asked})


def told(done: Done) -> Repeated:
    assert done.job.repeated is not None
    return done.job.repeated


def test_ledger_verdict_and_report_agree_on_months_with_kept_noise(january: Path) -> None:
    again(2)
    done = again(3)
    found = told(done)
    assert (found.counted, [one.noise_key == found.noise_key for one in found.before]) == (3, [True, True])
    # The ledger: all that is charged, and what it is for whoever never changed.
    with open_ledger("budget.ledger") as ledger:
        account = account_told(ledger.account("panel"), ledger)
    assert account.spent is not None and account.unchanged is not None and found.epsilon_unchanged is not None
    assert account.spent.epsilon.value == pytest.approx(6) and found.epsilon.value == pytest.approx(6)
    assert found.epsilon_unchanged.value == account.unchanged.epsilon.value == pytest.approx(2)
    # The report: all releases tell of an unchanged value what one does, and three times that of values that change.
    (secret,) = found.secrets
    assert secret.draws == 1 and secret.together == secret.alone and secret.guessed == secret.guessed_alone
    assert secret.alone is not None and secret.changing is not None
    assert secret.changing.value == pytest.approx(3 * secret.alone.value)
    # The verdict: as of one release.
    assert [one.kept for one in done.job.before] == [("illness",), ("illness",)]
    names = {one.name for one in done.verdict.evidence["illness"].attackers}
    assert AttackerName.HAS_EARLIER_RELEASES not in names
    alone = lg.protect("month-03.csv", "out/alone", **{**ASKED, "ledger": None, "dataset": None})
    assert done.verdict.scores["illness"].protection == alone.verdict.scores["illness"].protection
    assert (lg.assess("out/3").scores, lg.assess("out/3").evidence) == (done.verdict.scores, done.verdict.evidence)
    facts = Facts.read("out/3")
    inside, outside = (compose(facts, ENGLISH, edition) for edition in Edition)
    said = texts(inside)
    assert "adds up" not in said and "releases that share their noise count as one" in said
    assert "given when they changed: 6" in said and "whose values never changed" in said
    assert "none was named, so none was counted" not in said
    assert "releasing them again reveals nothing new" in said
    for number in inside.numbers():
        assert number.value == facts.resolve(number.source)
    assert found.noise_key is not None and found.noise_key not in said + texts(outside)
    with open_ledger("budget.ledger") as ledger:
        assert verify("out/3/release.json", ledger=ledger).holds


def test_redrawn_months_are_judged_together_and_kept_ones_as_january_alone(january: Path) -> None:
    alone = lg.assess("out/1").scores["illness"].protection.value
    kept = again(2).verdict.scores["illness"].protection.value
    redrawn = lg.protect("month-02.csv", "out/redrawn", repeat="out/1", noise="fresh")
    assert told(redrawn).epsilon_unchanged is None and told(redrawn).secrets[0].draws == 2
    together = redrawn.verdict.scores["illness"].protection.value
    assert together < alone - 10 and kept == pytest.approx(alone, abs=3)
    # A release with fresh noise in between is a draw of its own, and so is what was kept before it.
    mixed = lg.protect("month-03.csv", "out/mixed", repeat="out/redrawn", noise="kept")
    assert told(mixed).secrets[0].draws == 2 and told(mixed).epsilon_unchanged.value == pytest.approx(4)  # type: ignore[union-attr]
    # What another job released by the same draw, outside the chain, adds nothing either.
    assert [one.kept for one in mixed.job.before] == [("illness",), (), ("illness",)]
    assert mixed.verdict.scores["illness"].protection.value == pytest.approx(together, abs=3)


def averaged(folder: str) -> tuple[Finding, ...]:
    """What the attack by averaging finds in a release of the second month."""
    with open_table("month-02.csv") as table:
        found = audit_release(Path(folder, "release.json"), table, secret=["illness"], unit="person")
    return tuple(one for one in found.attacks if attack_of(one.attack) is AVERAGING)


def test_attacks_on_repeated_releases_gain_nothing_where_noise_is_kept(january: Path) -> None:
    again(2)
    kept = averaged("out/2")
    assert len(kept) == 5 and len({one.success.value for one in kept}) == 1
    lg.protect("month-02.csv", "out/fresh", repeat="out/1", noise="fresh")
    fresh = averaged("out/fresh")
    assert fresh[-1].success.value > fresh[0].success.value + 0.1


def test_another_key_is_said_and_counts_as_a_draw_of_its_own(january: Path) -> None:
    done = again(2, dataset="other")
    found = told(done)
    assert found.before[0].noise_key != found.noise_key and found.secrets[0].draws == 2
    assert [one.kept for one in done.job.before] == [()]
    assert found.epsilon_unchanged is not None and found.epsilon_unchanged.value == pytest.approx(4)
    said = texts(compose(Facts.read("out/2"), ENGLISH, next(iter(Edition))))
    assert "The noise of out/1 is not kept" in said


def test_people_with_other_numbers_are_noticed_before_anything_is_drawn(january: Path) -> None:
    text = Path("month-02.csv").read_text()
    Path("month-02.csv").write_text(re.sub(r'"p(\d)', r'"q\1', text))
    with pytest.raises(TableError, match=r"Only 0 of 600 people .* add --noise fresh if they are others"):
        again(2)
    assert not Path("out/2").exists()
    assert again(2, noise="fresh").released


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"ledger": None, "dataset": None}, "--noise kept needs a ledger"),
        ({"unit": None, "rows_per_unit": None}, "name their column with --unit and --rows-per-unit"),
        ({"noise": "old"}, "A noise of 'old' is neither 'kept' nor 'fresh'"),
    ],
)
def test_kept_noise_is_refused_without_what_it_needs(asked: dict[str, Any], says: str, tmp_path: Path) -> None:
    table = tmp_path / "one.csv"
    pa.csv.write_csv(panel(1)[0], table)
    with pytest.raises(OptionError, match=says):
        lg.protect(table, tmp_path / "out", **{**ASKED, "noise": "kept", **asked})


def test_a_record_says_as_what_a_job_was_drawn(january: Path) -> None:
    assert read_record("out/1/release.json").plan.kept == ("illness",)
    assert 'noise = "kept"' in Path("out/1/plan.toml").read_text()
