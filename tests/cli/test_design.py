"""``leakgauge design`` as a person runs it."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import pytest

from leakgauge.artefacts.channel_file import read_channel
from leakgauge.cli import main
from tests.cli.running import fields, run

PEOPLE = "illness,city,age\n" + "".join(
    f"{illness},{city},{age}\n"
    for illness, city, age, times in [
        ("flu", "Oslo", 30, 8),
        ("flu", "Bergen", 40, 3),
        ("none", "Oslo", 50, 5),
        ("none", "Bergen", 60, 14),
        ("cold", "Oslo", 35, 4),
        ("cold", "Bergen", 45, 6),
    ]
    for _ in range(times)
)


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(PEOPLE)
    return tmp_path


def test_a_designed_channel_can_be_released(capsys: pytest.CaptureFixture[str], house: Path) -> None:
    told = fields(capsys, "design", "people.csv", "--secret", "illness", "--max-distortion", "0.2", "-o", "c.json")
    assert told["schema"] == "leakgauge/design/1" and told["knowledge"] == "nobody"
    assert told["distortion"]["value"] <= 0.2 and told["gap"]["value"] < 1e-8 and told["gap"]["unit"] == "bits"
    assert told["background_floor"] is None
    named = read_channel("c.json")
    assert named.inputs == named.outputs == ("illness",) and named.prior_origin == "this table"
    measured = fields(capsys, "measure", "people.csv", "--secret", "illness", "--channel", "c.json")
    assert measured["mutual_information"]["value"] == pytest.approx(told["leakage"]["value"], abs=1e-12)
    related = fields(capsys, "relate", "c.json")
    assert related["local_dp"]["value"] == pytest.approx(told["epsilon"]["value"], rel=1e-12)
    Path("plan.toml").write_text('[columns]\nillness = "c.json"\n')
    assert main(["release", "people.csv", "--plan", "plan.toml", "-o", "out.csv"]) == 0
    record = json.loads(Path("out.csv.json").read_text())
    assert any("designed from this table" in str(said) for said in record["assumptions"])


@pytest.mark.parametrize("knowledge", ["attacker", "both", "nobody", "published"])
def test_every_knowledge(capsys: pytest.CaptureFixture[str], house: Path, knowledge: str) -> None:
    arguments = ["design", "people.csv", "--secret", "illness", "--background", "city", "--max-distortion", "0.25"]
    told = fields(capsys, *arguments, "--knowledge", knowledge, "-o", "c.json")
    assert told["leakage_with_background"]["value"] >= told["background_floor"]["value"] - 1e-12
    assert read_channel("c.json").inputs == (("illness", "city") if knowledge == "both" else ("illness",))
    if knowledge == "both":
        Path("plan.toml").write_text('public = ["city"]\n[columns]\nillness = "c.json"\n')
        assert main(["release", "people.csv", "--plan", "plan.toml", "-o", "out.csv"]) == 0
    else:
        default = fields(capsys, *arguments)
        assert default["leakage_with_background"]["value"] <= told["leakage_with_background"]["value"] + 1e-9


def test_a_curve_knows_what_is_kept_and_released(capsys: pytest.CaptureFixture[str], house: Path) -> None:
    how = ["design", "people.csv", "--secret", "illness", "--through", "city", "--keep", "shares", "--curve", "4"]
    told = fields(capsys, *how)
    assert (told["keep"], told["secret"], told["through"]) == ("shares", ["illness"], "city")
    assert told["beside"] is None and max(one["gap"]["value"] for one in told["points"]) < 1e-5
    assert main([*how, "-o", "curve.svg"]) == 0
    drawn = Path("curve.svg").read_text()
    words = (
        "bits revealed about illness by city",
        "least that keeps the shares",
        "the share of the values that are changed",
    )
    assert all(said in drawn for said in words)


def test_a_picture_of_a_channel_has_the_commonest_first(house: Path) -> None:
    how = ["design", "people.csv", "--secret", "illness", "--background", "city", "--max-distortion", "0.2"]
    assert main([*how, "-o", "channel.svg"]) == 0 and "The most common values first." in Path("channel.svg").read_text()
    assert main([*how, "--knowledge", "both", "-o", "pairs.svg"]) == 0
    assert "commonest" not in Path("pairs.svg").read_text()


def test_a_curve_falls(capsys: pytest.CaptureFixture[str], house: Path) -> None:
    told = fields(capsys, "design", "people.csv", "--secret", "illness", "--curve", "9", "-o", "curve.csv")
    points = [(one["distortion"]["value"], one["leakage"]["value"]) for one in told["points"]]
    assert 2 <= len(points) <= 9
    assert sorted(points, reverse=True) == points and sorted(leak for _, leak in points) == [leak for _, leak in points]
    with Path("curve.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(float(row["distortion"]), float(row["leakage"])) for row in rows] == points
    assert main(["design", "people.csv", "--secret", "illness", "--curve", "4", "-o", "curve.svg"]) == 0
    assert main(["design", "people.csv", "--secret", "illness", "--slope", "1", "-o", "channel.svg"]) == 0
    assert all(Path(name).read_text().startswith("<svg") for name in ("curve.svg", "channel.svg"))
    capsys.readouterr()
    fields(capsys, "design", "people.csv", "--secret", "illness", "--curve", "4", "-o", "curve.json")
    assert json.loads(Path("curve.json").read_text())["schema"] == "leakgauge/frontier/1"


def test_numbers_bins_files_and_bounds(capsys: pytest.CaptureFixture[str], house: Path) -> None:
    ages = fields(
        capsys, "design", "people.csv", "--secret", "age", "--distortion", "absolute", "--max-distortion", "5"
    )
    assert ages["distortion"]["value"] <= 5
    Path("d.csv").write_text("x,flu,none,cold\nflu,0,1,0.25\nnone,1,0,1\ncold,0.25,1,0\n")
    near = fields(
        capsys, "design", "people.csv", "--secret", "illness", "--distortion", "d.csv", "--max-leakage", "0.5"
    )
    assert near["leakage"]["value"] <= 0.5
    bounded = fields(
        capsys, "design", "people.csv", "--secret", "illness", "--max-distortion", "0.4", "--local-dp", "1.5"
    )
    assert bounded["epsilon"]["value"] <= 1.5
    code, out, _ = run(capsys, "design", "people.csv", "--secret", "illness", "--background", "city", "--slope", "2")
    assert code == 0 and "I(X;Y,Z)" in out and "no channel leaks less" in out


def test_weights_of_secrets(capsys: pytest.CaptureFixture[str], house: Path) -> None:
    Path("w.csv").write_text("label,value\nflu,5\nnone,1\ncold,0.5\n")
    how = ["design", "people.csv", "--secret", "illness", "--max-distortion", "0.2"]
    plain, heavy = fields(capsys, *how), fields(capsys, *how, "--weights", "w.csv", "-o", "c.json")
    assert plain["weighted_leakage"] is None
    assert heavy["gap"]["value"] < 2e-6 and heavy["leakage"]["value"] > plain["leakage"]["value"]
    measured = ["measure", "people.csv", "--secret", "illness", "--weights", "w.csv", "--channel"]
    told = fields(capsys, *measured, "c.json")["weighted"]["mutual_information"]
    assert told["value"] == pytest.approx(heavy["weighted_leakage"]["value"], abs=1e-12)
    assert run(capsys, *how, "-o", "plain.json")[0] == 0
    assert told["value"] < fields(capsys, *measured, "plain.json")["weighted"]["mutual_information"]["value"]
    code, out, _ = run(capsys, *how, "--weights", "w.csv")
    assert code == 0 and "weighted bits" in out
    curve = fields(capsys, *how[:4], "--curve", "3", "--weights", "w.csv")
    assert all(point["weighted_leakage"]["value"] >= 0 for point in curve["points"])


def test_the_worst_case_is_shown_where_it_is(capsys: pytest.CaptureFixture[str], house: Path) -> None:
    how = ["design", "people.csv", "--secret", "illness", "--slope", "2"]
    told = fields(capsys, *how, "-o", "c.json")
    for level, weigh in (("epsilon", False), ("identifiability", True)):
        channel = read_channel("c.json").channel
        shares = {"flu": 11 / 40, "none": 19 / 40, "cold": 10 / 40}
        output, (more, less) = told[level]["witness"]["output"], told[level]["witness"]["inputs"]
        ratio = channel.row(more)[output] / channel.row(less)[output]
        ratio *= shares[more] / shares[less] if weigh else 1
        assert math.log(ratio) == pytest.approx(told[level]["value"])
    code, out, _ = run(capsys, *how)
    assert code == 0 and f"ε is reached where {told['epsilon']['witness']['output']} is released" in out
    assert told["inputs_that_never_occur"] == 0


def test_pairs_that_never_occur_are_said(capsys: pytest.CaptureFixture[str], house: Path) -> None:
    Path("few.csv").write_text("illness,city\nflu,Oslo\nnone,Oslo\nnone,Oslo\nnone,Bergen\nflu,Bergen\ncold,Oslo\n")
    how = ["design", "few.csv", "--secret", "illness", "--background", "city", "--knowledge", "both", "--slope", "2"]
    assert fields(capsys, *how)["inputs_that_never_occur"] == 1
    code, out, _ = run(capsys, *how)
    assert code == 0 and "1 of 6 inputs never occur in this table" in out


@pytest.mark.parametrize(
    ("more", "code", "said"),
    [
        ([], 2, "0 targets"),
        (["--slope", "1", "--max-distortion", "0.1"], 2, "2 targets"),
        (["--max-distortion", "-1"], 2, "-1"),
        (["--max-distortion", "nan"], 2, "nan"),
        (["--slope", "1", "--knowledge", "attacker"], 2, "--background COLUMN"),
        (["--slope", "1", "--knowledge", "both"], 2, "--background COLUMN"),
        (["--slope", "1", "--knowledge", "published"], 2, "--background COLUMN"),
        (["--slope", "1", "--distortion", "absolute"], 2, "number"),
        (["--slope", "1", "--distortion", "none.csv"], 2, "none.csv"),
        (["--slope", "1", "--background", "cty"], 2, "city"),
        (["--background", "city", "--max-leakage", "0.000001"], 1, "I(X;Z)"),
        (["--max-distortion", "0.01", "--local-dp", "0.5"], 1, "impossible"),
        (["--max-distortion", "0.4", "--identifiability", "0.001"], 1, "Δ"),
        (["--slope", "1", "-o", "people.csv"], 2, "is an input"),
        (["--slope", "1", "--weights", "nothing.csv"], 2, "nothing.csv cannot be read"),
        (["--slope", "1", "--background", "city", "--weights", "w.csv"], 2, "known background"),
        (["--slope", "1", "--weights", "w.csv", "-o", "w.csv"], 2, "is an input"),
        (["--slope", "1", "--weights", "short.csv"], 2, "lack 2 of the 3 values"),
    ],
)
def test_misuse_is_one_sentence(
    capsys: pytest.CaptureFixture[str], house: Path, more: list[str], code: int, said: str
) -> None:
    Path("w.csv").write_text("flu,1\nnone,2\ncold,3\n")
    Path("short.csv").write_text("flu,1\n")
    found, _, err = run(capsys, "design", "people.csv", "--secret", "illness", *more)
    assert (found, err.count("\n")) == (code, 1) and said in err, err
    assert sorted(path.name for path in house.iterdir()) == ["people.csv", "short.csv", "w.csv"]
    assert Path("w.csv").read_text() == "flu,1\nnone,2\ncold,3\n"


def test_the_next_round_adds_least(capsys: pytest.CaptureFixture[str], house: Path) -> None:
    asked = ["design", "people.csv", "--secret", "illness", "--max-distortion", "0.2"]
    first = fields(capsys, *asked, "-o", "1.json")
    second = fields(capsys, *asked, "--after", "1.json", "-o", "2.json")
    assert first["rounds"] is None and second["rounds"]["earlier"] == 1 and second["rounds"]["exact"]
    told = {name: second["rounds"][name]["value"] for name in ("before", "added", "after")}
    assert told["before"] == pytest.approx(first["leakage"]["value"], abs=1e-12)
    assert told["after"] == pytest.approx(told["before"] + told["added"], abs=1e-12)
    together = ["measure", "people.csv", "--secret", "illness", "--channel", "1.json", "--channel", "2.json"]
    assert fields(capsys, *together)["mutual_information"]["value"] == pytest.approx(told["after"], abs=1e-9)
    assert main(together) == 0
    assert "through the 2 channels given, taken together" in capsys.readouterr().out
    twice = fields(capsys, *together[:-1], "1.json")["mutual_information"]["value"]
    assert twice >= told["after"] - 1e-9, "the same channel again is as useful"
    third = [*asked, "--after", "1.json", "--after", "2.json", "--keep", "shares", "--background", "city"]
    assert main(third) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Earlier rounds: 2, which reveal" in said and "This round adds" in said
    assert "adds less to the earlier rounds than these" in said
    assert main([*asked[:-2], "--curve", "3", "--after", "1.json"]) == 0
    assert "Earlier rounds: 1" in capsys.readouterr().out


def test_an_erasure_letter(capsys: pytest.CaptureFixture[str], house: Path) -> None:
    Path("d.csv").write_text("x,flu,none,cold,?\nflu,0,inf,inf,1\nnone,inf,0,inf,1\ncold,inf,inf,0,1\n")
    asked = ["design", "people.csv", "--secret", "illness", "--distortion", "d.csv"]
    told = fields(capsys, *asked, "--max-distortion", "0.25", "-o", "c.json")
    whole = fields(capsys, "measure", "people.csv", "--secret", "illness")["entropy"]["value"]
    # Where every value is erased alike, what is left is told.
    assert told["leakage"]["value"] <= 0.75 * whole + 1e-9 and told["epsilon"]["value"] == "infinity"
    channel = read_channel("c.json").channel
    assert all(row[other] == 0 for one, row in zip(channel.inputs, channel.matrix, strict=True)
               for other, label in enumerate(channel.outputs) if label not in (one, "?"))  # fmt: skip
    assert main([*asked, "--max-distortion", "0.25", "--local-dp", "1"]) == 2
    assert "6 infinite distances rule letters out" in capsys.readouterr().err


def test_a_level_near_the_grid_is_practically_unlimited(capsys: pytest.CaptureFixture[str], house: Path) -> None:
    asked = ["design", "people.csv", "--secret", "illness", "--slope", "45", "-o", "c.json"]
    assert 34 < fields(capsys, *asked)["epsilon"]["value"] < 37
    assert main(asked) == 0
    assert "practically unlimited" in capsys.readouterr().out
    assert main(["relate", "c.json"]) == 0
    assert "practically unlimited" in capsys.readouterr().out
    assert main(["compare", "people.csv", "c.json", "--secret", "illness", "--max-distortion", "1e-9"]) == 0
    assert "practically" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["--keep", "shares", "--distortion", "more.csv"], 2, "releases the values it reads, but it does not read '?'"),
        (["--keep", "shares", "--distortion", "fewer.csv"], 2, "1 of the 3 values are not among the outputs"),
        (["--keep", "shares", "--keep-at-least", "1.5"], 2, "at least 1.5"),
        (["--keep", "associations"], 2, "knowledge is nobody; give a background with knowledge both"),
        (["--keep", "associations", "--background", "city"], 2, "knowledge is attacker; give a background"),
        (["--keep", "shares", "--background", "city", "--knowledge", "both"], 2, "keep associations"),
        (["--through", "illness"], 2, "named with --through and as secret"),
        (["--through", "always"], 2, "a single value, which reveals nothing"),
        (["--through", "city", "--after", "c.json"], 2, "earlier releases of the secret itself"),
        (["--after", "city.json"], 2, "The channel reads 'city', but the secret is 'illness'"),
        (["--after", "missing.json"], 2, "missing.json"),
        (["--after", "c.json", "--background", "city", "--knowledge", "both"], 2, "nobody or attacker"),
    ],
)
def test_what_cannot_be_designed_is_one_sentence(
    capsys: pytest.CaptureFixture[str], house: Path, arguments: list[str], code: int, told: str
) -> None:
    Path("people.csv").write_text(PEOPLE.replace("\n", ",k\n").replace("age,k", "age,always"))
    Path("more.csv").write_text("x,flu,none,cold,?\nflu,0,1,1,1\nnone,1,0,1,1\ncold,1,1,0,1\n")
    Path("fewer.csv").write_text("x,flu,none\nflu,0,1\nnone,1,0\ncold,1,1\n")
    for column, place in (("illness", "c.json"), ("city", "city.json")):
        assert main(["design", "people.csv", "--secret", column, "--max-distortion", "0.2", "-o", place]) == 0
    capsys.readouterr()
    assert main(["design", "people.csv", "--secret", "illness", "--max-distortion", "0.2", *arguments]) == code
    found = capsys.readouterr()
    assert told in found.err and found.err.count("\n") == 1 and not found.out


def test_values_that_never_change_tell_at_least_what_is_named(capsys: pytest.CaptureFixture[str], house: Path) -> None:
    asked = ["design", "people.csv", "--secret", "illness", "--keep", "shares", "--never-changed", "flu"]
    assert main([*asked, "--max-leakage", "0.1"]) == 1
    said = capsys.readouterr().err
    least = said.split(" reveal ")[1].split(";")[0]
    assert fields(capsys, *asked, "--max-leakage", least)["leakage"]["value"] <= float(least)
    beside = [*asked, "--background", "city"]
    assert main([*beside, "--max-leakage", "0.2"]) == 1
    least = capsys.readouterr().err.split(" reveal ")[1].split(";")[0]
    assert fields(capsys, *beside, "--max-leakage", least)["leakage_with_background"]["value"] <= float(least)


def test_bins_stand_at_their_centres(capsys: pytest.CaptureFixture[str], house: Path) -> None:
    asked = ["--secret", "age", "--bins", "age=edges:35,45,55", "--distortion", "absolute", "--max-distortion", "5"]
    for verb in (["design", "people.csv"], ["compare", "people.csv", "randomized-response:epsilon=2"]):
        assert main([*verb, *asked]) == 0
        assert "Distances between bins are those of their centres" in " ".join(capsys.readouterr().out.split())
    assert main(["design", "people.csv", *asked[:3], "age=edges:45", *asked[4:]]) == 2
    assert "has no centre" in capsys.readouterr().err
