"""Events that distinguish two inputs: unions of cells, learnt on one part of the outputs and counted on another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import partial
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from leakgauge.artefacts import Sentence
from leakgauge.audit.features import COLUMNS
from leakgauge.audit.levels import least_level
from leakgauge.audit.outputs import Outputs, codes_of, numbers_in
from leakgauge.audit.partitions import (
    FINE_BITS,
    LETTERS,
    LOW_BITS,
    Partition,
    frequent_rows,
    letters,
    lowest_bits,
    of_numbers,
    one_column,
    ranges,
)
from leakgauge.audit.scores import combined, learned_scores, smooth_laws
from leakgauge.audit.text_partitions import beginnings, character, frequent_texts, trait
from leakgauge.audit.texts import NUMBERS, TEXT, TRAITS
from leakgauge.claims import Statement
from leakgauge.measures.binomial import at_least, at_most
from leakgauge.probability.cells import Codes, Floats

_LUCK, _MORE_LUCK = 0.03, 0.2
"""The chance that the counts used for the choice flatter a union on either side; it only affects which event is tried.
Unions that grow are hit by mostly the same outputs, so each has the whole chance: more caution would leave out rare
ones, and what is counted later proves. The second decides where none is left."""
_KNOWN = 0.9
"""An event that is known to be the best one is taken unless a learnt one promises much more."""
FEWEST = 8
"""From fewer outputs nothing is learnt."""
_OUTPUTS_A_LETTER = 8
_WIDE = 8.0
"""From this spread of the middle half on, remainders by 2 tell something that places do not."""
_AT_LEAST, _BEYOND = 4, 8
"""A number repeats that comes at least so often, and so many times as often as its neighbours."""
_FULL = 45
"""Bits from which on a float is taken to be used in full."""

LogRatio: TypeAlias = Callable[[Outputs], Floats]


class Learning(IntEnum):
    """Which scores are learnt beside the cells that are only counted; each takes longer than the one before."""

    NOTHING = 0
    LOGISTIC = 1
    TREES = 2


@dataclass(frozen=True, eq=False)
class Event:
    """A union of cells, likelier under one of two inputs.

    Attributes:
        swapped: whether it is likelier under the second input.
        p: its estimated probability under the input it is likelier under.
        q: its estimated probability under the other.
        promise: the level it would prove if the counts to come are as those it was chosen on.
        sure: whether the promise stands even if the counts it was chosen on flatter it; else it only ranks events.
    """

    partition: Partition = field(repr=False)
    members: npt.NDArray[np.bool_] = field(repr=False)
    swapped: bool
    p: float
    q: float
    promise: float
    sure: bool = True

    def hits(self, outputs: Outputs) -> npt.NDArray[np.bool_]:
        """Which outputs are in it."""
        return np.asarray(self.members[self.partition.places(outputs)])

    def describe(self) -> Sentence:
        """In words."""
        return self.partition.describe(np.flatnonzero(self.members))


def best_events(
    claim: Statement,
    first: Outputs,
    second: Outputs,
    log_ratio: LogRatio | None,
    trials: int,
    miss: float,
    learning: Learning = Learning.NOTHING,
    fitted: Sequence[Partition] = (),
    smooth: bool = False,
) -> list[Event]:
    """For each partition and each direction the event that would prove most with so many trials to come.

    Partitions that were fitted to other outputs may be tried beside those that suit these. Smooth promises compare
    pairs of inputs on few outputs; they are too uncertain to choose an event by (``smooth_laws``).
    """
    if min(len(first), len(second)) < FEWEST:
        return []
    # One half orders the cells, the other counts their unions: the luck of the first must not flatter the second.
    middle = len(first) // 2
    events = []
    for partition in (*learned(first[:middle], second[:middle], log_ratio, learning), *fitted):
        counts = [
            np.bincount(partition.places(one), minlength=partition.cells)
            for one in (first[:middle], second[:middle], first[middle:], second[middle:])
        ]
        for swapped in (False, True):
            orders = list(_orders(partition, swapped, counts))
            unions = [
                _best_union(claim, partition, order, swapped, counts[2:], trials, miss, smooth) for order in orders
            ]
            events.append(max(unions, key=lambda event: event.promise))
    return events


def _orders(partition: Partition, swapped: bool, counts: Sequence[Codes]) -> Iterator[Codes]:
    """Orders of the cells, of which the first few are tried together."""
    along = np.arange(partition.cells)
    if partition.monotone:
        yield along if swapped else along[::-1]
        return
    if not partition.known:
        yield np.argsort(-(counts[swapped] + 0.5) / (counts[1 - swapped] + 0.5), kind="stable")
    if partition.known or partition.in_order:
        # Numbers that are moved are likelier on one side: everything above, or below, a number.
        yield along[::-1]
        yield along


def _best_union(
    claim: Statement,
    partition: Partition,
    order: Codes,
    swapped: bool,
    counts: Sequence[Codes],
    trials: int,
    miss: float,
    smooth: bool,
) -> Event:
    """As many of the first cells as promise most (Neyman and Pearson)."""
    seen = [max(int(count.sum()), 1) for count in (counts[swapped], counts[1 - swapped])]
    hits = [np.cumsum(count[order]) for count in (counts[swapped], counts[1 - swapped])]

    def proved(p: Floats, q: Floats) -> Floats:
        """The level that trials of these probabilities prove."""
        low, high = at_least(np.floor(p * trials), trials, miss), at_most(np.ceil(q * trials), trials, miss)
        return least_level(claim, low, high)

    counted = tuple(hit / total for hit, total in zip(hits, seen, strict=True))
    for weight, flattered in ((1.0, _LUCK), (1e-3, _MORE_LUCK), (1e-6, 0.5)):
        # What each union would prove if the counts flatter it as much as they may.
        least, most = at_least(hits[0], seen[0], flattered), at_most(hits[1], seen[1], flattered)
        promised = weight * proved(least, most)
        if smooth and weight == 1.0 and partition.monotone:
            laws = smooth_laws(partition.scores, *counts)
            cut = [np.minimum(np.cumsum(law[order]), 1.0) for law in (laws[swapped], laws[1 - swapped])]
            # The line may rise where the log-ratio does not: never more than the counts show.
            promised = np.maximum(promised, np.minimum(proved(*cut), proved(*counted)))
        if promised.max() > 0:
            break
    else:
        promised = 1e-9 * np.maximum(counted[0] - counted[1], 0.0)
    best = int(np.argmax(promised))
    members = np.zeros(partition.cells, dtype=bool)
    members[order[: best + 1]] = True
    p, q = (float((count[best] + 0.5) / (total + 1)) for count, total in zip(hits, seen, strict=True))
    sure = weight == 1.0 and bool(promised[best] > 0)
    return Event(partition, members, swapped, p, q, float(promised[best]), sure)


def most_promising(events: Sequence[Event]) -> Event:
    """The event of the largest promise; one that is known rather than learnt if it is nearly as good."""
    known = [event for event in events if event.partition.known]
    most = max(events, key=lambda event: event.promise)
    best_known = max(known, key=lambda event: event.promise, default=most)
    # Where all may be luck, what is known is not.
    trusted = not any(event.sure for event in events) or best_known.promise >= _KNOWN * most.promise
    return best_known if trusted else most


def learned(
    first: Outputs, second: Outputs, log_ratio: LogRatio | None, learning: Learning = Learning.NOTHING
) -> Iterator[Partition]:
    """Every partition that suits the kind of output, learnt from outputs under the two inputs."""
    both = np.concatenate([first, second])
    if both.dtype.kind != "V":
        yield from _plain(first, second, both, log_ratio)
        # Where each output is a cell, or the law is known, there is nothing to learn.
        if learning and log_ratio is None and not _few(both):
            yield from _scores(first, second, (), learning, both.ndim > 1)
        return
    cells = list(_of_texts(first, second, both))
    yield from cells
    parts = [numbers_in(one[~np.isnan(one[NUMBERS]).any(axis=1)]) for one in (first, second)]
    if both[NUMBERS].shape[1] and min(len(one) for one in parts) >= FEWEST:
        for inner in _plain(parts[0], parts[1], np.concatenate(parts), None):
            yield of_numbers(inner, both)
    if both[NUMBERS].shape[1] or len(cells) > 1:
        yield from _scores(first, second, cells, learning, several=True)


def _scores(
    first: Outputs, second: Outputs, cells: Sequence[Partition], learning: Learning, several: bool
) -> Iterator[Partition]:
    # Of a single number trees see nothing that its ranges do not have.
    if learning:
        yield from learned_scores(first, second, cells, trees=several and learning == Learning.TREES)


def _of_texts(first: Outputs, second: Outputs, both: Outputs) -> Iterator[Partition]:
    if len(np.unique(both[TEXT])) < len(both):
        yield frequent_texts(both)
    if _few(both[TEXT]):
        return
    yield beginnings(first, second)
    yield beginnings(first, second, from_end=True)
    yield character(first, second)
    for at in np.flatnonzero((both[TRAITS] != both[TRAITS][0]).any(axis=0)).tolist():
        yield trait(both, at)


def _plain(first: Outputs, second: Outputs, both: Outputs, log_ratio: LogRatio | None) -> Iterator[Partition]:
    if log_ratio is not None:
        yield ranges(both, log_ratio, Sentence("log-likelihood ratio"), known=True)
    if both.ndim > 1:
        if log_ratio is None:
            # Rows first: of events that promise as much, the one that is named more plainly.
            if both.shape[1] <= COLUMNS and len(np.unique(codes_of(both))) <= len(both) / _OUTPUTS_A_LETTER:
                yield frequent_rows(both)
            yield ranges(both, combined(first, second), Sentence("combined score"))
            if both.dtype.kind == "f":
                yield _telling_bits(first, second)
        return
    if both.dtype.kind not in "fiub":
        yield letters(both)
        return
    if _few(both):
        yield letters(both)
    else:
        values, counts = np.unique(both, return_counts=True)
        yield ranges(both)
        around = np.maximum(np.append(counts[1:], 0), np.append(0, counts[:-1]))
        repeated = values[counts >= np.maximum(_AT_LEAST, _BEYOND * around)]
        if len(repeated):
            yield letters(repeated, "repeats")
        middle = values[np.isfinite(values.astype(np.float64))].astype(np.float64)
        if len(middle) and np.subtract(*np.quantile(middle, [0.75, 0.25])) > _WIDE:
            yield ranges(both, partial(_remainder, by=2), Sentence("remainder by 2"))
            if both.dtype.kind in "iu":
                yield ranges(both, partial(_remainder, by=10), Sentence("last digit"))
    if both.dtype.kind != "f":
        return
    if not np.array_equal(both, np.rint(both)) or ((both == 0) & np.signbit(both)).any():
        yield LOW_BITS
    _, lowest, exponents = lowest_bits(both)
    if (exponents - lowest >= _FULL).mean() > 0.01:
        yield FINE_BITS


def _few(outputs: Outputs) -> bool:
    """Whether so few outputs differ that each of them is a cell."""
    values = outputs if outputs.ndim == 1 else codes_of(outputs)
    return len(np.unique(values)) <= min(LETTERS, max(len(outputs) / _OUTPUTS_A_LETTER, 2))


def _remainder(outputs: Outputs, by: int) -> Floats:
    # Whole numbers are divided as such: as floats the large ones would lose it.
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(np.mod(outputs, by).astype(np.float64), nan=-1.0)


def _telling_bits(first: Outputs, second: Outputs) -> Partition:
    """The low bits of the column in which they differ most."""

    def shares(outputs: Outputs) -> Floats:
        return np.bincount(LOW_BITS.places(outputs), minlength=LOW_BITS.cells) / max(len(outputs), 1)

    columns = range(min(first.shape[1], COLUMNS))
    differ = [float(np.abs(shares(first[:, at]) - shares(second[:, at])).sum()) for at in columns]
    return one_column(LOW_BITS, int(np.argmax(differ)))
