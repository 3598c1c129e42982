"""``leakgauge relate``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from leakgauge.artefacts.request.part import Option, RequestPart
from leakgauge.cli import options
from leakgauge.cli.output import Output, deliver
from leakgauge.drafts import require_writable
from leakgauge.errors import OptionError


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
    from leakgauge.papers.counterexamples import COUNTEREXAMPLES
    from leakgauge.telling.relation import relation

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
    found = relate(
        subject,
        asked.prior,
        asked.records,
        against=asked.against,
        ordered=not asked.unordered,
        restricted=asked.restrict,
        wanted=wanted,
        distortion=asked.distortion,
    )
    named = {one.counterexample for one in found.implied if one.counterexample}
    shown = {name: COUNTEREXAMPLES[name]().description for name in named}
    deliver(found, to, lambda voice: relation(voice, found, shown))
