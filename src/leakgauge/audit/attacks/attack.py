"""An attack, and the score of its guesses: between those without a release and those on the raw data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator

from leakgauge.artefacts import Finding, Quantity, Sentence
from leakgauge.artefacts.quantity import SHARE
from leakgauge.measures.binomial import difference, share
from leakgauge.measures.clusters import design_effect_of_mean
from leakgauge.probability import Estimate
from leakgauge.probability.cells import Codes, Truths

if TYPE_CHECKING:
    from leakgauge.case.drawn import Drawn


class Aim(Enum):
    """What an attack wants to know about a person."""

    SECRET = "secret"
    ROW = "row"
    MEMBERSHIP = "membership"
    PERSON = "person"
    """A description that fits this person and nobody else."""


@dataclass(frozen=True)
class Attack:
    """An attack of the catalogue.

    Attributes:
        title: the name of its findings, or its beginning if that has fields.
        method: how the attacker guesses.
        aim: what it wants to know; one finding for each secret, or one for the release.
        judged: whether it attacks the release itself; a simulated release proves nothing against the real one.
        knows_mechanism: whether the attacker knows how the mechanism draws.
        repeated: whether it sees many releases of the same values.
        knows_shares: whether the attacker knows how often each secret goes with what is known.
    """

    title: Sentence
    method: Sentence
    aim: Aim
    find: Callable[[Drawn], tuple[Finding, ...]]
    judged: bool = True
    knows_mechanism: bool = True
    repeated: bool = False
    knows_shares: bool = True


@dataclass(frozen=True)
class Anchors:
    """What an attack is compared with.

    Attributes:
        independent: its advantage on a release that has nothing to do with the table.
        raw: its advantage where the data are released as they are.
        ceiling: the highest success that the claim allows; None where nothing is claimed.
        is_above: of a ceiling that was itself estimated, whether the success is above it beyond chance.
    """

    independent: Estimate
    raw: Estimate
    ceiling: float | None
    is_above: bool = True


@dataclass(frozen=True)
class Score:
    """Counts of right guesses with a release, without it, only with it and only without it, and of targets.

    Attributes:
        design_effect: how many targets are worth one, because targets of one unit repeat each other.
    """

    right: int
    right_without: int
    gained: int
    lost: int
    trials: int
    design_effect: float = 1.0

    def success(self, confidence: float) -> Estimate:
        """With the release."""
        return share(self.right, self.trials, confidence, self.design_effect)

    def baseline(self, confidence: float) -> Estimate:
        """Without the release."""
        return share(self.right_without, self.trials, confidence, self.design_effect)

    def advantage(self, confidence: float) -> Estimate:
        """The difference, paired."""
        return difference(self.gained, self.lost, self.trials, confidence, self.design_effect)

    def over(self, base_rate: float, confidence: float) -> Estimate:
        """The difference to a base rate that is known of everybody; half of the miss, as of two paired shares."""
        found = self.success((1 + confidence) / 2)
        value, low, high = (end - base_rate for end in (found.value, found.low, found.high))
        return Estimate(value, low, high, confidence, found.n)

    def finding(
        self, attack: Attack, drawn: Drawn, target: tuple[str, ...], knows: tuple[str, ...], anchors: Anchors
    ) -> Finding:
        """The score between its anchors.

        What is guessed of a secret without the release is counted over everybody where it can be: one base rate for
        all attacks of one attacker, whichever rows they are tried on.
        """
        sure, ceiling = self.success(confidence_against_claims(drawn)).low, anchors.ceiling
        knows_base_rate = attack.aim is Aim.SECRET and attack.knows_shares
        base_rate = drawn.base_rate(target) if knows_base_rate else None
        baseline, advantage = self.baseline(drawn.confidence), self.advantage(drawn.confidence)
        if base_rate is not None:
            advantage = self.over(base_rate, drawn.confidence)
        return Finding(
            attack.title,
            target,
            knows,
            Quantity.estimated(self.success(drawn.confidence), SHARE),
            Quantity.estimated(baseline, SHARE) if base_rate is None else Quantity(base_rate, SHARE),
            Quantity.estimated(advantage, SHARE),
            Quantity.estimated(anchors.independent, SHARE),
            Quantity.estimated(anchors.raw, SHARE) if base_rate is None else Quantity(1 - base_rate, SHARE),
            self.gained,
            None if ceiling is None else Quantity(ceiling, SHARE),
            attack.method,
            attack.judged,
            beats_claim=attack.judged and ceiling is not None and sure > ceiling and anchors.is_above,
        )


def confidence_against_claims(drawn: Drawn) -> float:
    """The confidence of each finding against a claim, such that all together use half of the allowed error.

    The other half is for the levels that the rows show.
    """
    # The catalogue imports the attacks, and they this module.
    from leakgauge.audit.attacks.catalogue import ATTACKS

    judged = [one.aim for one in ATTACKS.values() if one.judged]
    # A withheld secret has no claim to disprove.
    findings = sum(len(drawn.released_secrets) if aim is Aim.SECRET else 1 for aim in judged)
    # Twice the share, because only the lower end of an interval can disprove a claim.
    return 1 - (1 - drawn.confidence) / max(findings, 1)


def scored(right: Truths, right_without: Truths, units: Codes | None = None) -> Score:
    """The score of two guesses for each target; targets of one unit count as far as they differ."""
    numbers = (np.asarray(one, dtype=np.float64) for one in (right, right_without, right ^ right_without))
    return Score(
        int(right.sum()),
        int(right_without.sum()),
        int((right & ~right_without).sum()),
        int((right_without & ~right).sum()),
        len(right),
        1.0 if units is None else max(design_effect_of_mean(one, units) for one in numbers),
    )


def independent_advantage(
    right: Truths, right_without: Truths, draws: Generator, confidence: float, units: Codes | None = None
) -> Estimate:
    """The advantage of an attacker who first checks, on half of the targets, whether the release helps at all.

    Otherwise a release that the known mechanism did not make would mislead the attacker, who would do worse than
    without it.
    """
    order = draws.permutation(len(right))
    looked, rest = order[: len(order) // 2], order[len(order) // 2 :]
    first = scored(right[looked], right_without[looked])
    # Two standard deviations of the difference.
    helps = first.gained - first.lost > 2 * np.sqrt(first.gained + first.lost)
    used = right if helps else right_without
    return scored(used[rest], right_without[rest], None if units is None else units[rest]).advantage(confidence)


def raw_advantage(right_without: Truths, confidence: float, units: Codes | None = None) -> Estimate:
    """The advantage where the data are released as they are, and every guess at a secret is right."""
    return scored(np.ones_like(right_without), right_without, units).advantage(confidence)
