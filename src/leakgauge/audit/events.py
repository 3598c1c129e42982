"""The event that promises to prove most, chosen on one part of the outputs and counted on another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from leakgauge.audit.binomial import at_least, at_most
from leakgauge.audit.least_levels import least_level
from leakgauge.audit.partitions import Outputs, Partition, learned
from leakgauge.claims import Statement
from leakgauge.probability.cells import Floats

_LUCK = 0.1
"""How likely the counts that an event is chosen on may flatter it; it decides which event is tried, no more."""


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
    """

    partition: Partition = field(repr=False)
    members: npt.NDArray[np.bool_] = field(repr=False)
    swapped: bool
    p: float
    q: float
    promise: float

    def hits(self, outputs: Outputs) -> npt.NDArray[np.bool_]:
        """Which outputs are in it."""
        return np.asarray(self.members[self.partition.places(outputs)])

    def describe(self) -> str:
        """In words."""
        return self.partition.describe(np.flatnonzero(self.members))


def best_events(
    claim: Statement,
    first: Outputs,
    second: Outputs,
    log_ratio: Callable[[Outputs], Floats] | None,
    trials: int,
    miss: float,
) -> list[Event]:
    """For each partition and each direction the event that would prove most with so many trials to come."""
    # One half orders the cells, the other counts their unions: the luck of the first must not flatter the second.
    middle = len(first) // 2
    events = []
    for partition in learned(first[:middle], second[:middle], log_ratio):
        counts = [
            np.bincount(partition.places(one), minlength=partition.cells)
            for one in (first[:middle], second[:middle], first[middle:], second[middle:])
        ]
        ratios = (counts[0] + 0.5) / (counts[1] + 0.5)
        order = np.arange(partition.cells)[::-1] if partition.ordered else np.argsort(-ratios, kind="stable")
        for swapped in (False, True):
            likely, unlikely = counts[2 + swapped], counts[3 - swapped]
            union = order[::-1] if swapped else order
            members, p, q, promise = _best_union(claim, likely[union], unlikely[union], trials, miss)
            chosen = np.zeros(partition.cells, dtype=bool)
            chosen[union[:members]] = True
            events.append(Event(partition, chosen, swapped, p, q, promise))
    return events


def _best_union(
    claim: Statement, likely: npt.NDArray[np.int64], unlikely: npt.NDArray[np.int64], trials: int, miss: float
) -> tuple[int, float, float, float]:
    """How many of the first cells promise most (Neyman and Pearson), with their two shares and the promise."""
    seen = max(int(likely.sum()), 1), max(int(unlikely.sum()), 1)
    hits, false_hits = np.cumsum(likely), np.cumsum(unlikely)
    # What the counts may hide, so that no union is chosen because it was lucky.
    least, most = at_least(hits, seen[0], _LUCK), at_most(false_hits, seen[1], _LUCK)
    low, high = at_least(np.floor(least * trials), trials, miss), at_most(np.ceil(most * trials), trials, miss)
    promised = least_level(claim, low, high)
    best = int(np.argmax(promised))
    return best + 1, float(hits[best] / seen[0]), float(false_hits[best] / seen[1]), float(promised[best])


def most_promising(events: Sequence[Event]) -> Event:
    """The event of the largest promise; of those nearly as good the first, which is known rather than learnt."""
    most = max(event.promise for event in events)
    return next(event for event in events if event.promise >= 0.98 * most)
