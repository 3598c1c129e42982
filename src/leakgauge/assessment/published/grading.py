"""The value's score, grade and credibility (sections 3.3 and 3.5, (6) to (8))."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from leakgauge.artefacts.evidence import Evidence, Standing
from leakgauge.assessment.diagram import Arc
from leakgauge.assessment.published.fuzzification import fuzzify, label_shares
from leakgauge.assessment.published.fuzzy_sets import DEGREES, FREQUENCIES, SUPPORTS, Frequency, State
from leakgauge.assessment.published.paper_tables import Directions, table_2
from leakgauge.assessment.published.propagation import LeafStates, propagate
from leakgauge.errors import ModelError
from leakgauge.probability.cells import Floats
from leakgauge.sentences import Sentence

WHY_NOT = Sentence(
    "The published score does not decide: nodes merge what leads to them by union, so that hardly more counts than "
    "which states some leaf is often in, one leaf weighs as much as all, random leaves score 50.0, ε may go from very "
    "low to very high unseen, and a leaf that gets better can lower the score."
)


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


def grade(leaf_states: LeafStates, edges: Iterable[Arc], *, positive_direction: bool = True) -> PublishedGrade:
    """The published score, grade and credibility.

    Args:
        leaf_states: for each leaf its states with how often, as in Table 1; leaves that are not there are left out.
        edges: the influences, such as ``table_2(Directions.CORRECTED)``.
        positive_direction: False leaves the flips out, the paper's ablation.

    Raises:
        ModelError: the arcs have a cycle or more than one end, or the states are not of their leaves.

    Example:
        >>> from leakgauge.assessment.published import Directions, table_1, table_2
        >>> found = grade(table_1(), table_2(Directions.CORRECTED))
        >>> round(found.score, 2), found.grade.value, round(found.credibility, 4), found.decides
        (48.41, 'ML', 0.028, False)
    """
    found = propagate(leaf_states, edges, positive_direction=positive_direction)
    return grade_matrix(found.nodes[found.value].frequency, found.left_out)


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


def grade_evidence(evidence: Iterable[Evidence], edges: Iterable[Arc] | None = None) -> PublishedGrade:
    """What the published method says of measured, declared and asked leaves; missing ones are left out.

    Args:
        evidence: of the leaves; a value by its position on its scale, a questionnaire by the shares of its answers.
        edges: the influences; the paper's arcs with the directions by meaning if None.

    Raises:
        ModelError: a leaf has evidence twice, is no leaf of the arcs, or nothing is known of any.
    """
    states: dict[str, dict[State, Frequency]] = {}
    seen: set[str] = set()
    for one in evidence:
        if one.leaf in seen:
            raise ModelError("The leaf {leaf!r} has evidence twice; keep one.", leaf=one.leaf)
        seen.add(one.leaf)
        if one.standing is not Standing.MISSING:
            states[one.leaf] = _labels(one)
    return grade(states, table_2(Directions.BY_MEANING) if edges is None else edges)


def _labels(evidence: Evidence) -> dict[State, Frequency]:
    if evidence.standing is Standing.ASKED:
        people = sum(evidence.answers)
        return label_shares({state: count / people for state, count in zip(State, evidence.answers, strict=True)})
    assert evidence.scale is not None and evidence.value is not None
    return fuzzify(float(evidence.scale.position(evidence.value)))
