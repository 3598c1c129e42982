"""An assessment: a release with its audit graded, beside the published score and the limits of a policy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leakgauge.artefacts import Audit
from leakgauge.artefacts.codec import decode, require_digest
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
    answered_beyond,
    assess,
    collect,
    every_veto,
    evidence_from_json,
    grade_evidence,
    lifts,
    protected_of_release,
)
from leakgauge.assessment.graded_json import ASSESSMENT_SCHEMA, assessment_json
from leakgauge.assessment.indicators import Protected
from leakgauge.assessment.scales import Form
from leakgauge.errors import RefusalError
from leakgauge.probability.files import parsed_json
from leakgauge.release import read_record
from leakgauge.tables import Table


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
        record: the digest of the release's record.
    """

    column: str
    assessment: Assessment
    published: PublishedGrade
    lifts: tuple[Lift, ...]
    blocked: str | None
    lines: tuple[Line, ...]
    record: str | None

    def require(self) -> None:
        """Refuse what a veto stands against, or a policy does not allow.

        Raises:
            RefusalError: names every line that fails, vetoes among them, or every veto.
        """
        failed = [said_of_line(one.name, one.found, one.limit, one.of) for one in self.lines if not one.holds]
        if failed:
            raise RefusalError("The policy is not kept: {failed}.", failed="; ".join(failed))
        vetoed = refused_by_veto([veto.reason for veto in self.assessment.vetoes])
        if vetoed is not None:
            raise vetoed


def refused_by_veto(reasons: Sequence[str]) -> RefusalError | None:
    """The refusal of a release that vetoes stand against; None where there are none."""
    if not reasons:
        return None
    return RefusalError(
        "A veto stands against the release: {reasons}; do not give it away, ask for more protection.",
        reasons="; ".join(reasons),
    )


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


def grade_release(
    record: Path,
    audit: Audit,
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
    accusing: Audit | None = None,
) -> Graded:
    """A column of a release graded from its record, its table and its audit.

    Args:
        record: of the release.
        audit: of that record.
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
        accusing: another audit of the release, whose findings are vetoes; by default those of ``audit``.

    Raises:
        VerificationError: the record was changed, or the audit is of another release.
        FileError, TableError, ColumnError, OptionError, ModelError: something that cannot be used.
    """
    protected = protected_of_release(record, original, released, column)
    evidence = collect(
        protected,
        audit=audit,
        questionnaire=questionnaire,
        releases_per_period=releases_per_period,
        stored=() if stored is None else _stored(stored, protected),
        simulation_seed=simulation_seed,
        confidence=confidence,
    )
    every = (*evidence, *answered_beyond(questionnaire))
    vetoes = every_veto(protected.setting, evidence, audit=accusing or audit)
    found = assess(diagram, every, vetoes, confidence=confidence, simulation_seed=simulation_seed)
    ways, blocked = _ways(found, target, protected)
    lines = () if policy is None else _lines(policy, found, record, audit, releases_per_period)
    name, digest = protected.setting.source.name, protected.record_digest
    return Graded(name, found, grade_evidence(evidence), ways, blocked, lines, digest)


def _lines(
    policy: Policy, found: Assessment, record: Path, audit: Audit, releases_per_period: float
) -> tuple[Line, ...]:
    bound = audit.epsilon_lower_bound
    shown = None if bound is None else bound.value
    return policy.judge(found, together=_together(record), shown=shown, releases_per_period=releases_per_period)


def read_audit(place: Path) -> Audit:
    """The audit of a release in a file.

    Raises:
        FileError: a file that cannot be read or is not the audit of a release.
        VerificationError: it was changed.
    """
    fields = parsed_json(place)
    audit = decode(Audit, fields, place)
    require_digest(fields, place)
    return audit


def _together(record: Path) -> float | None:
    """The largest finite ε that the record states of all columns together; infinite where none is; None unstated."""
    stated = [one.value for one in read_record(record).together.values()]
    return max((one for one in stated if math.isfinite(one)), default=math.inf) if stated else None


def _stored(place: Path, protected: Protected) -> tuple[Evidence, ...]:
    """The evidence in an earlier assessment, or in a file of evidence alone."""
    fields = parsed_json(place)
    inside = fields.get("evidence") if fields.get("schema") == ASSESSMENT_SCHEMA else fields
    return evidence_from_json(
        inside if isinstance(inside, dict) else {},
        place,
        column=protected.setting.source.name,
        record=protected.record_digest,
    )


def _ways(found: Assessment, target: Grade | float | None, protected: Protected) -> tuple[tuple[Lift, ...], str | None]:
    # The distance of two letters is 1 whatever is done: no release moves it.
    fixed = [leaf for leaf in ("1",) if protected.form is Form.LETTERS and leaf in found.diagram.leaves]
    better = [grade for grade in Grade if grade > found.grade]
    if target is None and not better:
        return (), None
    try:
        return lifts(found, better[0] if target is None else target, fixed=fixed, most=5), None
    except RefusalError as error:
        return (), str(error)


def said_of_line(name: str, found: float | str | None, limit: float | str | None, of: str) -> str:
    """What a line of a policy found and asked for, in a short sentence without a full stop."""
    return f"{name} is {_said(found)}{f' ({of})' if of else ''}, the limit {_said(limit)}"


def _said(value: float | str | None) -> str:
    return "not known" if value is None else value if isinstance(value, str) else f"{value:.4g}"
