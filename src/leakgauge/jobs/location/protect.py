"""A table whose places are protected: cells instead of coordinates, released by the machinery of every release."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final, Unpack

from msgspec import structs

from leakgauge.arguments import checked
from leakgauge.artefacts import Origin, Quantity, codec, dossier
from leakgauge.artefacts.location import LocationProtection, PlacedMechanism, Repeats
from leakgauge.artefacts.request.places import PlaceProtection, PlaceRelease, Places, ProtectPlacesOptions
from leakgauge.case.columns import released_columns
from leakgauge.distances import MapCells
from leakgauge.drafts import close_folder, write_whole
from leakgauge.errors import OptionError
from leakgauge.jobs.location.choice import Chosen, chosen, in_numbers, per_km
from leakgauge.jobs.location.places import Mapped, table_name
from leakgauge.location.areas import codes_of_labels, distances_apart, shares_of_areas
from leakgauge.location.placing import rows_with_areas
from leakgauge.location.shown import metres
from leakgauge.location.tracking.large_maps import infer_by_drawing
from leakgauge.probability import PriorOrigin
from leakgauge.probability.cells import Codes
from leakgauge.randomness import OperatingSystem, Simulated
from leakgauge.release import Release, ReleasePlan, release
from leakgauge.release.execution import Progress
from leakgauge.release.ledger import open_ledger
from leakgauge.release.ledger.account import default_dataset
from leakgauge.report import Report
from leakgauge.sentences import Sentence
from leakgauge.tables import open_table
from leakgauge.tables.reading import reading_of

if TYPE_CHECKING:
    import pyarrow as pa

RELEASED: Final = "released.parquet"
RECORD: Final = dossier.RECORD.name
PUBLIC_RECORD: Final = dossier.PUBLIC_RECORD.name
PROTECTION: Final = dossier.LOCATION.name
CHANNEL: Final = dossier.CHANNEL.name
MOST_AVERAGED, AVERAGED = 50, 200
"""Reports that are averaged at most: beyond, a place is found anyway; and places that are drawn for it."""
CENTRES: Final = "centres.csv"
"""Which place each released text stands for: everybody may have it."""


@checked
def protect_places(
    table: object,
    places: Places,
    *,
    folder: Path | str,
    overwrite: bool = False,
    report_language: str = "en",
    progress: Progress | None = None,
    **options: Unpack[ProtectPlacesOptions],
) -> LocationProtection:
    """A protected table with its record, the numbers of its mechanism, and a report with maps, in a folder.

    Options are the fields of ``PlaceProtection`` and ``PlaceRelease``, lengths in metres.

    Raises:
        OptionError: no mechanism or several, or columns that cannot be released.
        BudgetError: the ledger refuses; nothing was written.
    """
    place, asked = Path(folder), PlaceRelease.of_options(options)
    if "://" in str(folder):
        raise OptionError("The results are files, and {folder!s} is an address; name a folder.", folder=str(folder))
    if asked.reports_per_user != 1 and places.user is None:
        raise OptionError(
            "--reports-per-user {count} needs the column that names people; give it with --user.",
            count=asked.reports_per_user,
        )
    with open_table(table, **reading_of(options)) as source:
        mapped = Mapped.of(places, source)
        choice = chosen(mapped, places.column, PlaceProtection.of_options(options))
        rows, codes, reports = _derived(mapped, places, asked.public)
    place.mkdir(parents=True, exist_ok=True)
    close_folder(place)
    plan = ReleasePlan(
        {places.column: choice.planned},
        asked.public,
        unit=places.user,
        rows_per_unit=asked.reports_per_user if places.user is not None else 1,
        # A tracker is told that every report has noise of its own; kept noise would show when somebody stays.
        noise="fresh" if places.user is not None and asked.ledger is not None else None,
    )
    name = asked.dataset or (default_dataset(str(table)) if isinstance(table, str | Path) else "places")
    with open_table(rows) as cells, nullcontext() if asked.ledger is None else open_ledger(asked.ledger) as account:
        made = release(
            plan,
            cells,
            place / RELEASED,
            record=place / RECORD,
            public_record=place / PUBLIC_RECORD,
            ledger=account,
            dataset=name,
            overwrite=overwrite,
            randomness=OperatingSystem() if asked.simulate is None else Simulated(asked.simulate),
            progress=progress,
        )
    found = _told(mapped, choice, made, (codes, reports), table_name(table), places, asked)
    codec.write(place / PROTECTION, found)
    if found.centres is not None:
        write_whole(place / CENTRES, _centres(mapped, choice), shareable=True)
    if choice.file is not None:
        codec.write(place / CHANNEL, choice.file)
    report = Report.of(place)
    report.to_html(place / "report.html", report_language)
    report.to_markdown(place / "report.md", report_language)
    return found


def _derived(mapped: Mapped, places: Places, public: Sequence[str]) -> tuple[pa.Table, Codes, list[int] | None]:
    """The rows on the map with what is public and whose they are, the area of each, and how many rows each person has.

    They leave in a random order. In the table's, which is often by person and time, rows of one person would stand
    side by side: a trace.
    """
    import pyarrow.compute as pc

    column, kept = places.column, [name for name in (*public, places.user) if name is not None]
    if column in kept or places.lat in kept or places.lon in kept:
        raise OptionError(
            "Column {name!r} cannot be public next to protected places; leave it out, or rename it.",
            name=next(name for name in (column, places.lat, places.lon) if name in kept),
        )
    rows, codes = rows_with_areas(mapped.points, mapped.areas, column, kept)
    reports = None if places.user is None else pc.value_counts(rows[places.user]).field("counts").to_pylist()
    return rows, codes, reports


def _told(
    mapped: Mapped,
    choice: Chosen,
    made: Release,
    derived: tuple[Codes, list[int] | None],
    table: str,
    places: Places,
    asked: PlaceRelease,
) -> LocationProtection:
    (codes, reports), numbers = derived, in_numbers(mapped, choice, asked.within)
    released = _released_codes(mapped, made, places.column)
    measured, values = None, {}
    if released is not None:
        measured = metres(float(distances_apart(mapped.areas.points, codes, released).mean()))
        values["released"] = shares_of_areas(released, len(mapped.areas.places))
    # Of releases that are no areas: what the mechanism promises alone.
    promised = PlacedMechanism(mechanism=choice.name, role=choice.role, epsilon=choice.promised)
    used = promised if numbers is None else numbers[0]
    if numbers is not None and numbers[1] is not None:
        values["error"] = numbers[1].errors
    if used.distance is None:
        used = structs.replace(used, distance=measured)
    epsilon = used.epsilon
    person = None
    if epsilon is not None:
        person = Quantity(epsilon.value * asked.reports_per_user, epsilon.unit, origin=epsilon.origin)
    repeats = None if reports is None else _repeats(mapped, choice, reports, epsilon)
    return LocationProtection(
        table=table,
        areas=mapped.told,
        rows=made.rows,
        left_out=mapped.visits.n - made.rows,
        released=RELEASED,
        record=RECORD,
        channel=None if choice.file is None else CHANNEL,
        # The centre of an area that a column names is the mean of its points, and may be one person's place.
        centres=CENTRES if places.area is None else None,
        private=made.record.private,
        used=used,
        measured_distance=measured,
        entropy=mapped.entropy,
        best_guess=mapped.best_guess,
        radius=metres(asked.within, Origin.DECLARED),
        epsilon_per_person=person,
        repeats=repeats,
        warnings=tuple(_warnings(mapped, places, choice, repeats, asked.public)),
        prior=PriorOrigin.THIS_TABLE,
        map=mapped.map(**values),
    )


def _released_codes(mapped: Mapped, made: Release, column: str) -> Codes | None:
    """The areas in the written release, row by row with the table; None where it holds anything else, such as sets."""
    with open_table(made.output) as table:
        codes = codes_of_labels(mapped.areas.labels, released_columns(table, [column], made.order)[column])
    return codes if len(codes) and (codes >= 0).all() else None


def _repeats(mapped: Mapped, choice: Chosen, counts: list[int], epsilon: Quantity | None) -> Repeats:
    most = max(counts)
    return Repeats(
        people=len(counts),
        most=most,
        typical=float(median(counts)),
        epsilon=per_km(float("inf") if epsilon is None else epsilon.value * most),
        same_place=_averaged(mapped, choice, most),
    )


def _averaged(mapped: Mapped, choice: Chosen, reports: int) -> Quantity | None:
    """How far off somebody is who sees so many fresh reports of one place; None where releases are no areas."""
    law, letters = choice.mechanism.law, choice.mechanism.letters
    if law is None or not choice.is_placed or letters != mapped.areas.labels:
        return None
    found = infer_by_drawing(
        mapped.prior, law, mapped.areas.points, reports=min(reports, MOST_AVERAGED), draws=AVERAGED
    )
    # To the millimetre: a mean of posteriors that are all but certain is rounding below that.
    error = found.error
    low, value, high = (round(one, 3) for one in (error.low, error.value, error.high))
    return Quantity.estimated(replace(error, low=low, value=value, high=high), "m")


def _warnings(
    mapped: Mapped, places: Places, choice: Chosen, repeats: Repeats | None, public: Sequence[str]
) -> Iterator[Sentence]:
    yield from mapped.notes
    if not mapped.told.declared:
        yield Sentence(
            "Where the map ends follows from the points, and the claims hold for a map that is known beforehand; "
            "declare its edges with --box, or areas with --areas."
        )
    if places.user is None:
        yield Sentence(
            "Each row is counted as somebody else's; where people report repeatedly, name their column (--user)."
        )
    if repeats is not None and repeats.most > 1:
        yield Sentence(
            "People report repeatedly, up to {most:,} times, with fresh noise each time: whoever knows which rows "
            "are one person's and averages the reports from one place finds it more exactly than one report "
            "reveals, and movement from report to report reveals more; see location track.",
            most=repeats.most,
        )
    if public:
        yield Sentence(
            "{columns} leave as they are, and may reveal whose a row is and which rows are one person's; leakgauge "
            "survey looks for that.",
            columns=tuple(public),
        )
    if choice.mechanism.claims[0].level == float("inf"):
        yield Sentence("A released place rules other areas out for certain, so that no ε holds for this mechanism.")


def _centres(mapped: Mapped, choice: Chosen) -> str:
    """The place of each text that may be released: of blocks their own, which are places as text, else of areas."""
    places = dict(zip(mapped.areas.labels, mapped.areas.places.tolist(), strict=True))
    if isinstance(mapped.areas, MapCells) and choice.members is not None:
        places = {str(text): [float(part) for part in str(text).split()] for text in choice.mechanism.released or ()}
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(["label", "latitude", "longitude"])
    for label, (latitude, longitude) in places.items():
        lines.writerow([label, f"{latitude:.7g}", f"{longitude:.8g}"])
    return text.getvalue()
