"""An assessment to be stored: five grades of a score from 0 to 100, and what they rest on."""

from __future__ import annotations

import math
from enum import Enum
from functools import total_ordering
from typing import Any

import msgspec

from leakgauge.artefacts.evidence import Standing, StoredEvidence
from leakgauge.artefacts.quantity import Part, Real, Side
from leakgauge.errors import ModelError, OptionError
from leakgauge.sentences import Sentence


@total_ordering
class Grade(Enum):
    """How good the protection is, from very poor to very good; they compare as they rank.

    Example:
        >>> grade_of(40), grade_of(39.9) < Grade.MEDIUM, Grade.MEDIUM.label
        (<Grade.MEDIUM: 'medium'>, True, 'ML')
    """

    VERY_POOR = "very-poor"
    POOR = "poor"
    MEDIUM = "medium"
    GOOD = "good"
    VERY_GOOD = "very-good"

    @property
    def label(self) -> str:
        """The paper's letters."""
        return ("VLL", "LL", "ML", "HL", "VHL")[self.rank]

    @property
    def rank(self) -> int:
        """From 0 for very poor to 4 for very good."""
        return list(Grade).index(self)

    @property
    def lowest_score(self) -> float:
        """The least score that has this grade."""
        return 20.0 * self.rank

    def __lt__(self, other: Grade) -> bool:
        return self.rank < other.rank


def grade_of(score: float) -> Grade:
    """The grade of a score: cut at 20, 40, 60 and 80, each cut belonging to the better grade."""
    if not 0 <= score <= 100:
        raise OptionError("A score of {score} has no grade; scores run from 0 to 100.", score=score)
    return max(grade for grade in Grade if grade.lowest_score <= score)


def parse_target(text: str) -> Grade | float:
    """A grade by name, or a score from 0 to 100."""
    grades = {grade.value: grade for grade in Grade}
    try:
        target = grades[text] if text in grades else float(text)
    except ValueError:
        target = math.nan
    if not isinstance(target, Grade) and not 0 <= target <= 100:
        names = ", ".join(grades)
        raise OptionError("{text!r} is no target; give a score from 0 to 100, or {names!s}.", text=text, names=names)
    return target


class Veto(Part, frozen=True):
    """A reason, without a full stop, why the grade may not be better than the cap."""

    reason: Sentence
    cap: Grade = Grade.POOR

    def __post_init__(self) -> None:
        if not self.reason.template.strip():
            raise ModelError("A veto without a reason convinces nobody; name one.")


class Move(Part, frozen=True):
    """A leaf that goes to another position from 0 to 1, and the raw value there; None of a leaf that was asked."""

    leaf: str
    name: str
    start: float = msgspec.field(name="from")
    end: float = msgspec.field(name="to")
    value: float | None


class Lift(Part, frozen=True):
    """Moves that together reach the target, how far they go in all, the scores afterwards, and those it lowers.

    A trade-off pays for privacy with utility, or the other way round.
    """

    moves: tuple[Move, ...]
    cost: float
    score: float
    privacy: float | None
    utility: float | None
    lowers: tuple[str, ...]


class PolicyLine(Part, frozen=True):
    """One limit of a policy and what was found.

    Attributes:
        found: what is known; None where nothing is, which fails the line: what is not known is not kept.
        of: what was held against the limit, in words; empty where the name says it.
    """

    name: str
    limit: Side
    found: Side | None
    holds: bool
    of: Sentence = msgspec.field(default_factory=lambda: Sentence(""))

    @property
    def said(self) -> Sentence:
        """What was found and asked for, in a short sentence without a full stop."""
        found = Sentence("not known") if self.found is None else _said(self.found)
        said: dict[str, Any] = {"name": self.name, "found": found, "limit": _said(self.limit)}
        if self.of.template:
            return Sentence("{name} is {found} ({of}), the limit {limit}", of=self.of, **said)
        return Sentence("{name} is {found}, the limit {limit}", **said)


def _said(side: Side) -> Sentence:
    return side if isinstance(side, Sentence) else Sentence("{value:.4g}", value=side)


class ScoreInterval(Part, frozen=True):
    """Of a score."""

    low: float
    high: float
    confidence: float


class NodeStates(Part, frozen=True):
    """A node's names, and its distribution over the states from very low to very high."""

    name: str
    chinese: str
    states: tuple[float, ...]


class Leaf(Part, frozen=True):
    """What is known of a leaf, and the points that a move over its whole scale would add; None where nothing is known.

    The raw values beside it are those of a release that tells nothing (null) and of the data as they are (raw).
    """

    leaf: str
    name: str
    chinese: str
    better: str | None
    standing: Standing
    value: Real | None
    unit: str
    position: float | None
    states: tuple[float, ...] | None
    sensitivity: float | None
    privacy_sensitivity: float | None
    utility_sensitivity: float | None
    null: Real | None
    raw: Real | None
    source: Sentence


class Published(Part, frozen=True):
    """The paper's score and grade, and why they do not decide."""

    score: float
    grade: str
    credibility: float
    decides: bool
    why_not: Sentence


class Scores(Part, frozen=True):
    """A grade and the three scores from 0 to 100; None where nothing is known of one.

    The grade is the lowest of the grades of the three, after vetoes; uncapped it is before them.
    """

    score: float
    grade: Grade
    grade_uncapped: Grade
    privacy: float | None
    utility: float | None


class StoredAssessment(Scores, frozen=True, tag_field="schema", kw_only=True, tag="leakgauge/assessment/1"):
    """A graded release.

    Attributes:
        column: that was graded; None where there are several.
        missing: leaves of which nothing is known; the others share their weight.
        lifts: the cheapest changes that reach the next grade, or a target; ``blocked`` says why none does.
        published: by the paper's algebra, which does not decide.
    """

    column: str | None
    interval: ScoreInterval | None
    privacy_interval: ScoreInterval | None
    utility_interval: ScoreInterval | None
    graded: Sentence
    vetoes: tuple[Veto, ...]
    leaves: tuple[Leaf, ...]
    missing: tuple[str, ...]
    nodes: dict[str, NodeStates]
    lifts: tuple[Lift, ...]
    blocked: Sentence | None
    policy: tuple[PolicyLine, ...]
    published: Published | None
    evidence: StoredEvidence

    @property
    def reasons(self) -> tuple[Sentence, ...]:
        """Why the grade is capped."""
        return tuple(veto.reason for veto in self.vetoes)

    @property
    def failed(self) -> tuple[Sentence, ...]:
        """What of the policy is not kept."""
        return tuple(line.said for line in self.policy if not line.holds)


class Before(Scores, frozen=True, tag_field="schema", kw_only=True, tag="leakgauge/before/1"):
    """The scores and nodes of the table released as it is."""

    nodes: dict[str, NodeStates]
