"""Measures, designs, comparisons and reproductions told in English and in Chinese: the same numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from leakgauge import papers
from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.artefacts.codec import text_of
from leakgauge.cli import main
from leakgauge.cli.language import speaking
from leakgauge.cli.output import Output, Telling, deliver
from leakgauge.cli.terminal import terminal, voice_of
from leakgauge.jobs.samples import adult_rows
from leakgauge.probability import Channel
from leakgauge.probability.files import NamedChannel
from leakgauge.telling.published import published
from tests.cli.running import run
from tests.cli.words import CHINESE, HALF_WIDTH, english_in, numbers


def write(channel: Channel, path: Path) -> None:
    path.write_text(text_of(ChannelFile.of(NamedChannel(channel, ("illness",), ("illness",)))))


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a small table, weights, a channel and a prior."""
    monkeypatch.chdir(tmp_path)
    rows = ["city,illness,masked"]
    for city, illness, masked, count in (
        ("Aville", "flu", "flu", 60),
        ("Aville", "cold", "flu", 25),
        ("Bville", "cold", "cold", 55),
        ("Bville", "none", "none", 30),
        ("Cville", "none", "cold", 20),
        ("Cville", "flu", "flu", 15),
    ):
        rows += [f"{city},{illness},{masked}"] * count
    (tmp_path / "people.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "weights.csv").write_text("flu,2\ncold,1\nnone,0.5\n")
    (tmp_path / "prior.csv").write_text("flu,0.4\ncold,0.4\nnone,0.2\n")
    labels = ("cold", "flu", "none")
    channel = Channel(labels, labels, [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.0, 0.2, 0.8]])
    write(channel, tmp_path / "channel.json")
    (tmp_path / "few.csv").write_text("city,illness\nA,flu\nB,cold\nC,none\nD,flu\n")
    return tmp_path


SPOKEN = [
    ("measure", "people.csv", "--secret", "illness"),
    ("measure", "people.csv", "--secret", "illness", "--background", "city"),
    ("measure", "people.csv", "--secret", "illness", "--release", "masked", "--weights", "weights.csv"),
    ("measure", "people.csv", "--secret", "illness", "--secret", "city", "--release", "masked"),
    ("measure", "people.csv", "--secret", "illness", "--channel", "channel.json", "--confidence", "0.9"),
    ("measure", "few.csv", "--secret", "illness", "--background", "city"),
    ("relate", "channel.json"),
    ("relate", "channel.json", "--prior", "prior.csv"),
    ("relate", "local-dp:1.0"),
    ("relate", "local-dp:1.0", "--prior", "prior.csv"),
    ("relate", "mutual-information:0.2bits"),
    ("relate", "dp:0.5", "--records", "100", "--independent"),
    ("relate", "central-mutual-information:0.2bits"),
    ("design", "people.csv", "--secret", "illness", "--max-distortion", "0.2"),
    ("design", "people.csv", "--secret", "illness", "--background", "city", "--slope", "2"),
    ("design", "people.csv", "--secret", "illness", "--background", "city", "--slope", "2", "--local-dp", "2"),
    ("design", "people.csv", "--secret", "illness", "--max-distortion", "0.2", "--identifiability", "3"),
    ("design", "people.csv", "--secret", "illness", "--curve", "4", "--weights", "weights.csv"),
    ("design", "people.csv", "--secret", "illness", "--background", "city", "--knowledge", "nobody", "--slope", "2"),
    ("design", "people.csv", "--secret", "illness", "--background", "city", "--knowledge", "published", "--slope", "2"),
    ("design", "people.csv", "--secret", "illness", "--secret", "city", "--together", "--slope", "3"),
    ("compare", "people.csv", "--secret", "illness", "randomized-response:epsilon=1", "--max-distortion", "0.3"),
    ("compare", "people.csv", "--secret", "illness", "--background", "city", "channel.json", "--max-leakage", "0.9"),
    ("compare", "people.csv", "--secret", "illness", "--weights", "weights.csv", "--max-distortion", "0.3"),
    ("reproduce", "information-models"),
]


@pytest.mark.parametrize("arguments", SPOKEN, ids=" ".join)
def test_the_same_numbers_in_both_languages(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, house: Path, arguments: tuple[str, ...]
) -> None:
    told = {}

    def deliver_both(fields: Mapping[str, Any], to: Output, tell: Telling, *given: Any) -> None:
        # What was found is delivered in one language after the other: finding it takes most of the time.
        for code in ("en", "zh"):
            with speaking(code):
                deliver(fields, to, tell, *given)
            told[code] = capsys.readouterr().out

    monkeypatch.setattr(f"leakgauge.cli.{arguments[0]}.deliver", deliver_both)
    assert run(capsys, *arguments) == (0, "", "")
    english, chinese = told["en"], told["zh"]
    assert numbers(english) == numbers(chinese)
    assert CHINESE.search(chinese) and not CHINESE.search(english)
    assert not english_in(chinese)
    assert not HALF_WIDTH.search(chinese)
    assert "…" not in chinese, "nothing is cut off"


@pytest.mark.parametrize(
    "arguments",
    [
        ("measure", "people.csv", "--secret", "illness", "--background", "city"),
        ("relate", "channel.json", "--prior", "prior.csv"),
        ("design", "people.csv", "--secret", "illness", "--curve", "4"),
        ("compare", "people.csv", "--secret", "illness", "--max-distortion", "0.3"),
        ("reproduce", "information-models"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_json_is_data_in_any_language(
    capsys: pytest.CaptureFixture[str], house: Path, arguments: tuple[str, ...]
) -> None:
    _, english, _ = run(capsys, *arguments, "--json", "-o", "english.json")
    _, chinese, _ = run(capsys, *arguments, "--json", "-o", "chinese.json", "--language", "zh")
    assert english == chinese and english.startswith("{")
    assert (house / "english.json").read_bytes() == (house / "chinese.json").read_bytes()


@pytest.mark.parametrize("target", [("--curve", "4"), ("--slope", "1")], ids=" ".join)
def test_pictures_speak_the_language(house: Path, target: tuple[str, ...]) -> None:
    for code in ("en", "zh"):
        how = ("design", "people.csv", "--secret", "illness", *target, "-o", f"{code}.svg", "--language", code)
        assert main(list(how)) == 0
    assert CHINESE.search((house / "zh.svg").read_text(encoding="utf-8"))
    assert not CHINESE.search((house / "en.svg").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", papers.PAPERS)
def test_reproductions_say_the_same(name: str) -> None:
    found = papers.reproduce(name)

    def told(code: str) -> str:
        with speaking(code):
            console = Console(file=StringIO(), width=1000)
            for part in terminal(published(voice_of(), found)):
                console.print(part)
            assert isinstance(console.file, StringIO)
            return console.file.getvalue()

    english, chinese = told("en"), told("zh")
    assert numbers(english) == numbers(chinese)
    assert not english_in(chinese)


def test_the_user_s_words_are_never_translated(capsys: pytest.CaptureFixture[str], house: Path) -> None:
    # Each is a word that the program itself says, and then in Chinese.
    rows = ["bits,score"] + ["missing,secret"] * 30 + ["required,release"] * 20
    (house / "words.csv").write_text("\n".join(rows) + "\n")
    how = ("words.csv", "--secret", "score", "--language", "zh")
    code, out, _ = run(capsys, "measure", *how, "--background", "bits")
    assert code == 0 and "X，敏感列：score（不同取值：2 个）" in out and "Z，背景知识：bits（不同取值：2 个）" in out
    code, out, _ = run(capsys, "design", *how, "--max-distortion", "0.1")
    assert code == 0 and "针对 score 的" in out
    assert re.search("发布 (secret|release) 时达到 ε：(secret 对 release|release 对 secret)。", out)


def test_an_infinite_level_is_a_word(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "identity.json"
    write(Channel.identity(["a", "b"]), path)
    assert "无穷" in run(capsys, "relate", str(path), "--language", "zh")[1]


def test_errors_are_said_in_chinese(capsys: pytest.CaptureFixture[str], house: Path) -> None:
    for arguments in (
        ("mesure", "people.csv"),
        ("measure", "people.csv", "--secret", "ilness"),
        ("measure", "people.csv", "--secret", "illness", "--confidence", "2"),
        ("design", "people.csv", "--secret", "illness"),
    ):
        code, out, err = run(capsys, *arguments, "--language", "zh")
        assert (code, out) == (2, "") and err.startswith("leakgauge: ") and err.count("\n") == 1
        assert CHINESE.search(err) and not english_in(err)
        assert run(capsys, *arguments)[0] == 2


def test_the_sample_in_chinese(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    from pyarrow import parquet

    path = tmp_path / "adult.parquet"
    parquet.write_table(adult_rows(), path)
    code, out, _ = run(capsys, "measure", str(path), "--secret", "marital_status", "--language", "zh")
    assert code == 0 and "30,718 行，来自 adult.parquet" in out and "1.82" in out
    assert main(["--version", "--language", "zh"]) == 0


def test_levels_stand_apart_from_their_units(capsys: pytest.CaptureFixture[str], house: Path) -> None:
    _, english, _ = run(capsys, "relate", "local-dp:1")
    _, chinese, _ = run(capsys, "relate", "local-dp:1", "--language", "zh")
    assert "sibson-leakage (order 2)" in english and "approximate-dp (δ = 1e-06)" in english
    assert "sibson-leakage（阶 2）" in chinese and "1.44 比特" in chinese
    assert "A − 1 − ln A，A = ε/(1 − e^−ε) " in chinese
    _, chinese, _ = run(capsys, "relate", "channel.json", "--language", "zh")
    assert "renyi-dp（阶 2）" in chinese and "approximate-dp（δ = 1e-06）" in chinese
