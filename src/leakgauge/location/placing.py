"""The area of each row: by its place, or by the column that names it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from leakgauge.location.areas import Areas
from leakgauge.location.named_areas import NamedAreas
from leakgauge.location.points import Chunk, Points
from leakgauge.probability.cells import Codes


class Placed(NamedTuple):
    """Some rows and their areas.

    Attributes:
        codes: the area of each row by its position among the labels; −1 outside all, and where there is no place.
        known: which rows have a place, or the name of one.
        possible: which of them have a place on the earth.
    """

    chunk: Chunk
    codes: Codes
    known: npt.NDArray[np.bool_]
    possible: npt.NDArray[np.bool_]


def placed(points: Points, areas: Areas, *more: str) -> Iterator[Placed]:
    """The rows in the order of the table with their areas and these further columns."""
    if isinstance(areas, NamedAreas) and areas.column is not None:
        for chunk in points.chunks(areas.column, *more):
            names = chunk.column(areas.column)
            named = np.asarray(names.is_valid())
            yield Placed(chunk, areas.codes_of(names), named, named)
        return
    for chunk in points.chunks(*more):
        codes = np.full(len(chunk.latitudes), -1, dtype=np.int64)
        codes[chunk.possible] = areas.codes(chunk.latitudes[chunk.possible], chunk.longitudes[chunk.possible])
        yield Placed(chunk, codes, chunk.known, chunk.possible)
