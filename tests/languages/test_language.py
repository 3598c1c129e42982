"""Templates filled, errors told, and sentences told again that were stored in English."""

from __future__ import annotations

import string
from pathlib import Path

import pytest

from leakgauge.assessment import Goal, Grade
from leakgauge.errors import (
    ColumnError,
    FileError,
    LabelError,
    ModelError,
    OptionError,
    RefusalError,
    TableError,
    did_you_mean,
)
from leakgauge.languages import ENGLISH, Language, language_of
from leakgauge.languages.language import STORED
from leakgauge.languages.templates import Templates
from tests.languages.catalogues import read

CHINESE = Language("zh")


def test_english_is_the_template_itself() -> None:
    assert ENGLISH.say("{rows:,} rows of {name!r}", rows=1200, name="a") == "1,200 rows of 'a'"
    assert ENGLISH.retell("ε is infinite, which promises nothing") == "ε is infinite, which promises nothing"
    assert ENGLISH.knows("anything at all")
    assert dict(ENGLISH.catalogue) == {}


def test_a_template_that_no_catalogue_has_is_said_in_english() -> None:
    assert CHINESE.say("{rows} rows of quite another kind", rows=3) == "3 rows of quite another kind"


def test_an_unknown_language_is_refused_with_those_there_are() -> None:
    with pytest.raises(OptionError, match=r"There is no language 'fr'; known are 'en', 'zh'\.") as refused:
        Language("fr")
    assert CHINESE.error(refused.value) == "没有语言 'fr'；已知的有 'en'、'zh'。"


def test_a_language_is_made_once() -> None:
    assert language_of("zh") is language_of("zh")
    assert repr(language_of("zh")) == "Language('zh')"


def test_words_that_a_template_quotes_stay_and_others_are_told() -> None:
    # The column has the name of a kind of values, which is told where it is one.
    error = ColumnError(
        "Column {name!r} holds {kind}, and moments need numbers; choose a numeric column.", name="text", kind="text"
    )
    assert CHINESE.error(error) == "列 'text' 是文本，而矩需要数值；请选数值列。"
    assert CHINESE.retell(str(error)) == CHINESE.error(error)


def test_words_that_a_translation_marks_stay_too() -> None:
    error = OptionError(
        "{name} lacks {key}; write {name}:{key}=VALUE, VALUE being {wanted}.",
        name="randomized-response",
        key="letters",
        wanted="letters such as a|b|c",
    )
    told = "randomized-response 缺少 letters；请写 randomized-response:letters=VALUE，其中 VALUE 是取值，例如 a|b|c。"
    assert CHINESE.error(error) == told
    assert CHINESE.retell(str(error)) == told


def test_the_name_of_a_file_stays() -> None:
    error = FileError("{path} holds no JSON object.", path=Path("record"))
    assert CHINESE.error(error) == "record 不含 JSON 对象。"


def test_an_error_inside_an_error_is_told() -> None:
    inner = ModelError("All counts are 0; there is nothing to measure.")
    outer = FileError("{path} holds no distances: {reason}", path=Path("d.csv"), reason=inner)
    told = "d.csv 不含距离：所有计数都是 0；没有什么可度量的。"
    assert CHINESE.error(outer) == told
    assert CHINESE.retell(str(outer)) == told


def test_an_object_in_an_error_is_told_by_its_words() -> None:
    error = RefusalError("The policy is not kept: {failed}.", failed=Goal(Grade.GOOD, min_privacy=70))
    assert CHINESE.error(error) == "没有遵守策略：良且隐私不低于 70。"


def test_an_error_that_lost_its_full_stop_is_told() -> None:
    assert CHINESE.retell("All counts are 0; there is nothing to measure") == "所有计数都是 0；没有什么可度量的"
    lying = "record: out.json was changed: its digest is not that of its fields"
    assert CHINESE.knows(lying)
    assert CHINESE.retell(lying) == "发布记录：out.json 被改动过：它的摘要与其字段不符"


@pytest.mark.parametrize(
    ("wanted", "known", "told"),
    [
        ("agee", ["age", "city"], "是否想用 'age'？"),
        ("col", ["col1", "col2", "x"], "是否想用 'col1' 或 'col2'？"),
        ("col", ["col1", "col2", "col3"], "是否想用 'col1'、'col2' 或 'col3'？"),
        ("zzz", ["age", "city"], "已知的有 'age'、'city'。"),
        ("zzz", [], "一个也没有。"),
    ],
)
def test_what_was_perhaps_meant_is_told(wanted: str, known: list[str], told: str) -> None:
    names = did_you_mean(wanted, known)
    if told.count("'") > 2:
        # Which of them comes first is the matcher's business.
        assert sorted(CHINESE.retell(names)) == sorted(told)
    else:
        assert CHINESE.retell(names) == told
    assert CHINESE.error(OptionError("There is no column {name!r}; {hint}", name=wanted, hint=names)).startswith(
        f"没有列 {wanted!r}；"
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("log-likelihood ratio at most 2 or above 1e+10", "对数似然比不超过 2 或大于 1e+10"),
        ("output bits or nats", "输出为 bits 或 nats"),
        ("output in (1, 2] or above 3", "输出在 (1, 2] 内或大于 3"),
        (
            "its score is 40.0 where 60 is asked; ε is infinite, which promises nothing",
            "其得分为 40.0，而要求 60；ε 为无穷大，等于没有承诺",
        ),
        ("mutual information (3.0 points), entropy (2.0 points)", "互信息（3.0 分）、熵（2.0 分）"),
        (
            "3 (privacy budget ε, 3.2 points), 6 (mutual information, 1 points)",
            "3（隐私预算，3.2 分）、6（互信息，1 分）",
        ),
        ("averaging, 2 releases on income beats the claim", "对 income 的平均攻击（2 次发布）超出声明所允许的"),
        ("the column bits breaks local-dp:1", "列 bits 违反 local-dp:1"),
    ],
)
def test_lists_are_told_part_by_part(text: str, told: str) -> None:
    assert CHINESE.knows(text)
    assert CHINESE.retell(text) == told


def test_an_error_inside_another_does_not_swallow_it() -> None:
    inner = LabelError(
        "{repeated} of the {count} {role} repeat an earlier one; labels must differ (1, 1.0 and True are equal).",
        repeated=1,
        count=2,
        role="outputs",
    )
    outer = FileError("{path} holds no distances: {reason}", path=Path("d.csv"), reason=inner)
    told = "d.csv 不含距离：2 个输出中有 1 个与前面的重复；标签必须不同（1、1.0 和 True 相等）。"
    assert CHINESE.error(outer) == told
    assert CHINESE.retell(str(outer)) == told


@pytest.mark.parametrize("where", ["", " (line 12)"])
def test_a_field_may_be_empty(where: str) -> None:
    template = "{place} has a line with {found} fields where the header has {expected}{where}; correct that line."
    error = TableError(template, place="'t.csv'", found="3", expected="21", where=where)
    assert CHINESE.retell(str(error)) == CHINESE.error(error)
    assert ("第 12 行" in CHINESE.error(error)) == bool(where)


@pytest.mark.parametrize(
    "text",
    ["", "Divorced", "a or b", "x; y", "age, income", "/tmp/people.csv", "2020-01-01", "don't know", "a: b", "%"],
)
def test_words_of_the_user_stay(text: str) -> None:
    assert CHINESE.retell(text) == text
    assert not CHINESE.knows(text) or not text


def _sample(before: str, number: int, spec: str | None, conversion: str | None) -> str:
    """What a field may hold: a number, a quoted text, or a word, with its space where it touches what is before it."""
    if spec:
        return format(10 + number, spec)
    word = f"Zq{number}"
    return repr(word) if conversion == "r" else f" {word}" if before and before[-1].isalnum() else word


def test_every_template_is_found_again_in_what_it_made() -> None:
    texts = {str(one.id): str(one.string) for domain in STORED for one in read(domain) if one.id}
    known = Templates(texts)
    templates = [text for text in texts if known.has(text)]
    assert len(templates) > 500
    lost = []
    for text in templates:
        held: dict[str, str] = {}
        made = ""
        for literal, name, spec, conversion in string.Formatter().parse(text):
            made += literal
            if name is not None:
                made += held.setdefault(name, _sample(made, len(held), spec, conversion))
        found = known.match(made)
        assert found is not None, text
        if found[0].key == text:
            # Where two fields touch, nobody can say where the one ends.
            assert "".join(found[1].values()) == "".join(held.values()), text
        elif found[0].literal < sum(len(one.replace(" ", "")) for one, *_ in string.Formatter().parse(text)):
            lost.append((text, found[0].key))
        told = CHINESE.retell(made)
        assert told != made, text
    assert lost == []
