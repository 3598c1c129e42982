"""An assessment: a release with its audit graded, beside the published score and the limits of a policy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leakgauge.assessment import (
    Assessment,
    Diagram,
    Evidence,
    Grade,
    Lift,
    Line,
    Policy,
    PublishedGrade,
    Questionnaire,
    assess,
    collect,
    evidence_from_json,
    evidence_json,
    grade_evidence,
    lifts,
    protected_of_release,
    vetoes_of_audit,
)
from leakgauge.claims.quantities import number_json
from leakgauge.errors import RefusalError
from leakgauge.probability.files import parsed_json, require_schema
from leakgauge.tables import Table

ASSESSMENT_SCHEMA = "leakgauge/assessment/1"
AUDIT_SCHEMA = "leakgauge/audit/1"


@dataclass(frozen=True)
class Graded:
    """A release that was graded.

    Attributes:
        column: the protected column.
        assessment: which decides.
        published: by the paper's algebra, which does not.
        lifts: the cheapest changes that reach the next grade, or a target; empty where it is reached or none does.
        blocked: why no change reaches it; None where one does.
        lines: of the policy.
    """

    column: str
    assessment: Assessment
    published: PublishedGrade
    lifts: tuple[Lift, ...]
    blocked: str | None
    lines: tuple[Line, ...]

    def require(self) -> None:
        """Refuse what a policy does not allow.

        Raises:
            RefusalError: names every line that fails.
        """
        failed = [
            f"{one.name} is {_said(one.found)}, the limit {_said(one.limit)}" for one in self.lines if not one.holds
        ]
        if failed:
            raise RefusalError("The policy is not kept: {failed}.", failed="; ".join(failed))


def grade_release(
    record: Path,
    audit: Path,
    original: Table,
    diagram: Diagram,
    *,
    released: Path | None = None,
    column: str | None = None,
    questionnaire: Questionnaire | None = None,
    stored: Path | None = None,
    releases_per_period: float = 1.0,
    policy: Policy | None = None,
    target: Grade | float | None = None,
    confidence: float = 0.95,
    simulation_seed: int = 0,
) -> Graded:
    """A column of a release graded from its record, its table and its audit.

    Args:
        record: of the release.
        audit: the JSON of ``leakgauge audit`` on that record.
        original: the table it was made from.
        diagram: by which it is graded.
        released: the released table, where it was moved.
        column: the protected column; it may be left out where there is one.
        questionnaire: what people answered.
        stored: evidence of an earlier assessment, of which space and time are taken.
        releases_per_period: how often such a release is made.
        policy: limits to keep.
        target: what the lifts aim at; by default the next better grade.
        confidence: of the intervals.
        simulation_seed: of the intervals.

    Raises:
        VerificationError: the record was changed, or the audit is of another release.
        FileError, TableError, ColumnError, OptionError, ModelError: something that cannot be used.
    """
    fields = parsed_json(audit)
    require_schema(fields, AUDIT_SCHEMA, audit)
    protected = protected_of_release(record, original, released, column)
    evidence = collect(
        protected,
        audit=fields,
        questionnaire=questionnaire,
        releases_per_period=releases_per_period,
        stored=() if stored is None else _stored(stored),
        simulation_seed=simulation_seed,
    )
    found = assess(diagram, evidence, vetoes_of_audit(fields), confidence=confidence, simulation_seed=simulation_seed)
    ways, blocked = _ways(found, target)
    return Graded(
        protected.setting.source.name,
        found,
        grade_evidence(evidence),
        ways,
        blocked,
        () if policy is None else policy.judge(found),
    )


def _stored(place: Path) -> tuple[Evidence, ...]:
    """The evidence in an earlier assessment, or in a file of evidence alone."""
    fields = parsed_json(place)
    inside = fields.get("evidence") if fields.get("schema") == ASSESSMENT_SCHEMA else fields
    return evidence_from_json(inside if isinstance(inside, dict) else {}, place)


def _ways(found: Assessment, target: Grade | float | None) -> tuple[tuple[Lift, ...], str | None]:
    better = [grade for grade in Grade if grade > found.grade]
    if target is None and not better:
        return (), None
    try:
        return lifts(found, better[0] if target is None else target, most=5), None
    except RefusalError as error:
        return (), str(error)


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
            {"name": one.name, "limit": one.limit, "found": _plain(one.found), "holds": one.holds}
            for one in graded.lines
        ],
        "published": published_json(graded.published),
        "evidence": evidence_json(found.evidence.values()),
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


def _said(value: float | str | None) -> str:
    return "not known" if value is None else value if isinstance(value, str) else f"{value:.4g}"
