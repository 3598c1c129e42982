"""The command line in Chinese: help, errors, and the same numbers as in English."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from io import StringIO
from itertools import chain
from pathlib import Path

import click
import pytest
from rich.console import Console

from leakgauge.cli import main, reproduce, verbs
from leakgauge.cli.speaking import VARIABLE, current, language_asked, retell, say, speaking
from leakgauge.cli.wrapping import columns, wrapped
from leakgauge.errors import OptionError
from leakgauge.jobs.samples import adult_rows
from leakgauge.probability import Channel
from leakgauge.probability.files import NamedChannel
from tests.cli.running import run

_NUMBERS = re.compile(r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[-+]?\d+)?")
# What an option takes is in capitals.
_ENGLISH = re.compile(r"[A-Za-z]{3,}[;:.]? [a-z]{3,}")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
# Names of formats, commands, and texts that an option takes as they are.
_AS_THEY_ARE = ("JSON lines", "one row", "one value of", "--knowledge attacker", "`leakgauge release`")


def numbers(text: str) -> Counter[str]:
    return Counter(_NUMBERS.findall(text))


def english_in(text: str, *names: str) -> list[str]:
    """Words that follow each other in English, beside names and commands."""
    for name in (*_AS_THEY_ARE, *names):
        text = text.replace(name, "·")
    return _ENGLISH.findall(text)


def every_verb() -> Iterator[tuple[str, ...]]:
    """The arguments that name each verb, and each verb of a verb."""
    context = click.Context(verbs)
    for name in verbs.list_commands(context):
        yield (name,)
        inner = verbs.get_command(context, name)
        if isinstance(inner, click.Group):
            # A query names its table before what is asked of it.
            named = ("TABLE",) if any(isinstance(one, click.Argument) for one in inner.params) else ()
            yield from ((name, *named, sub) for sub in inner.commands)


def write(channel: Channel, path: Path) -> None:
    path.write_text(json.dumps(NamedChannel(channel, ("illness",), ("illness",)).as_json()))


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
    ("measure", "people.csv", "--secret", "illness", "--secret", "city", "--release", "masked", "--each"),
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
    ("design", "people.csv", "--secret", "illness", "--secret", "city", "--slope", "3"),
    ("compare", "people.csv", "--secret", "illness", "randomized-response:epsilon=1", "--max-distortion", "0.3"),
    ("compare", "people.csv", "--secret", "illness", "--background", "city", "channel.json", "--max-leakage", "0.9"),
    ("compare", "people.csv", "--secret", "illness", "--weights", "weights.csv", "--max-distortion", "0.3"),
    ("reproduce", "information-models"),
]


@pytest.mark.parametrize("arguments", SPOKEN, ids=" ".join)
def test_the_same_numbers_in_both_languages(
    capsys: pytest.CaptureFixture[str], house: Path, arguments: tuple[str, ...]
) -> None:
    code, english, _ = run(capsys, *arguments, "--language", "en")
    other, chinese, err = run(capsys, *arguments, "--language", "zh")
    assert (code, other, err) == (0, 0, "")
    assert numbers(english) == numbers(chinese)
    assert _CHINESE.search(chinese) and not _CHINESE.search(english)
    assert not english_in(chinese)
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
    assert _CHINESE.search((house / "zh.svg").read_text(encoding="utf-8"))
    assert not _CHINESE.search((house / "en.svg").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", reproduce.NAMES.values())
def test_reproductions_say_the_same(name: str) -> None:
    found = import_module(f"leakgauge.jobs.{name}").reproduce()

    def told(code: str) -> str:
        with speaking(code):
            console = Console(file=StringIO(), width=1000)
            for part in reproduce.render(found):
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
    assert code == 0 and "X 秘密：score（2 个取值）" in out and "Z 背景：bits（2 个取值）" in out
    code, out, _ = run(capsys, "design", *how, "--max-distortion", "0.1")
    assert code == 0 and "针对 score 的" in out
    assert re.search("发布 (secret|release) 时达到 ε：(secret 对 release|release 对 secret)。", out)


def test_an_infinite_level_is_a_word(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "identity.json"
    write(Channel.identity(["a", "b"]), path)
    assert "无穷" in run(capsys, "relate", str(path), "--language", "zh")[1]


@pytest.mark.parametrize("verb", list(every_verb()), ids=" ".join)
def test_help_is_in_chinese(capsys: pytest.CaptureFixture[str], verb: tuple[str, ...]) -> None:
    before = run(capsys, *verb, "--help")
    code, out, err = run(capsys, *verb, "--help", "--language", "zh")
    assert (code, err) == (0, "")
    assert out.startswith(f"用法：leakgauge {verb[0]}") and "\n选项：\n" in out and "显示此帮助并退出。" in out
    parts = out.split("\n\n")[1:]
    examples = [part for part in parts if part.lstrip().startswith("leakgauge ")]
    said = "\n\n".join(part for part in parts if part not in examples)
    assert not english_in(said)
    lines = [line for line in said.splitlines() if not re.match(r"\s+-", line)]
    assert max(columns(line) for line in lines) <= 80
    # The examples stay as they are, and English is as it was before.
    assert all(line.strip() in before[1] for line in chain.from_iterable(part.splitlines() for part in examples))
    assert run(capsys, *verb, "--help") == before and before[1].startswith("Usage: ")
    assert "--language [en|zh]" in before[1] and "LEAKGAUGE_LANGUAGE" in before[1]


def test_the_list_of_verbs_is_in_chinese(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (("--help", "--language", "zh"), ("--language=zh", "-h")):
        code, out, err = run(capsys, *arguments)
        assert (code, err) == (0, "") and "\n动词：\n" in out
        assert not english_in(out)
    assert "\n动词：\n" in run(capsys, "ledger", "--language", "zh", "--help")[1]


def test_no_verb_of_the_module_is_changed(capsys: pytest.CaptureFixture[str]) -> None:
    from leakgauge.cli.ledger import command as ledger
    from leakgauge.cli.measure import command as measure

    for arguments in (("measure", "-h"), ("ledger", "-h"), ("ledger", "open", "-h")):
        run(capsys, *arguments, "--language", "zh")
    for command in (measure, ledger, ledger.commands["open"], verbs):
        assert "language" not in [one.name for one in command.params]
        assert command.help is not None and not _CHINESE.search(command.help) and command.short_help is None


ERRORS = [
    (("measure",), "缺少参数 'TABLE'。"),
    (("measure", "t.csv"), "缺少选项 '--secret'。"),
    (("measure", "t.csv", "--secret"), "选项 '--secret' 需要一个值。"),
    (("measure", "t.csv", "--secret", "a", "--each=1"), "选项 '--each' 不接受值。"),
    (("measure", "t.csv", "--nothing"), "没有选项 '--nothing'。"),
    (("measure", "t.csv", "--confidenc", "1"), "没有选项 '--confidenc'。是否想用 '--confidence'？"),
    (("measure", "t.csv", "--secrt", "a"), "没有选项 '--secrt'。是否想用其中之一：'--each', '--secret'？"),
    (("measure", "t.csv", "--secret", "a", "--confidence", "much"), "'--confidence' 的值无效：'much' 不是数。"),
    (("design", "t.csv", "--secret", "a", "--curve", "1.5"), "'--curve' 的值无效：'1.5' 不是整数。"),
    (
        ("measure", "t.csv", "--secret", "a", "--estimator", "best"),
        "'--estimator' 的值无效：'best' 不在 'plug-in', 'miller-madow', 'shrinkage' 之中。",
    ),
    (("relate", "local-dp:1", "more"), "多出了参数（more）"),
    (("relate", "local-dp:1", "more", "still"), "多出了这些参数（more still）"),
    ((), "缺少动词。"),
    (("ledger", "shut"), "没有动词 'shut'。"),
    (("ledger", "opn"), "没有动词 'opn'。是否想用 'open'？"),
]


@pytest.mark.parametrize(("arguments", "told"), ERRORS)
def test_what_cannot_be_parsed_is_said_in_chinese(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], told: str
) -> None:
    # Last, and first: the language is known before the arguments are read.
    for given in (("--language", "zh", *arguments), (*arguments[:1], "--language=zh", *arguments[1:])):
        assert run(capsys, *given) == (2, "", f"leakgauge: {told}\n")


def test_errors_are_said_in_chinese(capsys: pytest.CaptureFixture[str], house: Path) -> None:
    for arguments in (
        ("mesure", "people.csv"),
        ("measure", "people.csv", "--secret", "ilness"),
        ("measure", "people.csv", "--secret", "illness", "--confidence", "2"),
        ("design", "people.csv", "--secret", "illness"),
    ):
        code, out, err = run(capsys, *arguments, "--language", "zh")
        assert (code, out) == (2, "") and err.startswith("leakgauge: ") and err.count("\n") == 1
        assert _CHINESE.search(err) and not english_in(err)
        assert run(capsys, *arguments)[0] == 2


@pytest.mark.parametrize(
    ("failure", "code", "told"),
    [
        (click.Abort(), 130, "已中断。"),
        (MemoryError(), 3, "内存不足；请减少列、使用更粗的列，或进行分箱。"),
        (OSError(28, "No space left on device"), 3, "系统拒绝了操作：No space left on device。"),
        (
            ZeroDivisionError("secret"),
            3,
            "Leakgauge 自身出错（ZeroDivisionError）；请设置 LEAKGAUGE_DEBUG=1 查看详情并报告。",
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_failures_are_said_in_chinese(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, failure: BaseException, code: int, told: str
) -> None:
    def fail() -> None:
        raise failure

    monkeypatch.setattr("leakgauge.jobs.information_models.reproduce", fail)
    monkeypatch.delenv("LEAKGAUGE_DEBUG", raising=False)
    assert run(capsys, "reproduce", "information-models", "--language", "zh") == (code, "", f"leakgauge: {told}\n")


def test_the_environment_chooses_where_no_option_does(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "zh")
    assert run(capsys, "--help")[1].startswith("用法：")
    assert run(capsys, "measure")[2] == "leakgauge: 缺少参数 'TABLE'。\n"
    assert run(capsys, "measure", "--language", "en")[2] == "leakgauge: Missing argument 'TABLE'.\n"
    monkeypatch.setenv(VARIABLE, "")
    assert run(capsys, "measure")[2] == "leakgauge: Missing argument 'TABLE'.\n"


def test_an_unknown_language_is_one_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = "leakgauge: There is no language 'fr'; known are 'en', 'zh'.\n"
    assert run(capsys, "measure", "t.csv", "--language", "fr") == (2, "", told)
    assert run(capsys, "--help", "--language=fr") == (2, "", told)
    assert run(capsys, "measure", "--language", "zhh")[2].endswith("did you mean 'zh'?\n")
    assert run(capsys, "measure", "t.csv", "--language")[2] == "leakgauge: Option '--language' requires an argument.\n"
    monkeypatch.setenv(VARIABLE, "fr")
    code, out, err = run(capsys, "--help")
    assert (code, out, err.count("\n")) == (2, "", 1) and "'fr'" in err and VARIABLE in err
    assert run(capsys, "--help", "--language", "en")[0] == 0


def test_which_language_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert language_asked([]) == "en"
    assert language_asked(["measure", "--language", "zh"]) == "zh"
    assert language_asked(["--language=zh", "measure", "--language", "en"]) == "en"
    assert language_asked(["measure", "--", "--language", "zh"]) == "en"
    assert language_asked(["measure", "--language"]) == "en"


def test_a_language_is_spoken_until_the_end_of_its_block() -> None:
    assert (current().code, say("bits")) == ("en", "bits")
    with speaking("zh") as language:
        assert current() is language and say("bits") == "比特"
        with speaking("en"):
            assert retell("bits") == "bits"
        assert retell("bits") == "比特"
    assert current().code == "en"
    with pytest.raises(OptionError, match="no language 'xx'"), speaking("xx"):
        pass


def test_lines_break_between_wide_letters() -> None:
    text = "一次发布是一条有噪信道（noisy channel），泄露 0.0764 比特；从秘密 X 通向外界所见的 Y。"
    for width in range(16, 100):
        lines = wrapped(text, width)
        assert max(map(columns, lines)) <= width + 2, "two columns more where punctuation hangs over"
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")
        assert not any(line[0] in "，。；）" or line[-1] == "（" for line in lines)
        assert any("0.0764" in line for line in lines) and any("channel" in line for line in lines)
    assert wrapped("", 10) == [""]


def test_the_sample_in_chinese(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    from pyarrow import parquet

    path = tmp_path / "adult.parquet"
    parquet.write_table(adult_rows(), path)
    code, out, _ = run(capsys, "measure", str(path), "--secret", "marital_status", "--language", "zh")
    assert code == 0 and "30,718 行，来自 adult.parquet" in out and "1.8199" in out
    assert main(["--version", "--language", "zh"]) == 0
