"""A graded release as the fields of its file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from leakgauge.assessment import Assessment, Lift, PublishedGrade, evidence_json
from leakgauge.claims.quantities import number_json

if TYPE_CHECKING:
    from leakgauge.jobs.assess import Graded

ASSESSMENT_SCHEMA = "leakgauge/assessment/1"
ONE_RELEASE = "The grade is of one release; how often it is repeated counts in a policy's max_epsilon alone."


def graded_json(graded: Graded) -> dict[str, Any]:
    """The fields of a graded release; its evidence can be read again from them."""
    found = graded.assessment
    return {
        "schema": ASSESSMENT_SCHEMA,
        "column": graded.column,
        **scores_json(found),
        "interval": _interval_json(found.interval, found.confidence),
        "privacy_interval": _interval_json(found.privacy_interval, found.confidence),
        "utility_interval": _interval_json(found.utility_interval, found.confidence),
        "graded": ONE_RELEASE,
        "vetoes": [{"reason": one.reason, "cap": one.cap.value} for one in found.vetoes],
        "leaves": leaves_json(found),
        "missing": list(found.missing),
        "nodes": {
            key: {
                "name": found.diagram.nodes[key].name,
                "chinese": found.diagram.nodes[key].chinese,
                "states": states.tolist(),
            }
            for key, states in found.nodes.items()
        },
        "lifts": [_lift_json(one, found) for one in graded.lifts],
        "blocked": graded.blocked,
        "policy": [
            {"name": one.name, "limit": one.limit, "found": _plain(one.found), "holds": one.holds, "of": one.of}
            for one in graded.lines
        ],
        "published": published_json(graded.published),
        "evidence": evidence_json(found.evidence.values(), column=graded.column, record=graded.record),
    }


def scores_json(found: Assessment) -> dict[str, Any]:
    """The grade and the three scores."""
    return {
        "score": found.score,
        "grade": found.grade.value,
        "grade_uncapped": found.grade_uncapped.value,
        "privacy": found.privacy,
        "utility": found.utility,
    }


def leaves_json(found: Assessment) -> list[dict[str, Any]]:
    """For each leaf what is known of it and what it is worth."""
    leaves = []
    for key, one in found.evidence.items():
        node = found.diagram.nodes[key]
        leaves.append(
            {
                "leaf": key,
                "name": node.name,
                "chinese": node.chinese,
                "better": None if node.better is None else node.better.value,
                "standing": one.standing.value,
                "value": _plain(one.value),
                "unit": one.unit,
                "position": found.position(key) if key in found.nodes else None,
                "states": found.nodes[key].tolist() if key in found.nodes else None,
                "sensitivity": found.sensitivities.get(key),
                "privacy_sensitivity": found.privacy_sensitivities.get(key),
                "utility_sensitivity": found.utility_sensitivities.get(key),
                "null": _plain(one.null),
                "raw": _plain(one.raw),
                "source": one.source,
            }
        )
    return leaves


def published_json(found: PublishedGrade) -> dict[str, Any]:
    """The paper's score, marked as not deciding."""
    return {
        "score": found.score,
        "grade": found.grade.value,
        "credibility": found.credibility,
        "decides": found.decides,
        "why_not": found.why_not,
    }


def _lift_json(lift: Lift, found: Assessment) -> dict[str, Any]:
    return {
        "moves": [
            {
                "leaf": move.leaf,
                "name": found.diagram.nodes[move.leaf].name,
                "from": move.start,
                "to": move.end,
                "value": _plain(move.value),
            }
            for move in lift.moves
        ],
        "cost": lift.cost,
        "score": lift.score,
        "privacy": lift.privacy,
        "utility": lift.utility,
        "lowers": list(lift.lowers),
    }


def _interval_json(interval: tuple[float, float] | None, confidence: float) -> Mapping[str, float] | None:
    return None if interval is None else {"low": interval[0], "high": interval[1], "confidence": confidence}


def _plain(value: float | str | None) -> float | str | None:
    return number_json(value) if isinstance(value, float) else value
