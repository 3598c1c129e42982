"""A language: templates filled, errors told, and stored sentences told again."""

from __future__ import annotations

import gettext
import re
from collections.abc import Mapping
from functools import cache, cached_property
from importlib.resources import files
from numbers import Number
from os import PathLike
from typing import Final

from leakgauge.errors import LeakgaugeError, OptionError, did_you_mean
from leakgauge.languages.templates import Templates, fill

CODES: Final = {"en": None, "zh": "zh_CN"}
"""Languages by the names people give them, and the folders of their catalogues; English needs none."""
DOMAINS: Final = ("errors", "sentences", "commands", "report", "page")
"""A catalogue each: what errors say, sentences that are stored in files, and the three faces."""
_LISTS: Final = {"; ": "；", ", ": "、", " or ": " 或 "}
"""What stands between the parts of a list, in English and in Chinese."""


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

    def retell(self, text: str) -> str:
        """A sentence made from a known template, in this language; any other text as it is."""
        if self.code == "en" or not text:
            return text
        if text in self.catalogue:
            return self.catalogue[text]
        for between, said in _LISTS.items():
            if self._lists(text, between):
                return said.join(map(self.retell, _split(text, between)))
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
            or any(self._lists(text, between) for between in _LISTS)
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

    def _tell(self, value: object) -> object:
        if isinstance(value, LeakgaugeError):
            return self.error(value)
        return self.retell(value) if isinstance(value, str) else value

    def _tell_of_error(self, value: object) -> object:
        """Errors are made of objects too, such as goals and limits; a path is the user's own word."""
        if isinstance(value, LeakgaugeError | Number | PathLike):
            return self._tell(value)
        text = str(value)
        told = self.retell(text)
        # What is not known keeps its own type, which a format may need.
        return value if told == text else told

    def _is_one(self, text: str) -> bool:
        return text in self.catalogue or self._templates.match(text) is not None

    def _lists(self, text: str, between: str) -> bool:
        """Whether a text is a list of known texts; what has commas inside is one only where all parts are alike."""
        parts = _split(text, between)
        if len(parts) == 1 or not all(map(self._is_one, parts)):
            return False
        if between == " or ":
            # A template that says "or" itself knows better where its words end.
            return between not in (self._made_from(text) or "")
        return between != ", " or len({self._made_from(part) for part in parts}) == 1

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


@cache
def _catalogue(code: str) -> dict[str, str]:
    found: dict[str, str] = {}
    if CODES[code] is None:
        return found
    folder = files("leakgauge.languages") / str(CODES[code]) / "LC_MESSAGES"
    for domain in DOMAINS:
        with (folder / f"{domain}.mo").open("rb") as file:
            # The standard library keeps what it read under this name, and offers no other way to list it.
            read: Mapping[str, str] = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
        found |= {key: text for key, text in read.items() if key and text}
    return found


@cache
def _templates(code: str) -> Templates:
    return Templates(_catalogue(code))
