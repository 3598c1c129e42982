"""Evidence for the dials from everything that a plan releases: nothing is drawn, so a setting is judged in advance."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
import numpy as np

from leakgauge.artefacts import Audit, Quantity
from leakgauge.artefacts.dials import Attacker, DialEvidence, Neighbours, Statistic, confidence_of, share
from leakgauge.assessment.dials.audited import attacker_of_audit
from leakgauge.assessment.dials.evidence import evidence_by_law, readings_of
from leakgauge.assessment.dials.guarantee import advantage_of
from leakgauge.assessment.dials.usefulness import Use, association, squared_correlation, worth_of_rows
from leakgauge.case import Case
from leakgauge.case.case import CountedLaw, Law, read_beside
from leakgauge.case.counted import CountedSecret, channel_of
from leakgauge.case.orders import ordered_attackers
from leakgauge.claims import ApproximateDP, CentralDP, GaussianDP, LocalDP, Statement, ZeroConcentratedDP
from leakgauge.mechanisms import Mechanism
from leakgauge.probability import Channel
from leakgauge.release import Release
from leakgauge.release.bound import BoundColumn, RecordedPlan
from leakgauge.release.recorded_plan import recorded_plan

Secret = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Outgoing:
    """Everything that a plan releases of a case.

    Attributes:
        public_through: the public columns that leave through a channel.
        release: what was drawn, from which is judged whether the order of its rows matters; None before.
    """

    case: Case
    plan: RecordedPlan
    public_through: tuple[str, ...] = ()
    release: Release | None = None
    _laws: dict[Secret, Law | None] = field(default_factory=dict, repr=False)

    def law(self, secret: Secret) -> Law | None:
        """What the release tells of a secret, evaluated once."""
        if secret not in self._laws:
            self._laws[secret] = self.case.law(secret, self.plan)
        return self._laws[secret]

    def evidence(
        self, secret: Secret, use: Use = Use.STATISTICS, least_and_own: tuple[float, float] | None = None
    ) -> DialEvidence:
        """What is known of one secret.

        Args:
            least_and_own: the bits that the best channel with the same distortion tells somebody with the background,
                and those that this one does.
        """
        own, law = self.plan.hiding(secret), self.law(secret)
        least, told = (None, None) if least_and_own is None else least_and_own
        claims = () if own is None else tuple(self._for_a_person(own.mechanism.claims))
        given_counts = (
            own is not None and recorded_plan(replace(self.plan, columns=(own,))).columns[own.name].follows_from_counts
        )
        if isinstance(law, CountedLaw):
            evidence = evidence_by_law(
                law.law, backgrounds=[law.knows] if law.knows else (), numbers=law.numbers, statistics=()
            )
        elif law is None:
            evidence = DialEvidence(attackers=(Attacker(),))
        else:
            evidence = DialEvidence(attackers=law.attackers, exposed=law.exposed())
        return msgspec.structs.replace(
            evidence,
            attackers=(*evidence.attackers, *ordered_attackers(self.case, self.plan, secret, self.release)),
            advantage=advantage_of(claims),
            neighbours=Neighbours.VALUES_OF_A_PERSON if claims else None,
            given_counts=given_counts,
            statistics=tuple(self._worths(secret, use)),
            least_told=least,
            own_told=told,
        )

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

    def _worths(self, secret: Secret, use: Use) -> Iterator[Statistic]:
        """Of the shares, or the mean, and of every cross-table with a published column that has rows enough to be read.

        Of a column that is itself released through a channel, rows are worth the product of what both leave of them.
        """
        own = self.plan.hiding(secret)
        if own is None or (own.mechanism.noise is None and channel_of(own) is None):
            return
        given = read_beside(secret, own)
        if use is Use.ROWS:
            counted = self.case.counted(secret, given, own)
            yield Statistic((), None if counted is None else _worth_of_rows(counted))
            return
        through = {one.name: one for one in self.plan.columns if one.name in self.public_through}
        for columns in ((), *((name,) for name in (*self.plan.public, *through))):
            counted = self.case.counted(secret, (*columns, *given), own)
            worth = None if counted is None else _worth(counted, columns)
            if worth is not None:
                kept = self._kept(through[columns[0]]) if columns and columns[0] in through else 1.0
                yield Statistic(columns, share(worth * kept))

    def _kept(self, other: BoundColumn) -> float:
        """What the rows of another released column are worth for its own shares."""
        counts = self.case.table.counts(*other.reads, limit=max(self.case.table.rows, 1))
        return _worth(CountedSecret(counts, other.reads, (), channel_of(other), other.reads), ()) or 0.0


def judge_settings(
    case: Case,
    secret: Secret,
    use: Use,
    bound: Callable[[Mechanism | Channel], RecordedPlan],
    public_through: tuple[str, ...] = (),
) -> Callable[[Mechanism | Channel | None], DialEvidence | None]:
    """What is known of a whole release, by how one secret is released in it; of None, by a release without it.

    Args:
        bound: the plan with the secret released so.
    """
    plans = list[RecordedPlan]()

    def judge(how: Mechanism | Channel | None) -> DialEvidence | None:
        if how is not None:
            plans[:] = [bound(how)]
        if not plans:
            return None
        plan = plans[0]
        if how is None:
            own = plan.hiding(secret)
            plan = replace(plan, columns=tuple(one for one in plan.columns if one is not own))
        return Outgoing(case, plan, public_through).evidence(secret, use)

    return judge


def _worth(counted: CountedSecret, beside: tuple[str, ...]) -> float | None:
    """Of the shares, or the mean, within each value of some columns."""
    law = counted.through(counted.law(()))
    sight = law.sight(beside, published=beside)
    if counted.numbers is None:
        return association(sight)
    return squared_correlation(sight, counted.numbers, readings_of(law.channel))


def _worth_of_rows(counted: CountedSecret) -> Quantity | None:
    """For who reads single rows: numbers by how far they are off, letters by whether they are right."""
    law = counted.through(counted.law(()))
    sight = law.sight()
    outputs = 1 if law.channel is None else len(law.channel.outputs)
    joint = np.zeros((len(law.shares), outputs))
    np.add.at(joint, (sight.x, sight.released[sight.seen]), sight.p)
    matrix = np.divide(joint, law.shares[:, None], where=law.shares[:, None] > 0, out=np.zeros(joint.shape))
    readings = () if law.channel is None else law.channel.outputs
    if counted.numbers is not None:
        places = readings_of(law.channel)
        if np.isnan(places).any():
            return None
        off, constants = (np.abs(counted.numbers[:, None] - to[None, :]) for to in (places, counted.numbers))
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


def with_attacks(evidence: DialEvidence, audit: Audit, secret: tuple[str, ...]) -> DialEvidence:
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
            if {*one.knows} == {*attack.knows}
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
