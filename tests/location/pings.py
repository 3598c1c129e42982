"""Small tables of points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pyarrow as pa

from leakgauge.location.points import Points
from leakgauge.tables import open_table


@contextmanager
def pings(columns: Mapping[str, object], **roles: str | None) -> Iterator[Points]:
    """Points of a table in memory; the columns lat and lon unless others are named."""
    named = {"lat": "lat", "lon": "lon", **roles}
    with open_table(pa.table(dict(columns))) as table:
        yield Points(table, **named)  # type: ignore[arg-type]
