"""Binnings: their command-line forms, their limits and the exactness of their edges."""
# ruff: noqa: DTZ001  (columns without a time zone are what is tested)

from __future__ import annotations

import math
from datetime import UTC, date, datetime

import hypothesis.strategies as st
import pyarrow as pa
import pytest
from hypothesis import given

from leakgauge.errors import ColumnError, OptionError
from leakgauge.probability import Interval
from leakgauge.tables import Binning, in_bins, open_table, parse_binning
from leakgauge.tables.binnings import Calendar, CalendarUnit, Edges, Quantiles, Width, spelled_binning
from tests.grids import examples


@pytest.mark.parametrize(
    ("text", "binning"),
    [
        ("width:10", Width(10.0)),
        (" width: 0.5", Width(0.5)),
        ("quantiles:5", Quantiles(5)),
        ("edges:0,18,65", Edges((0.0, 18.0, 65.0))),
        ("edges:2020-01-01,2021-01-01", Edges((date(2020, 1, 1), date(2021, 1, 1)))),
        ("edges:2020-01-01T12:00", Edges((datetime(2020, 1, 1, 12),))),
        ("year", Calendar(CalendarUnit.YEAR)),
        ("Month", Calendar(CalendarUnit.MONTH)),
    ],
)
def test_forms(text: str, binning: Binning) -> None:
    assert parse_binning(text) == binning
    assert parse_binning(spelled_binning(binning)) == binning


@pytest.mark.parametrize("text", ["", "10", "width", "width:", "width:x", "quantiles:2.5", "edges:a,b", "deciles:3"])
def test_unknown_forms_name_the_known_ones(text: str) -> None:
    with pytest.raises(OptionError, match=r"is not a binning; write width:10, quantiles:5"):
        parse_binning(text)


@pytest.mark.parametrize(
    "text",
    [
        "width:0",
        "width:-1",
        "width:nan",
        "width:inf",
        "width:1e-320",
        "quantiles:1",
        "edges:2,1",
        "edges:1,1",
        "edges:inf",
    ],
)
def test_values_out_of_range(text: str) -> None:
    with pytest.raises(OptionError, match=r"^(A bin |\d+ quantile bins|Bin edges)"):
        parse_binning(text)


def test_mixed_edges() -> None:
    with pytest.raises(OptionError, match="mixed"):
        Edges((1, date(2020, 1, 1)))  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="at least one"):
        Edges(())


NUMBERS = st.floats(-1e6, 1e6).map(lambda x: round(x, 2)) | st.sampled_from([0.1, 0.2, 0.3, 0.7, -0.1, 1e-300])


@examples(15)
@given(
    values=st.lists(NUMBERS, min_size=1, max_size=20),
    binning=st.sampled_from([Width(0.1), Width(0.7), Width(10), Quantiles(3), Quantiles(7), Edges((-1, 0, 0.3))]),
)
def test_every_value_lies_in_exactly_its_bin(values: list[float], binning: Binning) -> None:
    with open_table(pa.table({"x": values, "v": values})) as table:
        counts = table.counts("v", "x", bins={"x": binning})
    assert counts.n == len(values)
    for at, bin_at in counts.codes.T:
        value, interval = counts.labels("v")[at], counts.labels("x")[bin_at]
        assert isinstance(value, float)
        assert isinstance(interval, Interval)
        low = -math.inf if interval.low is None else interval.low
        high = math.inf if interval.high is None else interval.high
        assert low <= value < high or (interval.closed and value == high)  # type: ignore[operator]


def test_quantiles_merge_ties_and_have_open_ends() -> None:
    with open_table(
        pa.table({"x": [0, 0, 0, 0, 5, 9], "same": [4] * 6, "none": pa.array([None] * 6, pa.int64())})
    ) as t:
        assert t.counts("x", bins={"x": Quantiles(3)}).labels("x") == (Interval(None, None),)
        assert t.counts("same", bins={"same": Quantiles(3)}).labels("same") == (Interval(None, None),)
        assert t.learnt("x", Quantiles(3)).merged == 2
        with pytest.raises(ColumnError, match="'same' fall into one bin"):
            in_bins(t, {"same": Quantiles(3)})
        assert t.counts("none", bins={"none": Quantiles(3)}).labels("none") == (None,)
        assert t.counts("none", bins={"none": Width(3)}).labels("none") == (None,)


def test_infinite_values_are_not_dropped() -> None:
    with open_table(pa.table({"x": [1.0, math.inf, -math.inf]})) as table:
        assert table.counts("x", bins={"x": Width(10)}).n == 3
        assert table.counts("x", bins={"x": Edges((0,))}).array().tolist() == [1, 2]


@pytest.mark.parametrize(("width", "large"), [(1e-300, 1e300), (1e-10, 1e7), (1.0, 2.0**54)])
def test_a_width_that_would_merge_neighbours(width: float, large: float) -> None:
    with open_table(pa.table({"x": [0.0, None, math.inf, large]})) as table:
        with pytest.raises(ColumnError, match="too large for bins of width"):
            table.counts("x", bins={"x": Width(width)})
        assert table.counts("x", bins={"x": Width(large)}).n == 4


@pytest.mark.parametrize(
    ("unit", "start", "end"),
    [
        (CalendarUnit.YEAR, datetime(2020, 1, 1), datetime(2021, 1, 1)),
        (CalendarUnit.QUARTER, datetime(2020, 10, 1), datetime(2021, 1, 1)),
        (CalendarUnit.MONTH, datetime(2020, 12, 1), datetime(2021, 1, 1)),
        (CalendarUnit.WEEK, datetime(2020, 12, 28), datetime(2021, 1, 4)),
        (CalendarUnit.DAY, datetime(2020, 12, 31), datetime(2021, 1, 1)),
        (CalendarUnit.HOUR, datetime(2020, 12, 31, 23), datetime(2021, 1, 1)),
    ],
)
def test_calendar(unit: CalendarUnit, start: datetime, end: datetime) -> None:
    moment = datetime(2020, 12, 31, 23, 30)
    zoned = pa.array([moment.replace(tzinfo=UTC)], pa.timestamp("us", tz="Asia/Shanghai"))
    with open_table(pa.table({"t": [moment], "z": zoned})) as table:
        assert table.counts("t", bins={"t": Calendar(unit)}).labels("t") == (Interval(start, end),)
        expected = Interval(start.replace(tzinfo=UTC), end.replace(tzinfo=UTC))
        assert table.counts("z", bins={"z": Calendar(unit)}).labels("z") == (expected,)


def test_the_calendar_ends() -> None:
    with open_table(pa.table({"d": [date(9999, 12, 31)]})) as table:
        labels = table.counts("d", bins={"d": Calendar(CalendarUnit.YEAR)}).labels("d")
    assert labels == (Interval(date(9999, 1, 1), None),)


def test_zoned_edges() -> None:
    zoned = pa.array([datetime(2020, 12, 31, 23, 30, tzinfo=UTC)], pa.timestamp("us", tz="UTC"))
    with open_table(pa.table({"z": zoned})) as table:
        labels = table.counts("z", bins={"z": Edges((date(2020, 1, 1),))}).labels("z")
    assert labels == (Interval(datetime(2020, 1, 1, tzinfo=UTC), None),)


def test_learnt_edges_tell_neither_end_and_are_rounded_to_a_tenth_of_the_narrower_bin() -> None:
    incomes = [1013.57 + 987.653 * at**2 for at in range(101)]
    with open_table(pa.table({"income": incomes})) as table:
        learnt = table.learnt("income", Quantiles(4))
    assert learnt.cuts == (620000.0, 2500000.0, 5600000.0)
    assert learnt.merged == 0


@examples(30)
@given(
    values=st.lists(st.floats(-1e9, 1e9) | st.integers(-1000, 1000).map(float), min_size=2, max_size=40),
    number=st.integers(2, 12),
)
def test_rounding_keeps_every_learnt_edge_between_its_neighbours(values: list[float], number: int) -> None:
    with open_table(pa.table({"x": values})) as table:
        learnt = table.learnt("x", Quantiles(number))
        counts = table.counts("x", bins={"x": Quantiles(number)})
    exact = sorted({sorted(values)[max(math.ceil(at * len(values) / number) - 1, 0)] for at in range(number + 1)})
    # No further edge is lost to rounding, and no bin is left without a row.
    assert len(learnt.cuts) == max(len(exact) - 2, 0)
    assert (counts.array() > 0).all()
    assert min(values) not in learnt.cuts[:1]
    for cut, (low, edge, high) in zip(learnt.cuts, zip(exact, exact[1:], exact[2:], strict=False), strict=False):
        assert abs(cut - edge) <= 0.051 * min(edge - low, high - edge)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("spacing", "cuts"),
    [
        ("days", (date(2020, 4, 6), date(2020, 7, 13))),
        ("months", (date(2022, 10, 1), date(2025, 7, 1))),
        ("years", (date(2053, 1, 1), date(2086, 1, 1))),
    ],
)
def test_learnt_dates_are_starts_of_calendar_units(spacing: str, cuts: tuple[date, ...]) -> None:
    days = {
        "days": [date.fromordinal(date(2020, 1, 2).toordinal() + at) for at in range(300)],
        "months": [date(2020 + at // 12, at % 12 + 1, 17) for at in range(100)],
        "years": [date(2020 + at, 5, 17) for at in range(100)],
    }[spacing]
    with open_table(
        pa.table({"day": days, "zoned": [datetime(d.year, d.month, d.day, 7, tzinfo=UTC) for d in days]})
    ) as t:
        assert t.learnt("day", Quantiles(3)).cuts == cuts
        assert t.learnt("zoned", Quantiles(3)).cuts == tuple(datetime(d.year, d.month, d.day, tzinfo=UTC) for d in cuts)


def test_learnt_times_are_rounded_to_the_second_at_the_finest() -> None:
    moments = [datetime(2020, 1, 1, 12, 0, 0, 100 * at) for at in range(100)]
    with open_table(pa.table({"moment": moments})) as table:
        assert table.learnt("moment", Quantiles(4)).merged == 3
    with open_table(pa.table({"moment": [datetime(2020, 1, 1, at // 60, at % 60, 31) for at in range(100)]})) as table:
        assert table.learnt("moment", Quantiles(2)).cuts == (datetime(2020, 1, 1, 0, 49),)


def test_learnt_edges_are_finite_among_infinite_numbers() -> None:
    with open_table(pa.table({"x": [-math.inf, -math.inf, 3.14159, math.inf, math.inf]})) as table:
        assert table.learnt("x", Quantiles(5)).cuts == (3.1,)
