"""Private answers about a table: the unit of protection is declared, every sensitivity is derived from the query."""

from leakgauge.release.queries.choices import Quantile, TopLabels
from leakgauge.release.queries.conditions import Condition, Operator
from leakgauge.release.queries.labels import Groups
from leakgauge.release.queries.query import SIMULATION, Answer, Query
from leakgauge.release.queries.rows import Protection
from leakgauge.release.queries.totals import Count, Histogram, Mean, Sum

__all__ = [
    "SIMULATION",
    "Answer",
    "Condition",
    "Count",
    "Groups",
    "Histogram",
    "Mean",
    "Operator",
    "Protection",
    "Quantile",
    "Query",
    "Sum",
    "TopLabels",
]
