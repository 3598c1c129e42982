"""The picture of a diagram shows its nodes, arcs and states."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, settings

from leakgauge.assessment.assessment import Assessment, assess
from leakgauge.assessment.diagram import Diagram
from leakgauge.assessment.diagram_files import default_diagram
from leakgauge.errors import OptionError
from leakgauge.report.figures import influence_figure
from leakgauge.report.figures.influence import layout
from tests.assessment.diagrams import measured, small_diagrams

GONE = {"9", "26", "27"}


def assessment() -> Assessment:
    leaves = default_diagram().leaves
    places = {key: at / 27 for at, key in enumerate(leaves) if key not in GONE}
    return assess(default_diagram(), measured(places), draws=0)


def marks(svg: str, role: str) -> list[ET.Element]:
    return [one for one in ET.fromstring(svg).iter() if one.get("aria-roledescription") == role]


def words(svg: str) -> set[str]:
    return {"".join(one.itertext()) for one in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")}


def test_every_node_and_arc_is_drawn() -> None:
    found = assessment()
    figure = influence_figure(found)
    svg = figure.to_svg()
    boxes, lines = marks(svg, "rect mark"), marks(svg, "line mark")
    assert (len(boxes), len(lines)) == (45, 53)
    assert sum(one.get("stroke-dasharray") == "5,3" for one in lines) == sum(arc.mirrored for arc in found.diagram.arcs)
    assert sum(one.get("fill") == "white" for one in boxes) == len(found.missing) + len(found.unknown) == 4
    assert {"▼ 10 mean squared error", "↕ 3 privacy budget ε", "▲ 43 utility", "not known"} <= words(svg)
    assert f"{100 * found.position('43'):.0f}" in words(svg) and f"{found.score:.3g}" in figure.told


def test_a_higher_state_is_darker() -> None:
    figure = influence_figure(assessment())
    boxes = marks(figure.to_svg(), "rect mark")
    states = [one["state"] for one in figure.spec["layer"][1]["data"]["values"]]
    known = sorted((state, str(box.get("fill"))) for state, box in zip(states, boxes, strict=True) if state is not None)
    light = [sum(map(int, fill[4:-1].split(","))) for _, fill in known]
    assert len(light) == 41 and light == sorted(light, reverse=True) and light[0] - light[-1] > 200


def test_names_in_chinese() -> None:
    figure = influence_figure(assessment(), "zh")
    assert {"▼ 10 均方误差", "▲ 45 隐私保护算法效果", "未知", "保护效果的影响图"} <= words(figure.to_svg())
    assert "缺失 3 个指标" in figure.told
    with pytest.raises(OptionError, match="no names in 'de'"):
        influence_figure(assessment(), "de")


@settings(max_examples=50)
@given(small_diagrams())
def test_arcs_lead_to_the_right_and_nothing_stands_on_anything_else(diagram: Diagram) -> None:
    places, ways = layout(diagram)
    assert set(places) == set(diagram.nodes)
    assert all(places[key][0] == 0 for key in diagram.leaves)
    for arc, way in zip(diagram.arcs, ways, strict=True):
        assert (way[0], way[-1]) == (places[arc.source], places[arc.target])
        assert [column for column, _ in way] == list(range(way[0][0], way[-1][0] + 1))
    passing = [place for way in ways for place in way[1:-1]]
    for one, other in itertools.combinations([*places.values(), *passing], 2):
        assert one[0] != other[0] or abs(one[1] - other[1]) >= 1 - 1e-9
