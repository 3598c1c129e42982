"""Templates filled, errors told, and sentences that files store."""

from __future__ import annotations

from pathlib import Path

import pytest

from leakgauge.errors import ColumnError, FileError, LabelError, ModelError, OptionError, TableError, did_you_mean
from leakgauge.languages import ENGLISH, Language, language_of
from leakgauge.sentences import Sentence

CHINESE = Language("zh")


def test_english_is_the_template_itself() -> None:
    assert ENGLISH.say("{rows:,} rows of {name!r}", rows=1200, name="a") == "1,200 rows of 'a'"
    assert ENGLISH.retell("ε is infinite, which promises nothing") == "ε is infinite, which promises nothing"
    assert dict(ENGLISH.catalogue) == {}


def test_a_template_that_no_catalogue_has_is_said_in_english() -> None:
    assert CHINESE.say("{rows} rows of quite another kind", rows=3) == "3 rows of quite another kind"
    assert CHINESE.retell(Sentence("{rows} rows of quite another kind", rows=3)) == "3 rows of quite another kind"


def test_an_unknown_language_is_refused_with_those_there_are() -> None:
    with pytest.raises(OptionError, match=r"There is no language 'fr'; known are 'en', 'zh'\.") as refused:
        Language("fr")
    assert CHINESE.error(refused.value) == "没有语言 'fr'；已知的有 'en'、'zh'。"


def test_a_language_is_made_once() -> None:
    assert language_of("zh") is language_of("zh")
    assert repr(language_of("zh")) == "Language('zh')"


def test_words_that_a_template_quotes_stay_and_names_of_ours_are_told() -> None:
    # The column has the name of a kind of values, which is told where it is one.
    error = ColumnError(
        "Column {name!r} holds {kind}, but moments need numbers; choose a numeric column.", name="text", kind="text"
    )
    assert CHINESE.error(error) == "列 'text' 的内容是文本，而矩需要数值；请选择数值列。"
    assert CHINESE.retell(error.sentence) == CHINESE.error(error)


def test_words_that_a_template_marks_stay() -> None:
    error = OptionError(
        "{name!s} lacks {key!s}; write {name!s}:{key!s}=VALUE, VALUE being {wanted}.",
        name="randomized-response",
        key="letters",
        wanted="letters such as a|b|c",
    )
    told = "randomized-response 缺少 letters；请写 randomized-response:letters=VALUE，其中 VALUE 是取值，例如 a|b|c。"
    assert CHINESE.error(error) == CHINESE.retell(error.sentence) == told


def test_the_name_of_a_file_stays() -> None:
    error = FileError("{path} does not contain a JSON object; write one.", path=Path("record"))
    assert CHINESE.error(error) == "record 不含 JSON 对象；请写入一个。"
    assert CHINESE.retell(error.sentence) == "record 不含 JSON 对象；请写入一个。"


@pytest.mark.parametrize(
    ("inner", "told"),
    [
        (
            ModelError("All counts are 0; there is nothing to measure."),
            "d.csv 不能用作距离：所有计数都是 0；没有可度量的内容。",
        ),
        (
            LabelError(
                "{repeated} of the {count} {role} repeat an earlier one; labels must differ (1, 1.0 and True are "
                "equal).",
                repeated=1,
                count=2,
                role="outputs",
            ),
            "d.csv 不能用作距离：2 个输出中有 1 个与前面的重复；标签必须不同（1、1.0 和 True 相等）。",
        ),
    ],
)
def test_an_error_inside_an_error_is_told(inner: ModelError | LabelError, told: str) -> None:
    outer = FileError("{path} cannot be used as distances: {reason}", path=Path("d.csv"), reason=inner)
    assert CHINESE.error(outer) == told
    assert CHINESE.retell(outer.sentence) == told
    assert str(outer.sentence) == str(outer)


@pytest.mark.parametrize(
    ("wanted", "known", "told"),
    [
        ("agee", ["age", "city"], "是否想用 'age'？"),
        ("col", ["col1", "col2", "x"], "是否想用 'col1' 或 'col2'？"),
        ("col", ["col1", "col2", "col3"], "是否想用 'col1'、'col2' 或 'col3'？"),
        ("zzz", ["age", "city"], "已知的有 'age'、'city'。"),
        ("zzz", [*"abcdefghi"], "已知的有 'a'、'b'、'c'、'd'、'e'、'f'、'g'、'h'、…。"),
        ("zzz", [], "一个也没有。"),
    ],
)
def test_what_was_perhaps_meant_is_told(wanted: str, known: list[str], told: str) -> None:
    names = did_you_mean(wanted, known)
    # Which of them comes first is the matcher's business.
    assert sorted(CHINESE.retell(names)) == sorted(told)
    assert CHINESE.error(OptionError("There is no column {name!r}; {hint}", name=wanted, hint=names)).startswith(
        f"没有列 {wanted!r}；"
    )


def test_three_names_are_a_list_with_or_at_its_end() -> None:
    assert str(did_you_mean("col", ["col1", "col2", "col3"])).count(" or ") == 1


def test_fields_that_are_lists_are_told_part_by_part() -> None:
    kinds = (Sentence("record linkage"), "share", Sentence("averaging, {releases:d} releases", releases=2))
    assert ENGLISH.say("{kinds}", kinds=kinds) == "record linkage, share, averaging, 2 releases"
    assert CHINESE.say("{kinds}", kinds=kinds) == "记录链接、share、重复发布平均攻击（2 次发布）"
    assert CHINESE.say("{kinds!s}", kinds=(ModelError("All counts are 0; there is nothing to measure."),)) == (
        "所有计数都是 0；没有可度量的内容。"
    )


@pytest.mark.parametrize("where", ["", Sentence(" (line {line:d})", line=12)])
def test_a_field_may_be_empty(where: str | Sentence) -> None:
    template = "{place} has a line with {found} fields, but the header has {expected}{where}; correct that line."
    error = TableError(template, place="'t.csv'", found="3", expected="21", where=where)
    assert ("第 12 行" in CHINESE.error(error)) == bool(where)


@pytest.mark.parametrize(
    "text",
    ["", "Divorced", "a or b", "x; y", "age, income", "/tmp/people.csv", "2020-01-01", "don't know", "a: b", "%"],
)
def test_words_of_the_user_stay(text: str) -> None:
    assert CHINESE.retell(text) == text


@pytest.mark.parametrize(
    "text", ["claims of age", "averaging, 2 releases", "All counts are 0; there is nothing to measure"]
)
def test_a_text_that_was_made_from_a_template_is_shown_as_it_is(text: str) -> None:
    assert CHINESE.retell(text) == text
