"""Every stored thing as a frozen type, and one codec that writes and reads them all."""

from leakgauge.artefacts.audit import (
    Anonymity,
    Audit,
    AuditedRecord,
    Diversity,
    FewFalseAlarms,
    Finding,
    Foreign,
    MatchedColumn,
    MechanismAudit,
    QueryAudit,
    Shown,
    strongest,
)
from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.artefacts.composition import Composed
from leakgauge.artefacts.design import Compared, Comparison, Design, DesignPoint, Frontier
from leakgauge.artefacts.estimates import Estimated, Estimates, Kit, Recipients
from leakgauge.artefacts.evidence import StoredEvidence
from leakgauge.artefacts.improvement import StoredImprovement
from leakgauge.artefacts.job import Ended, Headline, Job, JobCost, JobEvent, Outcome, PageJob, SecretOutcome, StageDone
from leakgauge.artefacts.ledger import Answer, LedgerTold
from leakgauge.artefacts.measurement import EachMeasurement, Measurement, Utility
from leakgauge.artefacts.quantity import Level, Levels, Origin, Quantity, Real, Witness
from leakgauge.artefacts.record import Check, PublicRecord, Record
from leakgauge.artefacts.relation import Relation
from leakgauge.artefacts.request import Request
from leakgauge.artefacts.survey import CoarseningFound, Survey
from leakgauge.artefacts.verdict import Judgement, Verdict
from leakgauge.sentences import Sentence

__all__ = [
    "Anonymity",
    "Answer",
    "Audit",
    "AuditedRecord",
    "ChannelFile",
    "Check",
    "CoarseningFound",
    "Compared",
    "Comparison",
    "Composed",
    "Design",
    "DesignPoint",
    "Diversity",
    "EachMeasurement",
    "Ended",
    "Estimated",
    "Estimates",
    "FewFalseAlarms",
    "Finding",
    "Foreign",
    "Frontier",
    "Headline",
    "Job",
    "JobCost",
    "JobEvent",
    "Judgement",
    "Kit",
    "LedgerTold",
    "Level",
    "Levels",
    "MatchedColumn",
    "Measurement",
    "MechanismAudit",
    "Origin",
    "Outcome",
    "PageJob",
    "PublicRecord",
    "Quantity",
    "QueryAudit",
    "Real",
    "Recipients",
    "Record",
    "Relation",
    "Request",
    "SecretOutcome",
    "Sentence",
    "Shown",
    "StageDone",
    "StoredEvidence",
    "StoredImprovement",
    "Survey",
    "Utility",
    "Verdict",
    "Witness",
    "strongest",
]
