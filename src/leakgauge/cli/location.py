"""``leakgauge location``: a group of its own, because its answers are metres and maps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import click

from leakgauge.artefacts.request import Reading
from leakgauge.artefacts.request.part import METRES, Option, RequestPart
from leakgauge.artefacts.request.places import WITHIN, Near, PlaceProtection, PlaceRelease, Places, Tracking
from leakgauge.cli import options
from leakgauge.cli.language import current, say
from leakgauge.cli.output import Output, Telling, deliver, require_not_read, working
from leakgauge.cli.release import progress_of, say_uncounted
from leakgauge.drafts import require_writable, write_whole
from leakgauge.errors import OptionError

if TYPE_CHECKING:
    from leakgauge.artefacts.dossier import Dossier

FORMS: Final = (".html", ".md")


class MapReport(RequestPart, frozen=True):
    """A report beside the answer."""

    report: Annotated[Path | None, Option("Write a report with the map too, .html or .md.", "FILE")] = None


class PlaceSurveying(RequestPart, frozen=True):
    """Where people are few."""

    few: Annotated[int, Option("Count areas with fewer people than this.", "K")] = 10


class PlaceDesigning(RequestPart, frozen=True):
    """The target of a channel between areas."""

    max_distance: Annotated[
        float | None, METRES, Option("The least leakage at this mean distance, such as 800m.", "LENGTH")
    ] = None
    max_leakage: Annotated[float | None, Option("The least mean distance at these bits.", "BITS")] = None
    epsilon_per_km: Annotated[float | None, Option("The least mean distance at this metric privacy.", "E")] = None
    within: Near = WITHIN


class PlaceComparing(RequestPart, frozen=True):
    """The distance at which mechanisms are compared."""

    max_distance: Annotated[
        float, METRES, Option("The mean distance that all are set to, such as 800m.", "LENGTH", required=True)
    ]
    within: Near = WITHIN


@click.group()
def command() -> None:
    """Places: what a table of points reveals, which mechanism to take, and what a tracker infers.

    TABLE has a column of latitudes and one of longitudes. The earth is cut into areas: cells of a size (--cell 500m) or
    a number (--cell 12x12 --box S,N,W,E), hexagons, polygons of a GeoJSON file, or areas that a column names.

    \b
    leakgauge location survey pickups.parquet --lat lat --lon lon --cell 500m
    leakgauge location compare pickups.parquet --lat lat --lon lon --cell 12x12 \\
        --box 40.70,40.82,-74.02,-73.92 --max-distance 1km
    leakgauge location protect pickups.parquet --lat lat --lon lon --cell 500m \\
        --epsilon-per-km 2 -o protected
    """


@contextmanager
def _looking(table: str, beside: MapReport, output: Path | None, task: str, *files: Path | None) -> Iterator[None]:
    """Refuse an answer or a report that cannot be written, before anything is computed, and say what is done."""
    require_not_read(output, table, *files)
    if beside.report is not None and beside.report.suffix.lower() not in FORMS:
        raise OptionError("{path} is not a name for a report; end it in .html or .md.", path=beside.report)
    require_writable(beside.report, Path(table), output)
    with working(task):
        yield


def _show(found: object, dossier: Dossier, beside: MapReport, to: Output, tell: Telling) -> None:
    """Write the report on a result in the current language, where it is asked for, and show the result."""
    if beside.report is not None:
        from leakgauge.report.html import to_html
        from leakgauge.report.markdown import to_markdown
        from leakgauge.report.report import document_on

        document = document_on(dossier, current())
        is_page = beside.report.suffix.lower() == ".html"
        write_whole(beside.report, to_html([document]) if is_page else to_markdown(document))
    deliver(found, to, tell, dossier)


@command.command()
@click.argument("table", type=options.ADDRESS)
@options.taking(places=Places, asked=PlaceSurveying, beside=MapReport, reading=Reading)
@options.output
def survey(table: str, places: Places, asked: PlaceSurveying, beside: MapReport, reading: Reading, to: Output) -> None:
    """Where the points of a table lie, how much a place reveals, and where people are few.

    \b
    leakgauge location survey pickups.parquet --lat lat --lon lon --cell 500m
    leakgauge location survey pickups.parquet --lat lat --lon lon --time time \\
        --cell 12x12 --box 40.70,40.82,-74.02,-73.92 --report map.html
    leakgauge location survey german_towns.parquet --lat lat --lon lon \\
        --weight population --cell 50km

    With --time the entropy of the places is shown hour by hour, with --user people are counted instead of points.
    """
    from leakgauge.artefacts.dossier import Dossier
    from leakgauge.jobs.location.survey import survey_places
    from leakgauge.telling.places import surveyed

    task = say("Looking through {table!s} …", table=Path(table).name)
    with _looking(table, beside, to.file, task, places.areas):
        found = survey_places(table, places, few=asked.few, **reading.given())
    _show(found, Dossier(location_survey=found), beside, to, surveyed)


@command.command()
@click.argument("table", type=options.ADDRESS)
@options.taking(places=Places, asked=PlaceDesigning, beside=MapReport, reading=Reading)
@options.as_json
@click.option("-o", "--output", type=options.FILE, metavar="CHANNEL", help="Write the channel to this file.")
def design(
    table: str,
    places: Places,
    asked: PlaceDesigning,
    beside: MapReport,
    reading: Reading,
    as_json: bool,
    output: Path | None,
) -> None:
    """The channel between areas that leaks least at a mean distance, or errs least at an ε per kilometre.

    \b
    leakgauge location design pickups.parquet --lat lat --lon lon --cell 500m \\
        --box 40.70,40.82,-74.02,-73.92 --max-distance 800m -o channel.json
    leakgauge location design pickups.parquet --lat lat --lon lon --cell 8x8 \\
        --box 40.70,40.82,-74.02,-73.92 --epsilon-per-km 2

    The channel goes into "location protect --mechanism channel.json". It is designed from this table's counts, so it
    must be kept private.
    """
    from leakgauge.artefacts import codec
    from leakgauge.artefacts.dossier import Dossier
    from leakgauge.jobs.location.design import design_places
    from leakgauge.telling.places import designed

    with _looking(table, beside, output, say("Designing for {table!s} …", table=Path(table).name), places.areas):
        found, channel = design_places(table, places, **asked.given(), **reading.given())
    if output is not None:
        codec.write(output, channel)
    dossier = Dossier(location_design=found)
    _show(found, dossier, beside, Output(as_json), lambda voice: designed(voice, output))


@command.command()
@click.argument("table", type=options.ADDRESS)
@click.argument("mechanisms", nargs=-1, metavar="[MECHANISM]...")
@options.taking(places=Places, asked=PlaceComparing, beside=MapReport, reading=Reading)
@options.output
def compare(
    table: str,
    mechanisms: tuple[str, ...],
    places: Places,
    asked: PlaceComparing,
    beside: MapReport,
    reading: Reading,
    to: Output,
) -> None:
    """Mechanisms for places at one mean distance, in metres, bits, ε per kilometre, identifiability and a tracker's
    error.

    MECHANISM is one with settings of its own, such as coarser-cells:level=2, or a channel file. Planar Laplace noise,
    the exponential mechanism, blocks of cells, dummies and the least leaking channel are always shown, each set to the
    distance or as close below it as it comes.

    \b
    leakgauge location compare pickups.parquet --lat lat --lon lon --cell 12x12 \\
        --box 40.70,40.82,-74.02,-73.92 --max-distance 1km
    leakgauge location compare german_towns.parquet --lat lat --lon lon \\
        --weight population --cell 50km --max-distance 60km --within 50km
    """
    from leakgauge.artefacts.dossier import Dossier
    from leakgauge.jobs.location.compare import compare_places
    from leakgauge.telling.places import compared

    task, files = (
        say("Comparing for {table!s} …", table=Path(table).name),
        (one for one in mechanisms if ":" not in one),
    )
    with _looking(table, beside, to.file, task, places.areas, *map(Path, files)):
        found = compare_places(table, places, mechanisms, **asked.given(), **reading.given())
    _show(found, Dossier(location_comparison=found), beside, to, compared)


@command.command()
@click.argument("table", type=options.ADDRESS)
@options.taking(places=Places, protection=PlaceProtection, asked=PlaceRelease)
@click.option(
    "-o", "--output", "folder", required=True, type=options.FILE, metavar="DIR", help="Folder of the results."
)
@click.option("--overwrite", is_flag=True, help="Replace existing files.")
@options.report_language
@options.taking(reading=Reading)
@options.as_json
def protect(
    table: str,
    places: Places,
    protection: PlaceProtection,
    asked: PlaceRelease,
    folder: Path,
    reading: Reading,
    as_json: bool,
    **writing: Any,
) -> None:
    """A table with protected places, its record, and a report with maps.

    \b
    leakgauge location protect pickups.parquet --lat lat --lon lon --cell 500m \\
        --epsilon-per-km 2 -o protected
    leakgauge location protect pickups.parquet --lat lat --lon lon --cell 500m \\
        --box 40.70,40.82,-74.02,-73.92 --max-distance 800m -o protected
    leakgauge location protect pings.csv --lat lat --lon lon --cell 1km \\
        --user person --reports-per-user 50 --epsilon-per-km 1 \\
        --ledger budget.ledger -o protected

    Instead of coordinates the release has a column cell (or area): the centre of the released cell, its latitude and
    longitude. Rows are written in a random order, since that of the table may reveal whose they are; those without a
    place on the map are left out. With --user the reports of a person add up, in the budget and in the report.

    released.parquet, release.public.json and centres.csv may be handed out; everything else is for its owner only.
    """
    from leakgauge.artefacts.dossier import Dossier
    from leakgauge.jobs.location.protect import protect_places
    from leakgauge.telling.places import released

    if folder.exists() and not folder.is_dir():
        require_not_read(folder, table)
    if asked.ledger is None and asked.simulate is None:
        say_uncounted()
    with progress_of(1, counted=asked.ledger is not None) as tell:
        found = protect_places(
            table,
            places,
            folder=folder,
            report_language=writing.pop("report_language") or current().code,
            progress=tell,
            **writing,
            **protection.given(),
            **asked.given(),
            **reading.given(),
        )
    deliver(found, Output(as_json), lambda voice: released(voice, folder), Dossier(location=found))


@command.command()
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

    with _looking(table, beside, to.file, say("Tracking {table!s} …", table=Path(table).name), places.areas):
        found = track_places(table, places, **protection.given(), **asked.given(), **reading.given())
    _show(found, Dossier(location_track=found), beside, to, tracked)
