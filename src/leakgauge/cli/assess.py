"""``leakgauge assess``."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from pathlib import Path
from typing import Any

import click

from leakgauge.artefacts.request import Reading
from leakgauge.artefacts.request.verbs import ExplainedBy, JudgedBy, JudgedColumns
from leakgauge.cli import options
from leakgauge.cli.language import say
from leakgauge.cli.options import FILE
from leakgauge.cli.output import Output, deliver, require_not_read, working
from leakgauge.drafts import require_writable
from leakgauge.errors import FileError, OptionError


@click.command()
@click.argument("release", metavar="DIR|RECORD|AUDIT", type=FILE, required=False)
@click.argument("audit", metavar="[AUDIT]", type=FILE, required=False)
@click.option("--original", type=options.ADDRESS, metavar="TABLE", help="The table that was released.")
@options.released
@options.taking(reading=Reading)
@options.taking(columns=JudgedColumns, by=JudgedBy, also=ExplainedBy)
@click.option(
    "--write-diagram", type=FILE, metavar="FILE", help="Write the default diagram, or with --diagram paper that."
)
@click.option("--template", type=FILE, metavar="FILE", help="Write an empty questionnaire, and nothing else.")
@click.option("--template-language", type=click.Choice(["en", "zh"]), default="en", show_default=True)
@options.gone("--target", "--min-privacy", "--min-utility", "--algebra", "--column")
@options.strict
@options.output
def command(columns: JudgedColumns, by: JudgedBy, also: ExplainedBy, strict: bool, to: Output, **given: Any) -> None:
    """The verdict on a release: release, release if …, or do not release, with reasons and what would change it.

    \b
    leakgauge assess out
    leakgauge assess out.json audit.json --original people.parquet \\
        --background city --policy policy.toml
    leakgauge assess audit.json --original people.csv --released theirs.csv

    Takes a finished job, a record with its audit, or the audit of a release made elsewhere. Scores from 0 to 100
    decide, at their unfavourable ends; criteria and published scores explain but do not decide. Exit 1 if the release
    is vetoed or breaks a limit that you gave; the default policy only affects the recommendation, unless --strict
    makes it count.
    """
    if _wrote(given, by.diagram):
        return
    from leakgauge.artefacts import Job, codec
    from leakgauge.artefacts.dossier import JOB
    from leakgauge.jobs.verdicts import assess
    from leakgauge.telling.verdict import assessed

    release, reading = given.pop("release"), given.pop("reading")
    if release is None:
        raise OptionError("There is nothing to assess; name the folder of a job, or a record and its audit.")
    _require_kept(to.file, release, given, (by.policy, by.diagram, by.questionnaire, also.fuzzy, also.stored))
    with working(say("Assessing")):
        found = assess(release, **given, **columns.given(), **by.given(), **also.given(), **reading.given())
    job = codec.read(Job, release / JOB.name) if release.is_dir() else None
    deliver(found, to, lambda voice: assessed(voice, found, job))
    found.require(strict=strict)


def _require_kept(
    output: Path | None, release: Path, given: Mapping[str, Any], named: Sequence[Path | str | None]
) -> None:
    """Refuse an output that is also an input, or lies in the folder of the job being judged."""
    from leakgauge.artefacts import Job, codec
    from leakgauge.artefacts.dossier import JOB
    from leakgauge.tables.opening import source_files

    if output is None:
        return
    files = [Path(one) for one in (given["audit"], *named) if one is not None]
    files += [] if given["released"] is None else source_files(given["released"])
    original = given["original"]
    if release.is_dir():
        original = original or codec.read(Job, release / JOB.name).asked.table
    require_not_read(output, original or str(release), release, *files)


def _wrote(given: MutableMapping[str, Any], drawn: Path | str | None) -> bool:
    """Write the diagram or the questionnaire if one is asked for, and say whether it was."""
    from leakgauge.assessment.criteria import write_diagram
    from leakgauge.assessment.criteria.files import PAPER
    from leakgauge.assessment.indicators.questionnaire import write_template

    diagram, template, language = (given.pop(name) for name in ("write_diagram", "template", "template_language"))
    require_writable(template)
    if template is not None and template.exists():
        # The file may already hold answers.
        raise FileError("{path} exists; name another file for the questionnaire.", path=template)
    if diagram is not None:
        write_diagram(diagram, paper=str(drawn) == PAPER)
        click.echo(say("Wrote {path!s}.", path=diagram))
    if template is not None:
        write_template(template, language)
        click.echo(say("Wrote {path!s}.", path=template))
    return diagram is not None or template is not None
