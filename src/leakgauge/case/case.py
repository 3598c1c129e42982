"""A table in the roles of its columns, bound once: whom it counts, what can be counted, and the law of a release.

Design, search, promise, verdict, audit and page ask the case, so that they say the same of one release of one table,
before anything is drawn and after. If the secret and everything seen have at most a fifth as many cells as there are
people, the law is counted. Beyond that a learner estimates what other columns reveal, and the secret's own channel
enters by its law.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

from leakgauge.case.counted import CountedSecret, channel_of, counted_numbers
from leakgauge.case.earlier import EarlierChannel
from leakgauge.case.law import ReleaseLaw, Sight
from leakgauge.case.learnt import LearntLaw, learnt_law
from leakgauge.case.numbers import numbers_of
from leakgauge.case.persons import agreeing_rows
from leakgauge.measures import Estimator, background_floor, estimate
from leakgauge.measures.countability import PEOPLE_PER_CELL, is_countable
from leakgauge.probability import Counts, Distribution
from leakgauge.probability.cells import Floats
from leakgauge.release.bound import BoundColumn, RecordedPlan
from leakgauge.tables import Levels, Table
from leakgauge.tables.table import GroupSizes

MOST_WAYS = 1 << 20
"""Combinations of all that is seen, outputs of other channels included, up to which a law is written down."""
FEWEST_POINTS, MOST_POINTS = 16, 256
"""By which numbers are counted beside what else is seen."""


@dataclass(frozen=True, eq=False)
class CountedLaw:
    """The law of everything released, counted over the table.

    Attributes:
        law: of the secret, what is published or known, and what is released.
        knows: the columns of the declared background.
        numbers: that the secret's values stand for; None of letters.
        by_points: whether a few points stand for the numbers.
    """

    law: ReleaseLaw
    knows: tuple[str, ...]
    numbers: Floats | None = None
    by_points: bool = False

    @cached_property
    def _sight(self) -> Sight:
        """What somebody sees who knows the declared background."""
        return self.law.sight(self.knows)

    @cached_property
    def bits(self) -> float | None:
        """I(X;W): what everything released or known reveals about the secret; None where points stand for it."""
        if self.by_points:
            return None
        return max(self.law.sight(published=()).before.uncertainty() - self._sight.uncertainty(), 0.0) / math.log(2)

    @property
    def guessed(self) -> float:
        """How often the best guess by everything released or known is right."""
        return self._sight.guessed()

    def without_own(self) -> CountedLaw:
        """The law of everything but the secret's own released column."""
        return replace(self, law=replace(self.law, channel=None))

    def of_own_alone(self) -> CountedLaw:
        """The law of the secret's own released column and nothing else."""
        return replace(self, law=replace(self.law, published=()), knows=())


Law: TypeAlias = CountedLaw | LearntLaw
"""What a release tells of a secret: exact where it is counted, else with intervals."""


@dataclass(frozen=True, eq=False)
class Case:
    """A table as coarse as it is released, and who looks at it.

    Attributes:
        table: background columns in their bins, small groups suppressed.
        background: columns that the attacker knows.
        unit: the column of persons, who may have several rows.
        confidence: of what is learnt.
        blank_is_secret: whether it is a secret too of whom no number is known.
        memory: what was learnt or drawn of other columns, kept for settings that agree in them.
        earlier: the earlier releases of each secret that somebody may have.
    """

    table: Table
    background: tuple[str, ...] = ()
    unit: str | None = None
    confidence: float = 0.95
    blank_is_secret: bool = field(default=False, kw_only=True)
    memory: dict[object, Any] = field(default_factory=dict, repr=False)
    earlier: Mapping[tuple[str, ...], tuple[EarlierChannel, ...]] = field(default_factory=dict, repr=False)

    @cached_property
    def people(self) -> int:
        """Rows; where a person has several, persons."""
        return self.table.rows if self.unit is None else self._groups((self.unit,))[0].groups

    # What can be counted.

    def is_countable(self, *groups: Sequence[str]) -> bool:
        """Whether there are people enough for every combination of the values of some groups of columns."""
        return is_countable(math.prod(one.groups for one in self._groups(*groups)), self.people)

    def varied(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Columns with several values; a constant reveals nothing."""
        return tuple(one.columns[0] for one in self._groups(*((name,) for name in columns)) if one.groups > 1)

    def known(self, secret: tuple[str, ...], seen: Sequence[str], always: tuple[str, ...] = ()) -> tuple[str, ...]:
        """The columns, of those that the attacker sees, that are counted beside a secret: all of them, if they can be.

        Else the most revealing that fit, first of the background, then of the others; some ``always`` count.
        """
        varied = self.varied(tuple(dict.fromkeys(seen)))
        if not varied or self.is_countable(secret, varied):
            return varied
        return self._most_revealing(secret, varied, lambda columns: self.is_countable(secret, columns), always)

    def kept_with(self, secret: tuple[str, ...], columns: Sequence[str]) -> tuple[str, ...]:
        """The columns whose cross-tables with a secret can be kept: all of them, or the most revealing that fit.

        In a small group, secrets would be released nearly unchanged: every group needs as many rows, or persons, as a
        cell does on average.
        """

        def keeps(chosen: tuple[str, ...]) -> bool:
            (groups,) = self.table.group_sizes([chosen], unit=self.unit)
            return groups.smallest >= PEOPLE_PER_CELL and self.is_countable(secret, chosen)

        every = tuple(columns)
        return every if keeps(every) else self._most_revealing(secret, every, keeps)

    def _most_revealing(
        self,
        secret: tuple[str, ...],
        columns: tuple[str, ...],
        fits: Callable[[tuple[str, ...]], bool],
        chosen: tuple[str, ...] = (),
    ) -> tuple[str, ...]:
        """The chosen columns and the most revealing others that fit, those of the background before all others."""
        # Given a column in which nearly every row is unique, every channel looks free, and the secret itself would be
        # released.
        fitting = [name for name in columns if name not in chosen and fits((name,))]
        for name in sorted(fitting, key=lambda one: (one not in self.background, -self.revealed(secret, one))):
            chosen = (*chosen, name) if fits((*chosen, name)) else chosen
        return chosen

    def revealed(self, secret: tuple[str, ...], column: str) -> float:
        """What a column reveals about a secret, in bits, corrected for the bias of few rows."""
        counts = self.table.counts(*secret, column)
        return estimate(background_floor, counts, secret, background=[column], estimator=Estimator.MILLER_MADOW).value

    def shares(self, columns: tuple[str, ...]) -> Distribution:
        """How often each combination of the values of some columns occurs."""
        return self.table.counts(*columns, limit=max(self.table.rows, 1)).distribution(*columns)

    def agreeing_rows(self, secret: tuple[str, ...]) -> int:
        """The rows of a person that hold one value of a secret, counted once."""
        if self.unit is None:
            return 1
        key = ("agreeing rows", secret, repr([self.table.bins.get(name) for name in secret]))
        if key not in self.memory:
            self.memory[key] = agreeing_rows(self.table, secret, self.unit)
        found: int = self.memory[key]
        return found

    # What a release tells.

    def law(self, secret: tuple[str, ...], plan: RecordedPlan) -> Law | None:
        """What everything that a plan releases tells of a secret; the same before anything is drawn and after.

        None of sets that are too large to write down, and of a secret with too many values to count.
        """
        own = plan.hiding(secret)
        if own is not None and own.mechanism.noise is None and channel_of(own) is None:
            return None
        return self.counted_law(secret, plan) or self._learnt_law(secret, plan)

    def counted_law(self, secret: tuple[str, ...], plan: RecordedPlan) -> CountedLaw | None:
        """The same where it can be counted."""
        own = plan.hiding(secret)
        if own is not None and own.mechanism.noise is None and channel_of(own) is None:
            return None
        others = [one for one in plan.columns if one is not own]
        channels = {one.name: channel_of(one) for one in others if len(one.reads) == 1}
        if any(channels.get(one.name) is None for one in others):
            return None
        columns = dict.fromkeys((*read_beside(secret, own), *self.background, *plan.public))
        columns |= dict.fromkeys(one.reads[0] for one in others)
        counted = self.counted(secret, tuple(columns), own)
        ways = math.prod([len(channel.outputs) for channel in channels.values() if channel is not None])
        if counted is None or ways * counted.groups > MOST_WAYS:
            return None
        law = counted.law(plan.public)
        for one in others:
            channel = channels[one.name]
            assert channel is not None
            law = law.with_release(one.reads[0], channel, f"{one.name} as it is released")
        by_points = own is not None and own.mechanism.noise is not None
        return CountedLaw(counted.through(law), self.background, counted.numbers, by_points)

    def _learnt_law(self, secret: tuple[str, ...], plan: RecordedPlan) -> LearntLaw | None:
        own = plan.hiding(secret)
        beside = self.counted(secret, read_beside(secret, own), own)
        if beside is None:
            return None
        sight = beside.through(beside.law(())).sight(beside.columns, published=())
        by_own = (sight.before.uncertainty() - sight.uncertainty()) / math.log(2)
        return learnt_law(self, secret, plan, by_own, of_numbers=beside.numbers is not None)

    def counted(
        self, secret: tuple[str, ...], columns: Sequence[str], own: BoundColumn | None = None
    ) -> CountedSecret | None:
        """The secret beside other columns, with its own mechanism; None where people are too few for that."""
        wanted = tuple(dict.fromkeys(columns))
        values, *beside = (one.groups for one in self._groups(secret, *([wanted] if wanted else [])))
        room = self.people // (PEOPLE_PER_CELL * math.prod(beside))
        noise = None if own is None else own.mechanism.noise
        if (values if noise is None else min(FEWEST_POINTS, values)) > room:
            return None
        counts = self.table.counts(*secret, *wanted, limit=max(self.table.rows, 1))
        if noise is not None:
            return counted_numbers(counts, secret[0], wanted, noise, min(room, MOST_POINTS) if wanted else MOST_POINTS)
        channel, reads = (None, None) if own is None else (channel_of(own), own.reads)
        return CountedSecret(counts, secret, wanted, channel, reads, self._numbers(secret, counts))

    def _numbers(self, secret: tuple[str, ...], counts: Counts) -> Floats | None:
        """The numbers that the values stand for; None of letters."""
        if len(secret) > 1 or isinstance(self.table.bins.get(secret[0]), Levels):
            return None
        (name,) = secret
        kind = next(one.kind for one in self.table.columns() if one.name == name)
        return numbers_of(counts.labels(name), kind)

    def _groups(self, *columns: Sequence[str]) -> Sequence[GroupSizes]:
        return self.table.group_sizes([tuple(one) for one in columns]) if columns else ()


def read_beside(secret: tuple[str, ...], own: BoundColumn | None) -> tuple[str, ...]:
    """The public columns that the secret's own mechanism reads too."""
    return () if own is None else tuple(name for name in own.reads if name not in secret)
