"""The page on places: a form without a script, and the report on what it asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Final

from leakgauge.artefacts.dossier import Dossier
from leakgauge.artefacts.request.places import Places
from leakgauge.jobs.location.compare import compare_places
from leakgauge.jobs.location.survey import survey_places
from leakgauge.languages import Language, message
from leakgauge.location.box import parse_length
from leakgauge.report.html import to_html
from leakgauge.report.report import document_on
from leakgauge.web.workspace import OpenTable

_LONGEST: Final = 200
_SAID: Final = (
    message("Places"),
    message("Places on a map"),
    message("Back to the tables"),
    message("No table is open; open one first."),
    message("Table"),
    message("Choose"),
    message("Latitude"),
    message("Longitude"),
    message("Cells: a size such as 500m, or rows by columns such as 12x12"),
    message("Edges of the map: south, north, west and east in degrees; empty for the edges of the points"),
    message("Whose points they are"),
    message("Times"),
    message("Compare mechanisms at this mean distance, such as 800m; empty for a survey"),
    message("Show the map"),
)
"""What the template of the form says."""
_GUESSED: Final = {"lat": ("lat", "latitude", "y"), "lon": ("lon", "lng", "long", "longitude", "x")}


@dataclass(frozen=True)
class PlacesQuestion:
    """What the form asks; texts as they are typed, empty where nothing is."""

    table: str = ""
    lat: str = ""
    lon: str = ""
    cell: str = ""
    box: str = ""
    user: str = ""
    time: str = ""
    distance: str = ""
    within: str = ""

    @classmethod
    def of(cls, given: Mapping[str, str]) -> PlacesQuestion:
        """The question in the query of an address; what is too long to be meant is left out."""
        return cls(**{one.name: given.get(one.name, "").strip()[:_LONGEST] for one in fields(cls)})

    @property
    def is_complete(self) -> bool:
        """Whether it can be answered."""
        return bool(self.table and self.lat and self.lon and self.cell)

    def suggested(self, table: OpenTable | None) -> PlacesQuestion:
        """With what the names of the columns suggest, where nothing is chosen yet."""
        if table is None:
            return self
        names = [name for name, _ in table.columns]
        chosen = {
            field: next((name for name in names if name.casefold() in known), names[0])
            for field, known in _GUESSED.items()
            if not getattr(self, field)
        }
        return replace(self, cell=self.cell or "1km", table=table.key, **chosen)


def places_report(table: OpenTable, asked: PlacesQuestion, language: Language) -> str:
    """The report as HTML: a survey, or with a distance the mechanisms on one scale.

    Raises:
        LeakgaugeError: as of the jobs.
    """
    where = Places(
        asked.lat, asked.lon, cell=asked.cell, box=asked.box or None, user=asked.user or None, time=asked.time or None
    )
    if asked.distance:
        near = parse_length(asked.within, "--within") if asked.within else 500.0
        distance = parse_length(asked.distance, "--max-distance")
        compared = compare_places(table.source, where, max_distance=distance, within=near)
        found = Dossier(location_comparison=compared)
    else:
        found = Dossier(location_survey=survey_places(table.source, where))
    return to_html([document_on(found, language)])
