"""A survey of points: where they lie, how much that reveals, and where people are few."""

from __future__ import annotations

from typing import Unpack

from leakgauge.arguments import checked
from leakgauge.artefacts.location import Hour, LocationSurvey
from leakgauge.artefacts.request.places import Places
from leakgauge.errors import OptionError
from leakgauge.jobs.location.places import Mapped, table_name
from leakgauge.location.prior import Period, Visits
from leakgauge.location.shown import bits
from leakgauge.measures import shannon
from leakgauge.tables import open_table
from leakgauge.tables.reading import ReadingOptions

FEW = 10
"""People below which an area has few of them."""


@checked
def survey_places(
    table: object, places: Places, *, few: int = FEW, **reading: Unpack[ReadingOptions]
) -> LocationSurvey:
    """Where the points of a table lie.

    Args:
        few: areas of fewer people than this, or of fewer points where no column names people, are counted.

    Raises:
        OptionError: a number of people below 1, or areas that cannot be made.
        ColumnError: columns that do not hold places.

    Example:
        >>> import pyarrow as pa
        >>> pings = pa.table({"lat": [40.71, 40.72, 40.81], "lon": [-74.0, -74.0, -73.93]})
        >>> found = survey_places(pings, Places("lat", "lon", cell="2x2", box="40.70,40.82,-74.02,-73.92"))
        >>> found.points, found.occupied, round(found.entropy.value, 3)
        (3, 2, 0.918)
    """
    if few < 1:
        raise OptionError("Areas of fewer than {few} people are none; give a number of at least 1.", few=few)
    with open_table(table, **reading) as source:
        mapped = Mapped.of(places, source, None if places.time is None else Period.HOUR)
    found = mapped.visits
    # A weight, such as the population of a city, stands for people too.
    people = found.weights if found.users_by_area is None else found.users_by_area
    rare = (found.counts > 0) & (people < few)
    return LocationSurvey(
        table=table_name(table),
        areas=mapped.told,
        points=found.inside,
        outside=found.outside,
        missing=found.missing + found.impossible,
        occupied=int((found.counts > 0).sum()),
        users=found.users,
        few=few,
        areas_of_few=int(rare.sum()),
        points_of_few=int(found.counts[rare].sum()),
        entropy=mapped.entropy,
        best_guess=mapped.best_guess,
        hours=tuple(
            Hour(hour, int(rows), bits(shannon.entropy(found.prior_in(hour)))) for hour, rows in _by_hour(found) if rows
        ),
        notes=mapped.notes,
        map=mapped.map(),
    )


def _by_hour(found: Visits) -> list[tuple[int, float]]:
    """How much each hour weighs; points without a time are left out."""
    if found.by_group is None:
        return []
    weights = found.by_group.column_sums().tolist()
    return [(hour, weight) for hour, weight in zip(found.groups, weights, strict=True) if isinstance(hour, int)]
