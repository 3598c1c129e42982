"""Options of every location verb: which columns, which areas, and a report with a map."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from leakgauge.artefacts.request.part import Option, RequestPart
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

FORMS: Final = (".html", ".md")


class MapReport(RequestPart, frozen=True):
    """A report beside the answer."""

    report: Annotated[Path | None, Option("Write a report with the map too, .html or .md.", "FILE")] = None


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
    from leakgauge.telling.figures.map import metres as written

    said = written(length.value)
    if length.low is None or length.high is None or length.value < 1:
        return said
    number, unit = said.rsplit(" ", 1)
    per = 1000.0 if unit == "km" else 1.0
    return f"{number} {interval(length.low / per, length.high / per)} {unit}"


def or_dash(quantity: Quantity | None, write: Callable[[float], str]) -> str:
    """A number for a person; a dash where there is none."""
    return "–" if quantity is None else write(quantity.value)


def on_the_map(areas: AreasTold) -> str:
    """How the earth was cut, in one sentence."""
    from leakgauge.telling.figures.map import metres as written

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
