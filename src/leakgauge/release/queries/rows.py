"""Who is protected, one row or all rows of one person, and the rows that a query uses, streamed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from leakgauge.errors import ColumnError, OptionError, did_you_mean
from leakgauge.notions.composition import Neighbours
from leakgauge.release.ledger.account import ONE_ROW
from leakgauge.release.queries.conditions import Condition
from leakgauge.release.queries.labels import distinct_values, is_missing
from leakgauge.release.unit import UnitOfProtection
from leakgauge.sentences import Sentence
from leakgauge.tables import Kind, Table


@dataclass(frozen=True)
class Protection:
    """The unit of protection, and which tables count as neighbours.

    Without a column one row is the unit. With one, all rows that share its value are, and of each unit only its first
    ``rows`` rows that meet a query's condition are used, in the table's order; the others are left out. Which rows
    that are depends on the unit's own rows alone.

    Replacing one row leaves the number of rows as it is. Replacing one unit exchanges all its rows for any other rows,
    none included: how many rows each unit has is protected too.
    """

    unit: str | None = None
    rows: int = 1
    neighbours: Neighbours = Neighbours.REPLACE_ONE

    def __post_init__(self) -> None:
        UnitOfProtection(self.unit, self.rows)  # refuses what cannot be one
        if not isinstance(self.neighbours, Neighbours):
            raise OptionError("{found!r} is not a kind of neighbours; give one of Neighbours.", found=self.neighbours)

    @property
    def replaces(self) -> bool:
        """Whether neighbours differ by a replacement, not by something that is there or not."""
        return self.neighbours is Neighbours.REPLACE_ONE

    @property
    def moved(self) -> int:
        """In how many parts a neighbour moves groups of rows: rows that are removed, and rows that are added."""
        return 2 if self.replaces else 1

    @property
    def sentence(self) -> Sentence:
        """The unit in words."""
        # In quotes and after other words than the rows are, so that a column named row is not taken for one row.
        return Sentence(ONE_ROW) if self.unit is None else Sentence("one value of {column!r}", column=self.unit)

    def __str__(self) -> str:
        """The unit in words, as an account of a ledger names it."""
        return str(self.sentence)


def require_column(table: Table, name: str, *, numbers: bool = False) -> Kind:
    """The kind of a column; one that is not there, or cannot be used in this way, is refused."""
    kinds = {column.name: column.kind for column in table.columns()}
    if name not in kinds:
        raise ColumnError("There is no column {name!r}; {hint}", name=name, hint=did_you_mean(str(name), kinds))
    if kinds[name] is Kind.OTHER:
        raise ColumnError("Column {name!r} holds nested or binary values; unpack it first.", name=name)
    if numbers and kinds[name] not in (Kind.INT, Kind.FLOAT):
        raise ColumnError(
            "Column {name!r} holds {kind}, but this query needs numbers; choose a numeric column.",
            name=name,
            kind=kinds[name].words,
        )
    return kinds[name]


def used_rows(
    table: Table, protection: Protection, where: Sequence[Condition], columns: Sequence[str], present: str | None = None
) -> Iterator[pa.RecordBatch]:
    """Some columns of the rows that are used, batch by batch; at least one column, condition or unit must be named.

    Memory grows with the number of units, not with that of rows. Rows where the column ``present`` is missing are not
    used, as if that were one more condition.
    """
    kinds = {column.name: column.kind for column in table.columns()}
    named = [*columns, *(one.column for one in where), *([] if protection.unit is None else [protection.unit])]
    units = _Units(protection)
    for batch in table.batches(*dict.fromkeys(named)):
        used = np.ones(batch.num_rows, dtype=bool)
        for one in where:
            used &= one.holds(batch.column(one.column), kinds[one.column])
        if present is not None:
            used &= ~is_missing(batch.column(present))
        if protection.unit is not None:
            used = units.admitted(batch.column(protection.unit), used)
        yield batch.filter(pa.array(used))


def counted(places: Iterable[npt.NDArray[np.int64]], bins: int) -> npt.NDArray[np.int64]:
    """How many rows of all batches lie in each bin."""
    return sum((np.bincount(one, minlength=bins) for one in places), np.zeros(bins, dtype=np.int64))


class _Units:
    """How many rows of each unit were used so far."""

    def __init__(self, protection: Protection) -> None:
        self._column, self._most = protection.unit, protection.rows
        self._at: dict[Any, int] = {}
        self._seen = np.zeros(0, dtype=np.int64)

    def admitted(self, units: pa.Array, wanted: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Which of the wanted rows are among the first of their unit."""
        if is_missing(units).any():
            raise ColumnError(
                "Column {name!r} is missing in some rows, so their owner is unknown; complete it, or leave these rows "
                "out of the table.",
                name=self._column,
            )
        rows = np.flatnonzero(wanted)
        if not len(rows):
            return wanted
        distinct, local = distinct_values(str(self._column), units.filter(pa.array(wanted)))
        numbers = [self._at.setdefault(value, len(self._at)) for value in distinct]
        if len(self._at) > len(self._seen):
            more = max(len(self._at), 2 * len(self._seen)) - len(self._seen)
            self._seen = np.concatenate([self._seen, np.zeros(more, dtype=np.int64)])
        codes = np.array(numbers, dtype=np.int64)[local]
        # The place of each row among those of its unit: sorted by unit, counted from where the unit begins.
        order = np.argsort(codes, kind="stable")
        ordered = codes[order]
        begins = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
        lengths = np.diff(np.r_[begins, len(ordered)])
        places = np.arange(len(ordered)) - np.repeat(begins, lengths) + self._seen[ordered]
        self._seen[ordered[begins]] += lengths
        admitted = np.zeros_like(wanted)
        admitted[rows[order[places < self._most]]] = True
        return admitted
