"""Conditions as people type them, and the rows that meet them."""

from __future__ import annotations

import operator
from datetime import UTC, date, datetime
from functools import cache
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leakgauge.errors import ColumnError, InputError, OptionError
from leakgauge.release.queries import Condition, Count, Operator, Protection
from leakgauge.release.queries.conditions import read_condition
from leakgauge.tables import Kind, open_table

COLUMNS = ["city", "age", "age at entry", "a=b", "in", "pay >= 3", "x in y"]
ORDER = {
    Operator.BELOW: operator.lt,
    Operator.AT_MOST: operator.le,
    Operator.ABOVE: operator.gt,
    Operator.AT_LEAST: operator.ge,
}


@pytest.mark.parametrize(
    ("text", "column", "comparison", "values"),
    [
        ("city=A", "city", "=", ("A",)),
        (" city  =  New York ", "city", "=", ("New York",)),
        ("city=a=b", "city", "=", ("a=b",)),
        ("city=A|B", "city", "=", ("A|B",)),
        ("city=", "city", "=", ("",)),
        ("city=(missing)", "city", "=", (None,)),
        ("city!=(missing)", "city", "!=", (None,)),
        ("age<18", "age", "<", ("18",)),
        ("age <= -1.5", "age", "<=", ("-1.5",)),
        ("age>18", "age", ">", ("18",)),
        ("age at entry>=18", "age at entry", ">=", ("18",)),
        ("a=b=c", "a=b", "=", ("c",)),
        ("a=b in c", "a=b", "in", ("c",)),
        ("pay >= 3 >= 3", "pay >= 3", ">=", ("3",)),
        ("in in in", "in", "in", ("in",)),
        ("x in y in z", "x in y", "in", ("z",)),
        ("city in A|B | (missing)", "city", "in", ("A", "B", None)),
        (r"city in A\|B|C\\", "city", "in", ("A|B", "C\\")),
        ("town=A", "town", "=", ("A",)),
        ("cityin A=B", "cityin A", "=", ("B",)),
    ],
)
def test_what_is_typed_is_read(text: str, column: str, comparison: str, values: tuple[str | None, ...]) -> None:
    found = read_condition(text, COLUMNS)
    assert (found.column, found.operator.value, found.values) == (column, comparison, values)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("city", "--where 'city' is not a column, a comparison"),
        ("=A", "--where '=A' is not"),
        ("", "--where '' is not"),
        ("city==A", "--where 'city==A' is not"),
        ("city in", "--where 'city in' is not"),
        ("city in A|B|A", "1 of the 3 labels repeat"),
        ("age < (missing)", "which have no order"),
    ],
)
def test_what_cannot_be_read_is_refused(text: str, told: str) -> None:
    with pytest.raises(OptionError) as refused:
        read_condition(text, COLUMNS)
    assert told in str(refused.value)


VALUES: dict[str, list[Any]] = {
    "text": ["A", "b", "", None],
    "whole": [10**17 + 1, 10**17, -3, None],
    "number": [0.1, -2.0, 1e300, None],
    "truth": [True, False, True, None],
    "day": [date(2024, 5, 1), date(1960, 1, 1), date(2024, 5, 2), None],
    "moment": [datetime(2024, 5, 1, 12), datetime(2024, 5, 1), datetime(1969, 1, 1, 1), None],  # noqa: DTZ001
    "zoned": [
        datetime(2024, 5, 1, 12, tzinfo=UTC),
        datetime(2024, 5, 1, tzinfo=UTC),
        datetime(1, 1, 1, tzinfo=UTC),
        None,
    ],
}
TABLE = pa.table(VALUES)
IN_ORDER = ("whole", "number", "day", "moment", "zoned")


@cache
def as_an_engine_hands_it_out() -> tuple[dict[str, Kind], pa.RecordBatch]:
    with open_table(TABLE) as table:
        return {column.name: column.kind for column in table.columns()}, next(iter(table.batches()))


def rows_that_meet(condition: Condition) -> list[bool]:
    kinds, rows = as_an_engine_hands_it_out()
    condition.require_kind(kinds[condition.column])
    found: list[bool] = condition.holds(rows.column(condition.column), kinds[condition.column]).tolist()
    return found


@given(
    column=st.sampled_from(list(VALUES)),
    comparison=st.sampled_from(Operator),
    at=st.lists(st.integers(0, 3), min_size=1, max_size=3, unique=True),
)
def test_rows_meet_a_condition_as_python_compares_them(column: str, comparison: Operator, at: list[int]) -> None:
    """A missing value is a value of its own, equal to no other, and in no order."""
    values = VALUES[column]
    targets = [values[one] for one in at]
    texts = [None if one is None else str(one).lower() if isinstance(one, bool) else str(one) for one in targets]
    if comparison in ORDER and (column not in IN_ORDER or targets[0] is None):
        return
    if comparison is Operator.AMONG:
        texts, targets = list(dict.fromkeys(texts)), list(dict.fromkeys(targets))
        assert rows_that_meet(Condition(column, texts, comparison)) == [value in targets for value in values]
        return
    compare = {Operator.EQUAL: operator.eq, Operator.UNEQUAL: operator.ne, **ORDER}[comparison]
    expected = [(value is not None or comparison not in ORDER) and compare(value, targets[0]) for value in values]
    assert rows_that_meet(Condition(column, texts[0], comparison)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("whole = 100000000000000001", [True, False, False, False]),
        ("whole < 100000000000000001", [False, True, True, False]),
        ("whole >= -3.0", [True, True, True, False]),
        ("whole = -3.5", [False] * 4),
        ("number = 1e-1", [True, False, False, False]),
        ("truth = TRUE", [True, False, True, False]),
        ("moment >= 2024-05-01", [True, True, False, False]),
        ("moment > 2024-05-01 00:00", [True, False, False, False]),
        ("zoned < 2024-05-01T03:00+02:00", [False, True, True, False]),
        ("day in 2024-05-01|(missing)", [True, False, False, True]),
        ("text = B", [False] * 4),
    ],
)
def test_values_are_read_as_the_kind_of_the_column(text: str, expected: list[bool]) -> None:
    assert rows_that_meet(read_condition(text, list(VALUES))) == expected


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("whole = ten", "compares column 'whole' with 'ten', but the column holds whole numbers; write e.g. 18."),
        ("number > nan", "with 'nan'"),
        ("number in 1|x", "with 'x', but the column holds numbers"),
        ("truth = yes", "with 'yes', but the column holds true or false; write e.g. true."),
        ("day < 01/05/2024", "with '01/05/2024', but the column holds dates; write e.g. 2024-05-01."),
        ("day = 2024-05-01 12:00", "with '2024-05-01 12:00', but the column holds dates"),
        ("moment = noon", "with 'noon', but the column holds timestamps"),
        ("moment < 2024-05-01T12:00Z", "with '2024-05-01T12:00Z', but the column holds timestamps"),
        ("text < B", "holds text, which has no order; compare it with =, != or in."),
        ("truth >= true", "holds true or false, which"),
    ],
)
def test_what_does_not_fit_the_column_is_refused_by_what_was_typed(text: str, told: str) -> None:
    with pytest.raises(InputError) as refused:
        rows_that_meet(read_condition(text, list(VALUES)))
    assert told in str(refused.value)


def test_a_column_that_is_not_there_is_refused_before_anything_is_read() -> None:
    where = read_condition("teext = B", list(VALUES))
    with open_table(TABLE) as table, pytest.raises(ColumnError, match="no column 'teext'; did you mean 'text'"):
        Count(epsilon=1, where=where).require_columns(table, Protection())


def test_conditions_that_cannot_be() -> None:
    for make, told in (
        (lambda: Condition("city", 3), "its value is of type int"),  # type: ignore[arg-type]
        (lambda: Condition("city", [], Operator.AMONG), "0 labels"),
        (lambda: Condition("city", ["A", "A"], Operator.AMONG), "repeat"),
        (lambda: Condition("city", ["A"]), "its value is of type list"),
        (lambda: Count(epsilon=1, where=["city=A"]), "1 conditions are given, or one is not a Condition"),  # type: ignore[list-item]
        (lambda: Count(epsilon=1, where=[Condition("city", "A")] * 17), "17 conditions"),
    ):
        with pytest.raises(OptionError, match=told):
            make()


def test_a_condition_in_words() -> None:
    told = {
        "city=A": "'city' is 'A'",
        "city != A": "'city' is not 'A'",
        "city = (missing)": "'city' is missing",
        "city != (missing)": "'city' is not missing",
        "age < 018": "'age' is below 018",
        "age <= 18": "'age' is at most 18",
        "age > 18": "'age' is above 18",
        "age >= 18": "'age' is at least 18",
        "city in A|(missing)": "'city' is one of 'A', (missing)",
    }
    assert {text: str(read_condition(text, COLUMNS).sentence) for text in told} == told


def test_a_range_that_holds_nothing_is_empty() -> None:
    where = [Condition("whole", "5", Operator.ABOVE), Condition("whole", "-5", Operator.BELOW)]
    with open_table(TABLE) as table:
        assert Count(epsilon=1, where=where).exact(table, Protection()) == (0,)
        assert Condition("number", "1").holds(pa.array([], pa.float64()), Kind.FLOAT).tolist() == []
