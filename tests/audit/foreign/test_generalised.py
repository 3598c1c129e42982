"""What a released value stands for among the values of the original."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import numpy as np
import pyarrow as pa
import pytest

from leakgauge.audit.foreign import generalised
from leakgauge.audit.foreign.generalised import Meaning

AGES = [7, 29, 30, 34, 39, 40, 65, None]


def meant(originals: Sequence[object], text: str | None) -> list[object]:
    """The values that a released text stands for."""
    found = Meaning.of(pa.array(originals), pa.array([text], pa.string()))
    assert found.members is not None
    return [one for one, inside in zip(originals, found.members[:, 0].tolist(), strict=True) if inside]


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("30", [30]),
        ("30.0", [30]),
        ("[30, 40)", [30, 34, 39]),
        ("[30, 40]", [30, 34, 39, 40]),
        ("]30, 40[", [34, 39]),
        ("(30;40]", [34, 39, 40]),
        ("(-∞, 30)", [7, 29]),
        ("[40, ∞)", [40, 65]),
        ("30-39", [30, 34, 39]),
        ("30 – 39", [30, 34, 39]),
        ("<30", [7, 29]),
        ("≤ 30", [7, 29, 30]),
        ("≥65", [65]),
        ("65+", [65]),
        ("{30, 39}", [30, 39]),
        ("3*", [30, 34, 39]),
        ("*", AGES),
        (None, AGES),
        ("something else", []),
    ],
)
def test_numbers_are_found_in_intervals_sets_and_masks(text: str | None, inside: list[object]) -> None:
    assert meant(AGES, text) == inside


def test_a_range_of_whole_numbers_holds_the_decimals_up_to_the_next() -> None:
    assert meant([29.9, 30.0, 39.5, 40.0], "30-39") == [30.0, 39.5]


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("130**", ["13001", "13099"]),
        ("1*001", ["13001"]),
        ("{13001, 20000}", ["13001", "20000"]),
        ("13001-14000", ["13001", "13099"]),
    ],
)
def test_texts_are_found_in_masks_sets_and_ranges(text: str, inside: list[object]) -> None:
    assert meant(["13001", "13099", "20000"], text) == inside


def test_a_value_of_the_original_stands_for_itself_however_it_is_written() -> None:
    assert meant(["30-39", "*", "{a, b}", "35"], "30-39") == ["30-39"]
    assert meant(["30-39", "*", "{a, b}", "35"], "*") == ["*"]


def test_codes_that_are_written_differently_are_different() -> None:
    assert meant(["007", "7"], "7") == ["7"]


@pytest.mark.parametrize(
    ("text", "at"),
    [("2020-03", [1, 2]), ("2020", [0, 1, 2]), ("[2020-03-05, 2021-01-01)", [1, 2]), (">=2020-03-10", [2, 3])],
)
def test_dates_are_found_in_months_years_and_intervals(text: str, at: list[int]) -> None:
    days = [date(2020, 1, 2), date(2020, 3, 5), date(2020, 3, 31), date(2021, 1, 1)]
    assert meant([*days], text) == [days[one] for one in at]


def test_a_missing_value_is_in_no_interval_and_in_anything() -> None:
    assert None not in meant(AGES, "[0, 100)")
    assert None in meant(AGES, "*")


def test_of_very_many_values_only_equal_ones_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generalised, "MOST_CELLS", 3)
    found = Meaning.of(pa.array([30, 40]), pa.array(["40", "[0, 100)"]))
    assert found.members is None
    assert found.contains(np.array([1, 1]), np.array([0, 1])).tolist() == [True, False]
