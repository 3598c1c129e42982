"""``leakgauge relate``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click
from rich.table import Table

from leakgauge.artefacts.request.part import Option, RequestPart
from leakgauge.cli import options
from leakgauge.cli.language import listed, retell, say
from leakgauge.cli.output import Output, Parts, deliver, grid, number, told_level
from leakgauge.drafts import require_writable
from leakgauge.errors import OptionError
from leakgauge.rounding import at_least, at_most

if TYPE_CHECKING:
    from leakgauge.artefacts import Level, Quantity, Relation
    from leakgauge.artefacts.relation import Capacities, Order

SHOWN = 8
"""Values and actions up to which gains are printed; all are in the JSON."""
CLOSE = 1e-8
"""How far apart bounds are that are shown as one number; both are in the JSON."""


class Relating(RequestPart, frozen=True):
    """What a channel or a statement is related to, and in which circumstances."""

    prior: Annotated[
        Path | None,
        Option("CSV label,value: p(x), summing to 1; of data sets one field per record before the value.", "FILE"),
    ] = None
    against: Annotated[
        Path | None, Option("Another channel: which of the two is safer for every prior and aim.", "FILE")
    ] = None
    records: Annotated[int | None, Option("Inputs are data sets of R records; compare neighbours.", "R")] = None
    unordered: Annotated[
        bool, Option("Data sets are multisets; by default, neighbours differ in the record at one position.")
    ] = False
    values: Annotated[int | None, Option("How many values a record can have, where no prior says it.", "K")] = None
    distortion: Annotated[
        str | None,
        Option(
            "Also how near a guess comes on average: hamming, absolute, squared, great-circle (km), or a CSV file.",
            "NAME|FILE",
        ),
    ] = None
    restrict: Annotated[bool, Option("Leave out values that the prior gives probability 0.")] = False
    independent: Annotated[bool, Option("The records are independent under the prior.")] = False
    delta: Annotated[float, Option("The δ of (ε, δ) statements.")] = 1e-6
    order: Annotated[float, Option("The order of Rényi, Sibson and α-leakage statements.")] = 2.0


@click.command()
@click.argument("subject", type=options.ADDRESS, metavar="CHANNEL|NOTION")
@options.taking(asked=Relating)
@options.output
def command(subject: str, asked: Relating, to: Output) -> None:
    """What a channel satisfies exactly and reveals at most; or what a statement implies in every other notion.

    CHANNEL is a channel file (JSON); NOTION a statement such as local-dp:1.0, identifiability:3.5,
    mutual-information:0.2bits or dp:0.5,delta=1e-6.

    \b
    leakgauge relate channel.json --prior prior.csv
    leakgauge relate channel.json --against other.json
    leakgauge relate local-dp:1.0
    leakgauge relate dp:0.5 --records 100 --independent
    """
    from leakgauge.jobs.relate import relate
    from leakgauge.notions import Circumstances

    require_writable(to.file, Path(subject), asked.prior, asked.against)
    if asked.unordered and asked.records is None:
        raise OptionError(
            "--unordered says how data sets are compared, but their number of records is missing; give it with "
            "--records."
        )
    wanted = Circumstances(
        records=1 if asked.records is None else asked.records,
        independent=asked.independent,
        values=asked.values,
        delta=asked.delta,
        order=asked.order,
    )
    relation = relate(
        subject,
        asked.prior,
        asked.records,
        against=asked.against,
        ordered=not asked.unordered,
        restricted=asked.restrict,
        wanted=wanted,
        distortion=asked.distortion,
    )
    deliver(relation, to, lambda: _render(relation))


def _render(relation: Relation) -> Parts:

    from leakgauge.notions.relation import NO_NEIGHBOURS

    parts: Parts = [*_compared(relation)]
    if relation.order is not None:
        parts.extend(_ordered(relation.subject, relation.order))
    if relation.levels:
        heads = (say("notion"), say("exact level"), say("measured in"), say("reached by"))
        levels = grid("|".join(heads), relation.subject)
        for name, level in relation.levels.items():
            notion = name + _parameters(level.delta, level.order)
            shown = _level(level.value, level.unit, exact=True) if level.low is None else _bracket(level)
            levels.add_row(notion, shown, retell(level.unit), _witness(level))
        parts.append(levels)
    if relation.levels and "zcdp" not in relation.levels and NO_NEIGHBOURS not in relation.warnings:
        parts.append(say("The channel is large: levels that compare every pair of rows were left out."))
    if relation.capacities is not None:
        parts.append(_most(relation.capacities, relation.records))
    elif relation.levels:
        parts.append(
            say(
                "The channel is large: the most that can be learnt over all priors was left out; in bits it is at "
                "most maximal-leakage."
            )
        )
    if relation.prior_skew is not None:
        skew = number(relation.prior_skew.value)
        if relation.records > 1:
            line = say("Prior skew Δ = {skew} over neighbours: no channel has less identifiability.", skew=skew)
        else:
            line = say("Prior skew Δ = {skew}: no channel has less identifiability.", skew=skew)
        parts.append(line)
    parts.extend(_guesses(relation))
    if relation.moment_skewness is not None:
        skewness = number(relation.moment_skewness.value)
        parts.append(say("Moment coefficient of skewness of the prior: {skewness}.", skewness=skewness))
    title = say("What {subject!s} implies", subject=relation.subject)
    follows = Table(say("notion"), say("implied, at most"), say("how"), "", title=title, title_justify="left")
    nothing = []
    for one in relation.implied:
        if one.value is None or one.unit is None:
            nothing.append((one.notion, one.counterexample))
        else:
            way = " → ".join([edge.to for edge in one.path[:-1]] + [retell(one.path[-1].formula)])
            way = say("{way!s}; capped at the entropy of the secret", way=way) if one.cut else way
            most = f"{_level(one.value, one.unit, retell(one.unit))}{_parameters(one.delta, one.order)}"
            follows.add_row(one.notion, most, way, say("sharp") if one.sharp else "")
    if follows.rows:
        parts.append(follows)
    parts.extend(_nothing_follows(nothing))
    return parts


def _guesses(relation: Relation) -> list[str]:
    """What one guess reaches after the output is seen, exactly for a channel, else bounded."""
    exact, lines = bool(relation.levels), []
    if relation.guess is not None:
        chance = relation.guess.value
        if exact:
            line = say("Under the prior one guess is right with probability {chance!s}.", chance=number(chance))
        else:
            line = say(
                "Under the prior one guess is right with probability at most {chance!s}.",
                chance=number(at_most(chance)),
            )
        lines.append(line)
    if relation.distance is not None:
        told = {"distortion": relation.distortion}
        distance = relation.distance.value
        if exact:
            line = say(
                "Under the prior the best guess is {distance!s} from the value on average ({distortion!s}).",
                distance=number(distance),
                **told,
            )
        else:
            line = say(
                "Under the prior no guess is nearer to the value than {distance!s} on average ({distortion!s}).",
                distance=number(at_least(distance)),
                **told,
            )
        lines.append(line)
    return lines


def _compared(relation: Relation) -> list[str]:
    """Which data sets are neighbours, which values were left out, and the limits of the answer."""
    lines = []
    if relation.given:
        lines.append(
            say(
                "Levels are conditional on {columns!s}: they compare values of the secret in rows that agree in these "
                "columns, which everybody is assumed to know, and do not cover what the release reveals about these "
                "columns.",
                columns=listed(relation.given),
            )
        )
    if relation.records > 1 and relation.ordered:
        lines.append(say("Data sets are ordered: neighbours differ in the record at one position."))
    elif relation.records > 1:
        lines.append(say("Data sets are unordered: neighbours differ in one record, wherever it stands."))
    if relation.restricted:
        lines.append(say("Restricted to the values that occur under the prior."))
    return lines + [say("Warning: {text}", text=retell(text)) for text in relation.warnings]


def _ordered(subject: str, order: Order) -> Parts:
    """Which of two channels is safer, and the aims that show where one is not."""
    names = {"subject": subject, "other": order.against}
    match order.subject_safe, order.other_safe:
        case True, True:
            words = say("{subject!s} and {other!s} reveal the same to everybody, whatever they are after.", **names)
        case True, False:
            words = say("{subject!s} reveals no more than {other!s} to anybody, whatever they are after.", **names)
        case False, True:
            words = say("{other!s} reveals no more than {subject!s} to anybody, whatever they are after.", **names)
        case _:
            words = say("Neither of {subject!s} and {other!s} is the safer one for everybody.", **names)
    parts: Parts = [words]
    told = ((order.subject_tells, subject, order.against), (order.other_tells, order.against, subject))
    for tells, more, less in told:
        if tells is not None:
            parts.append(
                say(
                    "{more!s} reveals more to an attacker who takes all values for equally likely and is after this: "
                    "the best action gains {from_it!s} on average after seeing its output, {from_other!s} after that "
                    "of {less!s}.",
                    more=more,
                    less=less,
                    from_it=number(tells.from_it),
                    from_other=number(tells.from_other),
                )
            )
            if max(len(tells.secrets), len(tells.gains)) <= SHOWN:
                gains = Table(say("gain"), *tells.secrets)
                for at, row in enumerate(tells.gains):
                    gains.add_row(say("action {at}", at=at + 1), *map(number, row))
                parts.append(gains)
    return parts


def _most(found: Capacities, records: int) -> Table:
    """The capacities of a channel, each in words and by its name."""
    title = say("The most that anybody can learn, whatever they believed before (over all priors)")
    if records > 1:
        title = say("The most that anybody can learn about a data set, whatever they believed before (over all priors)")
    factor, bits = number(found.multiplicative.value), number(found.min_capacity.value)
    secure = number(found.bayes_security.value)
    table = grid("|".join((say("seeing the output"), say("the most"), say("known as"))), title)
    rows = (
        (say("tells about the value"), say("{bits!s} bits", bits=_bracket(found.shannon)), say("Shannon capacity")),
        (
            say("multiplies the chance of a right guess by"),
            say("{factor!s} ({bits!s} bits)", factor=factor, bits=bits),
            say("multiplicative capacity, min-capacity"),
        ),
        (say("adds to the chance of a right guess"), _bracket(found.additive), say("additive capacity")),
        (
            say("adds to any expected gain between 0 and 1"),
            number(found.additive_over_vulnerabilities.value),
            say("additive capacity over all gains"),
        ),
        (
            say("divides the chance of a wrong guess by"),
            number(found.risk.value),
            say("Bayes-risk capacity; Bayes security {share!s}", share=secure),
        ),
    )
    for row in rows:
        table.add_row(*row)
    return table


def _bracket(found: Quantity) -> str:
    """The most over all priors; where the proof leaves it open, what is reached and what is not exceeded."""
    low, high = found.ends
    if high - low <= CLOSE or number(low) == number(high):
        return number(low)
    return say("{low!s} to {high!s}", low=number(at_least(low)), high=number(at_most(high)))


def _level(value: float, unit: str, shown: str = "", *, exact: bool = False) -> str:
    """A level with its unit."""
    return told_level(value, shown, exact=exact) if unit == "nats" else f"{number(value)} {shown}".rstrip()


def _parameters(delta: float | None, order: float | None) -> str:
    """The δ or the order of a statement, besides its level."""
    told = "" if delta is None else say(" (δ = {delta!s})", delta=number(delta))
    return told if order is None else told + say(" (order {order!s})", order=number(order))


def _nothing_follows(nothing: list[tuple[str, str | None]]) -> list[str]:
    """Why nothing follows: a counterexample that is built and evaluated here shows it, or no conversion is known."""
    from leakgauge.papers.counterexamples import COUNTEREXAMPLES

    lines = []
    for example in sorted({example for _, example in nothing if example}):
        names = listed(name for name, one in nothing if one == example)
        why = COUNTEREXAMPLES[example]().description
        lines.append(say("Nothing follows for {names!s}: {why}.", names=names, why=why))
    unknown = listed(name for name, example in nothing if not example)
    if unknown:
        lines.append(
            say(
                "No conversion without more knowledge (a prior, the number of values, distances, neighbours) for "
                "{names!s}.",
                names=unknown,
            )
        )
    return lines


def _witness(level: Level) -> str:
    if level.witness is None:
        return ""
    one, other = level.witness.inputs
    if level.witness.output is None:
        return say("{one!s} against {other!s}", one=one, other=other)
    return say("{one!s} against {other!s} at {seen!s}", one=one, other=other, seen=level.witness.output)
