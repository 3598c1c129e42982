"""Judging: the scores of every secret of a release, and the recommendation of a policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from leakgauge.artefacts import Audit, Quantity
from leakgauge.artefacts.risks import PEOPLE, Risk, RiskKind
from leakgauge.artefacts.scores import SCORES, AttackerName, ScoreEvidence, Scores
from leakgauge.artefacts.verdict import Judgement, ReleaseFacts
from leakgauge.assessment.facts import facts_of, names_people
from leakgauge.assessment.outgoing import Outgoing, with_attacks
from leakgauge.assessment.risks import inferred, linking_of, with_risks
from leakgauge.assessment.scores.foreign import evidence_of_foreign
from leakgauge.assessment.scores.reading import scores_of
from leakgauge.assessment.terms import Terms
from leakgauge.assessment.verdict import verdict_of
from leakgauge.audit.foreign.linking import ForeignLinks
from leakgauge.audit.foreign.release import ForeignRoles, read_foreign
from leakgauge.case import Case
from leakgauge.errors import OptionError, VerificationError
from leakgauge.release import Release
from leakgauge.release.recorded_plan import as_released, plan_of
from leakgauge.sentences import Sentence
from leakgauge.tables import Table
from leakgauge.tables.reading import ReadingOptions

Secret = tuple[str, ...]
_ROUNDING = 1e-9
UNMATCHED = Sentence(
    "its rows could not be matched with those of the original, so that nothing is known of it; match them by a key"
)
"""Why nothing is known of a release made elsewhere."""


def judge(
    release: Release,
    case: Case,
    audit: Audit,
    terms: Terms,
    *,
    secrets: Sequence[Secret] = (),
    accusing: Audit | None = None,
) -> Judgement:
    """The verdict on a release, from its record, its audit, and the table it was made from.

    Args:
        case: the table as it was released, and who looks at it.
        secrets: columns to judge, each group by itself, those that are withheld too; by default all of the release.
        accusing: the audit whose findings are vetoes, if it is another.

    Raises:
        VerificationError: the audit is of another release.
    """
    if audit.record is None or audit.record.digest != release.record.digest:
        raise VerificationError("The audit is not of this release; audit this one.")
    plan, vetoes = plan_of(release.record, release.record_file), (accusing or audit).violations
    hidden = tuple(secrets) or secrets_of(release)
    own = {one.name for secret in hidden if (one := plan.hiding(secret)) is not None}
    through = tuple(one.name for one in plan.columns if one.name not in own)
    going = Outgoing(case, plan, through, terms.ruled_out is not None, terms.handed_out, release)
    evidence = {secret: with_attacks(going.evidence(secret, terms.use), audit, secret) for secret in hidden}
    if vetoes:
        # A claim that is disproved guarantees nothing.
        evidence = {secret: msgspec.structs.replace(one, guarantee=None) for secret, one in evidence.items()}
    facts = facts_of(going, terms, evidence)
    shown = None if audit.epsilon_lower_bound is None else audit.epsilon_lower_bound.value
    facts = msgspec.structs.replace(
        facts,
        vetoes=(*vetoes, *facts.vetoes),
        leakage_bits=_told(audit),
        epsilon=_larger(facts.epsilon, shown, terms.releases_per_period),
        simulated=not release.record.private,
    )
    found = with_risks(judgement(evidence, terms, facts, case.people), going, terms.policy)
    return msgspec.structs.replace(found, record=release.record.digest)


def secrets_of(release: Release, named: Sequence[str] = ()) -> tuple[Secret, ...]:
    """The secrets of a release: those named, or all that go through a mechanism.

    Raises:
        OptionError: the release does not contain one of them.
    """
    plan = plan_of(release.record, release.record_file)
    for name in named:
        if plan.hiding((name,)) is None:
            raise OptionError("The release does not contain {secret!s}; name its secrets.", secret=(name,))
    every = (tuple(name for name in one.reads if name not in plan.public) for one in plan.columns)
    return tuple((name,) for name in named) or tuple(every)


def case_of(release: Release, original: Table, *, background: Sequence[str] = (), confidence: float = 0.95) -> Case:
    """The table that a release was made from, as coarse as its record says."""
    plan = release.record.plan
    return Case(as_released(original, plan), tuple(background), plan.unit, confidence)


def _told(audit: Audit) -> float | None:
    """The most bits that everything released or known reveals about any secret."""
    # Counted over the table it is exact for its people; where it is bounded, the value is the unfavourable end.
    return max((one.everything.information.value for one in audit.exposures), default=None)


def _larger(claimed: float | None, shown: float | None, releases: float) -> float | None:
    """The ε claimed for a period, or the one shown if larger; without a claim nothing is known."""
    if claimed is None or shown is None or shown <= claimed / releases * (1 + _ROUNDING):
        # A level computed from a channel is rounded up in its last digits, which must not break a limit.
        return claimed
    return shown * releases


def judge_foreign(
    audit: Audit,
    released: Path | str,
    original: Table,
    *,
    terms: Terms | None = None,
    reading: ReadingOptions | None = None,
) -> Judgement:
    """The verdict on a release made elsewhere, from both tables and its audit; it has no guarantee.

    Raises:
        OptionError: the audit is of a release with a record.
        VerificationError: the audit is of other tables.
    """
    by, foreign = terms or Terms(), audit.foreign
    if foreign is None:
        raise OptionError("The audit is of a release with a record; judge it by that.")
    roles = ForeignRoles(foreign.secrets, (), foreign.background, foreign.unit, foreign.key)
    release = read_foreign(released, original, roles, reading=reading, confidence=audit.confidence)
    if release.rows != audit.rows:
        raise VerificationError(
            "The audit matched {audited} rows and {found} are matched now; audit this original.",
            audited=audit.rows,
            found=release.rows,
        )
    evidence: dict[Secret, ScoreEvidence] = {
        (name,): evidence_of_foreign(release, audit, name, ruled_out=by.ruled_out is not None)
        for name in foreign.secrets
    }
    links = ForeignLinks.of(release, foreign.secrets[0]).linked_people()
    named = [one for one in foreign.warnings if "reason" in one.fields and one.fields.get("name") not in by.accepted]
    facts = ReleaseFacts(
        vetoes=(
            *audit.violations,
            *(() if release.is_matched else (UNMATCHED,)),
            *(names_people(str(one.fields["name"]), one.fields["reason"]) for one in named),
        ),
        declared=by.declared,
        sensitivity=by.sensitivity,
        alone=None if audit.anonymity is None else audit.anonymity.unique_share,
        linked=links.alone / links.people if release.published else None,
        smallest=None if audit.anonymity is None else audit.anonymity.k,
        leakage_bits=_told(audit),
    )
    found = judgement(evidence, by, facts, audit.rows)
    alone = Risk(
        kind=RiskKind.SINGLING_OUT,
        before=Quantity(0.0, PEOPLE),
        after=None if facts.alone is None else Quantity(facts.alone * audit.rows, PEOPLE),
        of=Quantity(float(audit.rows), PEOPLE),
        attacker=AttackerName.KNOWS_COLUMNS,
        limit=by.policy.max_alone,
        met=None if facts.alone is None or by.policy.max_alone is None else facts.alone <= by.policy.max_alone,
        links=release.published,
    )
    risks = (
        alone,
        linking_of(links, release.published, by.policy.max_linked),
        inferred(found, audit.rows, by.policy),
    )
    return msgspec.structs.replace(found, risks=risks, record=audit.digest)


def judgement(
    evidence: Mapping[Secret, ScoreEvidence], terms: Terms, facts: ReleaseFacts, people: int | None = None
) -> Judgement:
    """The verdict by evidence and facts; of how many people, where the release is drawn."""
    shown = {", ".join(secret): one for secret, one in _with_shared_worth(evidence).items()}
    scores = {name: scores_of(one) for name, one in shown.items()}
    gains = [one.gained for each in shown.values() for one in each.attackers]
    guessed, anyway, knowing = (None, None, None) if people is None else _guessed(people, shown, scores)
    facts = msgspec.structs.replace(
        facts,
        guessed=guessed,
        guessed_anyway=anyway,
        guessed_knowing=knowing,
        advantage=max((one.ends[1] for one in gains if one is not None), default=None),
    )
    verdict = verdict_of(scores, terms.policy, facts)
    if terms.ruled_out is not None:
        assumed = Sentence("nobody can tell which released row is whose: {reason!s}", reason=terms.ruled_out)
        verdict = msgspec.structs.replace(verdict, assumes=(assumed,))
    deciding = {name: getattr(verdict.scores[verdict.deciding], name) for name in (*SCORES, "guarantee")}
    return Judgement(**msgspec.structs.asdict(verdict), **deciding, use=terms.use.value, facts=facts, evidence=shown)


def _with_shared_worth(evidence: Mapping[Secret, ScoreEvidence]) -> dict[Secret, ScoreEvidence]:
    """Evidence in which withheld secrets are as useful as the rest: nobody was meant to read them from this release."""
    worth = {secret: scores_of(one).usefulness.ends[0] for secret, one in evidence.items() if one.statistics}
    if not worth:
        return dict(evidence)
    least = evidence[min(worth, key=lambda secret: worth[secret])].statistics
    return {
        secret: one if secret in worth else msgspec.structs.replace(one, statistics=least, withheld=True)
        for secret, one in evidence.items()
    }


def _guessed(
    people: int, evidence: Mapping[str, ScoreEvidence], scores: Mapping[str, Scores]
) -> tuple[tuple[int, int] | None, int | None, tuple[str, ...] | None]:
    """For the deciding secret and attacker: how many more people are guessed right with the release than without it,
    how many without it, and what the attacker knows.

    By the law, over everybody; an attack is tried on some of them, so its shares are not those of the table.
    """
    deciding = min(scores, key=lambda name: scores[name].protection.ends[0])
    knows = {*scores[deciding].attacker.knows}
    by_law = [
        (one.gained.value * one.left, 1 - one.left)
        for one in evidence[deciding].attackers
        if {*one.knows} == knows
        and one.gained is not None
        and one.left is not None
        # What earlier releases add is not because of this one, nor does it concern everybody.
        and one.name is not AttackerName.HAS_EARLIER_RELEASES
    ]
    if not by_law:
        # Numbers are not guessed right or wrong.
        return None, None, None
    gained, before = max(by_law)
    if gained <= 0:
        return None, None, None
    return (round(gained * people), people), round(before * people), scores[deciding].attacker.knows
