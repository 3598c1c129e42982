"""A language: templates filled, errors told, and stored sentences told again."""

from __future__ import annotations

import gettext
import re
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from importlib.resources import files
from numbers import Number
from os import PathLike
from typing import Final

from leakgauge.errors import LeakgaugeError, OptionError, did_you_mean
from leakgauge.languages.templates import Templates
from leakgauge.sentences import Sentence, fill

CODES: Final = {"en": None, "zh": "zh_CN"}
"""Languages by the names people give them, and the folders of their catalogues; English needs none."""
DOMAINS: Final = ("errors", "sentences", "commands", "report", "page")
"""A catalogue each: what errors say, sentences that are stored in files, and the three faces."""
STORED: Final = ("errors", "sentences", "commands")
"""Catalogues whose templates are found again in texts; what reports and the page say is made afresh every time."""
_LISTS: Final = {"; ": "；", ", ": "、", " or ": "或"}
"""What stands between the parts of a list, in English and in Chinese."""
_CHINESE: Final = "\u2e80"
"""The first sign that needs no space beside a Chinese one."""
_SURE: Final = 2
"""Spaces of a text that no column is called like."""


class Language:
    """A language that things are said in.

    Args:
        code: ``en`` or ``zh``.

    Raises:
        OptionError: another one.

    Example:
        >>> Language("en").say("{rows} rows", rows=3)
        '3 rows'
    """

    def __init__(self, code: str = "en") -> None:
        if code not in CODES:
            raise OptionError("There is no language {code!r}; {hint}", code=code, hint=did_you_mean(code, CODES))
        self.code = code

    def __repr__(self) -> str:
        return f"Language({self.code!r})"

    def say(self, template: str, /, **fields: object) -> str:
        """The template in this language, filled.

        Fields that are errors or known sentences are translated too; those a template quotes, with ``!r``, or marks,
        with ``!s``, are the user's own words or code and stay.
        """
        return fill(self._found(template), fields, self._tell)

    def retell(self, text: str | Sentence) -> str:
        """A sentence or a name of ours in this language; any other text as it is."""
        if isinstance(text, Sentence):
            if text.fields:
                return fill(self._found(text.template), text.fields, self._held)
            text = text.template
        if self.code == "en" or not text:
            return text
        if text in self.catalogue:
            return self.catalogue[text]
        for between, said in _LISTS.items():
            parts = self._parts(text, between)
            if parts:
                return _together(said, map(self.retell, parts))
        if not self._is_one(text) and self._is_one(f"{text}."):
            # An error inside another sentence has lost its full stop.
            return self.retell(f"{text}.").removesuffix("。")
        return self._templates.translated(text, self.retell)

    def knows(self, text: str) -> bool:
        """Whether a text can be told in this language: one that is known, or a list of such."""
        return (
            self.code == "en"
            or self._is_one(text)
            or self._is_one(f"{text}.")
            or any(self._parts(text, between) for between in _LISTS)
        )

    def error(self, error: LeakgaugeError) -> str:
        """What an error says."""
        return fill(self._found(error.template), error.fields, self._tell_of_error)

    @cached_property
    def catalogue(self) -> Mapping[str, str]:
        """Every template with its translation; empty for English."""
        return _catalogue(self.code)

    def _found(self, template: str) -> str:
        return self.catalogue.get(template, template)

    def _held(self, value: object) -> object:
        """What a field of a sentence holds; a text in it is somebody's own word."""
        if isinstance(value, Sentence):
            return self.retell(value)
        if isinstance(value, tuple):
            between = ", " if self.code == "en" else _LISTS[", "]
            return between.join(str(self._held(one)) for one in value)
        return value

    def _tell(self, value: object) -> object:
        if isinstance(value, LeakgaugeError):
            return self.error(value)
        if isinstance(value, Sentence | tuple):
            return self._held(value)
        return self.retell(value) if isinstance(value, str) else value

    def _tell_of_error(self, value: object) -> object:
        """Errors are made of objects too, such as goals and limits; a path is the user's own word."""
        if isinstance(value, LeakgaugeError | Number | PathLike | Sentence | tuple):
            return self._tell(value)
        text = str(value)
        told = self.retell(text)
        # What is not known keeps its own type, which a format may need.
        return value if told == text else told

    def _is_one(self, text: str) -> bool:
        return text in self.catalogue or self._templates.match(text) is not None

    def _parts(self, text: str, between: str) -> list[str]:
        """The known sentences that a text is a list of; none where it is no list.

        What has commas inside is a list only where all parts are alike.
        """
        if between not in text:
            return []
        parts = self._joined(_split(text, between), between)
        if len(parts) < 2:
            return []
        if between == " or " and between in (self._made_from(text) or ""):
            # A template that says "or" itself knows better where its words end.
            return []
        if between == ", " and len({self._made_from(part) for part in parts}) > 1:
            return []
        # The user's own words may have commas inside: a sentence is torn only where more of it is then known.
        return parts if sum(map(self._explained, parts)) > self._templates.explained(text) else []

    def _joined(self, pieces: list[str], between: str) -> list[str]:
        """Pieces joined to parts that are surely ours, each as short as it can be: a part may be a list within."""
        parts: list[str] = []
        while pieces:
            ends = range(1, len(pieces) + 1) if between == "; " else (1,)
            end = next((end for end in ends if self._is_said(between.join(pieces[:end]))), None)
            if end is None:
                return []
            parts.append(between.join(pieces[:end]))
            pieces = pieces[end:]
        return parts

    def _is_said(self, text: str) -> bool:
        """Whether a part of a list is surely ours: a column may be called like any single word."""
        return self._is_one(text) if " " in text else text not in self.catalogue and self._is_one(text)

    def _explained(self, text: str) -> int:
        """How many signs of a part of a list are surely ours; a few words may be the user's."""
        if text in self.catalogue:
            return len(text) if text.count(" ") >= _SURE else 0
        return self._templates.explained(text)

    def _made_from(self, text: str) -> str | None:
        """The template of a text; None where it is known as it is."""
        found = None if text in self.catalogue else self._templates.match(text)
        return None if found is None else found[0].key

    @property
    def _templates(self) -> Templates:
        return _templates(self.code)


ENGLISH: Final = Language("en")


@cache
def language_of(code: str) -> Language:
    """The language by its code; the same object every time."""
    return Language(code)


def _split(text: str, between: str) -> list[str]:
    """The parts of a list; what stands in brackets is not split."""
    return re.split(rf"{re.escape(between)}(?![^(]*\))", text)


def _together(said: str, parts: Iterable[str]) -> str:
    """The parts of a list in Chinese; a word between them stands apart from what is not Chinese."""
    text = ""
    for part in parts:
        apart = " " if said.isalpha() else ""
        before = apart if text and text[-1] < _CHINESE else ""
        after = apart if part[:1] < _CHINESE else ""
        text = f"{text}{before}{said}{after}{part}" if text else part
    return text


@cache
def _catalogue(code: str, domains: tuple[str, ...] = DOMAINS) -> dict[str, str]:
    found: dict[str, str] = {}
    if CODES[code] is None:
        return found
    folder = files("leakgauge.languages") / str(CODES[code]) / "LC_MESSAGES"
    for domain in domains:
        with (folder / f"{domain}.mo").open("rb") as file:
            # The standard library keeps what it read under this name, and offers no other way to list it.
            read: Mapping[str, str] = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
        found |= {key: text for key, text in read.items() if key and text}
    return found


@cache
def _templates(code: str) -> Templates:
    return Templates(_catalogue(code, STORED))
