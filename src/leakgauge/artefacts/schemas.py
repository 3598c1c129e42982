"""Every kind of artefact with its schema id, and earlier majors brought to today's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import msgspec

from leakgauge.artefacts.improvement import StoredImprovement
from leakgauge.artefacts.job import Job, PageJob, from_first_job, from_second_job, from_third_job
from leakgauge.artefacts.quantity import Levels, from_first_levels
from leakgauge.artefacts.record import Record, from_first_record
from leakgauge.artefacts.verdict import Judgement, from_first_verdict, from_second_improvement

_MODULES: Final = (
    *(
        "audit",
        "channel_file",
        "clauses",
        "composition",
        "design",
        "estimates",
        "evidence",
        "improvement",
        "job",
        "ledger",
    ),
    *("location", "measurement", "quantity", "record", "relation", "report", "reproduction", "survey", "verdict"),
)
SCHEMAS: Final[dict[str, type[msgspec.Struct]]] = {
    schema: kind
    for module in _MODULES
    for kind in vars(import_module(f"leakgauge.artefacts.{module}")).values()
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct)
    if (schema := str(kind.__struct_config__.tag)).startswith("leakgauge/")
}
"""The kinds by their ids: whatever has one in these modules."""

FOLDER: Final = Path(__file__).parent / "json_schemas"
"""A JSON Schema for each kind, made from its type."""

Raise = Callable[[Mapping[str, Any]], Mapping[str, Any]]
EARLIER: Final[dict[str, tuple[type[msgspec.Struct], Raise]]] = {
    "leakgauge/job/1": (Job, from_first_job),
    "leakgauge/job/2": (Job, from_second_job),
    "leakgauge/job/3": (Job, from_third_job),
    "leakgauge/page-job/1": (PageJob, from_first_job),
    "leakgauge/page-job/2": (PageJob, from_second_job),
    "leakgauge/verdict/1": (Judgement, from_first_verdict),
    "leakgauge/improvement/2": (StoredImprovement, from_second_improvement),
    "leakgauge/levels/1": (Levels, from_first_levels),
    "leakgauge/release/1": (Record, from_first_record),
}
"""Schema ids of earlier majors, the kind of today, and how the fields become its fields."""


def raised(kind: type[msgspec.Struct], fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Fields of an earlier major as today's; any others as they are."""
    today, raise_ = EARLIER.get(str(fields.get("schema")), (None, None))
    return raise_(fields) if raise_ is not None and today is kind else fields
