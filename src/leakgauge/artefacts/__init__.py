"""Every stored thing as a frozen type, and one codec that writes and reads them all."""

from leakgauge.artefacts.audit import (
    Anonymity,
    Audit,
    AuditedRecord,
    Check,
    ClaimedLevel,
    Diversity,
    Finding,
    MechanismAudit,
    Shown,
    strongest,
)
from leakgauge.artefacts.measurement import EachMeasurement, Measurement
from leakgauge.artefacts.quantity import Origin, Quantity, Real
from leakgauge.sentences import Sentence

__all__ = [
    "Anonymity",
    "Audit",
    "AuditedRecord",
    "Check",
    "ClaimedLevel",
    "Diversity",
    "EachMeasurement",
    "Finding",
    "Measurement",
    "MechanismAudit",
    "Origin",
    "Quantity",
    "Real",
    "Sentence",
    "Shown",
    "strongest",
]
