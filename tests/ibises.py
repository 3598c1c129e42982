"""Tables of Ibis on backends that need no server: SQLite, which speaks SQL, and Polars, which does not."""

from __future__ import annotations

import os
import sqlite3
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

_TYPES = {
    pa.int64(): "INTEGER",
    pa.int32(): "INTEGER",
    pa.float64(): "REAL",
    pa.string(): "TEXT",
    pa.bool_(): "BOOLEAN",
    pa.date32(): "DATE",
    pa.timestamp("us"): "TIMESTAMP",
}


def _require_ibis() -> None:
    if find_spec("ibis") is None:
        if os.environ.get("LEAKGAUGE_REQUIRE") == "all":
            pytest.fail("LEAKGAUGE_REQUIRE=all but there is no ibis")
        pytest.skip("ibis is not installed here")


def in_sqlite(table: pa.Table, folder: Path) -> Any:
    """The rows in a file of SQLite."""
    _require_ibis()
    import ibis

    place = folder / "t.sqlite"
    place.unlink(missing_ok=True)
    columns = ", ".join(f'"{name.replace(chr(34), 2 * chr(34))}" {_TYPES[kind]}' for name, kind in _types(table))
    texts = [column.cast(pa.string()) if pa.types.is_temporal(column.type) else column for column in table.columns]
    rows = zip(*(column.to_pylist() for column in texts), strict=True)
    with sqlite3.connect(place) as file:
        file.execute(f"CREATE TABLE people ({columns})")
        file.executemany(f"INSERT INTO people VALUES ({', '.join('?' * table.num_columns)})", rows)
    file.close()
    return ibis.sqlite.connect(place).table("people")


def in_polars(table: pa.Table, folder: Path) -> Any:
    """The rows in Polars."""
    _require_ibis()
    import ibis

    return ibis.polars.connect().create_table("people", table)


def _types(table: pa.Table) -> list[tuple[str, Any]]:
    return list(zip(table.column_names, table.schema.types, strict=True))
