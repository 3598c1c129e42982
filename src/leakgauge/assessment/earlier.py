"""The attacker who has earlier releases of the same secret, for the people in both with the same value.

Releases whose channels are known count by their joint law. Of others only levels are known: bits add up, odds change by
e^ε at most, and every bound counts at its unfavourable end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np

from leakgauge.artefacts import Quantity
from leakgauge.artefacts.scores import Attacker, AttackerName, share
from leakgauge.assessment.scores.evidence import evidence_by_law
from leakgauge.case import Case
from leakgauge.case.case import CountedLaw, Law, read_beside
from leakgauge.case.counted import channel_of
from leakgauge.case.earlier import EarlierChannel, product, together
from leakgauge.case.learnt import MOST_OUTPUTS, LearntLaw
from leakgauge.case.numbers import tenths
from leakgauge.measures.held_out import held_out_information
from leakgauge.mechanisms import through_channel
from leakgauge.probability import Channel
from leakgauge.probability.cells import sums_by
from leakgauge.release.bound import RecordedPlan

Secret = tuple[str, ...]
_TENTH = 0.1
"""Of those who share a value, whom the surest tenth is."""
_CHANCES = np.logspace(-8, -1.5, 27)
"""That a loss exceeds its bound, over which the bound is least."""


def attackers_with_earlier(case: Case, plan: RecordedPlan, secret: Secret, law: Law | None) -> tuple[Attacker, ...]:
    """Who has the earlier releases too, one for each subset of the declared background; none without such releases."""
    before = case.earlier.get(secret, ())
    if not before or law is None:
        # Nothing is known of the release itself, which is said already.
        return ()
    if isinstance(law, CountedLaw):
        both, bounded = _counted_together(case, plan, secret, law, before)
        knows = [law.knows] if law.knows else ()
        alone = evidence_by_law(both.law, backgrounds=knows, numbers=law.numbers, statistics=()).attackers
    else:
        law, bounded = _learnt_together(case, plan, secret, law, before)
        alone = law.attackers
    if bounded:
        levels = Levels.of([_with_bits(case, secret, one) for one in bounded])
        alone = tuple(_bounded(one, levels, *_before(law, one.knows)) for one in alone)
    return tuple(msgspec.structs.replace(one, name=AttackerName.HAS_EARLIER_RELEASES) for one in alone)


def _counted_together(
    case: Case, plan: RecordedPlan, secret: Secret, law: CountedLaw, before: Sequence[EarlierChannel]
) -> tuple[CountedLaw, list[EarlierChannel]]:
    """The law of this release and the earlier ones whose channels fit, and those to be bounded."""
    counted, channels, bounded = list[EarlierChannel](), list[Channel](), list[EarlierChannel]()
    known: dict[int, Channel | None] = {}
    for one in before:
        if id(one.own) not in known:
            known[id(one.own)] = _channel(case, plan, secret, law, one)
        channel = known[id(one.own)]
        if channel is None:
            bounded.append(one)
        else:
            counted.append(one)
            channels.append(channel)
    both, count = together(law.law, channels, law.numbers)
    return replace(law, law=both), [*counted[count:], *bounded]


def _channel(case: Case, plan: RecordedPlan, secret: Secret, law: CountedLaw, one: EarlierChannel) -> Channel | None:
    """Its channel from the values of this table; None where it cannot be counted beside the same columns."""
    if one.own is None:
        return None
    now = plan.hiding(secret)
    columns = (*(other for other in plan.columns if other is not now), one.own)
    if not {*read_beside(secret, one.own)} <= {*plan.public}:
        return None
    found = case.counted_law(secret, replace(plan, columns=columns))
    if found is None or found.law.columns != law.law.columns or not np.array_equal(found.law.shares, law.law.shares):
        return None
    return found.law.channel


def _learnt_together(
    case: Case, plan: RecordedPlan, secret: Secret, law: LearntLaw, before: Sequence[EarlierChannel]
) -> tuple[LearntLaw, list[EarlierChannel]]:
    """The same where it is learnt: the channels of all releases enter as one, beside what is learnt of the rest."""
    now, bounded = plan.hiding(secret), list[EarlierChannel]()
    channel = None if now is None or now.mechanism.sets is not None else channel_of(now)
    if now is None or channel is None:
        return law, list(before)
    for one in before:
        other = None if one.own is None or one.own.reads != now.reads else channel_of(one.own)
        same = other is not None and other.inputs == channel.inputs
        both = product(channel, other, MOST_OUTPUTS) if same and other is not None else None
        if both is None:
            bounded.append(one)
        else:
            channel = both
    whole = replace(
        now,
        mechanism=through_channel(channel, compared=None if now.channel is None else now.channel.compared),
        channel=None if now.channel is None else replace(now.channel, channel=channel),
    )
    columns = tuple(whole if one is now else one for one in plan.columns)
    found = law if len(bounded) == len(before) else case.law(secret, replace(plan, columns=columns))
    return (found, bounded) if isinstance(found, LearntLaw) else (law, list(before))


def _with_bits(case: Case, secret: Secret, one: EarlierChannel) -> EarlierChannel:
    """With the bits that its mechanism reveals in this table, beside the public columns that it reads."""
    if one.own is None:
        return one
    beside = case.counted(secret, read_beside(secret, one.own), one.own)
    if beside is None:
        return one
    sight = beside.through(beside.law(())).sight(beside.columns, published=())
    return replace(one, bits=(sight.before.uncertainty() - sight.uncertainty()) / math.log(2))


def _before(law: Law, knows: tuple[str, ...]) -> tuple[float, float, bool]:
    """H(X|known) in nats, the largest 1 − P(v), and whether the values are numbers."""
    if isinstance(law, LearntLaw):
        known = held_out_information(law.letters, law.before, law.units, law.confidence).high if knows else 0.0
        # Of two values one has at most half the people.
        return max(law.entropy - known, 0.0) * math.log(2), 0.5, law.of_numbers
    shares = law.law.shares
    if law.numbers is not None:
        classes = tenths(law.numbers, shares)
        shares = sums_by(classes, shares, int(classes.max()) + 1)
    return law.law.sight(knows).before.uncertainty(), 1 - float(shares[shares > 0].min()), law.numbers is not None


@dataclass(frozen=True)
class Levels:
    """What further releases, independent given the value, add at most.

    Attributes:
        nats: of information, the sum.
        divergence: KL between the outputs of any two values, the sum, like ``epsilon`` and ``rho``.
        kept: the share of H(X|W), or of a variance, that is left at least, the product.
    """

    nats: float
    divergence: float
    epsilon: float
    rho: float
    kept: float

    @classmethod
    def of(cls, releases: Sequence[EarlierChannel]) -> Levels:
        """The levels of all of them."""
        nats, divergence, epsilon, rho = (
            math.fsum(getattr(one, name) for one in releases) for name in ("nats", "divergence", "epsilon", "rho")
        )
        return cls(nats, divergence, epsilon, rho, math.prod(1 - one.contraction for one in releases))

    def guessed(self, alone: float) -> float:
        """The share guessed correctly at most, of so many by the rest.

        By ε no posterior p exceeds e^ε p / (1 − p + e^ε p), which is concave. By bits, data processing bounds the
        divergence of the two chances by the information that is added.
        """
        low, high = alone, 1.0
        for _ in range(60 if 0 < alone < 1 and math.isfinite(self.nats) else 0):
            middle = (low + high) / 2
            low, high = (middle, high) if _divergence(middle, alone) <= self.nats else (low, middle)
        return min(_likelier(alone, self.epsilon), high)

    def explained(self, alone: float) -> float:
        """The share of a number's variance at most: of two values the outputs overlap by e^−divergence at least."""
        return 1 - (1 - alone) * max(self.kept, math.exp(-self.divergence))

    def told(self, alone: float, left: float, *, of_numbers: bool) -> float:
        """B at most: information adds up."""
        if left <= 0:
            return 1.0
        if of_numbers:
            kept = math.exp(-2 * min(self.nats, (1 - self.kept) * left))
            return min(alone * kept + (1 - kept) / -math.expm1(-2 * left), 1.0)
        return min(alone + self.nats / left, 1 - (1 - alone) * self.kept, 1.0)

    def surest(self, alone: float, most: float) -> float:
        """How much surer she becomes of the surest tenth at most, as a share of ``most``.

        A rise of the odds by e^ε raises a probability by tanh(ε/4) at most. A level of zCDP is exceeded with some
        chance, which may fall on that tenth.
        """
        rises = [self._rise(alone * most, self.epsilon)]
        if math.isfinite(self.rho):
            losses = self.rho + 2 * np.sqrt(self.rho * -np.log(_CHANCES))
            pairs = zip(losses.tolist(), _CHANCES.tolist(), strict=True)
            rises += [self._rise(alone * most, loss) + chance / _TENTH for loss, chance in pairs]
        return min(min(rises) / most, 1.0)

    @staticmethod
    def _rise(alone: float, epsilon: float) -> float:
        steepest = 1 / (1 + math.exp(min(epsilon / 2, 700)))
        return alone + math.tanh(epsilon / 4) if alone <= steepest else _likelier(alone, epsilon)


def _likelier(chance: float, epsilon: float) -> float:
    """A probability whose odds rise by e^ε."""
    return 0.0 if chance == 0 else 1 / (1 + (1 - chance) / chance * math.exp(-epsilon))


def _divergence(one: float, other: float) -> float:
    """KL divergence of two coins, in nats."""
    parts = ((one, other), (1 - one, 1 - other))
    return math.fsum(p * math.log(p / q) for p, q in parts if p > 0)


def _bounded(one: Attacker, levels: Levels, left: float, most: float, of_numbers: bool) -> Attacker:
    """What somebody gains at most who has releases of these levels as well; at least what she gains without them."""

    def guesses(gain: float) -> float:
        explained = levels.explained(gain) if of_numbers else 0.0
        if one.left is None:
            return explained
        wrong = max(one.left, 1e-9)
        return max((levels.guessed(min(1 - wrong + gain * wrong, 1.0)) - (1 - wrong)) / wrong, explained)

    return msgspec.structs.replace(
        one,
        gained=_raised(one.gained, guesses),
        told=_raised(one.told, lambda told: levels.told(told, left, of_numbers=of_numbers)),
        surest=_raised(one.surest, lambda sure: levels.surest(sure, most)),
    )


def _raised(known: Quantity | None, bound: Callable[[float], float]) -> Quantity | None:
    """A bracket from what is known without the further releases to their bound, which decides."""
    if known is None:
        return None
    low, high = known.ends
    most = max(bound(high), high)
    return share(most, low, most, known.confidence)
