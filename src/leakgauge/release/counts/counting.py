"""The exact counts of a workload's tables, which never leave: noise is added to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from leakgauge.errors import OptionError, TableError
from leakgauge.probability import Counts
from leakgauge.probability.cells import Codes
from leakgauge.release.counts.workload import Attribute, Places, Workload
from leakgauge.tables.table import Table


@dataclass(frozen=True, eq=False)
class ExactTables:
    """Whole numbers of rows for the largest tables of a workload; keep them inside.

    Attributes:
        arrays: for each of the workload's ``largest`` tables one number per cell, attributes ascending.
    """

    workload: Workload
    arrays: Mapping[Places, Codes] = field(repr=False)

    def __post_init__(self) -> None:
        shapes = {places: array.shape for places, array in self.arrays.items()}
        if shapes != {places: self.workload.shape(places) for places in self.workload.largest}:
            raise OptionError(
                "The counts ({found} tables) are not those of the largest tables of the workload ({wanted}), by their "
                "shapes; give one array for each of these.",
                found=len(shapes),
                wanted=len(self.workload.largest),
            )
        if len({int(array.sum()) for array in self.arrays.values()}) > 1:
            raise OptionError("The tables count different numbers of rows; count them all of the same rows.")

    @property
    def rows(self) -> int:
        """How many rows were counted."""
        return int(next(iter(self.arrays.values())).sum())

    def array(self, places: Places) -> Codes:
        """The counts over some attributes that a table holds together."""
        holder = min((one for one in self.arrays if set(places) <= set(one)), key=self.workload.cells)
        axes = tuple(axis for axis, at in enumerate(holder) if at not in places)
        return np.asarray(self.arrays[holder].sum(axis=axes))


def count_tables(table: Table, workload: Workload) -> ExactTables:
    """The counts of all tables of a workload.

    Raises:
        TableError: rows with values that are not declared; how many is said, but not which.
        ColumnError: an attribute is not a column of the table.

    Example:
        >>> import pyarrow as pa
        >>> from leakgauge.tables import open_table
        >>> from leakgauge.release.counts import Attribute, Workload
        >>> work = Workload([Attribute("sex", "fm"), Attribute("smokes", "ny")], ["sex", ("sex", "smokes")])
        >>> people = open_table(pa.table({"sex": ["f", "f", "m"], "smokes": ["n", "y", "n"]}))
        >>> count_tables(people, work).array((0, 1)).tolist()
        [[1, 1], [1, 0]]
    """
    used = sorted({at for places in workload.places for at in places})
    for at in used:
        attribute = workload.attributes[at]
        counts = table.counts(attribute.name)
        _require_declared(attribute, counts, _codes(attribute, counts))
    arrays = {}
    for places in workload.largest:
        attributes = [workload.attributes[at] for at in places]
        counts = table.counts(*(one.name for one in attributes), limit=workload.cells(places))
        array = np.zeros(workload.shape(places), dtype=np.int64)
        codes = [_codes(one, counts)[counts.codes[axis]] for axis, one in enumerate(attributes)]
        array[tuple(codes)] = counts.counts
        arrays[places] = array
    return ExactTables(workload, arrays)


def _codes(attribute: Attribute, counts: Counts) -> Codes:
    """The place of each counted value among the declared ones; -1 of one that is not."""
    place = {value: at for at, value in enumerate(attribute.values)}
    return np.array([place.get(value, -1) for value in counts.labels(attribute.name)], dtype=np.int64)


def _require_declared(attribute: Attribute, counts: Counts, codes: Codes) -> None:
    missing = codes < 0
    if missing.any():
        raise TableError(
            "{lost} of the {count} values of {name!r} are not declared, and {rows} of {all} rows have them; declare "
            "all values that may occur, a missing one as None.",
            lost=int(missing.sum()),
            count=len(codes),
            name=attribute.name,
            rows=int(counts.counts[missing[counts.codes[0]]].sum()),
            all=counts.n,
        )
