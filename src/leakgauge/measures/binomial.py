"""Exact bounds on a probability from a count (Clopper and Pearson 1934)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from leakgauge.errors import OptionError
from leakgauge.measures.clusters import design_effect_of_mean
from leakgauge.probability import Estimate
from leakgauge.probability.cells import Codes, Floats, Truths


def at_least(successes: npt.ArrayLike, trials: npt.ArrayLike, miss: float) -> Floats:
    """The probability is below this with a chance of at most ``miss``."""
    from scipy.special import betaincinv

    k, n = np.asarray(successes, dtype=np.float64), np.asarray(trials, dtype=np.float64)
    found = betaincinv(np.maximum(k, 1.0), n - np.maximum(k, 1.0) + 1, miss)
    # A count below 1 comes from targets that repeat each other, and shows nothing.
    return np.asarray(np.where(k >= 1, found, 0.0))


def at_most(successes: npt.ArrayLike, trials: npt.ArrayLike, miss: float) -> Floats:
    """The probability is above this with a chance of at most ``miss``."""
    n = np.asarray(trials, dtype=np.float64)
    return np.asarray(1 - at_least(n - np.asarray(successes, dtype=np.float64), n, miss))


def share(successes: float, trials: int, confidence: float, design_effect: float = 1.0) -> Estimate:
    """A probability from a count, with its two-sided interval; so many trials are worth one independent one."""
    miss = (1 - require_confidence(confidence)) / 2
    right, of = successes / design_effect, trials / design_effect
    low, high = float(at_least(right, of, miss)), float(at_most(right, of, miss))
    value = successes / trials
    return Estimate(value, min(low, value), max(high, value), confidence, trials)


def share_of(outcomes: Truths, units: Codes | None, confidence: float) -> Estimate:
    """How often something holds, from targets, of which those of one unit count as far as they differ."""
    effect = design_effect_of_mean(outcomes.astype(np.float64), units)
    return share(int(outcomes.sum()), len(outcomes), confidence, effect)


def difference(gained: int, lost: int, trials: int, confidence: float, design_effect: float = 1.0) -> Estimate:
    """How much likelier one of two paired outcomes is, where ``gained`` had only it and ``lost`` only the other."""
    # A quarter of the miss for each end of each share: sound however the two depend on each other.
    miss = (1 - require_confidence(confidence)) / 4
    only, other, of = gained / design_effect, lost / design_effect, trials / design_effect
    low = float(at_least(only, of, miss)) - float(at_most(other, of, miss))
    high = float(at_most(only, of, miss)) - float(at_least(other, of, miss))
    value = (gained - lost) / trials
    return Estimate(value, min(low, value), max(high, value), confidence, trials)


def require_confidence(confidence: float) -> float:
    """The confidence, refused outside (0, 1)."""
    if not 0 < confidence < 1:
        raise OptionError("A confidence of {confidence} is not between 0 and 1; try 0.95.", confidence=confidence)
    return confidence
