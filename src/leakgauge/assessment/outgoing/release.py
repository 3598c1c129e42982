"""A release by its plan and its table: nothing is drawn, so a setting is judged in advance.

If the secret and everything seen have at most a fifth as many cells as there are rows, the law is counted. Beyond that
a learner estimates what other columns reveal, and the secret's own channel enters by its law.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import msgspec
import numpy as np

from leakgauge.artefacts import Audit, Quantity
from leakgauge.artefacts.dials import Attacker, DialEvidence, Neighbours, Statistic, confidence_of, share
from leakgauge.assessment.dials import ReleaseLaw, attacker_of_audit, condensed, evidence_by_law, law_of_noise
from leakgauge.assessment.dials.evidence import readings_of
from leakgauge.assessment.dials.guarantee import advantage_of
from leakgauge.assessment.dials.numbers import numbers_of
from leakgauge.assessment.dials.usefulness import Use, association, squared_correlation, worth_of_rows
from leakgauge.assessment.outgoing.learnt import Learnt, learnt_from
from leakgauge.claims import ApproximateDP, CentralDP, GaussianDP, LocalDP, Statement, ZeroConcentratedDP
from leakgauge.measures.countability import PEOPLE_PER_CELL
from leakgauge.probability import Channel, Counts, Distribution, Joint, Label
from leakgauge.probability.cells import Floats
from leakgauge.probability.labels import label_parts
from leakgauge.release.bound import BoundColumn, RecordedPlan
from leakgauge.release.letters import places_among
from leakgauge.release.recorded_plan import recorded_plan
from leakgauge.tables import Levels, Table

MOST_WAYS = 1 << 20
"""Combinations of all that is seen, outputs of other channels included, up to which a law is written down."""
FEWEST_POINTS, MOST_POINTS = 16, 256
"""By which numbers are counted beside what else is seen."""


@dataclass(frozen=True, eq=False)
class Outgoing:
    """Everything that a plan releases.

    Attributes:
        plan: the mechanisms and the public columns.
        table: as coarse as it is released, background columns in their bins, small groups suppressed.
        background: columns that the attacker knows.
        unit: the column of persons, who may have several rows.
        public_through: the public columns that leave through a channel.
        confidence: of what is learnt.
        learnt: what was learnt or drawn of other columns, kept for settings that agree in them.
    """

    plan: RecordedPlan
    table: Table
    background: tuple[str, ...] = ()
    unit: str | None = None
    public_through: tuple[str, ...] = ()
    confidence: float = 0.95
    learnt: dict[object, Any] = field(default_factory=dict, repr=False)

    def own(self, secret: tuple[str, ...]) -> BoundColumn | None:
        """The mechanism of a secret; None where it is withheld."""
        return next((one for one in self.plan.columns if {*secret} == {*self._hides(one)}), None)

    def _hides(self, one: BoundColumn) -> tuple[str, ...]:
        return tuple(name for name in one.reads if name not in self.plan.public)

    def evidence(
        self, secret: tuple[str, ...], use: Use = Use.STATISTICS, least_and_own: tuple[float, float] | None = None
    ) -> DialEvidence:
        """What is known of one secret.

        Args:
            secret: its columns; several where they are released together.
            use: what the release is for.
            least_and_own: the bits that the best channel with the same distortion tells somebody with the background,
                and those that this one does.
        """
        own = self.own(secret)
        least, told = (None, None) if least_and_own is None else least_and_own
        claims = () if own is None else tuple(self._for_a_person(own.mechanism.claims))
        given_counts = (
            own is not None and recorded_plan(replace(self.plan, columns=(own,))).columns[own.name].follows_from_counts
        )
        statistics = tuple(self._worths(secret, use))
        found = self._law(secret)
        if found is not None:
            law, numbers = found
            evidence = evidence_by_law(law, backgrounds=[self.background] if self.background else (), numbers=numbers)
        else:
            evidence = self._learnt(secret)
        return msgspec.structs.replace(
            evidence,
            advantage=advantage_of(claims),
            neighbours=Neighbours.VALUES_OF_A_PERSON if claims else None,
            given_counts=given_counts,
            statistics=statistics,
            least_told=least,
            own_told=told,
        )

    def lost(self, secret: tuple[str, ...]) -> float | None:
        """The share of rows whose values are never released; None for numbers, sets and withheld secrets."""
        counted, own = self._counted(secret, self._given(secret)), self.own(secret)
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
        values = counted.rows
        if not reached & set(values):
            return None
        return float(sum(p for label, p in zip(values, law.shares, strict=True) if label not in reached))

    def bits_told(self, secret: tuple[str, ...], evidence: DialEvidence) -> float | None:
        """The most bits of a secret that everything reveals; None for numbers, and where nothing is known."""
        counted = self._counted(secret, ())
        nobody = next((one.told for one in evidence.attackers if not one.knows), None)
        if counted is None or counted.numbers is not None or nobody is None:
            return None
        shares = counted.law(()).shares
        return nobody.ends[1] * float(-(shares * np.log2(np.maximum(shares, 1e-300))).sum())

    # The law where it can be counted.

    def _law(self, secret: tuple[str, ...]) -> tuple[ReleaseLaw, Floats | None] | None:
        """The law of everything that leaves, and the numbers that the secret's values stand for."""
        own, others = self.own(secret), [one for one in self.plan.columns if one is not self.own(secret)]
        if own is not None and own.mechanism.noise is None and _channel(own) is None:
            return None
        channels = {one.name: _channel(one) for one in others if len(one.reads) == 1 and one.mechanism.noise is None}
        if any(channels.get(one.name) is None for one in others):
            return None
        columns = dict.fromkeys((*self._given(secret), *self.background, *self.plan.public))
        columns |= dict.fromkeys(one.reads[0] for one in others)
        counted = self._counted(secret, tuple(columns))
        ways = math.prod([len(channel.outputs) for channel in channels.values() if channel is not None])
        if counted is None or ways * counted.groups > MOST_WAYS:
            return None
        law = counted.law(self.plan.public)
        for one in others:
            channel = channels[one.name]
            assert channel is not None
            law = law.with_release(one.reads[0], channel, f"{one.name} as it is released")
        return counted.through(law), counted.numbers

    def _given(self, secret: tuple[str, ...]) -> tuple[str, ...]:
        """The public columns that the secret's own channel reads too."""
        own = self.own(secret)
        return () if own is None else tuple(name for name in own.reads if name not in secret)

    def _counted(self, secret: tuple[str, ...], columns: tuple[str, ...]) -> _Counted | None:
        """The secret beside other columns; None where rows are too few for that."""
        own = self.own(secret)
        wanted = tuple(dict.fromkeys(columns))
        sizes = self.table.group_sizes([secret, *([wanted] if wanted else [])])
        groups = sizes[1].groups if wanted else 1
        room = self.people // (PEOPLE_PER_CELL * groups)
        noise = None if own is None else own.mechanism.noise
        if noise is None and sizes[0].groups > room:
            return None
        if noise is not None and min(FEWEST_POINTS, sizes[0].groups) > room:
            return None
        counts = self.table.counts(*secret, *wanted, limit=max(self.table.rows, 1))
        if noise is not None:
            return _of_noise(counts, secret[0], wanted, noise, min(room, MOST_POINTS) if wanted else MOST_POINTS)
        numbers = self._numbers(secret, counts)
        return _Counted(
            counts, secret, wanted, None if own is None else _channel(own), None if own is None else own.reads, numbers
        )

    @cached_property
    def people(self) -> int:
        """Rows; where a person has several, people."""
        return self.table.rows if self.unit is None else self.table.group_sizes([(self.unit,)])[0].groups

    def _numbers(self, secret: tuple[str, ...], counts: Counts) -> Floats | None:
        """The numbers that the values stand for; None of letters."""
        if len(secret) > 1 or isinstance(self.plan.bins.get(secret[0]), Levels):
            return None
        (name,) = secret
        kind = next(one.kind for one in self.table.columns() if one.name == name)
        return numbers_of(counts.labels(name), kind)

    def _for_a_person(self, claims: Sequence[Statement]) -> Iterator[Statement]:
        """What claims of one row say of all rows of a person, each with noise of its own."""
        rows = self.plan.unit.rows
        if self.unit is not None and self.plan.unit.column is None:
            rows = self.table.group_sizes([(self.unit,)])[0].largest
        for claim in claims:
            scaled = _SEVERAL.get(type(claim))
            if rows == 1:
                yield claim
            elif scaled is not None:
                yield scaled(claim, rows)

    # What it is worth.

    def _worths(self, secret: tuple[str, ...], use: Use) -> Iterator[Statistic]:
        """Of the shares, or the mean, and of every cross-table with a published column that has rows enough to be read.

        Of a column that is itself released through a channel, rows are worth the product of what both leave of them.
        """
        own, given = self.own(secret), self._given(secret)
        if own is None or (own.mechanism.noise is None and _channel(own) is None):
            return
        if use is Use.ROWS:
            counted = self._counted(secret, given)
            yield Statistic((), None if counted is None else counted.worth_of_rows())
            return
        through = {one.name: one for one in self.plan.columns if one.name in self.public_through}
        for columns in ((), *((name,) for name in (*self.plan.public, *through))):
            counted = self._counted(secret, (*columns, *given))
            worth = None if counted is None else counted.worth(columns)
            if worth is not None:
                kept = self._kept(through[columns[0]]) if columns and columns[0] in through else 1.0
                yield Statistic(columns, share(worth * kept))

    def _kept(self, other: BoundColumn) -> float:
        """What the rows of another released column are worth for its own shares."""
        counted = _Counted(
            self.table.counts(*other.reads, limit=max(self.table.rows, 1)),
            other.reads,
            (),
            _channel(other),
            other.reads,
        )
        return counted.worth(()) or 0.0

    # What is learnt where it cannot be counted.

    def _learnt(self, secret: tuple[str, ...]) -> DialEvidence:
        """Nothing is known of sets that are too large to write down, nor of a secret too large to count."""
        own = self.own(secret)
        beside = self._counted(secret, self._given(secret))
        if (own is not None and own.mechanism.noise is None and _channel(own) is None) or beside is None:
            return DialEvidence(attackers=(Attacker(),))
        seen: Learnt = learnt_from(self, secret)
        law = beside.through(beside.law(()))
        sight = law.sight(beside.columns, published=())
        told = (sight.before.uncertainty() - sight.uncertainty()) / math.log(2)
        attackers = seen.attackers(told, beside.numbers is not None)
        return DialEvidence(attackers=attackers, exposed=seen.exposed())


@dataclass(frozen=True, eq=False)
class _Counted:
    """The counts of a secret and other columns, and the channel of the secret."""

    counts: Counts
    secret: tuple[str, ...]
    columns: tuple[str, ...]
    channel: Channel | None
    reads: tuple[str, ...] | None
    numbers: Floats | None = None

    @property
    def groups(self) -> int:
        return len(self.source.columns) if isinstance(self.source, Joint) else 1

    @cached_property
    def source(self) -> Distribution | Joint:
        if not self.columns:
            return self.counts.distribution(*self.secret)
        return self.counts.joint(self.secret, self.columns)

    @property
    def rows(self) -> tuple[Label, ...]:
        return self.source.rows if isinstance(self.source, Joint) else self.source.outcomes

    def law(self, published: Sequence[str]) -> ReleaseLaw:
        """With the secret withheld as yet where its channel reads other columns."""
        kept = tuple(name for name in published if name in self.columns)
        plain = ReleaseLaw(self.source, None, self.columns, kept)
        return plain if self._reads_others else self.through(plain)

    def through(self, law: ReleaseLaw) -> ReleaseLaw:
        """The law with the secret through its channel."""
        if self.channel is None or self.reads is None:
            return law
        if not self._reads_others:
            return replace(law, channel=_renamed(self.channel, self.rows, self.secret, self.reads))
        source = law.source
        assert isinstance(source, Joint)
        x, z, _ = source.cells.nonzero()
        rows = {label: at for at, label in enumerate(self.channel.inputs)}
        pairs, places = [], []
        for row, column in zip(x.tolist(), z.tolist(), strict=True):
            pair = source.rows[row], source.columns[column]
            known = dict(zip(self.secret, label_parts(pair[0], self.secret), strict=True))
            known |= dict(zip(law.columns, label_parts(pair[1], law.columns), strict=True))
            pairs.append(pair)
            places.append(rows[tuple(known[name] for name in self.reads)])
        return replace(law, channel=Channel(pairs, self.channel.outputs, np.asarray(self.channel.matrix)[places]))

    @property
    def _reads_others(self) -> bool:
        return self.reads is not None and not {*self.reads} <= {*self.secret}

    def worth(self, beside: tuple[str, ...]) -> float | None:
        """Of the shares, or the mean, within each value of some columns."""
        law = self.through(self.law(()))
        sight = law.sight(beside, published=beside)
        if self.numbers is None:
            return association(sight)
        return squared_correlation(sight, self.numbers, readings_of(law.channel))

    def worth_of_rows(self) -> Quantity | None:
        """For who reads single rows: numbers by how far they are off, letters by whether they are right."""
        law = self.through(self.law(()))
        sight = law.sight()
        outputs = 1 if law.channel is None else len(law.channel.outputs)
        joint = np.zeros((len(law.shares), outputs))
        np.add.at(joint, (sight.x, sight.released[sight.seen]), sight.p)
        matrix = np.divide(joint, law.shares[:, None], where=law.shares[:, None] > 0, out=np.zeros(joint.shape))
        readings = () if law.channel is None else law.channel.outputs
        if self.numbers is not None:
            places = readings_of(law.channel)
            if np.isnan(places).any():
                return None
            off, constants = (np.abs(self.numbers[:, None] - to[None, :]) for to in (places, self.numbers))
        else:
            off = np.array([[float(one != other) for other in readings] for one in self.rows])
            constants = 1.0 - np.eye(len(self.rows))
        worth = worth_of_rows(law.shares, matrix, off, constants)
        return None if worth is None else share(worth)


def _channel(one: BoundColumn) -> Channel | None:
    """The exact channel of a mechanism; None of numbers with noise, and where it is too large to write down."""
    if one.mechanism.noise is not None:
        return None
    return one.mechanism.channel() if one.channel is None else one.channel.channel


def _renamed(channel: Channel, rows: Sequence[Label], secret: tuple[str, ...], reads: tuple[str, ...]) -> Channel:
    """The channel on the values that occur, whatever order it reads their parts in."""
    if reads == secret or len(secret) == 1:
        spelled = [] if {*rows} <= {*channel.inputs} else places_among(channel.inputs, rows).tolist()
        if not spelled or min(spelled) < 0:
            return channel.restrict(rows)
        # Sets are of texts, whatever the values are.
        return Channel(rows, channel.outputs, np.asarray(channel.matrix)[spelled])
    order = [secret.index(name) for name in reads]
    places = {label: at for at, label in enumerate(channel.inputs)}
    read = [tuple(label_parts(label, secret)[at] for at in order) for label in rows]
    return Channel(rows, channel.outputs, np.asarray(channel.matrix)[[places[label] for label in read]])


def _of_noise(counts: Counts, secret: str, columns: tuple[str, ...], noise: Any, points: int) -> _Counted:
    """Numbers with noise by a few points, each number at the nearest; a missing one is what stands for it."""
    labels = counts.labels(secret)
    numbers = np.array([noise.missing if label is None else float(label) for label in labels], dtype=np.float64)  # type: ignore[arg-type]
    shares = counts.distribution(secret).probabilities
    if columns:
        places, _ = condensed(numbers, shares, max(points // 2, 1))
        near = np.abs(numbers[:, None] - places[None, :]).argmin(axis=1)
        used, near = np.unique(near, return_inverse=True)
        places = places[used]
        codes = [near[counts.codes[0]], *counts.codes[1:]]
        axes = {secret: tuple(places.tolist()), **{name: counts.labels(name) for name in columns}}
        counts = Counts.from_cells(axes, codes, counts.counts)
        shares = counts.distribution(secret).probabilities
        law, places = law_of_noise(noise, places, shares, len(places))
        return _Counted(counts, (secret,), columns, law.channel, (secret,), places)
    law, places = law_of_noise(noise, numbers, shares)
    return _Points(counts, (secret,), (), law.channel, (secret,), places, law.shares)


@dataclass(frozen=True, eq=False)
class _Points(_Counted):
    """Numbers alone, by points that have their moments."""

    weights: Floats | None = None

    @cached_property
    def source(self) -> Distribution | Joint:
        assert self.weights is not None and self.numbers is not None
        return Distribution(self.numbers, self.weights)


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
