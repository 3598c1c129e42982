"""Attacks that try, and lower bounds that hold."""

from leakgauge.audit.anonymity import Anonymity, Diversity, anonymity
from leakgauge.audit.assertions import assert_satisfies
from leakgauge.audit.attacks.attack import ATTACKS, attack, attack_case, read_attack_case
from leakgauge.audit.attacks.case import Case
from leakgauge.audit.attacks.finding import Finding
from leakgauge.audit.checks import Check, DeclaredNoise, Noise
from leakgauge.audit.exact import exact_level
from leakgauge.audit.lower_bound import lower_bound
from leakgauge.audit.neighbours import neighbours_of
from leakgauge.audit.programs import Program
from leakgauge.audit.recorded import shown_by_rows
from leakgauge.audit.shown import Shown
from leakgauge.audit.subjects import Subject, claimed_by_opendp

__all__ = [
    "ATTACKS",
    "Anonymity",
    "Case",
    "Check",
    "DeclaredNoise",
    "Diversity",
    "Finding",
    "Noise",
    "Program",
    "Shown",
    "Subject",
    "anonymity",
    "assert_satisfies",
    "attack",
    "attack_case",
    "claimed_by_opendp",
    "exact_level",
    "lower_bound",
    "neighbours_of",
    "read_attack_case",
    "shown_by_rows",
]
