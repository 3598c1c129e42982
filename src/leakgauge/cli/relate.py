"""``leakgauge relate``."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leakgauge.claims.quantities import exact_json, statement_json
from leakgauge.cli.output import deliver, output_options, shown
from leakgauge.cli.speaking import retell, say
from leakgauge.drafts import require_writable
from leakgauge.errors import ModelError, OptionError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from leakgauge.claims import Statement
    from leakgauge.notions import Implication, Level, Relation
    from leakgauge.probability import Distribution


@click.command()
@click.argument("subject", metavar="CHANNEL|NOTION")
@click.option("--prior", type=click.Path(path_type=Path), metavar="FILE", help="CSV label,value: p(x), summing to 1.")
@click.option("--records", type=int, metavar="R", help="Inputs are data sets of R records; compare neighbours.")
@click.option(
    "--unordered",
    is_flag=True,
    help="Data sets are multisets; by default neighbours differ in the record at one position.",
)
@click.option("--restrict", is_flag=True, help="Leave out values that the prior gives probability 0.")
@click.option("--independent", is_flag=True, help="The records are independent under the prior.")
@click.option("--delta", type=float, default=1e-6, show_default=True, help="Of (ε, δ) statements.")
@click.option("--order", type=float, default=2.0, show_default=True, help="Of Rényi, Sibson and α-leakage statements.")
@output_options
def command(
    subject: str,
    prior: Path | None,
    records: int | None,
    unordered: bool,
    restrict: bool,
    independent: bool,
    delta: float,
    order: float,
    as_json: bool,
    output: Path | None,
) -> None:
    """What a channel satisfies exactly, with witnesses; or what a statement implies in every other notion.

    CHANNEL is a channel file (JSON); NOTION a statement such as local-dp:1.0, identifiability:3.5,
    mutual-information:0.2bits or dp:0.5,delta=1e-6.

    \b
    leakgauge relate channel.json --prior prior.csv
    leakgauge relate local-dp:1.0
    leakgauge relate dp:0.5 --records 100 --independent
    """
    from leakgauge.artefacts.channel_file import read_channel
    from leakgauge.claims import parse_statement
    from leakgauge.notions import Circumstances, relate_channel, relate_statement

    require_writable(output, *(path for path in (Path(subject), prior) if path))
    if unordered and records is None:
        raise OptionError("--unordered says how data sets are compared; give their number of records with --records.")
    wanted = Circumstances(
        records=1 if records is None else records,
        ordered=not unordered,
        independent=independent,
        delta=delta,
        order=order,
    )
    if subject.endswith(".json") or Path(subject).is_file():
        channel = read_channel(subject).channel
        believed = _prior(prior, channel.inputs)
        found = relate_channel(channel, believed, records, wanted, ordered=not unordered, restricted=restrict)
    else:
        found = relate_statement(parse_statement(subject), _prior(prior, records=records), wanted, restricted=restrict)
    deliver(as_fields(found, subject), as_json, output, lambda: render(found, subject))


def _prior(
    path: Path | None, labels: tuple[object, ...] | None = None, records: int | None = None
) -> Distribution | None:
    from leakgauge.probability import Distribution
    from leakgauge.probability.files import match_labels, read_label_values

    if path is None:
        return None
    values = read_label_values(path)
    try:
        if labels is None:
            return Distribution(_read_labels(values, records or 1), list(values.values()))
        by_label = match_labels(values, labels, "entries of the prior")
        return Distribution(labels, [by_label[label] for label in labels])
    except ModelError as error:
        raise ModelError("The prior in {path} is not one: {reason}", path=path, reason=error) from None


def _read_labels(texts: Iterable[str], records: int) -> list[object]:
    """Labels as they were meant: data sets where every text has so many parts, numbers where every text is one."""
    labels: list[object] = list(texts)
    parts = [tuple(str(text).split("|")) for text in labels]
    if records > 1 and all(len(part) == records for part in parts):
        return list(parts)
    try:
        return [float(str(text)) for text in labels]
    except ValueError:
        return labels


def as_fields(found: Relation, subject: str) -> dict[str, Any]:
    """The relation as the fields of its JSON."""
    levels = {name: level.stored() for name, level in found.levels.items()}
    return {
        "schema": "leakgauge/relation/2",
        "subject": subject,
        "records": found.circumstances.records,
        "ordered": found.circumstances.ordered,
        "restricted": found.restricted,
        "identifiability": levels.get("identifiability"),
        "local_dp": levels.get("local-dp"),
        "mutual_information": levels.get("mutual-information"),
        "levels": levels,
        "prior_skew": None if found.skew is None else exact_json(found.skew, "nats"),
        "moment_skewness": None if found.moment_skewness is None else exact_json(found.moment_skewness, "1"),
        "implied": [_implication_json(name, one) for name, one in found.implied.items()],
        "warnings": list(found.warnings),
    }


def _implication_json(name: str, one: Implication) -> dict[str, Any]:
    statement = one.statement
    return {
        "notion": name,
        "statement": None if statement is None else str(statement),
        **({"value": None} if statement is None else statement_json(statement)),
        "sharp": one.sharp,
        "cut": one.cut,
        "path": [
            {
                "to": edge.conclusion.name,
                "formula": edge.formula,
                "status": edge.status.value,
                "reference": edge.reference,
            }
            for edge in one.path
        ],
        "counterexample": one.counterexample or None,
    }


def render(found: Relation, subject: str) -> list[RenderableType]:
    """The relation as tables for a person."""
    from rich.table import Table
    from rich.text import Text

    from leakgauge.notions.levels import NO_NEIGHBOURS

    parts: list[RenderableType] = [Text(line) for line in _compared(found)]
    if found.levels:
        heads = (say("notion"), say("exact level"), say("unit"), say("reached by"))
        grid = Table(*heads, title=subject, title_justify="left")
        for level in found.levels.values():
            name = level.statement.name + _parameters(level.statement)
            grid.add_row(name, shown(level.value), retell(level.unit), _witness(level))
        parts.append(grid)
    if found.levels and "zcdp" not in found.levels and NO_NEIGHBOURS not in found.warnings:
        parts.append(Text(say("The channel is large: levels that compare every pair of rows were left out.")))
    if found.skew is not None:
        skew = shown(found.skew)
        if found.circumstances.records > 1:
            line = say("Prior skew Δ = {skew} nats over neighbours: no channel has less identifiability.", skew=skew)
        else:
            line = say("Prior skew Δ = {skew} nats: no channel has less identifiability.", skew=skew)
        parts.append(Text(line))
    if found.moment_skewness is not None:
        skewness = shown(found.moment_skewness)
        parts.append(Text(say("Moment coefficient of skewness of the prior: {skewness}.", skewness=skewness)))
    title = say("What {subject!s} implies", subject=subject)
    told = Table(say("notion"), say("implied, at most"), say("how"), "", title=title, title_justify="left")
    nothing = []
    for name, one in found.implied.items():
        if one.statement is None:
            nothing.append((name, one.counterexample))
        else:
            way = " → ".join([edge.conclusion.name for edge in one.path[:-1]] + [retell(one.path[-1].formula)])
            way = say("{way!s}; cut at what the secret can hold", way=way) if one.cut else way
            most = f"{shown(one.statement.level)} {retell(one.statement.unit)}{_parameters(one.statement)}"
            told.add_row(name, most, way, say("sharp") if one.sharp else "")
    if told.rows:
        parts.append(told)
    parts.extend(Text(line) for line in _nothing_follows(nothing))
    return parts


def _compared(found: Relation) -> list[str]:
    """Which data sets are neighbours, which values were left out, and what limits the answer."""
    lines = []
    if found.circumstances.records > 1 and found.circumstances.ordered:
        lines.append(say("Data sets are ordered: neighbours differ in the record at one position."))
    elif found.circumstances.records > 1:
        lines.append(say("Data sets are unordered: neighbours differ in one record, wherever it stands."))
    if found.restricted:
        lines.append(say("Restricted to the values that occur under the prior."))
    return lines + [say("Warning: {text}", text=retell(text)) for text in found.warnings]


def _parameters(statement: Statement) -> str:
    """The δ or the order that a statement has beside its level."""
    return "".join(
        say(" (δ = {delta!s})", delta=shown(value))
        if name == "delta"
        else say(" (order {order!s})", order=shown(value))
        for name, value in statement.parameters
    )


def _nothing_follows(nothing: list[tuple[str, str]]) -> list[str]:
    """Why nothing follows: shown by a counterexample that is built and evaluated here, or not known."""
    from leakgauge.notions import FAMILIES

    lines = []
    for example in sorted({example for _, example in nothing if example}):
        names = say(", ").join(name for name, one in nothing if one == example)
        lines.append(say("Nothing follows for {names!s}: {why}.", names=names, why=FAMILIES[example]().told))
    unknown = say(", ").join(name for name, example in nothing if not example)
    if unknown:
        lines.append(
            say("No conversion without more knowledge (a prior, distances, neighbours) for {names!s}.", names=unknown)
        )
    return lines


def _witness(level: Level) -> str:
    from leakgauge.probability.labels import text_of

    if level.witness is None:
        return ""
    one, other = (text_of(label) for label in level.witness.inputs)
    if level.witness.output is None:
        return say("{one!s} against {other!s}", one=one, other=other)
    return say("{one!s} against {other!s} at {seen!s}", one=one, other=other, seen=text_of(level.witness.output))
