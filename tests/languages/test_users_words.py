"""The user's words stay whole in what is told, whatever they are called like."""

from __future__ import annotations

import string

import pytest

from leakgauge.errors import OptionError, RefusalError
from leakgauge.languages import Language
from leakgauge.sentences import Field, Sentence
from tests.languages.catalogues import read

CHINESE = Language("zh")
HOSTILE = (
    *("share", "secret", "none", "State", "good", "time", "rows", "privacy", "the table", "is missing"),
    *("first or second", "one row or two", "time or space", "a, b", "rows, columns", "a; b", "score; grade", "a: b"),
    *("x under a prior", "x, the limit none", "x where y is claimed", "x (y)", "age (years)"),
    *("it's", 'a "q" b', 'O\'Brien "x"', "}{", "{name}", "{0}"),
)
"""What a column or a value may be called: like words, lists and pieces of sentences that are translated elsewhere."""


def _fields(text: str, word: str) -> dict[str, Field]:
    """A word in every field of a template that takes texts, and numbers in the others."""
    kinds = {name: spec or "" for _, name, spec, _ in string.Formatter().parse(text) if name is not None}
    return {name: word if not spec else 7 if spec[-1] in "d," else 0.5 for name, spec in kinds.items()}


@pytest.mark.parametrize("word", HOSTILE)
def test_a_word_stays_whole_in_every_sentence(word: str) -> None:
    templates = [str(one.id) for one in read("sentences") if one.id and "{" in one.id]
    assert len(templates) > 100
    for text in templates:
        fields = _fields(text, word)
        if word in fields.values():
            told = CHINESE.retell(Sentence(text, **fields))
            assert word in told or repr(word) in told, text


@pytest.mark.parametrize("word", HOSTILE)
def test_a_word_that_an_error_quotes_stays_whole_where_it_is_stored(word: str) -> None:
    error = OptionError("There is no column {name!r}; {hint}", name=word, hint=Sentence("there are none."))
    assert CHINESE.error(error) == CHINESE.retell(error.sentence) == f"没有列 {word!r}；一个也没有。"


def test_what_a_budget_does_not_allow_is_said_with_its_sums() -> None:
    refused = RefusalError(
        "The release would raise the sum of {sums}, past the limit {limit} of data set {dataset!r}, which has {left} "
        "left; no budget was used, so add more noise or release less.",
        sums=Sentence("ε to {epsilon}", epsilon=5.5),
        limit="ε = 5",
        dataset="people",
        left="ε = 0.5",
    )
    told = CHINESE.error(refused)
    assert told.startswith("这次发布会使累计消耗达到 ε = 5.5，超过数据集 'people' 的限额 ε = 5，")
    assert CHINESE.retell(refused.sentence) == told
