"""Bins that the table decides: their number, their edges, their error."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest

from leakgauge.errors import ColumnError, OptionError
from leakgauge.tables import in_bins, open_table
from leakgauge.tables.binnings import (
    MOST_BINS,
    Auto,
    Binning,
    Calendar,
    CalendarUnit,
    Edges,
    Learnt,
    Width,
    asked_binning,
    parse_binning,
    spelled_binning,
)
from leakgauge.tables.chosen_bins import bin_error, settled

COSTS = np.random.default_rng(5).lognormal(7, 1, 4000).round(2)


def chosen(values: object, asked: Binning) -> Binning:
    with open_table(pa.table({"x": values})) as table:
        return settled(table, "x", asked)


@pytest.mark.parametrize("text", ["auto", "auto:500", "auto:0.25"])
def test_auto_is_written_as_it_is_read(text: str) -> None:
    assert spelled_binning(parse_binning(text)) == text


@pytest.mark.parametrize("text", ["auto:0", "auto:-1", "auto:inf", "auto:nan", "auto:many"])
def test_an_error_that_nobody_can_bear_is_refused(text: str) -> None:
    with pytest.raises(OptionError):
        parse_binning(text)


def test_numbers_get_about_twenty_bins_of_as_many_rows_and_few_rows_fewer() -> None:
    found = chosen(COSTS, Auto())
    assert isinstance(found, Learnt) and asked_binning(found) == Auto() and found.merged == 0
    with open_table(pa.table({"x": COSTS})) as table:
        counts = table.counts("x", bins={"x": found}).array()
    assert len(counts) == 20 and counts.min() > 150 and counts.max() < 250
    few = chosen(COSTS[:150], Auto())
    assert isinstance(few, Learnt) and len(few.cuts) == 5


@pytest.mark.parametrize("within", [2000.0, 400.0, 80.0])
def test_an_error_to_bear_makes_bins_that_take_at_most_a_quarter_of_it(within: float) -> None:
    found = chosen(COSTS, Auto(within))
    assert isinstance(found, Learnt) and len(found.cuts) < MOST_BINS
    middles = dict(enumerate(_middles(found.cuts)))
    places = np.searchsorted(np.asarray(found.cuts, dtype=float), COSTS, side="right")
    true = float(np.mean([abs(cost - middles[at]) for cost, at in zip(COSTS, places, strict=True)]))
    with open_table(pa.table({"x": COSTS})) as table:
        assert bin_error(table, "x", found) == pytest.approx(true)
        # No rows of a long tail are singled out.
        assert table.counts("x", bins={"x": found}).array().min() >= 2
    assert true <= within / 4


def _middles(cuts: tuple[object, ...]) -> list[float]:
    edges = np.asarray(cuts, dtype=float)
    ends = [edges[0] - (edges[1] - edges[0]) / 2, edges[-1] + (edges[-1] - edges[-2]) / 2]
    return [ends[0], *((edges[1:] + edges[:-1]) / 2), ends[1]]


def test_there_are_never_more_than_two_hundred_bins() -> None:
    found = chosen(COSTS, Auto(0.001))
    assert isinstance(found, Learnt) and 100 < len(found.cuts) < MOST_BINS


@pytest.mark.parametrize(
    ("days", "unit"),
    [(5, "day"), (40, "day"), (100, "week"), (400, "month"), (1500, "quarter"), (30_000, "year")],
)
def test_dates_get_the_unit_of_about_a_dozen_to_sixty_bins(days: int, unit: str) -> None:
    start = date(1930, 1, 1)
    found = chosen([start + timedelta(days=at) for at in range(days)], Auto())
    assert found == Calendar(CalendarUnit(unit), Auto())


def test_moments_of_two_days_get_hours_and_an_error_the_coarsest_unit_that_keeps_it() -> None:
    moments = [datetime(2024, 3, 1, tzinfo=UTC) + timedelta(minutes=7 * at) for at in range(400)]
    assert chosen(moments, Auto()) == Calendar(CalendarUnit.HOUR, Auto())
    days = [date(2020, 1, 1) + timedelta(days=at) for at in range(1000)]
    assert chosen(days, Auto(40.0)) == Calendar(CalendarUnit.MONTH, Auto(40.0))
    assert chosen(days, Auto(8.0)) == Calendar(CalendarUnit.WEEK, Auto(8.0))


def test_text_has_no_bins_of_its_own() -> None:
    with pytest.raises(ColumnError, match="quantiles need numbers or dates"):
        chosen(["a", "b"], Auto())


def test_the_error_of_bins_is_of_values_that_are_there_and_of_dates_in_days() -> None:
    with open_table(
        pa.table({"x": [1.0, 9.0, None, 14.0], "day": [date(2024, 1, 1), None, None, date(2024, 1, 31)]})
    ) as t:
        assert bin_error(t, "x", Width(10)) == pytest.approx((4 + 4 + 1) / 3)
        assert bin_error(t, "x", Edges((5.0, 10.0))) == pytest.approx((1.5 + 1.5 + 1.5) / 3)
        assert bin_error(t, "day", Calendar(CalendarUnit.MONTH)) == pytest.approx((15.5 + 14.5) / 2)


def test_whole_numbers_keep_whole_edges() -> None:
    ages = np.random.default_rng(2).integers(17, 90, 2000)
    with open_table(pa.table({"age": ages})) as table:
        labels = in_bins(table, {"age": Auto()}).counts("age").labels("age")
    assert len(labels) > 15 and not any("." in str(label) for label in labels)
