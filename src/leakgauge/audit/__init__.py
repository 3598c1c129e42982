"""Attacks that try, and lower bounds that hold."""

from leakgauge.audit.assertions import assert_satisfies
from leakgauge.audit.checks import Check, DeclaredNoise, Noise
from leakgauge.audit.exact import exact_level
from leakgauge.audit.lower_bound import Shown, lower_bound
from leakgauge.audit.neighbours import neighbours_of
from leakgauge.audit.programs import Program
from leakgauge.audit.subjects import Subject, claimed_by_opendp

__all__ = [
    "Check",
    "DeclaredNoise",
    "Noise",
    "Program",
    "Shown",
    "Subject",
    "assert_satisfies",
    "claimed_by_opendp",
    "exact_level",
    "lower_bound",
    "neighbours_of",
]
