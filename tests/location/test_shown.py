"""Maps as they are drawn: in blocks where they are large, with outlines that close."""

from __future__ import annotations

import numpy as np
import pytest

from leakgauge.distances.map_cells import MapCells
from leakgauge.location.box import Box
from leakgauge.location.hexagons import Hexagons
from leakgauge.location.shown import MOST_DRAWN, map_shown


def test_large_maps_are_drawn_in_blocks_that_lose_nothing() -> None:
    cells = MapCells(47.0, 47.5, 8.0, 8.7, rows=120, columns=90)
    prior = np.random.default_rng(3).random(cells.count)
    prior /= prior.sum()
    shown = map_shown(cells, prior, {"error": np.full(cells.count, 7.0)})
    assert shown.rows is not None and shown.columns is not None and shown.rows * shown.columns <= MOST_DRAWN
    assert sum(one or 0.0 for one in shown.values["prior"]) == pytest.approx(1, abs=1e-5)
    assert {one for one in shown.values["error"] if one is not None} == {7.0} and shown.merged > 1


def test_outlines_end_where_they_start_and_hold_their_centres() -> None:
    pytest.importorskip("h3")
    areas = Hexagons(Box(47.0, 47.2, 8.0, 8.3), 6)
    shown = map_shown(areas, np.full(len(areas.places), 1 / len(areas.places)))
    middles = np.array([np.mean(ring[:-1], axis=0) for (ring,) in shown.outlines])
    assert all(ring[0] == ring[-1] and len(ring) == 7 for (ring,) in shown.outlines)
    # The map starts at its outermost corner, so that all are moved alike.
    moved = middles - areas.points
    assert np.ptp(moved, axis=0).max() < 100
