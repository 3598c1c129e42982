"""The event that promises to prove most, chosen on one part of the outputs and counted on another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from leakgauge.artefacts import Sentence
from leakgauge.audit.binomial import at_least, at_most
from leakgauge.audit.learning import FEWEST, LogRatio, learned
from leakgauge.audit.least_levels import least_level
from leakgauge.audit.outputs import Outputs
from leakgauge.audit.partitions import Partition
from leakgauge.claims import Statement
from leakgauge.probability.cells import Codes, Floats

_LUCK = 0.1
"""How likely the counts that an event is chosen on may flatter any of the unions tried; it decides which event is
tried, no more. Where nothing is left after it, what is left after less of it decides."""
_KNOWN = 0.9
"""An event that is known to be the best one is taken unless a learnt one promises much more."""


@dataclass(frozen=True, eq=False)
class Event:
    """A union of cells, likelier under one of two inputs.

    Attributes:
        partition: the cells.
        members: which cells belong to it.
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
) -> list[Event]:
    """For each partition and each direction the event that would prove most with so many trials to come."""
    if min(len(first), len(second)) < FEWEST:
        return []
    # One half orders the cells, the other counts their unions: the luck of the first must not flatter the second.
    middle = len(first) // 2
    events = []
    for partition in learned(first[:middle], second[:middle], log_ratio):
        counts = [
            np.bincount(partition.places(one), minlength=partition.cells)
            for one in (first[:middle], second[:middle], first[middle:], second[middle:])
        ]
        for swapped in (False, True):
            likely, unlikely = counts[2 + swapped], counts[3 - swapped]
            orders = list(_orders(partition, counts[swapped], counts[1 - swapped]))
            unions = [_best_union(claim, likely[order], unlikely[order], trials, miss, len(orders)) for order in orders]
            best = int(np.argmax([union[3] for union in unions]))
            members, p, q, promise, sure = unions[best]
            chosen = np.zeros(partition.cells, dtype=bool)
            chosen[orders[best][:members]] = True
            events.append(Event(partition, chosen, swapped, p, q, promise, sure))
    return events


def _orders(partition: Partition, likely: Codes, unlikely: Codes) -> Iterator[Codes]:
    """Orders of the cells, of which the first few are tried together."""
    along = np.arange(partition.cells)
    if not partition.known:
        yield np.argsort(-(likely + 0.5) / (unlikely + 0.5), kind="stable")
    if partition.known or partition.in_order:
        # Numbers that are moved are likelier on one side: everything above, or below, a number.
        yield along[::-1]
        yield along


def _best_union(
    claim: Statement, likely: Codes, unlikely: Codes, trials: int, miss: float, orders: int
) -> tuple[int, float, float, float, bool]:
    """How many of the first cells promise most (Neyman and Pearson), their shares, the promise, whether it is sure."""
    seen = max(int(likely.sum()), 1), max(int(unlikely.sum()), 1)
    hits, false_hits = np.cumsum(likely), np.cumsum(unlikely)
    for weight, luck in ((1.0, _LUCK / (orders * len(likely))), (1e-3, _LUCK), (1e-6, 0.5)):
        promised = weight * _promised(claim, (hits, false_hits), seen, trials, miss, luck)
        if promised.max() > 0:
            break
    else:
        promised = 1e-9 * np.maximum(hits / seen[0] - false_hits / seen[1], 0.0)
    best = int(np.argmax(promised))
    p, q = ((count[best] + 0.5) / (total + 1) for count, total in zip((hits, false_hits), seen, strict=True))
    return best + 1, float(p), float(q), float(promised[best]), weight == 1.0 and promised[best] > 0


def _promised(
    claim: Statement, hits: tuple[Codes, Codes], seen: tuple[int, int], trials: int, miss: float, luck: float
) -> Floats:
    """What each union would prove if the counts flatter it as much as they may."""
    least, most = at_least(hits[0], seen[0], luck), at_most(hits[1], seen[1], luck)
    low, high = at_least(np.floor(least * trials), trials, miss), at_most(np.ceil(most * trials), trials, miss)
    return least_level(claim, low, high)


def most_promising(events: Sequence[Event]) -> Event:
    """The event of the largest promise; one that is known rather than learnt if it is nearly as good."""
    known = [event for event in events if event.partition.known]
    if known and not any(event.sure for event in events):
        # Where all may be luck, what is known is not.
        return max(known, key=lambda event: event.promise)
    most = max(events, key=lambda event: event.promise)
    best_known = max(known, key=lambda event: event.promise, default=most)
    return best_known if best_known.promise >= _KNOWN * most.promise else most
