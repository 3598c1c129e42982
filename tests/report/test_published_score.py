"""The tables of the published score: a line on its own, with leaves and grades, and with the matrix in the annex."""

from __future__ import annotations

import pytest

from leakgauge.artefacts.report import Grid
from leakgauge.assessment.published_score import published_score
from leakgauge.languages import ENGLISH
from leakgauge.telling.blocks import text_of
from leakgauge.telling.published_score import published_score as told
from leakgauge.telling.voice import Voice
from tests.assessment.diagrams import measured


@pytest.mark.parametrize(
    ("tables", "short", "sizes"), [(False, False, []), (True, True, [2, 2]), (True, False, [2, 11, 2])]
)
def test_the_annex_has_the_matrix_and_the_screen_the_leaves(tables: bool, short: bool, sizes: list[int]) -> None:
    found = published_score(measured({"3": 0.0, "5": 0.5}))
    assert found is not None
    grids = [one for one in told(Voice(), found, tables=tables, short=short) if isinstance(one, Grid)]
    assert [len(grid.rows) for grid in grids] == sizes
    if grids:
        leaves = [[text_of(cell, ENGLISH) for cell in row] for row in grids[0].rows]
        assert [(row[0], row[2], row[3:]) for row in leaves] == [
            ("3", "0", ["VH", "", "", "", ""]),
            ("5", "0.5", ["", "L", "VH", "L", ""]),
        ]
    if len(grids) == 3:
        # Frequency 1 of the matrix is the row that is read.
        assert [text_of(cell, ENGLISH) for cell in grids[1].rows[10]][1:] == [f"{one:.4g}" for one in found.row]
