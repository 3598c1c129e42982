"""Private answers about a table: the unit of protection is declared, every sensitivity is derived from the query."""

from leakgauge.release.queries.choices import Quantile, TopLabels
from leakgauge.release.queries.query import SIMULATION, Answer, Query
from leakgauge.release.queries.rows import Condition, Protection
from leakgauge.release.queries.totals import Count, Histogram, Mean, Sum

__all__ = [
    "SIMULATION",
    "Answer",
    "Condition",
    "Count",
    "Histogram",
    "Mean",
    "Protection",
    "Quantile",
    "Query",
    "Sum",
    "TopLabels",
]
