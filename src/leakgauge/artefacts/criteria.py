"""Explanations of the scores that do not decide: criteria from 0 to 100 with their leaves, and a comprehensive
evaluation."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from leakgauge.artefacts.evidence import Standing
from leakgauge.artefacts.quantity import Part, Quantity, Real
from leakgauge.sentences import Sentence


class CriterionLeaf(Part, frozen=True, kw_only=True):
    """What is known of a leaf, and what it says of the criterion that it feeds.

    Attributes:
        value: raw, in its unit; None where it is missing or asked.
        points: from 0 to 100, of what is best for the criterion; None where nothing is known.
        weight: its share of the criterion; 0 of a leaf that is shown and not counted.
    """

    leaf: str
    name: str
    chinese: str
    standing: Standing
    value: Real | None
    unit: str
    points: Quantity | None
    weight: float
    source: Sentence


class Criterion(Part, frozen=True, kw_only=True):
    """One criterion from 0 to 100, and what it rests on.

    Attributes:
        points: with what is missing at its unfavourable end; None where nothing is known.
        score: that it is never better than; None where it has none.
        standing: the weakest of what it rests on: measured, then declared, then asked.
    """

    key: str
    name: str
    chinese: str
    points: Quantity | None
    score: str | None
    standing: Standing
    leaves: tuple[CriterionLeaf, ...]
    missing: tuple[str, ...]
    said: Sentence


class Criteria(Part, frozen=True, kw_only=True):
    """What explains the scores, and decides nothing.

    Attributes:
        needed: how much protection the facts of the data call for; None where the diagram has no such leaf.
        beside: the same in words, beside the protection that was found.
        audit: how strong the audit was, which protects nobody; None where the diagram has no such leaf.
        unused: leaves that there is evidence of and the diagram does not have.
    """

    criteria: tuple[Criterion, ...]
    needed: Criterion | None
    beside: Sentence
    audit: Criterion | None
    unused: tuple[str, ...]


class FactorMemberships(Part, frozen=True, kw_only=True):
    """How far a factor, or a leaf, belongs to each state from very low to very high, and its weight beside others."""

    key: str
    name: str
    under: str | None
    weight: float
    memberships: tuple[float, ...]


NO_FACTOR_DECIDES = Sentence(
    "The comprehensive evaluation does not decide: it is a mean in which any factor can make up for any other, so "
    "even unchanged data may be graded well."
)


class ComprehensiveEvaluation(Part, frozen=True, kw_only=True):
    """A fuzzy comprehensive evaluation over layers of factors; shown beside what decides, never in its place.

    Attributes:
        grade: the state with the largest membership, of equal ones the lowest; the paper's letters.
        memberships: of the value in the five states, which sum to 1.
        factors: every factor and leaf that is known, each after the one that it is part of.
        left_out: leaves of which nothing is known; the others share their weight.
    """

    grade: str
    memberships: tuple[float, ...]
    factors: tuple[FactorMemberships, ...]
    left_out: tuple[str, ...]
    decides: bool = False
    why_not: Sentence = msgspec.field(default_factory=lambda: NO_FACTOR_DECIDES)


NO_MEAN_DECIDES = Sentence(
    "The score over the arcs of this diagram does not decide: it is a mean of indicators in which even unchanged data "
    "keep part of the privacy score, and a larger δ raises utility."
)


class NodeStates(Part, frozen=True):
    """A node's names, and its distribution over the states from very low to very high."""

    name: str
    chinese: str
    states: tuple[float, ...]


Rows: TypeAlias = tuple[tuple[float, ...], ...]
"""A matrix of the published method: frequencies 0, 0.1, …, 1 down, of a relation degrees, and degrees 0, 10, …, 100
across."""


class PublishedLeaf(Part, frozen=True, kw_only=True):
    """A known leaf as the published method takes it.

    Attributes:
        value: raw, in its unit; None where people were asked.
        memberships: how far it belongs to each state that it is in; where people were asked, the share of that answer.
        frequencies: the label of each of these, from VL to VH.
    """

    leaf: str
    name: str
    chinese: str
    value: Real | None
    unit: str
    memberships: dict[str, float]
    frequencies: dict[str, str]


class PublishedNode(Part, frozen=True, kw_only=True):
    """The matrices of a node between the leaves and the value: the unions of what comes in, and their composition."""

    joint_frequency: Rows
    joint_relation: Rows
    frequency: Rows


class PublishedReading(Part, frozen=True, kw_only=True):
    """What the published method reads off the matrix of the value node.

    Attributes:
        credibility: what the paper calls so, the variance of the row.
        frequency: of the row that is read; None in files of earlier versions.
        row: its memberships of the degrees 0, 10, …, 100.
        probabilities: of each grade; they overlap, so that they sum to more than 1.
    """

    score: float
    grade: str
    credibility: float
    frequency: float | None = None
    row: tuple[float, ...] = ()
    probabilities: dict[str, float] = msgspec.field(default_factory=dict)


class Published(PublishedReading, frozen=True, kw_only=True):
    """The paper's score and grade, what they are computed from, and why they do not decide.

    Attributes:
        matrix: F of the value node.
        leaves: those that are known, in the order of the diagram.
        left_out: the leaves of which nothing is known.
        unflipped: the same without the positive-direction step, the paper's ablation.
        nodes: the matrices of the nodes between, where they were asked for.
    """

    decides: bool
    why_not: Sentence
    matrix: Rows = ()
    leaves: tuple[PublishedLeaf, ...] = ()
    left_out: tuple[str, ...] = ()
    unflipped: PublishedReading | None = None
    nodes: dict[str, PublishedNode] = msgspec.field(default_factory=dict)


class OverArcs(Part, frozen=True, kw_only=True):
    """Indicators carried along the arcs of the paper's diagram, or of one like it, by the first algebra.

    Attributes:
        score: from 0 to 100, as privacy and utility are; None where nothing that moves it is known.
    """

    score: Real | None
    privacy: Real | None
    utility: Real | None
    nodes: dict[str, NodeStates]
    missing: tuple[str, ...]
    decides: bool = False
    why_not: Sentence = msgspec.field(default_factory=lambda: NO_MEAN_DECIDES)
