"""``leakgauge location``: a group of its own, because its answers are metres and maps."""

from __future__ import annotations

import click

from leakgauge.cli.location.compare import compare
from leakgauge.cli.location.design import design
from leakgauge.cli.location.protect import protect
from leakgauge.cli.location.survey import survey
from leakgauge.cli.location.track import track


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


for verb in (survey, design, compare, protect, track):
    command.add_command(verb)
