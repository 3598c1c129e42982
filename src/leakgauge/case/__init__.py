"""A table in the roles of its columns, bound once: whom it counts, what can be counted, and the law of a release."""

from leakgauge.case.case import Case
from leakgauge.case.law import ReleaseLaw, Sight

__all__ = ["Case", "ReleaseLaw", "Sight"]
