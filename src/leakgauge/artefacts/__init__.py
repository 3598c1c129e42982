"""Every stored thing as a frozen type, and one codec that writes and reads them all."""

from leakgauge.artefacts.answer import Answer
from leakgauge.artefacts.audit import (
    Anonymity,
    Audit,
    AuditedRecord,
    Diversity,
    Finding,
    MechanismAudit,
    Shown,
    strongest,
)
from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.artefacts.design import Compared, Comparison, Design, Frontier, Point
from leakgauge.artefacts.ledger import LedgerTold
from leakgauge.artefacts.levels import Level, Levels, Witness
from leakgauge.artefacts.measurement import EachMeasurement, Measurement
from leakgauge.artefacts.quantity import Origin, Quantity, Real
from leakgauge.artefacts.record import PublicRecord, Record
from leakgauge.artefacts.relation import Relation
from leakgauge.artefacts.reproduction import Reproductions
from leakgauge.artefacts.utility import Utility
from leakgauge.artefacts.verification import Check
from leakgauge.sentences import Sentence

__all__ = [
    "Anonymity",
    "Answer",
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
    "LedgerTold",
    "Level",
    "Levels",
    "Measurement",
    "MechanismAudit",
    "Origin",
    "Point",
    "PublicRecord",
    "Quantity",
    "Real",
    "Record",
    "Relation",
    "Reproductions",
    "Sentence",
    "Shown",
    "Utility",
    "Witness",
    "codec",
    "strongest",
]
