"""Attacks that try, and lower bounds that hold."""

from leakgauge.audit.anonymity import anonymity
from leakgauge.audit.attacks.catalogue import ATTACKS, attack
from leakgauge.audit.checks import DeclaredNoise
from leakgauge.audit.levels import exact_level
from leakgauge.audit.lower_bound import assert_satisfies, lower_bound
from leakgauge.audit.reconstruction import reconstruct
from leakgauge.audit.subjects import Program

__all__ = [
    "ATTACKS",
    "DeclaredNoise",
    "Program",
    "anonymity",
    "assert_satisfies",
    "attack",
    "exact_level",
    "lower_bound",
    "reconstruct",
]
