"""``leakgauge measure``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import click

from leakgauge.artefacts.request import Reading
from leakgauge.artefacts.request.part import Option, RequestPart
from leakgauge.artefacts.request.shared_options import Background, Bins, Confidence, Levels, Secrets, Together, Weights
from leakgauge.cli import options
from leakgauge.cli.language import say
from leakgauge.cli.output import Output, deliver, require_not_read, working
from leakgauge.errors import OptionError


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
    from leakgauge.telling.measurement import learnt_bins, measurements

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
        measured = [measure(in_bins(source, bins), role, **settings) for role in roles]
    deliver(
        EachMeasurement(table, tuple(measured)) if several else measured[0],
        to,
        lambda voice: (*measurements(voice, measured, len(asked.channel)), *learnt_bins(voice, bins)),
    )
