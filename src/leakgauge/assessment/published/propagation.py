"""Frequency matrices, from the leaves to the value (sections 3.3 and 3.4, (1) to (5))."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from typing import TypeAlias

import numpy as np

from leakgauge.assessment.diagram import Arc
from leakgauge.assessment.published.fuzzy_sets import FREQUENCY_SETS, STATE_SETS, Frequency, State, rounded
from leakgauge.errors import ModelError
from leakgauge.probability.cells import Floats

LeafStates: TypeAlias = Mapping[str, Mapping[State, Frequency]]
"""For each leaf the states it may be in, each with how often, as in Table 1."""


@dataclass(frozen=True)
class NodeMatrices:
    """What the method computes at a node that others lead to; 11 × 11 each.

    Attributes:
        joint_frequency: F_YP, the union of what comes in; frequency × degree.
        joint_relation: R_YP, the union of the arcs' relations; degree × degree.
        frequency: F_Y, their composition; frequency × degree.
    """

    joint_frequency: Floats
    joint_relation: Floats
    frequency: Floats


@dataclass(frozen=True)
class Propagation:
    """Every node's matrices.

    Attributes:
        leaves: F of each leaf that is known.
        nodes: of every other node that a known leaf leads to.
        value: the node that leads nowhere.
        left_out: leaves of the arcs that are not known.
    """

    leaves: Mapping[str, Floats]
    nodes: Mapping[str, NodeMatrices]
    value: str
    left_out: tuple[str, ...]


def leaf_matrix(states: Mapping[State, Frequency]) -> Floats:
    """F of a leaf: the union of (frequency set ⊗ state set) over its states; frequency × degree."""
    return _union([rounded(np.outer(FREQUENCY_SETS[often], STATE_SETS[state])) for state, often in states.items()])


@cache
def relation(mirrored: bool) -> Floats:
    """R of an arc: the union of (state set ⊗ set of the state it maps to); degree × degree."""
    pairs = [(state, state.mirrored if mirrored else state) for state in State]
    found = _union([rounded(np.outer(STATE_SETS[source], STATE_SETS[target])) for source, target in pairs])
    found.flags.writeable = False
    return found


def compose(frequency: Floats, related: Floats) -> Floats:
    """F ∘ R by max-min."""
    return np.asarray(np.minimum(frequency[:, :, None], related[None, :, :]).max(axis=1))


def propagate(leaf_states: LeafStates, arcs: Iterable[Arc], *, positive_direction: bool = True) -> Propagation:
    """Every node's matrices.

    Args:
        leaf_states: of the leaves that are known; the others are left out, and nodes with them that depend on no other.
        arcs: the influences; weights are not used, for the method has none.
        positive_direction: whether an arc against the majority of its siblings has F and R flipped left-right; where
            they are split evenly the mirrored ones are flipped, as in the paper's node 32. False is its ablation.

    Raises:
        ModelError: the arcs have a cycle or more than one end, or the leaf states name a node that is no leaf of
            theirs, or a leaf without a state, or no leaf at all.
    """
    arcs = tuple(arcs)
    order, value = _order(arcs)
    targets = {arc.target for arc in arcs}
    leaves = tuple(key for key in order if key not in targets)
    _require_leaves(leaf_states, leaves)
    frequency = {key: leaf_matrix(leaf_states[key]) for key in leaves if key in leaf_states}
    known = dict(frequency)
    nodes: dict[str, NodeMatrices] = {}
    for key in order:
        into = [(known[arc.source], arc.mirrored) for arc in arcs if arc.target == key and arc.source in known]
        if into:
            nodes[key] = _meet(into, positive_direction)
            known[key] = nodes[key].frequency
    return Propagation(frequency, nodes, value, tuple(key for key in leaves if key not in leaf_states))


def _meet(into: Sequence[tuple[Floats, bool]], positive_direction: bool) -> NodeMatrices:
    majority = 2 * sum(mirrored for _, mirrored in into) > len(into)
    frequencies, relations = [], []
    for frequency, mirrored in into:
        flip = positive_direction and mirrored != majority
        related = relation(mirrored)
        frequencies.append(frequency[:, ::-1] if flip else frequency)
        relations.append(related[:, ::-1] if flip else related)
    joint, related = _union(frequencies), _union(relations)
    return NodeMatrices(joint, related, compose(joint, related))


def _union(matrices: Sequence[Floats]) -> Floats:
    return np.asarray(np.max(matrices, axis=0))


def _order(arcs: Sequence[Arc]) -> tuple[tuple[str, ...], str]:
    before: dict[str, set[str]] = {}
    for arc in arcs:
        before.setdefault(arc.source, set())
        before.setdefault(arc.target, set()).add(arc.source)
    try:
        order = tuple(TopologicalSorter(before).static_order())
    except CycleError as error:
        raise ModelError("The arcs have a cycle: {cycle}; take one out.", cycle=" → ".join(error.args[1])) from None
    ends = sorted(before.keys() - {arc.source for arc in arcs})
    if len(ends) != 1:
        found = ", ".join(ends) or "none"
        raise ModelError("The arcs end in {count} nodes ({found}); leave one value.", count=len(ends), found=found)
    return order, ends[0]


def _require_leaves(leaf_states: LeafStates, leaves: Sequence[str]) -> None:
    for key, states in leaf_states.items():
        if key not in leaves:
            raise ModelError("The node {node!r} is no leaf of the arcs; leave it out.", node=key)
        if not states:
            raise ModelError("The leaf {node!r} is in no state; give one, or leave the leaf out.", node=key)
    if not leaf_states:
        raise ModelError("No leaf is known; give the states of at least one.")
