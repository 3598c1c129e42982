"""Where the nodes of an influence diagram stand, and the ways of its arcs."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from leakgauge.assessment.diagram import Diagram

Place = tuple[int, float]
"""A column and a row."""

NODE_ROWS = 2.0
"""Rows that a node has to itself; a leaf, or an arc that passes, has one."""


def layout(diagram: Diagram) -> tuple[dict[str, Place], list[list[Place]], float]:
    """Where each node stands, for each arc the places it passes, its ends included, and how many rows there are.

    All leaves stand in the first column, every other node as far from the value as its longest way to it. An arc over
    several columns has a row of its own in each, so that it runs between boxes. Rows follow the middle of their
    neighbours, back and forth a few times, so that few arcs cross.
    """
    far: dict[str, int] = {}
    for key in reversed(diagram.order):
        far[key] = max((far[arc.target] + 1 for arc in diagram.arcs if arc.source == key), default=0)
    last = max(far.values())
    column: dict[object, int] = {key: 0 if key in diagram.leaves else last - far[key] for key in diagram.nodes}
    sizes: dict[object, float] = {key: 1.0 if key in diagram.leaves else NODE_ROWS for key in diagram.nodes}
    ways: list[list[object]] = []
    for arc in diagram.arcs:
        between = [(arc.source, arc.target, at) for at in range(column[arc.source] + 1, column[arc.target])]
        column |= {one: one[2] for one in between}
        sizes |= dict.fromkeys(between, 1.0)
        ways.append([arc.source, *between, arc.target])
    rows, most = _rows(column, sizes, ways)
    places = {one: (column[one], rows[one]) for one in column}
    return {key: places[key] for key in diagram.nodes}, [[places[one] for one in way] for way in ways], most


def _rows(
    column: Mapping[object, int], sizes: Mapping[object, float], ways: list[list[object]]
) -> tuple[dict[object, float], float]:
    after: dict[object, list[object]] = {one: [] for one in column}
    before: dict[object, list[object]] = {one: [] for one in column}
    for way in ways:
        for one, other in pairwise(way):
            after[one].append(other)
            before[other].append(one)
    groups = [[one for one in column if column[one] == at] for at in range(max(column.values()) + 1)]
    most = max(sum(sizes[one] for one in group) for group in groups)
    rows: dict[object, float] = {}
    for group in groups:
        rows |= _evenly(group, sizes, most)
    for turn in range(24):
        backwards = turn % 2 == 0
        neighbours = after if backwards else before
        for group in reversed(groups) if backwards else groups:
            middle = {one: _mean([rows[other] for other in neighbours[one]], rows[one]) for one in group}
            group.sort(key=lambda one: (middle[one], rows[one]))
            rows |= _evenly(group, sizes, most)
    return rows, most


def _evenly(group: list[object], sizes: Mapping[object, float], most: float) -> dict[object, float]:
    """The middles of so many things spread over all rows, each with room for its size."""
    stretch = most / sum(sizes[one] for one in group)
    found, top = {}, 0.0
    for one in group:
        found[one] = top + stretch * sizes[one] / 2
        top += stretch * sizes[one]
    return found


def _mean(values: list[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise
