"""``leakgauge compare``."""

from __future__ import annotations

from pathlib import Path

import click

from leakgauge.artefacts.request import Reading
from leakgauge.artefacts.request.part import RequestPart
from leakgauge.artefacts.request.shared_options import Distortion, Together
from leakgauge.artefacts.request.verbs import Comparing
from leakgauge.cli import options
from leakgauge.cli.language import say
from leakgauge.cli.options import loss_of
from leakgauge.cli.output import Output, deliver, require_not_read, working


class OneSource(RequestPart, frozen=True):
    """Whether several secrets are one source, and what a wrong value of it costs."""

    together: Together = False
    distortion: Distortion = ("hamming",)


@click.command()
@click.argument("table", type=options.ADDRESS)
@click.argument("mechanisms", nargs=-1, metavar="[MECHANISM]...")
@options.taking(asked=Comparing, source=OneSource, reading=Reading)
@options.output
def command(
    table: str, mechanisms: tuple[str, ...], asked: Comparing, source: OneSource, reading: Reading, to: Output
) -> None:
    """Mechanisms for one secret on one scale, with what each leaks beyond the channel that leaks least.

    MECHANISM is name:key=value,… or a channel file. The symmetric channel, the exponential mechanism and the least
    leaking channel at the target are always shown. With --keep shares, so is the least leaking channel that releases
    every value as often as it occurs, and all others are compared with that one.

    \b
    leakgauge compare people.csv --secret illness randomized-response:epsilon=1 \\
        --max-distortion 0.3
    leakgauge compare people.csv --secret illness --keep shares \\
        --max-distortion 0.3
    leakgauge compare people.csv --secret illness --background city channel.json \\
        --max-leakage 0.5
    leakgauge compare people.csv --secret age geometric:epsilon=1,lower=0,upper=99
      --distortion absolute --max-distortion 20

    A number with noise is clamped to its bounds after the noise; exponential has the utility −distortion.
    """
    from leakgauge.jobs.compare import compare
    from leakgauge.tables.binnings import parse_binnings
    from leakgauge.tables.levels import level_files
    from leakgauge.telling.comparison import between_centres, compared

    secret = asked.secret
    options.require_one_source(secret, source.together)
    loss = loss_of(source.distortion, secret if asked.through is None else (asked.through,))
    files = (Path(name) for name in mechanisms if ":" not in name)
    weights = None if asked.weights is None else Path(str(asked.weights))
    require_not_read(to.file, table, *files, *loss.files, weights, *level_files(asked.levels))
    with working(say("Comparing for {table!s} …", table=Path(table).name)):
        found = compare(table, mechanisms, distortion=loss.distortion(), **asked.given(), **reading.given())
    bins = parse_binnings(asked.bins, secret + asked.background, asked.levels)
    deliver(
        found, to, lambda voice: (*compared(voice, found, secret), *between_centres(voice, loss.names, bins, secret))
    )
