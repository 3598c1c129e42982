"""An assessment: a release with its audit graded, beside the published score and the limits of a policy."""

from __future__ import annotations

import math
from pathlib import Path

from leakgauge.artefacts import Audit, StoredAssessment, StoredEvidence, codec
from leakgauge.artefacts.assessment import Grade, Lift, PolicyLine
from leakgauge.artefacts.codec import decode, require_digest
from leakgauge.artefacts.evidence import Evidence
from leakgauge.assessment import (
    Assessment,
    Diagram,
    Policy,
    Questionnaire,
    assess,
    collect,
    lifts,
    protected_of_release,
)
from leakgauge.assessment.indicators import INDICATORS, Protected, answered_beyond
from leakgauge.assessment.published import grade_evidence
from leakgauge.assessment.stored import stored as stored_as
from leakgauge.assessment.vetoes import every_veto
from leakgauge.errors import RefusalError
from leakgauge.probability.files import parsed_json
from leakgauge.release import Release
from leakgauge.sentences import Sentence, in_turn
from leakgauge.tables import Table


def require(graded: StoredAssessment) -> None:
    """Refuse what a policy does not allow, or a veto stands against; every line that fails is named."""
    if graded.failed:
        raise RefusalError("The policy is not kept: {failed}.", failed=in_turn(graded.failed))
    vetoed = refused_by_veto(graded)
    if vetoed is not None:
        raise vetoed


def refused_by_veto(graded: StoredAssessment) -> RefusalError | None:
    """The refusal of a release that vetoes stand against; None where there are none."""
    if not graded.vetoes:
        return None
    return RefusalError(
        "A veto stands against the release: {reasons}; do not give it away, ask for more protection.",
        reasons=in_turn(graded.reasons),
    )


def grade_release(
    record: Release | Path,
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
    accusing: Audit | None = None,
    alone: float | None = None,
    smallest: int | None = None,
) -> StoredAssessment:
    """A column of a release graded from its record, its table and its audit.

    Of evidence that is ``stored`` space and time are taken. The lifts aim at the next better grade unless there is a
    ``target``. A policy judges the share of rows that stand ``alone`` in the public columns and the ``smallest`` group
    of rows that agree in them, which are what the audit found unless they are given. Vetoes are the findings of the
    audit ``accusing``, where that is another than the one that is graded.
    """
    release = Release.read(record)
    protected = protected_of_release(release, original, released, column)
    evidence = collect(
        protected,
        audit=audit,
        questionnaire=questionnaire,
        releases_per_period=releases_per_period,
        stored=() if stored is None else _stored(stored, protected),
        confidence=confidence,
    )
    every = (*evidence, *answered_beyond(questionnaire))
    vetoes = every_veto(protected.setting, evidence, audit=accusing or audit)
    found = assess(diagram, every, vetoes, confidence=confidence)
    ways, blocked = _ways(found, target, protected)
    lines: tuple[PolicyLine, ...] = ()
    if policy is not None:
        # The largest finite ε that the record states of all columns together; infinite where none is.
        stated = [one.value for one in release.record.together.values()]
        together = max((one for one in stated if math.isfinite(one)), default=math.inf) if stated else None
        shown = None if audit.epsilon_lower_bound is None else audit.epsilon_lower_bound.value
        hidden = audit.anonymity
        lines = policy.judge(
            found,
            together=together,
            shown=shown,
            alone=hidden.unique_share if alone is None and hidden is not None else alone,
            smallest=hidden.k if smallest is None and hidden is not None else smallest,
            releases_per_period=releases_per_period,
        )
    return stored_as(
        found,
        column=protected.setting.source.name,
        record=protected.record_digest,
        published=grade_evidence(evidence),
        lifts=ways,
        blocked=blocked,
        lines=lines,
    )


def read_audit(place: Path) -> Audit:
    """The audit of a release in a file, unless it was changed."""
    fields = parsed_json(place)
    audit = decode(Audit, fields, place)
    require_digest(fields, place)
    return audit


def _stored(place: Path, protected: Protected) -> tuple[Evidence, ...]:
    """The evidence in an earlier assessment, or in a file of evidence alone."""
    fields = parsed_json(place)
    found = (
        codec.decode(StoredAssessment, fields, place).evidence
        if fields.get("schema") == codec.schema_of(StoredAssessment)
        else codec.decode(StoredEvidence, fields, place)
    )
    found.require_of(protected.setting.source.name, protected.record_digest, place)
    return found.leaves


def _ways(
    found: Assessment, target: Grade | float | None, protected: Protected
) -> tuple[tuple[Lift, ...], Sentence | None]:
    """The changes that reach a target, by default the next better grade, or why none does."""
    still = {one.leaf for one in INDICATORS.values() if protected.setting.form in one.fixed}
    if target is None:
        target = next((grade for grade in Grade if grade > found.grade), None)
        if target is None:
            return (), None
    try:
        return lifts(found, target, fixed=still.intersection(found.diagram.leaves), most=5), None
    except RefusalError as error:
        return (), error.sentence
