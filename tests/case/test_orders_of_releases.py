"""Whoever can put the rows of a release in order is judged: before it is drawn, and by what was drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import leakgauge as lg
from leakgauge.artefacts.scores import Attacker, AttackerName
from leakgauge.assessment.outgoing import Outgoing
from leakgauge.assessment.scores.reading import scores_of
from leakgauge.case import Case
from leakgauge.cli import main
from leakgauge.errors import ColumnError, InputError, OptionError, TableError
from leakgauge.randomness import Simulated
from leakgauge.release import ReleasePlan, release
from leakgauge.release.bound import bind
from leakgauge.release.recorded_plan import plan_of
from leakgauge.tables import open_table

ROWS = 3_000
# Keeps 0.17 of four letters and redraws the others: ε = log(1 + 4 · 0.17 / 0.83).
FAINT = "randomized-response:epsilon=0.5991,letters=a|b|c|d"
KEPT: dict[str, Any] = {"keep_order": True}


def people(*, mixed: bool = False) -> pa.Table:
    """People with a time, sorted by their status unless they are mixed."""
    draws = np.random.default_rng(1)
    status = np.sort(draws.choice(["a", "b", "c", "d"], p=[0.45, 0.3, 0.2, 0.05], size=ROWS))
    order = draws.permutation(ROWS) if mixed else np.arange(ROWS)
    columns = {"status": status[order], "time": order[::-1] if not mixed else order, "pay": np.sort(draws.random(ROWS))}
    return pa.table({**columns, "city": draws.choice(["Oslo", "Moss"], size=ROWS)})


def attackers(plan: ReleasePlan, table: pa.Table, secret: str = "status", unit: str | None = None) -> list[Attacker]:
    """Those who know an order, before anything is drawn."""
    with open_table(table) as opened:
        bound = bind(plan, opened)
        going = Outgoing(Case(bound.table, unit=unit), bound)
        found = going.evidence((secret,)).attackers
    assert found[0].name is AttackerName.KNOWS_THE_ROW
    return [one for one in found if one.name is AttackerName.KNOWS_THE_ORDER]


def gained(found: list[Attacker]) -> float:
    (only,) = found
    assert only.gained is not None
    return only.gained.value


def test_a_sorted_table_is_not_safe_in_its_order_and_shuffled_as_the_law_says(tmp_path: Path) -> None:
    kept, shuffled = (ReleasePlan({"status": FAINT}, keep_order=keep) for keep in (True, False))
    with open_table(people()) as table:
        case = Case(table)
        made = release(kept, table, tmp_path / "kept.csv", randomness=Simulated(1))
        drawn = Outgoing(case, plan_of(made.record, made.record_file), release=made).evidence(("status",))
        promised = Outgoing(case, bind(kept, table)).evidence(("status",))
        safe = Outgoing(case, bind(shuffled, table)).evidence(("status",))
    for evidence in (promised, drawn):
        last = evidence.attackers[-1]
        assert last.name is AttackerName.KNOWS_THE_ORDER and last.worst in {*"abcd"}
        assert last.gained is not None and last.surest is not None
        assert last.gained.value > 0.7 and last.surest.value > 0.7
        assert scores_of(evidence).protection.value < 30
        assert evidence.attackers[:-1] == safe.attackers
    assert scores_of(safe).protection.value > 90
    (low, high), (least, most) = (one.attackers[-1].gained.ends for one in (promised, drawn))  # type: ignore[union-attr]
    assert low <= most and least <= high


def test_an_order_that_does_not_matter_adds_nobody() -> None:
    assert attackers(ReleasePlan({"status": FAINT}, **KEPT), people(mixed=True)) == []
    assert attackers(ReleasePlan({"status": FAINT}), people()) == []


def test_a_column_orders_the_rows_where_it_is_published_or_the_order_is_kept() -> None:
    table = people(mixed=True)
    assert gained(attackers(ReleasePlan({"status": FAINT}, order_by="time", **KEPT), table)) > 0.7
    texts = pa.array([f"at {value:04}" for value in table["time"].to_pylist()])
    written = table.set_column(table.column_names.index("time"), "time", texts)
    assert gained(attackers(ReleasePlan({"status": FAINT}, order_by="time", **KEPT), written)) > 0.7
    public = gained(attackers(ReleasePlan({"status": FAINT}, ["time"], order_by="time"), table))
    # A published number that differs in every row orders them without being declared.
    assert gained(attackers(ReleasePlan({"status": FAINT}, ["time"]), table)) == public > 0.7
    assert attackers(ReleasePlan({"status": FAINT}, ["city"]), people()) == []


def test_a_published_column_orders_the_rows_of_a_release_that_was_shuffled(tmp_path: Path) -> None:
    plan = ReleasePlan({"status": FAINT}, ["time"], order_by="time")
    with open_table(people(mixed=True)) as table:
        made = release(plan, table, tmp_path / "out.csv", randomness=Simulated(1))
        assert made.order is not None and made.record.plan.order_by == "time"
        drawn = Outgoing(Case(table), plan_of(made.record, made.record_file), release=made).evidence(("status",))
    assert gained([drawn.attackers[-1]]) > 0.7


@pytest.mark.parametrize(
    "mechanism", ["laplace:epsilon=2,lower=0,upper=1", "gaussian:epsilon=3,delta=1e-3,lower=0,upper=1"]
)
@pytest.mark.parametrize("clamp", [(), ("pay",)])
def test_numbers_come_back_by_their_order(mechanism: str, clamp: tuple[str, ...]) -> None:
    (found,) = attackers(ReleasePlan({"pay": mechanism}, clamp=clamp, **KEPT), people(), "pay")
    assert gained([found]) > 0.8 and found.left is None and found.worst in {f"{one}/10" for one in range(1, 11)}


def test_sets_and_bins_come_back_by_their_order() -> None:
    sets = ReleasePlan({"status": "subset-selection:epsilon=1,letters=a|b|c|d"}, **KEPT)
    assert gained(attackers(sets, people())) > 0.7
    spelled = "randomized-response:epsilon=3,letters=this-table"
    (found,) = attackers(ReleasePlan({"pay": spelled}, bins={"pay": "width:0.05"}, **KEPT), people(), "pay")
    assert gained([found]) > 0.7


def test_with_a_unit_series_are_of_each_person() -> None:
    draws = np.random.default_rng(2)
    persons, months = 400, 12
    status = np.repeat(draws.choice([*"abcd"], size=(persons, 2)), months // 2, axis=1)
    each = {"person": np.repeat(np.arange(persons), months), "month": np.tile(np.arange(months), persons)}
    by_person = pa.table({**each, "status": status.ravel()})
    mixed = by_person.take(pa.array(draws.permutation(by_person.num_rows)))
    spelled = "randomized-response:epsilon=1.5,letters=a|b|c|d"
    plan = ReleasePlan({"status": spelled}, ["month"], order_by="month", unit="person", rows_per_unit=12)
    found = gained(attackers(plan, mixed, unit="person"))
    # Alone, a row gives back e^1.5 / (e^1.5 + 3) of the letters: 0.47 of what is left.
    assert found > 0.6
    assert found == pytest.approx(gained(attackers(plan, by_person, unit="person")), abs=0.05)


@pytest.mark.parametrize(
    ("asked", "kind", "said"),
    [
        ({"order_by": "time"}, OptionError, "--order-by 'time' is an order that nobody sees.*--public time"),
        ({"order_by": "time", "public": ["time=0.1"]}, OptionError, "an order that nobody sees"),
        ({"order_by": "tine", **KEPT}, ColumnError, "There is no column 'tine'.*'time'"),
        ({"order_by": "city", **KEPT}, TableError, "2 values of column 'city' occur in several rows.*--unit"),
        ({"order_by": "city", "unit": "status2", **KEPT}, TableError, "of one value of 'status2'.*in every row of a"),
        ({"order_by": ("time", "city"), **KEPT}, OptionError, "'order_by' is missing or of another type"),
    ],
)
def test_a_column_that_orders_nothing_is_refused(
    asked: dict[str, Any], kind: type[InputError], said: str, tmp_path: Path
) -> None:
    table = people().append_column("status2", people()["status"])
    with pytest.raises(kind, match=said):
        lg.protect(table, tmp_path / "out", secret="status", mechanism=[FAINT], **asked)
    assert not (tmp_path / "out").exists()


def test_a_plan_whose_order_nobody_sees_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with open_table(people()) as table:
        with pytest.raises(OptionError, match="orders rows by column 'time', which it does not publish"):
            bind(ReleasePlan({"status": FAINT}, order_by="time"), table)
        with pytest.raises(ColumnError, match="'tine'"):
            bind(ReleasePlan({"status": FAINT}, order_by="tine", **KEPT), table)
    pa.csv.write_csv(people(), tmp_path / "people.csv")
    (tmp_path / "plan.toml").write_text(f'order_by = "city"\n[columns]\nstatus = "{FAINT}"\n')
    words = ["release", str(tmp_path / "people.csv"), "--plan", str(tmp_path / "plan.toml"), "--dry-run"]
    assert main([*words, "--keep-order"]) == 2 and "2 values of column 'city'" in capsys.readouterr().err
    assert main([*words, "--keep-order", "--order-by", "time"]) == 0
