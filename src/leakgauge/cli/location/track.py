"""``leakgauge location track``."""

from __future__ import annotations

from pathlib import Path

import click

from leakgauge.artefacts.request import Reading
from leakgauge.artefacts.request.places import PlaceProtection, Places, Tracking
from leakgauge.cli import options
from leakgauge.cli.language import say
from leakgauge.cli.location.options import MapReport, require_report, write_report
from leakgauge.cli.output import Output, deliver, require_not_read, working
from leakgauge.cli.terminal import terminal, voice_of


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
    from leakgauge.telling.places import tracked

    require_not_read(to.file, table, places.areas)
    require_report(beside.report, Path(table), to.file)
    with working(say("Tracking {table!s} …", table=Path(table).name)):
        found = track_places(table, places, **protection.given(), **asked.given(), **reading.given())
    dossier = Dossier(location_track=found)
    write_report(beside.report, dossier)
    deliver(found, to, lambda: terminal(tracked(voice_of(dossier))))
