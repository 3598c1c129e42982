"""Tables of a few rows that hand out two rows at a time, so that every batch boundary is met."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypeAlias

import pyarrow as pa

from leakgauge.notions.composition import Neighbours
from leakgauge.probability import Counts
from leakgauge.release.queries import Protection
from leakgauge.tables import Binning, Column, Kind, Table
from leakgauge.tables.binnings import Learnt, Quantiles
from leakgauge.tables.table import Moments

Row: TypeAlias = tuple[str, str | None, float | None]
"""Whose row it is, a city, a number."""
COLUMNS = (Column("who", Kind.STRING), Column("city", Kind.STRING), Column("number", Kind.FLOAT))
TYPES = (pa.string(), pa.string(), pa.float64())


class SmallTable(Table):
    """Rows in memory, as the protocol of tables has them."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows

    @property
    def rows(self) -> int:
        return len(self._rows)

    def columns(self) -> tuple[Column, ...]:
        return COLUMNS

    def batches(
        self, *columns: str, bins: Mapping[str, Binning] | None = None, size: int = 2
    ) -> Iterator[pa.RecordBatch]:
        places = [next(at for at, column in enumerate(COLUMNS) if column.name == name) for name in columns]
        for start in range(0, len(self._rows), size):
            part = self._rows[start : start + size]
            arrays = [pa.array([row[at] for row in part], TYPES[at]) for at in places]
            yield pa.RecordBatch.from_arrays(arrays, names=list(columns))

    def counts(self, *columns: str, bins: Mapping[str, Binning] | None = None, limit: int = 1) -> Counts:
        raise NotImplementedError

    def moments(self, *columns: str) -> dict[str, Moments]:
        raise NotImplementedError

    def learnt(self, column: str, quantiles: Quantiles) -> Learnt:
        raise NotImplementedError

    def close(self) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def neighbours(rows: list[Row], protection: Protection, domain: list[tuple[Any, Any]]) -> Iterator[list[Row]]:
    """Every table that differs from this one in one row or unit, over a small domain of cities and numbers."""
    replaces = protection.neighbours is Neighbours.REPLACE_ONE
    if protection.unit is None:
        for at in range(len(rows)):
            rest = rows[:at] + rows[at + 1 :]
            yield from ([*rest, ("new", *pair)] for pair in domain if replaces)
            if not replaces:
                yield rest
        if not replaces:
            yield from ([*rows, ("new", *pair)] for pair in domain)
        return
    few = domain[:: max(len(domain) // 4, 1)]
    others: list[list[tuple[Any, Any]]] = [[], *([one] for one in domain), *([one] * 4 for one in domain)]
    others += [[one, other] for one in few for other in few]
    for unit in {row[0] for row in rows}:
        rest = [row for row in rows if row[0] != unit]
        if replaces:
            yield from ([*rest, *((unit, *pair) for pair in other)] for other in others)
        else:
            yield rest
    if not replaces:
        yield from ([*rows, *(("new", *pair) for pair in other)] for other in others)
