"""Membership inference: was this record in the table?

A release of a table has only members. So the table is split at random into members, which are released again by the
same mechanisms, and controls, which are not. That is a simulation from a seed; it protects nobody and leaves no file.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leakgauge.artefacts import Finding, Quantity, Sentence
from leakgauge.audit.attacks.attack import SHARE, Aim, Attack
from leakgauge.audit.attacks.case import Case, fresh
from leakgauge.audit.attacks.ceilings import ceiling
from leakgauge.audit.attacks.rows import AS_IS, Crowd, equal_rows, log_sums
from leakgauge.audit.binomial import share
from leakgauge.mechanisms.mechanism import Law
from leakgauge.probability import Estimate
from leakgauge.probability.cells import Codes, Floats


def membership_inference(case: Case, member_share: float = 0.5) -> tuple[Finding, ...]:
    """One finding: whether a record was released, half of the questions being about members.

    The statistic is the logarithm of the mean over released rows of Π q(y|x)/r(y), x being the record and r how often y
    is released; public values must be equal. The threshold is learnt on half of the targets, the success (share of
    members recognised + share of others cleared)/2 is counted on the rest. The independent release is made of rows
    drawn from members and controls alike.
    """
    draws = case.draws()
    order = draws.permutation(case.rows)
    cut = min(max(round(member_share * case.rows), 4), case.rows - 4)
    members, controls = order[:cut], order[cut:]
    half = max(case.targets // 2, 4)
    asked = len(members[:half])
    targets = np.concatenate([members[:half], controls[:half]])
    laws = [column.law for column in case.columns]
    raw: list[Law] = [AS_IS] * len(laws)
    anybody = draws.integers(case.rows, size=cut)
    tried = []
    for rows, drawn_by in ((members, laws), (anybody, laws), (members, raw)):
        noise = fresh(draws)
        made = [law.draw(column.inputs[rows], noise) for law, column in zip(drawn_by, case.columns, strict=True)]
        crowd = Crowd.of(drawn_by, case.classes[rows], made)
        tried.append(_Recognised.of(_statistic(case, crowd, targets), asked))
    success, independent, as_is = (one.success(case.confidence) for one in tried)
    # Public values are not protected, so there is no claim about people recognised by them.
    most = ceiling(() if case.public else case.together, np.array([0.5]), 2, np.ones(1))
    return (
        Finding(
            MEMBERSHIP_INFERENCE.title,
            case.reads,
            (*case.reads, *case.public),
            Quantity.estimated(success, SHARE),
            Quantity(0.5, SHARE, 0.5, 0.5, case.confidence),
            _beyond_a_coin(success),
            _beyond_a_coin(independent),
            _beyond_a_coin(as_is),
            tried[0].exposed,
            None if most is None else Quantity(most, SHARE),
            MEMBERSHIP_INFERENCE.method,
            MEMBERSHIP_INFERENCE.judged,
        ),
    )


@dataclass(frozen=True)
class _Recognised:
    """Members taken for members, and controls taken for members, on the half that proves."""

    hits: int
    members: int
    alarms: int
    controls: int

    @classmethod
    def of(cls, statistic: Floats, members: int) -> _Recognised:
        # Targets stand in random order already.
        inside, outside = statistic[:members], statistic[members:]
        first, second = len(inside) // 2, len(outside) // 2
        limit = threshold(inside[:first], outside[:second])
        hits, alarms = inside[first:] >= limit, outside[second:] >= limit
        return cls(int(hits.sum()), len(hits), int(alarms.sum()), len(alarms))

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


def threshold(members: Floats, controls: Floats) -> float:
    """The statistic from which on a target counts as a member: the best on these, counting both kinds alike."""
    limits = np.append(np.unique(np.concatenate([members, controls])), np.inf)
    hits = 1 - np.searchsorted(np.sort(members), limits, side="left") / len(members)
    alarms = 1 - np.searchsorted(np.sort(controls), limits, side="left") / len(controls)
    return float(limits[np.argmax(hits - alarms)])


def _statistic(case: Case, crowd: Crowd, targets: Codes) -> Floats:
    """log mean Π q(y|x)/r(y) for each target, minus infinity where nobody has its public values."""
    different, place = equal_rows(case.classes[targets], [column.inputs[targets] for column in case.columns])
    chosen = targets[different]
    weights = np.log(crowd.copies) - crowd.log_shares([column.inputs for column in case.columns])
    found = np.full(len(chosen), -np.inf)
    inputs = [column.inputs[chosen] for column in case.columns]
    for some, rows, scores in crowd.compared(case.classes[chosen], inputs):
        if scores.shape[1]:
            scores += weights[rows]
            found[some] = log_sums(scores)
    alike = np.bincount(case.classes) / case.rows
    return np.asarray(found - np.log(alike[case.classes[chosen]]) - np.log(crowd.copies.sum()))[place]


def _beyond_a_coin(success: Estimate) -> Quantity:
    return Quantity(success.value - 0.5, SHARE, success.low - 0.5, success.high - 0.5, success.confidence)


MEMBERSHIP_INFERENCE = Attack(
    Sentence("membership inference"),
    Sentence("a record counts as released if the likelihood of the released rows with it exceeds a learnt threshold"),
    Aim.MEMBERSHIP,
    membership_inference,
    judged=False,
)
