"""The true area among dummies, drawn uniformly or from a prior: the output is a set."""

from __future__ import annotations

import math
from itertools import combinations, permutations

import numpy as np

from leakgauge.arguments import checked
from leakgauge.distances.map_cells import MapCells
from leakgauge.errors import OptionError
from leakgauge.location.mechanisms.placed import Placed, on_areas
from leakgauge.mechanisms import dummies
from leakgauge.mechanisms.letter_sets import SEPARATOR
from leakgauge.mechanisms.on_cells import box_of
from leakgauge.probability import Channel, Distribution
from leakgauge.probability.labels import text_of

MOST_SETS = 1 << 15
"""Up to here all sets are written down."""
LARGEST_SET = 6
"""The orders in which dummies may have been drawn are counted one by one."""


@checked
def uniform_dummies(cells: MapCells, count: int) -> Placed:
    """The true cell among so many, the others drawn uniformly, all different."""
    made = dummies(count, **box_of(cells))  # type: ignore[arg-type]
    return Placed(made, tuple(combinations(range(cells.count), count)))


@checked
def dummies_from_prior(prior: Distribution, count: int) -> Placed:
    """The true area among so many, the others drawn one after another from the prior, each different from the rest.

    Such dummies are where people are, so that someone with the same prior finds it harder to leave some out.

    Args:
        prior: p(x); areas that never occur are never dummies.
        count: areas in a set, the true one included.

    Raises:
        OptionError: a count outside 2 to 6, too few areas that occur, or more sets than can be written down.

    Example:
        >>> among = dummies_from_prior(Distribution(["a", "b", "c"], [0.5, 0.3, 0.2]), 2)
        >>> among.channel.outputs, among.channel.matrix[0].round(2).tolist()
        (('a|b', 'a|c', 'b|c'), [0.6, 0.4, 0.0])
    """
    p, areas = prior.probabilities, len(prior)
    if not 2 <= count <= LARGEST_SET or np.count_nonzero(p) < count:
        raise OptionError(
            "Sets of {count} areas cannot be drawn; give 2 to {most}, and no more than there are areas that occur.",
            count=count,
            most=LARGEST_SET,
        )
    if math.comb(areas, count) > MOST_SETS:
        raise OptionError(
            "There are {sets:,} sets of {count} of the {areas} areas, more than can be written down; give a smaller "
            "count, or larger areas.",
            sets=math.comb(areas, count),
            count=count,
            areas=areas,
        )
    sets = np.array(list(combinations(range(areas), count)))
    matrix = np.zeros((areas, len(sets)))
    for true in range(count):
        others = np.delete(sets, true, axis=1)
        for order in permutations(range(count - 1)):
            # One after another from what is left of the prior.
            left = 1 - p[sets[:, true]]
            chance = np.ones(len(sets))
            for at in order:
                share = p[others[:, at]]
                chance *= np.divide(share, left, out=np.zeros(len(sets)), where=share > 0)
                left = left - share
            matrix[sets[:, true], np.arange(len(sets))] += chance
    # Sets that no area leads to, of areas that never occur, are left out.
    drawn = matrix.any(axis=0)
    texts = [SEPARATOR.join(text_of(prior.outcomes[at]) for at in group) for group in sets[drawn].tolist()]
    return on_areas(Channel(prior.outcomes, texts, matrix[:, drawn]), members=sets[drawn].tolist())
