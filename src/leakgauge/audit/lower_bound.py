"""The largest level that a mechanism is shown to have, by looking at what it does.

The outputs are drawn in rounds that double. What was drawn before a round chooses the events on which the round is bet
(``betting``), so that a broken mechanism is caught early; a first quarter of all outputs chooses one event, in one
direction, whose count on the rest gives the bound, so that no choice has to be paid for.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from leakgauge.audit.betting import Bets
from leakgauge.audit.binomial import at_least, at_most, require_confidence
from leakgauge.audit.checks import Check, DeclaredNoise, declared_noise, noise_checks, repetition_check
from leakgauge.audit.events import Event, best_events, most_promising
from leakgauge.audit.exact import exact_level
from leakgauge.audit.least_levels import least_level, require_auditable
from leakgauge.audit.neighbours import Pair, known_pairs, neighbours_of, require_neighbours
from leakgauge.audit.partitions import Outputs
from leakgauge.audit.subjects import SECONDS, Subject, claimed, subject_of
from leakgauge.claims import LocalDP, Statement
from leakgauge.errors import EngineError, ModelError, OptionError
from leakgauge.mechanisms import NoisyNumber
from leakgauge.probability import Channel, Estimate
from leakgauge.probability.cells import Floats
from leakgauge.randomness import Randomness

FIRST_ROUND = 250
PILOT = 2_000
LEARNT_FROM = 50_000
"""Outputs a side that choose the events of the bets; more would cost time and choose no better."""
LEARNING = 0.25
"""The share of the outputs that chooses the event, up to ``LEARNT_FROM``; the rest proves."""
BETTING, CHECKING = 0.1, 0.1
"""The shares of the chance of a false alarm that the bets and the checks may use; the bound has the rest."""

Progress = Callable[[int, int], None]
"""Told how many outputs a side are drawn, of how many."""


@dataclass(frozen=True)
class Shown:
    """What was shown of a mechanism.

    Attributes:
        claim: what it was held to, or local-dp:0 where nothing is claimed.
        claimed: whether anything is claimed.
        at_least: the level shown, in the claim's unit; infinite where a channel rules an input out.
        estimate: the same with its interval, whose upper end is infinite; None where the level is exact.
        pair: the two inputs, the event being likelier under the first.
        event: the event in words.
        samples: outputs that were drawn of each of the two inputs; 0 where the level is exact.
        stopped_early: whether the bets disproved the claim before all outputs were drawn.
        deterministic: whether each of the two inputs always gave the same output, and not the same one: if that is
            how it is, ε is infinite; outputs alone show no more than ``at_least``.
        checks: what else was looked at.
    """

    claim: Statement
    claimed: bool
    at_least: float
    estimate: Estimate | None
    pair: Pair
    event: str
    samples: int
    stopped_early: bool = False
    deterministic: bool = False
    checks: tuple[Check, ...] = ()

    @property
    def violated(self) -> bool:
        """Whether the claim is disproved."""
        # An exact level is rounded up a little, which must not accuse a claim of exactly that level.
        most = self.claim.level * (1 + 1e-9) + 1e-12 if self.estimate is None else self.claim.level
        wrong = self.at_least > most or self.stopped_early
        return self.claimed and (wrong or not all(check.holds for check in self.checks))


def lower_bound(
    mechanism: Any,
    claim: Statement | None = None,
    pairs: Iterable[Pair] | None = None,
    *,
    samples: int = 200_000,
    confidence: float = 0.95,
    batched: bool = False,
    stop_early: bool = True,
    declared: DeclaredNoise | None = None,
    seconds: float = SECONDS,
    randomness: Randomness | None = None,
    progress: Progress | None = None,
) -> Shown:
    """The level that a mechanism is shown to have at least, at a stated confidence.

    Args:
        mechanism: a function from an input to an output, a mechanism of the catalogue, an OpenDP measurement, a
            ``Program``, or a channel, whose level is computed rather than shown.
        claim: what it is held to; by default what a mechanism of the catalogue claims, else nothing.
        pairs: neighbouring inputs, of which the most telling is audited; by default those of the catalogue.
        samples: outputs to draw on each of the two inputs, at most.
        confidence: that the level is at least its lower end, and that a mechanism that keeps its claim is not accused.
        batched: whether the function takes a count too and returns so many outputs at once.
        stop_early: whether to stop as soon as the claim is disproved; the level shown is then lower than it could be.
        declared: noise whose scale and sensitivity are checked; known of mechanisms of the catalogue.
        seconds: how long to draw.
        randomness: for mechanisms of the catalogue; the operating system's by default.
        progress: told of every round.

    Raises:
        OptionError: a claim that no pair can disprove, no inputs, inputs that are not neighbours, too few samples.
        ModelError: outputs that are NaN or of different kinds.
        EngineError: the mechanism raises, or gives no output in time.

    Example:
        >>> from leakgauge.mechanisms import laplace
        >>> from leakgauge.randomness import Simulated
        >>> found = lower_bound(laplace(1.0, sensitivity=1), randomness=Simulated(1))
        >>> 0.97 < found.at_least < 1, found.violated
        (True, False)
    """
    miss = 1 - require_confidence(confidence)
    if samples < 4:
        raise OptionError("{samples} outputs cannot show anything; ask for 1000 or more.", samples=samples)
    held = claim or claimed(mechanism)
    target = held or LocalDP(0.0)
    require_auditable(target)
    if isinstance(mechanism, Channel):
        return _of_channel(mechanism, target, held is not None)
    subject = subject_of(mechanism, batched=batched, randomness=randomness)
    chosen = neighbours_of(mechanism) if pairs is None else known_pairs(pairs)
    for pair in chosen:
        require_neighbours(mechanism, pair)
    if declared is None and isinstance(mechanism, NoisyNumber):
        declared = declared_noise(mechanism)
    audit = _Audit(subject, target, held is not None, samples, miss, time.monotonic() + seconds, progress)
    return audit.run(audit.most_telling(chosen), stop_early, declared)


def _of_channel(channel: Channel, claim: Statement, held: bool) -> Shown:
    level = exact_level(channel, claim)
    witness = level.witness
    pair = (None, None) if witness is None else witness.inputs
    event = "" if witness is None or witness.output is None else f"output {witness.output!r}"
    return Shown(claim, held, level.value, None, pair, event, 0)


@dataclass(frozen=True)
class _Audit:
    subject: Subject
    claim: Statement
    claimed: bool
    samples: int
    miss: float
    until: float
    progress: Progress | None

    def most_telling(self, pairs: list[Pair]) -> Pair:
        """The pair that promises most on a few outputs, which are then thrown away."""
        if len(pairs) == 1:
            return pairs[0]
        few = min(PILOT, self.samples)
        promises = []
        for pair in pairs:
            first, second = self._both(pair, few)
            if _fixed(first, second):
                return pair
            events = self._events(pair, first, second, self.samples)
            promises.append(most_promising(events).promise)
        # The first that is as good as any: the catalogue names the most telling pair first.
        return pairs[int(np.argmax(np.array(promises) >= 0.9 * max(promises)))]

    def run(self, pair: Pair, stop_early: bool, declared: DeclaredNoise | None) -> Shown:
        """Draw, bet, and bound."""
        bets = Bets(self.claim, self.miss * BETTING)
        rounds: list[tuple[Outputs, Outputs]] = []
        for size in _round_sizes(self.samples):
            first, second = self._both(pair, size)
            if rounds and self.claimed and stop_early:
                known = [side[-LEARNT_FROM:] for side in _joined(rounds)]
                bets.play(self._events(pair, known[0], known[1], len(first)), first, second)
            rounds.append((first, second))
            if self.progress is not None:
                self.progress(sum(len(one) for one, _ in rounds), self.samples)
            disproved = bets.disproved
            if disproved is not None:
                return self._stopped(pair, rounds, disproved)
            if len(first) < size:
                break
        return self._finished(pair, rounds, declared)

    def _finished(self, pair: Pair, rounds: list[tuple[Outputs, Outputs]], declared: DeclaredNoise | None) -> Shown:
        first, second = _joined(rounds)
        learning = min(max(int(LEARNING * len(first)), 1), LEARNT_FROM)
        if len(first) < 4:
            raise EngineError("The mechanism gave {count} outputs in time; allow it more.", count=len(first))
        proving = len(first) - learning
        share = self.miss * (1 - (BETTING if self.claimed else 0) - CHECKING)
        events = self._events(pair, first[:learning], second[:learning], proving)
        event = most_promising(events)
        likely, unlikely = (second, first) if event.swapped else (first, second)
        hits = [int(event.hits(one[learning:]).sum()) for one in (likely, unlikely)]
        low = self._level(at_least(hits[0], proving, share / 2), at_most(hits[1], proving, share / 2))
        point = self._level(*(np.array((hit + 0.5) / (proving + 1)) for hit in hits))
        return Shown(
            self.claim,
            self.claimed,
            low,
            self._estimate(point, low, len(first)),
            (pair[1], pair[0]) if event.swapped else pair,
            event.describe(),
            len(first),
            deterministic=_fixed(first, second),
            checks=self._checks(rounds, first, second, declared),
        )

    def _stopped(self, pair: Pair, rounds: list[tuple[Outputs, Outputs]], disproved: float) -> Shown:
        first, second = _joined(rounds)
        event = most_promising(self._events(pair, first, second, len(first)))
        shares = (event.p, event.q)
        point = self._level(*(np.array((share * len(first) + 0.5) / (len(first) + 1)) for share in shares))
        return Shown(
            self.claim,
            self.claimed,
            disproved,
            self._estimate(point, disproved, len(first)),
            (pair[1], pair[0]) if event.swapped else pair,
            event.describe(),
            len(first),
            stopped_early=True,
            deterministic=_fixed(first, second),
        )

    def _estimate(self, point: float, low: float, n: int) -> Estimate:
        return Estimate(max(point, low), low, np.inf, 1 - self.miss, n)

    def _checks(
        self, rounds: list[tuple[Outputs, Outputs]], first: Outputs, second: Outputs, declared: DeclaredNoise | None
    ) -> tuple[Check, ...]:
        checks = [] if len(rounds) < 2 else [repetition_check(rounds[0][0], rounds[1][0])]
        if declared is not None and first.dtype.kind in "fiu" and first.ndim == 1:
            checks += noise_checks(first, second, declared, self.miss * CHECKING)
        return tuple(checks)

    def _level(self, p: Floats, q: Floats) -> float:
        return float(least_level(self.claim, p, q))

    def _events(self, pair: Pair, first: Outputs, second: Outputs, trials: int) -> list[Event]:
        ratio = self.subject.log_ratio(*pair)
        return best_events(self.claim, first, second, ratio, trials, self.miss / 2)

    def _both(self, pair: Pair, count: int) -> tuple[Outputs, Outputs]:
        first, second = (self.subject.draw(value, count, self.until) for value in pair)
        if first.dtype.kind != second.dtype.kind and {first.dtype.kind, second.dtype.kind} - set("fiub"):
            raise ModelError("The mechanism returned outputs of different kinds for the two inputs; return one kind.")
        if first.shape[1:] != second.shape[1:]:
            raise ModelError("The mechanism returned outputs of different lengths for the two inputs; return one.")
        length = min(len(first), len(second))
        if not length:
            raise EngineError("The mechanism gave no output in time; allow it more seconds, or mend it.")
        return first[:length], second[:length]


def _round_sizes(samples: int) -> Iterator[int]:
    """Rounds that double what is drawn; the second is as long as the first."""
    drawn, size = 0, min(FIRST_ROUND, max(samples // 4, 1))
    while drawn < samples:
        size = min(size, samples - drawn)
        yield size
        drawn += size
        size = drawn


def _joined(rounds: list[tuple[Outputs, Outputs]]) -> tuple[Outputs, Outputs]:
    first, second = (np.concatenate(side) for side in zip(*rounds, strict=True))
    return first, second


def _fixed(first: Outputs, second: Outputs) -> bool:
    """Whether each input always gives the same output, and the other gives another."""
    constant = all(bool((one == one[:1]).all()) for one in (first, second))
    return constant and len(first) > 1 and not np.array_equal(first[0], second[0])
