"""Averaging: what several fresh reports of one place tell, which one report does not.

Reports of one place are independent given the place, so that their order tells nothing: only how often each output came
up does. That is a channel of its own, exact while it is small; beyond, and on maps too large for any channel, reports
are drawn and what they tell is averaged, with an interval.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np

from leakgauge.arguments import checked
from leakgauge.errors import ModelError, OptionError
from leakgauge.location.tracking.averages import averaged
from leakgauge.location.tracking.guessing import Aim, Guesser
from leakgauge.measures import shannon
from leakgauge.mechanisms.mechanism import Law
from leakgauge.probability import Channel, Distribution, Estimate
from leakgauge.probability.cells import log_or_zero
from leakgauge.randomness.sources import Simulated, simulation

MOST_CELLS = 1 << 23
"""Probabilities of repeated reports that are written down (64 MiB)."""


@checked
def repeated_reports(channel: Channel, reports: int) -> Channel:
    """The channel from an area to so many fresh reports of it; outputs are tuples of reports, whatever their order.

    Raises:
        OptionError: fewer than 1 report.
        ModelError: too many outcomes to write down; draw reports instead.

    Example:
        >>> coin = Channel("ab", "xy", [[0.75, 0.25], [0.25, 0.75]])
        >>> repeated_reports(coin, 2).outputs
        (('x', 'x'), ('x', 'y'), ('y', 'y'))
        >>> repeated_reports(coin, 2).matrix.tolist()[0]
        [0.5625, 0.375, 0.0625]
    """
    if reports < 1:
        raise OptionError("{reports} reports are none; give 1 or more.", reports=reports)
    outcomes = math.comb(len(channel.outputs) + reports - 1, reports)
    if outcomes * len(channel.inputs) > MOST_CELLS:
        raise ModelError(
            "{reports} reports of {outputs} outputs have {outcomes:,} outcomes, too many to write down; draw reports "
            "instead, or average fewer.",
            reports=reports,
            outputs=len(channel.outputs),
            outcomes=outcomes,
        )
    drawn = np.array(list(combinations_with_replacement(range(len(channel.outputs)), reports)))
    # How many orders one outcome has: reports! over the product of the runs' factorials.
    runs, orders = np.ones(outcomes), np.ones(outcomes)
    for at in range(1, reports):
        runs = np.where(drawn[:, at] == drawn[:, at - 1], runs + 1, 1.0)
        orders *= (at + 1) / runs
    chances = np.tile(orders, (len(channel.inputs), 1))
    for at in range(reports):
        chances *= channel.matrix[:, drawn[:, at]]
    labels = [tuple(channel.outputs[code] for code in row) for row in drawn.tolist()]
    return Channel(channel.inputs, labels, chances)


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
    guesser = Guesser(np.asarray(points, dtype=np.float64), aim)
    if len(guesser.points) != len(prior):
        raise ModelError(
            "There are {found} centres for {areas} areas; give two coordinates for each.",
            found=len(guesser.points),
            areas=len(prior),
        )
    generator = simulation(simulation_seed)
    truth = np.searchsorted(np.cumsum(prior.probabilities), generator.random(draws), side="right")
    truth = np.minimum(truth, np.flatnonzero(prior.probabilities)[-1])
    outputs = law.draw(np.repeat(truth, reports), Simulated(int(generator.integers(1 << 62))))
    areas, before = (
        np.arange(len(prior)),
        np.where(prior.probabilities > 0, log_or_zero(prior.probabilities), -math.inf),
    )
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
