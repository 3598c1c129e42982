"""A map shows each area once, says how long a kilometre is on it, and tells traces apart without colour."""

from __future__ import annotations

import re
from typing import Any

import pytest

from leakgauge.artefacts.location import MapShown
from leakgauge.languages import Language
from leakgauge.telling.figures.map import map_figure, metres
from tests.report.artefacts import marks, words
from tests.report.facts import typed

GRID = {
    "width": 3000.0,
    "height": 2000.0,
    "rows": 2,
    "columns": 3,
    "merged": 1,
    "values": {"prior": [0.5, None, 0.25, 0.125, 0.0625, 0.0625], "error": [100.0, None, 900.0, 400.0, 100.0, 1200.0]},
    "paths": {},
}


def test_every_cell_is_drawn_where_it_lies_and_darker_the_more_there_is() -> None:
    figure = map_figure(typed(MapShown, GRID), "prior")
    rows = figure.spec["layer"][0]["data"]["values"]
    assert [row["said"] for row in rows] == ["50%", "white: no points", "25%", "12%", "6.2%", "6.2%"]
    # The first cell is the south-western one: at the left, and lower than the fourth.
    assert rows[0]["x"] == rows[3]["x"] == 0 and rows[0]["y"] > rows[3]["y"] and rows[1]["x"] == rows[0]["x2"]
    assert rows[1]["shade"] == "#ffffff" and len({row["shade"] for row in rows}) >= 4
    assert len(marks(figure.to_svg(), "rect mark")) == 6
    assert "3 km from west to east" in figure.told and "50%" in figure.told


def test_the_scale_bar_is_as_long_as_it_says() -> None:
    figure = map_figure(typed(MapShown, GRID), "error")
    bar = next(one for one in figure.spec["layer"] if one["mark"]["type"] == "rule")["data"]["values"][0]
    assert bar["x2"] - bar["x"] == pytest.approx(560 / 3) and "1 km" in words(figure.to_svg())


def test_traces_differ_by_dashes_and_signs() -> None:
    path = [[500.0, 500.0], [1500.0, 1500.0]]
    spec = map_figure(
        typed(MapShown, {**GRID, "paths": dict.fromkeys(("true", "released", "inferred"), path)}), "prior"
    ).spec
    lines = [one["mark"] for one in spec["layer"] if one["mark"]["type"] == "line" and one["mark"]["stroke"] != "white"]
    signs = [one["mark"]["shape"] for one in spec["layer"] if one["mark"]["type"] == "point"]
    assert len({str(mark.get("strokeDash")) for mark in lines}) == len(set(signs)) == 3


def test_areas_with_outlines_and_merged_cells_are_drawn_in_both_languages() -> None:
    ring = [[0.0, 0.0], [1000.0, 0.0], [500.0, 900.0], [0.0, 0.0]]
    shapes: dict[str, Any] = {"width": 1000.0, "height": 900.0, "outlines": [[ring]], "values": {"risk": [0.3]}}
    for language in (Language("en"), Language("zh")):
        assert re.search(r"<path[^>]*d=\"M", map_figure(typed(MapShown, shapes), "risk", language).to_svg())
    assert "4 × 4" in map_figure(typed(MapShown, {**GRID, "merged": 4}), "prior").to_svg()


def test_lengths_for_people() -> None:
    assert [metres(one) for one in (12.0, 999.4, 1000.0, 12345.0)] == ["12 m", "999 m", "1 km", "12.3 km"]
