"""A report on a release, for people to read: put together from its sections, and written in every format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final

from leakgauge import notebook
from leakgauge.arguments import checked
from leakgauge.artefacts import Finding, Judgement, codec
from leakgauge.artefacts.report import Paragraph
from leakgauge.artefacts.verdict import Recommendation
from leakgauge.drafts import write_whole
from leakgauge.errors import OptionError, did_you_mean
from leakgauge.languages import CODES, Language, language_of
from leakgauge.release import Release
from leakgauge.report.document import Block, Document, Edition, Section, retold, twin
from leakgauge.report.external import LIMIT, masked, require_masked, shareable
from leakgauge.report.facts import Facts
from leakgauge.report.html import to_html
from leakgauge.report.markdown import to_markdown
from leakgauge.report.pdf import to_pdf
from leakgauge.report.sections import OF_A_SECRET, SECTIONS
from leakgauge.report.sections.teller import Teller
from leakgauge.sentences import in_turn
from leakgauge.visible import in_a_sentence

if TYPE_CHECKING:
    from msgspec import Struct

    from leakgauge.assessment import Diagram

BOTH = "both"
"""Both languages, side by side."""


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

    facts: Facts
    """What it reports."""

    @checked
    def __init__(self, release: Release, findings: Iterable[Finding] = (), verdict: Judgement | None = None) -> None:
        self.facts = Facts.gathered(release, tuple(findings), verdict)

    @classmethod
    @checked
    def of(cls, folder: Path | str) -> Report:
        """The report on the folder of a finished job.

        Raises:
            FileError: there is no such folder, or an artefact in it cannot be read.
            VerificationError: an artefact was changed after it was made.
        """
        return cls._of_facts(Facts.read(folder))

    @classmethod
    def made_of(cls, artefacts: Mapping[str, Struct], diagram: Diagram) -> Report:
        """The report on a job's artefacts, by the names of their files; the diagram has the arcs to draw."""
        return cls._of_facts(Facts.of(artefacts, diagram))

    @classmethod
    def _of_facts(cls, facts: Facts) -> Report:
        report = cls.__new__(cls)
        report.facts = facts
        return report

    def _repr_html_(self) -> str:
        verdict = self.facts.files.get("verdict.json", {})
        conditions, reasons = (
            [codec.sentence_of(one) for one in verdict.get(name, ())] for name in ("conditions", "reasons")
        )
        recommended = str(verdict.get("recommendation", "not judged"))
        if recommended == Recommendation.RELEASE_IF.value:
            recommended = f"{recommended} you {in_turn(conditions)}"
        rows = [("recommendation", recommended)]
        rows += [("because", str(one)) for one in reasons if one not in conditions]
        rows += [("rests on", f"{len(self.facts.files):,} files")]
        rows += [("to read it", "to_html(path), to_pdf(path), to_markdown(path)")]
        return notebook.table_html((), rows, "Report")

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
        codes = tuple(CODES) if language == BOTH else (language,)
        return [compose(self.facts, language_of(code), edition, limit=limit) for code in codes]

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


def compose(facts: Facts, language: Language, edition: Edition = Edition.INTERNAL, *, limit: int = LIMIT) -> Document:
    """The report on a job in one language.

    The external edition is made from what everybody may know, masked below the limit, and checked before it is handed
    out; errors are those of ``Report.documents``.
    """
    if edition is Edition.EXTERNAL and facts.has("audit.json", "foreign"):
        raise OptionError(
            "A release made elsewhere has no external report, because everything known about it follows from the "
            "table; write the internal one."
        )
    if edition is Edition.EXTERNAL:
        facts = shareable(facts, limit)
    tell = Teller(facts.files, facts.diagram, language, edition, own=facts.own)
    title = (
        language.say("Privacy report: the release of {table}", table=tell.table)
        if tell.released
        else language.say("Privacy report: {table}, not released", table=tell.table)
    )
    document = Document(title, language, edition, tuple(_sections(tell)), tell.document_number)
    document = retold(document, in_a_sentence)
    if edition is Edition.INTERNAL:
        return document
    document = masked(document, limit)
    require_masked(document, facts, limit)
    return document


def _sections(tell: Teller) -> Iterator[Section]:
    """All sections in order; of several secrets those that stand side by side and speak of one, secret by secret."""
    for own, keys in groupby(SECTIONS, OF_A_SECRET.__contains__):
        told, names = tell.each if own else (tell,), tuple(keys)
        for at, one in enumerate(told, 1):
            for key in names:
                blocks = _blocks(one, key)
                if blocks:
                    yield Section(f"{key}-{at}" if one.group else key, one.title(key), blocks)


def _blocks(tell: Teller, key: str) -> tuple[Block, ...]:
    return tuple(Paragraph("plain", one) if isinstance(one, tuple) else one for one in SECTIONS[key](tell))
