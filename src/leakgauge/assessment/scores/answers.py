"""What noisy counts reveal about one person to someone who knows everybody else.

Only the person's own 1 among zeros is left of the counts, each with its own noise: a cell per value, whose output has
one law if the person has the value and another if not. Unary encoding is the same with coins.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from msgspec import structs

from leakgauge.artefacts.scores import Attacker, AttackerName, Neighbours, ScoreEvidence, Statistic, share
from leakgauge.assessment.scores.evidence import evidence_by_law
from leakgauge.assessment.scores.guarantee import guaranteed
from leakgauge.case.certainty import EXPOSED_TENTH, NOTHING_LEFT, most_exposed
from leakgauge.case.law import ReleaseLaw
from leakgauge.errors import ModelError
from leakgauge.mechanisms import Mechanism
from leakgauge.mechanisms.noisy_number import NoisyNumber
from leakgauge.probability import Channel, Distribution
from leakgauge.probability.cells import Floats, log_or_zero, sums_by

MOST_OUTPUTS = 64
"""The most distinct outputs of a cell; the loss is below a hundredth of a point."""
MOST_COMBINATIONS = 1 << 14
"""Outputs of all cells together up to which their law is written down."""
_NEVER = -1e4
"""Stands for the logarithm of 0 among those of probabilities."""


@dataclass(frozen=True, eq=False)
class PersonsCells:
    """A cell for each value: how common the value is, and the law of a cell's output where it is the person's own.

    Attributes:
        shares: of each value; together less than 1 where some values are not counted.
        own: the probability of each output of a cell whose value the person has.
        other: and of one whose value the person does not have.
    """

    shares: Floats
    own: Floats
    other: Floats

    def __post_init__(self) -> None:
        if self.own.shape != self.other.shape or self.shares.min() < 0 or self.shares.sum() > 1 + 1e-9:
            raise ModelError(
                "The {count} shares exceed 1, or the two laws of a cell differ in length; give shares of at most 1 "
                "together and laws of the same outputs.",
                count=len(self.shares),
            )

    @cached_property
    def _rest(self) -> float:
        """The share of people who are not counted."""
        rest = 1 - float(self.shares.sum())
        return rest if rest > NOTHING_LEFT else 0.0

    @cached_property
    def _counted(self) -> Floats:
        return self.shares[self.shares > 0]

    @cached_property
    def _levels(self) -> tuple[Floats, Floats, Floats]:
        """ln(own/other) of outputs in ascending order, and the probability of each under both; equal ones merged."""
        happens = (self.own > 0) | (self.other > 0)
        own, other = self.own[happens], self.other[happens]
        order = np.argsort(_log_ratio(own, other), kind="stable")
        own, other = own[order], other[order]
        steps = np.cumsum(np.append(0, np.diff(_log_ratio(own, other)) > 1e-9))
        if steps[-1] >= MOST_OUTPUTS:
            middle = np.cumsum(own + other) / 2
            steps = np.unique((middle * MOST_OUTPUTS).astype(np.int64), return_inverse=True)[1]
        own, other = (sums_by(steps, law, int(steps[-1]) + 1) for law in (own, other))
        return _log_ratio(own, other), own, other

    def law(self) -> ReleaseLaw | None:
        """The law of all cells together; None where they have too many outputs to write down."""
        _, own, other = self._levels
        cells = len(self._counted)
        if len(own) ** cells > MOST_COMBINATIONS:
            return None
        rows = np.full((cells + bool(self._rest), 1), 1.0)
        for cell in range(cells):
            of_cell = np.where((np.arange(len(rows)) == cell)[:, None], own, other)
            rows = (rows[:, :, None] * of_cell[:, None, :]).reshape(len(rows), -1)
        people = np.append(self._counted, [self._rest] if self._rest else [])
        channel = Channel(range(len(rows)), range(rows.shape[1]), rows / rows.sum(axis=1, keepdims=True))
        return ReleaseLaw(Distribution(range(len(rows)), people / people.sum()), channel)

    def guessed(self) -> float:
        """How often the best guess of the person's value is right: the largest ln p + ln(own/other) is guessed.

        Where several are largest, the first of them is, which is as good as any; who is not counted comes last.
        """
        level, own, other = self._levels
        at_most = np.concatenate([[0.0], np.cumsum(other)])
        prior = np.log(self._counted)
        # Values so rare that another one always scores more are never guessed.
        guessable = prior + level[-1] >= max(prior.max() + level[0], np.log(self._rest) if self._rest else _NEVER)
        if not guessable.any():
            return self.baseline
        shares, prior = self._counted[guessable], prior[guessable]
        scores = np.round(prior[:, None] + level[None, :], 9)
        every = np.unique(scores)
        # Of each cell, were it not the person's own: the logarithm of the chance that its score is at most so much, and
        # that it is less.
        within, under = (
            np.maximum(
                np.log(np.maximum(at_most[[np.searchsorted(row, every, side) for row in scores]], 1e-300)), _NEVER
            )
            for side in ("right", "left")
        )
        wins = np.cumsum(under, axis=0) - under + within.sum(axis=0) - np.cumsum(within, axis=0)
        places = np.searchsorted(every, scores)
        chances = np.exp(np.take_along_axis(wins, places, axis=1))
        success = 0.0
        if self._rest:
            limit = np.log(self._rest)
            chances = np.where(scores >= limit, chances, 0.0)
            success = self._rest * float(np.prod(at_most[[np.searchsorted(row, limit, "left") for row in scores]]))
        success += float(shares @ (chances @ own))
        return min(max(success, self.baseline), 1.0)

    @property
    def baseline(self) -> float:
        """How often the most common value is right."""
        return max(float(self.shares.max()), self._rest)

    def uncertainty(self) -> float:
        """H of the person's value in nats."""
        every = np.append(self._counted, self._rest)
        return float(-(every * log_or_zero(every)).sum())

    def told(self) -> float:
        """An upper bound in nats on what is revealed about the person's value: the sum over cells.

        The noise of the cells is independent, so together they reveal no more than that.
        """
        _, own, other = self._levels
        p = self._counted[:, None]
        mixed = p * own + (1 - p) * other
        parts = ((p * own, own), ((1 - p) * other, other))
        told = sum(float((joint * (log_or_zero(law) - log_or_zero(mixed))).sum()) for joint, law in parts)
        return min(max(told, 0.0), self.uncertainty())

    def surest(self) -> tuple[float, float, int]:
        """Lower and upper bounds on how much surer somebody becomes of the most exposed tenth of a value's holders, and
        the number of the value with the highest upper bound, which is that of nobody counted last.

        From its own cell alone, which is a part of what is seen; and from all cells: the odds of v are p_v L_v over
        S = Σ p_j L_j of the others, whose mean is 1 − p_v. S is bounded from below by the least L, and by Cantelli's
        inequality, which fails in a share of the cases that may all be in the tenth.
        """
        level, own, other = self._levels
        ratio = np.exp(np.clip(level, -300.0, 300.0))
        p = np.append(self._counted, self._rest)
        # Of those who are not counted no cell says more than another, so that their L is 1.
        counted = np.arange(len(p)) < len(self._counted)
        variance = (np.sum(self._counted**2) - np.where(counted, p**2, 0.0)) * float(other @ (ratio - 1) ** 2)
        chances = np.maximum(own, 0.0) / own.sum()
        least, most = np.zeros(len(p)), np.zeros(len(p))
        for value in np.flatnonzero((p > 0) & (1 - p > NOTHING_LEFT)).tolist():
            share_of, doubt = float(p[value]), 1 - float(p[value])
            odds = share_of * (ratio if counted[value] else np.ones(len(ratio)))
            least[value] = _tenth(odds / (odds + doubt), chances) - share_of
            floor = doubt * float(ratio.min())
            for kept in (floor, *(doubt * part for part in _PARTS)):
                short = doubt - kept
                fails = 0.0 if kept <= floor else float(variance[value]) / (float(variance[value]) + short**2)
                bound = _tenth(odds / (odds + max(kept, floor)), chances) + min(fails / EXPOSED_TENTH, 1.0)
                best = min(bound, 1.0) - share_of
                most[value] = best if kept == floor else min(most[value], best)
        whole = 1 - float(p[p > 0].min())
        worst = int(np.argmax(most))
        low = min(max(float(least.max()), 0.0) / whole, 1.0)
        return low, min(max(float(most[worst]) / whole, low), 1.0), worst


_PARTS = (0.5, 0.7, 0.8, 0.9, 0.95)
"""Of what the other values sum to on average, that they are held to exceed."""


def _tenth(posterior: Floats, chances: Floats) -> float:
    """The mean over the tenth with the largest posterior."""
    nobody = np.zeros(len(posterior), dtype=np.int64)
    return float(most_exposed(nobody, posterior, chances, 1)[0])


def _log_ratio(own: Floats, other: Floats) -> Floats:
    logs = (np.where(law > 0, log_or_zero(law), _NEVER) for law in (own, other))
    return np.asarray(np.clip(np.subtract(*logs), _NEVER, -_NEVER))


def cells_of_counts(shares: Floats, noise: NoisyNumber) -> PersonsCells:
    """The cells that noisy counts leave to someone who knows everybody else; one person moves a count by 1."""
    law, moves = noise.added, max(round(1 / noise.span.grid), 1)
    away = np.ceil(law.KNOTS * law.scale)
    # Ratios of the two laws change between 0 and the move most.
    near = np.arange(-1, moves + 1)[:: max(moves // MOST_OUTPUTS, 1)]
    edges = np.unique(np.concatenate([-away - 1, away - 1, away - 1 + moves, near]))

    def chances(centre: int) -> Floats:
        low, high = edges[:-1] - centre, edges[1:] - centre
        # Beyond the centre by symmetry, where differences of small tails keep their digits.
        beyond = law.below(-low - 1) - law.below(-high - 1)
        inside = np.where(low >= 0, beyond, law.below(high) - law.below(low))
        ends = law.below(edges[[0]] - centre), law.below(-(edges[[-1]] - centre) - 1)
        return np.concatenate([ends[0], np.maximum(inside, 0.0), ends[1]])

    own, other = chances(moves), chances(0)
    return PersonsCells(shares, own / own.sum(), other / other.sum())


def evidence_of_answers(shares: Floats, noise: NoisyNumber, rows: int, neighbours: Neighbours) -> ScoreEvidence:
    """What counts of values with noise say of one person, and are worth for the shares of so many rows.

    Their worth is S / (S + M): S = n Σ p (1 − p) is how much the counts vary from sample to sample, M the variance of
    the noise in all of them.
    """
    cells = cells_of_counts(shares, noise)
    sampling = rows * float(shares @ (1 - shares))
    error = len(shares) * (noise.added.standard_deviation * noise.span.grid) ** 2
    worth = sampling / (sampling + error) if sampling > 0 else 0.0
    return evidence_of_cells(cells, noise, Statistic((), share(worth)), neighbours)


def evidence_of_cells(
    cells: PersonsCells, mechanism: Mechanism, worth: Statistic, neighbours: Neighbours
) -> ScoreEvidence:
    """What the cells of one person say, beside what the release is worth."""
    law, claim = cells.law(), guaranteed(mechanism.claims, neighbours)
    if law is not None:
        found = evidence_by_law(law, statistics=(worth,))
        named = tuple(structs.replace(one, name=AttackerName.KNOWS_EVERYBODY_ELSE) for one in found.attackers)
        return structs.replace(found, attackers=named, guarantee=claim)
    gained = (cells.guessed() - cells.baseline) / (1 - cells.baseline)
    least, most, _ = cells.surest()
    attacker = Attacker(
        (),
        share(gained),
        share(cells.told() / cells.uncertainty()),
        name=AttackerName.KNOWS_EVERYBODY_ELSE,
        surest=share(most, least, most),
    )
    return ScoreEvidence(attackers=(attacker,), guarantee=claim, statistics=(worth,))
