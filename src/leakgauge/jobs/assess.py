"""An assessment: the verdict on a release with its audit, and criteria that explain it but decide nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from msgspec import structs

from leakgauge.artefacts import Audit, Judgement, StoredEvidence, codec
from leakgauge.artefacts.codec import decode, require_digest
from leakgauge.artefacts.evidence import Evidence
from leakgauge.artefacts.request import Declared
from leakgauge.artefacts.scores import Scores
from leakgauge.artefacts.verdict import Beside
from leakgauge.assessment import Diagram, Questionnaire, collect, protected_of_release, read_questionnaire
from leakgauge.assessment.algebra import over_arcs
from leakgauge.assessment.comprehensive_evaluation import FactorTree, evaluate_evidence, open_factors
from leakgauge.assessment.criteria import CriteriaDiagram, asked_by, criteria_of, default_criteria, open_diagram
from leakgauge.assessment.indicators.catalogue import answered_beyond, asked_leaves
from leakgauge.assessment.indicators.foreign import collect_foreign
from leakgauge.assessment.indicators.indicator import Context
from leakgauge.assessment.indicators.protected import ProtectedColumn
from leakgauge.assessment.indicators.source import plain_numbers, source_of
from leakgauge.assessment.published_score import published_score
from leakgauge.audit.foreign.release import ForeignRelease, ForeignRoles, read_foreign
from leakgauge.errors import FileError, VerificationError
from leakgauge.probability.cells import Floats
from leakgauge.probability.files import parsed_json
from leakgauge.release import Release
from leakgauge.release.record import file_digest
from leakgauge.release.recorded_plan import plan_of
from leakgauge.tables import Kind, Table, open_table
from leakgauge.tables.opening import source_files
from leakgauge.tables.reading import ReadingOptions


@dataclass(frozen=True)
class Explaining:
    """The inputs that explain a verdict.

    Attributes:
        diagram: which leaf feeds which criterion; for the paper's diagram, or one like it, the first score is included.
        questionnaire: the answers of respondents.
        factors: of a comprehensive evaluation; None for none.
        stored: an earlier verdict, or evidence alone, whose space and time are used.
        releases_per_period: how often such a release is made.
        confidence: of the intervals of the evidence.
        matrices: whether the published score has those of every node.
    """

    diagram: CriteriaDiagram | Diagram = field(default_factory=default_criteria)
    questionnaire: Questionnaire | None = None
    factors: FactorTree | None = None
    stored: Path | None = None
    releases_per_period: float = 1.0
    confidence: float = 0.95
    matrices: bool = False

    @classmethod
    def by(
        cls,
        declared: Declared,
        *,
        factors: Path | str | None = None,
        stored: Path | str | None = None,
        matrices: bool = False,
    ) -> Explaining:
        """Inputs read from the files that are declared."""
        drawn = open_diagram(declared.diagram)
        leaves = asked_by(drawn) if isinstance(drawn, CriteriaDiagram) else asked_leaves(drawn)
        answers = declared.questionnaire
        return cls(
            drawn,
            None if answers is None else read_questionnaire(answers, leaves),
            None if factors is None else open_factors(factors),
            None if stored is None else Path(stored),
            declared.releases_per_period,
            declared.confidence,
            matrices,
        )

    def beside(self, evidence: tuple[Evidence, ...], scores: Scores, column: str, record: str) -> Beside:
        """Criteria and scores from the evidence of one secret, beside its scores."""
        drawn, every = self.diagram, (*evidence, *answered_beyond(self.questionnaire))
        criteria, arcs = (drawn, None) if isinstance(drawn, CriteriaDiagram) else (None, drawn)
        return Beside(
            criteria=criteria_of(every, scores, criteria, confidence=self.confidence),
            evidence=StoredEvidence(evidence, column, record),
            published=published_score(every, arcs, matrices=self.matrices),
            over_arcs=None if arcs is None else over_arcs(arcs, every),
            comprehensive=None if self.factors is None else evaluate_evidence(every, self.factors),
        )


def explained(found: Judgement, record: Release | Path, audit: Audit, original: Table, by: Explaining) -> Judgement:
    """A verdict with explanations for each released secret."""
    release, beside = Release.read(record), dict[str, Beside]()
    plan = plan_of(release.record, release.record_file)
    released = {", ".join(name for name in one.reads if name not in plan.public) for one in plan.columns}
    for name in found.scores:
        if name not in released:
            continue
        protected = protected_of_release(release, original, column=name)
        evidence = collect(
            protected,
            audit=audit,
            questionnaire=by.questionnaire,
            releases_per_period=by.releases_per_period,
            stored=() if by.stored is None else _stored(by.stored, protected),
            confidence=by.confidence,
        )
        beside[name] = by.beside(evidence, found.scores[name], name, release.record.digest)
    return structs.replace(found, beside=beside)


def explained_foreign(
    found: Judgement,
    audit: Audit,
    released: Path | str,
    original: Table,
    by: Explaining,
    *,
    reading: ReadingOptions | None = None,
) -> Judgement:
    """The verdict on a release made elsewhere, with explanations for each secret that it contains."""
    foreign, beside = audit.foreign, dict[str, Beside]()
    assert foreign is not None
    files = [file for file in source_files(str(released)) if file.is_file()]
    if foreign.sha256 not in (None, *map(file_digest, files)):
        raise VerificationError("{path} is not the release that was audited; audit this one.", path=released)
    release = read_foreign(released, original, ForeignRoles(foreign.secrets, key=foreign.key), reading=reading)
    answers = {} if by.questionnaire is None else by.questionnaire.answers
    with open_table(release.looked_at) as table:
        for name in (one for one in foreign.secrets if one not in foreign.withheld):
            evidence = collect_foreign(
                audit,
                name,
                source_of(table, name),
                release.changed.get(name),
                _numbers(release, name),
                Context(None, answers, by.releases_per_period, confidence=by.confidence),
                sum(file.stat().st_size for file in files) / release.rows if files else None,
            )
            beside[name] = by.beside(evidence, found.scores[name], name, audit.digest)
    return structs.replace(found, beside=beside)


def _numbers(release: ForeignRelease, secret: str) -> Floats | None:
    """The released values of a secret that is numeric."""
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


def _stored(place: Path, protected: ProtectedColumn) -> tuple[Evidence, ...]:
    """The evidence in an earlier verdict, or assessment, or in a file of evidence alone."""
    fields, name = parsed_json(place), protected.setting.source.name
    if fields.get("schema") == codec.schema_of(Judgement):
        every = codec.decode(Judgement, fields, place).beside
        if name not in every:
            raise FileError("{path} has no evidence about {name!r}; name a verdict that does.", path=place, name=name)
        found = every[name].evidence
    elif fields.get("schema") == "leakgauge/assessment/1":
        found = codec.decode(StoredEvidence, fields.get("evidence") or {}, place)
    else:
        found = codec.decode(StoredEvidence, fields, place)
    found.require_of(name, protected.record_digest, place)
    return found.leaves
