"""Traces are sorted by person and time whatever the order of the rows; what is left out is counted and said."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from leakgauge.distances import MapCells
from leakgauge.errors import ColumnError, TableError
from leakgauge.location.named_areas import areas_of_column
from leakgauge.location.observed_traces import observed_traces
from tests.location.pings import pings

CITY = MapCells(40.70, 40.82, -74.02, -73.92, rows=2, columns=2)
NOON = datetime(2014, 4, 7, 12, tzinfo=UTC)


def at(*minutes: int | None) -> list[datetime | None]:
    return [None if minute is None else NOON + timedelta(minutes=minute) for minute in minutes]


def test_rows_in_any_order_give_the_same_traces() -> None:
    rng = np.random.default_rng(3)
    latitudes, longitudes = rng.uniform(40.7, 40.82, 60), rng.uniform(-74.02, -73.92, 60)
    users, minutes = np.repeat([0, 1, 2], 20), np.tile(np.arange(20), 3)
    found = []
    for order in (np.arange(60), np.lexsort((users, minutes)), np.lexsort((users, -minutes))):
        columns = {
            "lat": latitudes[order],
            "lon": longitudes[order],
            "who": users[order],
            "when": at(*minutes[order].tolist()),
        }
        with pings(columns, user="who", time="when") as points:
            found.append(observed_traces(points, CITY))
    assert found[0].areas.tolist() == CITY.codes(latitudes, longitudes).tolist()
    assert found[0].traces.tolist() == users.tolist()
    assert found[0].notices == ()
    assert np.all(np.diff(found[0].times)[users[1:] == users[:-1]] == 60_000_000)
    assert [trace.areas.tolist() for trace in found] == [found[0].areas.tolist()] * 3
    assert [bool(trace.notices) for trace in found] == [False, False, True]


def test_what_is_left_out_is_counted_and_said() -> None:
    columns = {
        "lat": [40.71, 40.81, 40.71, None, 40.71, 40.71, 50.0],
        "lon": [-74.0] * 7,
        "who": ["a", "a", "a", "c", None, "b", "b"],
        "when": at(0, 0, 0, 1, 2, None, 3),
    }
    with pings(columns, user="who", time="when") as points:
        found = observed_traces(points, CITY)
    assert (found.areas.tolist(), found.traces.tolist()) == ([0, -1], [0, 1])
    said = " ".join(map(str, found.notices))
    assert "left out of the traces: 3." in said
    assert "same time as another row: 2, of which 1 name another area" in said
    with pings(columns, time="when") as points:
        assert "trace of one person" in str(observed_traces(points, CITY).notices[0])


def test_the_column_that_names_areas_is_believed() -> None:
    columns = {"lat": [47.0, 46.0, None], "lon": [8.0, 7.0, None], "town": ["A", "B", "A"], "when": at(2, 1, 0)}
    with pings(columns, time="when") as points:
        assert observed_traces(points, areas_of_column(points, "town")).areas.tolist() == [0, 1, 0]


def test_traces_need_times_and_places() -> None:
    with pings({"lat": [40.71], "lon": [-74.0]}) as points, pytest.raises(ColumnError, match="give --time"):
        observed_traces(points, CITY)
    nothing = {"lat": np.array([np.nan]), "lon": [-74.0], "when": at(0)}
    with pings(nothing, time="when") as points, pytest.raises(TableError, match="None of the 1 rows"):
        observed_traces(points, CITY)
