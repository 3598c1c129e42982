"""How much a release protects a typical person.

Two shares say what an attacker gains: A, the share of the guesses left to get right that the release makes right; B,
the share of the remaining uncertainty that it removes. For numbers A is a share of the variance of their ranks, which
no tail owns, and B puts information on the same scale, however finely numbers are counted.
"""

from __future__ import annotations

import math

import numpy as np

from leakgauge.case.certainty import NOTHING_LEFT
from leakgauge.case.law import Sight
from leakgauge.probability.cells import Floats


def leaves_something(sight: Sight, numbers: Floats | None = None) -> bool:
    """Whether what is known before the release leaves anything to protect."""
    before = sight.before
    if before.uncertainty() <= NOTHING_LEFT:
        return False
    if numbers is None:
        return 1 - before.guessed() > NOTHING_LEFT
    return before.variance(numbers) > NOTHING_LEFT * float(np.ptp(numbers)) ** 2


def gained(sight: Sight, numbers: Floats | None = None) -> float:
    """A = (success − baseline) / (1 − baseline) of the best guess, or of numbers 1 − E Var(R|W) / E Var(R|known).

    Args:
        numbers: the ranks of the values, where these are numbers.
    """
    if numbers is None:
        baseline = sight.before.guessed()
        return min(max((sight.guessed() - baseline) / (1 - baseline), 0.0), 1.0)
    return min(max(1 - sight.variance(numbers) / sight.before.variance(numbers), 0.0), 1.0)


def told(sight: Sight, numbers: Floats | None = None) -> float:
    """B = I(X;W|known) / H(X|known); of numbers (1 − e^(−2I)) / (1 − e^(−2H)), in nats."""
    before = sight.before.uncertainty()
    nats = min(max(before - sight.uncertainty(), 0.0), before)
    return nats / before if numbers is None else math.expm1(-2 * nats) / math.expm1(-2 * before)
