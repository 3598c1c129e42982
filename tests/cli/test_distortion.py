"""``--distortion`` column by column, and what ``design`` says its numbers prove."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from leakgauge.artefacts.channel_file import read_channel
from leakgauge.cli.options import Loss, loss_of
from leakgauge.design import MaxDistortion, RateDistortion, solve
from leakgauge.distances import Absolute, Hamming
from leakgauge.distances.distortions import ColumnSums
from leakgauge.errors import OptionError
from leakgauge.tables import open_table
from tests.cli.running import fields, run
from tests.cli.test_design import PEOPLE


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(PEOPLE)
    return tmp_path


TWO = ["design", "people.csv", "--secret", "age", "--secret", "illness", "--together", "--max-distortion", "0.75"]


def test_a_distortion_for_each_column(capsys: pytest.CaptureFixture[str], house: Path) -> None:
    told = fields(capsys, *TWO, "--distortion", "illness=hamming:2", "--distortion", "age=absolute:0.1")
    with open_table("people.csv") as people:
        source = people.counts("age", "illness").distribution("age", "illness")
    loss = ColumnSums((Absolute(), Hamming()), (0.1, 2.0))
    assert told["leakage"]["value"] == pytest.approx(
        solve(RateDistortion(source, loss, MaxDistortion(0.75))).leakage, abs=1e-9
    )
    # A column that is not named counts 1 where it is wrong.
    short = fields(capsys, *TWO, "--distortion", "age=absolute:0.1")
    both = fields(capsys, *TWO, "--distortion", "age=absolute:0.1", "--distortion", "illness=hamming")
    assert short == both and short["leakage"]["value"] < told["leakage"]["value"]
    ranked = fields(capsys, "compare", *TWO[1:], "--distortion", "age=absolute:0.1")["ranking"]
    assert ranked[0]["leakage"] == short["leakage"]


def test_a_file_for_a_column_is_an_input(capsys: pytest.CaptureFixture[str], house: Path) -> None:
    table = "x,flu,none,cold\nflu,0,1,0.25\nnone,1,0,1\ncold,0.25,1,0\n"
    Path("ill=ness:a.csv").write_text(table)
    how = [*TWO, "--distortion", "illness=ill=ness:a.csv", "--distortion", "age=absolute:0.1"]
    assert fields(capsys, *how)["distortion"]["value"] <= 0.75
    code, _, err = run(capsys, *how, "-o", "ill=ness:a.csv")
    assert code == 2 and "is an input" in err and Path("ill=ness:a.csv").read_text() == table


def test_what_a_distortion_says() -> None:
    assert loss_of(["hamming"], ["a", "b"]) == Loss(("hamming",))
    assert loss_of(["a=squared"], ["a"]) == Loss(("squared",))
    assert loss_of(["a=b=squared"], ["a", "a=b"]) == Loss(("hamming", "squared"), (1.0, 1.0))
    assert loss_of(["b=absolute:0", "a=d.csv:3e2"], ["a", "b"]) == Loss(("d.csv", "absolute"), (300.0, 0.0))


@pytest.mark.parametrize(
    ("texts", "secret", "said"),
    [
        (["absolute"], ["age", "illness"], "--distortion age=absolute"),
        (["ag=absolute"], ["age", "illness"], "does not start with a column of the secret"),
        (["absolute", "hamming"], ["age"], "given 2 times"),
        (["hamming", "age=absolute"], ["age", "illness"], "given 2 times"),
        (["age=absolute", "age=squared"], ["age", "illness"], "given 2 times"),
        (["age=absolute", "age=absolute"], ["age", "illness"], "given 2 times"),
        (["age=absolute:-1"], ["age", "illness"], "-1"),
        (["age=absolute:inf"], ["age", "illness"], "inf"),
        (["age=absolute:2"], ["age"], "the only column"),
    ],
)
def test_what_says_nothing_is_refused(texts: list[str], secret: list[str], said: str) -> None:
    with pytest.raises(OptionError) as refused:
        loss_of(texts, secret)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("more", "proven", "not_made_small"),
    [
        ([], "No equally useful channel has less I(X;Y) than these", None),
        (["--background", "city"], "No equally useful channel that reads the secret alone has less I(X;Y,Z)", None),
        (
            ["--background", "city", "--knowledge", "both"],
            "No equally useful channel has less I(X;Y,Z) than these",
            None,
        ),
        (
            ["--background", "city", "--knowledge", "published"],
            "No equally useful channel has less I(X;Y) than these",
            "published algorithm minimises I(X;Y), not I(X;Y,Z)",
        ),
        (
            ["--background", "city", "--knowledge", "nobody"],
            "No equally useful channel has less I(X;Y) than these",
            "I(X;Y,Z) is shown, but I(X;Y) is minimised",
        ),
        (["--local-dp", "2"], "No equally useful channel that keeps the bound has less I(X;Y) than these", None),
        (["--weights", "w.csv"], "No equally useful channel has less weighted I(X;Y) than these", None),
    ],
)
def test_the_proof_names_what_it_is_of(
    capsys: pytest.CaptureFixture[str], house: Path, more: list[str], proven: str, not_made_small: str | None
) -> None:
    Path("w.csv").write_text("flu,1\nnone,2\ncold,3\n")
    code, out, err = run(capsys, "design", "people.csv", "--secret", "illness", "--slope", "2", *more)
    told = " ".join(out.split())
    assert code == 0 and proven in told, err
    assert (
        "small" not in told.replace("weighted bits are minimised", "")
        if not_made_small is None
        else not_made_small in told
    )


def test_infinite_values_are_written_in_words(capsys: pytest.CaptureFixture[str], house: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    values = [1.0] * 5 + [math.inf] * 4 + [-math.inf] * 3 + [None] * 2
    parquet.write_table(pa.table({"x": values}), "w.parquet")
    fields(capsys, "design", "w.parquet", "--secret", "x", "--max-distortion", "0.2", "-o", "w.json")

    def refuse(word: str) -> float:
        raise AssertionError(word)

    told = json.loads(Path("w.json").read_text(), parse_constant=refuse)
    assert ["infinity"] in told["inputs"]["labels"] and ["-infinity"] in told["inputs"]["labels"]
    assert set(read_channel("w.json").channel.inputs) == {1.0, math.inf, -math.inf, None}
    measured = fields(capsys, "measure", "w.parquet", "--secret", "x", "--channel", "w.json")
    assert measured["mutual_information"]["value"] > 0


@pytest.mark.parametrize("knowledge", ["attacker", "both"])
def test_a_picture_too_large_is_refused_before_the_search(
    capsys: pytest.CaptureFixture[str], house: Path, knowledge: str
) -> None:
    count = 61 if knowledge == "attacker" else 31
    Path("many.csv").write_text("x,z\n" + "".join(f"{at},{'uv'[at % 2]}\n" for at in range(count)))
    # The search itself would say that no channel meets this target: the background alone tells more.
    how = ["--secret", "x", "--background", "z", "--knowledge", knowledge, "--max-leakage", "0"]
    assert run(capsys, "design", "many.csv", *how, "-o", "many.json")[0] == 1
    code, _, err = run(capsys, "design", "many.csv", *how, "-o", "many.svg")
    assert code == 2 and "cannot be read" in err and not Path("many.svg").exists(), err
