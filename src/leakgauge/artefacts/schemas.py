"""Every kind of artefact with its schema id, and earlier majors brought to today's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from leakgauge.artefacts.audit import Audit, MechanismAudit
from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.artefacts.coarsening import CoarseningFound
from leakgauge.artefacts.codec import schema_of
from leakgauge.artefacts.composition import Composed
from leakgauge.artefacts.design import Comparison, Design, Frontier, GuessedDesign
from leakgauge.artefacts.estimates import Estimates, Kit, Recipients
from leakgauge.artefacts.evidence import StoredEvidence
from leakgauge.artefacts.improvement import StoredImprovement
from leakgauge.artefacts.job import Job, PageJob, from_first_job, from_second_job
from leakgauge.artefacts.ledger import Answer, LedgerTold
from leakgauge.artefacts.location import (
    LocationComparison,
    LocationDesign,
    LocationProtection,
    LocationSurvey,
    LocationTrack,
)
from leakgauge.artefacts.measurement import EachMeasurement, Measurement, Utility
from leakgauge.artefacts.quantity import Levels, from_first_levels
from leakgauge.artefacts.query_audit import QueryAudit
from leakgauge.artefacts.record import Preview, PublicRecord, Record, RowOrderFile, Verified, from_first_record
from leakgauge.artefacts.relation import Relation
from leakgauge.artefacts.report import ToldReport
from leakgauge.artefacts.reproduction import Reproductions
from leakgauge.artefacts.survey import Survey
from leakgauge.artefacts.telling import Telling
from leakgauge.artefacts.verdict import Judgement

KINDS: Final[tuple[type[msgspec.Struct], ...]] = (
    Measurement,
    EachMeasurement,
    Design,
    GuessedDesign,
    Frontier,
    Comparison,
    Utility,
    Relation,
    Composed,
    ChannelFile,
    Levels,
    Record,
    PublicRecord,
    RowOrderFile,
    Preview,
    Verified,
    Answer,
    LedgerTold,
    Reproductions,
    Audit,
    MechanismAudit,
    QueryAudit,
    StoredEvidence,
    Judgement,
    StoredImprovement,
    Job,
    PageJob,
    Survey,
    Telling,
    CoarseningFound,
    Estimates,
    Kit,
    Recipients,
    ToldReport,
    LocationSurvey,
    LocationDesign,
    LocationComparison,
    LocationProtection,
    LocationTrack,
)
SCHEMAS: Final = {str(schema_of(kind)): kind for kind in KINDS}
"""The kinds by their ids; a new one is a class and a name in the tuple above."""

FOLDER: Final = Path(__file__).parent / "json_schemas"
"""A JSON Schema for each kind, made from its type."""

Raise = Callable[[Mapping[str, Any]], Mapping[str, Any]]
EARLIER: Final[dict[str, tuple[type[msgspec.Struct], Raise]]] = {
    "leakgauge/job/1": (Job, from_first_job),
    "leakgauge/job/2": (Job, from_second_job),
    "leakgauge/page-job/1": (PageJob, from_first_job),
    "leakgauge/page-job/2": (PageJob, from_second_job),
    "leakgauge/levels/1": (Levels, from_first_levels),
    "leakgauge/release/1": (Record, from_first_record),
}
"""Schema ids of earlier majors, the kind of today, and how the fields become its fields."""


def raised(kind: type[msgspec.Struct], fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Fields of an earlier major as today's; any others as they are."""
    today, raise_ = EARLIER.get(str(fields.get("schema")), (None, None))
    return raise_(fields) if raise_ is not None and today is kind else fields
