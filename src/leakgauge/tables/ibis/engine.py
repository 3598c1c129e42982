"""Opening a table of Ibis."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

from leakgauge.errors import TableError
from leakgauge.tables.ibis.table import IbisTable
from leakgauge.tables.reading import Reading
from leakgauge.tables.table import Table

if TYPE_CHECKING:
    import ibis


class Ibis:
    """Table expressions of Ibis, on the connection that they were made by."""

    def takes(self, source: object) -> bool:
        """Whether it is such an expression; nobody has one before Ibis is loaded."""
        loaded = sys.modules.get("ibis")
        return loaded is not None and isinstance(source, loaded.Table)

    def open(self, source: object, reading: Reading) -> Table:
        """The table, which is counted where it is."""
        rows = cast("ibis.Table", source)
        place = _place(rows)
        reading.require_missing_alone(place)
        table = IbisTable(rows, tuple(reading.missing), place)
        if not table.rows:
            raise TableError("{place} has no rows; there is nothing to measure.", place=place)
        return table

    def files(self, address: str) -> list[Path]:
        """None: a connection has the table."""
        return []


def _place(rows: ibis.Table) -> str:
    """How messages call it."""
    from ibis.common.exceptions import IbisError
    from ibis.expr.operations import DatabaseTable

    try:
        backend = rows.get_backend().name
    except IbisError:
        raise TableError(
            "The Ibis table belongs to no connection; make it by one, as in connection.table(NAME)."
        ) from None
    return f"{rows.get_name()!r} in {backend}" if isinstance(rows.op(), DatabaseTable) else f"Ibis's table in {backend}"
