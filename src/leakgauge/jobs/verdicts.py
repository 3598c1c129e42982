"""The verdict on a release or on a finished job, with explanations and actions that would change it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Unpack

from msgspec import structs

from leakgauge.arguments import checked
from leakgauge.artefacts import Audit, Job, Judgement, codec
from leakgauge.artefacts.dossier import AUDIT, JOB, RECORD, VERDICT
from leakgauge.artefacts.request import FRAME, Declared, Limits
from leakgauge.artefacts.request.verbs import AssessOptions, ExplainedBy, JudgedBy, JudgedColumns
from leakgauge.artefacts.verdict import Declaration
from leakgauge.assessment.judging import case_of, judge, judge_foreign, secrets_of
from leakgauge.assessment.scores.usefulness import Use, use_named
from leakgauge.assessment.terms import Terms, policy_of
from leakgauge.errors import OptionError
from leakgauge.jobs.assess import Explaining, explained, explained_foreign, is_foreign, read_audit
from leakgauge.jobs.protect.actions import with_actions
from leakgauge.jobs.protect.judged import Judging
from leakgauge.jobs.protect.repeated import earlier_channels
from leakgauge.release import Release
from leakgauge.release.recorded_plan import plan_of
from leakgauge.sentences import Sentence
from leakgauge.tables import Table, open_table
from leakgauge.tables.reading import ReadingOptions, reading_of


@checked
def assess(
    release: Path | str,
    audit: Path | str | None = None,
    *,
    original: object = None,
    released: Path | str | None = None,
    **options: Unpack[AssessOptions],
) -> Judgement:
    """The verdict on a release.

    Args:
        release: the folder of a finished job; or a record; or the audit of a release that was made elsewhere.
        audit: of the release of a record.
        original: the table it was made from, as ``open_table`` takes it; for a job, only if the table was moved.
        released: the release made elsewhere, or that of a record if it was moved.
        secret: columns to judge, each by itself; by default all that go through a mechanism.
        withhold: secrets that are not released.
        background: columns that the attacker knows.
        use: what readers do with the release: ``statistics``, the default, or ``rows``.
        policy: a file of limits in TOML; without one, the default policy.
        min_protection: an additional limit, from 0 to 100.
        min_usefulness: likewise.
        accept_unique: published columns that may identify people.
        purpose: what the release is for; declared, like ``recipient`` and ``review``.
        releases_per_period: how often such a release is made.
        diagram: which indicator feeds which criterion, in TOML; ``paper``, or a diagram with arcs, adds the first score
            over its arcs, and the published score is then that of this diagram.
        questionnaire: the answers of respondents.
        fuzzy: factors of a comprehensive evaluation in TOML, or ``paper-a`` or ``paper-b``.
        stored: an earlier verdict, whose space and time are used.
        matrices: add the published method's matrices of every node.
        confidence: of the intervals of the indicators.
        options: also how the original is read, as ``open_table`` takes it.

    Raises:
        OptionError: a file that is needed is not named.
        VerificationError: the audit is of another release.
    """
    place, reading = Path(release), reading_of(options)
    columns, by, also = (
        JudgedColumns.of_options(options),
        JudgedBy.of_options(options),
        ExplainedBy.of_options(options),
    )
    given = by.given()
    explaining = partial(Explaining.by, factors=also.fuzzy, stored=also.stored, matrices=also.matrices)
    declared = Declared(
        releases_per_period=1.0 if by.releases_per_period is None else by.releases_per_period,
        confidence=also.confidence,
        diagram=None if by.diagram is None else str(by.diagram),
        questionnaire=None if by.questionnaire is None else str(by.questionnaire),
        review=by.review,
        sensitivity=by.sensitivity,
        attacker=by.attacker,
    )
    declared.require_review_to_come()
    if place.is_dir():
        _require_absent({"audit": audit, **columns.given(), "released": released}, Sentence("a finished job"))
        return _of_job(place, original, given, explaining, reading)
    if audit is None and not is_foreign(place):
        raise OptionError(
            "A verdict needs a record and its audit; name both files, the folder of a job, or the audit of a release "
            "made elsewhere."
        )
    if original is None:
        raise OptionError("A verdict needs the table the release was made from; name it with --original.")
    limits = Limits(by.min_protection, by.min_usefulness, policy=None if by.policy is None else str(by.policy))
    terms = Terms(
        policy_of(limits, declared),
        use_named(by.use or Use.STATISTICS),
        tuple(one for one in Declaration if one.value in given),
        by.accept_unique,
        releases_per_period=declared.releases_per_period,
        ruled_out=declared.ruled_out,
        sensitivity=declared.sensitivity,
    )
    how = explaining(declared)
    with open_table(original, **reading) as table:
        if audit is None:
            _require_absent({**columns.given(), "use": by.use}, Sentence("an audit of a release made elsewhere"))
            return _of_foreign(place, released, table, terms, how, reading)
        made, findings = Release.read(place), read_audit(Path(audit))
        made = made if released is None else made.found_at(released)
        case = case_of(made, table, background=columns.background, confidence=findings.confidence)
        secrets = (*secrets_of(made, columns.secret), *((name,) for name in columns.withhold))
        found = judge(made, case, findings, terms, secrets=secrets)
        return explained(found, made, findings, table, how)


def _require_absent(given: Mapping[str, object], release: Sentence) -> None:
    """Refuse options that the release already determines."""
    for name, value in given.items():
        if value not in (None, (), []):
            raise OptionError("--{name!s} is already known for {release}; leave it out.", name=name, release=release)


def _of_foreign(
    audit: Path, released: Path | str | None, table: Table, terms: Terms, by: Explaining, reading: ReadingOptions
) -> Judgement:
    if released is None:
        raise OptionError("Without a record, nothing says where the release is; name it with --released.")
    if by.stored is not None:
        raise OptionError("--stored does not apply to a release made elsewhere; leave it out.")
    findings = read_audit(audit)
    found = judge_foreign(findings, released, table, terms=terms, reading=reading)
    return explained_foreign(found, findings, released, table, by, reading=reading)


def _of_job(
    place: Path,
    original: object,
    given: Mapping[str, Any],
    explaining: Callable[..., Explaining],
    reading: ReadingOptions,
) -> Judgement:
    job = codec.read(Job, place / JOB.name)
    if job.outcome is None or not job.outcome.released:
        raise OptionError(
            "The job in {path!s} released nothing, so there is nothing to assess; its report says why.", path=str(place)
        )
    asked = job.request.having(**given)
    if original is None and asked.table == FRAME:
        raise OptionError(
            "The job in {path!s} was made from a table in memory; name the table with --original.", path=str(place)
        )
    release, audit = Release.read(place / RECORD.name), codec.read(Audit, place / AUDIT.name)
    by = explaining(asked.declared)
    with open_table(asked.table if original is None else original, **{**asked.reading.keywords(), **reading}) as table:
        plan = plan_of(release.record, release.record_file)
        earlier = earlier_channels(job.before, plan, asked.roles.sources)
        judging = Judging(table, policy_of(asked.limits, asked.declared), earlier=earlier)
        found = judging.drawn(asked, release, audit, _beyond_doubt(place, audit))
        return with_actions(explained(found, release, audit, table, by), asked, judging)


def _beyond_doubt(place: Path, audit: Audit) -> Audit:
    """The audit with only the accusations that the job found beyond doubt."""
    if not audit.violated:
        return audit
    vetoes = codec.read(Judgement, place / VERDICT.name).facts.vetoes
    return structs.replace(audit, violations=tuple(one for one in vetoes if "reason" not in one.fields))
