"""The area of each row: by its place, or by the column that names it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from leakgauge.location.areas import Areas
from leakgauge.location.named_areas import NamedAreas
from leakgauge.location.points import Chunk, Points
from leakgauge.probability.cells import Codes

if TYPE_CHECKING:
    import pyarrow as pa


class Placed(NamedTuple):
    """Some rows with the position of each one's area among the labels, −1 outside all and where there is no place.

    ``known`` rows have a place, or the name of one; ``possible`` ones have a place on the earth.
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


def rows_with_areas(points: Points, areas: Areas, column: str, kept: Sequence[str]) -> tuple[pa.Table, Codes]:
    """The rows that lie in an area: its label in a column of this name beside the kept columns, and its position."""
    import pyarrow as pa

    labels, names = pa.array(areas.labels), list(dict.fromkeys(kept))
    every, parts = [], []
    for rows in placed(points, areas, *kept):
        inside = np.flatnonzero(rows.codes >= 0)
        every.append(rows.codes[inside])
        dictionary = pa.DictionaryArray.from_arrays(pa.array(rows.codes[inside].astype(np.int32)), labels)
        others = [rows.chunk.column(name).take(pa.array(inside)) for name in names]
        parts.append(pa.RecordBatch.from_arrays([dictionary.cast(pa.string()), *others], [column, *names]))
    return pa.Table.from_batches(parts), np.concatenate(every)
