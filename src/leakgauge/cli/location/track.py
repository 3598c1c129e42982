"""``leakgauge location track``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.table import Table

from leakgauge.artefacts.request import Reading
from leakgauge.artefacts.request.places import PlaceProtection, Places, Tracking
from leakgauge.cli import options
from leakgauge.cli.language import retell, say
from leakgauge.cli.location.options import MapReport, metres, on_the_map, require_report, warned, write_report
from leakgauge.cli.output import Output, Parts, deliver, number, require_not_read, working
from leakgauge.rounding import interval, percent

if TYPE_CHECKING:
    from leakgauge.artefacts.location import LocationTrack


@click.command()
@click.argument("table", type=options.ADDRESS)
@options.taking(places=Places, protection=PlaceProtection, asked=Tracking, beside=MapReport, reading=Reading)
@options.output
def track(
    table: str,
    places: Places,
    protection: PlaceProtection,
    asked: Tracking,
    beside: MapReport,
    reading: Reading,
    to: Output,
) -> None:
    """What a tracker infers from released traces: the guesses beside the true and the released places.

    Traces are those of the table (--user and --time), or of simulated people who live where its points are
    (--people). Nothing is released: the noise of the experiment follows from the seed.

    \b
    leakgauge location track pickups.parquet --lat lat --lon lon --cell 12x12 \\
        --box 40.70,40.82,-74.02,-73.92 --people 20 --epsilon-per-km 2 \\
        --report track.html
    leakgauge location track pings.csv --lat lat --lon lon --cell 1km \\
        --user person --time at --max-distance 800m

    The tracker knows the mechanism, how often each area is visited, and how people move on the whole.
    """
    from leakgauge.artefacts.dossier import Dossier
    from leakgauge.jobs.location.track import track_places

    require_not_read(to.file, table, places.areas)
    require_report(beside.report, Path(table), to.file)
    with working(say("Tracking {table!s} …", table=Path(table).name)):
        found = track_places(table, places, **protection.given(), **asked.given(), **reading.given())
    write_report(beside.report, Dossier(location_track=found))
    deliver(found, to, lambda: _render(found))


def _render(found: LocationTrack) -> Parts:
    title = say("Trackers of {traces:,} traces, {steps:,} steps", traces=found.traces, steps=found.steps)
    near = say("within {radius!s}", radius=metres(found.radius))
    table = Table(say("sees"), say("error"), say("expects"), near, title=title, title_justify="left")
    for one in found.attackers:
        expected = "–" if one.predicted is None else metres(one.predicted)
        table.add_row(retell(one.attacker), metres(one.error), expected, percent(one.within.value))
    whole = found.window_leakage
    bits = number(whole.value) if whole.low is None else f"{number(whole.value)} {interval(*whole.ends)}"
    return [
        on_the_map(found.areas),
        say(
            "{mechanism!s} releases places {error!s} from the true ones on average.",
            mechanism=retell(found.mechanism),
            error=metres(found.released_error),
        ),
        table,
        say(
            "A window of {steps:,} steps reveals {whole!s} bits about the steps in it; one step reveals {one!s} bits.",
            steps=found.window,
            whole=bits,
            one=number(found.step_leakage.value),
        ),
        *warned(found.warnings),
    ]
