"""What several fresh reports of one place tell together, which one report does not.

Reports of one place are independent given the place, so that their order tells nothing: only how often each output came
up does. That is a channel of its own, exact while it is small; beyond, ``infer_by_drawing`` averages over drawn ones.
"""

from __future__ import annotations

import math
from itertools import combinations_with_replacement

import numpy as np

from leakgauge.arguments import checked
from leakgauge.errors import ModelError, OptionError
from leakgauge.probability import Channel

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
        raise OptionError("{reports} reports cannot be averaged; give 1 or more.", reports=reports)
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
