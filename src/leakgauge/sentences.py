"""A sentence as data: a template and what its fields hold, told in any language by looking the template up."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import TypeAlias, Union

from leakgauge.rounding import SHARE_DIGITS, percent
from leakgauge.visible import in_a_sentence

Field: TypeAlias = Union[int, float, str, "Sentence", tuple["Field", ...]]
"""What a field holds: a number; a text, which is somebody's own word and never translated; a name or sentence of ours,
which is a ``Sentence``; or several of them, which are told as a list."""

_PARTS = string.Formatter()
_BETWEEN = ", "


class Sentence:
    """A sentence, or a name, of ours.

    Args:
        template: in English, such as ``"{rows} rows of {column!r}"``; it is the key of its translations.

    Example:
        >>> str(Sentence("The letters of {columns} are {origin}.", columns=("age", "sex"), origin=Sentence("declared")))
        'The letters of age, sex are declared.'
    """

    __slots__ = ("fields", "template")

    def __init__(self, template: str = "", /, **fields: Field) -> None:
        self.template = template
        self.fields: Mapping[str, Field] = fields

    def __str__(self) -> str:
        return fill(self.template, self.fields, in_english)

    def __repr__(self) -> str:
        return "".join(["Sentence(", repr(self.template), *(f", {k}={v!r}" for k, v in self.fields.items()), ")"])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sentence):
            return NotImplemented
        return (self.template, self.fields) == (other.template, other.fields)

    def __hash__(self) -> int:
        return hash((self.template, tuple(self.fields.items())))


def fill(template: str, fields: Mapping[str, object], tell: Callable[[object], object]) -> str:
    """The template with its fields, each told before it is put in unless the template has ``!r`` or ``!s`` for it.

    A sentence is told even so, and a tuple with ``!s`` is told as a list. Without fields it is the text itself,
    whatever braces are in it. Whatever else a field holds may be somebody's own word, and is put in on one line, with
    its control characters written out: a name must not pass for a sentence of ours.
    """
    if not fields:
        return template
    filled = []
    for literal, name, spec, conversion in _PARTS.parse(template):
        filled.append(literal)
        if name is None:
            continue
        value, _ = _PARTS.get_field(name, (), fields)
        is_ours = isinstance(value, Sentence | Exception)
        if conversion is None or isinstance(value, Sentence) or (conversion == "s" and isinstance(value, tuple)):
            value = tell(value)
        text = _formatted(_PARTS.convert_field(value, conversion), spec or "")
        filled.append(text if is_ours else in_a_sentence(text))
    return "".join(filled)


def _formatted(value: object, spec: str) -> str:
    """A field as its template asks for; a share has two digits, and three where it is compared with a limit."""
    if spec.endswith("%") and isinstance(value, int | float):
        return percent(round(value, 2) if spec == ".0%" else value, 3 if spec == ".2%" else SHARE_DIGITS)
    return str(_PARTS.format_field(value, spec))


def in_turn(sentences: Iterable[Sentence]) -> Sentence:
    """Sentences one after the other, with a semicolon between them; there must be one."""
    return reduce(lambda said, more: Sentence("{said}; {more}", said=said, more=more), sentences)


def in_english(value: object) -> object:
    """What a field holds, in English."""
    return _BETWEEN.join(str(in_english(one)) for one in value) if isinstance(value, tuple) else value


def marked(template: str) -> frozenset[str]:
    """The fields that a template quotes, with ``!r``, or marks, with ``!s``: somebody's own words."""
    parts = _PARTS.parse(template)
    return frozenset(name for _, name, _, conversion in parts if name is not None and conversion is not None)
