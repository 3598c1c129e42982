"""``leakgauge estimate``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click
from rich.table import Column, Table
from rich.text import Text

from leakgauge.artefacts.request import Reading
from leakgauge.artefacts.request.part import Option, RequestPart
from leakgauge.artefacts.request.shared_options import Confidence
from leakgauge.cli import options
from leakgauge.cli.language import listed, retell, say
from leakgauge.cli.output import Output, Parts, deliver, number, require_not_read, working
from leakgauge.errors import OptionError, RefusalError
from leakgauge.rounding import percent

if TYPE_CHECKING:
    from leakgauge.artefacts import Estimated, Estimates, Quantity, Sentence
    from leakgauge.release.estimates import Recipient

SHOWN = 60
"""Numbers of one answer on the screen; the JSON has them all."""


class Estimating(RequestPart, frozen=True):
    """What a recipient computes, and from which channels."""

    channel: Annotated[
        tuple[str, ...],
        Option("The channel of a protected column; may be repeated. A kit has its own.", "COLUMN=FILE|MECHANISM"),
    ] = ()
    shares: Annotated[tuple[str, ...], Option("How often each value occurs; may be repeated.", "COLUMN")] = ()
    crosstab: Annotated[
        tuple[str, ...], Option("Shares of a column within published groups; may be repeated.", "COLUMN,BY,…")
    ] = ()
    mean: Annotated[str | None, Option("The mean of a numeric column.", "COLUMN")] = None
    by: Annotated[tuple[str, ...], Option("Groups of the mean; may be repeated.", "COLUMN")] = ()
    rows_per_unit: Annotated[int, Option("The most rows that one person has.")] = 1
    confidence: Confidence = 0.95

    def require_possible(self) -> None:
        """Refuse groups of nothing."""
        if self.by and self.mean is None:
            raise OptionError("--by groups a mean, but no mean is asked for; add --mean COLUMN, or use --crosstab.")


@click.command()
@click.argument("release", type=options.ADDRESS)
@options.taking(asked=Estimating, reading=Reading)
@options.output
def command(release: str, asked: Estimating, reading: Reading, to: Output) -> None:
    """What a recipient can compute from a release, corrected for its channels, each number with an interval.

    RELEASE is a released table, or the folder of a recipient's kit. Without --shares, --crosstab or --mean, the shares
    of every protected column are shown, and the means of noisy numbers.

    \b
    leakgauge estimate release.csv --channel illness=channel.json \\
        --crosstab illness,city
    leakgauge estimate release.csv --channel illness=channel.json --mean income \\
        --by illness
    leakgauge estimate kit
    """
    from leakgauge.artefacts import Estimates
    from leakgauge.release.estimates import estimate

    channels = _channels(asked.channel, release, reading)
    files = (Path(how) for how in channels.values() if how.lower().endswith(".json"))
    require_not_read(to.file, release, *files)
    with working(say("Estimating from {release!s} …", release=Path(release).name)):
        recipient = estimate(
            release, channels, confidence=asked.confidence, rows_per_unit=asked.rows_per_unit, **reading.given()
        )
        answers = [recipient.shares(one) for one in asked.shares]
        answers += [recipient.crosstab(*_columns(one)) for one in asked.crosstab]
        answers += [recipient.mean(asked.mean, asked.by)] if asked.mean is not None else []
        answers, refused = (answers, ()) if answers else _everything(recipient)
    found = Estimates(Path(release).name, answers[0].rows, tuple(answers), (*refused, *recipient.notes))
    deliver(found, to, lambda: render(found), shareable=True)


def render(found: Estimates) -> Parts:
    """A table for each answer, and what the intervals are."""
    parts: Parts = []
    for one in found.estimates:
        parts.append(_table(one))
        if len(one.cells) > SHOWN:
            parts.append(say("… and {more:,} more, all of them with --json.", more=len(one.cells) - SHOWN))
        parts.append(_worth(one))
    confidence = next(iter(found.estimates[0].cells)).estimate.confidence or 0.0
    parts.append(
        say(
            "Each interval, taken by itself, contains the true value about {percent:.4g} times in 100, for the table "
            "and for the population that its rows are drawn from.",
            percent=100 * confidence,
        )
    )
    return [*parts, *(Text(retell(one), "yellow") for one in found.notes)]


def _table(one: Estimated) -> Table:
    heads = [Column(name, overflow="fold") for name in (*one.by, *((one.column,) if one.kind != "mean" else ()))]
    head = say("mean") if one.kind == "mean" else say("share")
    table = Table(*heads, Column(head, justify="right"), say("interval"), title=_title(one), title_justify="left")
    written = number if one.kind == "mean" else percent
    for cell in one.cells[:SHOWN]:
        labels = (*cell.group, *((cell.value,) if one.kind != "mean" else ()))
        _add(table, labels, cell.estimate, written)
    for cell in one.unseen[:SHOWN]:
        _add(table, (*cell.group, say("(any other value)")), cell.estimate, written)
    return table


def _add(table: Table, labels: Sequence[str | None], estimate: Quantity, written: Callable[[float], str]) -> None:
    named = (say("(missing)") if label is None else label for label in labels)
    low, high = estimate.ends
    # A value may hold brackets, which would be read as markup.
    table.add_row(*map(Text, (*named, written(estimate.value), f"{written(low)} – {written(high)}")))


def _title(one: Estimated) -> str:
    names = {"column": one.column, "by": listed(one.by)}
    if one.kind == "mean":
        return say("Mean of {column!s} by {by!s}", **names) if one.by else say("Mean of {column!s}", **names)
    return say("Shares of {column!s} by {by!s}", **names) if one.by else say("Shares of {column!s}", **names)


def _worth(one: Estimated) -> str:
    method = retell(one.method.value)
    if one.effective_rows is None:
        return say("Method: {method}; {rows:,} released rows.", method=method, rows=one.rows)
    return say(
        "Method: {method}; {rows:,} released rows are worth {worth:,.0f} rows of the table itself.",
        method=method,
        rows=one.rows,
        worth=one.effective_rows.value,
    )


def _channels(texts: Sequence[str], release: str, reading: Reading) -> dict[str, str]:
    """The channel of each column; the name of a column may itself hold an ``=``."""
    from leakgauge.tables import open_table

    known: tuple[str, ...] = ()
    if any(text.count("=") > 1 for text in texts) and not Path(release).is_dir():
        with open_table(release, **reading.given()) as table:
            known = tuple(one.name for one in table.columns())
    channels: dict[str, str] = {}
    for text in texts:
        longest = max((name for name in known if text.startswith(f"{name}=")), key=len, default=None)
        column, equals, how = text.partition("=") if longest is None else (longest, "=", text[len(longest) + 1 :])
        if not (column and equals and how):
            raise OptionError(
                "--channel {text!r} is not COLUMN=FILE; write e.g. {example!s}.",
                text=text,
                example="illness=channel.json",
            )
        if column in channels:
            raise OptionError("--channel is given twice for {column!r}; give it once.", column=column)
        channels[column] = how
    return channels


def _columns(text: str) -> list[str]:
    columns = [part.strip() for part in text.split(",")]
    if len(columns) < 2 or not all(columns):
        raise OptionError(
            "--crosstab {text!r} needs two columns or more; write e.g. {example!s}.", text=text, example="illness,city"
        )
    return columns


def _everything(recipient: Recipient) -> tuple[list[Estimated], tuple[Sentence, ...]]:
    """The shares of every protected column, the means of those with noise, and why others cannot be estimated."""
    found: list[Estimated] = []
    refused: list[OptionError | RefusalError] = []
    for name, read in recipient.protected.items():
        try:
            found.append(recipient.shares(name) if read.noise is None else recipient.mean(name))
        except (OptionError, RefusalError) as error:
            refused.append(error)
    if refused and not found:
        raise refused[0]
    return found, tuple(one.sentence for one in refused)
