"""``leakgauge reproduce``."""

from __future__ import annotations

from pathlib import Path

import click

from leakgauge import papers
from leakgauge.cli import options
from leakgauge.cli.language import current
from leakgauge.cli.options import FILE
from leakgauge.cli.output import Output, deliver, require_picture
from leakgauge.drafts import require_writable, write_whole
from leakgauge.errors import OptionError

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
    from leakgauge.telling.published import published

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
    deliver(stored, to, lambda voice: (block for paper in found for block in published(voice, paper)))
    if not stored.agrees:
        ctx.exit(1)
