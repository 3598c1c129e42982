"""An answer is counted before its noise is drawn, and once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest

from leakgauge.errors import BudgetError, ColumnError, OptionError
from leakgauge.jobs import query as job
from leakgauge.jobs.query import ask, preview
from leakgauge.notions.composition import Neighbours
from leakgauge.release.ledger import ApproximateLimit, ConcentratedLimit, Ledger, open_ledger
from leakgauge.release.ledger.entry import Kind
from leakgauge.release.queries import (
    Condition,
    Count,
    Groups,
    Histogram,
    Mean,
    Operator,
    Protection,
    Quantile,
    Query,
    Sum,
    TopLabels,
)
from leakgauge.tables import Table, open_table

ROW = Protection()
RANGE = (Condition("age", "30", Operator.AT_LEAST), Condition("age", "40", Operator.BELOW))
CITIES = Groups("city", ["A", "B", None])
ALL: list[Query[Any]] = [
    Count(where=Condition("city", "A"), epsilon=0.1),
    Sum("age", 0, 100, epsilon=0.1),
    Mean("age", 0, 100, epsilon=0.1),
    Mean("age", 0, 100, where=Condition("city", "A"), epsilon=0.1),
    Histogram("city", ["A"], epsilon=0.1),
    Quantile("age", 0.5, 0, 100, epsilon=0.1),
    TopLabels("city", 2, ["A", "B", "C"], epsilon=0.1),
    Count(where=(*RANGE, Condition("city", "B", Operator.UNEQUAL)), by=CITIES, epsilon=0.1),
    Mean("age", 0, 100, where=RANGE, by=CITIES, epsilon=0.1),
    Quantile("age", 0.5, 0, 100, where=RANGE, by=CITIES, epsilon=0.1),
]


@pytest.fixture
def people() -> Iterator[Table]:
    columns = {"person": [1, 1, 2, 3], "city": ["A", "B", "A", None], "age": [31, 38, 45, 22], "gap": [1, None, 2, 3]}
    with open_table(pa.table(columns)) as table:
        yield table


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with open_ledger(tmp_path / "budget.ledger", create=True) as opened:
        opened.open_account("people", ApproximateLimit(1.0, 1e-6))
        yield opened


class NoBits:
    """Nobody may draw."""

    private: ClassVar[bool] = False

    def words(self, count: int) -> npt.NDArray[np.uint64]:
        raise AssertionError("noise was drawn")


@pytest.mark.parametrize("query", ALL, ids=str)
def test_an_answer_is_spent_once_and_completed(query: Query[Any], people: Table, ledger: Ledger) -> None:
    asked = ask(query, people, ROW, ledger, "people")
    assert asked.spent is not None
    assert asked.spent.epsilon == asked.cost.epsilon <= 0.1
    kinds = [entry.kind for entry in ledger.entries("people")]
    assert kinds == [Kind.OPEN, Kind.SPEND, Kind.COMPLETE]
    spend = ledger.entries("people")[1]
    assert spend.purpose == query.purpose
    assert len(spend.reference) == 32
    assert spend.steps == query.steps(ROW)
    assert ledger.check() == ledger.head


@pytest.mark.parametrize("query", ALL, ids=str)
def test_what_does_not_fit_is_refused_before_anything_is_drawn(
    query: Query[Any], people: Table, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(10):
        ask(Count(where=Condition("city", "B"), epsilon=0.1), people, ROW, ledger, "people")
    before = ledger.head
    monkeypatch.setattr(job, "OperatingSystem", NoBits)
    with pytest.raises(BudgetError, match="no budget was used"):
        ask(query, people, ROW, ledger, "people")
    assert ledger.head == before


def test_noise_is_drawn_only_after_the_spend(people: Table, ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bits for the reference are there, bits for the noise are not: what was spent stays spent, and not completed."""

    class TwoWords(NoBits):
        def words(self, count: int) -> npt.NDArray[np.uint64]:
            if len(ledger.entries("people")) > 1:
                return super().words(count)
            return np.arange(count, dtype=np.uint64)

    monkeypatch.setattr(job, "OperatingSystem", TwoWords)
    with pytest.raises(AssertionError, match="noise was drawn"):
        ask(ALL[0], people, ROW, ledger, "people")
    assert [entry.kind for entry in ledger.entries("people")] == [Kind.OPEN, Kind.SPEND]


def test_a_dry_run_reads_and_writes_nothing(people: Table, ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job, "OperatingSystem", NoBits)
    before = ledger.head
    cost, verdict = preview(ALL[2], people, ROW, ledger, "people")
    assert verdict is not None and verdict.allowed
    assert verdict.after.epsilon == cost.epsilon
    assert ledger.head == before


def test_a_simulation_spends_nothing_and_says_what_it_is(people: Table, ledger: Ledger) -> None:
    before = ledger.head
    asked = [ask(ALL[2], people, ROW, simulation_seed=4) for _ in range(2)]
    assert asked[0].answer.values == asked[1].answer.values
    assert asked[0].answer.simulated and asked[0].spent is None
    with pytest.raises(OptionError, match="leave the ledger out"):
        ask(ALL[2], people, ROW, ledger, "people", simulation_seed=4)
    assert ledger.head == before
    with pytest.raises(OptionError, match="below 0"):
        ask(ALL[2], people, ROW, simulation_seed=-1)


def test_a_table_that_is_refused_costs_nothing(people: Table, ledger: Ledger) -> None:
    owners = Protection("gap")
    ledger.open_account("gaps", ApproximateLimit(1.0), unit=str(owners))
    before = ledger.head
    with pytest.raises(ColumnError, match="is missing in some rows"):
        ask(Sum("age", 0, 1, epsilon=0.1), people, owners, ledger, "gaps")
    with pytest.raises(ColumnError, match="no column"):
        ask(Sum("agee", 0, 1, epsilon=0.1), people, ROW, ledger, "people")
    assert ledger.head == before


@pytest.mark.parametrize(
    "protection", [Protection("person", 2), Protection(neighbours=Neighbours.ADD_OR_REMOVE_ONE)], ids=["unit", "added"]
)
def test_an_account_that_protects_something_else_is_not_spent(
    protection: Protection, people: Table, ledger: Ledger
) -> None:
    before = ledger.head
    with pytest.raises(
        OptionError, match=f'protects one row .*, and this protects {protection} .* --unit "{protection}"'
    ):
        ask(ALL[0], people, protection, ledger, "people")
    with pytest.raises(OptionError, match="The account of 'people' protects one row"):
        preview(ALL[0], people, protection, ledger, "people")
    assert ledger.head == before
    ledger.open_account("matching", ApproximateLimit(1.0), unit=str(protection), neighbours=protection.neighbours)
    asked = ask(ALL[0], people, protection, ledger, "matching")
    assert asked.spent is not None and asked.spent.epsilon == pytest.approx(0.1)


def test_a_column_named_row_is_not_one_row(ledger: Ledger) -> None:
    units = [Protection(unit) for unit in ("row", "value of 'row'", "one row", "'row'", '"row"', "a\nb")]
    assert len({str(unit) for unit in (ROW, *units)}) == 7
    with open_table(pa.table({"row": [1, 1, 2]})) as table, pytest.raises(OptionError, match="one value of 'row'"):
        ask(Count(epsilon=0.1, where=Condition("row", "1")), table, Protection("row"), ledger, "people")
    for unit in units:
        ledger.open_account(str(unit), ApproximateLimit(1.0), unit=str(unit))


def test_a_ledger_needs_the_name_of_a_data_set(people: Table, ledger: Ledger) -> None:
    with pytest.raises(OptionError, match="without the name of a data set"):
        ask(ALL[0], people, ROW, ledger)


def test_one_gaussian_answer_fits_the_limit_it_was_made_for(people: Table, ledger: Ledger) -> None:
    asked = ask(Sum("age", 0, 100, epsilon=1.0, delta=1e-6), people, ROW, ledger, "people")
    assert asked.spent is not None and asked.spent.rho == asked.cost.rho


def test_gaussian_answers_add_up_in_rho(people: Table, ledger: Ledger) -> None:
    ledger.open_account("concentrated", ConcentratedLimit(0.1))
    query = Histogram("city", ["A"], epsilon=1.0, delta=1e-6)
    for at in range(1, 5):
        asked = ask(query, people, ROW, ledger, "concentrated")
        assert asked.spent is not None and asked.spent.rho == pytest.approx(at * asked.cost.rho)
    with pytest.raises(BudgetError):
        ask(query, people, ROW, ledger, "concentrated")


def test_a_purpose_is_one_line_without_the_value_asked_for(ledger: Ledger) -> None:
    with open_table(pa.table({"a\nb": ["x", "y"]})) as table:
        ask(Count(where=Condition("a\nb", "x"), epsilon=0.1), table, ROW, ledger, "people")
    assert ledger.entries("people")[1].purpose == "count under a condition on a\\x0ab"
