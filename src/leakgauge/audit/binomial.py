"""Exact bounds on a probability from a count (Clopper and Pearson 1934)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from leakgauge.errors import OptionError
from leakgauge.probability import Estimate
from leakgauge.probability.cells import Floats


def at_least(successes: npt.ArrayLike, trials: npt.ArrayLike, miss: float) -> Floats:
    """The probability is below this with a chance of at most ``miss``."""
    from scipy.special import betaincinv

    k, n = np.asarray(successes, dtype=np.float64), np.asarray(trials, dtype=np.float64)
    found = betaincinv(np.maximum(k, 1.0), n - np.maximum(k, 1.0) + 1, miss)
    return np.asarray(np.where(k > 0, found, 0.0))


def at_most(successes: npt.ArrayLike, trials: npt.ArrayLike, miss: float) -> Floats:
    """The probability is above this with a chance of at most ``miss``."""
    n = np.asarray(trials, dtype=np.float64)
    return np.asarray(1 - at_least(n - np.asarray(successes, dtype=np.float64), n, miss))


def share(successes: int, trials: int, confidence: float) -> Estimate:
    """A probability from a count, with its two-sided interval."""
    miss = (1 - require_confidence(confidence)) / 2
    low, high = float(at_least(successes, trials, miss)), float(at_most(successes, trials, miss))
    return Estimate(successes / trials, low, high, confidence, trials)


def difference(gained: int, lost: int, trials: int, confidence: float) -> Estimate:
    """How much likelier one of two paired outcomes is, where ``gained`` had only it and ``lost`` only the other."""
    # A quarter of the miss for each end of each share: sound however the two depend on each other.
    miss = (1 - require_confidence(confidence)) / 4
    low = float(at_least(gained, trials, miss)) - float(at_most(lost, trials, miss))
    high = float(at_most(gained, trials, miss)) - float(at_least(lost, trials, miss))
    return Estimate((gained - lost) / trials, low, high, confidence, trials)


def require_confidence(confidence: float) -> float:
    """The confidence, refused outside (0, 1)."""
    if not 0 < confidence < 1:
        raise OptionError("A confidence of {confidence} lies outside (0, 1); 0.95 is usual.", confidence=confidence)
    return confidence
