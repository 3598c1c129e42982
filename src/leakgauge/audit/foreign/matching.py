"""Matching of the rows of a release to those of its original: by a key that both have, or by their order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from leakgauge.errors import ColumnError, TableError
from leakgauge.probability.cells import Codes


@dataclass(frozen=True, eq=False)
class Matched:
    """Rows of the original and of the release that are of one another, and how many are of none.

    Attributes:
        key: the column; None where rows were matched by their order.
    """

    key: str | None
    original: Codes
    released: Codes
    only_original: int = 0
    only_released: int = 0

    @classmethod
    def by_order(cls, original: int, released: int) -> Matched:
        """The rows of two tables as long as each other."""
        if original != released:
            raise TableError(
                "The release has {released} rows and the original {original}, so they cannot be matched by order; "
                "name a column that both have with --key.",
                released=released,
                original=original,
            )
        return cls(None, np.arange(original), np.arange(original))

    @classmethod
    def by_key(cls, key: str, original: pa.Array, released: pa.Array) -> Matched:
        """The rows with the same value of a column that says whose each row is; a missing value matches none."""
        if original.type != released.type:
            # A code may be a number in one file and a text in the other.
            original, released = (pc.cast(one, pa.string()) for one in (original, released))
        for values, where in ((original, "original"), (released, "release")):
            repeated = len(values) - values.null_count - len(pc.unique(values.drop_null()))
            if repeated:
                raise ColumnError(
                    "The key {name!r} repeats in {repeated} rows of the {where}; name a column whose values are all "
                    "different.",
                    name=key,
                    repeated=repeated,
                    where=where,
                )
        found = pc.index_in(released, value_set=original, skip_nulls=True)
        rows = np.flatnonzero(np.asarray(found.is_valid()))
        if not len(rows):
            raise ColumnError(
                "No value of the key {name!r} is in both tables; name another column, or the table that was released.",
                name=key,
            )
        at = np.asarray(pc.drop_null(found)).astype(np.int64)
        return cls(key, at, rows, len(original) - len(rows), len(released) - len(rows))

    def taken(self, values: Mapping[str, pa.Array], *, released: bool) -> dict[str, pa.Array]:
        """The values of the matched rows, of the release or of the original, in one order."""
        rows = self.released if released else self.original
        return {name: column.take(rows) for name, column in values.items()}
