"""Attacks that try, and lower bounds that hold."""

from leakgauge.audit.anonymity import anonymity
from leakgauge.audit.assertions import assert_satisfies
from leakgauge.audit.attacks.attack import ATTACKS, attack, attack_case, read_attack_case
from leakgauge.audit.attacks.case import Case
from leakgauge.audit.checks import DeclaredNoise
from leakgauge.audit.exact import exact_level
from leakgauge.audit.lower_bound import lower_bound
from leakgauge.audit.programs import Program
from leakgauge.audit.recorded import shown_by_rows
from leakgauge.audit.subjects import Subject, claimed_by_opendp

__all__ = [
    "ATTACKS",
    "Case",
    "DeclaredNoise",
    "Program",
    "Subject",
    "anonymity",
    "assert_satisfies",
    "attack",
    "attack_case",
    "claimed_by_opendp",
    "exact_level",
    "lower_bound",
    "read_attack_case",
    "shown_by_rows",
]
