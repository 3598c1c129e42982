"""The user's words stay whole in what is told again, whatever they are called like."""

from __future__ import annotations

import string
from collections.abc import Iterator

import pytest

from leakgauge.errors import RefusalError
from leakgauge.languages import ENGLISH, Language
from tests.languages.catalogues import read

CHINESE = Language("zh")
HOSTILE = (
    *("share", "secret", "none", "State", "good", "time", "rows", "privacy", "the table", "is missing"),
    *("first or second", "one row or two", "time or space", "a, b", "rows, columns", "a; b", "score; grade", "a: b"),
    *("x under a prior", "x, the limit none", "x where y is claimed", "x (y)", "age (years)"),
    *("it's", 'a "q" b', 'O\'Brien "x"', "}{"),
)
"""What a column or a value may be called: like words, lists and pieces of sentences that are translated elsewhere."""

Parts = list[tuple[str, str | None, str | None, str | None]]


def _parts(text: str) -> Parts:
    try:
        return list(string.Formatter().parse(text))
    except ValueError:
        # Braces that are no fields.
        return []


def _owned(text: str, told: str) -> dict[str, bool]:
    """The fields of a template, and whether what they hold is the user's own; none where it has no such field."""
    own = {name for _, name, _, conversion in (*_parts(text), *_parts(told)) if name and conversion}
    names = [name for _, name, _, _ in _parts(text) if name is not None]
    return {name: name in own for name in names} if own and all(name.isidentifier() for name in names) else {}


def _filled(text: str, owned: dict[str, bool], word: str) -> dict[str, object]:
    kinds = {name: spec for _, name, spec, _ in _parts(text) if name is not None}
    return {
        name: word if own else 7 if (kinds[name] or "").endswith("d") else 0.5 if kinds[name] else "Zq"
        for name, own in owned.items()
    }


def _said_by(starts: tuple[str, ...], text: str) -> str:
    """What the templates say after their first field that start as this one does."""
    start = _parts(text)[0][0]
    alike = [one for one in starts if start and one.startswith(start)] or [text]
    return " ".join(literal for one in alike for literal, *_ in _parts(one)[1:])


def _told_otherwise() -> Iterator[tuple[str, str, str, str]]:
    templates = {str(one.id): str(one.string) for domain in ("sentences", "errors") for one in read(domain) if one.id}
    starts = tuple(templates)
    for text, told in templates.items():
        owned = _owned(text, told)
        for word in HOSTILE if owned else ():
            fields = _filled(text, owned, word)
            try:
                made, wanted = ENGLISH.say(text, **fields), CHINESE.say(text, **fields)
            except ValueError:
                # A field that is the user's own and has a format is a number.
                continue
            if CHINESE.retell(made) != wanted and not _ambiguous(word, _said_by(starts, text)):
                yield text, word, CHINESE.retell(made), wanted


def _ambiguous(word: str, said: str) -> bool:
    """Whether a word has in it what a template says behind such a word: nobody can tell where it ends."""
    return any(one in word and one in said for one in (" or ", "; ", ", ", ": ", " is ", " under a prior"))


def test_a_name_stays_whole_in_every_template_that_has_one() -> None:
    assert list(_told_otherwise()) == []


@pytest.mark.parametrize("name", [one for one in HOSTILE if " " in one and not one.endswith("prior")])
def test_a_name_stays_whole_in_the_checks_of_a_record(name: str) -> None:
    assert CHINESE.retell(f"claims of {name}") == f"{name} 的声明"
    assert CHINESE.retell(f"mean of {name}") == f"{name} 的均值"
    assert CHINESE.retell(f"the column {name} rules an input out, so that its level is infinite").startswith(
        f"列 {name} 排除"
    )


@pytest.mark.parametrize("name", ["first or second", "rows, columns", "missing; none", "time or space", "good or poor"])
def test_a_list_of_single_words_may_be_a_name(name: str) -> None:
    assert CHINESE.retell(name) == name
    assert not CHINESE.knows(name)


def test_brackets_of_a_name_end_no_field() -> None:
    made = "claims of age (years) (local-dp computed again gives another level)"
    assert CHINESE.retell(made) == "age (years) 的声明（local-dp 重新计算得到不同的水平）"


def test_what_a_budget_does_not_allow_is_said_with_its_sums() -> None:
    refused = RefusalError(
        "The release would bring the sum of {sums}, past the limit {limit} of data set {dataset!r}, which has {left} "
        "left; nothing was spent, add more noise or release less.",
        sums="ε to 5.5",
        limit="ε = 5",
        dataset="people",
        left="ε = 0.5",
    )
    told = CHINESE.error(refused)
    assert told.startswith("这次发布会使累计花费达到 ε = 5.5，超过数据集 'people' 的限额 ε = 5，")
    assert CHINESE.retell(str(refused)) == told
    assert CHINESE.retell("ε to 5.5 and that of ρ to 2") == "ε = 5.5 且 ρ = 2"


def test_a_list_within_a_list_is_told() -> None:
    failed = "min_score is 40, the limit 60; vetoes is ε is infinite, which promises nothing; nothing is known of it, "
    refused = RefusalError("The policy is not kept: {failed}.", failed=f"{failed}the limit none")
    told = CHINESE.error(refused)
    assert told.startswith("没有遵守策略：min_score 为 40，限制是 60；vetoes：ε 为无穷大，等于没有承诺；对")
    assert told.endswith("一无所知，限制是无。")
    assert CHINESE.retell(str(refused)) == told


def test_what_costs_most_is_what_is_missed() -> None:
    text = (
        "No setting reaches good: of 3 tried the closest is a; its score is 40.0 where 60 is asked; what costs it most"
    )
    assert "；失分最多的是" in CHINESE.retell(f"{text} is entropy (2.0 points).")
