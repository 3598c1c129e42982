"""Judging: the scores of every secret of a release, and the recommendation of a policy."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from leakgauge.artefacts import Audit, Level, Origin, Quantity, Request
from leakgauge.artefacts.request import Declared, Limits
from leakgauge.artefacts.request.shared_options import HIGH
from leakgauge.artefacts.risks import PEOPLE, Risk, RiskKind
from leakgauge.artefacts.scores import SCORES, AttackerName, ScoreEvidence, Scores
from leakgauge.artefacts.verdict import Declaration, Judgement, ReleaseFacts
from leakgauge.assessment.outgoing import Outgoing, with_attacks
from leakgauge.assessment.risks import inferring, linking, linking_of, singling_out
from leakgauge.assessment.scores.foreign import evidence_of_foreign
from leakgauge.assessment.scores.policy import Policy, read_policy
from leakgauge.assessment.scores.reading import scores_of
from leakgauge.assessment.scores.usefulness import Use, use_named
from leakgauge.assessment.verdict import verdict_of
from leakgauge.audit.foreign.linking import ForeignLinks
from leakgauge.audit.foreign.release import ForeignRoles, read_foreign
from leakgauge.audit.identifiers import identifies, is_free_text
from leakgauge.case import Case
from leakgauge.case.certainty import newly_certain
from leakgauge.case.linked_people import LinkedPeople, linked_people
from leakgauge.errors import OptionError, VerificationError
from leakgauge.release import Release
from leakgauge.release.estimates.handed_out import BY_LAW, KitTerms
from leakgauge.release.guarantees import together_of
from leakgauge.release.recorded_plan import as_released, plan_of
from leakgauge.sentences import Sentence
from leakgauge.tables import Table
from leakgauge.tables.reading import ReadingOptions
from leakgauge.tables.sampling import sampled

Secret = tuple[str, ...]
_UNCOUNTED = (AttackerName.KNOWS_THE_ORDER, AttackerName.HAS_EARLIER_RELEASES)
DEFAULT_POLICY = Policy()
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Terms:
    """The terms of a judgement, besides the rows of the release.

    Attributes:
        counts_may_be_known: whether the counts it was fitted to are public, publishable or paid for.
        releases_per_period: every one spends the budget again.
        ruled_out: why nobody can tell which released row is a person's; None where somebody may.
        handed_out: what decides, beside the plan, what recipients get.
    """

    policy: Policy = DEFAULT_POLICY
    use: Use = Use.STATISTICS
    declared: tuple[Declaration, ...] = ()
    accepted: tuple[str, ...] = ()
    counts_may_be_known: bool = False
    releases_per_period: float = 1.0
    ruled_out: str | None = None
    sensitivity: str | None = None
    handed_out: KitTerms = BY_LAW

    @classmethod
    def of(cls, asked: Request, policy: Policy | None = None) -> Terms:
        """The terms of a job, with its own policy by default."""
        declared = tuple(one for one in Declaration if getattr(asked.declared, one.value))
        known = asked.declared.publish_shares or asked.budget.accounted is not None
        by = policy_of(asked.limits, asked.declared) if policy is None else policy
        return cls(
            by,
            use_named(asked.limits.use),
            declared,
            asked.roles.accept_unique,
            known,
            asked.declared.releases_per_period,
            asked.declared.ruled_out,
            asked.declared.sensitivity,
            KitTerms.of(asked),
        )


def policy_of(limits: Limits, declared: Declared) -> Policy:
    """The policy of a job: the file it names, else the default for data as sensitive as declared, with the job's own
    limits added.

    Raises:
        FileError: the policy file cannot be read, or sets something that is not a limit.
        OptionError: limits that contradict each other.
    """
    named = DEFAULT_POLICY if limits.policy is None else read_policy(limits.policy)
    named = named.for_sensitive_data() if declared.sensitivity == HIGH else named
    return named.asking(min_protection=limits.min_protection, min_usefulness=limits.min_usefulness)


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


def with_risks(found: Judgement, going: Outgoing, policy: Policy) -> Judgement:
    """The judgement with its three risks in people."""
    case, published, facts = going.case, going.plan.public, found.facts
    # Columns that were accepted to identify people single them out all the same; the limits are on the others.
    alone, linked = (
        msgspec.structs.replace(one, limit=limit, met=None if limit is None else (share or 0.0) <= limit)
        for one, limit, share in (
            (singling_out(case, published), policy.max_alone, facts.alone),
            (linking(case, published), policy.max_linked, facts.linked),
        )
    )
    return msgspec.structs.replace(found, risks=(alone, linked, _inferring(found, case.people, policy)))


def _inferring(found: Judgement, people: int, policy: Policy) -> Risk:
    """Of the deciding secret, by the attacker who decides its protection."""
    scores, most = found.scores[found.deciding], policy.max_surest
    deciding = msgspec.structs.replace(scores.attacker, surest=scores.surest_of.surest)
    limit = None if most is None else most / 100
    risk = inferring(deciding, (found.deciding,), people, certain=found.facts.certain, limit=limit)
    return msgspec.structs.replace(risk, surest_of=scores.surest_of)


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
        vetoes=(*audit.violations, *(_names_people(str(one.fields["name"]), one.fields["reason"]) for one in named)),
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
        _inferring(found, audit.rows, by.policy),
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


def facts_of(
    going: Outgoing, terms: Terms, evidence: Mapping[Secret, ScoreEvidence], *, budgets: bool = True
) -> ReleaseFacts:
    """The facts that a policy limits besides the scores, as far as the plan and the table show them.

    Without ``budgets``, ε and δ of all columns together are left out, which take longer than everything else.
    """
    together = dict(together_of(going.plan.steps, Origin.TABLE)) if budgets else {}
    # The largest finite ε claimed for all columns together in a period; infinite where there is none.
    stated = [one.value for one in together.values()]
    told = [None if law is None else law.bits for law in map(going.law, evidence)]
    lost = [share for secret in evidence if (share := going.lost(secret)) is not None]
    certain = [
        # What becomes certain by the order of rows or by earlier releases is not counted.
        None if any(one.name in _UNCOUNTED for one in found.attackers) else going.certain(secret)
        for secret, found in evidence.items()
    ]
    public = tuple(name for name in going.plan.public if name not in terms.accepted)
    sizes = going.case.table.group_sizes([public], unit=going.case.unit)[0] if public else None
    found = _linked(going, public) if public else None
    return ReleaseFacts(
        vetoes=tuple(published_identifiers(going, terms.accepted)),
        declared=terms.declared,
        sensitivity=terms.sensitivity,
        counts_may_be_known=terms.counts_may_be_known,
        lost=max(lost, default=None),
        alone=None if sizes is None else sizes.alone / going.case.people,
        linked=None if found is None else found.alone / found.people,
        # What is not counted may be anything, so that nothing is said of how many they are.
        certain=None if None in certain else max((one for one in certain if one), key=newly_certain, default=None),
        smallest=None if sizes is None else sizes.smallest,
        epsilon=max(filter(math.isfinite, stated), default=math.inf) * terms.releases_per_period if stated else None,
        delta=_delta(together),
        leakage_bits=None if None in told else max((bits for bits in told if bits is not None), default=None),
    )


def _linked(going: Outgoing, public: tuple[str, ...]) -> LinkedPeople:
    """Whom somebody finds by columns as they leave; those of settings that leave them alike are counted once."""
    key = ("linked", public, repr([going.case.table.bins.get(name) for name in public]), repr(going.plan.suppression))
    if key not in going.case.memory:
        going.case.memory[key] = linked_people(going.case.table, public, going.case.unit)
    found: LinkedPeople = going.case.memory[key]
    return found


def _delta(together: Mapping[str, Level]) -> float | None:
    """δ of all columns together; 0 where they keep a finite ε without one."""
    if "dp" in together and math.isfinite(together["dp"].value):
        return 0.0
    return max((one.delta or 0.0 for one in together.values()), default=None)


def published_identifiers(going: Outgoing, accepted: Collection[str]) -> Iterator[Sentence]:
    """Why published columns identify people, except those accepted to do so."""
    columns = [one for one in going.case.table.columns() if one.name in going.plan.public and one.name not in accepted]
    names = [one.name for one in columns]
    if not names:
        return
    sample, sizes = _sample(going, names), going.case.table.group_sizes([(name,) for name in names])
    for column, one in zip(columns, sizes, strict=True):
        values = sample[column.name]
        reason = identifies(column, values, distinct=one.groups, alone=one.alone, rows=going.case.table.rows)
        if reason is None and is_free_text(column, values):
            reason = Sentence("free text, which may contain anything")
        if reason is not None:
            yield _names_people(column.name, reason)


def _sample(going: Outgoing, names: Sequence[str]) -> Mapping[str, Any]:
    """Some values of columns as they leave; those that leave alike by several settings are drawn once."""
    bins, hidden = going.case.table.bins, repr(going.plan.suppression)
    keys = {name: ("sample", name, repr(bins.get(name)), hidden) for name in names}
    if new := [name for name in names if keys[name] not in going.case.memory]:
        drawn = sampled(going.case.table, new, simulation_seed=0)
        going.case.memory.update((keys[name], drawn.columns[name]) for name in new)
    return {name: going.case.memory[keys[name]] for name in names}


def _names_people(column: str, reason: Any) -> Sentence:
    return Sentence("{column!r} is published and identifies people ({reason})", column=column, reason=reason)
