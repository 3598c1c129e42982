"""Hexagons, polygons and areas with names: each point lies in one of them at most, borders and holes included."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leakgauge.distances import GreatCircle, MapCells
from leakgauge.errors import ColumnError, FileError, LeakgaugeError, OptionError, TableError
from leakgauge.location.areas import Areas, distances_between
from leakgauge.location.box import Box
from leakgauge.location.hexagons import Hexagons, hexagons_of
from leakgauge.location.named_areas import areas_of_column, read_named_areas
from leakgauge.location.polygons import Polygons, read_polygons
from leakgauge.location.prior import visits
from tests.location.pings import pings

CITY = Box(40.70, 40.82, -74.02, -73.92)
FIJI = Box(-18.5, -16.5, 178.0, -179.0)
Ring = list[tuple[float, float]]


def rectangle(south: float, north: float, west: float, east: float) -> Ring:
    return [(west, south), (east, south), (east, north), (west, north), (west, south)]


def geojson(path: Path, areas: Mapping[str, object], kind: str = "Polygon") -> Path:
    """A file of areas, each the coordinates of its polygon."""
    features = [
        {"type": "Feature", "properties": {"name": name}, "geometry": {"type": kind, "coordinates": coordinates}}
        for name, coordinates in areas.items()
    ]
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def quarters(tmp_path_factory: pytest.TempPathFactory) -> Polygons:
    """Four squares that touch; the south-eastern one has a lake, which is of none."""
    lake = rectangle(0.4, 0.6, 1.4, 1.6)
    place = tmp_path_factory.mktemp("quarters") / "quarters.geojson"
    return read_polygons(
        geojson(
            place,
            {
                "se": [rectangle(0, 1, 1, 2), lake],
                "sw": [rectangle(0, 1, 0, 1)],
                "nw": [rectangle(1, 2, 0, 1)],
                "ne": [rectangle(1, 2, 1, 2)],
            },
        )
    )


@given(st.lists(st.tuples(st.sampled_from([-0.5, 0, 0.5, 1, 1.5, 2, 2.5]), st.floats(-0.5, 2.5)), min_size=1))
def test_a_point_lies_in_the_first_area_by_name_that_holds_it(
    quarters: Polygons, places: list[tuple[float, float]]
) -> None:
    latitudes, longitudes = zip(*places, strict=True)
    holds: dict[str, Callable[[float, float], bool]] = {
        "ne": lambda up, along: 1 <= up <= 2 and 1 <= along <= 2,
        "nw": lambda up, along: 1 <= up <= 2 and 0 <= along <= 1,
        "se": lambda up, along: 0 <= up <= 1 <= along <= 2 and not (0.4 < up < 0.6 and 1.4 < along < 1.6),
        "sw": lambda up, along: 0 <= up <= 1 and 0 <= along <= 1,
    }
    expected = [next((at for at, own in enumerate(holds.values()) if own(*place)), -1) for place in places]
    assert quarters.labels == tuple(holds)
    assert quarters.codes(latitudes, longitudes).tolist() == expected
    assert quarters.codes([np.nan], [0.5]).tolist() == [-1]


def test_centres_borders_and_points_outside(quarters: Polygons) -> None:
    assert quarters.places.tolist() == [[1.5, 1.5], [1.5, 0.5], [0.5, 1.5], [0.5, 0.5]]
    assert [len(rings) for rings in quarters.outlines] == [1, 1, 2, 1]
    with pings({"lat": [0.5, 0.5, 9.0], "lon": [0.5, 1.5, 9.0]}) as points:
        found = visits(points, quarters)
    assert (found.counts.tolist(), found.outside) == ([0, 0, 0, 1], 2)


def test_areas_of_several_pieces_and_over_the_antimeridian(tmp_path: Path) -> None:
    """Cut at the antimeridian as the standard asks, beyond 180 degrees, or jumping back: the same area."""
    cut = [[rectangle(-18, -17, 179, 180)], [rectangle(-18, -17, -180, -179)]]
    jumping = [[rectangle(-18, -17, 179, -179)]]
    beyond = [[rectangle(-18, -17, 179, 181)]]
    for coordinates in (cut, jumping, beyond):
        others = {"west": [[rectangle(-18, -17, 178, 179)]], "east": [[rectangle(-18, -17, -179, -178)]]}
        areas = read_polygons(geojson(tmp_path / "a.geojson", {"middle": coordinates, **others}, "MultiPolygon"))
        assert areas.codes([-17.5] * 6, [178.5, 179.5, 180.0, -180.0, -179.5, -178.5]).tolist() == [2, 1, 1, 1, 1, 0]
        assert abs(abs(areas.places[1, 1]) - 180) < 1e-9
        east, north = areas.points.T
        assert east[0] > east[1] > east[2]
        assert np.ptp(north) < 1
        assert np.ptp(np.concatenate([ring for rings in areas.outlines for ring in rings])[:, 1]) == pytest.approx(4)


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ("not json", "not a GeoJSON file"),
        ('{"type": "Topology"}', "not a GeoJSON file"),
        ('{"type": "FeatureCollection", "features": []}', "not a GeoJSON file"),
        ('{"type": "FeatureCollection", "features": [7]}', "not a GeoJSON file"),
        ('{"type": "Feature", "id": "a", "geometry": {"type": "Point", "coordinates": [1, 2]}}', "holds 'Point'"),
        ('{"type": "Feature", "id": "a", "geometry": null}', "holds 'None'"),
        ('{"type": "Feature", "id": "a", "geometry": {"type": "Polygon", "coordinates": [[1, 2]]}}', "four corners"),
        ('{"type": "Feature", "properties": {"x": 1, "y": 2}, "geometry": null}', "'name' or 'id' in each"),
    ],
)
def test_what_is_no_geojson_is_refused(document: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "a.geojson").write_text(document, encoding="utf-8")
    with pytest.raises(FileError, match=words):
        read_polygons(tmp_path / "a.geojson")


def test_polygons_that_cannot_be_areas_are_refused(tmp_path: Path) -> None:
    overlapping = {"left": [rectangle(0, 1, 0, 1)], "right": [rectangle(0, 1, 0.9, 2)]}
    with pytest.raises(FileError, match="overlap, 'left' and 'right'"):
        read_polygons(geojson(tmp_path / "a.geojson", overlapping))
    hairline = {"left": [rectangle(0, 1, 0, 1)], "right": [rectangle(0, 1, 0.99999, 2)]}
    assert read_polygons(geojson(tmp_path / "a.geojson", hairline)).codes([0.5], [0.999995]).tolist() == [0]
    with pytest.raises(FileError, match="not in a projection"):
        read_polygons(geojson(tmp_path / "a.geojson", {"left": [rectangle(4e6, 5e6, 1e5, 2e5)]}))
    with pytest.raises(FileError, match="'line' of no size"):
        read_polygons(geojson(tmp_path / "a.geojson", {"line": [[(0, 0), (1, 1), (0, 0), (0, 0)]]}))
    with pytest.raises(FileError, match="cannot be read: No such file"):
        read_polygons(tmp_path / "nowhere.geojson")


@pytest.mark.parametrize(("box", "resolution"), [(CITY, 8), (FIJI, 5)])
def test_hexagons_cover_their_box(box: Box, resolution: int) -> None:
    areas = Hexagons(box, resolution)
    rng = np.random.default_rng(2)
    latitudes = rng.uniform(box.south, box.north, 2000)
    longitudes = (box.west + rng.uniform(0, box.width, 2000) + 180) % 360 - 180
    assert np.all(areas.codes(latitudes, longitudes) >= 0)
    assert areas.codes(*areas.places.T).tolist() == list(range(len(areas.labels)))
    assert areas.codes([80.0, np.nan], [0.0, 0.0]).tolist() == [-1, -1]
    true = GreatCircle().between(areas.labels, areas.labels) * 1000
    here = distances_between(areas)
    apart = true > 0
    assert np.max(np.abs(here[apart] / true[apart] - 1)) < areas.stretch + 0.01
    rings = [ring for rings in areas.outlines for ring in rings]
    assert len(rings) == len(areas.labels)
    assert max(np.ptp(np.concatenate(rings), axis=0)) < 4


def test_hexagons_around_points_hold_them() -> None:
    columns = {"lat": [40.71, 40.80, 40.75], "lon": [-74.0, -73.93, -73.99]}
    with pings(columns) as points:
        assert visits(points, hexagons_of(points, 7)).inside == 3


@pytest.mark.parametrize(
    ("box", "resolution", "words"),
    [
        (CITY, 16, "do not exist"),
        (CITY, 14, "more than 1,000,000"),
        (Box(-40, 40, -100, 100), 1, "too wide"),
    ],
)
def test_hexagons_that_cannot_be_are_refused(box: Box, resolution: int, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        Hexagons(box, resolution)


def test_areas_of_a_column_have_the_mean_of_their_points_as_centre() -> None:
    columns = {
        "lat": [47.001, 47.006, 46.0, None, -17.0, -17.0],
        "lon": [8.001, 8.0, 7.0, 7.0, 179.9, -179.7],
        "town": ["B", "B", "A", "A", "Isle", "Isle"],
    }
    with pings(columns) as points:
        towns = areas_of_column(points, "town")
        found = visits(points, towns)
        with pytest.raises(ColumnError, match="did you mean 'town'"):
            areas_of_column(points, "twon")
    assert towns.labels == ("A", "B", "Isle")
    assert towns.places == pytest.approx(np.array([[46.0, 7.0], [47.0035, 8.0005], [-17.0, -179.9]]))
    # The name of a row is believed, and a place is not needed for it.
    assert (found.counts.tolist(), found.outside, found.missing) == ([2, 2, 2], 0, 0)
    assert towns.codes([46.1, -17.5, 95.0], [7.1, 178.0, 0.0]).tolist() == [0, 2, -1]
    with pings({"lat": [None, 1.0], "lon": [2.0, 2.0], "town": ["A", None]}) as points, pytest.raises(TableError):
        areas_of_column(points, "town")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name,lat\nA,1\n", "column 'lon'"),
        ("name,lat,lon\n", "column 'name'"),
        ("name,lat,lon\nA,1,2\nA,2,3\n", "2 areas called 'A'"),
        ("name,lat,lon\nA,100,2\n", "place on the earth"),
        ("name,lat,lon\nA,x,2\n", "place on the earth"),
        ("name,lat,lon\n,1,2\n", "1 areas called ''"),
    ],
)
def test_files_of_names_that_cannot_be_used_are_refused(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    with pytest.raises(FileError, match=words):
        read_named_areas(tmp_path / "a.csv")


def test_names_and_centres_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "towns.csv").write_text("name,lat,lon\nHill,47,8\nLake,47.5,8.5\n", encoding="utf-8")
    towns = read_named_areas(tmp_path / "towns.csv")
    assert towns.codes([47.1, 47.4], [8.1, 8.4]).tolist() == [0, 1]
    with pytest.raises(FileError, match="cannot be read"):
        read_named_areas(tmp_path / "nowhere.csv")


def test_without_the_extra_one_sentence_names_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    place = geojson(tmp_path / "a.geojson", {"left": [rectangle(0, 1, 0, 1)]})
    asked: dict[str, Callable[[], Areas]] = {"h3": lambda: Hexagons(CITY, 7), "shapely": lambda: read_polygons(place)}
    for module in ("h3", "h3.api.numpy_int", "shapely"):
        monkeypatch.setitem(sys.modules, module, None)
    for ask in asked.values():
        with pytest.raises(LeakgaugeError, match=r"extra 'location'; install leakgauge\[location\]"):
            ask()


def test_countries_by_population(data: Path) -> None:
    """The prior of a country, by the people of its cities and not by the cities."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    cities = pq.read_table(data / "cities15000.parquet")
    swiss = cities.filter(pc.equal(cities["country"], "CH"))
    columns = {name: swiss[name] for name in ("lat", "lon", "population")}
    cells = MapCells.of_size(45.8, 47.9, 5.9, 10.6, metres=20_000)
    with pings(columns, weight="population") as points:
        found = visits(points, cells)
    assert found.inside == len(swiss)
    assert found.weights.sum() == pc.sum(swiss["population"]).as_py()
    largest = found.areas.labels[int(np.argmax(found.prior().probabilities))]
    assert GreatCircle().between([largest], [(47.37, 8.55)])[0, 0] < 20
