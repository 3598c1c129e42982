"""``leakgauge estimate`` as a person runs it."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyarrow import csv

from leakgauge.mechanisms import randomized_response
from leakgauge.probability import PriorOrigin
from leakgauge.release.estimates import About, Noise, Protected, write_kit
from leakgauge.sentences import Sentence
from tests.cli.running import fields, run
from tests.release.estimates.test_estimate import ILLNESSES, released

RESPONSE = f"illness=randomized-response:epsilon=2,letters={'|'.join(ILLNESSES)}"


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("released") / "release.csv"
    csv.write_csv(released(2000)[0], path)
    return path


def test_everything_that_is_asked_for(capsys: pytest.CaptureFixture[str], release: Path, tmp_path: Path) -> None:
    output = tmp_path / "estimates.json"
    asked = ["--crosstab", "illness,city", "--mean", "age", "--by", "illness", "-o", output]
    found = fields(capsys, "estimate", release, "--channel", RESPONSE, *asked)
    assert found["schema"] == "leakgauge/estimates/1" and found["rows"] == 2000
    table, mean = found["estimates"]
    assert [table["kind"], table["by"], mean["kind"], mean["by"]] == ["crosstab", ["city"], "mean", ["illness"]]
    assert len(table["cells"]) == 6 and table["cells"][0]["estimate"]["origin"] == "public"
    code, out, err = run(capsys, "estimate", release, "--channel", RESPONSE, *asked)
    assert (code, err) == (0, "")
    for words in (
        "Shares of illness by city",
        "Mean of age by illness",
        "rows are as precise as",
        "true value with 95",
    ):
        assert words in out


def test_long_answers_are_cut_on_the_screen_only(capsys: pytest.CaptureFixture[str], release: Path) -> None:
    asked = ["estimate", release, "--channel", RESPONSE, "--crosstab", "illness,age"]
    cells = len(fields(capsys, *asked)["estimates"][0]["cells"])
    out = run(capsys, *asked)[1]
    assert cells > 300 and f"… and {cells - 60:,} more" in out and len(out.splitlines()) < 80


def test_a_kit_needs_no_channels(capsys: pytest.CaptureFixture[str], release: Path, tmp_path: Path) -> None:
    response = randomized_response(2.0, letters=ILLNESSES).channel()
    columns = [Protected("illness", response), Protected("income", noise=Noise(800.0))]
    write_kit(tmp_path / "kit", release, columns, origins={"illness": PriorOrigin.PUBLIC})
    found = fields(capsys, "estimate", tmp_path / "kit", "--confidence", 0.9)
    assert [one["column"] for one in found["estimates"]] == ["illness", "income"]
    assert found["estimates"][0]["cells"][0]["estimate"]["confidence"] == 0.9


def test_a_kit_tells_what_it_can_and_why_not_the_rest(
    capsys: pytest.CaptureFixture[str], release: Path, tmp_path: Path
) -> None:
    columns = [Protected("illness", keeps_shares=True), Protected("city", unreadable=Sentence("it was lost"))]
    write_kit(tmp_path / "kit", release, columns, about=About(notes=(Sentence("Read it with care."),)))
    code, out, _ = run(capsys, "estimate", tmp_path / "kit")
    assert code == 0 and "Shares of illness" in out and "Read it with care." in out and "(any other value)" in out
    assert "Column 'city' cannot be estimated: it was lost." in out
    assert len(fields(capsys, "estimate", tmp_path / "kit")["notes"]) == 2
    write_kit(tmp_path / "none", release, columns[1:])
    for asked in ((), ("--shares", "city"), ("--mean", "age", "--by", "city"), ("--crosstab", "illness,city")):
        code, out, err = run(capsys, "estimate", tmp_path / "none", *asked)
        assert (code, out, err) == (2, "", "leakgauge: Column 'city' cannot be estimated: it was lost.\n")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ([], 2, "No channel is given; name one for each protected column, such as illness=channel.json"),
        (["--channel", "illness"], 2, "--channel 'illness' is not COLUMN=FILE"),
        (["--channel", RESPONSE, "--channel", RESPONSE], 2, "--channel is given twice for 'illness'"),
        (["--channel", "illness=none.json"], 2, "There is no file 'none.json'"),
        (["--channel", "illness=randomised:epsilon=1"], 2, "There is no mechanism 'randomised'"),
        (["--channel", RESPONSE, "--crosstab", "illness"], 2, "--crosstab 'illness' needs two columns or more"),
        (["--channel", RESPONSE, "--by", "city"], 2, "--by groups a mean, but no mean is asked for"),
        (["--channel", RESPONSE, "--mean", "city"], 2, "moments need numbers"),
        (["--channel", RESPONSE, "--shares", "town"], 2, "no column 'town'"),
        (["--channel", "illness=randomized-response:epsilon=1,letters=a|b"], 2, "2000 of the 2000 rows have a value"),
        (["--channel", RESPONSE, "--confidence", "95"], 2, "A confidence of 95.0"),
    ],
)
def test_misuse(capsys: pytest.CaptureFixture[str], release: Path, arguments: list[str], code: int, words: str) -> None:
    found, out, err = run(capsys, "estimate", release, *arguments)
    assert (found, out) == (code, "")
    assert words in err and err.count("\n") == 1


def test_a_kit_that_is_not_there_is_not_asked_for_channels(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, _, err = run(capsys, "estimate", tmp_path / "kit")
    assert code == 2 and "There is no file" in err


def test_values_that_cannot_be_told_apart_are_named(
    capsys: pytest.CaptureFixture[str], release: Path, tmp_path: Path
) -> None:
    channel = tmp_path / "channel.json"
    side = '{"columns": [{"name": "illness", "type": "string"}], "labels": [["flu"], ["none"], ["cold"]]}'
    matrix = "[[0.5, 0.4, 0.1], [0.5, 0.4, 0.1], [0.1, 0.1, 0.8]]"
    channel.write_text(f'{{"schema": "leakgauge/channel/1", "inputs": {side}, "outputs": {side}, "matrix": {matrix}}}')
    code, _, err = run(capsys, "estimate", release, "--channel", f"illness={channel}")
    assert code == 1
    assert "The channel does not distinguish 'flu', 'none'" in err


def test_the_name_of_a_column_may_hold_an_equals_sign(
    capsys: pytest.CaptureFixture[str], release: Path, tmp_path: Path
) -> None:
    path = tmp_path / "release.csv"
    path.write_text(release.read_text(encoding="utf-8").replace("illness", "ill=now", 1), encoding="utf-8")
    mechanism = RESPONSE.partition("=")[2]
    (found,) = fields(capsys, "estimate", path, "--channel", f"ill=now={mechanism}")["estimates"]
    (plain,) = fields(capsys, "estimate", release, "--channel", RESPONSE)["estimates"]
    assert (found["column"], found["cells"]) == ("ill=now", plain["cells"])
