"""One Chinese word for one thing, as the glossary has it, and Chinese punctuation."""

from __future__ import annotations

import re
import string
import tomllib
from functools import cache
from importlib.resources import files
from pathlib import Path

import pytest

from leakgauge.assessment.indicators.questionnaire import questions
from leakgauge.languages import DOMAINS
from tests.languages.catalogues import read

GLOSSARY = Path(__file__).parents[2] / "docs" / "reference" / "glossary.md"
HAN = "\u4e00-\u9fff"
MARKS = "，。；：、？！（）“”《》"
CODE = re.compile(
    r"leakgauge [^\n]*|--[\w-]+(?: attacker)?|attacker n?or both|\{[^}]*\}|`[^`]*`"
    r"|\b\w+\.\w+\b|[\w.]+ = |\w+=\w+|[\w-]+:[\d.]+|\w+,\w+|\b[A-Z]{4,}\b"
)
"""What is typed, and stands in both languages alike."""
PAPERS_NAMES = ("数据可用性", "隐私保护算法效果")
"""Nodes of the published diagram, under the names that the paper gives them."""
SAID_SO = (
    *("advantage", "anchor", "alphabet", "attacker", "attribute inference", "audit", "averaging"),
    *("background knowledge", "budget", "bundled sample", "channel", "claim", "composition", "confidence"),
    *("criterion", "data set", "declared", "differential entropy", "differential privacy", "digest"),
    *("distortion", "external edition", "false alarm", "false positive", "guarantee", "identifiability"),
    *("identifier", "indicator"),
    *("influence diagram", "internal edition", "job", "label", "leaf", "ledger", "lower bound"),
    *("mutual information", "nats", "neighbouring", "notion", "odds", "plan", "policy", "posterior", "prior"),
    *("protection", "protection effect", "public record", "quasi-identifier", "randomized response"),
    *("recipient", "review date", "sampling", "scenario", "secret", "simulation"),
    *("suppression", "total variation", "unit of protection", "usefulness", "veto", "vulnerability", "waste"),
)
"""Terms whose Chinese word stands in every text that has the English one."""
INFLECTED = {
    "claim": "claims?|claimed",
    "declared": "declar(?:e|es|ed|ing)",
    "usefulness": "useful(?:ness)?",
    "veto": "veto(?:es)?",
}
OF_ITSELF = {
    "claim": r"no claim of|claims conformity",
    # Statisticians' odds ratio is 优势比.
    "odds": r"[Oo]dds ratio|value's odds|of odds against",
    "secret": r"may be secret|secret key",
}
"""Where Chinese says a term without its word."""
STIFF = re.compile(r"的的|被[^，。；]{1,12}所(?!占)|取得分|进行了?[^，。；]{0,4}的操作")


@cache
def _texts() -> list[tuple[str, str]]:
    return [(str(one.id), str(one.string)) for domain in DOMAINS for one in read(domain) if one.id and one.string]


@cache
def _glossary() -> dict[str, tuple[str, str]]:
    """Each term with its Chinese words, and with what is told of it."""
    found = {}
    for line in GLOSSARY.read_text(encoding="utf-8").splitlines():
        if line.startswith("| ") and not line.startswith("| term "):
            term, chinese, told, _ = (cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1])
            name = term.strip("`") if term.startswith("`") else re.sub(r" \(`[^`]*`\)", "", term)
            found[name] = chinese, told
    return found


@cache
def _words(mark: str) -> dict[str, list[str]]:
    """The words that the glossary rejects, after "Never" or "Not", by term."""
    found = {term: re.search(rf"\b{mark} ([{HAN}、]+)\.", told) for term, (_, told) in _glossary().items()}
    return {term: words[1].split("、") for term, words in found.items() if words}


def _saying(term: str) -> list[tuple[str, str]]:
    english = re.compile(rf"\b(?:{INFLECTED.get(term, f'{term}s?')})\b", re.I)
    return [one for one, said in _without_code() if english.search(said)]


@cache
def _without_code() -> list[tuple[tuple[str, str], str]]:
    """Each text, and its English without what is typed."""
    return [(one, CODE.sub("", one[0])) for one in _texts()]


@cache
def _plain(told: str) -> str:
    for name in PAPERS_NAMES:
        told = told.replace(name, "")
    return told


def _misused(told: str) -> str:
    """The first word of a text that the glossary has another one for; empty where there is none."""
    return next((word for words in _words("Never").values() for word in words if word in _plain(told)), "")


def test_no_text_says_a_word_that_the_glossary_rejects() -> None:
    assert {"可识别性", "申明", "几率", "取得分", "秘密"} <= {
        word for words in _words("Never").values() for word in words
    }
    assert _misused("可识别性为 1") == "可识别性" and _misused("数据可用性") == "" and _misused("可用性") == ""
    assert [(_misused(told), text, told) for text, told in _texts() if _misused(told)] == []


@pytest.mark.parametrize("term", sorted({*_words("Never"), *_words("Not")}))
def test_the_glossary_does_not_reject_its_own_words(term: str) -> None:
    chinese = _glossary()[term][0].split("、")
    assert not {*chinese} & {*_words("Never").get(term, ()), *_words("Not").get(term, ())}
    assert not any(_misused(one) for one in chinese)


@pytest.mark.parametrize("term", sorted(_words("Not")))
def test_a_term_is_not_called_like_something_else(term: str) -> None:
    both = re.compile(r"declar|\bstatement", re.I)
    found = [one for one in _saying(term) if not (term == "claim" and both.search(one[0]))]
    assert found
    assert [one for one in found if any(word in one[1] for word in _words("Not")[term])] == []


@pytest.mark.parametrize("term", SAID_SO)
def test_a_term_is_said_by_its_word(term: str) -> None:
    chinese = _glossary()[term][0].split("、")
    lacking = [one for one in _saying(term) if not any(word in _plain(one[1]) for word in chinese)]
    assert len(_saying(term)) > len(lacking)
    assert [one for one in lacking if not re.search(OF_ITSELF.get(term, "(?!)"), one[0])] == []


def test_the_names_of_nodes_and_questions_are_the_papers_in_chinese_marks() -> None:
    told = dict(_texts())
    tables = files("leakgauge.assessment").joinpath("tables")
    for file in ("criteria_diagram.toml", "default_diagram.toml"):
        diagram = tomllib.loads(tables.joinpath(file).read_text(encoding="utf-8"))
        named = [one for part in ("nodes", "leaves", "criteria") for one in diagram.get(part, {}).values()]
        assert len(named) > 28
        for node in named:
            if node["name"] in told and node["name"] not in ("utility", "protection effect", "guarantee"):
                assert node["chinese"] == told[node["name"]], file
    for row in questions("zh"):
        assert not _ascii_marks(" ".join(row[1:])), row


def _ascii_marks(told: str) -> str:
    """A mark of English punctuation beside Chinese; empty where there is none."""
    bare = re.sub(r"`[^`]*`|\bleakgauge [^\n]*", "", told)
    beside = re.search(
        rf"[{HAN}）”][,;:?!](?!\w)|[,;?!] ?[{HAN}]|(?<![\w}}])\([^()\n]*[{HAN}][^()\n]*\)|[{HAN}]\.(?!\w)", bare
    )
    return "" if beside is None else beside[0]


def test_punctuation_beside_chinese_is_chinese() -> None:
    assert _ascii_marks("泄露, 发布") and _ascii_marks("(发布)") and _ascii_marks("发布.") and _ascii_marks("发布:")
    assert not _ascii_marks("泄露 (0.5, 0.1)，发布；H(原值|发布值)，见 a.csv。")
    assert [told for _, told in _texts() if _ascii_marks(told)] == []


def _listed_wrongly(told: str) -> str:
    """Members of a list with another mark than 、 between them; empty where there is none."""
    bare = re.sub(r"`[^`]*`|\bleakgauge [^\n]*|\([^()]*\)|\[[^]]*\]|（[^）]*）|\"[^\"]*\"|edges:[\d,]+", "", told)
    wrong = re.search(r"\{[^}]*\}，\{[^}]*\} ?[和或与及]|(?<=[a-z]), (?=[a-z])", bare)
    return "" if wrong is None else wrong[0]


def test_the_members_of_a_list_stand_between_list_commas() -> None:
    assert _listed_wrongly("{a}，{b} 和 {c}") and _listed_wrongly("请写 higher, lower 或 raw")
    assert not _listed_wrongly("请写 higher、lower 或 raw，见 {a}，{b}")
    assert [told for _, told in _texts() if _listed_wrongly(told)] == []


def test_spaces_stand_beside_latin_words_and_numbers_and_nowhere_else() -> None:
    # A line break within a paragraph is filled as a space.
    apart = re.compile(rf"[{HAN}{MARKS}](?: +|\n)[{HAN}{MARKS}]")
    glued = re.compile(rf"[{HAN}][A-Za-z0-9Α-ω]|[A-Za-z0-9Α-ω][{HAN}]")
    assert glued.search("保持ε 上限") and apart.search("保持 上限")
    literal = [
        (told, "".join(f"{text}\0" for text, *_ in string.Formatter().parse(told)) if "{" in text else told)
        for text, told in _texts()
        if "{{" not in text
    ]
    assert [told for told, bare in literal if apart.search(bare)] == []
    assert [told for told, bare in literal if glued.search(bare)] == []


def test_no_text_is_stiff() -> None:
    assert STIFF.search("信道的的数值") and STIFF.search("被攻击者所知")
    assert [told for _, told in _texts() if STIFF.search(told)] == []


def test_what_the_sections_of_a_report_are_called_is_no_claim() -> None:
    told = {str(one.id): str(one.string) for one in read("report") if one.id}
    assert told["Decision"] == "审批意见"
