"""Bins, dates and missing values on a line."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leakgauge.distances import Absolute, Squared
from leakgauge.distances.centres import centres, day_of
from leakgauge.errors import LabelError
from leakgauge.probability import Interval
from leakgauge.probability.labels import interval_of

numbers = st.floats(-1e9, 1e9)
days = st.dates()
moments = st.datetimes()


@given(st.one_of(*(st.tuples(one, one) for one in (numbers, days, moments))), st.booleans(), st.integers(0, 2))
def test_an_interval_reads_back_from_its_text(ends: tuple[float, float], closed: bool, open_end: int) -> None:
    low, high = (None if open_end == 1 else ends[0]), (None if open_end == 2 else ends[1])
    interval = Interval(low, high, closed and high is not None)
    assert interval_of(str(interval)) == interval


@pytest.mark.parametrize(
    "text", ["", "[1, 2", "[1, 2, 3)", "[a, b)", "[nan, 2)", "[1, inf)", "(1, 2)", "[2020-13-01, ∞)"]
)
def test_other_text_is_no_interval(text: str) -> None:
    assert interval_of(text) is None


def test_an_open_bin_stands_half_of_the_nearest_bounded_width_beyond_its_edge() -> None:
    labels = ["(-∞, 10)", "[10, 20)", "[20, 50)", "[50, ∞)"]
    assert centres(labels).tolist() == [5.0, 15.0, 35.0, 65.0]
    # A bin that does not occur has no part in it: then the nearest that does.
    assert centres(["(-∞, 10)", "[20, 50)", "[50, ∞)"]).tolist() == [-5.0, 35.0, 65.0]
    assert centres(["[50, ∞)"], labels).tolist() == [65.0]


def test_dates_stand_by_their_days() -> None:
    january = Interval(date(2020, 1, 1), date(2020, 2, 1))
    first, second = centres([january, str(january)])
    assert first == second == day_of(date(2020, 1, 1)) + 15.5
    noon = datetime.fromisoformat("2020-01-01T12:00")
    assert day_of(noon) == day_of(noon.replace(tzinfo=UTC)) == day_of(date(2020, 1, 1)) + 0.5
    assert Absolute().between([date(2020, 1, 1)], [date(2020, 3, 1)]).tolist() == [[60.0]]


@given(st.lists(numbers, min_size=2, max_size=6, unique=True))
def test_texts_of_bins_and_bins_are_as_far_apart(cuts: list[float]) -> None:
    cuts = sorted(cuts)
    bins = [Interval(low, high) for low, high in zip([None, *cuts], [*cuts, None], strict=True)]
    for distortion in (Absolute(), Squared()):
        found = distortion.between(bins, [*bins, None])
        np.testing.assert_allclose(found, distortion.between(list(map(str, bins)), [*map(str, bins), None]))
        # What is missing costs as much as the two ends do.
        assert np.allclose(found[:, -1], found[:, :-1].max())


def test_a_missing_value_costs_the_largest_distance_both_ways_and_nothing_as_itself() -> None:
    assert Absolute().between([1, 4, None], [1, 4, None]).tolist() == [[0, 3, 3], [3, 0, 3], [3, 3, 0]]
    assert Squared().between([1, 4, None], [1, None]).tolist() == [[0, 9], [9, 9], [9, 0]]
    # Where there is nothing to be far apart, being told or not still differs.
    assert Absolute().between([1, None], [1, None]).tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize("labels", [["a"], [True], [math.inf], ["(-∞, 10)", "[10, ∞)"], ["(-∞, ∞)"]])
def test_what_has_no_place_is_refused_without_being_named(labels: list[object]) -> None:
    with pytest.raises(LabelError) as refused:
        centres(labels)
    assert "∞" not in str(refused.value) and "'a'" not in str(refused.value)
