"""A language: templates looked up and filled, errors and stored sentences told."""

from __future__ import annotations

import gettext
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from importlib.resources import files
from typing import Final

from leakgauge.errors import LeakgaugeError, OptionError, did_you_mean
from leakgauge.sentences import Sentence, fill

CODES: Final = {"en": None, "zh": "zh_CN"}
"""Languages by the names people give them, and the folders of their catalogues; English needs none."""
DOMAINS: Final = ("errors", "sentences", "commands", "report", "page")
"""A catalogue each: what errors say, sentences that are stored in files, and the three faces."""
_BETWEEN: Final = {"en": ", ", "zh": "、"}
"""What stands between the parts of a list."""


class Language:
    """A language that things are said in.

    Args:
        code: ``en`` or ``zh``.

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

        Fields that are errors, sentences or names of ours are told too; texts that a template quotes, with ``!r``, or
        marks, with ``!s``, are the user's own words or code and stay.
        """
        return fill(self._found(template), fields, self._tell)

    def retell(self, text: str | Sentence) -> str:
        """A sentence, or a name of ours, in this language; any other text as it is."""
        if isinstance(text, Sentence):
            return fill(self._found(text.template), text.fields, self._held)
        return self._found(text)

    def listed(self, things: Iterable[str]) -> str:
        """Names or texts one after the other."""
        return _BETWEEN[self.code].join(things)

    def error(self, error: LeakgaugeError) -> str:
        """What an error says."""
        return fill(self._found(error.template), error.fields, self._tell)

    @cached_property
    def catalogue(self) -> Mapping[str, str]:
        """Every template with its translation; empty for English."""
        return translations(self.code, *DOMAINS)

    def _found(self, template: str) -> str:
        return self.catalogue.get(template, template)

    def _tell(self, value: object) -> object:
        """What a field holds; a text may be a name of ours."""
        return self._found(value) if isinstance(value, str) else self._held(value)

    def _held(self, value: object) -> object:
        """What a field of a sentence holds; a text in it is somebody's own word."""
        if isinstance(value, LeakgaugeError):
            return self.error(value)
        if isinstance(value, Sentence):
            return self.retell(value)
        if isinstance(value, tuple):
            return self.listed(str(self._held(one)) for one in value)
        return value


ENGLISH: Final = Language("en")


@cache
def language_of(code: str) -> Language:
    """The language by its code; the same object every time."""
    return Language(code)


@cache
def translations(code: str, *domains: str) -> dict[str, str]:
    """Every template of some domains with its translation; empty for English."""
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


def message(template: str) -> str:
    """The template itself; the catalogues must have it."""
    return template
