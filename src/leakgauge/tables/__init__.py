"""Tables behind an engine that counts and streams; rows leave only through ``batches``."""

from leakgauge.tables.binned import BinnedTable, in_bins
from leakgauge.tables.binnings import (
    Binning,
    Calendar,
    CalendarUnit,
    Edges,
    Learnt,
    Quantiles,
    Width,
    parse_binning,
    parse_binnings,
    spelled_binning,
)
from leakgauge.tables.duckdb_engine import as_arrow
from leakgauge.tables.opening import open_table, source_files
from leakgauge.tables.table import Column, Engine, Kind, Moments, Table

__all__ = [
    "BinnedTable",
    "Binning",
    "Calendar",
    "CalendarUnit",
    "Column",
    "Edges",
    "Engine",
    "Kind",
    "Learnt",
    "Moments",
    "Quantiles",
    "Table",
    "Width",
    "as_arrow",
    "in_bins",
    "open_table",
    "parse_binning",
    "parse_binnings",
    "source_files",
    "spelled_binning",
]
