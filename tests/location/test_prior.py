"""Every point is counted once: in one area, outside, missing or off the earth; priors and hours add up."""

from __future__ import annotations

import time
from datetime import datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leakgauge.distances import MapCells
from leakgauge.errors import ColumnError, ModelError, OptionError, TableError
from leakgauge.location.points import Points
from leakgauge.location.prior import Period, visits
from leakgauge.measures import entropy
from leakgauge.tables import open_table
from tests.location.pings import pings

CITY = MapCells(40.70, 40.82, -74.02, -73.92, rows=12, columns=12)
MONDAY = datetime(2014, 4, 7)  # noqa: DTZ001 - tables hold times without a zone
degrees = st.one_of(st.none(), st.floats(-100, 400), st.floats(40.6, 40.9), st.floats(-74.1, -73.8))


@settings(max_examples=10)  # each opens a table
@given(st.lists(st.tuples(degrees, degrees, st.integers(0, 3), st.integers(0, 400)), min_size=1, max_size=30))
def test_every_row_is_counted_once(rows: list[tuple[float | None, float | None, int, int]]) -> None:
    rows = [*rows, (40.75, -74.0, 0, 0)] * 2
    latitudes, longitudes, users, hours = zip(*rows, strict=True)
    times = [MONDAY + timedelta(hours=hour) for hour in hours]
    columns = {"lat": latitudes, "lon": longitudes, "user": users, "time": times}
    with pings(columns, time="time", user="user") as points:
        daily, weekly, by_user = (visits(points, CITY, by) for by in (Period.HOUR, Period.WEEKDAY_HOUR, "user"))
    inside = [bool(CITY.codes([up], [along])[0] >= 0) for up, along, *_ in rows if None not in (up, along)]
    assert daily.inside == daily.counts.sum() == sum(inside)
    assert daily.inside + daily.outside + daily.missing + daily.impossible == daily.n == len(rows)
    assert daily.missing == sum(None in (up, along) for up, along, *_ in rows)
    assert daily.prior().probabilities.sum() == pytest.approx(1)
    for found in (daily, weekly, by_user):
        assert found.by_group is not None
        assert found.by_group.row_sums().tolist() == daily.counts.tolist()
        assert found.joint().row_marginal().probabilities == pytest.approx(daily.prior().probabilities)
    assert daily.users is not None and daily.users_by_area is not None
    assert daily.users <= daily.users_by_area.sum()
    assert np.all((daily.users_by_area > 0) == (daily.counts > 0))
    assert np.all(daily.users_by_area <= daily.counts)


def test_hours_weekdays_users_and_weights() -> None:
    columns = {
        "lat": [40.71, 40.71, 40.81, 40.81, 50.0],
        "lon": [-74.0, -74.0, -73.93, -73.93, 0.0],
        "when": [MONDAY, MONDAY + timedelta(hours=25), None, MONDAY + timedelta(hours=1), MONDAY],
        "who": ["a", "a", "b", None, "c"],
        "people": [3, 1, 0, None, 100],
    }
    with pings(columns, time="when", user="who", weight="people") as points:
        daily, weekly = visits(points, CITY, Period.HOUR), visits(points, CITY, Period.WEEKDAY_HOUR)
    assert daily.groups == (*range(24), None)
    assert weekly.groups[:2] == ((1, 0), (1, 1))
    assert daily.counts.sum() == 4
    assert daily.weights.sum() == 4
    assert (daily.users, sorted(daily.users_by_area.tolist())[-2:]) == (3, [1, 2])  # type: ignore[union-attr]
    assert daily.prior_in(0).probabilities.max() == 1
    assert weekly.prior_in((2, 1)).probabilities.max() == 1
    assert "Rows without a weight in 'people', which count as 0: 1." in " ".join(map(str, daily.notices))
    with pytest.raises(ModelError, match="No area has any weight"):
        daily.prior_in(None)
    assert daily.prior_in(None, smoothing=1).probabilities == pytest.approx(np.full(144, 1 / 144))
    with pytest.raises(OptionError, match="at least 0"):
        daily.prior(smoothing=-1)
    with pytest.raises(OptionError, match="no points of a group 24"):
        daily.prior_in(24)


def test_what_cannot_be_counted_is_refused() -> None:
    inside = {"lat": [40.71] * 3, "lon": [-74.0] * 3, "w": [1.0, -2.0, 3.0]}
    with pings(inside, weight="w") as points, pytest.raises(ColumnError, match="weights that are below 0"):
        visits(points, CITY)
    with pings(inside) as points:
        with pytest.raises(ColumnError, match="by hour, but no column of times"):
            visits(points, CITY, Period.HOUR)
        with pytest.raises(OptionError, match="counted without groups"):
            visits(points, CITY).joint()
    with pings({"lat": [-74.0] * 3, "lon": [40.71] * 3}) as points, pytest.raises(ColumnError, match="look swapped"):
        visits(points, CITY)
    with pings({"lat": [10.0] * 3, "lon": [10.0] * 3}) as points, pytest.raises(TableError, match="None of the 3"):
        visits(points, CITY)


def test_hours_of_times_with_a_zone_are_those_of_utc() -> None:
    times = [datetime(2014, 4, 7, 1, tzinfo=timezone(timedelta(hours=2)))] * 2
    with pings({"lat": [40.71] * 2, "lon": [-74.0] * 2, "when": times}, time="when") as points:
        found = visits(points, CITY, Period.HOUR)
    assert found.prior_in(23).probabilities.max() == 1
    assert "those of UTC" in str(found.notices[0])


def test_one_area_one_user_and_points_outside_are_said() -> None:
    columns = {"lat": [40.71, 40.71, 41.0], "lon": [-74.0] * 3, "who": ["a", "a", "a"]}
    with pings(columns, user="who") as points:
        found = visits(points, CITY)
    said = " ".join(map(str, found.notices))
    assert "Points outside the map, which are not counted: 1 of 3" in said
    assert "one area" in said
    assert "one user" in said


def test_pickups_by_hour(data: Path) -> None:
    """The reference's figures, and nights that differ from days."""
    with open_table(data / "nyc_pickups_april_2014.parquet") as table:
        found = visits(Points(table, "lat", "lon", time="time"), CITY, Period.HOUR)
    assert (found.inside, int((found.counts > 0).sum()), found.groups) == (85_076, 130, tuple(range(24)))
    assert entropy(found.prior()) == pytest.approx(5.5426, abs=5e-5)
    assert found.by_group is not None
    assert found.by_group.column_sums().sum() == 85_076
    assert entropy(found.prior_in(4)) != pytest.approx(entropy(found.prior_in(18)), abs=0.05)


def test_a_million_points_take_seconds() -> None:
    rng = np.random.default_rng(7)
    n = 10**6
    table = pa.table(
        {
            "lat": rng.normal(40.76, 0.02, n),
            "lon": rng.normal(-73.97, 0.02, n),
            "who": rng.integers(0, 20_000, n),
            "time": np.datetime64("2014-04-07", "s") + rng.integers(0, 7 * 86400, n),
        }
    )
    cells = MapCells(40.70, 40.82, -74.02, -73.92, rows=200, columns=200)
    start = time.process_time()
    with open_table(table) as opened:
        found = visits(Points(opened, "lat", "lon", time="time", user="who"), cells, Period.HOUR)
    assert time.process_time() - start < 5
    assert found.inside + found.outside == n
