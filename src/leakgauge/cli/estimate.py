"""``leakgauge estimate``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from leakgauge.artefacts.request import Reading
from leakgauge.artefacts.request.part import Names, Option, RequestPart
from leakgauge.artefacts.request.shared_options import Confidence
from leakgauge.cli import options
from leakgauge.cli.language import say
from leakgauge.cli.output import Output, deliver, require_not_read, working
from leakgauge.errors import OptionError, RefusalError

if TYPE_CHECKING:
    from leakgauge.artefacts import Estimated, Sentence
    from leakgauge.artefacts.estimates import Contrasted
    from leakgauge.release.estimates import Recipient


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
    difference: Annotated[
        tuple[str, ...],
        Option(
            "A value's share, or a column's mean, in one group less that in another; may be repeated.",
            "COLUMN[=VALUE],BY=GROUP,BY=GROUP",
        ),
    ] = ()
    ratio: Annotated[
        tuple[str, ...], Option("The same divided; may be repeated.", "COLUMN[=VALUE],BY=GROUP,BY=GROUP")
    ] = ()
    odds_ratio: Annotated[
        tuple[str, ...],
        Option(
            "A value's odds, also against a second one, in one group divided by those in another; may be repeated.",
            "COLUMN=VALUE[,COLUMN=VALUE],BY=GROUP,BY=GROUP",
        ),
    ] = ()
    contrast: Annotated[
        tuple[str, ...],
        Option("A sum over groups by weights; may be repeated.", "COLUMN[=VALUE],BY=GROUP*WEIGHT,…"),
    ] = ()
    since: Annotated[
        str | None,
        Names.PLACE,
        Option("The kit of an earlier release: how the shares of protected columns have changed since.", "KIT"),
    ] = None
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
    leakgauge estimate kit --odds-ratio illness=flu,city=A,city=B
    leakgauge estimate february/kit --since january/kit
    """
    from leakgauge.artefacts import Estimates
    from leakgauge.release.estimates import estimate
    from leakgauge.telling.recipients import estimates

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
        if asked.since is not None:
            before = estimate(asked.since, confidence=asked.confidence, **reading.given())
            names = asked.shares or tuple(name for name, how in recipient.protected.items() if how.noise is None)
            answers = [*answers, *(recipient.change(name, before) for name in names)]
        contrasts = tuple(_contrasts(asked, recipient))
        answers, refused = (answers, ()) if answers or contrasts else _everything(recipient)
    rows = answers[0].rows if answers else contrasts[0].rows
    found = Estimates(Path(release).name, rows, tuple(answers), (*refused, *recipient.notes), contrasts)
    deliver(found, to, lambda voice: estimates(voice, found), shareable=True)


def _contrasts(asked: Estimating, recipient: Recipient) -> Iterator[Contrasted]:
    from leakgauge.artefacts.estimates import ContrastKind

    for kind, texts in (
        (ContrastKind.DIFFERENCE, asked.difference),
        (ContrastKind.RATIO, asked.ratio),
        (ContrastKind.ODDS_RATIO, asked.odds_ratio),
        (ContrastKind.WEIGHTED, asked.contrast),
    ):
        for text in texts:
            yield recipient.contrasted(kind, [part.strip() for part in text.split(",")])


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
