"""Singling out: does a description that fits one released row fit exactly one person?

Reference: Giomi, Boenisch, Wehmeyer and Tasnádi, A unified framework for quantifying privacy risk in synthetic data,
PETS 2023 (Anonymeter). There, data that have nothing to do with the people score more than 0, because a description may
fit one person by luck. So each description is tried on as many other people too, whom the release says nothing about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.random import Generator

from leakgauge.artefacts import Finding, Sentence
from leakgauge.audit.attacks.attack import Aim, Anchors, Attack, Score, scored
from leakgauge.case.columns import equal_rows, numbered
from leakgauge.case.drawn import Drawn, ReleasedColumn
from leakgauge.probability.cells import Codes

MOST_DESCRIPTIONS = 1000
"""Of each kind: more make the intervals no narrower that anybody acts on."""
_MOST_PAIRS = 1 << 24
"""Inputs × outputs of a column up to which every output is decoded; beyond, descriptions leave the column out."""
FEWEST_DESCRIPTIONS = 16
"""If the raw data give fewer, there is next to nobody to single out."""
_TRIES = 4
"""Rows that are tried for each description that is wanted, where it shows only then whether a row stands alone."""
_LOWEST, _HIGHEST = np.iinfo(np.int64).min, np.iinfo(np.int64).max
Conditions: TypeAlias = tuple[tuple[int, int, int], ...]
"""Of a description: the place of a column, and the lowest and the highest value there."""


@dataclass(frozen=True, eq=False)
class Described:
    """A column that descriptions speak of.

    Attributes:
        released: the value that the release shows of each row, by the numbers of ``true``; the first, if it stands for
            several.
        true: the value of each row of the original.
        until: the last value that the released one stands for; None where it stands for itself.
        ordered: whether larger values have larger numbers.
        noisy: whether noise was added to numbers. Hardly any equals the true one then, so that descriptions say on
            which side of it a person is.
    """

    names: tuple[str, ...]
    released: Codes
    true: Codes
    ordered: bool = False
    noisy: bool = False
    until: Codes | None = None

    def shown(self, rows: Codes) -> tuple[Codes, Codes]:
        """The first and the last value that the release shows of some rows."""
        return self.released[rows], (self.released if self.until is None else self.until)[rows]


def singling_out(drawn: Drawn) -> tuple[Finding, ...]:
    """At most two findings: descriptions by one column, and by several; none where next to nobody stands alone.

    Half of the people are attacked, and the other half are the control. A description is made from the released values
    of one attacked row such that no other of these rows meets it. It is right if exactly one attacked person meets it,
    and right without the release if exactly one person of the control does: both halves are alike, so that a release
    that says nothing about its own people gains nothing. In the independent release, half of the rows are drawn from
    attacked people and control alike; in the raw one they are the original's. Halves follow from a seed: simulation
    only.
    """
    columns = described(drawn)
    if not columns:
        return ()
    draws = drawn.draws()
    first = _half(drawn, draws)
    attacked = np.flatnonzero(first)
    control, anybody = np.flatnonzero(~first), np.flatnonzero(_half(drawn, draws))
    # What leaves, what has nothing to do with the attacked people, and the original as it is.
    shown = [Rows.shown([one.shown(rows) for one in columns]) for rows in (attacked, anybody)]
    shown.append(Rows.of([one.true[attacked] for one in columns]))
    people = [
        Rows.of([one.true[rows] for one in columns], None if drawn.units is None else drawn.units[rows])
        for rows in (attacked, control)
    ]
    findings, most = [], min(drawn.targets, MOST_DESCRIPTIONS)
    for name, describe in _KINDS.items():
        made = [list(describe(columns, rows, draws, most)) for rows in shown]
        if not made[0] or not made[1] or len(made[2]) < FEWEST_DESCRIPTIONS:
            continue
        found, independent, raw = (_score(descriptions, *people) for descriptions in made)
        findings.append(
            found.finding(
                replace(SINGLING_OUT, title=Sentence(name)),
                drawn,
                tuple(name for one in columns for name in one.names),
                (),
                Anchors(
                    independent=independent.advantage(drawn.confidence),
                    raw=raw.advantage(drawn.confidence),
                    # Published columns single people out whatever the mechanisms claim.
                    ceiling=None,
                ),
            )
        )
    return tuple(findings)


def described(drawn: Drawn) -> list[Described]:
    """Everything that leaves and that the original has too: published columns, and what mechanisms release."""
    published = {one.name: one for one in drawn.seen if one.name in drawn.public}
    plain = [Described((one.name,), one.codes, one.codes, one.ordered) for one in published.values()]
    return [*plain, *(one for column in drawn.columns if (one := _decoded(column)) is not None)]


def _decoded(column: ReleasedColumn) -> Described | None:
    """A released column with the inputs that each output stands for; numbers with noise are taken as they are.

    An output stands for the inputs of which it is the likeliest output, such as an interval for the numbers in it. One
    that is the likeliest of none stands for its likeliest input.
    """
    if column.mechanism.noise is not None:
        return Described(column.writes, column.outputs.astype(np.int64), column.inputs, ordered=True, noisy=True)
    # What its claims are given is published, and thus known of every row.
    different, place = equal_rows(column.given, (column.outputs,))
    inputs, where, which = np.unique(column.inputs, return_index=True, return_inverse=True)
    if len(inputs) * len(different) > _MOST_PAIRS:
        return None
    scores = column.law.scores(inputs, column.outputs[different])
    scores = np.where(np.equal.outer(column.given[where], column.given[different]), scores, -np.inf)
    # Inputs are numbered such that those of one output follow each other.
    likeliest = scores.argmax(axis=1)
    order = np.argsort(likeliest, kind="stable")
    number = np.empty(len(inputs), dtype=np.int64)
    number[order] = np.arange(len(inputs))
    outputs = np.arange(len(different))
    first, end = (np.searchsorted(likeliest[order], outputs, side=side) for side in ("left", "right"))
    alone = number[scores.argmax(axis=0)]
    low, high = np.where(first < end, first, alone), np.where(first < end, end - 1, alone)
    return Described(column.writes, low[place], number[which], until=high[place])


def _half(drawn: Drawn, draws: Generator) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Whether each row is one of a random half of the people."""
    people = np.arange(drawn.rows) if drawn.units is None else numbered(drawn.units, rows=drawn.rows)
    return np.asarray((draws.permutation(int(people.max()) + 1) % 2 == 0)[people])


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows to look up by ranges of values.

    Attributes:
        orders: the rows of each column by increasing values.
        until: the last value that each value stands for, which is mostly itself.
        units: the person of each row; None where rows are people.
    """

    columns: Sequence[Codes]
    orders: Sequence[Codes]
    until: Sequence[Codes]
    units: Codes | None = None

    @classmethod
    def of(cls, columns: Sequence[Codes], units: Codes | None = None) -> Rows:
        """Of values that stand for themselves."""
        return cls(columns, [np.argsort(one, kind="stable").astype(np.int64) for one in columns], columns, units)

    @classmethod
    def shown(cls, columns: Sequence[tuple[Codes, Codes]]) -> Rows:
        """Of values that stand for some, from the first to the last."""
        return replace(cls.of([first for first, _ in columns]), until=[last for _, last in columns])

    def meet(self, conditions: Conditions) -> Codes:
        """The rows that meet all of at least one condition."""
        found = []
        for at, low, high in conditions:
            order, values = self.orders[at], self.columns[at]
            start = int(np.searchsorted(values, low, side="left", sorter=order))
            found.append((int(np.searchsorted(values, high, side="right", sorter=order)) - start, start, at, low, high))
        # The narrowest condition first: few rows are left to be compared.
        count, start, place, *_ = min(found)
        rows = self.orders[place][start : start + count]
        for _, _, at, low, high in sorted(found)[1:]:
            rows = self.narrowed(rows, at, low, high)
        return rows

    def narrowed(self, rows: Codes, at: int, low: int, high: int) -> Codes:
        """Those of some rows that meet one more condition."""
        values = self.columns[at][rows]
        return rows[(values >= low) & (values <= high)]

    def is_one_person(self, conditions: Conditions) -> bool:
        """Whether exactly one person meets all conditions."""
        rows = self.meet(conditions)
        return len(rows) > 0 and (len(rows) == 1 if self.units is None else len(np.unique(self.units[rows])) == 1)


Describing: TypeAlias = Callable[[Sequence[Described], Rows, Generator, int], Iterator[Conditions]]


def by_one_column(columns: Sequence[Described], shown: Rows, draws: Generator, most: int) -> Iterator[Conditions]:
    """Values that occur once, and of ordered ones the least and the largest, where one row has it; some at random."""
    found: list[Conditions] = []
    for at, (column, values) in enumerate(zip(columns, shown.columns, strict=True)):
        different, where, counts = np.unique(values, return_index=True, return_counts=True)
        last = shown.until[at][where]
        once = zip(different[counts == 1].tolist(), last[counts == 1].tolist(), strict=True)
        # A value that stands for several may be met by rows whose value is one of them.
        found += [one for low, high in once if len(shown.meet(one := ((at, low, high),))) == 1]
        if column.ordered:
            extremes = ((at, _LOWEST, int(different[0])), (at, int(different[-1]), _HIGHEST))
            found += [(one,) for one, count in zip(extremes, counts[[0, -1]].tolist(), strict=True) if count == 1]
    yield from (found[at] for at in draws.permutation(len(found))[:most].tolist())


def by_several_columns(columns: Sequence[Described], shown: Rows, draws: Generator, most: int) -> Iterator[Conditions]:
    """Values of one row in columns taken in random order, at least two, until no other row meets all of them."""
    middles = [float(np.median(values)) for values in shown.columns]
    made = 0
    for row in _candidates(columns, shown, draws, most):
        conditions: list[tuple[int, int, int]] = []
        left = None
        for at in draws.permutation(len(columns)).tolist():
            value = int(shown.columns[at][row])
            low, high = value, int(shown.until[at][row])
            if columns[at].noisy:
                low, high = (value, _HIGHEST) if value >= middles[at] else (_LOWEST, value)
            conditions.append((at, low, high))
            left = shown.meet(((at, low, high),)) if left is None else shown.narrowed(left, at, low, high)
            if len(left) == 1 and len(conditions) > 1:
                yield tuple(conditions)
                made += 1
                break
        if made == most:
            return


def _candidates(columns: Sequence[Described], shown: Rows, draws: Generator, most: int) -> list[int]:
    """Rows in random order that may be the only one to meet all of their conditions."""
    if len(columns) < 2:
        return []
    order = draws.permutation(len(shown.columns[0]))
    if any(one.noisy for one in columns):
        return list(map(int, order[: _TRIES * most]))
    kinds = numbered(*shown.columns, *shown.until, rows=len(order))
    return list(map(int, order[np.bincount(kinds)[kinds[order]] == 1]))


def _score(descriptions: Sequence[Conditions], attacked: Rows, control: Rows) -> Score:
    """How many descriptions fit exactly one attacked person, and exactly one of the control."""
    right, without = (
        np.array([rows.is_one_person(one) for one in descriptions], dtype=np.bool_) for rows in (attacked, control)
    )
    return scored(right, without)


_KINDS: dict[str, Describing] = {
    "singling out, by one column": by_one_column,
    "singling out, by several columns": by_several_columns,
}
SINGLING_OUT = Attack(
    Sentence("singling out"),
    Sentence("a description that fits exactly one released row, tried on half of the people and on as many others"),
    Aim.PERSON,
    singling_out,
)
