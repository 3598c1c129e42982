"""Sentences and errors of the source: each has a translation, and none is put together from English."""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator
from functools import cache
from typing import Final

import pytest

from leakgauge.languages import Language
from leakgauge.sentences import marked
from tests.languages.catalogues import LEFT, SOURCE, constants_of, extracted, leftovers, literals, read

CHINESE = Language("zh")
TOLD: Final = frozenset(
    {"reason", "reasons", "source", "note", "method", "event", "attack", "failed", "why_not", "told"}
)
"""Fields that hold sentences of ours."""
READERS: Final = frozenset({"artefacts/codec.py", "errors.py", "telling/clauses/recording.py"})
"""Files that make sentences of templates which others wrote."""


@cache
def _modules() -> dict[str, ast.Module]:
    files = sorted(SOURCE.rglob("*.py"))
    return {file.relative_to(SOURCE).as_posix(): ast.parse(file.read_text(encoding="utf-8")) for file in files}


@cache
def _calls(of: ast.Module) -> tuple[tuple[str, ast.Call], ...]:
    calls = (node for node in ast.walk(of) if isinstance(node, ast.Call))
    return tuple(
        (call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", ""), call) for call in calls
    )


@pytest.mark.parametrize("domain", ["sentences", "errors"])
def test_what_is_said_has_a_translation(domain: str) -> None:
    said = extracted()[domain]
    assert said
    assert [text for text in said if "{" in text and text not in CHINESE.catalogue] == []


def test_the_template_of_a_sentence_with_fields_can_be_read_off_the_source() -> None:
    unread = [
        f"{file}:{call.lineno}"
        for file, tree in _modules().items()
        if file not in READERS
        for name, call in _calls(tree)
        if name == "Sentence" and call.keywords and not list(literals(call.args[0], constants_of(tree)))
    ]
    assert unread == []


def test_no_template_is_left_that_nothing_says() -> None:
    left = leftovers()
    assert len(left) <= LEFT, left


def test_no_field_that_holds_a_sentence_is_put_together() -> None:
    composed = [
        f"{file}:{call.lineno} {field}"
        for file, tree in _modules().items()
        for name, call in _calls(tree)
        for field, value in _fields(name, call)
        if field in TOLD and _is_composed(value)
    ]
    assert composed == []


def test_no_error_has_a_field_that_is_put_together() -> None:
    composed = [
        f"{file}:{call.lineno} {field.arg}"
        for file, tree in _modules().items()
        for name, call in _calls(tree)
        if name == "Sentence" or name.endswith("Error")
        for field in call.keywords
        if field.arg not in _marked(call) and _is_composed(field.value)
    ]
    assert composed == []


@cache
def _classes() -> dict[str, list[str]]:
    """The fields of every class of the source in their order."""
    return {
        node.name: [ast.unparse(one.target) for one in node.body if isinstance(one, ast.AnnAssign)]
        for tree in _modules().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }


def _fields(name: str, call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """What a call gives to which field, by its place too where a class is called."""
    yield from zip(_classes().get(name, []), call.args, strict=False)
    yield from ((one.arg, one.value) for one in call.keywords if one.arg is not None)


def _marked(call: ast.Call) -> set[str | None]:
    """Fields that a template quotes or marks: somebody's own words."""
    template = call.args[0].value if call.args and isinstance(call.args[0], ast.Constant) else ""
    return {name for _, name, _, conversion in string.Formatter().parse(str(template)) if conversion is not None}


def _is_composed(value: ast.expr) -> bool:
    """Whether words are put together in an expression: by an f-string, ``format``, ``+`` or a word between others."""
    if isinstance(value, ast.JoinedStr):
        return any(isinstance(one, ast.Constant) and _has_words(one.value) for one in value.values)
    if isinstance(value, ast.IfExp):
        return _is_composed(value.body) or _is_composed(value.orelse)
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        return any(isinstance(one, ast.Constant) and _has_words(one.value) for one in (value.left, value.right))
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
        return False
    start = value.func.value
    between = start.value if isinstance(start, ast.Constant) else ""
    return value.func.attr in ("format", "join") and (_has_words(between) or ";" in str(between))


def _has_words(text: object) -> bool:
    return isinstance(text, str) and any(letter.isalpha() for letter in text)


def test_what_is_put_together_is_found() -> None:
    composed = ("f'{n} rows'", "'{} rows'.format(n)", "' or '.join(names)", "'; '.join(all)", "n + ' rows'")
    plain = ("f'{n:.3f}'", "', '.join(names)", "n", "'rows'", "Sentence('{n} rows', n=n)")
    assert all(_is_composed(ast.parse(one, mode="eval").body) for one in composed)
    assert not any(_is_composed(ast.parse(one, mode="eval").body) for one in plain)


def test_what_a_translation_marks_as_somebody_s_own_word_the_template_marks_too() -> None:
    """A mark in the translation alone would be lost where an error is stored, and its words looked up."""
    for one in read("errors"):
        own = marked(str(one.string))
        assert not own - marked(str(one.id)), one.id
