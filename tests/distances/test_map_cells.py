"""Cells of a map hold the points that whole numbers say, and stand where the earth has them."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from leakgauge.distances import GreatCircle, MapCells
from leakgauge.errors import OptionError

CITY = MapCells(40.70, 40.82, -74.02, -73.92, rows=12, columns=12)


def test_pickups_on_edges_lie_in_the_cell_north_and_east_of_them(data: Path) -> None:
    """1,000 of the 85,076 pickups lie on an edge; the figures are those of the reference."""
    table = pq.read_table(data / "nyc_pickups_april_2014.parquet")
    latitudes, longitudes = (table[name].to_numpy() for name in ("lat", "lon"))
    codes = CITY.codes(latitudes, longitudes)
    counts = np.bincount(codes[codes >= 0], minlength=CITY.count)
    shares = counts[counts > 0] / counts.sum()
    assert (counts.sum(), len(shares)) == (85_076, 130)
    assert -(shares * np.log2(shares)).sum() == pytest.approx(5.5426, abs=5e-5)
    distances = np.array([CITY.steps().distances_from(cell).ravel() for cell in range(CITY.count)])
    assert (distances @ counts / counts.sum()).min() == pytest.approx(2.6849, abs=5e-5)


@given(st.integers(0, 12), st.integers(0, 12), st.integers(-1, 1), st.integers(-1, 1))
def test_cells_are_half_open(row: int, column: int, up: int, along: int) -> None:
    latitude = round(40.70 + row * 0.01 + up * 1e-7, 7)
    unit = -740_200_000 + -(-column * 1_000_000 // 12) + along
    at = (row + min(up, 0), column + (0 if along >= 0 else -1))
    expected = at[0] * 12 + at[1] if 0 <= at[0] < 12 and 0 <= at[1] < 12 else -1
    assert CITY.codes([latitude], [unit / 1e7]).tolist() == [expected]


def test_a_cell_holds_its_centre_and_nothing_holds_what_is_no_place() -> None:
    for cells in (CITY, MapCells(-18.5, -17.5, 179.5, -179.5, rows=7, columns=9), MapCells(-40, 40, -180, 180, 4, 9)):
        assert cells.codes(cells.places[:, 0], cells.places[:, 1]).tolist() == list(range(cells.count))
        assert len(set(cells.labels)) == cells.count
    for nowhere in (math.nan, math.inf, 1e300, 361.0):
        assert CITY.codes([40.75, nowhere], [nowhere, -74.0]).tolist() == [-1, -1]
        assert MapCells(-40, 40, -180, 180, 4, 9).codes([0.0], [nowhere]).tolist() == [-1]


def test_metres_are_those_of_the_earth_up_to_the_stretch() -> None:
    cells = MapCells.of_size(40.70, 40.82, -74.02, -73.92, metres=500)
    assert cells.sides == pytest.approx((500, 500), rel=1e-5)
    true = GreatCircle().between(cells.labels, cells.labels) * 1000
    here = np.array([cells.metres().distances_from(cell).ravel() for cell in range(cells.count)])
    straight = np.hypot(*(cells.points[:, None, axis] - cells.points[None, :, axis] for axis in (0, 1)))
    assert np.allclose(straight, here, rtol=1e-12, atol=1e-6)
    apart = true > 0
    # Labels are rounded to a metre.
    assert np.max(np.abs(here[apart] / true[apart] - 1)) < cells.stretch + 3 / 500
    assert 0 < cells.stretch < 0.002


@given(st.floats(-70, 69), st.floats(0.01, 1), st.floats(0.01, 3), st.floats(100, 50_000))
def test_cells_of_a_size_cover_the_box(south: float, tall: float, wide: float, metres: float) -> None:
    assume(metres < tall * 111_000 and tall * wide * 111_000**2 < metres**2 * 10**5)
    cells = MapCells.of_size(south, south + tall, 10.0, 10.0 + wide, metres)
    assert cells.north >= south + tall - 1e-7
    assert cells.east >= 10.0 + wide - 1e-7


@pytest.mark.parametrize(
    ("box", "words"),
    [
        ((40.0, 95.0, 0.0, 1.0, 2, 2), "north edge is 95"),
        ((41.0, 40.0, 0.0, 1.0, 2, 2), "south before its north"),
        ((40.0, 41.0, 0.0, 1.0, 2000, 2000), "more than 1,000,000"),
        ((40.0, 41.0, 0.0, 1.0, 0, 2), "has none"),
        ((40.0, 40.0, 0.0, 1.0, 2, 2), "too small"),
        ((80.0, 90.0, 0.0, 1.0, 2, 2), "no one length"),
    ],
)
def test_boxes_that_cannot_be_cut_are_refused(box: tuple[float, float, float, float, int, int], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        MapCells(*box)


@pytest.mark.parametrize(("metres", "words"), [(0.0, "no size"), (1e5, "as large as"), (0.5, "more than 1,000,000")])
def test_sizes_that_do_not_fit_are_refused(metres: float, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        MapCells.of_size(40.70, 40.82, -74.02, -73.92, metres=metres)
