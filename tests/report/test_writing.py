"""Numbers for people: digits, units and intervals, the same in every language."""

from __future__ import annotations

import math
import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leakgauge.languages import Language
from leakgauge.telling.blocks import Number, text_of, written

ENGLISH, CHINESE = Language("en"), Language("zh")


def said(value: float | str, unit: str = "", **rest: object) -> str:
    return written(Number(value, unit, "file.json#/x", **rest), ENGLISH)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0764321, "0.0764"),
        (0.5, "0.5"),
        (1.0, "1"),
        (0.19999999999999998, "0.2"),
        (9.99996, "10"),
        (12345.678, "12,300"),
        (0.00012345678, "0.000123"),
        (0.000012345678, "1.23e-05"),
        (6.942257696344942e-11, "6.94e-11"),
        (1e20, "1e+20"),
        (-2.5, "-2.5"),
        (0.0, "0"),
        (-0.0, "0"),
        (32561, "32,561"),
        ("infinity", "infinite"),
        (math.inf, "infinite"),
        ("-infinity", "minus infinity"),
        ("<10", "<10"),
    ],
)
def test_significant_digits(value: float | str, text: str) -> None:
    assert said(value) == text


def test_units_follow_and_infinity_needs_none() -> None:
    assert said(0.5, "bits") == "0.5 bits"
    assert said("infinity", "nats") == "infinite"
    assert said("<10", "rows", count=True) == "<10 rows"
    assert said(61.28928913, digits=2) == "61"
    assert said(0.0, "bits") == "0 bits"
    assert said(2.5, "1") == "2.5"


def test_a_proven_bracket_narrower_than_the_digits_is_left_out() -> None:
    assert said(1.02483719, "bits", low=1.02483718, high=1.02483719, confidence=1.0) == "1.02 bits"
    assert said(1.02483719, "bits", low=1.02, high=1.03, confidence=1.0) == "1.02 [1.02, 1.03] bits"
    # An estimate's interval is part of what it says, however narrow.
    assert said(1.02483719, "bits", low=1.02483718, high=1.0248372, confidence=0.95) == "1.02 [1.02, 1.03] bits"


def test_counts_are_in_full() -> None:
    assert said(1234567, "rows", count=True) == "1,234,567 rows"
    assert said(1234567.0, "rows", count=True) == "1,234,567 rows"


def test_percentages_take_the_place_of_the_unit() -> None:
    assert said(0.46677, "share", percent=True) == "46.7%"
    assert said(1, "share", percent=True) == "100%"
    # A whole number that somebody typed is a percentage like any other.
    assert said(10, "%", digits=6) == "10%"
    assert said(0.5, "share", low=0.4, high=0.6, percent=True) == "50% [40%, 60%]"


def test_intervals_are_rounded_outwards() -> None:
    assert said(0.0764321, "bits", low=0.07116, high=0.08201) == "0.0764 [0.0711, 0.0821] bits"
    assert said(0.5, low=0.123459, high=0.678911) == "0.5 [0.123, 0.679]"
    assert said(-0.5, low=-0.678911, high=-0.123459) == "-0.5 [-0.679, -0.123]"
    # What arithmetic leaves behind is not rounded up.
    assert said(0.2, low=0.1, high=0.30000000000000004) == "0.2 [0.1, 0.3]"
    assert said(3.6, "nats", low=3.5, high="infinity") == "3.6 [3.5, infinite]"


finite = st.floats(-1e12, 1e12, allow_nan=False)


@given(st.lists(finite, min_size=3, max_size=3), st.integers(1, 6), st.booleans())
def test_a_shown_interval_holds_the_real_one(three: list[float], digits: int, percent: bool) -> None:
    low, value, high = sorted(three)
    text = said(value, low=low, high=high, digits=digits, percent=percent)
    ends = re.search(r"\[(.*), (.*)\]", text)
    assert ends is not None
    shown = [Decimal(end.replace(",", "").strip("%")) / (100 if percent else 1) for end in ends.groups()]
    # Up to a part in 10^11, which is arithmetic's own.
    assert float(shown[0]) <= low + 1e-11 * abs(low) and high - 1e-11 * abs(high) <= float(shown[1])


@given(finite, st.integers(1, 6))
def test_a_shown_number_is_the_number_to_its_digits(value: float, digits: int) -> None:
    shown = float(said(value, digits=digits).replace(",", ""))
    assert math.isclose(shown, value, rel_tol=0.51 * 10 ** (1 - digits), abs_tol=5e-324)


@given(finite, st.sampled_from(["bits", "nats", "share", "", "nats per unit of distortion"]), st.booleans())
def test_both_languages_show_the_same_digits(value: float, unit: str, percent: bool) -> None:
    number = Number(value, unit, "x#/y", value, "infinity", percent=percent)
    digits = [re.findall(r"[-\d.,e+]*\d", written(number, language)) for language in (ENGLISH, CHINESE)]
    assert digits[0] == digits[1] and digits[0]


def test_chinese_tells_the_unit_and_infinity() -> None:
    number = Number(3.6, "bits", "x#/y", 3.5, "infinity")
    assert written(number, CHINESE) == "3.6 [3.5, 无穷大] 比特"
    assert text_of(("泄露 ", number, "。"), CHINESE) == "泄露 3.6 [3.5, 无穷大] 比特。"
