"""``leakgauge location track``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table

from leakgauge.cli import options
from leakgauge.cli.language import retell, say
from leakgauge.cli.location.options import (
    length,
    metres,
    on_the_map,
    places,
    protection,
    report,
    require_report,
    warned,
    within,
    write_report,
)
from leakgauge.cli.output import Parts, deliver, number, require_not_read, working
from leakgauge.rounding import interval, percent

if TYPE_CHECKING:
    from leakgauge.artefacts.location import LocationTrack
    from leakgauge.jobs.location.places import Places


@click.command()
@click.argument("table", type=options.ADDRESS)
@places
@protection
@click.option("--people", type=int, metavar="N", help="Simulate so many people instead of the table's own traces.")
@click.option("--days", type=int, default=1, show_default=True, metavar="N", help="Days that they are followed for.")
@click.option("--seed", type=int, default=1, show_default=True, metavar="SEED", help="The seed of the experiment.")
@click.option("--repeat", "repeated", is_flag=True, help="Repeat a report as long as somebody stays.")
@click.option(
    "--reach",
    default="10km",
    show_default=True,
    metavar="LENGTH",
    help="How far somebody may be at the next step, as the tracker knows.",
)
@click.option(
    "--steps",
    type=int,
    default=5000,
    show_default=True,
    metavar="N",
    help="Steps that are tracked at most, in whole traces; a thousand take about a second.",
)
@click.option("--window", type=int, default=3, show_default=True, metavar="N", help="Steps of the window.")
@within
@report
@options.reading
@options.output
def track(
    table: str,
    places: Places,
    max_distance: str | None,
    reach: str,
    within: str,
    report: Path | None,
    reading: Mapping[str, Any],
    as_json: bool,
    output: Path | None,
    **given: Any,
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

    require_not_read(output, table, places.areas)
    require_report(report, Path(table), output)
    with working(say("Tracking {table!s} …", table=Path(table).name)):
        found = track_places(
            table,
            places,
            max_distance=length(max_distance, "--max-distance"),
            reach=length(reach, "--reach") or 0.0,
            within=length(within, "--within") or 0.0,
            **given,
            **reading,
        )
    write_report(report, Dossier(location_track=found))
    deliver(found, as_json, output, lambda: _render(found))


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
