"""Tables behind an engine that counts and streams; rows leave only through ``batches``."""

from leakgauge.tables.binnings import (
    Binning,
    Calendar,
    CalendarUnit,
    Edges,
    Quantiles,
    Width,
    parse_binning,
    parse_binnings,
)
from leakgauge.tables.opening import open_table, source_files
from leakgauge.tables.table import Column, Kind, Moments, Table

__all__ = [
    "Binning",
    "Calendar",
    "CalendarUnit",
    "Column",
    "Edges",
    "Kind",
    "Moments",
    "Quantiles",
    "Table",
    "Width",
    "open_table",
    "parse_binning",
    "parse_binnings",
    "source_files",
]
