"""``leakgauge measure`` as a person runs it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.artefacts.codec import text_of
from leakgauge.jobs.samples import adult_rows
from leakgauge.probability import Channel
from leakgauge.probability.files import NamedChannel
from tests.cli.running import fields, run


@pytest.fixture(scope="module")
def adult(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from pyarrow import parquet

    path = tmp_path_factory.mktemp("adult") / "adult.parquet"
    parquet.write_table(adult_rows(), path)
    return path


def test_adult_with_background(capsys: pytest.CaptureFixture[str], adult: Path) -> None:
    found = fields(capsys, "measure", adult, "--secret", "marital_status", "--background", "occupation")
    assert found["schema"] == "leakgauge/measure/1"
    assert found["rows"] == 30718
    assert found["entropy"]["value"] == pytest.approx(1.8199, abs=5e-5)
    assert found["background_floor"]["value"] == pytest.approx(0.0764, abs=5e-5)
    assert found["leakage_with_background"]["value"] == found["background_floor"]["value"]
    assert found["conditional_entropy"]["value"] == pytest.approx(1.8199 - 0.0764, abs=1e-4)
    assert found["mutual_information"] is None
    assert found["weighted"] is None
    floor = found["background_floor"]
    assert floor["unit"] == "bits"
    assert 0.06 < floor["low"] < floor["value"] < floor["high"] < 0.09
    assert floor["confidence"] == 0.95
    corrected = found["bias_corrected"]["background_floor"]["value"]
    assert floor["value"] - 78 / (2 * 30718 * 0.693) <= corrected < floor["value"]
    assert found["zero_leakage"]["p_value"] <= 0.001
    assert found["best_guess"]["value"] == pytest.approx(14339 / 30718)
    assert found["reliable"] is True


def test_the_whole_adult_table_with_question_marks_as_text(capsys: pytest.CaptureFixture[str], data: Path) -> None:
    found = fields(
        capsys, "measure", data / "adult_train.parquet", "--secret", "marital_status", "--release", "occupation"
    )
    assert found["rows"] == 32561
    assert found["entropy"]["value"] == pytest.approx(1.8336, abs=5e-5)
    assert found["mutual_information"]["value"] == pytest.approx(0.0776, abs=5e-5)
    assert found["leakage_with_background"] is None
    assert found["letters"] == {"secret": 7, "release": 15}


def test_release_and_background_columns(capsys: pytest.CaptureFixture[str], data: Path) -> None:
    arguments = (
        "--secret",
        "marital_status",
        "--release",
        "relationship",
        "--background",
        "sex",
        "--background",
        "age",
    )
    found = fields(capsys, "measure", data / "adult_train.csv.gz", *arguments, "--bins", "age=width:10")
    total = found["background_floor"]["value"] + found["conditional_mutual_information"]["value"]
    assert found["leakage_with_background"]["value"] == pytest.approx(total, abs=1e-9)
    assert found["background"] == ["sex", "age"]
    assert found["letters"]["background"] == 18


def test_several_secrets_are_one_source_or_each_by_itself(capsys: pytest.CaptureFixture[str], data: Path) -> None:
    arguments = (
        "measure",
        data / "adult_train.parquet",
        "--secret",
        "race",
        "--secret",
        "sex",
        "--background",
        "income",
    )
    joint = fields(capsys, *arguments, "--together")
    each = fields(capsys, *arguments)
    code, out, err = run(capsys, *arguments, "--each", "--json")
    assert (code, json.loads(out)) == (0, each)
    assert "can be left out" in err
    assert "exclude each other" in refused(capsys, *arguments, "--each", "--together")
    assert joint["letters"]["secret"] == 10
    assert [one["secret"] for one in each["each"]] == [["race"], ["sex"]]
    assert joint["entropy"]["value"] <= sum(one["entropy"]["value"] for one in each["each"])


def test_a_known_channel(capsys: pytest.CaptureFixture[str], adult: Path, tmp_path: Path) -> None:
    statuses = sorted({*adult_rows().column("marital_status").to_pylist(), "Registered partner"})
    rows = [[0.6 if x == y else 0.4 / 7 for y in statuses] for x in statuses]
    path = tmp_path / "channel.json"
    path.write_text(
        text_of(ChannelFile.of(NamedChannel(Channel(statuses, statuses, rows), ("marital_status",), ("answer",))))
    )
    found = fields(
        capsys, "measure", adult, "--secret", "marital_status", "--channel", path, "--background", "occupation"
    )
    assert found["entropy"]["value"] == pytest.approx(1.8199, abs=5e-5)
    assert 0 < found["mutual_information"]["value"] < found["entropy"]["value"]
    assert found["leakage_with_background"]["value"] > found["background_floor"]["value"]
    assert (
        found["leakage_with_background"]["value"]
        < found["mutual_information"]["value"] + found["background_floor"]["value"]
    )


def test_weights(capsys: pytest.CaptureFixture[str], adult: Path, tmp_path: Path) -> None:
    statuses = sorted(set(adult_rows().column("marital_status").to_pylist()))
    weights = tmp_path / "weights.csv"
    weights.write_text("label,value\n" + "".join(f"{status},2\n" for status in statuses))
    found = fields(
        capsys, "measure", adult, "--secret", "marital_status", "--background", "occupation", "--weights", weights
    )
    assert found["weighted"]["entropy"]["value"] == pytest.approx(2 * found["entropy"]["value"])
    assert found["weighted"]["background_floor"]["value"] == pytest.approx(2 * found["background_floor"]["value"])


@pytest.mark.parametrize("estimator", ["plug-in", "miller-madow", "shrinkage"])
def test_estimators(capsys: pytest.CaptureFixture[str], adult: Path, estimator: str) -> None:
    found = fields(
        capsys, "measure", adult, "--secret", "marital_status", "--release", "occupation", "--estimator", estimator
    )
    assert found["estimator"] == estimator
    assert found["mutual_information"]["value"] == pytest.approx(0.0755, abs=0.0015)


def test_the_readable_table(capsys: pytest.CaptureFixture[str], adult: Path) -> None:
    code, out, err = run(capsys, "measure", adult, "--secret", "marital_status", "--background", "occupation")
    assert (code, err) == (0, "")
    for text in (
        "30,718 rows",
        "marital_status (different values: 7)",
        "1.82",
        "0.0764",
        "I(X;Z)",
        "47% [",
        "rejects",
    ):
        assert text in out


def test_output_is_the_same_bytes_as_json(capsys: pytest.CaptureFixture[str], adult: Path, tmp_path: Path) -> None:
    target = tmp_path / "found.json"
    code, out, _ = run(capsys, "measure", adult, "--secret", "occupation", "--json", "-o", target)
    assert code == 0
    assert target.read_text(encoding="utf-8") == out
    assert [path.name for path in tmp_path.iterdir()] == ["found.json"]


def test_a_small_table_says_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "small.csv"
    path.write_text("x,y\n" + "".join(f"{i % 7},{i % 5}\n" for i in range(40)))
    assert fields(capsys, "measure", path, "--secret", "x", "--background", "y")["reliable"] is False
    _, out, _ = run(capsys, "measure", path, "--secret", "x", "--background", "y")
    assert "Too small to tell" in out


def test_odd_column_names(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    names = ['say "hi"', "it's; DROP TABLE source", "婚姻状况", "🙂 smile", "a=b"]
    header = ",".join('"' + name.replace('"', '""') + '"' for name in names)
    path.write_text(header + "\n" + "1,a,甲,x,1\n2,b,乙,y,20\n" * 30, encoding="utf-8")
    for name in names:
        found = fields(capsys, "measure", path, "--secret", name)
        assert found["entropy"]["value"] == pytest.approx(1)
    binned = fields(capsys, "measure", path, "--secret", "a=b", "--bins", "a=b=width:10")
    assert binned["entropy"]["value"] == pytest.approx(1)


BAD = "secret-value-xyzzy"


@pytest.mark.parametrize(
    ("content", "arguments", "sentence"),
    [
        (None, ["--secret", "x"], "no file"),
        (b"", ["--secret", "x"], "empty"),
        (b"x,y\n", ["--secret", "x"], "no rows"),
        (b"income,city\n1,A\n2,B\n", ["--secret", "incone"], "did you mean 'income'"),
        (b"x,y\n1,A\n1,B\n", ["--secret", "x"], "same value in every row"),
        (b"x,y\n,A\n,B\n", ["--secret", "x"], "only missing values"),
        (f"x,y\n1,{BAD}\n2,caf".encode() + b"\xe9\n", ["--secret", "x"], "UTF-8"),
        (f"x,y\n1,A\n2,{BAD},{BAD},{BAD}\n".encode(), ["--secret", "x"], "line with 3 fields"),
        (b"x,y\n1,A\n2,B\n", ["--secret", "x", "--background", "x"], "named both as secret and as background"),
        (b"x,y\n1,A\n2,B\n", ["--secret", "x", "--secret", "x"], "'x' is named twice as secret"),
        (b"x,y\n1,A\n2,B\n", ["--secret", "x", "--secret", "x", "--together"], "'x' is named twice as secret"),
        (b"x,y\n1,A\n2,B\n", ["--secret", "x", "--bins", "x=width:10"], "'x' fall into one bin"),
        (b"x,y\n1,A\n2,B\n", ["--secret", "x", "--bins", "x=width:1", "--bins", "x=width:2"], "given twice"),
        (b"x,y\n1,A\n2,B\n", ["--secret", "x", "--bins", "x=often"], "width:10"),
        (b"x,y\n1,A\n2,B\n", ["--secret", "x", "--bins", "z=width:3"], "no role here"),
        (b"x,y\n1,A\n2,B\n", ["--secret", "x", "--confidence", "95"], "not between 0 and 1"),
        (b"x,y\n1,A\n2,B\n", ["--secret", "x", "--confidence", "high"], "is not a number"),
        (b"x,y\n1,A\n2,B\n", ["--secret", "x", "--channel", "none.json"], "There is no file 'none.json'"),
        (b"x,y\n1,A\n2,B\n", ["--secret", "x", "--weights", "none.csv"], "No such file"),
        (b"x,y\n1,A\n2,B\n", ["--secret", "x", "--estimator", "best"], "shrinkage"),
        (b"x,y\n1,A\n2,B\n", ["--secret", "x", "-o", "no/such/folder.json"], "does not exist"),
        (b"x,y\n1,A\n2,B\n", ["--secret", "x", "-o", "table.csv"], "is an input"),
        (b"x,y\n1,A\n2,B\n", [], "--secret"),
        (b"x,y\n1,A\n2,B\n", ["--secret", "x", "--secrets"], "--secret"),
    ],
)
def test_bad_input_gets_one_sentence(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    content: bytes | None,
    arguments: list[str],
    sentence: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    if content is not None:
        Path("table.csv").write_bytes(content)
    before = sorted(tmp_path.rglob("*"))
    code, out, err = run(capsys, "measure", "table.csv", *arguments)
    assert code == 2, err or out
    assert out == ""
    assert err.startswith("leakgauge: ")
    assert len(err.strip().splitlines()) == 1, err
    assert re.search(sentence, err), err
    assert BAD not in err
    assert sorted(tmp_path.rglob("*")) == before
    assert content is None or Path("table.csv").read_bytes() == content


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [("1,1\n2,-3\n", "'-3'"), ("1,1\n", "lack 1 of the 2"), ("1,1\n2,1\n3,1\n", "name '3'"), ("1;1\n", "1 fields")],
)
def test_weights_that_do_not_fit(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, weights: str, sentence: str
) -> None:
    table, file = tmp_path / "table.csv", tmp_path / "weights.csv"
    table.write_text("x,y\n1,A\n2,B\n")
    file.write_text(weights)
    code, _, err = run(capsys, "measure", table, "--secret", "x", "--weights", file)
    assert code == 2
    assert sentence in err


def test_a_bug_of_ours_shows_no_value(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise RuntimeError(BAD)

    monkeypatch.setattr("leakgauge.papers.information_models.reproduce", broken)
    code, _, err = run(capsys, "reproduce")
    assert code == 3
    assert "RuntimeError" in err
    assert BAD not in err


def test_interruption_is_130(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("leakgauge.papers.information_models.reproduce", interrupted)
    assert run(capsys, "reproduce")[0] == 130


def test_reproduce(capsys: pytest.CaptureFixture[str]) -> None:
    found = fields(capsys, "reproduce", "information-models")
    assert found["agrees"] is True
    values = [line["ours"]["value"] for line in found["reproductions"][0]["lines"]]
    assert values == pytest.approx([2, 2, 1.75, 1.75, 3, 3, 2.3125, 2.3125, 1.4183, 1.4183], abs=1e-4)
    code, out, _ = run(capsys, "reproduce")
    assert code == 0
    assert "2.3125 bits" in out
    assert "DIFFERS" not in out


def test_the_sample_is_measured(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    sample = tmp_path / "adult.csv"
    assert run(capsys, "demo", "--sample", sample)[0] == 0
    found = fields(capsys, "measure", sample, "--secret", "marital_status", "--background", "occupation")
    assert found["rows"] == 30718
    assert found["entropy"]["value"] == pytest.approx(1.8199, abs=5e-5)
    assert found["background_floor"]["value"] == pytest.approx(0.0764, abs=5e-5)


@pytest.mark.parametrize("verb", [[], ["measure"], ["reproduce"], ["demo"]])
def test_help(capsys: pytest.CaptureFixture[str], verb: list[str]) -> None:
    code, out, _ = run(capsys, *verb, "--help")
    assert code == 0
    assert "Usage: leakgauge" in out


def test_an_unknown_verb(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "mesure")
    assert code == 2
    assert err == "leakgauge: There is no verb 'mesure'; did you mean 'measure' or 'survey'?\n"


def test_no_verb_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys)
    assert (code, err) == (0, "")
    assert "Verbs:" in out


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, ""), err or out
    assert len(err.strip().splitlines()) == 1, err
    return err


def parquet_parts(folder: Path) -> Path:
    import duckdb

    folder.mkdir()
    for part in ("a", "b"):
        duckdb.sql(f"COPY (SELECT i % 3 AS x FROM range(30) t(i)) TO '{folder / part}.parquet'")
    return folder


def test_no_output_over_the_files_of_a_table(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    import duckdb

    database = tmp_path / "db.duckdb"
    with duckdb.connect(str(database)) as connection:
        connection.execute("CREATE TABLE t AS SELECT i % 3 AS x FROM range(30) s(i)")
    folder = parquet_parts(tmp_path / "parts")
    link = tmp_path / "link.json"
    link.symlink_to(folder / "a.parquet")
    before = {path: path.read_bytes() for path in (database, *folder.iterdir())}
    for table, output in (
        (f"{database}#t", database),
        (folder, folder / "a.parquet"),
        (folder / "*.parquet", folder / "b.parquet"),
        (folder / "*.parquet", link),
    ):
        assert "is an input" in refused(capsys, "measure", table, "--secret", "x", "-o", output)
    assert "lies in the folder" in refused(capsys, "measure", folder, "--secret", "x", "-o", folder / "found.json")
    assert before == {path: path.read_bytes() for path in (database, *folder.iterdir())}
    assert run(capsys, "measure", folder / "*.parquet", "--secret", "x", "-o", tmp_path / "found.json")[0] == 0


def test_only_regular_files_are_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    table, pipe = tmp_path / "table.csv", tmp_path / "pipe"
    table.write_text("x\n1\n2\n")
    os.mkfifo(pipe)
    for output in (pipe, Path(os.devnull)):
        err = refused(capsys, "measure", table, "--secret", "x", "-o", output)
        assert "is not a regular file; name another, or use --json" in err
    assert pipe.is_fifo()


def test_a_link_is_followed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    table, link, found = tmp_path / "table.csv", tmp_path / "link.json", tmp_path / "deep" / "found.json"
    table.write_text("x\n1\n2\n")
    found.parent.mkdir()
    link.symlink_to(found)
    for _ in ("new", "old"):
        assert run(capsys, "measure", table, "--secret", "x", "-o", link)[0] == 0
        assert link.is_symlink()
        assert json.loads(found.read_text(encoding="utf-8"))["rows"] == 2
    link.unlink()
    link.symlink_to(link)
    assert run(capsys, "measure", table, "--secret", "x", "-o", link)[0] != 0
    assert link.is_symlink()


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.csv"
    path.write_text("a,b,z\n" + "u,u,1\n" * 40 + "u,v,2\n" * 30 + "v,u,1\n" * 20 + "v,v,2\n" * 10)
    return path


def channel_file(path: Path, names: tuple[str, ...], inputs: list[object], rows: list[list[float]]) -> Path:
    path.write_text(text_of(ChannelFile.of(NamedChannel(Channel(inputs, "yn", rows), names, ("answer",)))))
    return path


def test_the_columns_of_a_channel_are_matched_by_name(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, pairs: Path
) -> None:
    inputs: list[object] = [("u", "u"), ("u", "v"), ("v", "u"), ("v", "v")]
    rows = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    path = channel_file(tmp_path / "channel.json", ("a", "b"), inputs, rows)
    for order in (("a", "b"), ("b", "a")):
        found = fields(
            capsys, "measure", pairs, "--secret", order[0], "--secret", order[1], "--together", "--channel", path
        )
        # The channel tells the first of its columns, which is "u" in 70 of 100 rows.
        assert found["mutual_information"]["value"] == pytest.approx(0.8812909)


def test_a_channel_of_other_columns_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path, pairs: Path) -> None:
    path = channel_file(tmp_path / "channel.json", ("a",), ["u", "v"], [[1, 0], [0, 1]])
    err = refused(capsys, "measure", pairs, "--secret", "b", "--channel", path)
    assert "reads 'a', but the secret is 'b'" in err
    two = ("--secret", "a", "--secret", "b", "--channel", path)
    assert "reads 'a', but the secret is 'a', 'b'" in refused(capsys, "measure", pairs, *two, "--together")
    assert "reads 'a', but the secret is 'b'" in refused(capsys, "measure", pairs, *two)
    found = fields(capsys, "measure", pairs, "--secret", "a", "--channel", path)
    assert found["mutual_information"]["value"] == pytest.approx(0.8812909)
    both = channel_file(tmp_path / "both.json", ("a", "z"), [("u", 1), ("v", 2)], [[1, 0], [0, 1]])
    err = refused(capsys, "measure", pairs, "--secret", "a", "--background", "z", "--channel", both)
    assert "no input for 2 of the 4 values of 'a', 'z'" in err
    err = refused(capsys, "measure", pairs, "--secret", "a", "--channel", both)
    assert "also reads 'z', which is neither secret nor background" in err


def test_a_channel_without_a_value_that_occurs(capsys: pytest.CaptureFixture[str], tmp_path: Path, pairs: Path) -> None:
    path = channel_file(tmp_path / "channel.json", ("a",), ["u", "w"], [[1, 0], [0, 1]])
    err = refused(capsys, "measure", pairs, "--secret", "a", "--channel", path)
    assert "The channel has no input for 1 of the 2 values of 'a'" in err


def test_weights_with_a_channel_whose_inputs_do_not_all_occur(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, pairs: Path
) -> None:
    path = channel_file(tmp_path / "channel.json", ("a",), ["u", "w", "v"], [[1, 0], [0.5, 0.5], [0, 1]])
    weights = tmp_path / "weights.csv"
    weights.write_text("u,2\nv,2\n")
    arguments = ("measure", pairs, "--secret", "a", "--channel", path, "--weights", weights)
    found = fields(capsys, *arguments)
    assert found["weighted"]["entropy"]["value"] == pytest.approx(2 * found["entropy"]["value"])
    weights.write_text("u,2\n")
    assert "lack 1 of the 2" in refused(capsys, *arguments)


def test_weights_of_values_written_alike(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    table, weights = tmp_path / "table.csv", tmp_path / "weights.csv"
    table.write_text("a,b\na|b,c\na,b|c\n" * 5)
    weights.write_text("a|b|c,2\n")
    err = refused(capsys, "measure", table, "--secret", "a", "--secret", "b", "--together", "--weights", weights)
    assert "written like another one" in err


def test_companions_are_null_beyond_many_combinations(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    table = tmp_path / "wide.csv"
    table.write_text("x,y\n" + "".join(f"{i % 150},{i % 149}\n" for i in range(600)))
    arguments = ("measure", table, "--secret", "x", "--background", "y")
    found = fields(capsys, *arguments)
    for name in ("best_guess", "guesses", "effective_set", "min_entropy", "best_guess_after", "min_entropy_leakage"):
        assert found[name] is None
    assert "left out: there are too many combinations" in run(capsys, *arguments)[1]


def test_companions_do_not_depend_on_the_estimator(capsys: pytest.CaptureFixture[str], pairs: Path) -> None:
    arguments = ("measure", pairs, "--secret", "a", "--background", "z", "--estimator")
    plain, shrunken = fields(capsys, *arguments, "plug-in"), fields(capsys, *arguments, "shrinkage")
    assert plain["entropy"]["value"] != shrunken["entropy"]["value"]
    for name in ("effective_set", "effective_set_after"):
        assert shrunken[name] == plain[name]
    assert plain["effective_set"]["value"] == pytest.approx(2 ** plain["entropy"]["value"])


@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_standard_output_that_knows_only_ascii(tmp_path: Path, as_json: list[str]) -> None:
    (tmp_path / "médical.csv").write_text("ä\n1\n2\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "leakgauge", "measure", "médical.csv", "--secret", "ä", *as_json],
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    if as_json:
        assert json.loads(done.stdout)["secret"] == ["ä"]
    else:
        assert b"H(X)" in done.stdout


def test_intervals_by_unit_are_wider(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    table = tmp_path / "visits.csv"
    # Each person comes ten times, always with the same illness and city.
    rows = (f"{'flu' if person % 3 else 'none'},{'AB'[person % 2]},p{person}\n" * 10 for person in range(60))
    table.write_text("illness,city,person\n" + "".join(rows))
    arguments = ("measure", table, "--secret", "illness", "--background", "city")
    by_row, by_unit = fields(capsys, *arguments), fields(capsys, *arguments, "--unit", "person")
    for name in ("entropy", "background_floor", "best_guess"):
        assert by_unit[name]["value"] == by_row[name]["value"]
        assert by_unit[name]["high"] - by_unit[name]["low"] > 1.5 * (by_row[name]["high"] - by_row[name]["low"])
    assert "'city' is the unit and also has another role" in refused(capsys, *arguments, "--unit", "city")
