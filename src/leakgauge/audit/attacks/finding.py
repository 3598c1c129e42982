"""What an attack found, between what it finds without a release and what it finds in the raw data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from leakgauge.artefacts import Finding, Quantity, Sentence
from leakgauge.audit.binomial import difference, share
from leakgauge.probability import Estimate

if TYPE_CHECKING:
    from numpy.random import Generator

    from leakgauge.audit.attacks.case import Case

Truths: TypeAlias = npt.NDArray[np.bool_]
SHARE = "share"


@dataclass(frozen=True)
class Score:
    """Guesses with a release and without, on the same targets.

    Attributes:
        right: right with the release.
        right_without: right without it.
        gained: right only with it.
        lost: right only without it.
        trials: targets.
    """

    right: int
    right_without: int
    gained: int
    lost: int
    trials: int

    def success(self, confidence: float) -> Estimate:
        """With the release."""
        return share(self.right, self.trials, confidence)

    def baseline(self, confidence: float) -> Estimate:
        """Without it."""
        return share(self.right_without, self.trials, confidence)

    def advantage(self, confidence: float) -> Estimate:
        """The difference, paired."""
        return difference(self.gained, self.lost, self.trials, confidence)

    def finding(
        self,
        case: Case,
        attack: Sentence,
        target: tuple[str, ...],
        knows: tuple[str, ...],
        *,
        independent: Estimate,
        raw: Estimate,
        ceiling: float | None,
        method: Sentence,
        judged: bool = True,
    ) -> Finding:
        """The score held to the success that the claim allows at most, where it was tried on the release itself."""
        sure = self.success(case.verdict_confidence).low
        return Finding(
            attack,
            target,
            knows,
            Quantity.estimated(self.success(case.confidence), SHARE),
            Quantity.estimated(self.baseline(case.confidence), SHARE),
            Quantity.estimated(self.advantage(case.confidence), SHARE),
            Quantity.estimated(independent, SHARE),
            Quantity.estimated(raw, SHARE),
            self.gained,
            None if ceiling is None else Quantity(ceiling, SHARE),
            method,
            judged,
            beats_claim=judged and ceiling is not None and sure > ceiling,
        )


def scored(right: Truths, right_without: Truths) -> Score:
    """The score of two guesses for each target."""
    return Score(
        int(right.sum()),
        int(right_without.sum()),
        int((right & ~right_without).sum()),
        int((right_without & ~right).sum()),
        len(right),
    )


def independent_advantage(right: Truths, right_without: Truths, draws: Generator, confidence: float) -> Estimate:
    """The advantage of an attacker who first looks, at half of the targets, whether the release helps at all.

    Who knows a mechanism and is given a release that was not made by it would be misled, and do worse than without.
    """
    order = draws.permutation(len(right))
    looked, rest = order[: len(order) // 2], order[len(order) // 2 :]
    first = scored(right[looked], right_without[looked])
    # Two standard deviations of the difference.
    helps = first.gained - first.lost > 2 * np.sqrt(first.gained + first.lost)
    used = right if helps else right_without
    return scored(used[rest], right_without[rest]).advantage(confidence)
