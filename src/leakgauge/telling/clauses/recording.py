"""A voice whose texts remember the sentences they are: what a finding says can be stored, and told in any language."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from leakgauge.languages import ENGLISH, Language
from leakgauge.sentences import Field, Sentence, marked
from leakgauge.telling.blocks import Inline, Number, text_of, written
from leakgauge.telling.voice import Plain, Voice, own


class _Said(str):
    """A text of ours in English, with its template and fields."""

    sentence: Sentence

    @classmethod
    def of(cls, text: str, sentence: Sentence) -> _Said:
        said = cls(text)
        said.sentence = sentence
        return said


@dataclass(frozen=True)
class _Names(Plain):
    """Names of the user's, which every language lists in its own way."""

    names: tuple[str, ...] = ()


class _Recording(Language):
    """English that remembers."""

    def say(self, template: str, /, **fields: object) -> str:
        return _Said.of(super().say(template, **fields), _sentence(template, fields))

    def retell(self, text: str | Sentence) -> str:
        return _Said.of(super().retell(text), text if isinstance(text, Sentence) else Sentence(text))


_LANGUAGE: Final = _Recording()


class Recorder(Voice):
    """Words findings as any voice does; ``sentence_of`` returns what it said as a sentence."""

    @classmethod
    def on(cls, voice: Voice) -> Recorder:
        """The recorder of what a voice speaks of."""
        return cls(voice.shown, _LANGUAGE, voice.edition, voice.group, voice.diagram, voice.stamped)

    def say(self, template: str, /, **fields: object) -> Inline:
        """A sentence that remembers what it was made of."""
        said = super().say(template, **fields)
        return (_Said.of(text_of(said, ENGLISH), _sentence(template, fields)),)

    def listed(self, names: Iterable[str]) -> Plain:
        """Names that every language lists in its own way."""
        each = tuple(str(own(name)) for name in names)
        return _Names(super().listed(each).text, each)


def sentence_of(said: Inline) -> Sentence:
    """A text that a recorder said, as a sentence; a part of it that is not a sentence of ours stays as it is."""
    parts = [_field(part, is_own=isinstance(part, Number)) for part in said]
    if len(parts) == 1 and isinstance(parts[0], Sentence):
        return parts[0]
    fields = {f"part{at}": part for at, part in enumerate(parts)}
    return Sentence("".join(f"{{{name}}}" for name in fields), **fields)


def _sentence(template: str, fields: dict[str, object]) -> Sentence:
    own_words = marked(template)
    return Sentence(template, **{name: _field(value, is_own=name in own_words) for name, value in fields.items()})


def _field(value: object, *, is_own: bool) -> Field:
    """What a field holds, as a sentence stores it; a text that a template does not mark is a name of ours."""
    if isinstance(value, Number):
        return _number(value)
    if isinstance(value, _Names):
        return value.names or value.text
    if isinstance(value, Plain):
        return _field(value.text, is_own=True)
    if isinstance(value, _Said):
        return value.sentence
    if isinstance(value, tuple):
        return sentence_of(value)
    if isinstance(value, Sentence | int | float):
        return value
    return str(value) if is_own else Sentence(str(value))


def _number(number: Number) -> Field:
    """A number as it is written, with the words beside it as names of ours."""
    text, bare = written(number, ENGLISH), written(replace(number, unit=""), ENGLISH)
    if text.startswith(f"{bare} "):
        return Sentence("{number} {unit}", number=bare, unit=Sentence(text[len(bare) + 1 :]))
    return Sentence(text) if text.isalpha() or text.replace(" ", "").isalpha() else text
