"""One Chinese word for one thing: variants that a reader would take for another thing are nowhere said."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from leakgauge.languages import DOMAINS
from tests.languages.catalogues import read

GLOSSARY = Path(__file__).parents[2] / "docs" / "reference" / "glossary.md"
CODE = re.compile(
    r"leakgauge [^\n]*|--[\w-]+|\{[^}]*\}|\b\w+\.json\b|label,value|scenario\.\w+|, which measure"
    # What OpenDP calls a measurement has another name than a measure.
    r"|The measure {measure} of the measurement"
)
WORDS = {
    r"plans?": ("方案", "计划|规划"),
    r"jobs?(?! ?[=.])": ("任务", "作业|工作"),
    r"differential entropy": ("微分熵", "差分熵|连续熵"),
    r"useful\w*": ("效用", "可用|有用|用处"),
    r"total variation": ("总变差距离", "全变差|总变分|变差(?!距离)"),
    r"scenarios?": ("场景", "情景|情境"),
    r"labels?": ("标签", "标记|标号"),
    r"measur(?:e|es|ing)": ("度量", "测量|衡量|计量"),
    r"disprove\w*": ("推翻", "否定|证伪|驳倒"),
    r"protection effect": ("保护效果", "算法效果|保护成效"),
    r"bundled sample": ("示例", "样例|样本"),
    r"odds": ("几率", "赔率|胜算|优势比"),
    r"verbs?": ("命令", "动词"),
    r"declar\w+": ("申明", "申报"),
    r"claims?|claimed": ("声明", "申明|主张|宣称"),
}
"""English words with the Chinese one, and with others that might be taken for it."""
FORBIDDEN = r"计划|作业|差分熵|连续熵|可用性|有用性|全变差|总变分|情景|情境|证伪|驳倒|算法效果|样例|赔率|胜算|动词|申报"
"""What no text says, whatever its English."""
OF_ITSELF = {"claims?|claimed", "declar\\w+"}
"""Words that a translation may leave out where Chinese says it without."""


@cache
def _texts() -> list[tuple[str, str]]:
    return [(str(one.id), str(one.string)) for domain in DOMAINS for one in read(domain) if one.id and one.string]


@pytest.mark.parametrize("english", WORDS)
def test_a_word_has_one_translation(english: str) -> None:
    wanted, others = WORDS[english]
    found = [(text, told) for text, told in _texts() if re.search(rf"\b(?:{english})\b", CODE.sub("", text), re.I)]
    assert found
    assert [one for one in found if re.search(others, one[1]) and not _both(one[0], english)] == []
    if english not in OF_ITSELF:
        assert [one for one in found if wanted not in one[1]] == []


def _both(text: str, english: str) -> bool:
    """Whether a text says what is declared and what is claimed, which have a word each."""
    return english in OF_ITSELF and re.search(r"\bdeclar", text, re.I) is not None and "claim" in text


def test_no_variant_is_said_anywhere() -> None:
    assert [(text, told) for text, told in _texts() if re.search(FORBIDDEN, told)] == []
    glossary = GLOSSARY.read_text(encoding="utf-8")
    assert "场景" in glossary
    assert re.findall(FORBIDDEN, glossary) == []


def test_what_is_declared_is_not_called_a_claim() -> None:
    declared = [one for one in _texts() if re.search(r"\bdeclar", one[0], re.I)]
    assert len(declared) > 20
    assert [one for one in declared if "声明" in one[1] and not re.search("claim|statement", one[0])] == []


def test_no_space_stands_between_chinese_words() -> None:
    apart = re.compile(r"[\u4e00-\u9fff，。；：、（）] +[\u4e00-\u9fff，。；：、（）]")
    assert [told for _, told in _texts() if apart.search(told)] == []


def test_what_the_sections_of_a_report_are_called_is_no_claim() -> None:
    told = {str(one.id): str(one.string) for one in read("report") if one.id}
    assert told["Statement"] == "总述"
    assert told["No veto caps the grade."] == "没有触发任何否决。"
