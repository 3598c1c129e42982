"""``leakgauge report``."""

from __future__ import annotations

from pathlib import Path

import click

from leakgauge.cli import options
from leakgauge.cli.language import current, say
from leakgauge.cli.options import FILE
from leakgauge.cli.output import STANDARD_OUTPUT, deliver, working
from leakgauge.drafts import require_writable
from leakgauge.errors import OptionError

_FORMS = ("html", "md", "pdf")


@click.command()
@click.argument("folder", type=FILE)
@click.option("--edition", type=click.Choice(["internal", "external"]), default="internal", show_default=True)
@options.report_language
@click.option("--format", "form", type=click.Choice(_FORMS), help="By default, the ending of the file's name.")
@click.option("--limit", type=click.IntRange(1), help="External edition: hide counts below this; by default 10.")
@click.option("--open", "opened", is_flag=True, help="Show the report in the browser.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as data instead.")
@click.option(
    "-o",
    "--output",
    type=FILE,
    metavar="FILE",
    help="The report's file, or - for standard output; by default in FOLDER.",
)
def command(
    folder: Path,
    edition: str,
    report_language: str | None,
    form: str | None,
    limit: int | None,
    opened: bool,
    as_json: bool,
    output: Path | None,
) -> None:
    """Write the report on a job's FOLDER again, in another edition, language or format.

    \b
    leakgauge report out --edition external --report-language both
    leakgauge report out --format pdf -o report.pdf

    The external edition masks small counts and leaves out every number that follows from the table's own counts.
    """
    from leakgauge.report import Edition, Report
    from leakgauge.report.external import LIMIT

    kind, language = Edition(edition), report_language or current().code
    if limit is not None and kind is Edition.INTERNAL:
        raise OptionError(
            "--limit {found} masks counts of the external edition only; add --edition external.", found=limit
        )
    least = limit or LIMIT
    written = form or ("html" if as_json else _suffix(output))
    report = Report.of(folder)
    if as_json:
        from leakgauge.report.document import twin

        require_writable(output)
        documents = twin(report.documents(language, kind, limit=least))
        deliver(documents, as_json, output, list, shareable=kind is Edition.EXTERNAL)
        return
    if output == STANDARD_OUTPUT:
        from leakgauge.report.report import FORMS

        if opened:
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
    if opened:
        click.launch(str(place))


def _suffix(output: Path | None) -> str:
    suffix = "" if output is None else output.suffix.lower().lstrip(".")
    if suffix and suffix not in _FORMS:
        raise OptionError("{output!s} does not end in .html, .md or .pdf; rename it, or give --format.", output=output)
    return suffix or "html"
