"""Diagrams and evidence to try laws on."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from hypothesis import strategies as st

from leakgauge.artefacts.evidence import Evidence, Scale, Standing
from leakgauge.assessment.diagram import Arc, Better, Diagram, Node
from leakgauge.assessment.diagram_files import default_diagram
from leakgauge.sentences import Sentence

WEIGHTS = st.floats(0.05, 20)
PLACES = st.floats(0, 1)


def measured(places: Mapping[str, float]) -> list[Evidence]:
    """Leaves at positions from 0 to 1."""
    return [
        Evidence(key, Standing.MEASURED, Sentence("by hand"), place, "", Scale(0, 1)) for key, place in places.items()
    ]


@st.composite
def small_diagrams(draw: st.DrawFn) -> Diagram:
    """Up to six leaves, three nodes between, a value; every direction declared as the arcs say."""
    leaves = [f"leaf {at}" for at in range(draw(st.integers(1, 6)))]
    inner = [f"node {at}" for at in range(draw(st.integers(1, 3)))]
    arcs: list[Arc] = []
    for at, target in enumerate([*inner, "value"]):
        before = [*leaves, *inner[:at]]
        chosen = draw(st.lists(st.sampled_from(before), min_size=1, max_size=4, unique=True))
        arcs += [Arc(source, target, draw(st.booleans()), draw(WEIGHTS)) for source in chosen]
    for source in [*leaves, *inner]:
        if not any(arc.source == source for arc in arcs):
            arcs.append(Arc(source, "value", draw(st.booleans()), draw(WEIGHTS)))
    nodes = {key: Node(key, key, better=_better(key, arcs)) for key in leaves}
    nodes |= {key: Node(key, key) for key in [*inner, "value"]}
    states = draw(st.integers(3, 9))
    return Diagram(nodes, tuple(arcs), "value", (inner[0],), (inner[-1],), states)


def _better(leaf: str, arcs: list[Arc]) -> Better:
    found, open_ = set(), [(leaf, 1)]
    while open_:
        key, sign = open_.pop()
        if key == "value":
            found.add(sign)
        open_ += [(arc.target, -sign if arc.mirrored else sign) for arc in arcs if arc.source == key]
    return Better.TRADE_OFF if len(found) > 1 else Better.HIGHER if found == {1} else Better.LOWER


@st.composite
def weighted_default(draw: st.DrawFn) -> Diagram:
    """The default diagram with other weights."""
    diagram = default_diagram()
    weights = draw(st.lists(WEIGHTS, min_size=len(diagram.arcs), max_size=len(diagram.arcs)))
    arcs = (dataclasses.replace(arc, weight=weight) for arc, weight in zip(diagram.arcs, weights, strict=True))
    return dataclasses.replace(diagram, arcs=tuple(arcs))


@st.composite
def with_places(draw: st.DrawFn) -> tuple[Diagram, dict[str, float]]:
    """A diagram and positions of some of its leaves."""
    diagram = draw(st.one_of(small_diagrams(), weighted_default()))
    known = draw(st.lists(st.sampled_from(diagram.leaves), min_size=1, unique=True))
    return diagram, {key: draw(PLACES) for key in diagram.leaves if key in known}
