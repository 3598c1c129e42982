"""An assessment as the fields of its file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from leakgauge.assessment.assessment import Assessment
from leakgauge.assessment.indicators import evidence_json
from leakgauge.assessment.lifts import Lift
from leakgauge.assessment.policy import Line
from leakgauge.assessment.published import PublishedGrade
from leakgauge.claims.quantities import number_json

ASSESSMENT_SCHEMA = "leakgauge/assessment/1"
ONE_RELEASE = "The grade is of one release; how often it is repeated counts in a policy's max_epsilon alone."


def assessment_json(
    found: Assessment,
    *,
    column: str | None = None,
    record: str | None = None,
    published: PublishedGrade | None = None,
    lifts: Iterable[Lift] = (),
    blocked: str | None = None,
    lines: Iterable[Line] = (),
) -> dict[str, Any]:
    """The fields of an assessment; its evidence can be read again from them.

    Args:
        found: the assessment.
        column: that was graded.
        record: the digest of the release's record.
        published: by the paper's algebra.
        lifts: changes that reach the next grade, or a target.
        blocked: why no change reaches it.
        lines: of a policy.
    """
    return {
        "schema": ASSESSMENT_SCHEMA,
        "column": column,
        **scores_json(found),
        "interval": _interval_json(found.interval, found.confidence),
        "privacy_interval": _interval_json(found.privacy_interval, found.confidence),
        "utility_interval": _interval_json(found.utility_interval, found.confidence),
        "graded": ONE_RELEASE,
        "vetoes": [{"reason": one.reason, "cap": one.cap.value} for one in found.vetoes],
        "leaves": leaves_json(found),
        "missing": list(found.missing),
        "nodes": nodes_json(found),
        "lifts": [_lift_json(one, found) for one in lifts],
        "blocked": blocked,
        "policy": [
            {"name": one.name, "limit": one.limit, "found": _plain(one.found), "holds": one.holds, "of": one.of}
            for one in lines
        ],
        "published": None if published is None else published_json(published),
        "evidence": evidence_json(found.evidence.values(), column=column, record=record),
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


def nodes_json(found: Assessment) -> dict[str, Any]:
    """For each known node its names and the distribution over its states."""
    return {
        key: {
            "name": found.diagram.nodes[key].name,
            "chinese": found.diagram.nodes[key].chinese,
            "states": states.tolist(),
        }
        for key, states in found.nodes.items()
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
