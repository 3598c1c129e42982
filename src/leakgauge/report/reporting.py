"""A report on a release, for people to read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from leakgauge.artefacts import codec
from leakgauge.drafts import write_bytes_whole, write_whole
from leakgauge.errors import OptionError, did_you_mean
from leakgauge.report.document import Document, Edition
from leakgauge.report.external import LIMIT

if TYPE_CHECKING:
    from msgspec import Struct

    from leakgauge.artefacts import Finding
    from leakgauge.assessment import Assessment, Diagram
    from leakgauge.release import Release
    from leakgauge.report.facts import Facts

BOTH = "both"
"""Both languages, side by side."""


class Report:
    """What was released, what attacks found in it and how it is graded, for people to read.

    Args:
        release: with its record.
        findings: of ``audit.attack``.
        grade: of ``assessment.assess_release``; None where it was not graded.

    The numbers name the artefacts that the command line would have written; ``of`` takes those of a finished job.
    """

    def __init__(self, release: Release, findings: Iterable[Finding] = (), grade: Assessment | None = None) -> None:
        from leakgauge.report.gathering import gathered

        self._facts = gathered(release, tuple(findings), grade)

    @classmethod
    def of(cls, folder: Path | str) -> Report:
        """The report on the folder of a finished job.

        Raises:
            FileError: there is no such folder, or an artefact in it cannot be read.
            VerificationError: an artefact was changed after it was made.
        """
        from leakgauge.report.facts import Facts

        made = cls.__new__(cls)
        made._facts = Facts.read(folder)
        return made

    @classmethod
    def made_of(cls, artefacts: Mapping[str, Struct], diagram: Diagram) -> Report:
        """The report on a job's artefacts, by the names of their files, and the diagram it was graded by."""
        from leakgauge.report.facts import Facts

        made = cls.__new__(cls)
        made._facts = Facts.of(artefacts, diagram)
        return made

    @property
    def facts(self) -> Facts:
        """What it reports."""
        return self._facts

    def documents(
        self, language: str = "en", edition: Edition = Edition.INTERNAL, *, limit: int = LIMIT
    ) -> Sequence[Document]:
        """The report as data, in ``en``, ``zh`` or ``both``; the external edition is masked and checked.

        Args:
            language: of the report.
            edition: for whom it is.
            limit: the external edition hides smaller counts.

        Raises:
            OptionError: another language, or a limit below 1.
            InternalError: a small count is left in the external edition.
        """
        from leakgauge.languages import CODES, language_of
        from leakgauge.report.composing import compose

        if language not in (*CODES, BOTH):
            raise OptionError(
                "There is no language {code!r}; {hint}", code=language, hint=did_you_mean(language, (*CODES, BOTH))
            )
        codes = tuple(CODES) if language == BOTH else (language,)
        return [compose(self._facts, language_of(code), edition, limit=limit) for code in codes]

    def to_html(
        self, path: Path | str, language: str = "en", edition: Edition = Edition.INTERNAL, *, limit: int = LIMIT
    ) -> None:
        """Write one HTML file that needs nothing else; arguments as of ``documents``.

        Raises:
            OptionError, InternalError: as of ``documents``; nothing is written.
            EngineError: the file cannot be written.
        """
        from leakgauge.report.html import to_html

        text = to_html(self.documents(language, edition, limit=limit))
        write_whole(Path(path), text, shareable=edition is Edition.EXTERNAL)

    def to_markdown(
        self, path: Path | str, language: str = "en", edition: Edition = Edition.INTERNAL, *, limit: int = LIMIT
    ) -> None:
        """Write a Markdown file; both languages one after the other. Arguments and errors as of ``to_html``."""
        from leakgauge.report.markdown import to_markdown

        made = self.documents(language, edition, limit=limit)
        text = "\n\n---\n\n".join(to_markdown(one) for one in made)
        write_whole(Path(path), text, shareable=edition is Edition.EXTERNAL)

    def to_pdf(
        self, path: Path | str, language: str = "en", edition: Edition = Edition.INTERNAL, *, limit: int = LIMIT
    ) -> None:
        """Write a PDF file; it needs the extra ``pdf``. Arguments and errors as of ``to_html``."""
        from leakgauge.report.pdf import to_pdf

        content = to_pdf(self.documents(language, edition, limit=limit))
        write_bytes_whole(Path(path), content, shareable=edition is Edition.EXTERNAL)

    def to_json(
        self, path: Path | str, language: str = "en", edition: Edition = Edition.INTERNAL, *, limit: int = LIMIT
    ) -> None:
        """Write the same as data, every number with its source. Arguments and errors as of ``to_html``."""
        from leakgauge.report.twin import twin

        told = twin(self.documents(language, edition, limit=limit))
        codec.write(Path(path), told, shareable=edition is Edition.EXTERNAL)
