"""Bytes of everything that is handed out: no value of the table is in them that the release itself does not show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from leakgauge.artefacts.request.places import Places
from leakgauge.jobs.location.protect import protect_places
from leakgauge.jobs.protect import protect
from leakgauge.release import ReleasePlan
from leakgauge.release.bound import bind
from leakgauge.release.drawing import Drawing
from leakgauge.release.ledger import Unlimited, open_ledger
from leakgauge.tables import open_table
from tests.grids import nightly

RARE = [f"rare-{at:02d}-illness" for at in range(12)]


def people() -> pa.Table:
    """Twelve illnesses that one person each has, a city, and a name that is known and not published."""
    draw = np.random.default_rng(1)
    illness = [*RARE, *draw.choice(["flu-illness", "cold-illness", "none-illness"], 388)]
    return pa.table(
        {
            "illness": illness,
            "city": draw.choice(["Oslo", "Bergen"], 400).tolist(),
            "team": [f"team-{at % 4}-name" for at in range(400)],
        }
    )


def texts_of(path: Path) -> Iterator[bytes]:
    """The bytes of a file, and of a Parquet file what its pages, statistics and metadata say when they are unpacked."""
    yield path.read_bytes()
    if path.suffix == ".parquet":
        file = pq.ParquetFile(path)
        # Dictionaries as they are stored, used or not.
        kept = pq.read_table(path, read_dictionary=file.schema_arrow.names)
        chunks = [chunk for column in kept.columns for chunk in column.chunks]
        yield repr([chunk.dictionary.to_pylist() for chunk in chunks if pa.types.is_dictionary(chunk.type)]).encode()
        yield repr((file.metadata.metadata, file.schema_arrow.metadata)).encode()
        for group in range(file.metadata.num_row_groups):
            for at in range(file.metadata.num_columns):
                yield repr(file.metadata.row_group(group).column(at).statistics).encode()


def unseen(table: pa.Table, release: Path, files: Iterable[Path]) -> set[str]:
    """The values of a table that the rows of its release do not show, and that are in these files all the same."""
    rows = pq.read_table(release) if release.suffix == ".parquet" else pyarrow.csv.read_csv(release)
    shown = {value for column in rows.columns for value in column.to_pylist()}
    hidden = {str(value) for column in table.columns for value in column.to_pylist()} - shown
    assert hidden, "everything is shown, so that nothing is tried"
    return {value for file in files for text in texts_of(file) for value in hidden if value.encode() in text}


HOW: dict[str, dict[str, Any]] = {
    "designed": {"max_distortion": 0.3, "background": ["team"]},
    "own letters": {"mechanism": "randomized-response:epsilon=4"},
    "bought": {"max_distortion": 0.3, "accounted": 1.0},
}


@pytest.mark.parametrize(
    ("how", "form"),
    [
        ("designed", "csv"),
        nightly("designed", "parquet"),
        ("own letters", "parquet"),
        nightly("bought", "csv"),
        ("bought", "parquet"),
    ],
)
def test_nothing_handed_out_names_a_value_that_no_row_shows(tmp_path: Path, how: str, form: str) -> None:
    table, place = people(), tmp_path / f"people.{form}"
    (pyarrow.csv.write_csv if form == "csv" else pq.write_table)(table, place)
    paid: dict[str, Any] = {"simulate": 3}
    if how == "bought":
        with open_ledger(tmp_path / "budget", create=True) as ledger:
            ledger.open_account("people", Unlimited())
        paid = {"ledger": str(tmp_path / "budget"), "dataset": "people"}
    done = protect(str(place), tmp_path / "out", secret="illness", public=["city"], **HOW[how], **paid)
    done.require()
    # Of a simulation nothing is shareable; the files are those of a release.
    names = done.job.shareable or (f"release.{form}", "release.public.json", "report-external.html", "kit")
    shareable = [done.folder / name for name in names]
    files = [file for one in shareable for file in (one.rglob("*") if one.is_dir() else [one])]
    assert len(files) >= 6
    assert unseen(table, done.folder / f"release.{form}", files) == set()


def test_nothing_handed_out_of_places_names_an_area_that_no_row_shows(tmp_path: Path) -> None:
    at = np.arange(60)
    # Ten people are alone in an area of their own; which of them are released as somewhere else is drawn.
    areas = [f"house-of-person-{one}" if one < 10 else f"district-{one % 3}" for one in at]
    where = np.where(at < 10, at / 1000, at % 3 / 100)
    table = pa.table({"lat": 47.0 + where, "lon": 8.0 + where, "area": areas})
    made = protect_places(
        table, Places("lat", "lon", area="area"), folder=tmp_path / "out", max_distance=200.0, simulate=2
    )
    release = tmp_path / "out" / made.released
    assert unseen(table, release, [release, tmp_path / "out" / "release.public.json"]) == set()


def test_what_a_worker_writes_names_no_letter_that_its_rows_do_not_show(tmp_path: Path) -> None:
    table, release = people(), tmp_path / "part.parquet"
    with open_table(table) as opened, release.open("wb") as file:
        # So little noise that each of the few rows shows its own value.
        plan = ReleasePlan({"illness": "randomized-response:epsilon=60,letters=this-table"})
        drawing = Drawing(bind(plan, opened))
        drawing.write(drawing.made(iter(table.select(["illness"]).slice(100, 50).to_batches())), file)
    assert unseen(table, release, [release]) == set()
