"""``leakgauge reproduce``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.table import Table
from rich.text import Text

from leakgauge import papers
from leakgauge.cli import options
from leakgauge.cli.language import current, listed, retell, say
from leakgauge.cli.options import FILE
from leakgauge.cli.output import Output, Parts, deliver, require_picture
from leakgauge.drafts import require_writable, write_whole
from leakgauge.errors import OptionError

if TYPE_CHECKING:
    from leakgauge.artefacts.reproduction import PrintedTable, Reproduction

DRAWN = ("rate-distortion",)
"""Papers that draw curves without printing their numbers."""


@click.command()
@click.argument("name", type=click.Choice(list(papers.PAPERS)), metavar="NAME", required=False)
@click.option("--curves", type=FILE, metavar="FILE", help="Draw the curves of the paper's figures to this .svg file.")
@options.output
@click.pass_context
def command(ctx: click.Context, name: str | None, curves: Path | None, to: Output) -> None:
    """Print a paper's numbers beside ours, and its errors; without NAME, for every paper. Exit 1 if one differs."""
    from leakgauge.artefacts.codec import encode
    from leakgauge.artefacts.reproduction import Reproductions

    require_writable(to.file)
    require_picture(curves, to.file)
    if curves is not None and name not in DRAWN:
        raise OptionError("--curves draws the figures of {drawn!s} alone; name that paper.", drawn=", ".join(DRAWN))
    found = tuple(papers.reproduce(paper) for paper in ([name] if name else papers.PAPERS))
    stored = Reproductions(all(paper.agrees for paper in found), found)
    if curves is not None:
        from leakgauge.telling.figures.drawn_curves import drawn_curves_figure

        drawn = encode(stored)["reproductions"][0]
        write_whole(
            curves, drawn_curves_figure(drawn["name"], drawn["curves"], current()).to_svg() + "\n", shareable=False
        )
    deliver(stored, to, lambda: [part for paper in found for part in render(paper)])
    if not stored.agrees:
        ctx.exit(1)


def render(found: Reproduction) -> Parts:
    """The reproduction as a table for a person."""
    grid = Table(say("place"), say("quantity"), say("published"), say("ours"), "", say("note"))
    for line in found.lines:
        grid.add_row(
            retell(line.where),
            retell(line.what),
            f"{line.published:g} {retell(line.ours.unit)}",
            f"{line.ours.value:.6g} {retell(line.ours.unit)}",
            retell(line.verdict),
            "" if line.note is None else retell(line.note),
        )
    orders = [
        say("confirmed: {order}", order=one.order) if one.holds else say("FAILS: {order}", order=one.order)
        for one in found.orders
    ]
    slips = [f"- {retell(slip)}" for slip in found.errata]
    curves = [
        say(
            "{what}: {number} points ({axes}) in --json",
            what=curve.what,
            number=len(curve.points),
            axes=listed(map(retell, curve.axes)),
        )
        for curve in found.curves
    ]
    said = "\n".join([*orders, "", say("Errors in the paper (docs/errata.md):"), *slips])
    return [retell(found.source), *map(_render_grid, found.grids), grid, *(["\n".join(curves)] if curves else []), said]


def _render_grid(grid: PrintedTable) -> Table:
    """The published cells; ours stands below where it differs, with the verdict in the title."""
    verdicts = grid.verdicts()
    same, count = sum(row.count("agrees") for row in verdicts), sum(map(len, verdicts))
    title = say("{what}: ours agrees in {same} of {all} cells", what=grid.what, same=same, all=count)
    title += say("; where the paper is wrong, ours stands below") if grid.slips else ""
    title += "" if grid.agrees else say("; DIFFERS")
    shown = Table("", *(retell(name) for name in grid.columns), title=title, title_justify="left", padding=(0, 1, 0, 0))
    for label, *cells in zip(grid.rows, grid.published, grid.ours, verdicts, strict=True):
        shown.add_row(retell(label), *map(_cell, *cells))
    return shown


def _cell(published: float, ours: float, verdict: str) -> Text:
    return Text(f"{published:g}" if verdict == "agrees" else f"{published:g}\n{ours:.4g} {retell(verdict)}")
