"""Attacks that try, and lower bounds that hold."""

from leakgauge.audit.anonymity import anonymity
from leakgauge.audit.attacks.attack import Aim
from leakgauge.audit.attacks.case import Case, read_case
from leakgauge.audit.attacks.catalogue import ATTACKS, attack, attack_case, attack_of
from leakgauge.audit.checks import DeclaredNoise
from leakgauge.audit.experiment import Counting
from leakgauge.audit.levels import exact_level
from leakgauge.audit.lower_bound import assert_satisfies, lower_bound
from leakgauge.audit.programs import Program
from leakgauge.audit.released_rows import shown_by_rows
from leakgauge.audit.subjects import Subject

__all__ = [
    "ATTACKS",
    "Aim",
    "Case",
    "Counting",
    "DeclaredNoise",
    "Program",
    "Subject",
    "anonymity",
    "assert_satisfies",
    "attack",
    "attack_case",
    "attack_of",
    "exact_level",
    "lower_bound",
    "read_case",
    "shown_by_rows",
]
