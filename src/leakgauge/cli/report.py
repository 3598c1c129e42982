"""``leakgauge report``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from leakgauge.artefacts.request.part import Option, RequestPart
from leakgauge.artefacts.request.shared_options import ASSESSMENT, WHICH_CLAUSES
from leakgauge.artefacts.request.terms import OF_THE_REPORT
from leakgauge.cli import options
from leakgauge.cli.language import current, say
from leakgauge.cli.options import FILE
from leakgauge.cli.output import STANDARD_OUTPUT, Output, deliver, working
from leakgauge.drafts import require_writable, write_whole
from leakgauge.errors import FileError, OptionError

if TYPE_CHECKING:
    from leakgauge.artefacts.clauses import Clauses
    from leakgauge.artefacts.dossier import Dossier

_FORMS = ("html", "md", "pdf")


class Reporting(RequestPart, frozen=True):
    """Which report is written, and how."""

    edition: Annotated[str, Option(None, choices=("internal", "external"))] = "internal"
    report_language: Annotated[str | None, OF_THE_REPORT] = None
    form: Annotated[
        str | None, Option("By default, the ending of the file's name.", choices=_FORMS, called="format")
    ] = None
    limit: Annotated[int | None, Option("External edition: hide counts below this; by default 10.", least=1)] = None
    clauses: Annotated[tuple[str, ...], WHICH_CLAUSES] = ()
    assessment: Annotated[Path | None, ASSESSMENT] = None
    assessment_form: Annotated[
        Path | None, Option("Write a form for --assessment with what is left to be filled in, and no report.", "FILE")
    ] = None
    opened: Annotated[bool, Option("Show the report in the browser.", called="open")] = False

    def require_possible(self) -> None:
        """Refuse a limit where nothing is masked."""
        if self.limit is not None and self.edition == "internal":
            raise OptionError(
                "--limit {found} masks counts of the external edition only; add --edition external.", found=self.limit
            )
        if self.edition == "external" and (self.clauses or self.assessment is not None):
            raise OptionError(
                "The external edition has no clauses, because they say what follows from the table; leave out "
                "--clauses and --assessment."
            )


@click.command()
@click.argument("folder", type=FILE)
@options.taking(asked=Reporting)
@click.option("--json", "as_json", is_flag=True, help="Print the report as data instead.")
@click.option(
    "-o",
    "--output",
    type=FILE,
    metavar="FILE",
    help="The report's file, or - for standard output; by default in FOLDER.",
)
def command(folder: Path, asked: Reporting, as_json: bool, output: Path | None) -> None:
    """Write the report on a job's FOLDER again, in another edition, language or format.

    \b
    leakgauge report out --edition external --report-language both
    leakgauge report out --format pdf -o report.pdf
    leakgauge report out --assessment-form assessment.toml
    leakgauge report out --assessment assessment.toml --clauses gdpr --clauses us

    The report walks through the clauses of an assessment: what the job answers, and what is for people to say.

    The external edition masks small counts and leaves out every number that follows from the table's own counts.
    """
    from leakgauge.artefacts import codec
    from leakgauge.artefacts.dossier import CLAUSES
    from leakgauge.report import Edition, Report
    from leakgauge.report.external import LIMIT
    from leakgauge.report.reading import diagram_in

    kind, language, least = Edition(asked.edition), asked.report_language or current().code, asked.limit or LIMIT
    written = asked.form or ("html" if as_json else _suffix(output))
    dossier, clauses = _walked(folder, asked, language)
    if asked.assessment_form is not None:
        _write_form(asked.assessment_form, dossier)
        return
    report = Report.made_of(dossier, diagram_in(folder))
    if asked.clauses or asked.assessment is not None:
        # Whatever report is written next says the same.
        codec.write(folder / CLAUSES.name, clauses)
    if as_json:
        from leakgauge.report.document import twin

        require_writable(output)
        documents = twin(report.documents(language, kind, limit=least))
        deliver(documents, Output(as_json, output), lambda _: (), shareable=kind is Edition.EXTERNAL)
        return
    if output == STANDARD_OUTPUT:
        from leakgauge.report.report import FORMS

        if asked.opened:
            raise OptionError(
                "--open shows a file, but -o - writes to standard output; name a file, or leave --open out."
            )
        with working(say("Writing the report …")):
            content = FORMS[written](report.documents(language, kind, limit=least))
        # As in a file, in UTF-8 whatever the terminal has.
        click.echo(content.encode() if isinstance(content, str) else content, nl=False)
        return
    place = output or folder / f"{'report' if kind is Edition.INTERNAL else 'report-external'}.{written}"
    require_writable(place)
    write = {"html": report.to_html, "md": report.to_markdown, "pdf": report.to_pdf}[written]
    with working(say("Writing the report …")):
        write(place, language, kind, limit=least)
    click.echo(say("Report: {path!s}", path=place))
    if clauses.open and kind is Edition.INTERNAL:
        click.echo(say("Answers left for you to fill in: {count}.", count=clauses.open))
    if asked.opened:
        click.launch(str(place))


def _walked(folder: Path, asked: Reporting, language: str) -> tuple[Dossier, Clauses]:
    """The results in a folder, with every clause answered anew."""
    from msgspec import structs

    from leakgauge.report.reading import read_dossier
    from leakgauge.report.report import codes_of
    from leakgauge.telling.clauses.files import read_walk
    from leakgauge.telling.clauses.walk import answered

    found = read_dossier(folder)
    assessment = None if asked.assessment is None else str(asked.assessment)
    of_job = None if found.job is None else found.job.asked
    clauses = answered(found, read_walk(assessment, asked.clauses, of_job, found.clauses), codes_of(language))
    return structs.replace(found, clauses=clauses), clauses


def _write_form(place: Path, dossier: Dossier) -> None:
    from leakgauge.telling.clauses.files import form

    if place.exists():
        raise FileError("{path} is there already, and may have been filled in; name a new file.", path=place)
    write_whole(place, form(dossier, current()))
    click.echo(say("Form: {path!s}", path=place))


def _suffix(output: Path | None) -> str:
    suffix = "" if output is None else output.suffix.lower().lstrip(".")
    if suffix and suffix not in _FORMS:
        raise OptionError("{output!s} does not end in .html, .md or .pdf; rename it, or give --format.", output=output)
    return suffix or "html"
