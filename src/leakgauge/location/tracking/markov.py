"""Tracking over a trace: where someone was at each step, given how people move and what was reported.

The filter uses the reports up to a step, the smoother all of them. Every belief is exact on areas: the same as a sum
over all paths.

Reference: Rabiner, A tutorial on hidden Markov models, 1989; Shokri et al., Quantifying location privacy, 2011.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from leakgauge.arguments import checked
from leakgauge.location.tracking.evidence import Evidence
from leakgauge.location.tracking.guessing import Guesser, centres_of
from leakgauge.location.tracking.messages import Logarithms, Messages, Probabilities, TooUnlikelyError
from leakgauge.location.tracking.movement import Movement
from leakgauge.probability.cells import Codes, Floats

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Track:
    """A path of guesses and how far off its author expects to be.

    Attributes:
        guesses: the area named at each step.
        errors: the expected distance of each guess from the truth, under the tracker's own belief, in metres.
        entropies: what is still open at each step, in bits.
    """

    guesses: Codes
    errors: Floats = field(repr=False)
    entropies: Floats = field(repr=False)


@checked
def track(
    movement: Movement,
    evidence: Evidence,
    points: object,
    *,
    hindsight: bool = False,
) -> Track:
    """Guesses of a tracker who knows the movement and the mechanism, step by step.

    Args:
        points: the centre of each area, in metres east and north.
        hindsight: whether later reports count too (smoothing), or only those so far (filtering).

    Raises:
        ModelError: no path leads to the reports, or points that are not two coordinates per area.

    Example:
        >>> from leakgauge.probability import Channel, Distribution
        >>> movement = Movement.resting(Distribution.uniform("abc"))
        >>> noisy = Channel("abc", "abc", [[0.6, 0.4, 0.0], [0.3, 0.4, 0.3], [0.0, 0.4, 0.6]])
        >>> found = track(movement, Evidence.through_channel(noisy, "bab"), [[0, 0], [1, 0], [2, 0]])
        >>> found.guesses.tolist(), found.entropies.round(3).tolist()
        ([1, 0, 0], [1.585, 0.918, 0.918])
    """
    guesser = Guesser(centres_of(points, len(movement.areas)))

    def follow(messages: Messages) -> Track:
        guesses = np.empty((len(evidence), 3))
        for step, belief in messages.beliefs(hindsight=hindsight):
            guesses[step] = guesser.guess(belief)
        areas, errors, entropies = guesses.T
        return Track(areas.astype(np.int64), errors, entropies)

    return _safely(movement, evidence, follow)


@checked
def log_evidence(movement: Movement, evidence: Evidence) -> float:
    """The log of how likely the reports are together, in nats, up to the constants of their scores."""

    def follow(messages: Messages) -> float:
        for _ in messages.states():
            pass
        return messages.likelihood

    return _safely(movement, evidence, follow)


def _safely(movement: Movement, evidence: Evidence, follow: Callable[[Messages], T]) -> T:
    """By probabilities, or where these are too small for floats by their logarithms."""
    try:
        return follow(Probabilities(movement, evidence))
    except TooUnlikelyError:
        return follow(Logarithms(movement, evidence))
