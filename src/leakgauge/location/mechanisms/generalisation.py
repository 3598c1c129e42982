"""Coarser areas and hidden ones: without chance, so that what is released is certain, and ε infinite."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np

from leakgauge.arguments import checked
from leakgauge.distances.map_cells import MapCells
from leakgauge.errors import OptionError
from leakgauge.location.mechanisms.placed import Placed, on_areas
from leakgauge.mechanisms import coarser_cells
from leakgauge.mechanisms.coarser_cells import members
from leakgauge.mechanisms.on_cells import box_of, centre_of
from leakgauge.probability import Channel, Label
from leakgauge.probability.cells import Codes

HIDDEN = None
"""What is released of a hidden area: nothing, a missing value."""


@checked
def blocks(cells: MapCells, level: int) -> Placed:
    """Each cell as its block of 2^level by 2^level cells."""
    made = coarser_cells(level, **box_of(cells))  # type: ignore[arg-type]
    return Placed(made, made.stands_for)


@checked
def hidden(labels: Sequence[Label], hide: Collection[int]) -> Placed:
    """Each area as it is, but for those that are hidden, of which nothing is released.

    Args:
        labels: of the areas.
        hide: the positions of those to hide.

    Raises:
        OptionError: nothing to hide, or a position that is not one of an area.

    Example:
        >>> hidden(["home", "work", "clinic"], [2]).channel.outputs
        ('home', 'work', None)
    """
    gone = sorted(set(hide))
    if not gone or not 0 <= gone[0] <= gone[-1] < len(labels):
        raise OptionError(
            "The areas to hide are missing, or not among the {count} areas; give the positions of some of them.",
            count=len(labels),
        )
    shown = [at for at in range(len(labels)) if at not in set(gone)]
    codes = np.full(len(labels), len(shown))
    codes[shown] = np.arange(len(shown))
    outputs = (*(labels[at] for at in shown), HIDDEN)
    return on_areas(_certain(labels, outputs, codes), members=[*([at] for at in shown), gone])


@checked
def areas_of_users(cells: MapCells, visited: Codes, least: int, users: Codes | None = None) -> Placed:
    """Each cell as the smallest square of a quadtree that holds at least so many users, or nobody at all.

    The whole map is cut into quarters, each of them again, and so on, as long as no quarter holds a few users: at least
    one, and fewer than ``least``. So every square that is released for one of them holds ``least`` of them or more. It
    is a promise about these users only, and none against whoever knows more: ε is infinite.

    Args:
        visited: the cell of each point, by number; −1 outside the map.
        least: how many users a square holds at least.
        users: whose point it is; None where every point is of another user.

    Raises:
        OptionError: a number below 1, or fewer users than that on the whole map.

    Example:
        >>> city = MapCells(40.70, 40.82, -74.02, -73.92, rows=4, columns=4)
        >>> areas = areas_of_users(city, np.repeat([0, 1, 5, 15], [9, 9, 9, 2]), least=5)
        >>> len(areas.channel.outputs), max(map(len, areas.groups))
        (1, 16)
    """
    crowd = _crowds(cells, visited, users)
    everybody = crowd(np.arange(cells.count))
    if not 1 <= least <= everybody:
        raise OptionError(
            "Areas of at least {least} users cannot be made from {found} users; give a number from 1 to that many.",
            least=least,
            found=everybody,
        )
    row, column = np.divmod(np.arange(cells.count), cells.columns)
    codes = np.zeros(cells.count, dtype=np.int64)
    open_squares = [(np.arange(cells.count), max(cells.rows - 1, cells.columns - 1).bit_length())]
    made = 0
    while open_squares:
        held, bits = open_squares.pop()
        quarters = _quarters(row[held], column[held], bits)
        parts = [held[quarters == at] for at in np.unique(quarters).tolist()]
        crowds = [crowd(part) for part in parts]
        if bits == 0 or any(0 < found < least for found in crowds) or not any(crowds):
            codes[held] = made
            made += 1
        else:
            open_squares += [(part, bits - 1) for part in reversed(parts)]
    squares = members(codes)
    labels = [centre_of(cells, held[0], held[-1]) for held in squares]
    return on_areas(_certain(cells.labels, labels, codes), members=squares)


def _crowds(cells: MapCells, visited: Codes, users: Codes | None) -> Callable[[Codes], int]:
    """How many different users have a point in some cells."""
    inside = visited >= 0
    if users is None:
        counts = np.bincount(visited[inside], minlength=cells.count)
        return lambda held: int(counts[held].sum())
    pairs = np.unique(np.stack([visited[inside], np.asarray(users)[inside]]), axis=1)
    starts = np.searchsorted(pairs[0], np.arange(cells.count + 1))

    def crowd(held: Codes) -> int:
        found = [pairs[1, starts[cell] : starts[cell + 1]] for cell in held.tolist()]
        return len(np.unique(np.concatenate(found))) if found else 0

    return crowd


def _quarters(row: Codes, column: Codes, bits: int) -> Codes:
    """Which quarter of a square of 2^bits cells a side each cell lies in; all in one of a single cell."""
    return (row >> bits - 1 & 1) * 2 + (column >> bits - 1 & 1) if bits else np.zeros_like(row)


def _certain(inputs: Sequence[Label], outputs: Sequence[Label], codes: Codes) -> Channel:
    """The channel that releases one output for each input, without chance."""
    return Channel.from_cells(tuple(inputs), tuple(outputs), np.arange(len(inputs)), codes, np.ones(len(inputs)))
