"""A survey finds what was planted: who is named, who stands alone, what tells on a secret."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import leakgauge as lg
from leakgauge.artefacts.request.verbs import Surveying
from leakgauge.artefacts.survey import Suggested, Survey
from leakgauge.assessment import Policy
from leakgauge.errors import ColumnError, InputError, RefusalError
from leakgauge.jobs.survey import MOST_COLUMNS, require_large_groups, surveyed
from leakgauge.tables import open_table

ROWS = 3000


@pytest.fixture(scope="module")
def people() -> pa.Table:
    draw = np.random.default_rng(7)
    illness = draw.choice(["flu", "cold", "none"], ROWS, p=[0.2, 0.3, 0.5])
    return pa.table(
        {
            "id": np.arange(ROWS),
            "姓名": [f"{'王李张刘陈'[n % 5]}{chr(0x4E00 + n % 600)}" for n in range(ROWS)],
            "mail": [f"p{n // 2}@example.org" for n in range(ROWS)],
            "note": [f"came in on day {n % 9} and felt rather unwell" for n in range(ROWS)],
            "illness": illness,
            "drug": [{"flu": "A", "cold": "B", "none": "-"}[one] for one in illness],
            "street": draw.integers(0, 90, ROWS),
            "born": draw.integers(1930, 2010, ROWS),
            "coin": draw.choice(["heads", "tails"], ROWS),
        }
    )


@pytest.fixture(scope="module")
def found(people: pa.Table) -> Survey:
    return lg.survey(people, ["illness"])


def test_groups_smaller_than_a_policy_allows_are_refused(people: pa.Table) -> None:
    with open_table(people) as table:
        found = surveyed(table, ("illness",), Surveying(("illness", "coin", "street")), published=("coin", "street"))
    assert found.smallest is not None
    require_large_groups(found, Policy(min_k=found.smallest))
    with pytest.raises(
        RefusalError,
        match=r"columns coin, street has \d+ rows, or persons, but the policy asks for 500 \(min_k\)",
    ):
        require_large_groups(found, Policy(min_k=500))


def test_what_names_people_is_to_be_left_out(found: Survey) -> None:
    assert {name for name, role in found.suggested.items() if role is Suggested.LEAVE_OUT} == {
        "id",
        "姓名",
        "mail",
        "note",
        "street",
    }
    assert found.column("note").free_text
    assert found.columns[0].identifier is not None or found.columns[0].name == "drug"


def test_an_identifier_tells_everything_of_everyone(found: Survey) -> None:
    (told,) = found.column("id").tells
    assert told.significant
    assert told.success.value == 1
    assert told.information.value == pytest.approx(1.485, abs=0.05)


def test_what_tells_and_what_does_not(found: Survey) -> None:
    (drug,), (coin,) = found.column("drug").tells, found.column("coin").tells
    assert drug.success.value == 1
    assert drug.information.ends[0] > 1.4
    assert found.suggested["drug"] is Suggested.BACKGROUND
    assert not coin.significant
    assert coin.information.ends[0] == 0
    assert found.suggested["coin"] is Suggested.PUBLIC


def test_columns_that_single_people_out_together(found: Survey, people: pa.Table) -> None:
    first = found.combinations[0]
    assert "born" in first.columns
    key = list(zip(*(people.column(name).to_pylist() for name in first.columns), strict=True))
    sizes = [key.count(one) for one in set(key)]
    assert (first.alone, first.smallest, first.groups) == (sizes.count(1), min(sizes), len(sizes))
    assert found.column("born").singles_out
    assert found.suggested["born"] is Suggested.COARSEN


def test_secrets_are_not_suggested_anything_else(found: Survey) -> None:
    assert found.suggested["illness"] is Suggested.SECRET
    assert found.column("illness").tells == ()


def test_what_is_surveyed_is_the_bin(people: pa.Table) -> None:
    binned = lg.survey(people.select(["born", "illness"]), ["illness"], bins=["born=width:20"])
    assert binned.column("born").distinct == 5
    assert not binned.column("born").singles_out


def test_intervals_are_wider_by_unit(people: pa.Table) -> None:
    # Every person comes ten times, each time with the same illness and city.
    draw = np.random.default_rng(1)
    illness, city = draw.choice(["flu", "none"], 150), draw.choice(["A", "B", "C"], 150)
    visits = pa.table(
        {"person": np.repeat(np.arange(150), 10), "illness": np.repeat(illness, 10), "city": np.repeat(city, 10)}
    )
    by_row, by_unit = (
        lg.survey(visits, ["illness"], unit=unit).column("city").tells[0].information for unit in (None, "person")
    )
    assert by_unit.ends[1] > by_row.ends[1]


def test_what_cannot_be_surveyed_is_one_sentence(people: pa.Table) -> None:
    with pytest.raises(ColumnError, match="did you mean 'illness'"):
        lg.survey(people, ["ilness"])
    wide = pa.table({f"c{at}": [1, 2] for at in range(MOST_COLUMNS + 1)})
    with pytest.raises(ColumnError, match="501 columns, more than 500; name the"):
        lg.survey(wide)


def test_a_wide_table_is_surveyed_by_some_of_its_columns(people: pa.Table) -> None:
    wide = people
    for at in range(MOST_COLUMNS):
        wide = wide.append_column(f"c{at}", people.column("coin"))
    found = lg.survey(wide, ["illness"], columns=["drug", "coin"])
    assert {one.name for one in found.columns} == {"illness", "drug", "coin"}


def test_a_person_stands_alone_where_nobody_else_is() -> None:
    # Everybody comes four times, always from a house of their own.
    house = np.repeat(np.arange(200), 4)
    visits = pa.table({"who": house, "zone": house // 20, "number": house % 20, "ill": ["yes", "no"] * 400})
    by_row, by_unit = (lg.survey(visits, ["ill"], unit=unit) for unit in (None, "who"))
    assert by_row.combinations == ()
    (found,) = by_unit.combinations
    assert (found.columns, found.alone, found.smallest) == (("zone", "number"), 800, 1)


def test_bits_of_a_number_are_of_its_values() -> None:
    # A hundred salaries, each told by its band: not only which tenth it lies in.
    salary = np.tile(np.arange(100), 60)
    table = pa.table({"salary": salary, "band": [f"b{one}" for one in salary], "coin": ["a", "b", "c"] * 2000})
    (told,) = lg.survey(table, ["salary"]).column("band").tells
    assert told.information.ends[1] >= np.log2(100) - 1e-9


@pytest.mark.parametrize(
    ("table", "asked", "says"),
    [
        ({"a": ["x"], "b": ["y"]}, {}, "1 rows, too few for a survey"),
        ({"a": ["x", "y"] * 50, "u": ["p", "q"] * 50}, {"unit": "u"}, "'u' has 2 values, too few to be people"),
        ({"a": ["x", "y"] * 50, "b": ["y"] * 100}, {"unit": "a"}, "named twice"),
    ],
)
def test_what_is_too_small_is_said_so(table: dict[str, list[str]], asked: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        lg.survey(pa.table(table), ["a"], **asked)


@pytest.mark.parametrize("role", ["secrets", "columns", "unit"])
def test_nested_values_are_refused_in_every_role(role: str) -> None:
    nested = pa.table({"n": [["A"], []] * 20, "city": ["A", "B"] * 20})
    asked: dict[str, Any] = {role: "n"}
    with pytest.raises(ColumnError, match="'n' holds nested or binary values, which cannot be counted"):
        lg.survey(nested, **asked)
