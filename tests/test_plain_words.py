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
from leakgauge.measures import rank_attacks
from leakgauge.probability import Channel, Distribution, Scenario
from leakgauge.release.queries import Condition
from leakgauge.tables import open_table

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
