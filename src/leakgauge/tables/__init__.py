"""Tables behind an engine that counts and streams; rows leave only through ``batches``."""

from leakgauge.tables.binned import in_bins
from leakgauge.tables.binnings import Binning, parse_binning
from leakgauge.tables.duckdb_engine import as_arrow
from leakgauge.tables.levels import Hierarchy, Levels, read_hierarchy
from leakgauge.tables.opening import open_table
from leakgauge.tables.suppression import Suppression, suppressed
from leakgauge.tables.table import Column, Kind, Table

__all__ = [
    "Binning",
    "Column",
    "Hierarchy",
    "Kind",
    "Levels",
    "Suppression",
    "Table",
    "as_arrow",
    "in_bins",
    "open_table",
    "parse_binning",
    "read_hierarchy",
    "suppressed",
]
