"""Bayes on maps of thousands of areas, where neither the channel nor the distances are written down.

Reports are taken one after the other: a mechanism's law says how likely each area makes one, and the best guess comes
from the centres of the areas. So memory holds a few vectors of one number per area.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from leakgauge.arguments import checked
from leakgauge.errors import OptionError
from leakgauge.location.tracking.averages import averaged
from leakgauge.location.tracking.guessing import Aim, guesser_of
from leakgauge.location.tracking.moves import logarithms
from leakgauge.measures import shannon
from leakgauge.mechanisms.mechanism import Law
from leakgauge.probability import Distribution, Estimate
from leakgauge.probability.cells import Codes, Floats, log_or_zero
from leakgauge.randomness.sources import Simulated, simulation

BLOCK = 1 << 20
"""Likelihoods that are computed at once (8 MiB)."""


@dataclass(frozen=True, eq=False)
class LawInference:
    """What someone who sees one report infers; the members are those of ``Inference``."""

    guesses: Codes
    error: float
    errors: Floats = field(repr=False)
    information: float
    remaining: float
    law: Law = field(repr=False)
    prior: Distribution = field(repr=False)
    points: Floats = field(repr=False)

    def within(self, radius: float) -> float:
        """The probability that the guess is at most so far from the truth; reports are gone through once more."""
        near, total = 0.0, 0.0
        for output, chances in _columns(self.law, len(self.prior), len(self.guesses)):
            weights = self.prior.probabilities * chances
            far = np.hypot(*(self.points - self.points[self.guesses[output]]).T)
            near, total = near + float(weights @ (far <= radius)), total + float(weights.sum())
        return near / total


@checked
def infer_through_law(
    prior: Distribution, law: Law, points: object, *, outputs: int | None = None, aim: Aim = Aim.DISTANCE
) -> LawInference:
    """What a report tells someone who knows the prior and the law, by a sum over all outputs.

    Args:
        law: from positions of areas to positions of outputs.
        points: the centre of each area, in metres east and north.
        outputs: how many there are; by default as many as areas.
        aim: what the guesses make small.

    Raises:
        ModelError: points that are not two coordinates per area.
    """
    guesser = guesser_of(points, len(prior), aim)
    count = len(prior) if outputs is None else outputs
    guesses = np.full(count, guesser.area(prior.probabilities), dtype=np.int64)
    errors, totals, uncertain = np.zeros(len(prior)), np.zeros(len(prior)), 0.0
    for output, chances in _columns(law, len(prior), count):
        weights = prior.probabilities * chances
        chance = float(weights.sum())
        if chance > 0:
            belief = weights / chance
            guesses[output] = guesser.area(belief)
            uncertain -= float(weights @ log_or_zero(belief))
        totals += chances
        errors += chances * np.hypot(*(guesser.points - guesser.points[guesses[output]]).T)
    # Likelihoods are up to a constant: each area's add up to it.
    scale = float(prior.probabilities @ totals)
    entropy = shannon.entropy(prior)
    remaining = min(max(uncertain / scale / math.log(2), 0.0), entropy)
    errors /= totals
    error = float(prior.probabilities @ errors)
    return LawInference(guesses, error, errors, entropy - remaining, remaining, law, prior, guesser.points)


@dataclass(frozen=True)
class Drawn:
    """What drawn reports tell, each with its interval; see ``Inference``.

    Attributes:
        error: in the unit of the points.
        information: in bits.
        remaining: in bits.
    """

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
    aim: Aim = Aim.DISTANCE,
    simulation_seed: int = 0,
) -> Drawn:
    """What so many fresh reports of one place tell, averaged over places and reports that are drawn.

    Nothing is as large as areas by areas: for maps of up to a million cells, and for many reports.

    Args:
        law: how a mechanism draws reports, and how likely they are.
        points: the centre of each area, in metres east and north.
        reports: of each place.
        draws: places that are drawn; intervals shrink with the square root of their number.
        aim: what the guesses make small.

    Raises:
        OptionError: fewer than 1 report or 2 draws.
        ModelError: points that are not two coordinates per area.
    """
    if reports < 1 or draws < 2:
        raise OptionError(
            "{reports} reports of {draws} places tell nothing; give 1 or more of at least 2 places.",
            reports=reports,
            draws=draws,
        )
    guesser = guesser_of(points, len(prior), aim)
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


def _columns(law: Law, areas: int, outputs: int) -> Iterator[tuple[int, Floats]]:
    """Each output and how likely each area makes it, up to one constant for all."""
    inputs, width = np.arange(areas), max(BLOCK // areas, 1)
    for first in range(0, outputs, width):
        block = np.arange(first, min(first + width, outputs))
        yield from zip(block.tolist(), np.exp(law.scores(inputs, block)).T, strict=True)
