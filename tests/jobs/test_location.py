"""Maps of a town as they are drawn, and what of a protected table everybody may know."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from leakgauge.artefacts.request.places import Places
from leakgauge.distances.map_cells import MapCells
from leakgauge.errors import OptionError
from leakgauge.jobs.location.protect import protect_places
from leakgauge.jobs.location.track import track_places
from leakgauge.report import Report
from leakgauge.tables import open_table
from leakgauge.telling.blocks import Edition, text_of

TOWN = Places("lat", "lon", cell="4x4", box="47.0,47.04,8.0,8.06")


def pings(rows: int = 60) -> pa.Table:
    at = np.arange(rows)
    return pa.table({"lat": 47.0 + at * 7 % 40 / 1000, "lon": 8.0 + at * 11 % 60 / 1000, "kind": ["walk", "ride"] * 30})


def test_everybody_is_told_of_cells_and_of_no_number_of_the_table(tmp_path: Path) -> None:
    made = protect_places(
        pings(), TOWN, folder=tmp_path / "out", epsilon_per_km=1.0, public=["kind"], simulate=5, report_language="zh"
    )
    with open_table(str(tmp_path / "out" / made.released)) as released:
        assert released.rows == 60 and {column.name for column in released.columns()} >= {"cell", "kind"}
    (document,) = Report.of(tmp_path / "out").documents("en", Edition.EXTERNAL)
    places = next(section for section in document.sections if section.key == "places")
    said = " ".join(text_of(block.parts, document.language) for block in places.blocks if hasattr(block, "parts"))
    assert "16 cells" in said and "random order" in said
    known = {number.source for number in document.numbers()}
    assert not any("entropy" in one or "used" in one or "map" in one for one in known if one.startswith("location"))
    assert all(section.key not in ("places-maps", "places-survey") for section in document.sections)


def test_coordinates_cannot_be_public_beside_protected_places(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'lat' cannot be public"):
        protect_places(pings(), TOWN, folder=tmp_path / "out", epsilon_per_km=1.0, public=["lat"], simulate=1)
    assert not (tmp_path / "out").exists()


def test_rows_leave_in_another_order_than_they_came_in(tmp_path: Path) -> None:
    """In the order of the table a person's rows stand side by side, which is a trace."""
    people = pings().append_column("row", pa.array(range(60)))
    made = protect_places(people, TOWN, folder=tmp_path / "out", epsilon_per_km=40.0, public=["row"], simulate=5)
    with open_table(str(tmp_path / "out" / made.released)) as released:
        rows = pa.Table.from_batches(released.batches("row", "cell"))
    order = rows["row"].to_pylist()
    assert order != sorted(order) and sorted(order) == list(range(60))
    cells = MapCells(47.0, 47.04, 8.0, 8.06, 4, 4)
    true = cells.codes(people["lat"].to_numpy(), people["lon"].to_numpy())
    # At this ε a cell is all but certainly released as it is: rows keep their own places.
    kept = sum(cells.labels[true[row]] == cell for row, cell in zip(order, rows["cell"].to_pylist(), strict=True))
    assert kept > 55


def test_centres_that_follow_from_points_are_not_handed_out(tmp_path: Path) -> None:
    named = Places("lat", "lon", area="kind")
    made = protect_places(pings(), named, folder=tmp_path / "out", max_leakage=0.5, simulate=5)
    assert made.centres is None and not (tmp_path / "out" / "centres.csv").exists()


def test_what_a_map_follows_from_is_said_and_nothing_typed_is_ignored(tmp_path: Path) -> None:
    learnt = Places("lat", "lon", cell="4x4")
    made = protect_places(pings(), learnt, folder=tmp_path / "out", epsilon_per_km=1.0, simulate=5)
    assert any("follows from the points" in str(one) for one in made.warnings)
    with pytest.raises(OptionError, match="--user"):
        protect_places(pings(), TOWN, folder=tmp_path / "no", epsilon_per_km=1.0, reports_per_user=3, simulate=5)
    with pytest.raises(OptionError, match="name a folder"):
        protect_places(pings(), TOWN, folder="postgresql://here#t", epsilon_per_km=1.0, simulate=5)
    assert not (tmp_path / "no").exists()


def test_a_tracker_learns_nothing_from_people_who_do_not_move_alike() -> None:
    """Every step is somewhere else at random: other reports say nothing, and a tracker who learnt from them errs."""
    generator = np.random.default_rng(8)
    rows = 600
    table = pa.table(
        {
            "lat": generator.uniform(47.0, 47.04, rows),
            "lon": generator.uniform(8.0, 8.06, rows),
            "who": [f"p{at // 60}" for at in range(rows)],
            "when": [datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=at) for at in range(rows)],
        }
    )
    town = Places("lat", "lon", cell="4x4", box="47.0,47.04,8.0,8.06", user="who", time="when")
    found = track_places(table, town, epsilon_per_km=1.0)
    single, forward, both = (one.error.value for one in found.attackers)
    assert min(forward, both) > 0.95 * single
