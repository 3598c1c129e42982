"""``leakgauge assess``."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leakgauge.cli import options
from leakgauge.cli.language import say
from leakgauge.cli.options import FILE
from leakgauge.cli.output import Parts, deliver, require_not_read, working
from leakgauge.drafts import require_writable
from leakgauge.errors import FileError, OptionError

if TYPE_CHECKING:
    from leakgauge.artefacts import Judgement

READ = ("audit", "policy", "diagram", "questionnaire", "fuzzy", "stored")
"""Arguments that may be files."""


@click.command()
@click.argument("release", metavar="DIR|RECORD|AUDIT", type=FILE, required=False)
@click.argument("audit", metavar="[AUDIT]", type=FILE, required=False)
@click.option("--original", type=options.ADDRESS, metavar="TABLE", help="The table that was released.")
@options.released
@options.reading
@click.option("--secret", multiple=True, metavar="COLUMN", help="A column to judge; default: every protected column.")
@click.option(
    "--withhold",
    multiple=True,
    metavar="COLUMN",
    help="A secret that is not released, though other columns may reveal it.",
)
@options.background
@click.option(
    "--use", type=click.Choice(["statistics", "rows"]), help="What readers do with the release; default: statistics."
)
@click.option("--policy", type=FILE, metavar="FILE", help="Limits to keep, in TOML; exit 1 if one is broken.")
@options.min_protection
@options.min_usefulness
@click.option("--accept-unique", multiple=True, metavar="COLUMN", help="This column may name people.")
@options.purpose
@options.recipient
@options.review
@click.option(
    "--diagram",
    type=options.ADDRESS,
    metavar="paper|FILE",
    help="Which indicator feeds which criterion, in TOML; or the paper's.",
)
@click.option("--write-diagram", type=FILE, metavar="FILE", help="Write the default diagram, and nothing else.")
@click.option("--fuzzy", metavar="paper-a|paper-b|FILE", help="Add a fuzzy comprehensive evaluation.")
@click.option("--questionnaire", type=FILE, metavar="FILE", help="CSV respondent,leaf,answer with answers 1 to 5.")
@click.option("--template", type=FILE, metavar="FILE", help="Write an empty questionnaire, and nothing else.")
@click.option("--template-language", type=click.Choice(["en", "zh"]), default="en", show_default=True)
@click.option("--stored", type=FILE, metavar="FILE", help="An earlier verdict, whose space and time are used.")
@click.option("--releases-per-period", type=float, metavar="N", help="Releases per period; default: 1.")
@options.confidence
@options.gone("--target", "--min-privacy", "--min-utility", "--algebra", "--column")
@options.strict
@options.output
def command(strict: bool, as_json: bool, output: Path | None, **given: Any) -> None:
    """The verdict on a release: release, release if …, or do not release, with reasons and what would change it.

    \b
    leakgauge assess out
    leakgauge assess out.json audit.json --original people.parquet \\
        --background city --policy policy.toml
    leakgauge assess audit.json --original people.csv --released theirs.csv

    Takes a finished job, a record with its audit, or the audit of a release made elsewhere. Dials from 0 to 100 decide,
    at their unfavourable ends; criteria and published scores explain but do not decide. Exit 1 if the release is vetoed
    or breaks a limit that you gave; the default policy only colours the recommendation, unless --strict
    makes it count.
    """
    if _wrote(given):
        return
    from leakgauge.jobs.verdicts import assess

    release, reading = given.pop("release"), given.pop("reading")
    if release is None:
        raise OptionError("There is nothing to assess; name the folder of a job, or a record and its audit.")
    _require_kept(output, release, given)
    with working(say("Judging")):
        found = assess(release, **given, **reading)
    deliver(found, as_json, output, lambda: _render(found, release))
    found.require(strict=strict)


def _require_kept(output: Path | None, release: Path, given: Mapping[str, Any]) -> None:
    """Refuse an output that is also an input, or lies in the folder of the job being judged."""
    from leakgauge.artefacts import Job, codec
    from leakgauge.artefacts.dossier import JOB
    from leakgauge.tables.opening import source_files

    if output is None:
        return
    files = [Path(given[name]) for name in READ if given[name] is not None]
    files += [] if given["released"] is None else source_files(given["released"])
    original = given["original"]
    if release.is_dir():
        original = original or codec.read(Job, release / JOB.name).asked.table
    require_not_read(output, original or str(release), release, *files)


def _wrote(given: MutableMapping[str, Any]) -> bool:
    """Write the diagram or the questionnaire if one is asked for, and say whether it was."""
    from leakgauge.assessment.criteria import write_diagram
    from leakgauge.assessment.indicators import write_template

    diagram, template, language = (given.pop(name) for name in ("write_diagram", "template", "template_language"))
    if diagram is not None:
        write_diagram(diagram)
        click.echo(say("Wrote {path!s}.", path=diagram))
    if template is not None:
        require_writable(template)
        if template.exists():
            # The file may already hold answers.
            raise FileError("{path} exists; name another file for the questionnaire.", path=template)
        write_template(template, language)
        click.echo(say("Wrote {path!s}.", path=template))
    return diagram is not None or template is not None


def _render(found: Judgement, release: Path) -> Parts:
    from leakgauge.artefacts import Job, codec
    from leakgauge.artefacts.dossier import JOB
    from leakgauge.cli.verdict import changes, dial_table, every_secret, explained, notes, policy_table, recommended

    asked = codec.read(Job, release / JOB.name).request if release.is_dir() else None
    several = [every_secret(found)] if len(found.dials) > 1 else []
    return [
        *recommended(found),
        dial_table(found),
        *several,
        *notes(found),
        *changes(found, asked),
        policy_table(found),
        *explained(found),
    ]
