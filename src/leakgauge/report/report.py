"""A report, for people to read: put together from its sections, and written in every format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path, PurePath
from typing import Final

from leakgauge.arguments import checked
from leakgauge.artefacts import Audit, AuditedRecord, Finding, Judgement, codec
from leakgauge.artefacts.dossier import Dossier
from leakgauge.artefacts.shareable import shareable
from leakgauge.assessment import Diagram, default_diagram
from leakgauge.drafts import write_whole
from leakgauge.errors import OptionError, did_you_mean
from leakgauge.languages import CODES, Language, language_of
from leakgauge.release import Release
from leakgauge.report.document import Document, printed, retold, twin
from leakgauge.report.external import LIMIT, masked, require_masked
from leakgauge.report.html import to_html
from leakgauge.report.markdown import to_markdown
from leakgauge.report.pdf import to_pdf
from leakgauge.report.reading import diagram_in, read_dossier
from leakgauge.report.sections import OF_A_SECRET, QUESTION_OF, SECTIONS
from leakgauge.telling.blocks import Content, Edition, Section, blocks_of
from leakgauge.telling.scores import judged_by, recommended
from leakgauge.telling.shown import Shown
from leakgauge.telling.statement import document_number, table_of
from leakgauge.telling.titles import title
from leakgauge.telling.voice import Plain, Voice
from leakgauge.visible import in_a_sentence

BOTH = "both"
"""Both languages, side by side."""


def codes_of(language: str) -> tuple[str, ...]:
    """The languages of a report, of which ``both`` has two."""
    return tuple(CODES) if language == BOTH else (language,)


def _markdown(documents: Sequence[Document]) -> str:
    return "\n\n---\n\n".join(map(to_markdown, documents))


FORMS: Final[Mapping[str, Callable[[Sequence[Document]], str | bytes]]] = {
    "html": to_html,
    "md": _markdown,
    "pdf": to_pdf,
}
"""What a file of each ending holds, from a document per language."""


class Report:
    """What was released, what attacks found in it and what is recommended, for people to read.

    Args:
        release: with its record.
        findings: of ``audit.attack``.
        verdict: on it; None where it was not judged.

    The numbers name the artefacts that the command line would have written; ``of`` takes those of a finished job.
    """

    dossier: Dossier
    """What it reports."""

    @checked
    def __init__(self, release: Release, findings: Iterable[Finding] = (), verdict: Judgement | None = None) -> None:
        found = tuple(findings)
        audit = _audit(release, found) if found else None
        self.dossier = Dossier(record=release.record, audit=audit, verdict=verdict)
        self._diagram = default_diagram()

    @classmethod
    @checked
    def of(cls, folder: Path | str) -> Report:
        """The report on the folder of a finished job.

        Raises:
            FileError: there is no such folder, or an artefact in it cannot be read.
            VerificationError: an artefact was changed after it was made.
        """
        return cls.made_of(read_dossier(folder), diagram_in(folder))

    @classmethod
    def made_of(cls, dossier: Dossier, diagram: Diagram) -> Report:
        """The report on a dossier; the diagram has the arcs to draw."""
        report = cls.__new__(cls)
        report.dossier, report._diagram = dossier, diagram
        return report

    def _repr_html_(self) -> str:
        from leakgauge.report.notebook import html_of

        voice = Voice(Shown(self.dossier), diagram=self._diagram)
        verdict = judged_by(voice)
        contents: list[Content] = [] if verdict is None else list(recommended(voice, verdict))
        rests_on = voice.say(
            "The report rests on {count} files; to_html(path), to_pdf(path) and to_markdown(path) write it.",
            count=Plain(str(len(self.dossier.files()))),
        )
        return html_of([*contents, rests_on])

    def documents(
        self, language: str = "en", edition: Edition = Edition.INTERNAL, *, limit: int = LIMIT
    ) -> Sequence[Document]:
        """The report as data, in ``en``, ``zh`` or ``both``; the external edition hides counts below the limit.

        Raises:
            OptionError: another language, or a limit below 1.
            FileError: an artefact lacks a number that it must have.
            InternalError: a small count, or a number that not everybody may know, is left in the external edition.
        """
        if language not in (*CODES, BOTH):
            raise OptionError(
                "There is no language {code!r}; {hint}", code=language, hint=did_you_mean(language, (*CODES, BOTH))
            )
        return [
            compose(self.dossier, language_of(code), edition, self._diagram, limit=limit) for code in codes_of(language)
        ]

    def to_html(
        self, path: Path | str, language: str = "en", edition: Edition = Edition.INTERNAL, *, limit: int = LIMIT
    ) -> None:
        """Write one HTML file that needs nothing else; arguments as of ``documents``.

        Raises:
            OptionError, InternalError: as of ``documents``; nothing is written.
            EngineError: the file cannot be written.
        """
        _write(path, FORMS["html"](self.documents(language, edition, limit=limit)), edition)

    def to_markdown(
        self, path: Path | str, language: str = "en", edition: Edition = Edition.INTERNAL, *, limit: int = LIMIT
    ) -> None:
        """Write a Markdown file; both languages one after the other. Arguments and errors as of ``to_html``."""
        _write(path, FORMS["md"](self.documents(language, edition, limit=limit)), edition)

    def to_pdf(
        self, path: Path | str, language: str = "en", edition: Edition = Edition.INTERNAL, *, limit: int = LIMIT
    ) -> None:
        """Write a PDF file; it needs the extra ``pdf``. Arguments and errors as of ``to_html``."""
        _write(path, FORMS["pdf"](self.documents(language, edition, limit=limit)), edition)

    def to_json(
        self, path: Path | str, language: str = "en", edition: Edition = Edition.INTERNAL, *, limit: int = LIMIT
    ) -> None:
        """Write the same as data, every number with its source. Arguments and errors as of ``to_html``."""
        _write(path, codec.text_of(twin(self.documents(language, edition, limit=limit))), edition)


def _write(path: Path | str, content: str | bytes, edition: Edition) -> None:
    write_whole(Path(path), content, shareable=edition is Edition.EXTERNAL)


def _audit(release: Release, findings: Sequence[Finding]) -> Audit:
    wrong = tuple(one.broken_claim for one in findings if one.beats_claim)
    record = AuditedRecord(release.record.reference, release.digest)
    sure = findings[0].success.confidence or 0.0
    private = release.record.private
    return codec.sealed(Audit(record, private, release.rows, sure, bool(wrong), wrong, attacks=tuple(findings)))


def compose(
    dossier: Dossier,
    language: Language,
    edition: Edition = Edition.INTERNAL,
    diagram: Diagram | None = None,
    *,
    limit: int = LIMIT,
) -> Document:
    """The report on a dossier in one language; without a diagram, with the arcs of the default one.

    The external edition is made from what everybody may know, masked below the limit, and checked before it is handed
    out; errors are those of ``Report.documents``.
    """
    if edition is Edition.EXTERNAL and dossier.audit is not None and dossier.audit.foreign is not None:
        raise OptionError(
            "A release made elsewhere has no external report, because everything known about it follows from the "
            "table; write the internal one."
        )
    known = shareable(dossier, limit) if edition is Edition.EXTERNAL else dossier
    # Everybody is told that a release must not be used, but not what it was advised by: a verdict follows from counts.
    stamped = dossier.is_refused if edition is Edition.EXTERNAL else dossier.is_advised_against
    voice = Voice(Shown(known), language, edition, diagram=diagram or default_diagram(), stamped=stamped)
    name = (
        language.say("Privacy report: the release of {table}", table=table_of(voice))
        if voice.released
        else language.say("Privacy report: {table}, not released", table=table_of(voice))
    )
    stamp = language.say("NOT APPROVED") if stamped else ""
    document = Document(name, language, edition, tuple(_sections(voice)), document_number(voice), stamp)
    document = retold(document, in_a_sentence)
    if edition is Edition.INTERNAL:
        return document
    # Its readers get no data beside the pages.
    document = masked(printed(document), limit)
    require_masked(document, voice, limit)
    return document


def _sections(voice: Voice) -> Iterator[Section]:
    """All sections in order; of several secrets those that stand side by side and speak of one, secret by secret."""
    for (question, own), keys in groupby(SECTIONS, lambda key: (QUESTION_OF.get(key, ""), key in OF_A_SECRET)):
        told, names = voice.each if own else (voice,), tuple(keys)
        for at, one in enumerate(told, 1):
            for key in names:
                blocks = blocks_of(SECTIONS[key](one))
                if blocks:
                    yield Section(f"{key}-{at}" if one.group else key, title(one, key), blocks, question)


KEYS = ("places-comparison", "places-track", "places-survey", "places", "places-maps")


def document_on(dossier: Dossier, language: Language) -> Document:
    """The document on results about places; for those who may see the table."""
    voice = Voice(Shown(dossier), language)
    found = voice.dossier
    results = (found.location_survey, found.location_comparison, found.location_design, found.location_track)
    table = next((one.table for one in results if one is not None), "")
    sections = []
    for key in KEYS:
        blocks = blocks_of(SECTIONS[key](voice))
        if blocks:
            sections.append(Section(key, title(voice, key), blocks))
    name = language.say("Places of {table}", table=PurePath(table).name or "–")
    return retold(Document(name, language, Edition.INTERNAL, tuple(sections)), in_a_sentence)
