"""Columns that name people are recognised by their values, their name or how the values are written."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pytest

from leakgauge.audit.identifiers import identifies, is_free_text
from leakgauge.tables import Column, Kind

ROWS = 400
CHINESE_NAMES = [s + g for s in "王李张刘陈杨黄赵吴周" for g in ("伟", "芳", "秀英", "敏", "静", "丽", "强", "磊")]
FIRST, LAST = ("Ann", "Bob", "Eve", "Joe", "Mary-Jane"), ("Smith", "O'Neil", "Lee")
ENGLISH_NAMES = [f"{first} {last}" for first in FIRST for last in LAST]


def identity_card(number: int) -> str:
    """A number with its right check digit (GB 11643-1999)."""
    digits = f"11010519{number % 100:02d}0101{number % 1000:03d}"
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    return digits + "10X98765432"[sum(int(d) * w for d, w in zip(digits, weights, strict=True)) % 11]


def reason(name: str, values: Sequence[object], kind: Kind = Kind.STRING) -> str | None:
    distinct = len(set(values))
    alone = sum(list(values).count(one) == 1 for one in set(values))
    found = identifies(Column(name, kind), pa.array(values), distinct=distinct, alone=alone, rows=len(values))
    return None if found is None else str(found)


# Every value twice, so that none is recognised by being unique.
TWICE = [number // 2 for number in range(ROWS)]


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ([f"person{n}@example.org" for n in TWICE], "e-mail"),
        ([identity_card(n) for n in TWICE], "identity cards"),
        ([f"13{n:09d}" for n in TWICE], "telephone"),
        ([f"+49 171 {n:07d}" for n in TWICE], "telephone"),
        ([f"京A{n:05d}" for n in TWICE], "number plates"),
        ([f"DE{n % 100:02d}{n:018d}" for n in TWICE], "account"),
        ([f"10.0.{n // 256}.{n % 256}" for n in TWICE], "network"),
        ([f"{n:08x}-0000-4000-8000-{n:012x}" for n in TWICE], "random identifiers"),
        (CHINESE_NAMES * 5, "names of people"),
        ([*ENGLISH_NAMES, *(f"{one} Junior" for one in ENGLISH_NAMES)] * 5, "names of people"),
    ],
    ids=["e-mail", "card", "mobile", "phone", "plate", "iban", "address", "uuid", "chinese names", "english names"],
)
def test_by_how_values_are_written(values: Sequence[object], says: str) -> None:
    assert says in (reason("field", values) or "")


@pytest.mark.parametrize(
    "name", ["姓名", "患者姓名", "身份证号", "手机号", "车牌号码", "patient_name", "firstName", "E-Mail", "SSN"]
)
def test_by_the_name_of_the_column(name: str) -> None:
    assert "its name suggests" in (reason(name, [f"v{n % 40}" for n in range(ROWS)]) or "")


@pytest.mark.parametrize("name", ["customer_id", "编号", "account number"])
def test_numbers_that_are_given_to_people(name: str) -> None:
    assert "number" in (reason(name, TWICE, Kind.INT) or "")
    # A few types or regions have numbers too.
    assert reason(name, [n % 12 for n in range(ROWS)], Kind.INT) is None


def test_by_values_that_hardly_repeat() -> None:
    assert "unique" in (reason("weight", [n * 1.25 for n in range(ROWS)], Kind.FLOAT) or "")
    assert reason("weight", [n * 1.25 for n in range(20)], Kind.FLOAT) is None


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("country_name", [f"Country {n % 40}" for n in range(ROWS)]),
        ("city", ["New York", "San Francisco", "Los Angeles"] * 100),
        ("illness", ["flu", "cold", "none"] * 100),
        ("postcode", [f"{n:05d}" for n in TWICE]),
        ("job", [f"{one} {other}" for one in FIRST for other in (*"ABCDE",)] * 100),
        ("职业", ["教师", "医生", "工人"] * 100),
        ("age", [n % 80 for n in range(ROWS)]),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_ordinary_columns_are_not_accused(name: str, values: Sequence[object]) -> None:
    assert reason(name, values) is None


def test_free_text() -> None:
    note = pa.array(["the patient felt better after the second visit", "no change since the last time he came"] * 10)
    assert is_free_text(Column("note", Kind.STRING), note)
    assert is_free_text(Column("备注", Kind.STRING), pa.array(["患者在第二次就诊之后感觉明显好转"] * 5))
    assert not is_free_text(Column("job", Kind.STRING), pa.array(["nurse", "head of the department"] * 10))
