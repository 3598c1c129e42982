"""Messages that read as English whatever fills them in."""

from __future__ import annotations

import ast
import re
from datetime import date
from pathlib import Path

import pytest

import leakgauge
from leakgauge.design import RateDistortion, Slope
from leakgauge.distances import Absolute, Hamming
from leakgauge.errors import InputError
from leakgauge.languages import DOMAINS
from leakgauge.measures import rank_attacks
from leakgauge.probability import Channel, Distribution, Scenario
from leakgauge.release.queries import Condition
from leakgauge.tables import open_table
from tests.languages.catalogues import read

SOURCE = Path(leakgauge.__file__).parent


def said(error: pytest.ExceptionInfo[InputError]) -> str:
    return str(error.value)


def test_types_are_named_without_an_article() -> None:
    with pytest.raises(InputError) as error:
        Absolute().between([True], [1.0])
    assert said(error).startswith("A label is of type bool, not a finite number,")
    with pytest.raises(InputError) as error:
        open_table(3)
    assert said(error).startswith("An object of type int is not a table;")
    with pytest.raises(InputError) as error:
        Condition("day", date(2020, 1, 1))  # type: ignore[arg-type]
    assert "its value is of type date;" in said(error)
    with pytest.raises(AttributeError, match=r"^an object of type Distribution cannot be changed"):
        Distribution(["a"], [1.0]).outcomes = ()


def test_a_bound_is_named_without_an_article() -> None:
    with pytest.raises(InputError) as error:
        RateDistortion(Distribution(["a", "b"], [0.5, 0.5]), Hamming(), Slope(1.0), identifiability=-1.0)
    assert said(error) == "The identifiability cannot be -1.0; give a finite number of at least 0."


def test_alphabets_that_differ_are_both_named() -> None:
    def scenario(letters: str) -> Scenario:
        prior = Distribution(letters, [0.5, 0.5])
        return Scenario(prior, Channel(letters, letters, [[1.0, 0.0], [0.0, 1.0]]))

    with pytest.raises(InputError) as error:
        rank_attacks({"first": scenario("ab"), "second": scenario("xy")})
    assert "The secrets of 'second' (2) and the secrets of 'first' (2) share 0 labels" in said(error)


def test_no_type_follows_an_article_and_no_role_begins_with_those() -> None:
    for file in sorted(SOURCE.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        # To parse every file takes seconds.
        for node in ast.walk(ast.parse(text)) if re.search(r"\{(type\(|kind\})|those", text) else ():
            if isinstance(node, ast.JoinedStr):
                spelled = ast.unparse(node)
                assert not re.search(r"\b[Aa]n? \{type\(", spelled), f"{file}: {spelled}"
                assert not re.match(r"f['\"]those of", spelled), f"{file}: {spelled}"
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                # Where the type of something stands, no article can be right for all of them.
                assert not re.search(r"\b[Aa]n? \{kind\}(?! of at least)", node.value), f"{file}: {node.value}"


ENGLISH_NEVER = re.compile(
    r"\bdials?\b|guess(?:ed|es)? right\b|\bright guess|[0-9}] %|known anyway|all but certain|\bbought\b"
    r"|hand out nothing|colours? the",
    re.I,
)
"""What no text for people says: it says a score, a correct guess, 7.6%, already known, nearly certain."""
CHINESE_NEVER = re.compile(
    "读数|透露|猜中|猜对|花费|账本|普查|承诺|锚点|易猜度|有发布时|剩余风险|抵得上|众所周知|信守|不得发布|事前结论"
    "|评判|[0-9}] %"
)
FIELD = re.compile(r"\{(\w+)[^}]*\}")


def test_no_text_says_a_word_that_officers_do_not() -> None:
    assert ENGLISH_NEVER.search("The dials of {secret}") and CHINESE_NEVER.search("泄露 {share} %")
    texts = [(str(one.id), str(one.string)) for domain in DOMAINS for one in read(domain) if one.id]
    # Names of fields are nobody's words, but a percent sign follows them as it follows a number.
    assert [text for text, _ in texts if ENGLISH_NEVER.search(FIELD.sub("{}", text))] == []
    assert [told for _, told in texts if CHINESE_NEVER.search(FIELD.sub("{}", told))] == []
