"""What an attack found, between what it finds without a release and what it finds in the raw data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from leakgauge import notebook
from leakgauge.audit.binomial import difference, share
from leakgauge.probability import Estimate

if TYPE_CHECKING:
    from numpy.random import Generator

Truths: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Finding:
    """An attack on a release.

    Attributes:
        attack: its name.
        target: the columns it is after.
        knows: the columns the attacker knows beforehand.
        success: the share of the targets it is right about.
        baseline: the share of the same targets that the same attacker is right about without the release.
        advantage: success − baseline on the same targets: 0 where the release tells nothing.
        independent: the advantage on a release that has nothing to do with the targets; its interval holds 0.
        raw: the advantage where the data are released as they are.
        exposed: the targets it is right about with the release and wrong without; of members the number recognised
            beyond what as many false alarms explain.
        ceiling: the success that the claim allows at most; None where nothing is claimed.
        method: how the attacker guesses, in a sentence.
        sure: the share it is right about at least, at the confidence that all attacks on a release share; the lower end
            of ``success`` where it stands alone.
        judged: whether it was tried on the release itself. What was made afresh says nothing against the release.
    """

    attack: str
    target: tuple[str, ...]
    knows: tuple[str, ...]
    success: Estimate
    baseline: Estimate
    advantage: Estimate
    independent: Estimate
    raw: Estimate
    exposed: int
    ceiling: float | None
    method: str
    sure: float | None = None
    judged: bool = True

    @property
    def beats_claim(self) -> bool:
        """Whether it succeeds on the release more often than the claim allows, beyond what chance explains."""
        if self.ceiling is None or not self.judged:
            return False
        return (self.success.low if self.sure is None else self.sure) > self.ceiling

    @property
    def broken_claim(self) -> str:
        """What is wrong where it beats the claim, in a short sentence without a full stop."""
        return f"{self.attack} on {', '.join(self.target)} beats the claim"

    def _repr_html_(self) -> str:
        shares = {
            "success": self.success,
            "baseline, without the release": self.baseline,
            "advantage": self.advantage,
            "advantage on an independent release": self.independent,
            "advantage on the raw data": self.raw,
        }
        rows = [
            ("target", ", ".join(self.target)),
            ("knows", ", ".join(self.knows) or "nothing"),
            *(
                (name, notebook.interval(one.value, one.low, one.high, one.confidence, "of the targets"))
                for name, one in shares.items()
            ),
            ("exposed", f"{self.exposed:,} targets"),
            (
                "the claim allows",
                "anything" if self.ceiling is None else notebook.number(self.ceiling, "of the targets"),
            ),
            ("beats the claim", "yes" if self.beats_claim else "no"),
            ("method", self.method),
        ]
        return notebook.table_html((), rows, f"Finding: {self.attack}")


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
