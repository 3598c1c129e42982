"""The picture of a diagram shows its nodes, arcs and states."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given

from leakgauge.artefacts.criteria import OverArcs
from leakgauge.assessment.algebra import over_arcs
from leakgauge.assessment.diagram import Arc, Better, Diagram, Node
from leakgauge.assessment.diagram_files import default_diagram
from leakgauge.languages import ENGLISH, Language
from leakgauge.telling.figures.chart import Figure
from leakgauge.telling.figures.influence import NODE_ROWS, influence_figure, layout
from tests.assessment.diagrams import measured, small_diagrams
from tests.grids import examples
from tests.report.artefacts import drawn, labels, marks, words
from tests.report.facts import typed

GONE = {"9", "26", "27"}


def scored() -> OverArcs:
    leaves = default_diagram().leaves
    places = {key: at / 27 for at, key in enumerate(leaves) if key not in GONE}
    return over_arcs(default_diagram(), measured(places))


def drawn_of(found: OverArcs, language: Language = ENGLISH) -> Figure:
    return influence_figure(found, default_diagram(), language)


def position(found: OverArcs, key: str) -> str:
    return f"{sum(25 * at * share for at, share in enumerate(found.nodes[key].states)):.0f}"


def boxes_of(svg: str) -> list[ET.Element]:
    """The boxes themselves, below their words and the clear marks that are told and clicked."""
    paths = [
        one for one in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}path") if one.get("stroke") == "#5b6770"
    ]
    assert not any(one.get("aria-label") for one in paths)
    return paths


def test_every_node_and_arc_is_drawn() -> None:
    found = scored()
    figure = drawn_of(found)
    svg = figure.to_svg()
    boxes, lines = boxes_of(svg), marks(svg, "line mark")
    assert (len(boxes), len(lines)) == (45, 53)
    assert sum(one.get("stroke-dasharray") == "5,3" for one in lines) == sum(
        arc.mirrored for arc in default_diagram().arcs
    )
    assert sum(one.get("fill") == "white" for one in boxes) == 4
    assert {"▼ 10 mean squared", "error", "↕ 3 privacy budget ε", "▲ 43 utility", "?"} <= words(svg)
    assert position(found, "43") in words(svg) and f"{found.score:.3g}" in figure.told


def test_a_higher_state_is_darker() -> None:
    figure = drawn_of(scored())
    boxes = boxes_of(figure.to_svg())
    states = [one["state"] for one in figure.spec["layer"][1]["data"]["values"]]
    known = sorted((state, str(box.get("fill"))) for state, box in zip(states, boxes, strict=True) if state is not None)
    light = [sum(map(int, fill[4:-1].split(","))) for _, fill in known]
    assert len(light) == 41 and light == sorted(light, reverse=True) and light[0] - light[-1] > 200


def test_names_in_chinese() -> None:
    figure = drawn_of(scored(), Language("zh"))
    assert {"▼ 10 均方误差", "▲ 43 数据可用性", "保护效果的影响图"} <= words(figure.to_svg())
    assert "缺失 3 个叶节点" in figure.told


@pytest.mark.parametrize("language", [ENGLISH, Language("zh")])
def test_the_mark_of_a_node_says_which_it_is(language: Language) -> None:
    found = scored()
    svg = drawn_of(found, language).to_svg()
    told = labels(svg, "rect mark")
    assert {one.split(": ")[0] for one in told} == set(default_diagram().nodes) and len(told) == 45
    assert f"43: ▲ 43 {'utility' if language.code == 'en' else '数据可用性'}, {position(found, '43')}" in told
    assert sum("not known" in one or "未知" in one for one in told) == 4
    # Clear marks take clicks; those without a fill would not.
    assert {(one.get("fill"), one.get("fill-opacity")) for one in marks(svg, "rect mark")} == {("white", "0")}


def test_a_diagram_of_ones_own_is_drawn() -> None:
    diagram = Diagram(
        {
            "a:1": Node("a:1", "a leaf of my own", better=Better.HIGHER),
            "b": Node("b", "another", better=Better.LOWER),
            "v": Node("v", "all", "总体"),
        },
        (Arc("a:1", "v"), Arc("b", "v", mirrored=True)),
        "v",
        ("a:1",),
        ("b",),
    )
    mine = influence_figure(
        typed(OverArcs, {"score": 100.0, "nodes": {"a:1": {"states": [0.0, 0.0, 1.0]}}}), diagram, Language("zh")
    )
    assert drawn(mine, "state")[:3] == [100.0, None, None]
    assert "▲ v 总体" in words(mine.to_svg()) and "2 个叶节点" in mine.told


@examples(15)
@given(small_diagrams())
def test_arcs_lead_to_the_right_and_nothing_stands_on_anything_else(diagram: Diagram) -> None:
    places, ways, rows = layout(diagram)
    assert set(places) == set(diagram.nodes)
    assert all(places[key][0] == 0 for key in diagram.leaves)
    for arc, way in zip(diagram.arcs, ways, strict=True):
        assert (way[0], way[-1]) == (places[arc.source], places[arc.target])
        assert [column for column, _ in way] == list(range(way[0][0], way[-1][0] + 1))
    passing = [place for way in ways for place in way[1:-1]]
    for one, other in itertools.combinations([*places.values(), *passing], 2):
        assert one[0] != other[0] or abs(one[1] - other[1]) >= 1 - 1e-9
    inner = [places[key] for key in places if key not in diagram.leaves]
    for one, other in itertools.combinations(inner, 2):
        assert one[0] != other[0] or abs(one[1] - other[1]) >= NODE_ROWS - 1e-9
    assert all(0.5 - 1e-9 <= row <= rows - 0.5 + 1e-9 for _, row in places.values())
