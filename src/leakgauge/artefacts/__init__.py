"""Every stored thing as a frozen type, and one codec that writes and reads them all."""

from leakgauge.artefacts.audit import (
    Anonymity,
    Audit,
    AuditedRecord,
    Check,
    Diversity,
    Finding,
    MechanismAudit,
    Shown,
    strongest,
)
from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.artefacts.design import Compared, Comparison, Design, Frontier, Point
from leakgauge.artefacts.levels import Level, Witness
from leakgauge.artefacts.measurement import EachMeasurement, Measurement
from leakgauge.artefacts.quantity import Origin, Quantity, Real
from leakgauge.artefacts.relation import Relation
from leakgauge.artefacts.utility import Utility
from leakgauge.sentences import Sentence

__all__ = [
    "Anonymity",
    "Audit",
    "AuditedRecord",
    "ChannelFile",
    "Check",
    "Compared",
    "Comparison",
    "Design",
    "Diversity",
    "EachMeasurement",
    "Finding",
    "Frontier",
    "Level",
    "Measurement",
    "MechanismAudit",
    "Origin",
    "Point",
    "Quantity",
    "Real",
    "Relation",
    "Sentence",
    "Shown",
    "Utility",
    "Witness",
    "strongest",
]
