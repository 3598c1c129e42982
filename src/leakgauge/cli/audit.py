"""``leakgauge audit``."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_CEILING
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from leakgauge.artefacts.request import Reading
from leakgauge.cli import options
from leakgauge.cli.audit_queries import audit_planned
from leakgauge.cli.help import Grouped
from leakgauge.cli.language import listed, retell, say, wrapped
from leakgauge.cli.output import Output, Parts, alert, counting, deliver, grid, number, require_not_read
from leakgauge.cli.verify import check_table
from leakgauge.drafts import require_writable
from leakgauge.errors import FileError, OptionError, RefusalError
from leakgauge.languages import message
from leakgauge.rounding import at_least, outwards, percent, rounded, written
from leakgauge.visible import on_one_line

if TYPE_CHECKING:
    from leakgauge.artefacts import Audit, Foreign, MechanismAudit, Quantity, Shown
    from leakgauge.artefacts.exposure import Bracket

_OF_A_RELEASE = (
    *("original", "released", "secret", "withhold", "background", "unit", "bins", "levels", "targets", "key"),
    *Reading.__struct_fields__,
)
_WIDEST_TARGET = 32
"""Letters, about as many as the names of attacks have."""
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
    if foreign:
        _audit_foreign(given, to)
    elif kind == "planned queries":
        audit_planned(subject, given, to)
    elif kind == "a record":
        _audit_release(Path(subject), given, to)
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


def _audit_release(record: Path, given: Mapping[str, Any], to: Output) -> None:
    from leakgauge.jobs.audit import audit_release
    from leakgauge.tables import open_table
    from leakgauge.tables.binnings import parse_binnings
    from leakgauge.tables.levels import level_files
    from leakgauge.tables.opening import source_files

    original, released = given["original"], given["released"]
    if original is None:
        raise OptionError("An audit of a release needs the table it was made from; name it with --original.")
    files = [] if released is None else source_files(released)
    require_not_read(to.file, original, record, *files, *level_files(given["levels"]))
    with open_table(original, **given["reading"].given()) as table, counting(say("Attacking")) as tell:
        bins = parse_binnings(given["bins"], given["background"], given["levels"])
        settings = _settings(given, "secret", "background", "unit", "confidence", "targets")
        seed = given["simulate"] or 0
        audit = audit_release(
            record,
            table,
            released=released,
            withheld=given["withhold"],
            bins=bins,
            simulation_seed=seed,
            progress=tell,
            **settings,
        )
    deliver(audit, to, lambda: _render_release(audit))
    audit.require()


def _audit_foreign(given: Mapping[str, Any], to: Output) -> None:
    from leakgauge.audit.foreign import ForeignRoles
    from leakgauge.jobs.audit import audit_foreign
    from leakgauge.tables import open_table
    from leakgauge.tables.binnings import parse_binnings
    from leakgauge.tables.opening import source_files

    original, released = given["original"], given["released"]
    if original is None:
        raise OptionError("An audit of a release needs the table it was made from; name it with --original.")
    if not given["secret"] and not given["withhold"]:
        raise OptionError("Without a record, nothing says which column is to be protected; name it with --secret.")
    require_not_read(to.file, original, *source_files(released))
    with open_table(original, **given["reading"].given()) as table, counting(say("Attacking")) as tell:
        audit = audit_foreign(
            released,
            table,
            ForeignRoles(given["secret"], given["withhold"], given["background"], given["unit"], given["key"]),
            bins=parse_binnings(given["bins"], given["background"]),
            reading=given["reading"].given(),
            simulation_seed=given["simulate"] or 0,
            progress=tell,
            **_settings(given, "confidence", "targets"),
        )
    deliver(audit, to, lambda: _render_release(audit))


def _audit_mechanism(spelled: str, given: Mapping[str, Any], to: Output) -> None:
    from leakgauge.jobs.audit import audit_mechanism, names_a_file

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
    deliver(audit, to, lambda: _render_mechanism(audit))
    if audit.violated:
        raise RefusalError("{claim!s} is disproved.", claim=str(audit.statement))


def _render_mechanism(audit: MechanismAudit) -> Parts:
    facts = grid(title=audit.subject)
    unit = retell(audit.lower_bound.unit)
    if audit.claim is not None:
        facts.add_row(say("claimed: at most"), f"{number(audit.claim.value)} {unit} ({audit.statement})")
    sure = audit.lower_bound.confidence
    how = say(" (exact)") if sure is None else say(" (confidence {confidence:g})", confidence=sure)
    bound = say("shown: more than") if audit.is_just_above else say("shown: at least")
    facts.add_row(bound, f"{_at_least(audit)} {unit}{how}")
    facts.add_row(say("inputs"), say(" and ").join(audit.inputs))
    facts.add_row(say("distinguished by"), retell(audit.event) or say("no single output"))
    if sure is not None:
        early, whole = message("{samples:d} of each input, stopped early"), message("{samples:d} of each input")
        facts.add_row(say("outputs"), say(early if audit.stopped_early else whole, samples=audit.samples))
    for check in audit.checks:
        facts.add_row(retell(check.name), say("as it should be") if check.holds else retell(check.reason))
    parts: Parts = [facts]
    if audit.deterministic:
        parts.append(alert(say("Each input always gave the same output: without noise ε is infinite.")))
    if str(audit.note):
        parts.append(Text(retell(audit.note), "bold"))
    if audit.claim is not None:
        parts.append(_verdict(audit.violated))
    return parts


def _verdict(violated: bool) -> Text | str:
    if violated:
        return alert(say("DISPROVED: it does not meet the guarantee that it claims."))
    return say("Nothing contradicts the claim. That does not prove it.")


def _render_release(audit: Audit) -> Parts:
    if audit.foreign is None:
        parts: Parts = [check_table(say("record||why"), say("Integrity checks of the release record"), audit.checks)]
    else:
        parts = [*_matched(audit, audit.foreign)]
    if audit.attacked is not None:
        parts.append(
            say("Tried on {some:,} of the {rows:,} rows, chosen at random.", some=audit.attacked, rows=audit.rows)
        )
    parts += [_levels(audit), _attacks(audit), *_few_false_alarms(audit), *_exposures(audit)]
    if audit.anonymity is not None:
        public = grid(title=say("Public columns"))
        public.add_row(say("k-anonymity"), str(audit.anonymity.k))
        alone = say("{unique:d} of {rows:d} rows", unique=audit.anonymity.unique, rows=audit.anonymity.rows)
        public.add_row(say("alone in their class"), alone)
        parts.append(public)
    if audit.diversity:
        parts += _diversity(audit)
    if audit.foreign is not None:
        untried = listed(map(retell, audit.foreign.left_out))
        parts.append(say("Not tried, because the two tables are not enough: {attacks!s}.", attacks=untried))
        parts.append(say("There is no record: nothing is guaranteed, and nothing can be disproved."))
        return parts
    return [*parts, _verdict(audit.violated)]


def _matched(audit: Audit, foreign: Foreign) -> Parts:
    """How the rows of a release made elsewhere were matched to the original, and the share of true values in each
    column."""
    by_key = say("by {key!r}", key=foreign.key) if foreign.key is not None else say("by their order")
    facts = grid(title=say("{file!s}, made elsewhere", file=foreign.released))
    facts.add_row(say("rows matched"), f"{audit.rows} {by_key}")
    facts.add_row(say("only in the release"), str(foreign.only_released))
    facts.add_row(say("only in the original"), str(foreign.only_original))
    if foreign.withheld:
        facts.add_row(say("secrets not in the release"), listed(foreign.withheld))
    if foreign.added:
        facts.add_row(say("not in the original"), listed(foreign.added))
    columns = grid(say("column|is or contains the truth|stands for|values"), say("What was released of each column"))
    for one in foreign.columns:
        columns.add_row(one.name, percent(one.contains.value), f"{one.size.value:.3g}", str(one.values))
    return [*(alert(retell(one)) for one in foreign.warnings), facts, *([columns] if foreign.columns else [])]


def _diversity(audit: Audit) -> Parts:
    """How different each secret is within the groups of the public columns; the worst group counts."""
    heads = say("secret|distinct l|entropy l|t|α|β|enhanced β|δ")
    worst = grid(heads, say("The secrets within groups of the public columns, at worst"))
    for one in audit.diversity:
        shares = (one.entropy, one.closeness, one.largest_share, one.likeness, one.enhanced_likeness, one.disclosure)
        worst.add_row(one.secret, str(one.distinct), *(f"{share:.3g}" for share in shares))
    return [
        worst,
        say("These numbers describe the table; they are not a guarantee, and make no claim of differential privacy."),
    ]


def _exposures(audit: Audit) -> Parts:
    """What is revealed of each secret, in bits; bounded where there are too many combinations to count."""
    if not audit.exposures:
        return []
    heads = say("secret|of|already known|from unchanged columns|from everything|guessed correctly")
    told = grid(heads, say("What everything released or known reveals, in bits"))
    for one in audit.exposures:
        parts = (one.known, one.plain, one.everything)
        told.add_row(
            listed(one.secret),
            f"{one.entropy.value:.3g}",
            *(_bits(part, one.entropy.value) for part in parts),
            percent(one.everything.success.value),
        )
    if audit.total is not None:
        total = audit.total
        low, high = outwards(*total.information.ends)
        bits = f"{total.information.value:.3g}" if total.exact else f"{low:.3g} – {high:.3g}"
        told.add_row(
            say("all at once"), "" if total.entropy is None else f"{total.entropy.value:.3g}", "", "", bits, ""
        )
    shown: Parts = [told]
    if not all(one.everything.exact for one in audit.exposures):
        shown.append(say("Where two numbers are given, an attack reached the first; a better attack may learn more."))
    return shown


def _bits(told: Bracket, whole: float) -> str:
    """Bits of a secret, capped at its entropy: both are estimates, and nobody learns more than everything."""
    least, most = told.information.ends
    low, high = outwards(min(least, whole), min(most, whole))
    return f"{told.information.value:.3g}" if told.exact else f"{low:.3g} – {high:.3g}"


def _levels(audit: Audit) -> Table:
    levels = grid(say("column|claimed|shown by its rows|rows"), say("What the rows show"))
    for name, level in audit.columns.items():
        if level is None:
            why = say("too few rows, or nothing claimed") if audit.foreign is None else say("too few rows")
            levels.add_row(name, "", why, "")
            continue
        template = message("at least {level} {unit} VIOLATED") if level.violated else message("at least {level} {unit}")
        at_least = say(template, level=_at_least(level), unit=level.lower_bound.unit)
        claimed = "" if level.statement is None else str(level.statement)
        levels.add_row(name, claimed, at_least, say("{samples:d} of each of two", samples=level.samples))
    return levels


def _at_least(shown: Shown) -> str:
    """The level that was shown, with more digits where three would not distinguish it from the claim."""
    level, text = shown.at_least, number(at_least(shown.at_least))
    is_told_apart = shown.claim is None or shown.claim.value == level or number(shown.claim.value) != text
    return text if is_told_apart else f"{level:.6g}"


def _attacks(audit: Audit) -> Table:
    title = say("Attacks: % of targets, ± at {percent:.6g}%", percent=100 * audit.confidence)
    heads = say("attack|right|without|advantage|independent|raw|only with|allowed")
    attacks = grid(heads, title, box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    attacks.columns[0].no_wrap = True
    target: tuple[str, ...] = ()
    targets = list(dict.fromkeys(one.target for one in audit.attacks))
    for one in sorted(audit.attacks, key=lambda one: targets.index(one.target)):
        if one.target != target:
            target = one.target
            # A long list of columns must not take the place of the numbers.
            attacks.add_row(Text("\n".join(wrapped(on_one_line(listed(target)), _WIDEST_TARGET)), "bold"))
        independent = _percent(one.independent)
        most = "" if one.ceiling is None else _percent(one.ceiling)
        attacks.add_row(
            retell(one.attack),
            _share(one.success),
            _percent(one.baseline),
            _share(one.advantage),
            independent if 0 in one.independent else say("{share!s} NOT 0", share=independent),
            _percent(one.raw),
            str(one.exposed),
            say("{share!s} EXCEEDED", share=most) if one.beats_claim else most,
        )
    return attacks


def _few_false_alarms(audit: Audit) -> Parts:
    """The members recognised at low rates of false alarms, beside what the claim allows."""
    shown = grid(say("attack|false alarms|recognised|allowed"), say("Members recognised with few false alarms, in %"))
    for attack in audit.attacks:
        for one in attack.few_false_alarms:
            most = "" if one.ceiling is None else _percent(one.ceiling)
            shown.add_row(retell(attack.attack), _share(one.false_alarms), _share(one.recognised), most)
    return [shown] if shown.row_count else []


def _share(share: Quantity) -> str:
    low, high = share.ends
    # The wider half of the interval, so that neither end looks closer than it is; JSON has both ends.
    wider = rounded(100 * max(share.value - low, high - share.value), 2, ROUND_CEILING)
    return f"{_percent(share)} ±{written(wider)}"


def _percent(share: Quantity) -> str:
    """A share in percent, which the title says."""
    return written(rounded(100 * share.value))
