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
from leakgauge.probability.cells import Codes, Floats
from leakgauge.probability.labels import text_of
from leakgauge.randomness import Randomness
from leakgauge.randomness.alias import AliasTables

MOST_SETS = 1 << 15
"""Up to here all sets are written down."""
RAREST = 1e-4
"""The least probability of all areas but the likeliest of a set: dummies among them are drawn in 10^4 tries or so."""
LARGEST_SET = 6
"""The orders in which dummies may have been drawn are counted one by one."""


@checked
def uniform_dummies(cells: MapCells, count: int) -> Placed:
    """The true cell among so many, the others drawn uniformly, all different.

    Raises:
        OptionError: more sets than can be written down, or a count that is below 2 or all cells.
    """
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
    _require_count(p, count, LARGEST_SET)
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


@checked
def draw_dummies(prior: Distribution, count: int, areas: Codes, randomness: Randomness) -> Codes:
    """For each area a set as ``dummies_from_prior`` has it, in a row of its own, on maps of any size.

    Areas are drawn from the prior, in multiples of 2^-53, and those that the set holds already are drawn again.

    Args:
        areas: the true ones, by their positions.

    Raises:
        OptionError: a count below 2, or too few areas that occur often enough to be drawn.
    """
    _require_count(prior.probabilities, count, len(prior))
    if np.sort(prior.probabilities)[: len(prior) - count + 1].sum() < RAREST:
        raise OptionError(
            "All but {count} areas are too rare to be drawn as dummies; give a smaller count, or larger areas.",
            count=count - 1,
        )
    tables = AliasTables(Channel.constant(["any"], prior).dyadic().cells)
    sets = np.full((len(areas), count), -1, dtype=np.int64)
    sets[:, 0] = areas
    sizes = np.ones(len(areas), dtype=np.int64)
    open_rows = np.arange(len(areas))
    while open_rows.size:
        drawn = tables.draw(np.zeros(len(open_rows), dtype=np.int64), randomness)
        new = (sets[open_rows] != drawn[:, None]).all(axis=1)
        rows = open_rows[new]
        sets[rows, sizes[rows]] = drawn[new]
        sizes[rows] += 1
        open_rows = open_rows[sizes[open_rows] < count]
    return np.sort(sets, axis=1)


def _require_count(probabilities: Floats, count: int, most: int) -> None:
    if not 2 <= count <= most or np.count_nonzero(probabilities) < count:
        raise OptionError(
            "Sets of {count} areas cannot be drawn; give 2 to {most}, and no more than there are areas that occur.",
            count=count,
            most=most,
        )
