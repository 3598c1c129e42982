"""The published grade, by the paper's fuzzy influence diagram: shown beside ours, never used to decide.

Tian et al., Assessment method on protection effectiveness of differential privacy algorithms based on fuzzy influence
diagram, Journal on Communications, 2024 (doi:10.11959/j.issn.1000-436x.2024122): its fuzzy sets (section 4.1), its
matrices from the leaves to the value and the grade read off the last one (sections 3.3 to 3.5, (1) to (8)). Of one's
own data it is in ``published_score``; the evaluation that it is compared with is in ``comprehensive_evaluation``, its
tables in ``papers.influence_diagram``.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from graphlib import CycleError, TopologicalSorter
from typing import ClassVar, TypeAlias

import numpy as np

from leakgauge.assessment.diagram import Arc
from leakgauge.errors import ModelError, OptionError
from leakgauge.probability.cells import Floats
from leakgauge.sentences import Sentence

WHY_NOT = Sentence(
    "The published score does not decide. Its nodes merge their inputs by union, so one indicator weighs as much as "
    "all of them, random indicators score 50.0, ε may go from very low to very high unnoticed, and a better indicator "
    "can lower the score."
)
DEGREES = tuple(range(0, 101, 10))
"""What the states are sets of."""
FREQUENCIES = tuple(step / 10 for step in range(11))
"""What the frequencies are sets of."""
CUTS = (0.2, 0.4, 0.6, 0.8)
"""Where one frequency label ends and the next begins: equal fifths. Our choice, because the paper prints only that 0.5
is M."""


class State(Enum):
    """How much of an indicator there is, from very low to very high; the values are the paper's labels."""

    VERY_LOW = "VLL"
    LOW = "LL"
    MEDIUM = "ML"
    HIGH = "HL"
    VERY_HIGH = "VHL"

    @property
    def mirrored(self) -> State:
        """The state as far from the other end."""
        states = list(State)
        return states[-1 - states.index(self)]


class Frequency(Enum):
    """How often an indicator is in a state, from very rarely to very often; the values are the paper's labels."""

    VERY_LOW = "VL"
    LOW = "L"
    MEDIUM = "M"
    HIGH = "H"
    VERY_HIGH = "VH"


def rounded(memberships: Floats) -> Floats:
    """The memberships without the noise of binary fractions: equal ones are equal numbers, and ties are ties."""
    # Every product of two printed memberships has at most four digits, so that six lose nothing.
    return np.round(memberships, 6)


def _set(members: Mapping[int, float]) -> Floats:
    memberships = np.zeros(11)
    memberships[list(members)] = list(members.values())
    return memberships


_VERY_HIGH = _set({7: 0.1, 8: 0.3, 9: 0.7, 10: 1.0})
_HIGH = _set({5: 0.2, 6: 0.6, 7: 1.0, 8: 0.8})
_OFTEN = _set({7: 0.5, 8: 0.7, 9: 0.9, 10: 1.0})

STATE_SETS: Mapping[State, Floats] = {
    State.VERY_LOW: _VERY_HIGH[::-1],
    State.LOW: _HIGH[::-1],
    State.MEDIUM: _set({3: 0.2, 4: 0.7, 5: 1.0, 6: 0.7, 7: 0.2}),
    State.HIGH: _HIGH,
    State.VERY_HIGH: _VERY_HIGH,
}
FREQUENCY_SETS: Mapping[Frequency, Floats] = {
    Frequency.VERY_LOW: rounded(_OFTEN[::-1] ** 2),
    Frequency.LOW: _OFTEN[::-1],
    Frequency.MEDIUM: _set({3: 0.2, 4: 0.8, 5: 1.0, 6: 0.8, 7: 0.2}),
    Frequency.HIGH: _OFTEN,
    Frequency.VERY_HIGH: rounded(_OFTEN**2),
}
SUPPORTS: Mapping[State, slice] = {
    state: slice(int(np.flatnonzero(members)[0]), int(np.flatnonzero(members)[-1]) + 1)
    for state, members in STATE_SETS.items()
}
"""The degrees in a state's set, which its probability is summed over: 0–30, 20–50, 30–70, 50–80, 70–100."""


def memberships(position: float) -> dict[State, float]:
    """How far a normalised value belongs to each state, from 0 to 1: straight between the printed memberships."""
    if not 0 <= position <= 1:
        raise OptionError("The position {position} is not from 0 to 1; normalise the value.", position=position)
    belongs = {state: np.interp(100 * position, DEGREES, members) for state, members in STATE_SETS.items()}
    return {state: float(rounded(np.asarray(value))) for state, value in belongs.items()}


def fuzzify(position: float) -> dict[State, Frequency]:
    """The states of a value on the scale from 0 to 1, each with the frequency label of its membership.

    Example:
        >>> {state.value: often.value for state, often in fuzzify(0.32).items()}
        {'VLL': 'VL', 'LL': 'VH', 'ML': 'L'}
    """
    return label_shares(memberships(position))


def label_shares(shares: Mapping[State, float]) -> dict[State, Frequency]:
    """The states with a share above 0, each with the label of its share; of a questionnaire the share of its answer."""
    for share in shares.values():
        if not 0 <= share <= 1:
            raise OptionError("The share {share} is not from 0 to 1; divide by the sum.", share=share)
    labels = list(Frequency)
    return {state: labels[bisect_right(CUTS, shares[state])] for state in State if shares.get(state, 0.0) > 0}


LeafStates: TypeAlias = Mapping[str, Mapping[State, Frequency]]
"""For each leaf the states it may be in, each with how often, as in Table 1."""


@dataclass(frozen=True)
class NodeMatrices:
    """Of a node that others lead to, 11 × 11 each: the unions F_YP and R_YP of what comes in, and F_Y = F_YP ∘ R_YP."""

    joint_frequency: Floats
    joint_relation: Floats
    frequency: Floats


@dataclass(frozen=True)
class Propagation:
    """F of each known leaf, the matrices of each node that one leads to, the last node, and the leaves not known."""

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
    """Every node's matrices, from the states of the leaves that are known.

    Where ``positive_direction`` an arc against the majority of its siblings has F and R flipped left-right; where they
    are split evenly the mirrored ones are flipped, as in the paper's node 32. False is its ablation.
    """
    arcs = tuple(arcs)
    order, value = _order(arcs)
    targets = {arc.target for arc in arcs}
    leaves = [key for key in order if key not in targets]
    for key, states in leaf_states.items():
        if key not in leaves:
            raise ModelError("The node {node!r} is not a leaf of the arcs; leave it out.", node=key)
        if not states:
            raise ModelError("The leaf {node!r} has no state; give one, or leave the leaf out.", node=key)
    if not leaf_states:
        raise ModelError("No leaf is known; give the states of at least one.")
    frequency = {key: leaf_matrix(leaf_states[key]) for key in leaves if key in leaf_states}
    known, nodes = dict(frequency), {}
    for key in order:
        into = [(known[arc.source], arc.mirrored) for arc in arcs if arc.target == key and arc.source in known]
        if into:
            nodes[key] = _meet(into, positive_direction)
            known[key] = nodes[key].frequency
    return Propagation(frequency, nodes, value, tuple(key for key in leaves if key not in leaf_states))


def _meet(into: Sequence[tuple[Floats, bool]], positive_direction: bool) -> NodeMatrices:
    majority = 2 * sum(mirrored for _, mirrored in into) > len(into)
    # Against the majority: flipped left-right.
    flipped = [-1 if positive_direction and mirrored != majority else 1 for _, mirrored in into]
    joint = _union([frequency[:, ::way] for (frequency, _), way in zip(into, flipped, strict=True)])
    related = _union([relation(mirrored)[:, ::way] for (_, mirrored), way in zip(into, flipped, strict=True)])
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


@dataclass(frozen=True)
class PublishedGrade:
    """The paper's verdict; shown beside the one that decides, never in its place.

    Attributes:
        score: Σ x p(x), from 0 to 100.
        grade: the state whose degrees hold the most probability; of equal ones the lowest.
        credibility: the variance of the row, with n − 1 as in the paper's numbers.
        row: the memberships of the degrees 0, 10, …, 100 in the row of this frequency, which is read.
        probabilities: of each state, Table 4; they overlap, so that they sum to more than 1.
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
    """What the value's frequency matrix says: read in the row with the largest sum × frequency."""
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
