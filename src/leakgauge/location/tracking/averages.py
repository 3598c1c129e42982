"""Means of draws, with the interval that Student's law gives."""

from __future__ import annotations

import math

from leakgauge.probability import Estimate
from leakgauge.probability.cells import Floats

CONFIDENCE = 0.95


def averaged(values: Floats, least: float, most: float) -> Estimate:
    """The mean of independent draws with its interval, both cut to what the mean can be."""
    from scipy.special import stdtrit

    width = float(stdtrit(len(values) - 1, (1 + CONFIDENCE) / 2) * values.std(ddof=1) / math.sqrt(len(values)))
    mean = float(values.mean())
    value, low, high = (min(max(end, least), most) for end in (mean, mean - width, mean + width))
    return Estimate(value, low, high, CONFIDENCE, len(values))
