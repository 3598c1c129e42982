"""``leakgauge measure``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click
from rich.table import Table

from leakgauge.artefacts.request import Reading
from leakgauge.artefacts.request.part import Option, RequestPart
from leakgauge.artefacts.request.shared_options import Background, Bins, Confidence, Levels, Secrets, Together, Weights
from leakgauge.cli import options
from leakgauge.cli.language import listed, retell, say
from leakgauge.cli.output import Output, Parts, deliver, number, require_not_read, working
from leakgauge.errors import OptionError
from leakgauge.languages import message

if TYPE_CHECKING:
    from leakgauge.artefacts import Measurement, Quantity


class Measuring(RequestPart, frozen=True):
    """What is measured, and how."""

    secret: Secrets
    release: Annotated[tuple[str, ...], Option("Released column; may be repeated.", "COLUMN")] = ()
    channel: Annotated[
        tuple[Path, ...], Option("Known release channel (JSON); several are measured together.", "FILE")
    ] = ()
    background: Background = ()
    together: Together = False
    unit: Annotated[str | None, Option("Says which rows are of one person: intervals are per person.", "COLUMN")] = None
    weights: Weights = None
    bins: Bins = ()
    levels: Levels = ()
    estimator: Annotated[
        str,
        Option("Point estimate.", choices=("plug-in", "miller-madow", "shrinkage", "chao-shen", "grassberger", "nsb")),
    ] = "plug-in"
    confidence: Confidence = 0.95

    def require_possible(self) -> None:
        """Refuse a confidence that is none."""
        if not 0 < self.confidence < 1:
            raise OptionError("A confidence of {found} is not between 0 and 1; try 0.95.", found=self.confidence)


@click.command()
@click.argument("table", type=options.ADDRESS)
@options.taking(asked=Measuring, reading=Reading)
@click.option("--each", is_flag=True, hidden=True)
@options.output
def command(table: str, asked: Measuring, each: bool, reading: Reading, to: Output) -> None:
    """What the secret columns of TABLE leak, in bits with intervals; each column by itself.

    TABLE is a CSV, Excel, Parquet, JSON lines, SPSS, Stata, SAS or DuckDB file. Missing values count as a value of
    their own.

    \b
    leakgauge measure people.parquet --secret illness --background city \\
        --background age --bins age=width:10
    leakgauge measure people.csv --secret illness --release illness_masked \\
        --background city --json
    leakgauge measure people.csv --secret illness --channel january.json \\
        --channel february.json
    """
    from leakgauge.artefacts import EachMeasurement
    from leakgauge.artefacts.channel_file import read_channel
    from leakgauge.jobs.measure import Roles, measure
    from leakgauge.measures import Estimator
    from leakgauge.probability.files import read_label_values
    from leakgauge.tables import in_bins, open_table
    from leakgauge.tables.binnings import parse_binnings
    from leakgauge.tables.chosen_bins import settled
    from leakgauge.tables.levels import level_files

    if each and asked.together:
        raise OptionError("--each and --together exclude each other; leave --each out.")
    if each:
        click.echo(say("--each is the default and can be left out."), err=True)
    several = len(asked.secret) > 1 and not asked.together
    if asked.weights is not None and several:
        raise OptionError("Weights belong to one secret; say --together, or measure the secrets one by one.")
    require_not_read(to.file, table, *asked.channel, asked.weights, *level_files(asked.levels))
    whole = Roles(asked.secret, asked.release, asked.background, asked.unit)
    roles = [replace(whole, secret=(one,)) for one in asked.secret] if several else [whole]
    settings: dict[str, Any] = {
        "called": table,
        "channels": [read_channel(one) for one in asked.channel],
        "weights": None if asked.weights is None else read_label_values(asked.weights),
        "estimator": Estimator[asked.estimator.upper().replace("-", "_")],
        "confidence": asked.confidence,
    }
    bins = parse_binnings(asked.bins, whole.columns, asked.levels)
    with working(say("Measuring {table!s} …", table=Path(table).name)), open_table(table, **reading.given()) as source:
        bins = {name: settled(source, name, how) for name, how in bins.items()}
        measurements = [measure(in_bins(source, bins), role, **settings) for role in roles]
    deliver(
        EachMeasurement(table, tuple(measurements)) if several else measurements[0],
        to,
        lambda: [
            *(part for one in measurements for part in _render(one, Path(table).name, len(asked.channel))),
            *options.learnt_bins(bins),
        ],
    )


_ROWS = {
    "entropy": ("H(X)", message("uncertain before anything is seen")),
    "conditional_entropy": ("H(X|Y)", message("still uncertain after the release")),
    "mutual_information": ("I(X;Y)", message("the release reveals")),
    "background_floor": ("I(X;Z)", message("the background reveals by itself: the floor")),
    "conditional_mutual_information": ("I(X;Y|Z)", message("the release adds to the background")),
    "leakage_with_background": ("I(X;YZ)", message("revealed in all to someone with the background")),
    "conditional_entropy_with_background": ("H(X|YZ)", message("still uncertain to someone with the background")),
}
_ROLES = {
    "secret": message("X secret: {columns!s} ({values:,} values)"),
    "release": message("Y release: {columns!s} ({values:,} values)"),
    "background": message("Z background: {columns!s} ({values:,} values)"),
}
_ZERO_LEAKAGE = {
    (True, True): message("Hypothesis that the release reveals nothing: rejected (p {p!s})."),
    (True, False): message("Hypothesis that the release reveals nothing: not rejected (p {p!s})."),
    (False, True): message("Hypothesis that the background reveals nothing: rejected (p {p!s})."),
    (False, False): message("Hypothesis that the background reveals nothing: not rejected (p {p!s})."),
}
"""By whether something is released, and whether the hypothesis is rejected."""
_NOISE = 1e-12
_COMPANIONS = (
    ("best_guess", message("Best single guess is right"), "%"),
    ("guesses", message("Guesses needed on average"), ""),
    ("effective_set", message("Effective number of values to hide among"), ""),
)


def _render(measurement: Measurement, table: str, channels: int) -> Parts:
    told = {name: one for name, one in measurement.shannon().items() if name in measurement.bias_corrected}
    percent = 100 * (measurement.entropy.confidence or 0)
    interval = say("{percent:.6g}% interval", percent=percent)
    bits = Table("", say("meaning"), say("bits"), interval, say("bias-corrected"))
    for column in bits.columns[2:]:
        column.justify = "right"
    for name, (symbol, meaning) in _ROWS.items():
        if name in told and (measurement.is_released or name != "leakage_with_background"):
            # Without a release the attacker sees the background alone, so the floor is everything.
            shown = symbol if measurement.is_released else symbol.replace("YZ", "Z")
            corrected = measurement.bias_corrected[name].value
            bits.add_row(shown, retell(meaning), *_cells(told[name], ""), _bits(corrected))
            if measurement.weighted is not None and name in measurement.weighted:
                symbol, meaning = say("{symbol!s} weighted", symbol=shown), say("the same under the weights")
                bits.add_row(symbol, meaning, *_cells(measurement.weighted[name], ""), "")
    parts: Parts = ["\n".join(_head(measurement, table, channels)), bits]
    crowd = Table("", say("before"), say("interval"), say("after everything is seen"), say("interval"))
    for name, meaning, form in _COMPANIONS:
        before, after = getattr(measurement, name), getattr(measurement, f"{name}_after")
        if before is not None:
            crowd.add_row(retell(meaning), *_cells(before, form), *(_cells(after, form) if after else ("", "")))
    if crowd.rows:
        parts.append(crowd)
    parts.extend(_notes(measurement))
    return parts


def _head(measurement: Measurement, table: str, channels: int) -> list[str]:
    """The number of rows, and the role of each column."""
    lines = [say("{rows:,} rows of {table!s}", rows=measurement.rows, table=table)]
    for role, template in _ROLES.items():
        columns: tuple[str, ...] = getattr(measurement, role)
        if columns:
            lines.append(say(template, columns=listed(columns), values=measurement.letters[role]))
        elif role == "release" and measurement.through_channel:
            several = say("Y release: through the {count} channels given, taken together", count=channels)
            lines.append(several if channels > 1 else say("Y release: through the channel given"))
    return lines


def _notes(measurement: Measurement) -> list[str]:
    """Cautions about the numbers."""
    from leakgauge.jobs.measure import REDRAWN

    said = []
    if measurement.zero_leakage is not None:
        p, drawn = measurement.zero_leakage.p_value, measurement.zero_leakage.degrees_of_freedom is None
        # The smallest p that redrawn tables can show is one in their number.
        shown = "< 0.0001" if p < 1e-4 else f"{'≤' if drawn and p < 0.01 else '='} {p:.3g}"
        said.append(say(_ZERO_LEAKAGE[bool(measurement.release), p < 0.05], p=shown))
    if measurement.best_guess is None:
        said.append(
            say(
                "Guesses and effective numbers of values are left out: there are more than {most:,} combinations of "
                "values; bin or merge values to see them.",
                most=REDRAWN,
            )
        )
    if not measurement.reliable:
        said.append(too_small())
    return said


def too_small() -> str:
    """The warning beside numbers from too few rows."""
    return say(
        "Too small to tell: there are fewer than 5 rows per combination of values, so the intervals may miss the "
        "truth more often than stated; bin or merge values, or use more rows."
    )


def _cells(quantity: Quantity, form: str) -> tuple[str, str]:
    """A value and its interval."""
    value, low, high = (
        f"{number(100 * end)}%" if form == "%" else _bits(end) for end in (quantity.value, *quantity.ends)
    )
    return value, f"{low} – {high}"


def _bits(value: float) -> str:
    """A number without rounding error below zero."""
    return number(value if abs(value) > _NOISE else 0.0)
