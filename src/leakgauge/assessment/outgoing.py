"""Evidence for the scores from everything that a plan releases: nothing is drawn, so a setting is judged in advance."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import msgspec
import numpy as np

from leakgauge.artefacts import Audit, Quantity
from leakgauge.artefacts.risks import Certain
from leakgauge.artefacts.scores import Attacker, AttackerName, ScoreEvidence, Statistic, confidence_of, share
from leakgauge.assessment.earlier import attackers_with_earlier
from leakgauge.assessment.scores.audited import attacker_of_audit
from leakgauge.assessment.scores.evidence import at_least, evidence_by_law, evidence_on_blanks, readings_of
from leakgauge.assessment.scores.guarantee import guaranteed
from leakgauge.assessment.scores.usefulness import Use, statistic, worth_of_rows
from leakgauge.case import Case
from leakgauge.case.case import CountedLaw, Law, read_beside
from leakgauge.case.certainty import newly_certain, worst_certain
from leakgauge.case.counted import CountedSecret, channel_of
from leakgauge.case.earlier import EarlierChannel
from leakgauge.case.law import subsets
from leakgauge.case.linking import linked_attackers, linked_law
from leakgauge.case.orders import ordered_attackers
from leakgauge.case.persons import of_all_rows
from leakgauge.claims import ApproximateDP, CentralDP, GaussianDP, LocalDP, Statement, ZeroConcentratedDP
from leakgauge.mechanisms import Mechanism
from leakgauge.probability import Channel
from leakgauge.probability.labels import text_of
from leakgauge.release import Release
from leakgauge.release.bound import RecordedPlan
from leakgauge.release.estimates.handed_out import BY_LAW, KitTerms
from leakgauge.release.estimates.offered import Offered
from leakgauge.release.recorded_plan import recorded_plan

Secret = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Outgoing:
    """Everything that a plan releases of a case.

    Attributes:
        public_through: the public columns that leave through a channel.
        ruled_out: whether nobody can tell which released row is a person's, but by the published columns.
        handed_out: what decides, beside the plan, what recipients get.
        release: once it is drawn; None before.
    """

    case: Case
    plan: RecordedPlan
    public_through: tuple[str, ...] = ()
    ruled_out: bool = False
    handed_out: KitTerms = BY_LAW
    release: Release | None = None
    _laws: dict[Secret, Law | None] = field(default_factory=dict, repr=False)

    def law(self, secret: Secret) -> Law | None:
        """What the release tells of a secret, evaluated once."""
        if secret not in self._laws:
            self._laws[secret] = self.case.law(secret, self.plan)
        return self._laws[secret]

    def evidence(self, secret: Secret, use: Use = Use.STATISTICS) -> ScoreEvidence:
        """What is known of one secret."""
        own, law = self.plan.hiding(secret), self.law(secret)
        claims = () if own is None else tuple(self._for_a_person(own.mechanism.claims))
        given_counts = (
            own is not None and recorded_plan(replace(self.plan, columns=(own,))).columns[own.name].follows_from_counts
        )
        if isinstance(law, CountedLaw):
            evidence = evidence_by_law(
                law.law, backgrounds=[law.knows] if law.knows else (), numbers=law.numbers, statistics=()
            )
            if self.case.blank_is_secret and law.numbers is not None:
                blanks = evidence_on_blanks(law.law, law.numbers, law.knows)
                evidence = msgspec.structs.replace(evidence, attackers=(*evidence.attackers, *blanks))
        elif law is None:
            evidence = ScoreEvidence(attackers=(Attacker(),))
        else:
            evidence = ScoreEvidence(attackers=self._at_least_by_own(secret, law.attackers))
            if self.case.blank_is_secret and law.of_numbers:
                # What is learnt says nothing of blanks, so nothing is known of that secret.
                evidence = msgspec.structs.replace(evidence, attackers=(*evidence.attackers, Attacker(worst="blank")))
        linked = linked_attackers(self.case, self.plan, secret) if self.ruled_out else ()
        return msgspec.structs.replace(
            evidence,
            attackers=(
                *(linked or (*evidence.attackers, *self._of_persons(secret, law))),
                *attackers_with_earlier(self.case, self.plan, secret, law),
                *ordered_attackers(self.case, self.plan, secret, self.release),
            ),
            guarantee=guaranteed(claims, given_counts=given_counts),
            statistics=tuple(self._worths(secret, use)),
        )

    def _of_persons(self, secret: Secret, law: Law | None) -> tuple[Attacker, ...]:
        """Who knows which rows are a person's, where they hold one value: their noise averages out."""
        own, rows = self.plan.hiding(secret), self._agreeing_rows(secret)
        if own is None or rows == 1 or law is None:
            return ()
        whole = self._of_all_rows(law, rows)
        if whole is not None:
            knows = [whole.knows] if whole.knows else ()
            found = evidence_by_law(whole.law, backgrounds=knows, numbers=whole.numbers, statistics=()).attackers
        else:
            others = (EarlierChannel.of(own),) * (rows - 1)
            found = attackers_with_earlier(replace(self.case, earlier={secret: others}), self.plan, secret, law)
        return tuple(msgspec.structs.replace(one, name=AttackerName.KNOWS_ALL_ROWS) for one in found)

    def _agreeing_rows(self, secret: Secret) -> int:
        """The rows of a person with one value and noise of their own; where noise is kept, they share one draw."""
        own = self.plan.hiding(secret)
        # A mechanism that reads other columns too draws again where these differ: rows then count as independent.
        if own is not None and own.name in (self.plan.kept or ()) and {*own.reads} == {*secret}:
            return 1
        return self.case.agreeing_rows(secret)

    @staticmethod
    def _of_all_rows(law: Law, rows: int) -> CountedLaw | None:
        """The counted law of so many rows with one value; None where it is not counted."""
        whole = of_all_rows(law.law, rows, law.numbers) if isinstance(law, CountedLaw) else None
        return replace(law, law=whole) if whole is not None and isinstance(law, CountedLaw) else None

    def _at_least_by_own(self, secret: Secret, learnt: tuple[Attacker, ...]) -> tuple[Attacker, ...]:
        """What is learnt, and of somebody who knows nothing at least what the secret's own column gives away by itself,
        by its law: a learner, scored on some rows, misses a value that is exposed of a few people."""
        own = self.plan.hiding(secret)
        counted = None if own is None else self.case.counted(secret, read_beside(secret, own), own)
        if counted is None or counted.channel is None:
            return learnt
        law = counted.through(counted.law(()))
        (alone, *_) = evidence_by_law(law, numbers=counted.numbers, statistics=()).attackers or (None,)
        return tuple(one if alone is None or one.knows else at_least(one, alone) for one in learnt)

    def certain(self, secret: Secret) -> Certain | None:
        """Of whom a value becomes nearly certain by the counted law, of the value and the attacker where that is most.

        None where people are too few to count, and of numbers, whose values are not told apart.
        """
        if self.ruled_out:
            linked = linked_law(self.case, self.plan, secret)
            if linked is None:
                return None
            sights = (linked.values.in_kinds(linked.sight(knows)) for knows in subsets(self.case.background))
            found = [worst_certain(sight, self.case.people, linked.values.names) for sight in sights]
            return max(found, key=newly_certain)
        law, rows = self.law(secret), self._agreeing_rows(secret)
        if rows > 1 and law is not None:
            law = self._of_all_rows(law, rows)
        if not isinstance(law, CountedLaw) or law.numbers is not None:
            return None
        names = tuple(map(text_of, law.law.values))
        found = [worst_certain(law.law.sight(knows), self.case.people, names) for knows in subsets(law.knows)]
        return max(found, key=newly_certain)

    def _for_a_person(self, claims: Sequence[Statement]) -> Iterator[Statement]:
        """What claims of one row say of all rows of a person, each with noise of its own."""
        rows, unit = self.plan.unit.rows, self.case.unit
        if unit is not None and self.plan.unit.column is None:
            rows = self.case.table.group_sizes([(unit,)])[0].largest
        for claim in claims:
            scaled = _SEVERAL.get(type(claim))
            if rows == 1:
                yield claim
            elif scaled is not None:
                yield scaled(claim, rows)

    def lost(self, secret: Secret) -> float | None:
        """The share of rows whose values are never released; None for numbers, sets and withheld secrets."""
        own = self.plan.hiding(secret)
        counted = self.case.counted(secret, read_beside(secret, own), own)
        if counted is None or counted.channel is None or counted.numbers is not None:
            return None
        if own is not None and own.mechanism.sets is not None:
            # Every value is in some sets, whatever the text of a set of it alone reads as.
            return None
        law = counted.through(counted.law(()))
        assert law.channel is not None
        reached = {
            label for label, most in zip(law.channel.outputs, law.channel.matrix.max(axis=0), strict=True) if most
        }
        if not reached & set(counted.values):
            return None
        return float(sum(p for label, p in zip(counted.values, law.shares, strict=True) if label not in reached))

    # What it is worth.

    @cached_property
    def _offered(self) -> Mapping[str, Offered]:
        released = None if self.release is None else self.release.output
        return self.handed_out.offered(self.plan, self.case.table, released)

    def _worths(self, secret: Secret, use: Use) -> Iterator[Statistic]:
        """Of the shares, or the mean, and of every cross-table with a published column that has rows enough."""
        own = self.plan.hiding(secret)
        if own is None:
            return
        given = read_beside(secret, own)
        if use is Use.ROWS:
            if own.mechanism.noise is not None or channel_of(own) is not None:
                counted = self.case.counted(secret, given, own)
                yield Statistic((), None if counted is None else _worth_of_rows(counted))
            return
        first, *others = own.writes
        offered = self._offered[first]
        through = [one.name for one in self.plan.columns if one.name in self.public_through]
        # Nobody is told how to correct a cross-table for two channels.
        closed = {*through}.difference(offered.read.keeps_with)
        for columns in ((), *((name,) for name in (*self.plan.public, *through))):
            if offered.read.unreadable is not None or closed.intersection(columns):
                yield Statistic(columns, share(0.0))
                continue
            counted = None
            if own.mechanism.noise is not None or channel_of(own) is not None:
                counted = self.case.counted(secret, (*columns, *given), own)
            if counted is None:
                continue
            law = counted.through(counted.law(()))
            found = statistic(
                law, columns, numbers=counted.numbers, offered=offered, rows=self.case.people, beside=tuple(others)
            )
            if found is not None:
                yield found


def judge_settings(
    case: Case,
    secret: Secret,
    use: Use,
    bound: Callable[[Mechanism | Channel], RecordedPlan],
    public_through: tuple[str, ...] = (),
    *,
    ruled_out: bool = False,
    handed_out: KitTerms = BY_LAW,
) -> Callable[[Mechanism | Channel | None], ScoreEvidence | None]:
    """What is known of a whole release, by how one secret is released in it; of None, by a release without it.

    Args:
        bound: the plan with the secret released so.
        ruled_out: whether nobody can tell which released row is a person's.
    """
    plans = list[RecordedPlan]()

    def judge(how: Mechanism | Channel | None) -> ScoreEvidence | None:
        if how is not None:
            plans[:] = [bound(how)]
        if not plans:
            return None
        plan = plans[0]
        if how is None:
            own = plan.hiding(secret)
            plan = replace(plan, columns=tuple(one for one in plan.columns if one is not own))
        return Outgoing(case, plan, public_through, ruled_out, handed_out).evidence(secret, use)

    return judge


def _worth_of_rows(counted: CountedSecret) -> Quantity | None:
    """For who reads single rows: numbers by how far they are off, letters by whether they are right."""
    law, numbers = counted.through(counted.law(())), counted.numbers
    if numbers is not None:
        law, numbers = law.of_numbers(numbers)
    sight = law.sight()
    outputs = 1 if law.channel is None else len(law.channel.outputs)
    joint = np.zeros((len(law.shares), outputs))
    np.add.at(joint, (sight.x, sight.released[sight.seen]), sight.p)
    matrix = np.divide(joint, law.shares[:, None], where=law.shares[:, None] > 0, out=np.zeros(joint.shape))
    readings = () if law.channel is None else law.channel.outputs
    if numbers is not None:
        places = readings_of(law.channel)
        reached = joint.sum(axis=0) > 0
        if np.isnan(places[reached]).all():
            return None
        # A blank is as far off as can be.
        off, constants = (np.abs(numbers[:, None] - to[None, :]) for to in (places, numbers))
        off = np.where(np.isnan(off), np.ptp(numbers), off)
    else:
        off = np.array([[float(one != other) for other in readings] for one in counted.values])
        constants = 1.0 - np.eye(len(counted.values))
    worth = worth_of_rows(law.shares, matrix, off, constants)
    return None if worth is None else share(worth)


_SEVERAL: dict[type[Statement], Callable[[Any, int], Statement]] = {
    LocalDP: lambda claim, rows: LocalDP(rows * claim.level),
    CentralDP: lambda claim, rows: CentralDP(rows * claim.level),
    ApproximateDP: lambda claim, rows: ApproximateDP(rows * claim.level, min(rows * claim.delta, 1.0)),
    ZeroConcentratedDP: lambda claim, rows: ZeroConcentratedDP(rows * claim.level),
    GaussianDP: lambda claim, rows: GaussianDP(math.sqrt(rows) * claim.level),
}
"""What so many rows of a person keep together, by plain composition."""


def with_attacks(evidence: ScoreEvidence, audit: Audit, secret: tuple[str, ...]) -> ScoreEvidence:
    """Evidence with what attacks on the drawn release gained beyond it.

    An attack beats an exact law only by chance, and what was learnt has its own upper end, so an attack counts by its
    lower end, which it is shown to reach. The larger of two noisy upper ends would mostly reflect chance.
    """
    if all(one.secret != secret for one in audit.exposures):
        return evidence
    attack = attacker_of_audit(audit, secret)
    if attack.gained is None:
        return evidence
    gained = attack.gained
    return msgspec.structs.replace(
        evidence,
        attackers=tuple(
            msgspec.structs.replace(one, gained=_stronger(one.gained, gained))
            if one.name is AttackerName.KNOWS_THE_ROW and {*one.knows} == {*attack.knows}
            else one
            for one in evidence.attackers
        ),
    )


def _stronger(known: Quantity | None, attack: Quantity) -> Quantity:
    if known is None:
        return attack
    shown = attack.ends[0]
    if known.low is None and known.high is None:
        return share(max(known.value, shown))
    value, low, high = (max(end, shown) for end in (known.value, *known.ends))
    return share(value, low, high, confidence_of((known, attack)))
