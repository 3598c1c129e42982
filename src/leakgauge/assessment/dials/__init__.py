"""The dials that decide: how much a release protects, whom it exposes, what it guarantees and what it is worth."""

from leakgauge.assessment.dials.answers import PersonsCells, evidence_of_answers
from leakgauge.assessment.dials.audited import attacker_of_audit
from leakgauge.assessment.dials.evidence import evidence_by_law, gained_in_attack, told_at_most
from leakgauge.assessment.dials.guarantee import advantage_allowed, advantage_of
from leakgauge.assessment.dials.policy import DialPolicy, read_dial_policy
from leakgauge.assessment.dials.reading import dials_of
from leakgauge.assessment.dials.usefulness import worth_of_rows
from leakgauge.case.law import ReleaseLaw, Sight
from leakgauge.case.numbers import condensed, law_of_noise

__all__ = [
    "DialPolicy",
    "PersonsCells",
    "ReleaseLaw",
    "Sight",
    "advantage_allowed",
    "advantage_of",
    "attacker_of_audit",
    "condensed",
    "dials_of",
    "evidence_by_law",
    "evidence_of_answers",
    "gained_in_attack",
    "law_of_noise",
    "read_dial_policy",
    "told_at_most",
    "worth_of_rows",
]
