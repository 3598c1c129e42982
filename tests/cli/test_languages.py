"""The command line in Chinese: help, errors, and which language is spoken."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

import click
import pytest
from rich.cells import cell_len

from leakgauge.cli import verbs
from leakgauge.cli.language import VARIABLE, current, language_asked, retell, say, speaking, wrapped
from leakgauge.errors import OptionError
from tests.cli.running import run
from tests.cli.words import CHINESE, english_in


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


@pytest.mark.parametrize("verb", list(every_verb()), ids=" ".join)
def test_help_is_in_chinese(capsys: pytest.CaptureFixture[str], verb: tuple[str, ...]) -> None:
    before = run(capsys, *verb, "--help")
    code, out, err = run(capsys, *verb, "--help", "--language", "zh")
    assert (code, err) == (0, "")
    assert out.startswith(f"用法：leakgauge {verb[0]}") and "选项：\n" in out and "显示此帮助并退出。" in out
    parts = out.split("\n\n")[1:]
    examples = [part for part in parts if part.lstrip().startswith("leakgauge ")]
    said = "\n\n".join(part for part in parts if part not in examples)
    assert not english_in(said)
    lines = [line for line in said.splitlines() if not re.match(r"\s+-", line)]
    assert max(cell_len(line) for line in lines) <= 80
    # The examples stay as they are, and English is as it was before.
    assert all(line.strip() in before[1] for line in chain.from_iterable(part.splitlines() for part in examples))
    assert run(capsys, *verb, "--help") == before and before[1].startswith("Usage: ")
    assert "--language [en|zh]" in before[1] and "LEAKGAUGE_LANGUAGE" in before[1]


def test_the_list_of_verbs_is_in_chinese(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (("--help", "--language", "zh"), ("--language=zh", "-h")):
        code, out, err = run(capsys, *arguments)
        assert (code, err) == (0, "") and "\n命令：\n" in out
        assert not english_in(out)
    assert "\n命令：\n" in run(capsys, "ledger", "--language", "zh", "--help")[1]


def test_no_verb_of_the_module_is_changed(capsys: pytest.CaptureFixture[str]) -> None:
    from leakgauge.cli.ledger import command as ledger
    from leakgauge.cli.measure import command as measure

    for arguments in (("measure", "-h"), ("ledger", "-h"), ("ledger", "open", "-h")):
        run(capsys, *arguments, "--language", "zh")
    for command in (measure, ledger, ledger.commands["open"], verbs):
        assert "language" not in [one.name for one in command.params]
        assert command.help is not None and not CHINESE.search(command.help) and command.short_help is None


ERRORS = [
    (("measure",), "缺少参数 'TABLE'。"),
    (("measure", "t.csv"), "缺少选项 '--secret'。"),
    (("measure", "t.csv", "--secret"), "选项 '--secret' 需要一个值。"),
    (("measure", "t.csv", "--secret", "a", "--each=1"), "选项 '--each' 不接受值。"),
    (("measure", "t.csv", "--xyzzy"), "没有选项 '--xyzzy'。"),
    (("measure", "t.csv", "--confidenc", "1"), "没有选项 '--confidenc'。是否想用 '--confidence'？"),
    (("measure", "t.csv", "--secrt", "a"), "没有选项 '--secrt'。是否想用其中之一：'--each'、'--secret'？"),
    (("measure", "t.csv", "--secret", "a", "--confidence", "much"), "'--confidence' 的值无效：'much' 不是数。"),
    (("design", "t.csv", "--secret", "a", "--curve", "1.5"), "'--curve' 的值无效：'1.5' 不是整数。"),
    (
        ("measure", "t.csv", "--secret", "a", "--estimator", "best"),
        (
            "'--estimator' 的值无效：'best' 不在 'plug-in'、'miller-madow'、'shrinkage'、'chao-shen'、'grassberger'、"
            "'nsb' 之中。"
        ),
    ),
    (
        ("reproduce", "foo"),
        "'NAME' 的值无效：'foo' 不在 'influence-diagram'、'information-models'、'notions'、'rate-distortion' 之中。",
    ),
    (
        ("audit", "m", "--samples", "0"),
        "'--samples' 的值无效：0 不在范围 x>=4 之内。",
    ),
    (
        ("audit", "m", "--samples", "few"),
        "'--samples' 的值无效：'few' 不是整数。",
    ),
    (("relate", "local-dp:1", "more"), "多出了参数（more）"),
    (("relate", "local-dp:1", "more", "still"), "多出了这些参数（more still）"),
    ((), "缺少命令。"),
    (("ledger", "shut"), "没有命令 'shut'。"),
    (("ledger", "opn"), "没有命令 'opn'。是否想用 'open'？"),
]


@pytest.mark.parametrize(("arguments", "told"), ERRORS)
def test_what_cannot_be_parsed_is_said_in_chinese(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], told: str
) -> None:
    # Last, and first: the language is known before the arguments are read.
    for given in (("--language", "zh", *arguments), (*arguments[:1], "--language=zh", *arguments[1:])):
        assert run(capsys, *given) == (2, "", f"leakgauge: {told}\n")


@pytest.mark.parametrize(
    ("failure", "code", "told"),
    [
        (click.Abort(), 130, "已中断。"),
        (MemoryError(), 3, "内存不足；请减少列、使用泛化后的列，或进行分箱。"),
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

    monkeypatch.setattr("leakgauge.papers.information_models.reproduce", fail)
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
    text = "一次发布是一条有噪信道（noisy channel），泄露 0.0764 比特；从敏感属性 X 通向外界所见的 Y。"
    for width in range(16, 100):
        lines = wrapped(text, width)
        assert max(map(cell_len, lines)) <= width + 2, "two columns more where punctuation hangs over"
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")
        assert not any(line[0] in "，。；）" or line[-1] == "（" for line in lines)
        assert any("0.0764" in line for line in lines) and any("channel" in line for line in lines)
    assert wrapped("", 10) == [""]
