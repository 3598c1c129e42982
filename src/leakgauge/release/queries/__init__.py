"""Private answers about a table: the unit of protection is declared, every sensitivity is derived from the query."""

from leakgauge.release.queries.answer import SIMULATION, Answer
from leakgauge.release.queries.count import Count
from leakgauge.release.queries.histogram import Histogram
from leakgauge.release.queries.mean import Mean
from leakgauge.release.queries.protection import Protection
from leakgauge.release.queries.quantile import Quantile
from leakgauge.release.queries.query import Query
from leakgauge.release.queries.rows import Condition
from leakgauge.release.queries.sum import Sum
from leakgauge.release.queries.top_labels import TopLabels

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
