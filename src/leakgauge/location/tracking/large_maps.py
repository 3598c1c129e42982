"""Bayes on maps of thousands of areas, where neither the channel nor the distances are written down.

Places and reports of them are drawn: a mechanism's law says how likely each area makes a report, and the best guess
comes from the centres of the areas. So memory holds a few vectors of one number per area.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from leakgauge.arguments import checked
from leakgauge.errors import OptionError
from leakgauge.location.tracking.guessing import Guesser, centres_of
from leakgauge.location.tracking.moves import logarithms
from leakgauge.measures import shannon
from leakgauge.mechanisms.mechanism import Law
from leakgauge.probability import Distribution, Estimate
from leakgauge.probability.cells import Floats
from leakgauge.randomness.sources import Simulated, simulation

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Drawn:
    """What drawn reports tell, each with its interval, in the unit of the points and in bits; see ``Inference``."""

    error: Estimate
    information: Estimate
    remaining: Estimate


@checked
def infer_by_drawing(
    prior: Distribution,
    law: Law,
    points: object,
    *,
    reports: int = 1,
    draws: int = 1000,
    simulation_seed: int = 0,
) -> Drawn:
    """What so many fresh reports of one place tell, averaged over places and reports that are drawn.

    Nothing is as large as areas by areas: for maps of up to a million cells, and for many reports. Intervals shrink
    with the square root of the number of draws. Points are the centres of the areas, in metres east and north.

    Raises:
        OptionError: fewer than 1 report or 2 draws.
        ModelError: points that are not two coordinates per area.
    """
    if reports < 1 or draws < 2:
        raise OptionError(
            "{reports} reports of {draws} places reveal nothing; give 1 or more of at least 2 places.",
            reports=reports,
            draws=draws,
        )
    guesser = Guesser(centres_of(points, len(prior)))
    generator = simulation(simulation_seed)
    truth = np.searchsorted(np.cumsum(prior.probabilities), generator.random(draws), side="right")
    truth = np.minimum(truth, np.flatnonzero(prior.probabilities)[-1])
    outputs = law.draw(np.repeat(truth, reports), Simulated(int(generator.integers(1 << 62))))
    areas, before = np.arange(len(prior)), logarithms(prior.probabilities)
    errors, entropies = np.empty(draws), np.empty(draws)
    for at in range(draws):
        logs = before + law.scores(areas, outputs[at * reports : (at + 1) * reports]).sum(axis=1)
        belief = np.exp(logs - logs.max())
        guess = guesser.guess(belief / belief.sum())
        errors[at], entropies[at] = guess.error, guess.entropy
    entropy = shannon.entropy(prior)
    remaining = averaged(entropies, 0.0, entropy)
    information = averaged(entropy - entropies, 0.0, entropy)
    return Drawn(averaged(errors, 0.0, math.inf), information, remaining)


def averaged(values: Floats, least: float, most: float) -> Estimate:
    """The mean of independent draws with the interval of Student's law, both cut to what the mean can be."""
    from scipy.special import stdtrit

    width = float(stdtrit(len(values) - 1, (1 + CONFIDENCE) / 2) * values.std(ddof=1) / math.sqrt(len(values)))
    mean = float(values.mean())
    value, low, high = (min(max(end, least), most) for end in (mean, mean - width, mean + width))
    return Estimate(value, low, high, CONFIDENCE, len(values))
