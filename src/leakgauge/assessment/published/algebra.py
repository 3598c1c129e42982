"""The published algebra: frequency matrices from the leaves to the value, and the grade read off the last one.

Sections 3.3 to 3.5 of the paper, its (1) to (8).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from typing import ClassVar, TypeAlias

import numpy as np

from leakgauge.artefacts.evidence import Evidence, Standing
from leakgauge.assessment.diagram import Arc
from leakgauge.assessment.diagram_files import default_diagram
from leakgauge.assessment.published.fuzzy_sets import (
    DEGREES,
    FREQUENCIES,
    FREQUENCY_SETS,
    STATE_SETS,
    SUPPORTS,
    Frequency,
    State,
    fuzzify,
    label_shares,
    rounded,
)
from leakgauge.errors import ModelError
from leakgauge.probability.cells import Floats
from leakgauge.sentences import Sentence

LeafStates: TypeAlias = Mapping[str, Mapping[State, Frequency]]
"""For each leaf the states it may be in, each with how often, as in Table 1."""

WHY_NOT = Sentence(
    "The published score does not decide: nodes merge what leads to them by union, so that hardly more counts than "
    "which states some leaf is often in, one leaf weighs as much as all, random leaves score 50.0, ε may go from very "
    "low to very high unseen, and a leaf that gets better can lower the score."
)


@dataclass(frozen=True)
class NodeMatrices:
    """What the method computes at a node that others lead to; 11 × 11 each."""

    joint_frequency: Floats
    """F_YP, the union of what comes in; frequency × degree."""
    joint_relation: Floats
    """R_YP, the union of the arcs' relations; degree × degree."""
    frequency: Floats
    """F_Y, their composition; frequency × degree."""


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
    related = _union([rounded(np.outer(STATE_SETS[source], STATE_SETS[target])) for source, target in pairs])
    related.flags.writeable = False
    return related


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
        names = ", ".join(ends) or "none"
        raise ModelError("The arcs end in {count} nodes ({found}); leave one value.", count=len(ends), found=names)
    return order, ends[0]


def _require_leaves(leaf_states: LeafStates, leaves: Sequence[str]) -> None:
    for key, states in leaf_states.items():
        if key not in leaves:
            raise ModelError("The node {node!r} is no leaf of the arcs; leave it out.", node=key)
        if not states:
            raise ModelError("The leaf {node!r} is in no state; give one, or leave the leaf out.", node=key)
    if not leaf_states:
        raise ModelError("No leaf is known; give the states of at least one.")


@dataclass(frozen=True)
class PublishedGrade:
    """The paper's verdict; shown beside the one that decides, never in its place.

    Attributes:
        score: Σ x p(x), from 0 to 100.
        grade: the state whose degrees hold the most probability; of equal ones the lowest.
        credibility: the variance of the row, with n − 1 as in the paper's numbers.
        row: the memberships of the degrees 0, 10, …, 100 in the row that is read.
        frequency: which row that is, from 0 to 1.
        probabilities: of each state, Table 4; they overlap, so that they sum to more than 1.
        left_out: leaves nothing was known of.
    """

    decides: ClassVar[bool] = False
    why_not: ClassVar[Sentence] = WHY_NOT

    score: float
    grade: State
    credibility: float
    row: tuple[float, ...]
    frequency: float
    probabilities: Mapping[State, float]
    left_out: tuple[str, ...] = ()

    @property
    def distribution(self) -> tuple[float, ...]:
        """p(x) of the degrees 0, 10, …, 100; Table 3."""
        total = math.fsum(self.row)
        return tuple(membership / total for membership in self.row)


def grade(leaf_states: LeafStates, arcs: Iterable[Arc], *, positive_direction: bool = True) -> PublishedGrade:
    """The published score, grade and credibility; arguments and errors as for ``propagate``."""
    matrices = propagate(leaf_states, arcs, positive_direction=positive_direction)
    return grade_matrix(matrices.nodes[matrices.value].frequency, matrices.left_out)


def grade_matrix(frequency: Floats, left_out: tuple[str, ...] = ()) -> PublishedGrade:
    """What the value's frequency matrix says: read in the row with the largest sum × frequency.

    Raises:
        ModelError: not 11 × 11 memberships from 0 to 1 with something above the row of frequency 0.
    """
    if frequency.shape != (11, 11) or not ((frequency >= 0) & (frequency <= 1)).all() or not frequency[1:].any():
        raise ModelError("The value's frequency matrix is not 11 × 11 memberships from 0 to 1 that say something.")
    weights = [math.fsum(row) * often for row, often in zip(frequency.tolist(), FREQUENCIES, strict=True)]
    at = max(range(11), key=lambda place: round(weights[place], 9))
    row = frequency[at].tolist()
    total = math.fsum(row)
    probabilities = {state: math.fsum(row[degrees]) / total for state, degrees in SUPPORTS.items()}
    # Sums of memberships of four digits are equal or differ by far more; max takes the first, which is the lowest.
    best = max(State, key=lambda state: round(probabilities[state], 9))
    # Around 50, so that a symmetric row scores 50 to the last bit.
    score = 50 + math.fsum((degree - 50) * membership for degree, membership in zip(DEGREES, row, strict=True)) / total
    credibility = float(np.var(row, ddof=1))
    return PublishedGrade(score, best, credibility, tuple(row), FREQUENCIES[at], probabilities, left_out)


def grade_evidence(evidence: Iterable[Evidence], arcs: Iterable[Arc] | None = None) -> PublishedGrade:
    """What the published method says of measured, declared and asked leaves; missing ones are left out.

    Args:
        evidence: of the leaves; a value by its position on its scale, a questionnaire by the shares of its answers.
        arcs: the influences; the paper's, directed by their meaning, if None.

    Raises:
        ModelError: a leaf has evidence twice, is no leaf of the arcs, or nothing is known of any.
    """
    states: dict[str, dict[State, Frequency]] = {}
    seen: set[str] = set()
    for item in evidence:
        if item.leaf in seen:
            raise ModelError("The leaf {leaf!r} has evidence twice; keep one.", leaf=item.leaf)
        seen.add(item.leaf)
        if item.standing is not Standing.MISSING:
            states[item.leaf] = _labels(item)
    return grade(states, default_diagram().arcs if arcs is None else arcs)


def _labels(evidence: Evidence) -> dict[State, Frequency]:
    if evidence.standing is Standing.ASKED:
        people = sum(evidence.answers)
        return label_shares({state: count / people for state, count in zip(State, evidence.answers, strict=True)})
    assert evidence.scale is not None and evidence.value is not None
    return fuzzify(float(evidence.scale.position(evidence.value)))
