"""What the whole release reveals about each secret, and what is known anyway: in bits and in guesses.

If the secret and what is seen have at most a fifth as many cells as the table has rows, the bits are estimated with an
interval. Beyond that a plug-in estimate is mostly chance, so there are bounds instead: from below by an attacker on
rows it was not trained on; from above by I(X;W) ≤ I(X;V) + I(X;Y), where Y reads X with independent noise and V is the
rest, and by H(X). Where Y reads a part Z of V too, I(X;Y|Z) takes the place of I(X;Y).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np
from msgspec import structs

from leakgauge.artefacts import Quantity
from leakgauge.artefacts.exposure import Bracket, Exposure, ToldByColumns
from leakgauge.artefacts.quantity import SHARE
from leakgauge.case.attacker import Attacker
from leakgauge.case.case import CountedLaw
from leakgauge.case.columns import numbered, ranks_of, values_of
from leakgauge.case.drawn import Drawn, ReleasedColumn, Role, Secret, SeenColumn
from leakgauge.case.learner import Learner
from leakgauge.measures.binomial import share as share_from
from leakgauge.measures.binomial import share_of
from leakgauge.measures.clusters import design_effect_of_mean, estimate_by_units
from leakgauge.measures.countability import is_countable
from leakgauge.measures.held_out import held_out_information
from leakgauge.measures.shannon import (
    conditional_mutual_information,
    entropy,
    leakage_with_background,
    mutual_information,
)
from leakgauge.measures.terms import Measure
from leakgauge.probability import Channel, Counts, Estimate
from leakgauge.probability.cells import Codes, Floats, Truths
from leakgauge.tables.sampling import Sample

BITS = "bits"
BEST_PAIRS = 3
LARGEST_CHANNEL = 1 << 20


def exposure(drawn: Drawn, secret: Secret) -> Exposure:
    """What is revealed about a secret: by each column, by the best pairs, by what is known, and by everything."""
    return _Exposed(drawn, secret, Attacker.of(drawn, secret)).told()


def told_by_each(
    sample: Sample, secret: str, columns: Sequence[str], unit: str | None, confidence: float
) -> tuple[Quantity, tuple[ToldByColumns, ...]]:
    """The entropy of a column of sampled rows, and what each of some others would reveal about it by itself."""
    ranked = {name: ranks_of(sample.columns[name], name) for name in columns}
    seen = tuple(SeenColumn(name, Role.PUBLIC, codes, ordered) for name, (codes, ordered) in ranked.items())
    nobody = np.zeros(sample.rows, dtype=np.int64)
    whole = Secret.of((secret,), sample.columns)
    units = None if unit is None else values_of(sample.columns[unit], unit)
    drawn = Drawn((), (whole,), nobody, (), nobody, tuple(columns), (), confidence, seen=seen, units=units)
    learner = Learner.of(drawn, whole)
    scored_units = None if units is None else units[learner.rows[learner.score]]
    exposed = _Exposed(drawn, whole, Attacker(learner, learner.prior, learner.prior, learner.prior, None, scored_units))
    return Quantity.estimated(exposed.entropy, BITS), exposed.singles()


def released_from(column: ReleasedColumn | None, cells: Codes, count: int) -> Floats | None:
    """q(y|cell) of a released column for so many cells, of which every row has one; those of no row count nowhere.

    None where the cell of a row does not decide what the mechanism reads, where it adds noise to numbers, and where it
    is not finite or too large.
    """
    whole = None if column is None or column.mechanism.noise is not None else column.mechanism.channel()
    if column is None or whole is None or count * len(whole.outputs) > LARGEST_CHANNEL:
        return None
    inputs = np.zeros(count, dtype=np.int64)
    inputs[cells] = column.inputs
    is_decided = bool((inputs[cells] == column.inputs).all())
    return np.asarray(whole.matrix)[inputs] if is_decided else None


def estimated(
    drawn: Drawn, measure: Measure, letters: Codes, seen: Codes | None = None, channel: Channel | None = None
) -> Estimate:
    """A measure of a secret (x), what is seen (z) and perhaps a known channel, in bits, over all rows."""
    axes = {"x": letters, "z": seen, "unit": drawn.units}
    present = {name: numbered(codes, rows=drawn.rows) for name, codes in axes.items() if codes is not None}
    labels = {name: range(int(codes.max()) + 1) for name, codes in present.items()}
    counts = Counts.from_cells(labels, list(present.values()), np.ones(drawn.rows, dtype=np.int64))
    known = ["z"] if seen is not None else []
    return estimate_by_units(
        measure,
        counts,
        ["x"],
        known if channel is None else [],
        known if channel is not None else [],
        unit=None if drawn.units is None else "unit",
        channel=channel,
        confidence=drawn.confidence,
    )


@dataclass(frozen=True, eq=False)
class _Exposed:
    """A secret, and the attacker who learnt of it."""

    drawn: Drawn
    secret: Secret
    attacker: Attacker

    def told(self) -> Exposure:
        learner, attacker = self.attacker.learner, self.attacker
        everywhere = tuple(range(len(learner.columns)))
        own = learner.places(Role.OWN)
        known = self._bracket(learner.places(Role.BACKGROUND), attacker.by(attacker.known.predictor))
        others = tuple(at for at in everywhere if at not in own)
        plain = _no_worse(self._bracket(others, attacker.by(attacker.plain.predictor), known), known)
        law = self._law
        if law is not None:
            plain = self._by_law(law.without_own(), plain)
        if self.secret.column is not None:
            everything = self._everything(everywhere, plain)
            everything = _no_worse(everything, plain) if law is None else self._by_law(law, everything)
        elif own:
            alone = self._bracket(own, attacker.by(learner.single(own[0]).predictor))
            most = max(plain, alone, key=lambda one: one.information.ends[0])
            everything = _no_worse(self._bracket(everywhere, attacker.by(attacker.whole.predictor), most), plain)
        else:
            everything = plain
        pairs = sorted(learner.pairs, key=lambda pair: float(learner.pairs[pair].lost.mean()))[:BEST_PAIRS]
        return Exposure(
            self.secret.names,
            Quantity.estimated(self.entropy, BITS),
            tuple(_no_more(one, everything) for one in (*self.singles(), *self._told_by_own_column())),
            tuple(
                _no_more(self._told_by(pair, attacker.by(learner.pairs[pair].predictor)), everything) for pair in pairs
            ),
            known,
            plain,
            everything,
            attacker.title,
            len(learner.rows),
            len(learner.score),
        )

    def singles(self) -> tuple[ToldByColumns, ...]:
        """What each unchanged column reveals by itself."""
        attacker = self.attacker
        single = attacker.learner.single
        places = range(len(attacker.learner.columns))
        return tuple(self._told_by((at,), attacker.by(single(at).predictor)) for at in places)

    @cached_property
    def _law(self) -> CountedLaw | None:
        """The law of the release, where it is known and can be counted."""
        return self.drawn.counted_law(self.secret.names)

    @cached_property
    def entropy(self) -> Estimate:
        """H(X)."""
        return self._estimated(entropy, ())

    def _told_by(self, uses: Sequence[int], probabilities: Floats) -> ToldByColumns:
        columns = [self.attacker.learner.columns[at] for at in uses]
        names, roles = tuple(one.name for one in columns), tuple(one.role.value for one in columns)
        return ToldByColumns(**structs.asdict(self._bracket(uses, probabilities)), columns=names, roles=roles)

    def _told_by_own_column(self) -> tuple[ToldByColumns, ...]:
        if self.secret.column is None:
            return ()
        probabilities = self.attacker.with_own(self.attacker.by(self.attacker.learner.prior.predictor))
        exact = self._own_information
        # Where it reads what is seen, it may tell that as well, and all that goes with it.
        most = math.inf if self._read else self._most_by_own
        information = self._between(probabilities, most) if exact is None else exact
        found = Bracket(Quantity.estimated(information, BITS), self._success(probabilities), exact is not None)
        if exact is not None and self._law is not None:
            found = self._by_law(self._law.of_own_alone(), found)
        written = self.secret.column.writes
        roles = (Role.OWN.value,) * len(written)
        return (ToldByColumns(**structs.asdict(found), columns=written, roles=roles),)

    def _bracket(self, uses: Sequence[int], probabilities: Floats, part: Bracket | None = None) -> Bracket:
        """What some unchanged columns reveal: no less than a part of them."""
        if uses and not self._is_countable(uses):
            least = 0.0 if part is None else part.information.ends[0]
            told = self._between(probabilities, self._most_by(uses), least)
            return Bracket(Quantity.estimated(told, BITS), self._success(probabilities), exact=False)
        told, exact = Estimate(0.0, 0.0, 0.0, self.drawn.confidence, self.drawn.rows), True
        if uses:
            told, exact = self._enclosed(self._estimated(mutual_information, uses), uses)
        everybody = exact and not self.drawn.is_sample
        return Bracket(Quantity.estimated(told, BITS), self._counted_success(uses), exact, everybody)

    def _counted_success(self, uses: Sequence[int]) -> Quantity:
        """How often the commonest secret among those who look alike is right, over all rows."""
        seen, letters = self._together(uses), self.secret.letters
        width = int(letters.max()) + 1
        counts = np.bincount(seen * width + letters, minlength=(int(seen.max()) + 1) * width).reshape(-1, width)
        right = counts.argmax(axis=1)[seen] == letters
        return Quantity.estimated(share_of(right, self.drawn.units, self.drawn.confidence), SHARE)

    def _by_law(self, law: CountedLaw, found: Bracket) -> Bracket:
        """The same, exact for everybody in the table; the interval is that of counting, where it has one."""
        assert law.bits is not None
        counted = found.information
        low, high = counted.ends if found.exact else (law.bits, law.bits)
        low, high = min(low, law.bits), max(high, law.bits)
        bits = Quantity(law.bits, BITS) if low == high else Quantity(law.bits, BITS, low, high, counted.confidence)
        if int(self.secret.letters.max()) != int(self.secret.each.max()):
            # Of many numbers the tenth is guessed, not the number.
            return Bracket(bits, found.success, exact=True)
        rows, share = self.drawn.rows, law.guessed
        effect = design_effect_of_mean(np.ones(rows), self.drawn.units)
        right = share_from(share * rows, rows, self.drawn.confidence, effect)
        return Bracket(bits, Quantity.estimated(right, SHARE), exact=True, everybody=True)

    def _enclosed(self, told: Estimate, uses: Sequence[int]) -> tuple[Estimate, bool]:
        """What was counted, and whether it is exact: what other mechanisms drew is one sample of their noise."""
        if all(self.attacker.learner.columns[at].role is not Role.PROTECTED for at in uses):
            return told, True
        return replace(told, value=told.high), False

    def _everything(self, uses: Sequence[int], plain: Bracket) -> Bracket:
        """What is seen as it is, and the secret's own released column."""
        probabilities, exact = self.attacker.everything, False
        if not uses and self._own_information is not None:
            told, exact = self._own_information, True
        elif self._is_countable(uses) and (channel := self._channel_beside(uses)) is not None:
            told, exact = self._enclosed(self._estimated(leakage_with_background, uses, channel), uses)
        else:
            own = self._own_information
            least = max(plain.information.ends[0], 0.0 if own is None else own.low)
            told = self._between(probabilities, plain.information.ends[1] + self._most_by_own, least)
        right = self.attacker.is_right_with_own(self.attacker.by(self.attacker.plain.predictor))
        return Bracket(Quantity.estimated(told, BITS), self._share(right), exact)

    def _between(self, probabilities: Floats, most: float, least: float = 0.0) -> Estimate:
        """Bounds from what the attacker achieves to the most that can be revealed; the value is the unfavourable end.

        Seeing more reveals no less, so a lower bound for a part is one for the whole. Each of two lower bounds may miss
        half as often.
        """
        attacker, confidence = self.attacker, self.drawn.confidence
        sure = confidence if least == 0 else (1 + confidence) / 2
        shown = held_out_information(attacker.letters, probabilities, attacker.units, sure)
        # Of the people in this table nobody learns more than their secret holds.
        high = min(self.entropy.value, most)
        return Estimate(high, min(max(shown.low, least), high), high, confidence, shown.n)

    def _success(self, probabilities: Floats) -> Quantity:
        return self._share(self.attacker.is_right(probabilities))

    def _share(self, right: Truths) -> Quantity:
        return Quantity.estimated(share_of(right, self.attacker.units, self.drawn.confidence), SHARE)

    def _most_by(self, uses: Sequence[int]) -> float:
        """Columns reveal no more bits than their own entropy, if their values can be counted and were not drawn."""
        together = self._together(uses)
        drawn = any(self.attacker.learner.columns[at].role is Role.PROTECTED for at in uses)
        if drawn or not is_countable(int(together.max()) + 1, self.drawn.people):
            return math.inf
        return estimated(self.drawn, entropy, together).value

    def _is_countable(self, uses: Sequence[int]) -> bool:
        cells = (int(self.secret.each.max()) + 1) * (int(self._together(uses).max()) + 1)
        return is_countable(cells, self.drawn.people)

    def _together(self, uses: Sequence[int]) -> Codes:
        return numbered(*(self.attacker.learner.columns[at].codes for at in uses), rows=self.drawn.rows)

    def _estimated(self, measure: Measure, uses: Sequence[int], channel: Channel | None = None) -> Estimate:
        """A measure of the secret (x), what is seen (z) and perhaps a known channel, in bits."""
        return estimated(self.drawn, measure, self.secret.each, self._together(uses) if uses else None, channel)

    @cached_property
    def _read(self) -> tuple[int, ...]:
        """The seen columns that the secret's own mechanism reads too."""
        column, seen = self.secret.column, self.attacker.learner.columns
        reads = () if column is None else column.reads
        return tuple(at for at, one in enumerate(seen) if one.name in reads and one.role is not Role.PROTECTED)

    def _channel_beside(self, uses: Sequence[int]) -> Channel | None:
        """From the secret to its own released column, or from pairs of it and what is seen where that is read too."""
        values = int(self.secret.each.max()) + 1
        alone = released_from(self.secret.column, self.secret.each, values)
        if alone is not None:
            return Channel(range(values), range(alone.shape[1]), alone)
        if not set(self._read) & set(uses):
            return None
        together = self._together(uses)
        seen = int(together.max()) + 1
        pairs = released_from(self.secret.column, self.secret.each * seen + together, values * seen)
        return None if pairs is None else Channel(product(range(values), range(seen)), range(pairs.shape[1]), pairs)

    def _by_own(self, measure: Measure) -> Estimate | None:
        """A measure of the secret and its own released column, where the channel is known and can be counted."""
        uses = self._read if self._is_countable(self._read) else ()
        channel = self._channel_beside(uses)
        if channel is None:
            return None
        return self._estimated(measure, uses if len(channel.inputs) > int(self.secret.each.max()) + 1 else (), channel)

    @cached_property
    def _own_information(self) -> Estimate | None:
        """I(X;Y) of the secret's own channel, where that is known."""
        return self._by_own(mutual_information)

    @cached_property
    def _most_by_own(self) -> float:
        """The bits that the secret's own column adds at most, whatever is seen besides."""
        added = self._by_own(conditional_mutual_information) if self._read else self._own_information
        if added is not None:
            return added.value
        column = self.secret.column
        pure = [one.epsilon for one in (column.promises if column is not None else ()) if one.delta == 0]
        # The divergence between the outputs of two inputs is at most ε tanh(ε/2) nats under ε-differential privacy.
        return min((epsilon * math.tanh(epsilon / 2) / math.log(2) for epsilon in pure), default=math.inf)


def _no_worse(seeing_more: Bracket, seeing_less: Bracket) -> Bracket:
    """Who sees more may leave it out: an attacker who then does worse has learnt badly."""
    if seeing_more.success.value >= seeing_less.success.value:
        return seeing_more
    return structs.replace(seeing_more, success=seeing_less.success)


def _no_more(part: ToldByColumns, whole: Bracket) -> ToldByColumns:
    """A part reveals no more than the whole, where that is exact."""
    most = whole.information.value
    if part.exact or not whole.exact or part.information.value <= most:
        return part
    low = min(part.information.ends[0], most)
    return structs.replace(part, information=Quantity(most, BITS, low, most, part.information.confidence))
