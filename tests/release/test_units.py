"""A release that protects persons: the guarantee is for all rows of one, and so is what it spends."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from leakgauge.claims import LocalDP
from leakgauge.errors import FileError, OptionError, TableError
from leakgauge.mechanisms.steps import Claimed
from leakgauge.release import ReleasePlan, read_plan, verify
from leakgauge.release.ledger import ApproximateLimit, Unlimited, open_ledger
from leakgauge.release.ledger.summary import account_told
from leakgauge.release.record import read_any_record
from leakgauge.release.unit import UnitOfProtection
from leakgauge.tables import open_table

VISITS = pa.table({"person": ["a", "a", "b", "c", "c", "c"] * 20, "illness": ["flu", "none", "flu"] * 40})
MECHANISM = {"illness": "randomized-response:epsilon=0.5,letters=flu|none"}
MOST = 60


def plan(rows: int = MOST) -> ReleasePlan:
    return ReleasePlan(MECHANISM, unit="person", rows_per_unit=rows)


def test_what_is_guaranteed_a_person(tmp_path: Path) -> None:
    with open_table(VISITS) as table:
        made = plan().apply(table, tmp_path / "out.csv")
    # A row has 0.5, and sixty of them are a person's.
    assert made.record.claims["illness"].levels["local-dp"].value == pytest.approx(0.5)
    assert made.record.together["dp"].value == pytest.approx(30)
    assert made.record.budget.epsilon.value == pytest.approx(30)
    assert made.record.unit_of_protection == "the rows of one value of 'person'"
    assert any("at most 60" in str(one) for one in made.record.assumptions)
    assert "person" not in made.output.read_text(encoding="utf-8").splitlines()[0]
    for place in (made.record_file, made.public_record_file):
        assert verify(place).holds
        assert read_any_record(place).plan.rows_per_unit == MOST


def test_fewer_rows_than_declared_are_refused(tmp_path: Path) -> None:
    with open_table(VISITS) as table, pytest.raises(TableError, match="'person' has 60 rows, but 59 are declared"):
        plan(59).apply(table, tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []


def test_an_account_of_rows_is_not_one_of_persons(tmp_path: Path) -> None:
    with open_table(VISITS) as table, open_ledger(tmp_path / "budget.sqlite", create=True) as ledger:
        ledger.open_account("rows", ApproximateLimit(50.0))
        with pytest.raises(OptionError, match="protects one row"):
            plan().apply(table, tmp_path / "out.csv", ledger=ledger, dataset="rows")
        ledger.open_account("persons", ApproximateLimit(50.0), unit=str(UnitOfProtection("person")))
        plan().apply(table, tmp_path / "out.csv", ledger=ledger, dataset="persons")
        left = ledger.spent("persons").epsilon_left
        assert left is not None and left == pytest.approx(20)


def test_the_bits_on_an_account_of_persons_are_of_all_their_rows(tmp_path: Path) -> None:
    with open_table(VISITS) as table, open_ledger(tmp_path / "budget.sqlite", create=True) as ledger:
        ledger.open_account("persons", Unlimited(), unit=str(UnitOfProtection("person")))
        ledger.open_account("rows", Unlimited())
        plan().apply(table, tmp_path / "persons.csv", ledger=ledger, dataset="persons")
        ReleasePlan(MECHANISM).apply(table, tmp_path / "rows.csv", ledger=ledger, dataset="rows")
        person, row = (account_told(ledger.account(name), ledger).told[0] for name in ("persons", "rows"))
    assert row.bits is not None and row.bits.value > 0 and row.entropy is not None
    assert person.bits is not None and person.bits.value == pytest.approx(MOST * row.bits.value)
    assert person.entropy is not None and person.entropy.value == pytest.approx(MOST * row.entropy.value)


def test_a_plan_says_whom_it_protects(tmp_path: Path) -> None:
    place = tmp_path / "plan.toml"
    place.write_text(
        f'unit = "person"\nrows_per_unit = 3\n[columns]\nillness = "{MECHANISM["illness"]}"\n', encoding="utf-8"
    )
    assert read_plan(place).unit == UnitOfProtection("person", 3)
    place.write_text(place.read_text(encoding="utf-8").replace("= 3", "= 0"), encoding="utf-8")
    with pytest.raises(OptionError, match="rows of 0 per unit"):
        read_plan(place)
    place.write_text('unit = 3\n[columns]\nillness = "x"\n', encoding="utf-8")
    with pytest.raises(FileError, match="must be text"):
        read_plan(place)


@pytest.mark.parametrize(
    ("unit", "rows", "says"),
    [(None, 2, "without a unit"), ("person", 1 << 21, "not a whole number"), ("illness", 2, "never released")],
)
def test_what_cannot_be_a_unit(unit: str | None, rows: int, says: str) -> None:
    with pytest.raises(OptionError, match=says):
        ReleasePlan(MECHANISM, unit=unit, rows_per_unit=rows)


def test_a_person_pays_for_each_row() -> None:
    step = UnitOfProtection("person", 7).cost(Claimed(LocalDP(0.5), count=2))
    assert step.count == 14
