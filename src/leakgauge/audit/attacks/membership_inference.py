"""Membership inference: was this record in the table?

A release of a table has only members. So the table is split at random into members, which are released again by the
same mechanisms, and controls, which are not. That is a simulation from a seed; it protects nobody and leaves no file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from leakgauge.artefacts import FewFalseAlarms, Finding, Quantity, Sentence
from leakgauge.artefacts.quantity import SHARE
from leakgauge.audit.attacks.attack import Aim, Attack
from leakgauge.audit.attacks.rows import AT_ONCE, Crowd, log_sums
from leakgauge.case.columns import equal_rows
from leakgauge.case.drawn import Drawn, fresh
from leakgauge.measures.binomial import share
from leakgauge.notions.ceilings import Promise, ceiling
from leakgauge.probability import Estimate
from leakgauge.probability.cells import Codes, Floats

RATES = (0.01, 0.001)
"""Of false alarms, at which the recognised members are counted."""
_FEWEST_ALARMS = 5
"""False alarms that are expected at a rate for it to be shown."""


def membership_inference(drawn: Drawn, member_share: float = 0.5) -> tuple[Finding, ...]:
    """One finding: whether a record was released, half of the questions being about members.

    By Neyman and Pearson's lemma no test does better than one of the likelihood ratio of the release with the record
    among its rows and without it: the mean over released rows of q(y|x)/r(y|z) among those with its public values z,
    over P(z), x being the record and r(y|z) how often y is released of such rows. If there are too many combinations
    to sum over, r is taken column by column, and of fewer targets.

    The threshold for one half of the targets is learnt on the other half, and the success is (share of members
    recognised + share of others cleared)/2. The independent release is made of rows drawn from members and controls
    alike.
    """
    draws = drawn.draws()
    order = draws.permutation(drawn.rows)
    cut = min(max(round(member_share * drawn.rows), 4), drawn.rows - 4)
    members, controls = order[:cut], order[cut:]
    laws, noise = [column.law for column in drawn.columns], fresh(draws)
    crowds = [
        Crowd.of(laws, drawn.classes[rows], [column.law.draw(column.inputs[rows], noise) for column in drawn.columns])
        for rows in (members, draws.integers(drawn.rows, size=cut))
    ]
    kinds = Kinds.of(drawn)
    half = drawn.rows if kinds.can_be_compared(crowds[0]) else max(drawn.targets // 2, 4)
    asked = len(members[:half])
    targets = np.concatenate([members[:half], controls[:half]])
    statistics = [_statistic(drawn, kinds, crowd, targets) for crowd in crowds]
    tried = [_Recognised.of(one, asked) for one in (*statistics, kinds.log_ratios_as_is(members)[targets])]
    success, independent, as_is = (one.success(drawn.confidence) for one in tried)
    # Public values are not protected, so there is no claim about people recognised by them.
    claimed = () if drawn.public else drawn.together
    most = ceiling(claimed, np.array([0.5]), 2, np.ones(1))
    return (
        Finding(
            MEMBERSHIP_INFERENCE.title,
            drawn.reads,
            (*drawn.reads, *drawn.public),
            Quantity.estimated(success, SHARE),
            Quantity(0.5, SHARE, 0.5, 0.5, drawn.confidence),
            _beyond_a_coin(success),
            _beyond_a_coin(independent),
            _beyond_a_coin(as_is),
            tried[0].exposed,
            None if most is None else Quantity(most, SHARE),
            MEMBERSHIP_INFERENCE.method,
            MEMBERSHIP_INFERENCE.judged,
            few_false_alarms=_few_false_alarms(statistics[0], asked, claimed, drawn.confidence, draws),
        ),
    )


@dataclass(frozen=True, eq=False)
class Kinds:
    """The rows of the table, equal ones once.

    Attributes:
        classes: the combination of public values of each kind.
        inputs: of each kind, one array per column.
    """

    classes: Codes
    inputs: tuple[Codes, ...]
    copies: Codes
    kind: Codes

    @classmethod
    def of(cls, drawn: Drawn) -> Kinds:
        """Counted."""
        first, kind = equal_rows(drawn.classes, [column.inputs for column in drawn.columns])
        inputs = tuple(column.inputs[first] for column in drawn.columns)
        return cls(drawn.classes[first], inputs, np.bincount(kind).astype(np.int64), kind)

    def can_be_compared(self, crowd: Crowd) -> bool:
        """Whether every kind can be compared with every kind of released row that has its public values."""
        width = int(max(self.classes.max(), crowd.classes.max())) + 1
        each = (np.bincount(one, minlength=width) for one in (self.classes, crowd.classes))
        return float(np.prod(list(each), axis=0, dtype=np.float64).sum()) <= AT_ONCE

    def log_ratios(self, crowd: Crowd) -> Floats:
        """The logarithm of the likelihood ratio of each kind, if every kind can be compared."""
        found = np.full(len(self.classes), -np.inf)
        for some, rows, scores in crowd.compared(self.classes, self.inputs):
            if scores.shape[1]:
                copies = self.copies[some]
                # log P(z) r(y|z), up to what all kinds share; no row is released that no kind can give.
                released = log_sums((scores + np.log(copies)[:, None]).T)
                found[some] = log_sums(scores + (np.log(crowd.copies[rows]) - released))
        return np.asarray(found + np.log(self.copies.sum()) - np.log(crowd.copies.sum()))

    def log_ratios_as_is(self, members: Codes) -> Floats:
        """The same for each row of the table, if the members are released as they are: shares among them and in all."""
        inside = np.bincount(self.kind[members], minlength=len(self.copies))
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(inside / len(members)) - np.log(self.copies / len(self.kind)))[self.kind]


@dataclass(frozen=True)
class _Recognised:
    """Members taken for members, and controls taken for members, each half by a threshold learnt on the other."""

    hits: int
    members: int
    alarms: int
    controls: int

    @classmethod
    def of(cls, statistic: Floats, members: int, rate: float | None = None) -> _Recognised:
        """By the best threshold, or by the lowest one that keeps false alarms to a rate."""
        # Targets stand in random order already.
        inside, outside = statistic[:members], statistic[members:]
        hits = alarms = 0
        for learn, prove in ((0, 1), (1, 0)):
            limit = threshold(inside[learn::2], outside[learn::2], rate)
            hits += int((inside[prove::2] >= limit).sum())
            alarms += int((outside[prove::2] >= limit).sum())
        return cls(hits, len(inside), alarms, len(outside))

    @property
    def exposed(self) -> int:
        return max(round(self.hits - self.members * self.alarms / self.controls), 0)

    def success(self, confidence: float) -> Estimate:
        # Half of the miss for each of the two shares: both hold at once, and so does their mean.
        each = 1 - (1 - confidence) / 2
        hits = share(self.hits, self.members, each)
        cleared = share(self.controls - self.alarms, self.controls, each)
        return Estimate(
            (hits.value + cleared.value) / 2,
            (hits.low + cleared.low) / 2,
            (hits.high + cleared.high) / 2,
            confidence,
            self.members + self.controls,
        )


def threshold(members: Floats, controls: Floats, rate: float | None = None) -> float:
    """The statistic from which on a target counts as a member: the best on these, counting both kinds alike.

    Of those with a share of false alarms of at most ``rate``, if it is given: the lowest recognises most.
    """
    limits = np.append(np.unique(np.concatenate([members, controls])), np.inf)
    hits = 1 - np.searchsorted(np.sort(members), limits, side="left") / len(members)
    alarms = 1 - np.searchsorted(np.sort(controls), limits, side="left") / len(controls)
    if rate is not None:
        return float(limits[np.argmax(alarms <= rate)])
    return float(limits[np.argmax(hits - alarms)])


def _few_false_alarms(
    statistic: Floats, members: int, claimed: Sequence[Promise], confidence: float, draws: Generator
) -> tuple[FewFalseAlarms, ...]:
    """The members recognised at each rate that so many targets can show."""
    # Of equal targets some at random count as members: the test that is best at a rate decides ties by a coin.
    ranks = np.empty(len(statistic))
    ranks[np.lexsort((draws.random(len(statistic)), statistic))] = np.arange(len(statistic))
    found = []
    for rate in RATES:
        # Half of the controls are learnt from.
        if rate * (len(statistic) - members) / 2 >= _FEWEST_ALARMS:
            seen = _Recognised.of(ranks, members, rate)
            most = min((promise.recognised(rate) for promise in claimed), default=None)
            found.append(
                FewFalseAlarms(
                    rate,
                    Quantity.estimated(share(seen.alarms, seen.controls, confidence), SHARE),
                    Quantity.estimated(share(seen.hits, seen.members, confidence), SHARE),
                    None if most is None else Quantity(most, SHARE),
                )
            )
    return tuple(found)


def _statistic(drawn: Drawn, kinds: Kinds, crowd: Crowd, targets: Codes) -> Floats:
    """The logarithm of the likelihood ratio for each target, minus infinity where nobody has its public values."""
    if kinds.can_be_compared(crowd):
        return kinds.log_ratios(crowd)[kinds.kind[targets]]
    return _column_by_column(drawn, crowd, targets)


def _column_by_column(drawn: Drawn, crowd: Crowd, targets: Codes) -> Floats:
    """log mean Π q(y|x)/r(y), as if columns were independent of each other and of the public values."""
    different, place = equal_rows(drawn.classes[targets], [column.inputs[targets] for column in drawn.columns])
    chosen = targets[different]
    weights = np.log(crowd.copies) - crowd.log_shares([column.inputs for column in drawn.columns])
    found = np.full(len(chosen), -np.inf)
    inputs = [column.inputs[chosen] for column in drawn.columns]
    for some, rows, scores in crowd.compared(drawn.classes[chosen], inputs):
        if scores.shape[1]:
            scores += weights[rows]
            found[some] = log_sums(scores)
    alike = np.bincount(drawn.classes) / drawn.rows
    return np.asarray(found - np.log(alike[drawn.classes[chosen]]) - np.log(crowd.copies.sum()))[place]


def _beyond_a_coin(success: Estimate) -> Quantity:
    return Quantity(success.value - 0.5, SHARE, success.low - 0.5, success.high - 0.5, success.confidence)


MEMBERSHIP_INFERENCE = Attack(
    Sentence("membership inference"),
    Sentence("a record counts as released if the likelihood of the released rows with it exceeds a learnt threshold"),
    Aim.MEMBERSHIP,
    membership_inference,
    judged=False,
)
