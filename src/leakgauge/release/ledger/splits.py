"""Ways to split a limit (ε, δ): a sure part, for losses of pure steps summed up, and a Gaussian clock for the rest."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from decimal import Decimal

import msgspec

from leakgauge.mechanisms.steps import Step
from leakgauge.release.ledger.clock import clock_cost, largest_time
from leakgauge.release.ledger.cost import UP, USED_UP, Used, as_decimal, as_float, pure_epsilon, remainder

SHARES = ((0.0, 0.95), (0.25, 1 / 60), (0.5, 1 / 60), (0.75, 1 / 60))
"""The sure part of ε and the part of δ of each split. Less a twentieth of δ, the first loses under 0.5 % of ε."""
_LEVELS = 20
"""How many levels a clock has besides 0; what a step leaves lies above one of them, which decides its cost."""
_SAME = 1e-9
"""Another version may compute a time a little differently."""


class Split(msgspec.Struct, frozen=True):
    """Sure losses up to ``sure`` nats; beside them a clock that runs up to ``time``, within (``rest``, ``delta``)."""

    sure: float
    rest: float
    delta: float
    time: float

    def __post_init__(self) -> None:
        if (
            not all(0 <= level < math.inf for level in (self.sure, self.rest, self.delta))
            or not 0 < self.time < math.inf
        ):
            raise ValueError

    def is_within(self, used: Used) -> bool:
        """Whether so much may have been used."""
        return used.sure <= as_decimal(self.sure) and used.time <= as_decimal(self.time)

    def left(self, used: Used) -> tuple[float, float]:
        """What is left of the sure part and of the clock; nothing where the split is used up."""
        if not self.is_within(used):
            return 0.0, 0.0
        return remainder(self.sure, used.sure), remainder(self.time, used.time)

    def charge(self, used: Used, steps: Sequence[Step]) -> Used:
        """What the steps of one release use beside what is used already; all there is where they do not fit.

        All steps of a release are chosen together, so their order is ours: the largest pure ones first, while the clock
        keeps much.
        """
        if not self.is_within(used):
            return USED_UP
        found = Used(Decimal(0), Decimal(0))
        for step in sorted(steps, key=_finite_epsilon, reverse=True):
            more = self._one(used.plus(found), step)
            if more is None:
                return USED_UP
            found = found.plus(more)
        return found

    def _one(self, used: Used, step: Step) -> Used | None:
        epsilon = pure_epsilon(step)
        if epsilon == 0:
            return Used(Decimal(0), Decimal(0))
        # Near the limit a time t is worth t·rest/(2·time) nats: the sure way is the cheaper one for large steps.
        surely = epsilon * self.rest >= 2 * self.time
        runs, sure, time = step.count, Decimal(0), Decimal(0)
        for by_sum in (surely, not surely):
            if by_sum:
                one, left = as_decimal(epsilon), as_decimal(self.sure) - used.sure
                fit = min(runs, int(left / one))
                sure = UP.multiply(Decimal(fit), one) if fit else sure
            else:
                fit, time = self._by_clock(used.time, step, runs)
            runs -= fit
        return None if runs else Used(sure, time)

    def _levels(self) -> Iterator[float]:
        """Powers of √2 below the whole time, the same ones in every split and account, so that costs are found once."""
        largest = math.ceil(2 * math.log2(self.time)) - 1
        for power in range(largest, largest - _LEVELS, -1):
            yield 2 ** (power / 2)
        yield 0.0

    def _by_clock(self, before: Decimal, step: Step, runs: int) -> tuple[int, Decimal]:
        """How many runs the clock counts, and the time they take, at the level that is left."""
        time, least, done = Decimal(0), 0.0, 0
        for level in self._levels():
            if done == runs:
                break
            # Rounding of the difference is far below what every cost was rounded up by.
            left = self.time - as_float(UP.add(before, time)) - level
            if left < least or left <= 0:
                continue
            least = clock_cost(step, level)
            fit = min(runs - done, int(left / least))
            time = UP.add(time, UP.multiply(Decimal(fit), as_decimal(least))) if fit else time
            done += fit
        return done, time


class SplitLimit(msgspec.Struct, frozen=True):
    """A limit (ε, δ) and its splits, as the entry that opens an account holds them."""

    epsilon: float
    delta: float
    splits: tuple[Split, ...]


def are_within(splits: Sequence[Split], epsilon: float, delta: float) -> bool:
    """Whether all splits together promise no more than (ε, δ)."""
    return math.fsum(split.delta for split in splits) <= delta * (1 + _SAME) and all(
        split.sure + split.rest <= epsilon * (1 + _SAME)
        and split.time <= largest_time(split.rest, split.delta) * (1 + _SAME)
        for split in splits
    )


def splits_of(epsilon: float, delta: float) -> tuple[Split, ...]:
    """The splits of a limit; none where it has no clock."""
    found = []
    for sure_part, share in SHARES:
        # Rounded so that the parts add up to no more than the whole.
        sure, part = sure_part * epsilon, share * delta * (1 - 1e-12)
        rest = (epsilon - sure) * (1 - 1e-12)
        time = largest_time(rest, part)
        if time == 0:
            return ()
        found.append(Split(sure, rest, part, time))
    return tuple(found)


def _finite_epsilon(step: Step) -> float:
    epsilon = step.pure_epsilon()
    return epsilon if epsilon < math.inf else 0.0
