"""Channel files read back bit for bit; label files say what is wrong with them."""

from __future__ import annotations

import json
import math
from datetime import date, datetime
from pathlib import Path

import pytest
from hypothesis import given

from leakgauge.artefacts.channel_file import ChannelFile, read_channel
from leakgauge.artefacts.codec import encode
from leakgauge.errors import FileError, LabelError
from leakgauge.probability import Channel, Interval
from leakgauge.probability.files import NamedChannel, match_labels, read_label_values
from tests.laws.strategies import channels


def written(tmp_path: Path, fields: object) -> Path:
    path = tmp_path / "channel.json"
    path.write_text(fields if isinstance(fields, str) else json.dumps(fields, allow_nan=False), encoding="utf-8")
    return path


@given(channels())
def test_numbers_read_back_bit_for_bit(tmp_path_factory: pytest.TempPathFactory, channel: Channel) -> None:
    path = written(tmp_path_factory.mktemp("c"), encode(ChannelFile.of(NamedChannel(channel, ("x",), ("y",)))))
    assert read_channel(path).channel == channel


@pytest.mark.parametrize(
    "labels",
    [
        ("a", "ä 中文 🙂", None),
        (1, 2, None),
        (0.5, 2.0, None),
        (-math.inf, 0.5, math.inf),
        (True, False, None),
        (date(2020, 1, 1), date(2021, 1, 1), None),
        (datetime(2020, 1, 1, 12), datetime(2021, 1, 1), None),  # noqa: DTZ001
        (Interval(None, 0.0), Interval(0.0, 18.0), Interval(18.0, 90.0, closed=True)),
        (Interval(date(2020, 1, 1), date(2021, 1, 1)), None, Interval(date(2021, 1, 1), None)),
        (Interval(-math.inf, 0.0), Interval(0.0, math.inf), None),
        (("a", 1), ("b", None), ("a", 2)),
        (("a", math.inf), ("b", -math.inf), ("a", 2.0)),
    ],
)
def test_labels_of_every_kind_read_back(tmp_path: Path, labels: tuple[object, ...]) -> None:
    channel = Channel(labels, labels, [[0.5, 0.25, 0.25]] * 3)
    names = ("x", "z") if isinstance(labels[0], tuple) else ("x",)
    named = NamedChannel(channel, names, names)
    assert read_channel(written(tmp_path, encode(ChannelFile.of(named)))) == named


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"schema": "leakgauge/channel/2"}, "schema 'leakgauge/channel/2'"),
        ({"schema": None}, "schema None"),
        ({"inputs": None}, "not a channel file: its inputs or outputs are malformed"),
        ({"inputs": {"columns": [{"name": "x", "type": "string"}]}}, "it lacks 'labels'"),
        ({"outputs": {"columns": [{"name": "x"}], "labels": [["a"], ["b"]]}}, "it lacks 'type'"),
        ({"inputs": {"columns": [{"name": "x", "type": "string"}], "labels": [["a", "b"]]}}, "malformed"),
        ({"inputs": {"columns": [{"name": "x", "type": "text"}], "labels": [["a"], ["b"]]}}, "unknown type 'text'"),
        ({"inputs": {"columns": [{"name": "x", "type": ["int"]}], "labels": [["a"], ["b"]]}}, "malformed"),
        ({"inputs": {"columns": [{"name": 5, "type": "int"}], "labels": [[1], [2]]}}, "name each column"),
        ({"inputs": {"columns": [{"name": "x", "type": "float"}], "labels": [[1], [10**400]]}}, "malformed"),
        ({"matrix": [[10**400, 0], [0, 1]]}, "too large for a float"),
        ({"matrix": [["1", "0"], ["0", "1"]]}, "not all numbers"),
        ({"matrix": [[1, 0], [0, "1"]]}, "not all numbers"),
        ({"matrix": [[10**400, 0], [0, "1"]]}, "not all numbers"),
        ({"matrix": [1, 0]}, "probabilities have 1 axes instead of 2"),
        ({"matrix": [[1, 0], [0.5, 0.4]]}, "row 2 sum to 0.9"),
        ({"matrix": [[1, 0]]}, "1 × 2"),
        ({"inputs": {"columns": [{"name": "x", "type": "string"}], "labels": [["a"], ["a"]]}}, "repeat"),
    ],
)
def test_what_is_no_channel(tmp_path: Path, change: dict[str, object], reason: str) -> None:
    fields = encode(ChannelFile.of(NamedChannel(Channel.identity("ab"), ("x",), ("y",))))
    with pytest.raises(FileError, match=reason):
        read_channel(written(tmp_path, {**fields, **change}))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"There is no file '.*none\.json'; check the path"):
        read_channel(tmp_path / "none.json")
    with pytest.raises(FileError, match="is a folder; name a file in it"):
        read_channel(tmp_path)
    with pytest.raises(FileError, match="syntax is broken"):
        read_channel(written(tmp_path, "{"))
    with pytest.raises(FileError, match="nested too deeply"):
        read_channel(written(tmp_path, "[" * 200_000))
    with pytest.raises(FileError, match="syntax is broken"):
        read_channel(written(tmp_path, "9" * 10_000))
    with pytest.raises(FileError, match="not contain a JSON object"):
        read_channel(written(tmp_path, "[]"))
    latin = tmp_path / "latin.csv"
    latin.write_bytes("café,1\n".encode("latin-1"))
    with pytest.raises(FileError, match="not UTF-8"):
        read_label_values(latin)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no entries"),
        ("label,value\n", "no entries"),
        ("a,1\na,2\n", "Entry 2 .* repeats"),
        ("a,1,2\n", "has 3 fields"),
        ("a,-1\n", "'-1'; write a finite number"),
        ("a,nan\n", "'nan'"),
        ("a,much\n", "'much'"),
    ],
)
def test_label_files_that_are_wrong(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "weights.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileError, match=reason):
        read_label_values(path)


def test_labels_are_matched_by_their_text(tmp_path: Path) -> None:
    path = tmp_path / "weights.csv"
    path.write_text('label,value\n1,0.5\n"a,b",2\n,3\n', encoding="utf-8")
    values = read_label_values(path)
    assert match_labels(values, [1, "a,b", None], "weights") == {1: 0.5, "a,b": 2, None: 3}
    with pytest.raises(LabelError, match="lack 1 of the 4"):
        match_labels(values, [1, "a,b", None, "c"], "weights")
    with pytest.raises(LabelError, match="name 'a,b'"):
        match_labels(values, [1, None], "weights")


def test_a_channel_file_lacking_a_key_is_told_which(tmp_path: Path) -> None:
    fields = encode(ChannelFile.of(NamedChannel(Channel.identity("ab"), ("x",), ("y",))))
    del fields["matrix"]
    with pytest.raises(FileError, match="it lacks 'matrix'; add it"):
        read_channel(written(tmp_path, fields))


@pytest.mark.parametrize("labels", [["", None], [("a|b", "c"), ("a", "b|c")], ["1", 1]])
def test_labels_written_alike_are_refused(labels: list[object]) -> None:
    with pytest.raises(LabelError, match="1 of the 2 values are written like another one"):
        match_labels({"": 1.0, "a|b|c": 2.0}, labels, "weights")


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        (["true", "FALSE"], [True, False]),
        (["True", "False"], [True, False]),
        (["1", "2.5", "1e3"], [1.0, 2.5, 1000.0]),
        (["1.0", "2.00"], [1, 2]),
        (["1", "1.0"], ["1", "1.0"]),
        ([str(2**60), str(2**60 + 1)], [2**60, 2**60 + 1]),
        (["TRUE|1|TRUE", "TRUE|2.50|true"], [("TRUE", 1.0, True), ("TRUE", 2.5, True)]),
    ],
)
def test_booleans_and_numbers_may_be_written_otherwise(texts: list[str], labels: list[object]) -> None:
    values = {text: float(at) for at, text in enumerate(texts)}
    assert match_labels(values, labels, "weights") == {label: float(at) for at, label in enumerate(labels)}


def test_text_is_matched_exactly() -> None:
    with pytest.raises(LabelError, match="name '1'"):
        match_labels({"1": 1.0}, ["01"], "weights")
    with pytest.raises(LabelError, match="not one of the 2 values"):
        match_labels({"|".join("1" * 100): 1.0}, [(1, 1), (1, 2)], "weights")
    with pytest.raises(LabelError, match=r"name '1\.0' a second time"):
        match_labels({"1": 1.0, "1.0": 2.0}, [1, 2], "weights")
