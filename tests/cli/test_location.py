"""``leakgauge location``: surveys, comparisons, protected tables and tracks of a small town."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from leakgauge.location.traces.mobility import places_csv
from tests.cli.running import fields, run

MAP = ("--lat", "lat", "--lon", "lon", "--cell", "6x6", "--box", "47.0,47.072,8.0,8.1056")


@pytest.fixture(scope="module")
def pings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("town") / "pings.csv"
    place.write_text(places_csv(), encoding="utf-8")
    return place


def test_a_survey_counts_every_point_once_and_tells_hours(capsys: pytest.CaptureFixture[str], pings: Path) -> None:
    found = fields(capsys, "location", "survey", pings, *MAP, "--time", "time", "--user", "person")
    assert found["points"] + found["outside"] + found["missing"] == 3840 and found["users"] == 80
    assert sum(one["points"] for one in found["hours"]) == found["points"] and len(found["hours"]) == 24
    assert 0 < found["entropy"]["value"] < 5.17 and found["best_guess"]["unit"] == "m"
    # At night people are spread over their homes; the town's map has all cells.
    assert len(found["map"]["values"]["prior"]) == 36


def test_the_optimum_leaks_least_at_equal_distance(
    capsys: pytest.CaptureFixture[str], pings: Path, tmp_path: Path
) -> None:
    report = tmp_path / "report.html"
    options = ("--max-distance", "1km", "coarser-cells:level=0", "coarser-cells:level=4", "--report", report)
    found = fields(capsys, "location", "compare", pings, *MAP, *options)
    ranking = found["ranking"]
    assert ranking[0]["role"] == "optimum" and "coarser-cells:level=0" in [one["mechanism"] for one in ranking]
    assert all(one["leakage"]["value"] >= ranking[0]["leakage"]["value"] - 1e-6 for one in ranking)
    assert all(one["distance"]["value"] <= 1000.1 for one in ranking)
    assert any("coarser-cells:level=4" in str(one) for one in found["left_out"])
    planar = next(one for one in ranking if one["mechanism"] == "planar Laplace noise")
    assert planar["tracker_error"]["value"] <= ranking[0]["tracker_error"]["value"]
    page = report.read_text(encoding="utf-8")
    assert "least leaking channel" in page and "↑ north" in page and "<script" not in page


def test_a_designed_channel_protects_a_table(capsys: pytest.CaptureFixture[str], pings: Path, tmp_path: Path) -> None:
    channel, folder, ledger = (tmp_path / name for name in ("channel.json", "out", "budget.ledger"))
    assert run(capsys, "ledger", "open", ledger, "--dataset", "pings", "--epsilon", "100")[0] == 0
    design = fields(capsys, "location", "design", pings, *MAP, "--max-distance", "900m", "-o", channel)
    made = fields(capsys, "location", "protect", pings, *MAP, "--mechanism", channel, "--ledger", ledger, "-o", folder)
    assert made["used"]["leakage"] == design["designed"]["leakage"] and design["keep_inside"]
    assert json.loads(channel.read_text(encoding="utf-8"))["keep_inside"]
    assert made["rows"] + made["left_out"] == 3840
    assert made["measured_distance"]["value"] == pytest.approx(made["used"]["distance"]["value"], rel=0.1)
    assert run(capsys, "verify", folder / "release.json")[0] == 0
    spent = fields(capsys, "ledger", "show", ledger)["accounts"][0]["spent"]
    assert 0 < spent["epsilon"]["value"] < 100


def test_reports_of_a_person_add_up(capsys: pytest.CaptureFixture[str], pings: Path, tmp_path: Path) -> None:
    user = ("--user", "person", "--epsilon-per-km", "1", "--simulate", "3")
    code, _, err = run(capsys, "location", "protect", pings, *MAP, *user, "-o", tmp_path / "few")
    assert code == 2 and "48 rows" in err and "person" in err
    made = fields(capsys, "location", "protect", pings, *MAP, *user, "--reports-per-user", "48", "-o", tmp_path / "all")
    assert made["epsilon_per_person"]["value"] == 48 and made["repeats"]["most"] == 48
    # Whoever averages 48 reports from one place errs less than with one.
    assert made["repeats"]["same_place"]["value"] < made["used"]["tracker_error"]["value"] / 2
    assert any("repeatedly" in str(one) for one in made["warnings"])


def test_a_tracker_who_sees_more_errs_less(capsys: pytest.CaptureFixture[str], pings: Path) -> None:
    options = ("--user", "person", "--time", "time", "--epsilon-per-km", "2", "--window", "2")
    found = fields(capsys, "location", "track", pings, *MAP, *options)
    single, so_far, all_reports = (one["error"]["value"] for one in found["attackers"])
    assert all_reports < so_far < single
    assert found["window_leakage"]["value"] >= found["step_leakage"]["value"]
    assert {*found["map"]["paths"]} == {"true", "released", "inferred"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--lat", "lon", "--lon", "lat", "--cell", "6x6", "--box", "47.0,47.072,8.0,8.1056"), "swapped"),
        (("--lat", "lat", "--lon", "lon"), "exactly one of --cell"),
        (("--lat", "lat", "--lon", "lon", "--cell", "5"), "not a size"),
        (("--lat", "lat", "--lon", "lon", "--cell", "1mm"), "not a size"),
        (("--lat", "lat", "--lon", "place", "--cell", "1km"), "no column 'place'"),
        (("--lat", "lat", "--lon", "lon", "--hexagons", "8", "--box", "47,48,8,9"), "together with --cell"),
    ],
)
def test_misuse_is_one_sentence(
    capsys: pytest.CaptureFixture[str], pings: Path, options: tuple[str, ...], said: str
) -> None:
    code, out, err = run(capsys, "location", "survey", pings, *options)
    assert (code, out) == (2, "") and said in err and err.count("\n") == 1


def test_protection_is_asked_for_once(capsys: pytest.CaptureFixture[str], pings: Path, tmp_path: Path) -> None:
    out = tmp_path / "none"
    code, _, err = run(capsys, "location", "protect", pings, *MAP, "-o", out)
    assert code == 2 and "0 ways" in err and not out.exists()
