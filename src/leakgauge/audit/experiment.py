"""Drawing outputs, betting on them, and bounding a level by what was counted.

The outputs are drawn in rounds that double. What was drawn before a round chooses the events on which the round is bet
(``betting``), so that a broken mechanism is caught early; a first quarter of all outputs chooses one event, in one
direction, whose count on the rest gives the bound, so that no choice has to be paid for.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import msgspec
import numpy as np

from leakgauge.artefacts import Check, Sentence, Shown
from leakgauge.audit.betting import Bets
from leakgauge.audit.checks import DeclaredNoise, noise_checks, repetition_checks
from leakgauge.audit.events import FEWEST, Event, Learning, best_events, most_promising
from leakgauge.audit.levels import held_to, least_level
from leakgauge.audit.outputs import Outputs, alike, codes_of, joined
from leakgauge.audit.partitions import Partition
from leakgauge.audit.subjects import Subject
from leakgauge.audit.texts import nearly_all_differ
from leakgauge.claims import Statement
from leakgauge.errors import EngineError
from leakgauge.measures.binomial import at_least, at_most
from leakgauge.mechanisms.mechanism import Pair
from leakgauge.probability.cells import Floats

FIRST_ROUND = 250
FEWEST_IN_PILOT, MOST_IN_PILOT, MOST_IN_ORDER = 200, 200_000, 2_000
PILOT, PILOT_TIME = 0.5, 0.25
"""The outputs that choose among pairs of inputs, in shares of those to draw, and the share of the time."""
LEARNT_FROM, BET_ON = 250_000, 50_000
"""Outputs a side that choose the event that is counted, and those of the bets, at most: more would take long."""
LEARNING = 0.25
"""The share of the outputs that chooses the event, up to ``LEARNT_FROM``; the rest proves."""
BETS_LEARN = 10_000
"""From so many outputs on each input a score is learnt for the bets."""
BETTING, CHECKING = 0.1, 0.1
"""The shares of the chance of a false alarm that the bets and the checks may use; the bound has the rest."""
NOT_COMPARED = Sentence(
    "Texts could not be compared: nearly all of them differ, and neither their length, beginnings, ends, kinds of "
    "characters nor numbers distinguish the inputs. A level of 0 then says nothing."
)
_NEARLY = 0.9
"""Of pairs that stand in order, the most telling first, the first one that promises this share of the most."""

Round: TypeAlias = tuple[Outputs, Outputs]
Counting: TypeAlias = Callable[[int, int], None]
"""Called with the amounts done and in all."""


@dataclass(frozen=True)
class Experiment:
    """Outputs of one subject on neighbouring inputs, tested against a claim; other fields as in ``lower_bound``.

    Attributes:
        claimed: whether the claim is the subject's own, or stands for none.
        miss: the chance of a false alarm.
        until: when to stop, by the monotonic clock.
    """

    subject: Subject
    claim: Statement
    claimed: bool
    samples: int
    miss: float
    until: float
    stop_early: bool
    declared: DeclaredNoise | None
    progress: Counting | None

    def most_telling(self, pairs: list[Pair], in_order: bool) -> tuple[Pair, list[Round]]:
        """The pair that promises most on a few outputs, and these outputs.

        In order the pairs that are known to tell most stand first.
        """
        if len(pairs) == 1:
            return pairs[0], []
        left = list(range(len(pairs)))
        sizes = _pilot_sizes(len(pairs), self.samples, in_order)
        start = time.monotonic()
        share = PILOT_TIME * max(self.until - start, 0.0) / (2 * len(pairs))
        drawn: list[list[Round]] = [[] for _ in pairs]
        promises = np.zeros(len(pairs))
        clock = itertools.count(1)
        for turn, size in enumerate(sizes):
            if turn:
                left = sorted(left, key=lambda at: -promises[at])[: max(len(left) // 2, 2)]
            for at in left:
                found = self._both(pairs[at], size, start + next(clock) * share)
                if not len(found[0]):
                    continue
                drawn[at].append(found)
                first, second = _whole(drawn[at])
                if _fixed(first, second):
                    return pairs[at], drawn[at]
                events = self._events(pairs[at], first, second, self.samples, Learning.LOGISTIC, smooth=True)
                promises[at] = most_promising(events).promise if events else 0.0
        enough = _NEARLY * promises[left].max() if in_order else promises[left].max()
        best = next(at for at in sorted(left) if promises[at] >= enough)
        return pairs[best], drawn[best]

    def run(self, pair: Pair, before: list[Round]) -> Shown:
        """Draw, bet, and bound; errors as of ``lower_bound``.

        Outputs of this pair that were drawn before, and helped to choose it, help to choose the event too, and prove
        nothing.
        """
        bets = Bets(self.claim, self.miss * BETTING)
        rounds: list[Round] = []
        fitted: dict[tuple[str, int], list[Partition]] = {}
        for size in _round_sizes(self.samples):
            first, second = self._both(pair, size, self.until)
            if not len(first):
                break
            if rounds and self._betting:
                one, other, ours, theirs = alike(*_last(rounds, BET_ON), first, second)
                # One score for all rounds from then on, as long as outputs stay of one form: learning takes time.
                form = (one.dtype.kind, one.ndim)
                learning = len(one) >= BETS_LEARN and form not in fitted
                effort = Learning.LOGISTIC if learning else Learning.NOTHING
                events = self._events(pair, one, other, len(first), effort, fitted.get(form, ()))
                if learning:
                    fitted[form] = list({event.partition for event in events if event.partition.monotone})
                bets.play(events, ours, theirs)
            rounds.append((first, second))
            if self.progress is not None:
                self.progress(sum(len(one) for one, _ in rounds), self.samples)
            if bets.disproved is not None or len(first) < size:
                break
        if not rounds:
            raise EngineError("The mechanism gave no output in time; allow it more seconds, or fix it.")
        return self._concluded(pair, before, rounds, bets.disproved)

    @property
    def _betting(self) -> bool:
        return self.claimed and self.stop_early

    def _concluded(self, pair: Pair, before: list[Round], rounds: list[Round], disproved: float | None) -> Shown:
        """What was drawn, by the level that the bets disproved or else by the count of one event."""
        one, other = _whole([*before, *rounds])
        pilot = sum(len(early) for early, _ in before)
        first, second = one[pilot:], other[pilot:]
        learning = min(max(int(LEARNING * len(first)), FEWEST), LEARNT_FROM) if disproved is None else len(first)
        trials = len(first) - learning if disproved is None else len(first)
        known = slice(pilot + learning)
        events = self._events(pair, one[known], other[known], trials, Learning.TREES) if trials > 0 else []
        event = most_promising(events) if events else None
        low = point = 0.0
        if event is not None and disproved is not None:
            low, point = disproved, self._level(np.array(event.p), np.array(event.q))
        elif event is not None:
            share = self.miss * (1 - (BETTING if self._betting else 0) - CHECKING)
            likely, unlikely = (second, first) if event.swapped else (first, second)
            hits = [int(event.hits(one[learning:]).sum()) for one in (likely, unlikely)]
            low = self._level(at_least(hits[0], trials, share / 2), at_most(hits[1], trials, share / 2))
            point = self._level(*(np.array((hit + 0.5) / (trials + 1)) for hit in hits))
        shown = held_to(
            self.claim,
            self.claimed,
            low,
            (pair[1], pair[0]) if event is not None and event.swapped else pair,
            Sentence("nothing: too few outputs") if event is None else event.describe(),
            estimate=max(point, low),
            confidence=1 - self.miss,
            samples=len(first),
            stopped_early=disproved is not None,
            deterministic=_fixed(first, second),
            checks=self._checks(rounds, first, second) if disproved is None else (),
        )
        told_apart = event is not None and event.sure and low > 0
        if disproved is not None or told_apart or not nearly_all_differ(first, second):
            return shown
        return msgspec.structs.replace(shown, event=Sentence("nothing"), note=NOT_COMPARED)

    def _checks(self, rounds: list[Round], first: Outputs, second: Outputs) -> tuple[Check, ...]:
        again = self.subject.runs and len(rounds) > 1
        checks = repetition_checks(*alike(rounds[0][0], rounds[1][0])) if again else []
        if self.declared is not None and first.dtype.kind in "fiu" and first.ndim == 1:
            checks += noise_checks(first, second, self.declared, self.miss * CHECKING)
        return tuple(checks)

    def _level(self, p: Floats, q: Floats) -> float:
        return float(least_level(self.claim, p, q))

    def _events(
        self,
        pair: Pair,
        first: Outputs,
        second: Outputs,
        trials: int,
        learning: Learning,
        fitted: Sequence[Partition] = (),
        *,
        smooth: bool = False,
    ) -> list[Event]:
        ratio = self.subject.log_ratio(*pair)
        return best_events(self.claim, first, second, ratio, trials, self.miss / 2, learning, fitted, smooth)

    def _both(self, pair: Pair, count: int, until: float) -> Round:
        """As many outputs on the one input as on the other; none where one of them gives none in time."""
        # Half of the time for each, lest the first use up all of it.
        now = time.monotonic()
        first = self.subject.draw(pair[0], count, now + max(until - now, 0.0) / 2)
        second = self.subject.draw(pair[1], len(first), until) if len(first) else first
        length = min(len(first), len(second))
        first, second = alike(first[:length], second[:length]) if length else (first[:0], second[:0])
        return first, second


def _pilot_sizes(pairs: int, samples: int, in_order: bool) -> list[int]:
    """Outputs of each pair that is left, of which one half goes on to the next round, until two have been compared."""
    if in_order:
        return [int(min(max(PILOT * samples / pairs, FEWEST_IN_PILOT), MOST_IN_ORDER, samples))]
    rounds = max(math.ceil(math.log2(pairs)), 1)
    # All draw as many as ever before, so that each round after the first costs half as much as that one.
    first = PILOT * samples / pairs / (1 + (rounds - 1) / 2)
    size = int(min(max(first, FEWEST_IN_PILOT), MOST_IN_PILOT / 2 ** (rounds - 1), samples))
    return [size, *(size << at for at in range(rounds - 1))]


def _round_sizes(samples: int) -> Iterator[int]:
    """Rounds that double what is drawn; the second is as long as the first."""
    drawn, size = 0, min(FIRST_ROUND, max(samples // 4, 1))
    while drawn < samples:
        size = min(size, samples - drawn)
        yield size
        drawn += size
        size = drawn


def _whole(rounds: list[Round]) -> Round:
    first, second = alike(*(joined(side) for side in zip(*rounds, strict=True)))
    return first, second


def _last(rounds: list[Round], count: int) -> Round:
    """The last so many outputs on each input."""
    # Each round is as long as all before it together.
    first, second = _whole(rounds[-1:] if len(rounds[-1][0]) >= count else rounds)
    return first[-count:], second[-count:]


def _fixed(first: Outputs, second: Outputs) -> bool:
    """Whether each input always gives the same output, and the other gives another."""
    codes = codes_of(np.concatenate([first[:2], second[:2]]))
    if len(first) < 2 or codes[0] != codes[1] or codes[2] != codes[3] or codes[0] == codes[2]:
        return False
    return all(codes_of(one).max() == 0 for one in (first, second))
