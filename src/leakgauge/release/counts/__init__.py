"""Counts with the least noise: a workload of tables, a plan, measurements, and the tables that follow from them."""

from leakgauge.release.counts.consistent import ConsistentTables, consistent
from leakgauge.release.counts.counting import ExactTables, count_tables
from leakgauge.release.counts.guarantee import Guarantee
from leakgauge.release.counts.measuring import Measurement, UnbiasedTable, measure
from leakgauge.release.counts.planning import CountsPlan, Within, plan_counts
from leakgauge.release.counts.workload import Attribute, Workload

__all__ = [
    "Attribute",
    "ConsistentTables",
    "CountsPlan",
    "ExactTables",
    "Guarantee",
    "Measurement",
    "UnbiasedTable",
    "Within",
    "Workload",
    "consistent",
    "count_tables",
    "measure",
    "plan_counts",
]
