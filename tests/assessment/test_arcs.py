"""The first score over arcs, which decides nothing: a mean that keeps its ends and its directions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leakgauge.assessment.algebra import over_arcs
from leakgauge.assessment.diagram import Better, Diagram
from leakgauge.assessment.diagram_files import default_diagram
from leakgauge.errors import ModelError
from tests.assessment.diagrams import PLACES, measured, with_places

Placed = tuple[Diagram, dict[str, float]]


@given(with_places(), st.data())
def test_a_leaf_moved_the_better_way_never_lowers_the_score(placed: Placed, data: st.DataObject) -> None:
    diagram, places = placed
    before = over_arcs(diagram, measured(places)).score
    leaf = data.draw(st.sampled_from(list(places)))
    low, high = sorted((places[leaf], data.draw(PLACES)))
    better = diagram.nodes[leaf].better
    ends = {Better.HIGHER: (low, high), Better.LOWER: (high, low)}.get(better)  # type: ignore[arg-type]
    if before is None or ends is None:
        return
    worse, best = (over_arcs(diagram, measured({**places, leaf: place})).score for place in ends)
    assert worse is not None and best is not None and 0 <= worse <= best + 1e-9 <= 100 + 1e-9


def test_all_best_is_100_and_all_worst_0() -> None:
    diagram = default_diagram()
    ways = {key: diagram.nodes[key].better for key in diagram.leaves}
    known = {key: 1.0 if way is Better.HIGHER else 0.0 for key, way in ways.items() if way is not Better.TRADE_OFF}
    assert over_arcs(diagram, measured(known)).score == pytest.approx(100)
    assert over_arcs(diagram, measured({key: 1 - place for key, place in known.items()})).score == pytest.approx(0)


def test_what_is_not_known_is_named_and_left_out() -> None:
    diagram = default_diagram()
    found = over_arcs(diagram, measured({"14": 0.25}))
    assert found.score == 25 and found.privacy is None and found.nodes["44"].states == (0.0, 1.0, 0.0, 0.0, 0.0)
    assert len(found.missing) == 27 and "14" not in found.missing
    assert over_arcs(diagram, []).score is None
    with pytest.raises(ModelError, match="two pieces of evidence of leaf '14'"):
        over_arcs(diagram, measured({"14": 0.25}) * 2)
