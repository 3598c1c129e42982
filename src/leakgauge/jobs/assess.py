"""An assessment: a release with its audit graded, beside the published score and the limits of a policy."""

from __future__ import annotations

import math
from pathlib import Path

import msgspec

from leakgauge.artefacts import Audit, Foreign, StoredAssessment, StoredEvidence, codec
from leakgauge.artefacts.assessment import Grade, Lift, PolicyLine, Veto
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
from leakgauge.assessment.indicators import INDICATORS, Protected, answered_beyond, source_of
from leakgauge.assessment.indicators.associations import plain_numbers
from leakgauge.assessment.indicators.claims import BUDGET
from leakgauge.assessment.indicators.foreign import collect_foreign
from leakgauge.assessment.indicators.indicator import Context
from leakgauge.assessment.published import grade_evidence
from leakgauge.assessment.stored import stored as stored_as
from leakgauge.assessment.vetoes import every_veto, vetoes_of_audit, vetoes_of_evidence
from leakgauge.audit.foreign import ForeignRelease, ForeignRoles, read_foreign
from leakgauge.errors import ColumnError, OptionError, RefusalError, VerificationError, did_you_mean
from leakgauge.probability.cells import Floats
from leakgauge.probability.files import parsed_json
from leakgauge.release import Release
from leakgauge.release.record import file_digest
from leakgauge.sentences import Sentence, in_turn
from leakgauge.tables import Kind, Table, open_table
from leakgauge.tables.opening import source_files
from leakgauge.tables.reading import ReadingOptions

_NO_RECORD = Veto(Sentence("it was made elsewhere, and no record says what it promises"))
_NOT_MOVED = Sentence(
    "It was made elsewhere: nothing of it can be set here; protect the original for a release that can."
)


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


def grade_foreign(
    audit: Audit,
    foreign: Foreign,
    released: Path,
    original: Table,
    diagram: Diagram,
    *,
    column: str | None = None,
    questionnaire: Questionnaire | None = None,
    releases_per_period: float = 1.0,
    policy: Policy | None = None,
    reading: ReadingOptions | None = None,
    confidence: float = 0.95,
) -> StoredAssessment:
    """A secret of a release that was made elsewhere, graded from both tables and its audit.

    What a record would say is not known: what privacy hangs on takes the unfavourable end, and a veto says so.
    ``reading`` is how the release is read; the original is open already.

    Raises:
        OptionError, ColumnError: several secrets were audited and none is named, or another one is.
        VerificationError: the audit is of another release, or of another original.
    """
    secret = _chosen_secret(foreign, column)
    files = [file for file in source_files(str(released)) if file.is_file()]
    if foreign.sha256 not in (None, *map(file_digest, files)):
        raise VerificationError("{path} is not the release that was audited; audit this one.", path=released)
    release = read_foreign(released, original, ForeignRoles(foreign.secrets, key=foreign.key), reading=reading)
    if release.rows != audit.rows:
        raise VerificationError(
            "The audit matched {audited} rows and {found} are matched now; audit this original.",
            audited=audit.rows,
            found=release.rows,
        )
    answers = {} if questionnaire is None else questionnaire.answers
    with open_table(release.looked_at) as table:
        evidence = collect_foreign(
            audit,
            secret,
            source_of(table, secret),
            release.changed.get(secret),
            _numbers(release, secret),
            Context(None, answers, releases_per_period, confidence=confidence),
            sum(file.stat().st_size for file in files) / release.rows if files else None,
        )
    # What speaks against a budget that is not known is that there is no record.
    known = [one for one in evidence if one.leaf != BUDGET.leaf]
    vetoes = dict.fromkeys((_NO_RECORD, *vetoes_of_evidence(known), *vetoes_of_audit(audit)))
    found = assess(diagram, (*evidence, *answered_beyond(questionnaire)), vetoes, confidence=confidence)
    lines: tuple[PolicyLine, ...] = ()
    if policy is not None:
        alone = None if audit.anonymity is None else audit.anonymity.unique_share
        judged = policy.judge(found, alone=alone, releases_per_period=releases_per_period)
        lines = tuple(_unpromised(line) for line in judged)
    published = grade_evidence(evidence)
    return stored_as(found, column=secret, record=audit.digest, published=published, blocked=_NOT_MOVED, lines=lines)


def _unpromised(line: PolicyLine) -> PolicyLine:
    """A limit on the budget that a record would promise: what was found of it is not known."""
    if line.name != BUDGET.limit:
        return line
    return msgspec.structs.replace(line, found=None, holds=False, of=Sentence(""))


def _chosen_secret(foreign: Foreign, column: str | None) -> str:
    held = [name for name in foreign.secrets if name not in foreign.withheld]
    if column is None and len(held) > 1:
        raise OptionError(
            "The release holds {count} secrets ({names!s}); name the one to assess with --column.",
            count=len(held),
            names=tuple(held),
        )
    chosen = column or (held or foreign.secrets)[0]
    if chosen in foreign.withheld:
        raise ColumnError(
            "Column {name!r} is not in the release, so that nothing of it can be graded; what other columns tell of "
            "it is in the audit.",
            name=chosen,
        )
    if chosen not in held:
        raise ColumnError(
            "Column {name!r} was not audited as a secret; {hint}", name=chosen, hint=did_you_mean(chosen, held)
        )
    return chosen


def _numbers(release: ForeignRelease, secret: str) -> Floats | None:
    """What was released of a secret, where that is numbers."""
    import pyarrow as pa

    values = release.released.get(secret)
    if values is None or not (pa.types.is_integer(values.type) or pa.types.is_floating(values.type)):
        return None
    return plain_numbers(values, Kind.FLOAT)


def is_foreign(place: Path) -> bool:
    """Whether a file is the audit of a release that was made elsewhere."""
    fields = parsed_json(place)
    return fields.get("schema") == codec.schema_of(Audit) and fields.get("foreign") is not None


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
