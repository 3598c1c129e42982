"""A graded release: scores, what they rest on, what speaks against it, and what would lift it."""

from __future__ import annotations

import msgspec

from leakgauge.artefacts.evidence import Standing, StoredEvidence
from leakgauge.artefacts.grades import Grade
from leakgauge.artefacts.quantity import Real, Side
from leakgauge.errors import ModelError
from leakgauge.sentences import Sentence


class Veto(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A reason why the grade may not be better than the cap.

    Attributes:
        reason: in a short sentence without a full stop.
        cap: the best grade that is left.
    """

    reason: Sentence
    cap: Grade = Grade.POOR

    def __post_init__(self) -> None:
        if not self.reason.template.strip():
            raise ModelError("A veto without a reason convinces nobody; name one.")


class Move(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A leaf that goes elsewhere.

    Attributes:
        leaf: which.
        name: its name in the diagram.
        start: its position from 0 to 1 as it is.
        end: its position afterwards.
        value: the raw value at the end; None of a leaf that was asked.
    """

    leaf: str
    name: str
    start: float = msgspec.field(name="from")
    end: float = msgspec.field(name="to")
    value: float | None


class Lift(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Moves that together reach the target.

    Attributes:
        moves: the leaves that go elsewhere.
        cost: how far they go in all, each times its own cost.
        score: afterwards.
        privacy: afterwards; None where nothing is known of it.
        utility: likewise.
        lowers: what of privacy and utility it lowers: a trade-off pays for the one with the other.
    """

    moves: tuple[Move, ...]
    cost: float
    score: float
    privacy: float | None
    utility: float | None
    lowers: tuple[str, ...]


class Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One limit of a policy and what was found.

    Attributes:
        name: of the limit in the policy.
        limit: what is asked.
        found: what is known; None where nothing is, which fails the line: what is not known is not kept.
        holds: whether it is kept.
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
        found, limit = _said(self.found), _said(self.limit)
        if self.of.template:
            return Sentence(
                "{name} is {found} ({of}), the limit {limit}", name=self.name, found=found, of=self.of, limit=limit
            )
        return Sentence("{name} is {found}, the limit {limit}", name=self.name, found=found, limit=limit)


def _said(side: Side | None) -> Sentence:
    if side is None:
        return Sentence("not known")
    return side if isinstance(side, Sentence) else Sentence("{value:.4g}", value=side)


class Interval(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Of a score."""

    low: float
    high: float
    confidence: float


class NodeStates(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A node's names, and its distribution over the states from very low to very high."""

    name: str
    chinese: str
    states: tuple[float, ...]


class Leaf(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is known of a leaf and what it is worth.

    Attributes:
        leaf: its key in the diagram.
        name: in the diagram.
        chinese: its Chinese name.
        better: which way is good.
        standing: how it is known.
        value: the raw value.
        unit: of the raw value.
        position: from 0 to 1; None where it is missing.
        states: its distribution over the states, likewise.
        sensitivity: points of score that a move over the whole scale would add.
        privacy_sensitivity: likewise of privacy.
        utility_sensitivity: likewise of utility.
        null: the raw value of a release that tells nothing.
        raw: the raw value of the data released as they are.
        source: where it comes from.
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


class Published(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The paper's score and grade, and why they do not decide."""

    score: float
    grade: str
    credibility: float
    decides: bool
    why_not: Sentence


class Scores(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A grade and the three scores from 0 to 100; None where nothing is known of one.

    Attributes:
        score: the summary, in which trade-offs cancel.
        grade: the lowest of the grades of the three, after vetoes.
        grade_uncapped: before them.
        privacy: the mean of the privacy criteria.
        utility: the mean of the utility criteria.
    """

    score: float
    grade: Grade
    grade_uncapped: Grade
    privacy: float | None
    utility: float | None


class StoredAssessment(Scores, frozen=True, kw_only=True, tag_field="schema", tag="leakgauge/assessment/1"):
    """A graded release.

    Attributes:
        column: that was graded; None where there are several.
        interval: of the score; None where none was asked for.
        privacy_interval: likewise.
        utility_interval: likewise.
        graded: what the grade is of.
        vetoes: reasons that cap the grade.
        leaves: what is known of each.
        missing: leaves of which nothing is known; the others share their weight.
        nodes: every known node, leaves included.
        lifts: the cheapest changes that reach the next grade, or a target; empty where it is reached or none does.
        blocked: why no change reaches it; None where one does.
        policy: its lines.
        published: by the paper's algebra, which does not decide.
        evidence: of the leaves, to be read again.
    """

    column: str | None
    interval: Interval | None
    privacy_interval: Interval | None
    utility_interval: Interval | None
    graded: Sentence
    vetoes: tuple[Veto, ...]
    leaves: tuple[Leaf, ...]
    missing: tuple[str, ...]
    nodes: dict[str, NodeStates]
    lifts: tuple[Lift, ...]
    blocked: Sentence | None
    policy: tuple[Line, ...]
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


class Before(Scores, frozen=True, kw_only=True, tag_field="schema", tag="leakgauge/before/1"):
    """The scores and nodes of the table released as it is."""

    nodes: dict[str, NodeStates]
