"""Options of every location verb: which columns, which areas, and a report with a map."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import reduce, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import click

from leakgauge.cli import options
from leakgauge.cli.language import current, say
from leakgauge.cli.output import Parts, alert, grid
from leakgauge.drafts import require_writable, write_whole
from leakgauge.errors import OptionError
from leakgauge.rounding import interval

if TYPE_CHECKING:
    from leakgauge.artefacts import Quantity
    from leakgauge.artefacts.dossier import Dossier
    from leakgauge.artefacts.location import AreasTold
    from leakgauge.sentences import Sentence

Command = TypeVar("Command", bound=Callable[..., None])
PLACES: Final = ("lat", "lon", "cell", "box", "hexagons", "areas", "area", "time", "user", "weight", "smoothing")
FORMS: Final = (".html", ".md")

_TAKEN = (
    click.option("--lat", required=True, metavar="COLUMN", help="Latitudes, in degrees."),
    click.option("--lon", required=True, metavar="COLUMN", help="Longitudes, in degrees."),
    click.option("--cell", metavar="SIZE", help="Cells of a size (500m, 2km), or rows by columns (12x12)."),
    click.option("--box", metavar="S,N,W,E", help="Edges of the map in degrees; by default around the points."),
    click.option("--hexagons", type=int, metavar="RES", help="Hexagons of this resolution of H3, from 0 to 15."),
    click.option(
        "--areas",
        type=options.FILE,
        metavar="FILE",
        help="Polygons (GeoJSON), or names and centres (CSV name,lat,lon).",
    ),
    click.option("--area", metavar="COLUMN", help="Areas that this column names."),
    click.option("--time", metavar="COLUMN", help="Times."),
    click.option("--user", metavar="COLUMN", help="Whose point it is."),
    click.option("--weight", metavar="COLUMN", help="How much a row counts, such as a population."),
    click.option(
        "--smoothing",
        type=float,
        default=0.0,
        show_default=True,
        metavar="W",
        help="Added to the weight of each area, so that none counts as impossible.",
    ),
)


def places(command: Command) -> Command:
    """Options of columns and areas; the command gets them in one argument ``places``."""

    @wraps(command)
    def reads(**given: Any) -> None:
        from leakgauge.jobs.location.places import Places

        named = {name: given.pop(name) for name in PLACES}
        command(**given, places=Places(**named))

    return cast("Command", reduce(lambda decorated, option: option(decorated), reversed(_TAKEN), reads))


def protection(command: Command) -> Command:
    """The options that choose the mechanism; exactly one is given."""
    taken = (
        click.option("--epsilon-per-km", type=float, metavar="E", help="Planar Laplace noise of this metric privacy."),
        click.option("--max-distance", metavar="LENGTH", help="The least leaking channel at this mean distance."),
        click.option("--max-leakage", type=float, metavar="BITS", help="The channel that errs least at these bits."),
        click.option(
            "--mechanism",
            metavar="MECHANISM",
            help="planar-laplace:epsilon=2, coarser-cells:level=2, dummies:count=4, or a channel file.",
        ),
    )
    return reduce(lambda decorated, option: option(decorated), reversed(taken), command)


report = click.option(
    "--report", type=options.FILE, metavar="FILE", help="Write a report with the map too, .html or .md."
)
within = click.option(
    "--within", default="500m", show_default=True, metavar="LENGTH", help="How near a tracker's guess counts as near."
)


def require_report(path: Path | None, *read: Path | None) -> None:
    """Refuse a report that cannot be written, before anything is computed."""
    if path is not None and path.suffix.lower() not in FORMS:
        raise OptionError("{path} is not a name for a report; end it in .html or .md.", path=path)
    require_writable(path, *read)


def write_report(path: Path | None, dossier: Dossier) -> None:
    """Write the report on a result in the current language, where it is asked for."""
    if path is None:
        return
    from leakgauge.report.html import to_html
    from leakgauge.report.markdown import to_markdown
    from leakgauge.report.places import document_on

    document = document_on(dossier, current())
    write_whole(path, to_html([document]) if path.suffix.lower() == ".html" else to_markdown(document))


def metres(length: Quantity) -> str:
    """A length for a person, with its interval where it has one."""
    from leakgauge.report.figures.map import metres as written

    said = written(length.value)
    if length.low is None or length.high is None or length.value < 1:
        return said
    number, unit = said.rsplit(" ", 1)
    per = 1000.0 if unit == "km" else 1.0
    return f"{number} {interval(length.low / per, length.high / per)} {unit}"


def or_dash(quantity: Quantity | None, write: Callable[[float], str]) -> str:
    """A number for a person; a dash where there is none."""
    return "–" if quantity is None else write(quantity.value)


def length(text: str | None, option: str) -> float | None:
    """The metres that an option gives; None where it is not given."""
    from leakgauge.location.cell_size import parse_length

    return None if text is None else parse_length(text, option)


def on_the_map(areas: AreasTold) -> str:
    """How the earth was cut, in one sentence."""
    from leakgauge.report.figures.map import metres as written

    if areas.rows is None or areas.columns is None or areas.height is None or areas.width is None:
        names = {"hexagons": say("hexagons"), "polygons": say("polygons"), "named areas": say("named areas")}
        return say("The map has {count:,} {kind!s}.", count=areas.count, kind=names.get(areas.kind, areas.kind))
    return say(
        "The map has {rows:,} × {columns:,} cells of {height!s} (south to north) by {width!s} (west to east). "
        "Distances are between centres of cells; a point is up to {reach!s} from its own.",
        rows=areas.rows,
        columns=areas.columns,
        height=written(areas.height.value),
        width=written(areas.width.value),
        reach=written(math.hypot(areas.height.value, areas.width.value) / 2),
    )


def facts(rows: Mapping[str, str], title: str) -> Any:
    """Two columns: what, and how much."""
    table = grid(title=title)
    table.add_column()
    table.add_column()
    for name, value in rows.items():
        table.add_row(name, value)
    return table


def warned(sentences: tuple[Sentence, ...]) -> Parts:
    """Sentences that must not be overlooked."""
    from leakgauge.cli.language import retell

    return [alert(retell(one)) for one in sentences]
