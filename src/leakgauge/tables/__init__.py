"""Tables behind an engine that counts and streams; rows leave only through ``batches``."""

from leakgauge.tables.binned import in_bins
from leakgauge.tables.binnings import Binning, parse_binning
from leakgauge.tables.duckdb_engine import as_arrow
from leakgauge.tables.opening import open_table
from leakgauge.tables.table import Column, Kind, Table

__all__ = [
    "Binning",
    "Column",
    "Kind",
    "Table",
    "as_arrow",
    "in_bins",
    "open_table",
    "parse_binning",
]
