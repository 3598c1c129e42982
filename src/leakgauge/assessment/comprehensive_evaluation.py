"""Multi-layer fuzzy comprehensive evaluation, which the paper compares with (section 4.5).

It needs a tree, so that arcs which make a node lead to two others are cut. Siblings weigh the same, and a node's row is
the mean of theirs. Directions are not used: the paper speaks of none here, and with leaf 2 mirrored index system b
would have at least 0.08 in VHL where 0.068 is printed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from leakgauge.assessment.diagram_files import default_diagram
from leakgauge.assessment.published import Frequency, LeafStates, State
from leakgauge.errors import ModelError
from leakgauge.probability.cells import Floats

MEMBERSHIP: Mapping[Frequency, float] = {often: (2 * place + 1) / 10 for place, often in enumerate(Frequency)}
"""The membership a label stands for: the middle of its fifth, 0.1, 0.3, …, 0.9. Ours, for the paper prints none."""

INDEX_SYSTEM_A: Mapping[str, str] = {"1": "41", "2": "41", "3": "41", "32": "43", "24": "36", "25": "36"}
"""Where the nodes hang that lead to several: 24 and 25 by our choice, for Figure 9 is a picture."""
INDEX_SYSTEM_B: Mapping[str, str] = {"1": "42", "2": "42", "3": "42", "32": "31", "24": "36", "25": "36"}
"""The paper's other way to cut."""


@dataclass(frozen=True)
class Evaluation:
    """Memberships of the states, which sum to 1, and the state with the largest, of equal ones the lowest."""

    memberships: Mapping[State, float]
    grade: State


def evaluate(leaf_states: LeafStates, index_system: Mapping[str, str]) -> Evaluation:
    """The evaluation of the paper's 28 leaves on a tree; leaves that are not there are left out.

    Args:
        leaf_states: for each leaf its states with how often, as in Table 1.
        index_system: for each node that leads to several the one it stays under, such as ``INDEX_SYSTEM_A``.
    """
    children: dict[str, list[str]] = {}
    parents: dict[str, str] = {}
    for arc in default_diagram().arcs:
        if index_system.get(arc.source, arc.target) == arc.target:
            if arc.source in parents:
                raise ModelError("The index system leaves the node {node!r} under two others.", node=arc.source)
            parents[arc.source] = arc.target
            children.setdefault(arc.target, []).append(arc.source)
    for node in index_system:
        if node not in parents:
            raise ModelError("The index system leaves the node {node!r} under none.", node=node)
    row = _row("45", children, leaf_states)
    if row is None:
        raise ModelError("No leaf is known; give the states of at least one.")
    memberships = dict(zip(State, row.tolist(), strict=True))
    return Evaluation(memberships, max(State, key=lambda state: round(memberships[state], 9)))


def _row(node: str, children: Mapping[str, list[str]], leaf_states: LeafStates) -> Floats | None:
    if node not in children:
        states = leaf_states.get(node)
        if not states:
            return None
        labels = np.array([MEMBERSHIP[states[state]] if state in states else 0.0 for state in State])
        return np.asarray(labels / labels.sum())
    rows = [_row(child, children, leaf_states) for child in children[node]]
    known = [row for row in rows if row is not None]
    return np.asarray(np.mean(known, axis=0)) if known else None
