"""A graded release as the fields of its file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leakgauge.assessment.graded_json import ASSESSMENT_SCHEMA as ASSESSMENT_SCHEMA
from leakgauge.assessment.graded_json import ONE_RELEASE as ONE_RELEASE
from leakgauge.assessment.graded_json import assessment_json
from leakgauge.assessment.graded_json import leaves_json as leaves_json
from leakgauge.assessment.graded_json import nodes_json as nodes_json
from leakgauge.assessment.graded_json import published_json as published_json
from leakgauge.assessment.graded_json import scores_json as scores_json

if TYPE_CHECKING:
    from leakgauge.jobs.assess import Graded


def graded_json(graded: Graded) -> dict[str, Any]:
    """The fields of a graded release; its evidence can be read again from them."""
    return assessment_json(
        graded.assessment,
        column=graded.column,
        record=graded.record,
        published=graded.published,
        lifts=graded.lifts,
        blocked=graded.blocked,
        lines=graded.lines,
    )
