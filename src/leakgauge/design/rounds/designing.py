"""Rounds: successive releases of one secret, and the next one that adds least to what the others have revealed.

The channel of a round reads the secret, so that given the secret the rounds are independent. Whoever has seen the
earlier ones is an attacker with a background: what each of them released. The next round is the least leaking channel
beside that background, with the same proof, and what all rounds tell is what the earlier ones told and what it adds:

    I(X; Y1 … Yk+1) = I(X; Y1 … Yk) + I(X; Yk+1 | Y1 … Yk).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from leakgauge.design.problem import Keep, Knowledge, MaxLeakage, RateDistortion
from leakgauge.design.solution import Solution
from leakgauge.design.solving import GAP, solve
from leakgauge.errors import OptionError
from leakgauge.measures import entropy
from leakgauge.measures.sequences import SequenceLeakage, counted_jointly, joint_channel, sequence_leakage
from leakgauge.probability import Channel, Distribution, Joint, Label
from leakgauge.probability.cells import Floats
from leakgauge.probability.labels import same_alphabet
from leakgauge.sentences import Sentence

ROUND_CELLS = 1 << 15
"""Cases of the earlier rounds × backgrounds × inputs beside which a round is designed, at most: some seconds."""


@dataclass(frozen=True, eq=False)
class NextRound:
    """The next round that adds least to what earlier rounds have revealed.

    Attributes:
        solution: its channel, designed beside what the earlier rounds released; the gap is that of what it adds.
        before: what the earlier rounds tell together, with the background where there is one.
        exact: whether what it adds is counted beside all earlier rounds; beside fewer it is never too little.
    """

    solution: Solution
    before: SequenceLeakage
    exact: bool

    @property
    def added(self) -> float:
        """What the round reveals beyond the earlier ones, I(X;Y|Y1…Yk) in bits; an upper bound where it is not
        exact."""
        told, floor = self.solution.leakage_with_background, self.solution.background_floor
        assert told is not None and floor is not None
        return told - floor

    @property
    def after(self) -> float:
        """What all rounds reveal together, in bits; an upper bound where it or ``before`` is not exact."""
        return min(self.before.bits + self.added, entropy(self.solution.problem.prior))


def leakage_by_round(source: Distribution | Joint, channels: Sequence[Channel]) -> tuple[SequenceLeakage, ...]:
    """What the first, the first two, … of these releases of one secret reveal together, in bits.

    Example:
        >>> answer = Channel("ab", "ab", [[0.75, 0.25], [0.25, 0.75]])
        >>> [round(one.bits, 4) for one in leakage_by_round(Distribution.uniform("ab"), [answer] * 3)]
        [0.1887, 0.3319, 0.4464]
    """
    return tuple(sequence_leakage(source, channels[:count]) for count in range(1, len(channels) + 1))


def next_round(
    problem: RateDistortion, earlier: Sequence[Channel], gap: float = GAP, *, reads_earlier: bool = False
) -> NextRound:
    """The least leaking next release of a secret, given the channels through which it was released before.

    Args:
        problem: what is asked of the round; with ``ATTACKER`` the background is known beside the earlier rounds.
        earlier: the channels of the earlier rounds; each reads the secret.
        gap: in nats.
        reads_earlier: whether the channel may read what the earlier rounds released of the same person: one channel for
            each value seen, with the posterior as its prior. Its inputs are pairs of a value and what was seen.

    Raises:
        OptionError: no earlier rounds, too many values seen, or a problem that is not of the secret alone.

    Example:
        >>> from leakgauge.design import MaxDistortion
        >>> from leakgauge.distances import Hamming
        >>> source = Distribution.uniform("abc")
        >>> first = solve(RateDistortion(source, Hamming(), MaxDistortion(0.3)))
        >>> second = next_round(first.problem, [first.channel])
        >>> round(first.leakage, 4), round(second.added, 4), round(second.after, 4)
        (0.4037, 0.2802, 0.6838)
    """
    asked, exact = after_rounds(problem, earlier, reads_earlier=reads_earlier)
    return NextRound(solve(asked, gap), told_before(problem, earlier), exact)


def told_before(problem: RateDistortion, earlier: Sequence[Channel]) -> SequenceLeakage:
    """What earlier rounds reveal together, with the background that the problem's attacker knows."""
    return sequence_leakage(problem.source if _knows(problem) else problem.prior, earlier)


def after_rounds(
    problem: RateDistortion, earlier: Sequence[Channel], *, reads_earlier: bool = False
) -> tuple[RateDistortion, bool]:
    """The problem of the next round, what was seen as the background, and whether all that was seen is in it.

    Rounds that do not fit are left out: beside fewer of them a channel adds no less, so that no number is too small.
    """
    _require_designable(problem, reads_earlier)
    if not earlier:
        raise OptionError("A next round needs earlier rounds, but none is given; give the channels of one or more.")
    for channel in earlier:
        same_alphabet(channel.inputs, problem.inputs, "inputs of the channel", "values of the secret")
    background = problem.source if _knows(problem) and isinstance(problem.source, Joint) else None
    room = ROUND_CELLS // (1 if background is None else len(background.columns))
    if reads_earlier:
        seen, laws, exact = *_letters(problem, earlier, room), True
    else:
        counted = counted_jointly(earlier, room)[0]
        if not counted:
            raise _too_many(problem, len(earlier[0].outputs), room)
        laws, exact = joint_channel(counted).matrix, counted.total() == len(earlier)
        if not exact and isinstance(problem.target, MaxLeakage):
            raise OptionError(
                "A limit on leakage is about all rounds, but only {counted} of the {count} earlier ones can be "
                "counted; ask for a distortion.",
                counted=counted.total(),
                count=len(earlier),
            )
        seen = tuple(range(laws.shape[1]))
    if background is None:
        joint = Joint(problem.inputs, seen, problem.prior.probabilities[:, None] * laws)
    else:
        pairs = tuple(itertools.product(background.columns, seen))
        cells = background.matrix[:, :, None] * laws[:, None, :]
        joint = Joint(problem.inputs, pairs, cells.reshape(len(problem.inputs), -1))
    if not reads_earlier:
        return replace(problem, source=joint, knowledge=Knowledge.ATTACKER), exact
    # Where each value seen has a channel of its own, the shares are kept beside each of them.
    keep = Keep.NOTHING if problem.keep is Keep.NOTHING else Keep.ASSOCIATIONS
    return replace(problem, source=joint, knowledge=Knowledge.BOTH, keep=keep), exact


def _knows(problem: RateDistortion) -> bool:
    """Whether somebody knows a background beside the earlier rounds."""
    return problem.knowledge in (Knowledge.ATTACKER, Knowledge.BOTH)


def _letters(problem: RateDistortion, earlier: Sequence[Channel], room: int) -> tuple[tuple[Label, ...], Floats]:
    """Every combination of letters that one person may have been released as, and their laws, one row per input."""
    cases = math.prod(len(channel.outputs) for channel in earlier)
    if cases * len(problem.inputs) > room:
        raise _too_many(problem, cases, room)
    laws = np.ones((len(problem.inputs), 1))
    for channel in earlier:
        laws = (laws[:, :, None] * channel.matrix[:, None, :]).reshape(len(laws), -1)
    if len(earlier) == 1:
        return earlier[0].outputs, laws
    return tuple(itertools.product(*(channel.outputs for channel in earlier))), laws


def _too_many(problem: RateDistortion, cases: int, room: int) -> OptionError:
    return OptionError(
        "{cases} values seen in earlier rounds × {inputs} values of the secret are more than the {limit} for which a "
        "round can be designed; merge rare values.",
        cases=cases,
        inputs=len(problem.inputs),
        limit=room,
    )


def _require_designable(problem: RateDistortion, reads_earlier: bool) -> None:
    if problem.secret is not None:
        raise OptionError(
            "The next round is designed for a secret itself, not for a column that reveals it; leave the secret out."
        )
    allowed = (Knowledge.NOBODY, Knowledge.BOTH if reads_earlier else Knowledge.ATTACKER)
    if problem.knowledge not in allowed:
        raise OptionError(
            "After earlier rounds a channel reads {reads}, which does not fit knowledge {knowledge!s}; use {first!s} "
            "or {second!s}.",
            reads=Sentence("the secret and all that is known") if reads_earlier else Sentence("the secret alone"),
            knowledge=problem.knowledge.value,
            first=allowed[0].value,
            second=allowed[1].value,
        )
