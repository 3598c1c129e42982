"""A verdict on a release: the recommendation, its reasons, and the limits it was judged by."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Annotated, Any, Self

import msgspec

from leakgauge import notebook
from leakgauge.artefacts.criteria import ComprehensiveEvaluation, Criteria, OverArcs, Published
from leakgauge.artefacts.evidence import StoredEvidence
from leakgauge.artefacts.quantity import Origin, Part, Quantity, Real
from leakgauge.artefacts.request import Request, StoredRequest
from leakgauge.artefacts.risks import Certain, Risk
from leakgauge.artefacts.scores import Guarantee, ScoreEvidence, Scores
from leakgauge.errors import RefusalError
from leakgauge.sentences import Sentence, in_turn


class Recommendation(Enum):
    """What to do with a release, the best first."""

    RELEASE = "release"
    RELEASE_IF = "release if"
    DO_NOT_RELEASE = "do not release"


class Declaration(Enum):
    """What a user declares about a release, because no table contains it."""

    PURPOSE = "purpose"
    RECIPIENT = "recipient"
    REVIEW = "review"

    @property
    def said(self) -> Sentence:
        """In words of ours, after "declare"."""
        words = {"purpose": "its purpose", "recipient": "who receives it", "review": "when it is reviewed"}
        return Sentence(words[self.value])


class ReleaseFacts(Part, frozen=True, kw_only=True):
    """Facts of a release that a policy limits besides the scores of its secrets. None means unknown.

    Attributes:
        vetoes: reasons why nothing protects, in short sentences without a full stop: a claim that is broken, a level
            shown above it, an identifier that is published and not accepted.
        sensitivity: how sensitive the data are, where that was declared.
        counts_may_be_known: whether the counts that a release was fitted to are public, publishable or paid for.
        lost: the share of rows whose values are never released; None where every value may be.
        alone: the share of people who are unique in the published columns; None where there are none.
        linked: the share of people whose row is the only candidate of somebody who knows columns; None where she finds
            nobody.
        smallest: the rows, or persons, of the smallest group that agrees in them; None where there are none.
        certain: of whom a value becomes nearly certain, of the value where that is most.
        guessed: how many more people the attacker who decides the protection guesses right with the release than
            without it, and how many there are.
        guessed_anyway: people whom the same attacker guesses right without it.
        guessed_knowing: the columns that this attacker knows.
        epsilon: the largest ε in nats of all that is claimed together or shown, times the releases in a period.
        advantage: what the best attack gains of what it would gain from the raw data.
        simulated: whether its noise follows from a seed: a rehearsal, which protects nobody whatever its scores say.
    """

    vetoes: tuple[Sentence, ...] = ()
    declared: tuple[Declaration, ...] = ()
    sensitivity: Annotated[str | None, Origin.DECLARED] = None
    counts_may_be_known: bool = False
    lost: Real | None = None
    alone: Real | None = None
    linked: Real | None = None
    certain: Certain | None = None
    smallest: int | None = None
    guessed: tuple[int, int] | None = None
    guessed_anyway: int | None = None
    guessed_knowing: Annotated[tuple[str, ...] | None, Origin.DECLARED] = None
    epsilon: Real | None = None
    delta: Real | None = None
    leakage_bits: Real | None = None
    advantage: Real | None = None
    simulated: bool = False


class PolicyLine(Part, frozen=True):
    """One limit of a policy and what was found.

    Attributes:
        of: what was held against the limit, in words; empty where the name says it.
        given: whether a user gave the limit; one of the default policy only colours the recommendation.
    """

    name: str
    limit: Real
    found: Real | None
    holds: bool
    of: Sentence = msgspec.field(default_factory=lambda: Sentence(""))
    given: bool = False


class Verdict(Part, frozen=True, kw_only=True):
    """The recommendation and what it rests on.

    Attributes:
        reasons: at most three, the weightiest first; never none. Short sentences without a full stop.
        conditions: what is left to be declared before a release.
        policy: every limit that is set, with what was found of the secret that keeps it least.
        scores: of each secret, after vetoes.
        failed: limits given by a user that are broken, and declarations asked for that are missing.
        left_out: the limits of the default policy that the policy does not set.
        assumes: attackers that somebody ruled out, with the reason; the verdict holds on this condition.
    """

    recommendation: Recommendation
    reasons: tuple[Sentence, ...]
    conditions: tuple[Sentence, ...]
    policy: tuple[PolicyLine, ...]
    scores: dict[str, Scores]
    deciding: str
    vetoes: tuple[Sentence, ...]
    failed: tuple[Sentence, ...] = ()
    assumes: tuple[Sentence, ...] = ()
    left_out: tuple[str, ...] = ()


class Action(Part, frozen=True, kw_only=True):
    """An action that would change a verdict: a real setting, evaluated before anything is drawn.

    Attributes:
        said: what to do, in a short sentence without a full stop.
        asked: the whole job with this change; None where the user must write the words.
        promised: the scores of each secret with it, the attacks on a drawn release left out.
        recommendation: with it; of a rehearsal, as if it were drawn for real.
    """

    said: Sentence
    options: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    asked: StoredRequest | None
    promised: dict[str, Scores]
    recommendation: Recommendation

    @property
    def request(self) -> Request | None:
        """The job with this change, in its parts."""
        return None if self.asked is None else self.asked.request()

    def most_changed(self, now: Verdict) -> str:
        """The secret that it changes most."""

        def moved(secret: str) -> float:
            old, new = now.scores[secret], self.promised[secret]
            kept = ((old.protection, new.protection), (old.usefulness, new.usefulness))
            surer = abs(new.surest.ends[1] - old.surest.ends[1])
            return surer + sum(abs(then.ends[0] - before.ends[0]) for before, then in kept)

        return max((now.deciding, *self.promised), key=moved)

    def outcome(self, now: Verdict) -> Sentence:
        """Its effect on the secret that it changes most, such as "protection 42 → 61, usefulness 49 → 31"."""

        def whole(score: Quantity) -> float:
            return math.floor(round(score.ends[0], 6))

        secret = self.most_changed(now)
        old, new = now.scores[secret], self.promised[secret]
        changes = {
            "safe": whole(old.protection),
            "safer": whole(new.protection),
            "useful": whole(old.usefulness),
            "now": whole(new.usefulness),
        }
        said = Sentence("protection {safe:.0f} → {safer:.0f}, usefulness {useful:.0f} → {now:.0f}", **changes)
        if any(line.name == "max_surest" and not line.holds for line in now.policy):
            sure, surer = (math.ceil(round(one.surest.ends[1], 6)) for one in (old, new))
            said = Sentence(
                "protection {safe:.0f} → {safer:.0f}, surest {sure:.0f} → {surer:.0f}, usefulness {useful:.0f} → "
                "{now:.0f}",
                **changes,
                sure=sure,
                surer=surer,
            )
        several = len(self.promised) > 1
        return Sentence("of {secret!r}, {outcome}", secret=secret, outcome=said) if several else said


class Form(Enum):
    """What leaves of a table."""

    WITHHELD = "withheld"
    FEWER = "fewer"
    COARSER = "coarser"
    GROUPED = "grouped"
    ROWS = "rows"


class Alternative(Part, frozen=True, kw_only=True):
    """A form of release beside others, judged before anything is drawn by the same attackers and policy.

    Attributes:
        column: the public column that is not published in this form, or is published coarser.
        scores: of the secret that decides.
        error: of a share of that secret as recipients know it, in points, at its worst; None where they do not.
        recommendation: None where there is nothing to recommend, because the secret does not leave.
        asked: the job that makes it; None of the release itself, and where no job does.
    """

    form: Form
    column: Annotated[str | None, Origin.DECLARED] = None
    scores: Scores
    error: Real | None = None
    recommendation: Recommendation | None = None
    asked: StoredRequest | None = None


def why_no_action(asked: Request | None, *, vetoed: bool) -> Sentence:
    """Why no other setting is proposed for a release that is not recommended, in a short sentence without a full stop.

    Args:
        asked: of the job; None where no job made the release.
        vetoed: whether a veto stands against it.
    """
    if asked is None:
        return Sentence("it was not made by a job, so no other settings could be tried")
    if vetoed:
        return Sentence("other settings do not mend what the veto says")
    if asked.budget.accounted is not None:
        return Sentence("the result of another noisy histogram is not known before its budget is used")
    if asked.repeat is not None:
        return Sentence("its mechanism is that of an earlier release and is not designed again")
    return Sentence("no other setting that was tried keeps the policy, or comes nearer to it")


class Beside(Part, frozen=True, kw_only=True):
    """Explanations of a verdict for one secret; they decide nothing.

    Attributes:
        published: the paper's score; None where too little is known for one.
        over_arcs: the first score over the paper's arcs, where that diagram was asked for.
    """

    criteria: Criteria
    evidence: StoredEvidence
    published: Published | None = None
    over_arcs: OverArcs | None = None
    comprehensive: ComprehensiveEvaluation | None = None


class Judgement(Verdict, frozen=True, kw_only=True, tag_field="schema", tag="leakgauge/verdict/2"):
    """A verdict with everything that it rests on, what would change it, and what explains it.

    Attributes:
        use: what the release is for: statistics or rows.
        risks: singling out, linking and inferring, in people.
        actions: at most three; the first would change the recommendation, if any does.
        alternatives: forms of release side by side, the release itself the last.
        beside: what explains it, of each secret that is released.
        guarantee: the tightest claim on the secret that decides.
        record: the digest of the record that was judged, or of the audit of a release that was made elsewhere.
    """

    use: str
    protection: Quantity
    surest: Quantity
    usefulness: Quantity
    guarantee: Guarantee | None = None
    facts: ReleaseFacts
    evidence: dict[str, ScoreEvidence]
    risks: tuple[Risk, ...] = ()
    actions: tuple[Action, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    beside: dict[str, Beside] = msgspec.field(default_factory=dict)
    record: str | None = None

    _repr_html_ = notebook.shown

    def require(self, *, strict: bool = False) -> Self:
        """This verdict, unless the release is vetoed, or breaks a limit that a user gave.

        Args:
            strict: whether every recommendation against the release counts, that of the default policy too.
        """
        if self.vetoes:
            raise RefusalError("The release is vetoed: {reasons}; do not hand it out.", reasons=in_turn(self.vetoes))
        if self.failed and self.record is None:
            raise RefusalError(
                "The release would not meet the requirements: {failed}; nothing was released.",
                failed=in_turn(self.failed),
            )
        if self.failed:
            raise RefusalError(
                "The release does not meet the requirements: {failed}; do not hand it out.", failed=in_turn(self.failed)
            )
        if strict and self.recommendation is Recommendation.DO_NOT_RELEASE:
            # Errors end in logs, which are no place for a value of the secret and how many have it.
            reasons = tuple(one for one in self.reasons if "holders" not in one.fields)
            raise RefusalError(
                "The release is not recommended: {reasons}; do not hand it out.", reasons=in_turn(reasons)
            )
        return self


def from_first_verdict(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Fields of ``leakgauge/verdict/1``, which had six scores, as those of today.

    What it said stays as it was said; how sure somebody becomes was not measured, so it counts as unknown.
    """
    kept = {name: value for name, value in fields.items() if name not in (*_GONE, _SCORES)}
    changed: dict[str, object] = {"schema": "leakgauge/verdict/2", "surest": _UNKNOWN}
    changed["scores"] = _each(fields.get(_SCORES), _scores)
    changed["beside"] = _each(fields.get("beside", {}), _beside)
    changed["evidence"] = _each(fields.get("evidence"), _evidence)
    changed["actions"] = [
        {**one, "promised": _each(one.get("promised"), _scores)}
        for one in fields.get("actions") or ()
        if isinstance(one, Mapping)
    ]
    return {**kept, **changed}


def from_second_improvement(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Fields of ``leakgauge/improvement/2`` likewise."""

    def setting(one: object) -> object:
        if not isinstance(one, Mapping):
            return one
        return {**{name: one[name] for name in one if name != _SCORES}, "scores": _scores(one.get(_SCORES))}

    changed: dict[str, object] = {"schema": "leakgauge/improvement/3"}
    changed |= {name: setting(fields[name]) for name in ("chosen", "closest", "start") if name in fields}
    changed |= {name: _scores(fields[name]) for name in ("withheld", "promised") if name in fields}
    changed["trials"] = [setting(one) for one in fields.get("trials") or ()]
    return {**fields, **changed}


_SCORES = "dials"
"""What scores were called."""
_GONE = ("exposed", "guarantee", "effect", "efficiency")
_UNKNOWN: dict[str, object] = {"value": 100.0, "unit": "points", "low": 0.0, "high": 100.0}


def _each(found: object, changed: Callable[[object], object]) -> object:
    return {name: changed(one) for name, one in found.items()} if isinstance(found, Mapping) else found


def _scores(found: object) -> object:
    if not isinstance(found, Mapping):
        return found
    kept = {name: value for name, value in found.items() if name in ("protection", "usefulness", "notes")}
    return {**kept, "surest": _UNKNOWN, "attacker": {"knows": found.get("attacker", ())}}


def _evidence(found: object) -> object:
    gone = ("exposed", "advantage", "neighbours", "given_counts", "least_told", "own_told")
    return {name: one for name, one in found.items() if name not in gone} if isinstance(found, Mapping) else found


def _beside(found: object) -> object:
    """Criteria, which named the score that bounds them otherwise."""
    if not isinstance(found, Mapping) or not isinstance(criteria := found.get("criteria"), Mapping):
        return found

    def renamed(one: object) -> object:
        return {"score" if name == "dial" else name: one[name] for name in one} if isinstance(one, Mapping) else one

    changed = {name: renamed(criteria[name]) for name in ("needed", "audit") if name in criteria}
    return {
        **found,
        "criteria": {**criteria, **changed, "criteria": [renamed(one) for one in criteria.get("criteria", ())]},
    }
