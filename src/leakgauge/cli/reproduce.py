"""``leakgauge reproduce``."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leakgauge.cli.output import deliver, output_options
from leakgauge.cli.speaking import retell, say
from leakgauge.drafts import require_writable

if TYPE_CHECKING:
    from rich.console import RenderableType

    from leakgauge.jobs.reproduction import Grid, Reproduction

NAMES = {
    "influence-diagram": "influence_diagram_paper",
    "information-models": "information_models",
    "notions": "notions_paper",
    "rate-distortion": "rate_distortion_paper",
}


@click.command()
@click.argument("name", type=click.Choice(list(NAMES)), metavar="NAME", required=False)
@output_options
@click.pass_context
def command(ctx: click.Context, name: str | None, as_json: bool, output: Path | None) -> None:
    """Print a paper's numbers beside ours, and its slips; without NAME, of every paper. Exit 1 if one differs."""
    require_writable(output)
    chosen = [name] if name else list(NAMES)
    found: list[Reproduction] = [import_module(f"leakgauge.jobs.{NAMES[one]}").reproduce() for one in chosen]
    fields: dict[str, Any] = {
        "schema": "leakgauge/reproduction/1",
        "agrees": all(one.agrees for one in found),
        "reproductions": [as_fields(one) for one in found],
    }
    deliver(fields, as_json, output, lambda: [part for one in found for part in render(one)])
    if not fields["agrees"]:
        ctx.exit(1)


def as_fields(found: Reproduction) -> dict[str, Any]:
    """The reproduction as the fields of its JSON."""
    return {
        "name": found.name,
        "source": found.source,
        "agrees": found.agrees,
        "lines": [
            {
                "where": line.where,
                "what": line.what,
                "published": line.published,
                "ours": {"value": line.ours, "unit": line.unit, "low": None, "high": None, "confidence": None},
                "agrees": line.agrees,
                "slip": line.slip,
                "note": line.note,
            }
            for line in found.lines
        ],
        "orders": [{"order": order, "holds": holds} for order, holds in found.orders],
        "errata": list(found.errata),
        "grids": [
            {
                "what": grid.what,
                "rows": list(grid.rows),
                "columns": list(grid.columns),
                "published": [list(row) for row in grid.published],
                "ours": [list(row) for row in grid.ours],
                "agrees": grid.agrees,
                "slips": [{"row": row, "column": column} for row, column in grid.slips],
            }
            for grid in found.grids
        ],
        "curves": [
            {"what": curve.what, "axes": list(curve.axes), "points": [list(point) for point in curve.points]}
            for curve in found.curves
        ],
    }


def render(found: Reproduction) -> list[RenderableType]:
    """The reproduction as a table for a person."""
    from rich.table import Table
    from rich.text import Text

    grid = Table(say("place"), say("quantity"), say("published"), say("ours"), "", say("note"))
    for line in found.lines:
        grid.add_row(
            retell(line.where),
            retell(line.what),
            f"{line.published:g} {retell(line.unit)}",
            f"{line.ours:.6g} {retell(line.unit)}",
            retell(line.verdict),
            retell(line.note),
        )
    orders = [
        say("confirmed: {order}", order=order) if holds else say("FAILS: {order}", order=order)
        for order, holds in found.orders
    ]
    slips = [f"- {retell(slip)}" for slip in found.errata]
    matrices = [_render_grid(one) for one in found.grids]
    curves = [
        say(
            "{what}: {number} points ({axes}) in --json",
            what=retell(curve.what),
            number=len(curve.points),
            axes=say(", ").join(map(retell, curve.axes)),
        )
        for curve in found.curves
    ]
    return [
        Text(retell(found.source)),
        *matrices,
        grid,
        *([Text("\n".join(curves))] if curves else []),
        Text("\n".join([*orders, "", say("Slips of the paper (docs/errata.md):"), *slips])),
    ]


def _render_grid(grid: Grid) -> RenderableType:
    """The published cells; ours stands below where it differs, with the verdict in the title."""
    from rich.table import Table

    lines = grid.lines
    same = sum(line.agrees and not line.slip for line in lines)
    title = say("{what}: ours agrees in {same} of {all} cells", what=grid.what, same=same, all=len(lines))
    title += say("; slips have ours below") if grid.slips else ""
    title += "" if grid.agrees else say("; DIFFERS")
    shown = Table("", *(retell(name) for name in grid.columns), title=title, title_justify="left", padding=(0, 1, 0, 0))
    width = len(grid.columns)
    for at, row in enumerate(grid.rows):
        cells = lines[at * width : (at + 1) * width]
        shown.add_row(retell(row), *(_cell(line.published, line.ours, line.verdict) for line in cells))
    return shown


def _cell(published: float, ours: float, verdict: str) -> str:
    return f"{published:g}" if verdict == "agrees" else f"{published:g}\n{ours:.4g} {retell(verdict)}"
