"""A box learnt from points holds them, tells no place of one of them, and finds the antimeridian and outliers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from leakgauge.errors import ColumnError, OptionError, TableError
from leakgauge.location.box import CellCounts, CellSide, CellSize, learn_box
from leakgauge.location.extent import extent_of
from tests.location.pings import pings

sizes = st.one_of(
    st.builds(CellSide, st.floats(500, 50_000)), st.builds(CellCounts, st.integers(1, 50), st.integers(1, 50))
)


@settings(max_examples=12)  # each opens a table
@given(
    st.tuples(st.floats(-60, 60), st.floats(-180, 180)),
    st.lists(st.tuples(st.floats(0, 2), st.floats(0, 3)), min_size=2, max_size=19),
    sizes,
)
def test_all_points_lie_in_the_cells_around_them(
    corner: tuple[float, float], steps: list[tuple[float, float]], size: CellSize
) -> None:
    latitudes = [corner[0] + up for up, _ in steps]
    longitudes = [(corner[1] + along + 180) % 360 - 180 for _, along in steps]
    with pings({"lat": latitudes, "lon": longitudes}) as points:
        extent = extent_of(points)
        # Larger cells than the area are refused, which is shown below.
        assume((size.metres or 0) < 111 * 1000 * (max(latitudes) - min(latitudes)))
        learnt = learn_box(extent, size.metres)
    assert not learnt.notices
    cells = size.on(learnt.box)
    assert np.all(cells.codes(latitudes, longitudes) >= 0)
    widest = max(3.001, 2.001 + 3 * (size.metres or 0) / 111_000)
    assert learnt.box.north - learnt.box.south <= widest * 1.06


def test_edges_do_not_tell_a_place() -> None:
    """Another place of the southernmost person within its cell leaves the box as it is."""
    boxes = set()
    for southernmost in (47.0001, 47.0009, 47.0021):
        with pings({"lat": [southernmost, 47.3, 47.35], "lon": [8.0, 8.2, 8.3]}) as points:
            boxes |= {learn_box(extent_of(points), 500.0).box, learn_box(extent_of(points)).box}
    assert len(boxes) == 2


def test_the_smaller_box_over_the_antimeridian_is_found() -> None:
    with pings({"lat": [-17.0, -18.0, -17.5], "lon": [179.0, -179.5, 178.5]}) as points:
        box = learn_box(extent_of(points), 5000.0).box
    assert box.west > 178 > box.east
    assert box.width < 2.2


def test_few_points_far_off_are_left_outside_and_said() -> None:
    rng = np.random.default_rng(5)
    latitudes, longitudes = rng.normal(47, 0.05, 1000), rng.normal(8, 0.05, 1000)
    latitudes[:2], longitudes[:2] = 0.0, 0.0
    with pings({"lat": latitudes, "lon": longitudes}) as points:
        learnt = learn_box(extent_of(points), 1000.0)
    assert "so far off" in str(learnt.notices[0])
    assert learnt.box.south > 46
    assert np.count_nonzero(CellSide(1000.0).on(learnt.box).codes(latitudes, longitudes) < 0) == 2
    with pings({"lat": latitudes[1:40], "lon": longitudes[1:40]}) as points:
        assert learn_box(extent_of(points), 1000.0).box.south > 46
    # Twenty are a town of their own, and so is one that makes the map but a few times as large.
    latitudes[:20], longitudes[:20] = 0.0, 0.0
    with pings({"lat": latitudes, "lon": longitudes}) as points:
        learnt = learn_box(extent_of(points), 10_000.0)
    assert not learnt.notices
    assert learnt.box.south <= 0
    with pings({"lat": [*latitudes[20:60], 47.5], "lon": [*longitudes[20:60], 8.5]}) as points:
        assert not learn_box(extent_of(points), 10_000.0).trimmed


def test_columns_that_look_wrong_are_said_or_refused() -> None:
    places = {"north": [40.7, 40.8, None, 40.9] * 50, "lng": [-174.0, -173.9, -173.8, -173.7] * 50}
    with pings(places, lat="lng", lon="north") as points, pytest.raises(ColumnError) as caught:
        extent_of(points)
    assert "150 of the 150 latitudes in 'lng' lie beyond ±90 degrees" in str(caught.value)
    assert str(caught.value).endswith("give --lat north --lon lng.")
    with (
        pings({"lat": [4.5e6, 4.6e6], "lon": [5e5, 5.1e5]}) as points,
        pytest.raises(ColumnError, match="off the earth"),
    ):
        extent_of(points)
    with pings({"lon": [-74.0, -73.9], "lat": [40.7, 40.8]}, lat="lon", lon="lat") as points:
        assert "if that is a slip" in str(extent_of(points).notices[0])
    with pings({"a": [-74.0, -73.9], "b": [40.7, 40.8]}, lat="a", lon="b") as points:
        assert "hardly anybody lives" in str(extent_of(points).notices[0])
    with pings({"lat": [40.7] * 200 + [95.0, None], "lon": [7.0] * 202}) as points:
        extent = extent_of(points)
    assert (extent.n, extent.missing, extent.impossible) == (202, 1, 1)
    assert [str(notice).split(": ")[1] for notice in extent.notices] == ["1 of 202.", "1 of 202."]


def test_columns_that_are_none_are_refused() -> None:
    columns = {"lat": [1.0], "lon": [2.0], "name": ["here"], "day": np.array(["2020-01-01"], dtype="datetime64[D]")}
    for roles, words in (
        ({"lat": "lta"}, "no column 'lta'; did you mean 'lat'"),
        ({"lat": "lon"}, "both as latitude and as longitude"),
        ({"lon": "name"}, "'name' holds text, not numbers"),
        ({"weight": "name"}, "'name' holds text, not numbers"),
        ({"time": "day"}, "'day' holds dates, not dates with a time"),
    ):
        with pytest.raises(ColumnError, match=words), pings(columns, **roles):
            pass
    nowhere = {"lat": np.array([np.nan]), "lon": [2.0]}
    with pings(nowhere) as points, pytest.raises(TableError, match="None of the 1 rows"):
        learn_box(extent_of(points))


def test_cells_as_large_as_the_area_are_refused() -> None:
    with pings({"lat": [47.0, 47.1], "lon": [8.0, 8.0]}) as points, pytest.raises(OptionError, match="as large as"):
        learn_box(extent_of(points), 20_000.0)


def test_points_at_a_pole_are_refused_by_their_box() -> None:
    with pings({"lat": [89.0, 90.0], "lon": [8.0, 100.0]}) as points:
        box = learn_box(extent_of(points)).box
    with pytest.raises(OptionError, match="no one length"):
        CellCounts(5, 5).on(box)
