"""``leakgauge audit``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from leakgauge.artefacts.request import Reading
from leakgauge.cli import options
from leakgauge.cli.help import Grouped
from leakgauge.cli.language import say
from leakgauge.cli.output import Output, counting, deliver, require_not_read
from leakgauge.drafts import require_writable
from leakgauge.errors import FileError, OptionError, RefusalError
from leakgauge.languages import message

_OF_A_RELEASE = (
    *("original", "released", "secret", "withhold", "background", "unit", "bins", "levels", "targets", "key"),
    *Reading.__struct_fields__,
)
_OF_DRAWING = ("inputs", "samples", "to_the_end", "seconds")
_OF_QUERIES = ("queries", "epsilon", "delta", "runs")
_NOT_FOR = {
    "a record": ("program", "claim", "key", *_OF_DRAWING, *_OF_QUERIES),
    "a release made elsewhere": ("claim", *_OF_DRAWING, *_OF_QUERIES),
    "a mechanism": (*_OF_A_RELEASE, *_OF_QUERIES),
    "a program": (*_OF_A_RELEASE, "simulate", *_OF_QUERIES),
    # A channel is computed exactly, over all of its inputs, so these options mean nothing for it.
    "a channel file": (*_OF_A_RELEASE, *_OF_DRAWING, "simulate", *_OF_QUERIES),
    "planned queries": (
        *("program", "claim", "original", "released", "withhold", "background", "unit", "bins", "levels", "targets"),
        *("key", *_OF_DRAWING),
    ),
}


@click.command(
    cls=Grouped,
    groups={
        message("A release"): "original released key secret withhold background unit bins levels targets",
        message("A mechanism or a program"): "program claim inputs samples to_the_end seconds",
        message("Planned queries"): "queries epsilon delta runs",
        message("Reading the table"): options.names_of(Reading),
        message("Other options"): "confidence simulate output as_json",
    },
)
@click.argument("subject", type=options.ADDRESS, required=False, metavar="[RECORD|MECHANISM|CHANNEL|TABLE]")
@click.option("--program", metavar="COMMAND", help="Audit a program: one input per line in, one output per line out.")
@click.option(
    "--claim",
    metavar="NOTION",
    help="The guarantee to test, such as local-dp:1; default: the one the mechanism claims.",
)
@click.option("--inputs", nargs=2, multiple=True, metavar="A B", help="Two neighbouring inputs; may be repeated.")
@click.option("--samples", type=click.IntRange(4), metavar="N", help="Outputs per input, at most [default: 200000].")
@click.option("--to-the-end", is_flag=True, help="Make all outputs even once the claim is disproved.")
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    metavar="S",
    help="Stop after this many seconds [default: 600].",
)
@click.option("--original", type=options.ADDRESS, metavar="TABLE", help="The table that was released.")
@click.option(
    "--released", type=options.ADDRESS, metavar="TABLE", help="The release, if it was moved or has no RECORD."
)
@click.option(
    "--key", metavar="COLUMN", help="Without RECORD: the column that matches rows of both tables; default: their order."
)
@options.taking(reading=Reading)
@click.option(
    "--secret", multiple=True, metavar="COLUMN", help="A column to guess; with RECORD, by default, every one."
)
@click.option("--withhold", multiple=True, metavar="COLUMN", help="A secret that was not released, to guess as well.")
@options.background
@click.option("--unit", metavar="COLUMN", help="The column that says whose row it is; intervals are then per person.")
@click.option("--bins", multiple=True, metavar="COLUMN=HOW", help="How coarsely a background column is known: month, …")
@options.levels
@click.option("--targets", type=click.IntRange(16), metavar="N", help="Rows to attack [default: 2000].")
@click.option(
    "--queries",
    type=options.FILE,
    metavar="FILE",
    help="Could --secret be reconstructed from counts of TABLE's rows? One query per line: city=A,age>=18,illness=flu.",
)
@click.option("--epsilon", type=float, metavar="E", help="The budget of one answer, in nats.")
@click.option("--delta", type=float, metavar="D", help="Gaussian noise with this δ per answer, instead of Laplace.")
@click.option("--runs", type=click.IntRange(2), metavar="N", help="How often the answers are simulated [default: 20].")
@click.option("--confidence", default=0.95, show_default=True, metavar="C", help="Confidence of bounds and intervals.")
@click.option(
    "--simulate",
    type=click.IntRange(0),
    metavar="SEED",
    help="Random numbers from a seed, so that a run can be repeated.",
)
@options.output
def command(to: Output, **given: Any) -> None:
    """Test whether a release, a mechanism or a program meets the guarantee it claims, by what it actually does.

    \b
    leakgauge audit out.parquet.json --original people.parquet --background job
    leakgauge audit --released theirs.csv --original people.csv --secret illness \\
        --key id
    leakgauge audit laplace:epsilon=1,sensitivity=1
    leakgauge audit --program "python mine.py" --claim local-dp:1 --inputs yes no
    leakgauge audit people.csv --queries planned.csv --secret illness=flu \\
        --epsilon 0.1

    For a record, its digests and claims are computed again, its rows bound ε from below, and it is attacked. A release
    made elsewhere has no record: its rows bound ε from below, and it is attacked. For anything else, outputs of two
    inputs bound the level from below. For planned counts, answers are simulated and the secret is reconstructed from
    them; no budget is used. Exit 0 when nothing is disproved, 1 when something is.
    """
    subject, program = given["subject"], given["program"]
    foreign = subject is None and program is None and given["released"] is not None
    if (subject is None) == (program is None) and not foreign:
        raise OptionError(
            "Name one thing to audit: a record, a mechanism, a channel file, --program, --released with --original "
            "and --secret, or a table with --queries and --secret."
        )
    kind = "a release made elsewhere" if foreign else "a program" if program is not None else _kind(given)
    said = {**given, **given["reading"].given()}
    for name in _NOT_FOR[kind]:
        if said.get(name) not in (None, (), False):
            option = name.replace("_", "-")
            raise OptionError(
                "--{option!s} does not apply to the audit of {what}; leave it out.", option=option, what=kind
            )
    if kind == "planned queries":
        _audit_queries(subject, given, to)
    elif kind in ("a record", "a release made elsewhere"):
        _audit_release(None if foreign else Path(subject), given, to)
    else:
        _audit_mechanism(subject or program, given, to)


def _kind(given: Mapping[str, Any]) -> str:
    """What kind of subject is named: a record or a channel file, judged by its content, or else a mechanism."""
    from leakgauge.artefacts.channel_file import ChannelFile
    from leakgauge.artefacts.codec import schema_of
    from leakgauge.jobs.audit import names_a_file
    from leakgauge.probability.files import parsed_json

    subject = given["subject"]
    if given["queries"] is not None:
        return "planned queries"
    if not names_a_file(subject):
        return "a mechanism"
    try:
        fields = parsed_json(Path(subject))
    except FileError:
        if subject.lower().endswith(".json") or given["original"] is not None:
            raise
        raise OptionError(
            "{path} is neither a record nor a channel file; if it is a table, name its planned queries with --queries.",
            path=subject,
        ) from None
    return "a channel file" if fields.get("schema") == schema_of(ChannelFile) else "a record"


def _settings(given: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """The options that were given; the job knows the defaults of the others."""
    return {name: given[name] for name in names if given[name] is not None}


def _audit_release(record: Path | None, given: Mapping[str, Any], to: Output) -> None:
    """Audit a release by its record, or one that was made elsewhere and has none."""
    from leakgauge.artefacts.dossier import Dossier
    from leakgauge.audit.foreign.release import ForeignRoles
    from leakgauge.jobs.audit import audit_foreign, audit_release
    from leakgauge.tables import open_table
    from leakgauge.tables.binnings import parse_binnings
    from leakgauge.tables.levels import level_files
    from leakgauge.tables.opening import source_files
    from leakgauge.telling.audit import audited

    original, released, reading = given["original"], given["released"], given["reading"].given()
    if original is None:
        raise OptionError("An audit of a release needs the table it was made from; name it with --original.")
    if record is None and not given["secret"] and not given["withhold"]:
        raise OptionError("Without a record, nothing says which column is to be protected; name it with --secret.")
    files = [] if released is None else source_files(released)
    require_not_read(to.file, original, record, *files, *level_files(given["levels"]))
    with open_table(original, **reading) as table, counting(say("Attacking")) as tell:
        how = {
            "bins": parse_binnings(given["bins"], given["background"], given["levels"]),
            "simulation_seed": given["simulate"] or 0,
            "progress": tell,
            **_settings(given, "confidence", "targets"),
        }
        if record is None:
            columns = (given[name] for name in ("secret", "withhold", "background", "unit", "key"))
            audit = audit_foreign(released, table, ForeignRoles(*columns), reading=reading, **how)
        else:
            how |= _settings(given, "secret", "background", "unit")
            audit = audit_release(record, table, released=released, withheld=given["withhold"], **how)
    deliver(audit, to, audited, Dossier(audit=audit))
    if record is not None:
        audit.require()


def _audit_mechanism(spelled: str, given: Mapping[str, Any], to: Output) -> None:
    from leakgauge.jobs.audit import audit_mechanism, names_a_file
    from leakgauge.telling.audit import shown

    require_writable(to.file, *([Path(spelled)] if given["program"] is None and names_a_file(spelled) else []))
    for first, second in given["inputs"]:
        if first == second:
            raise OptionError("--inputs names {found!r} twice; name two different inputs.", found=first)
    with counting(say("Making outputs")) as tell:
        audit = audit_mechanism(
            spelled,
            program=given["program"] is not None,
            stop_early=not given["to_the_end"],
            simulation_seed=given["simulate"],
            progress=tell,
            **_settings(given, "claim", "inputs", "samples", "confidence", "seconds"),
        )
    deliver(audit, to, lambda voice: shown(voice, audit))
    if audit.violated:
        raise RefusalError("{claim!s} is disproved.", claim=str(audit.statement))


def _audit_queries(source: str, given: Mapping[str, Any], to: Output) -> None:
    """Draw the answers, reconstruct the secret from them, and show how well that went."""
    from leakgauge.jobs.audit_queries import Answering, audit_queries
    from leakgauge.tables import open_table
    from leakgauge.telling.audit import reconstructed

    if len(given["secret"]) != 1:
        raise OptionError(
            "{count} secrets are named, but one is reconstructed from planned queries; name it with --secret.",
            count=len(given["secret"]),
        )
    if given["epsilon"] is None:
        raise OptionError("The noise of the answers is unknown; give the budget of each with --epsilon.")
    require_not_read(to.file, source, given["queries"])
    with open_table(source, **given["reading"].given()) as table, counting(say("Answering")) as tell:
        drawn = Answering(
            given["epsilon"],
            given["delta"],
            confidence=given["confidence"],
            simulation_seed=given["simulate"],
            **({} if given["runs"] is None else {"runs": given["runs"]}),
        )
        audit = audit_queries(given["queries"], table, given["secret"][0], drawn, name=source, progress=tell)
    deliver(audit, to, lambda voice: reconstructed(voice, audit))
