"""What explains the dials of a release: criteria from 0 to 100 with their leaves, and a comprehensive evaluation.

Neither decides.
"""

from __future__ import annotations

from typing import ClassVar

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
        dial: that it is never better than; None where it has none.
        standing: the weakest of what it rests on: measured, then declared, then asked.
        missing: leaves that would count and of which nothing is known.
        said: why there are no points; empty where there are.
    """

    key: str
    name: str
    chinese: str
    points: Quantity | None
    dial: str | None
    standing: Standing
    leaves: tuple[CriterionLeaf, ...]
    missing: tuple[str, ...]
    said: Sentence


class Criteria(Part, frozen=True, kw_only=True):
    """What explains the dials, and decides nothing.

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


class ComprehensiveEvaluation(Part, frozen=True, kw_only=True):
    """A fuzzy comprehensive evaluation over layers of factors; shown beside what decides, never in its place.

    Attributes:
        grade: the state with the largest membership, of equal ones the lowest; the paper's letters.
        memberships: of the value in the five states, which sum to 1.
        factors: every factor and leaf that is known, each after the one that it is part of.
        left_out: leaves of which nothing is known; the others share their weight.
    """

    decides: ClassVar[bool] = False
    why_not: ClassVar[Sentence] = Sentence(
        "The comprehensive evaluation does not decide: it is a mean, in which any factor makes up for any other, so "
        "that data released as they are may still be graded well."
    )

    grade: str
    memberships: tuple[float, ...]
    factors: tuple[FactorMemberships, ...]
    left_out: tuple[str, ...]
