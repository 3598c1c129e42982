"""Noise that people keep while their values stay the same: by whom, for what, and who never sees the key."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from leakgauge.artefacts.codec import text_of
from leakgauge.errors import OptionError, VerificationError
from leakgauge.probability import Channel, Interval
from leakgauge.release import Release, ReleasePlan, release, verify
from leakgauge.release.execution import Stage
from leakgauge.release.kept import channel_digest, encoding, with_noise
from leakgauge.release.ledger import Unlimited, open_ledger
from leakgauge.release.ledger.summary import account_told
from leakgauge.release.ledger.unchanged import cost_unchanged
from leakgauge.tables import open_table
from tests.jobs.panels import fix_key
from tests.release.people import put_back

UNIT = "the rows of one value of 'person'"
ANSWER = "randomized-response:epsilon=1,letters=a|b|c"
PLAN: dict[str, Any] = {"columns": {"answer": ANSWER}, "unit": "person"}


def panel(people: int = 400, first: int = 0, shift: int = 0, each: int = 1) -> pa.Table:
    """Rows of so many people, each with the same answer everywhere unless it is shifted."""
    numbers = [at for at in range(first, first + people) for _ in range(each)]
    return pa.table(
        {"person": [f"p{at}" for at in numbers], "answer": [["a", "b", "c"][(at + shift) % 3] for at in numbers]}
    )


@pytest.fixture
def place(tmp_path: Path) -> Path:
    with open_ledger(tmp_path / "budget.ledger", create=True) as ledger:
        for dataset in ("panel", "other"):
            ledger.open_account(dataset, Unlimited(), unit=UNIT)
        ledger.open_account("rows", Unlimited())
    return tmp_path


@pytest.fixture
def fixed(place: Path) -> Path:
    """The same place, where both accounts have a key that is always the same."""
    for at, dataset in enumerate(("panel", "other")):
        fix_key(place / "budget.ledger", dataset, bytes([at] * 32))
    return place


def released(place: Path, name: str, table: pa.Table, dataset: str = "panel", **plan: Any) -> Release:
    with open_ledger(place / "budget.ledger") as ledger:
        return release(
            ReleasePlan(**{**PLAN, **plan}), open_table(table), place / f"{name}.csv", ledger=ledger, dataset=dataset
        )


def answers(made: Release, table: pa.Table) -> dict[str, set[str]]:
    """What was released of each person."""
    found: dict[str, set[str]] = {}
    for person, answer in zip(table["person"].to_pylist(), put_back(made)["answer"].to_pylist(), strict=True):
        found.setdefault(person, set()).add(answer)
    return found


def test_people_whose_values_stay_keep_their_noise_and_others_have_noise_of_their_own(fixed: Path) -> None:
    january, february = panel(), panel(first=40)
    first, second = (answers(released(fixed, name, table), table) for name, table in (("1", january), ("2", february)))
    both = first.keys() & second.keys()
    assert len(both) == 360 and all(first[one] == second[one] for one in both)
    # Another value is another draw: of changed people as many agree as independent draws would.
    changed = panel(shift=1)
    third = answers(released(fixed, "3", changed), changed)
    agree = sum(first[one] == third[one] for one in first)
    assert 80 < agree < 190
    # Fresh noise, another account and another channel are other draws too.
    others: dict[str, dict[str, Any]] = {
        "4": {"noise": "fresh"},
        "5": {"dataset": "other"},
        "6": {"columns": {"answer": "randomized-response:epsilon=1.01,letters=a|b|c"}},
    }
    for name, options in others.items():
        other = answers(released(fixed, name, january, **options), january)
        assert 100 < sum(first[one] == other[one] for one in first) < 260


def test_rows_of_a_person_with_one_value_share_their_draw_and_each_draw_has_the_law_of_the_channel(fixed: Path) -> None:
    table = panel(people=3000, each=3)
    found = answers(released(fixed, "1", table, rows_per_unit=3), table)
    assert all(len(one) == 1 for one in found.values())
    channel = np.full((3, 3), 1 / (np.e + 2)) + np.eye(3) * (np.e - 1) / (np.e + 2)
    for at, letter in enumerate("abc"):
        drawn = [next(iter(found[f"p{one}"])) for one in range(3000) if one % 3 == at]
        counts = [drawn.count(other) for other in "abc"]
        # By persons: rows would count each draw three times.
        assert stats.chisquare(counts, channel[at] * len(drawn)).pvalue > 1e-4, letter


def test_units_are_the_same_whether_read_as_numbers_or_text_and_nobody_keeps_no_noise(place: Path) -> None:
    numbers = panel().set_column(0, "person", pa.array(range(400)))
    texts, floats = (
        numbers.set_column(0, "person", numbers["person"].cast(kind)) for kind in (pa.string(), pa.float64())
    )
    found = [
        put_back(released(place, str(at), one))["answer"].to_pylist() for at, one in enumerate((numbers, texts, floats))
    ]
    assert found[0] == found[1] == found[2]
    coded = numbers.set_column(0, "person", pa.chunked_array([texts["person"].combine_chunks().dictionary_encode()]))
    assert put_back(released(place, "coded", coded))["answer"].to_pylist() == found[0]
    nobody = pa.table({"person": pa.array([None] * 300, pa.string()), "answer": ["a"] * 300})
    drawn = [put_back(released(place, f"n{at}", nobody, rows_per_unit=300))["answer"].to_pylist() for at in (1, 2)]
    assert drawn[0] != drawn[1] and set(drawn[0]) == {"a", "b", "c"}


def test_the_key_is_in_nothing_that_is_written_shown_or_handed_out(place: Path) -> None:
    made = released(place, "1", panel())
    connection = sqlite3.connect(place / "budget.ledger")
    ((dataset, secret),) = connection.execute("SELECT dataset, secret FROM noise_keys").fetchall()
    connection.close()
    assert dataset == "panel" and len(bytes.fromhex(secret)) == 32
    with open_ledger(place / "budget.ledger") as ledger:
        shown = text_of(account_told(ledger.account("panel"), ledger)) + "".join(one.body for one in ledger.entries())
        (spend,) = [one for one in ledger.entries("panel") if one.kept is not None]
        ledger.check()
    files = [one for one in place.iterdir() if not one.name.startswith("budget.ledger")]
    assert len(files) == 4
    for text in (shown, repr(made), *(one.read_text() for one in files)):
        assert secret not in text and secret[:16] not in text
    # Its name is in the ledger and in the private record, where a later release finds it.
    assert spend.kept is not None and spend.kept.key in made.record_file.read_text()
    assert spend.kept.key not in made.public_record_file.read_text()


def test_the_ledger_charges_in_full_and_says_what_people_pay_whose_values_never_changed(place: Path) -> None:
    for name in ("1", "2", "3"):
        released(place, name, panel())
    released(place, "4", panel(), noise="fresh")
    with open_ledger(place / "budget.ledger") as ledger:
        told = account_told(ledger.account("panel"), ledger)
        assert told.spent is not None and told.unchanged is not None and told.entries is not None
        assert told.spent.epsilon.value == pytest.approx(4)
        assert told.unchanged.epsilon.value == pytest.approx(2)
        assert len({one.noise_key for one in told.entries}) == 2 and told.entries[-1].noise_key is None
        (column,) = told.told
        assert column.bits is not None and column.unchanged is not None
        assert column.unchanged.value == pytest.approx(column.bits.value / 2)
        assert cost_unchanged(()).is_nothing
        ledger.check()


def test_records_say_what_is_kept_and_what_that_means_and_verify(place: Path) -> None:
    table = panel().append_column("income", pa.array([float(at) for at in range(400)]))
    made = released(
        place, "1", table, columns={"answer": ANSWER, "income": "laplace:epsilon=1,lower=0,upper=400"}, rows_per_unit=1
    )
    assert made.record.plan.kept == ("answer",)
    for said in (made.record, made.public_record):
        assert said is not None
        words = " ".join(map(str, said.assumptions))
        assert "The noise of answer is kept" in words and "The noise of income is generated afresh" in words
        assert "kept noise does not hide that" in words and "BLAKE2b" in words
    with open_ledger(place / "budget.ledger") as ledger:
        for record in (made, made.record_file):
            assert verify(record, ledger=ledger).holds
    assert verify(made.public_record_file).holds
    fresh = released(place, "2", table, noise="fresh")
    assert fresh.record.plan.kept == () and "generated afresh" in " ".join(map(str, fresh.record.assumptions))
    # So it may be asked for where nothing could be kept.
    alone = release(ReleasePlan({"answer": ANSWER}, noise="fresh"), open_table(table), place / "4.csv")
    assert alone.record.plan.kept == () and verify(alone.record_file).holds
    # Without a unit or a ledger a record says nothing of it, as ever.
    alone = release(ReleasePlan({"answer": ANSWER}), open_table(table), place / "3.csv")
    assert alone.record.plan.kept is None and "afresh" not in " ".join(map(str, alone.record.assumptions))


def test_a_kill_leaves_a_spend_and_the_same_values_to_draw_again(place: Path) -> None:
    table, whole = panel(), {}

    def stop(stage: Stage, rows: int, /) -> None:
        if stage is Stage.DRAWN:
            raise KeyboardInterrupt

    with open_ledger(place / "budget.ledger") as ledger:
        with pytest.raises(KeyboardInterrupt):
            release(
                ReleasePlan(**PLAN), open_table(table), place / "1.csv", ledger=ledger, dataset="panel", progress=stop
            )
        assert len([one for one in ledger.entries("panel") if one.cost.epsilon]) == 1
        key = ledger.noise_key("panel")
    whole = answers(released(place, "1", table), table)
    with open_ledger(place / "budget.ledger") as ledger:
        assert ledger.noise_key("panel") == key
    assert answers(released(place, "2", table), table) == whole


def test_an_earlier_ledger_gets_its_key_when_it_first_needs_one(place: Path) -> None:
    def tables() -> set[str]:
        connection = sqlite3.connect(place / "budget.ledger")
        found = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        connection.close()
        return found

    released(place, "1", panel(), noise="fresh")
    assert "noise_keys" not in tables()
    released(place, "2", panel())
    assert "noise_keys" in tables()


@pytest.mark.parametrize("change", ["DELETE FROM noise_keys", f"UPDATE noise_keys SET secret = '{'00' * 32}'"])
def test_a_key_that_was_lost_or_replaced_is_noticed_before_anything_is_spent(change: str, place: Path) -> None:
    released(place, "1", panel())
    connection = sqlite3.connect(place / "budget.ledger")
    connection.execute(change)
    connection.commit()
    connection.close()
    with pytest.raises(VerificationError, match="lost the key by which releases of 'panel' keep their noise"):
        released(place, "2", panel())
    with open_ledger(place / "budget.ledger") as ledger:
        assert len([one for one in ledger.entries("panel") if one.cost.epsilon]) == 1
    assert released(place, "3", panel(), noise="fresh").record.plan.kept == ()


def test_what_cannot_be_kept_is_refused_where_it_is_asked_for(place: Path) -> None:
    table = open_table(panel())
    kept = ReleasePlan(**PLAN, noise="kept")
    with pytest.raises(OptionError, match="Kept noise needs to know which rows are one person's"):
        release(kept, table, place / "1.csv")
    with open_ledger(place / "budget.ledger") as ledger:
        with pytest.raises(OptionError, match="name a unit with its rows per unit"):
            release(
                ReleasePlan({"answer": ANSWER}, noise="kept"), table, place / "1.csv", ledger=ledger, dataset="rows"
            )
        with pytest.raises(OptionError, match="workers cannot keep it"):
            release(kept, table, place / "out", ledger=ledger, dataset="panel", on_workers=True)
    by_default = with_noise(ReleasePlan(**PLAN), counted=True, on_workers=True)
    assert by_default.noise == "fresh" and with_noise(ReleasePlan(**PLAN), counted=True).noise == "kept"
    with pytest.raises(OptionError, match="'old' is neither 'kept' nor 'fresh'"):
        ReleasePlan(**PLAN, noise="old")
    assert not list(place.glob("1*"))


def test_channels_have_one_digest_if_they_are_one_and_labels_of_other_types_are_others() -> None:
    flip = [[0.75, 0.25], [0.25, 0.75]]
    channels = [
        Channel("ab", "ab", flip),
        Channel("ba", "ab", flip),
        Channel("ab", "ba", flip),
        Channel("ab", "ab", [[0.75, 0.25], [0.5, 0.5]]),
        Channel([1, 2], "ab", flip),
        Channel(["1", "2"], "ab", flip),
        Channel([1.5, 2], "ab", flip),
        Channel([True, False], "ab", flip),
        Channel([None, ""], "ab", flip),
        Channel([("a", "b"), ("a", "c")], "ab", flip),
        Channel([Interval(0, 1), Interval(1, 2)], "ab", flip),
    ]
    assert len({channel_digest(one) for one in channels}) == len(channels)
    assert channel_digest(channels[0]) == channel_digest(Channel("ab", "ab", flip))
    assert encoding(("a", "b|c")) != encoding(("a|b", "c"))
    assert encoding(1) == encoding(np.int64(1)) != encoding(True)


def test_plans_say_whether_noise_is_kept(place: Path) -> None:
    from leakgauge.release import read_plan

    for noise in ("kept", "fresh", None):
        plan = ReleasePlan(**PLAN, noise=noise)
        (place / "plan.toml").write_text(plan.to_toml())
        assert read_plan(place / "plan.toml") == plan
        assert ("noise" in plan.to_toml()) is (noise is not None)
