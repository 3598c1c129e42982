"""Templates with fields: filled, and found again in a text that was made from one."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

_PARTS = string.Formatter()
FEWEST = 3
"""Signs of its own that a template needs to be found again: with fewer it would be found everywhere."""
_ANY = ".+?"
_CLOSED = r"(?:[^()]|\([^()]*\))+?"
_NUMBER = r"[-+]?[\d.,]+(?:e[-+]?\d+)?%?|-?inf|nan"
_QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^'"\s]\S*?|[\w.]*[\[({<].*?[\])}>]"""


@dataclass(frozen=True)
class _Template:
    key: str
    translation: str

    @cached_property
    def parts(self) -> tuple[tuple[str, str | None, str | None, str | None], ...]:
        """Literal text, then of the field after it the name, the format and the conversion."""
        return tuple(_PARTS.parse(self.key))

    @cached_property
    def literal(self) -> int:
        """How many signs are the template's own, without spaces."""
        return sum(len(literal.replace(" ", "")) for literal, _, _, _ in self.parts)

    @cached_property
    def longest(self) -> str:
        """The longest of its own words in a row: a text without them was not made from it."""
        return max((literal for literal, _, _, _ in self.parts), key=len)

    @cached_property
    def ends(self) -> tuple[str, str]:
        return self.parts[0][0], "" if self.parts[-1][1] is not None else self.parts[-1][0]

    @cached_property
    def quoted(self) -> frozenset[str]:
        """Fields that stay as they are; a translation marks more of them, with ``!s``."""
        both = (*self.parts, *_PARTS.parse(self.translation))
        return frozenset(name for _, name, _, conversion in both if name is not None and conversion is not None)

    def held(self, text: str) -> dict[str, str] | None:
        """What the fields hold in a text that was made from this template; None where it was not."""
        start, end = self.ends
        if not (text.startswith(start) and text.endswith(end)):
            return None
        # A name such as "age (years)" comes to no end between its brackets, wherever that can be told.
        found = (self.closed and self.closed.fullmatch(text)) or self.pattern.fullmatch(text)
        return None if found is None else found.groupdict()

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return self._pattern(_ANY)

    @cached_property
    def closed(self) -> re.Pattern[str] | None:
        """The pattern where brackets within a field are closed; None where the template has no brackets of its own."""
        own = any("(" in literal for literal, _, _, _ in self.parts)
        return self._pattern(_CLOSED) if own else None

    def _pattern(self, text: str) -> re.Pattern[str]:
        seen: set[str] = set()
        written: list[str] = []
        for literal, name, spec, conversion in self.parts:
            # What follows a word or a field without a space may be nothing; where it is something, it has the space.
            more = literal[-1].isalnum() if literal else bool(written)
            written.append(re.escape(literal))
            if name is not None:
                # What has a format is a number, and a text that is quoted ends with its quote.
                held = _NUMBER if spec else _QUOTED if conversion == "r" else f"(?: {text})?" if more else text
                written.append(f"(?P={name})" if name in seen else f"(?P<{name}>{held})")
                seen.add(name)
        return re.compile("".join(written), re.DOTALL)


class Templates:
    """Templates by the text they start with, to find the one that a text was made from."""

    def __init__(self, catalogue: Mapping[str, str]) -> None:
        known = (_Template(key, text) for key, text in catalogue.items() if "{" in key and _is_template(key))
        self._known = [one for one in known if one.literal >= FEWEST]
        # The more of a text is the template's own, the surer it was made from it.
        self._known.sort(key=lambda one: -one.literal)
        self._by_ends: dict[tuple[str, str], list[_Template]] = {}

    def has(self, key: str) -> bool:
        """Whether texts made from this template can be found again."""
        return any(one.key == key for one in self._known)

    def match(self, text: str) -> tuple[_Template, dict[str, str]] | None:
        """The template that a text was made from and what its fields hold; None where there is none.

        Of several it is the one that explains most of the text, by itself and by what its fields were made from: an
        error inside another may have more words of its own than the other.
        """
        found = list(self._matches(text))
        if len(found) < 2:
            return found[0] if found else None
        return max(found, key=self._explained)

    def explained(self, text: str) -> int:
        """How many signs of a text are words of templates."""
        found = self.match(text)
        return 0 if found is None else self._explained(found)[0]

    def _matches(self, text: str) -> Iterator[tuple[_Template, dict[str, str]]]:
        for one in self._with_ends(text[:1], text[-1:]):
            held = one.held(text) if one.longest in text else None
            if held is not None:
                yield one, held

    def _explained(self, found: tuple[_Template, dict[str, str]]) -> tuple[int, int]:
        """How many signs of a text are words of templates, and how early the outermost one's start."""
        template, held = found
        inside = (self.match(value) for name, value in held.items() if name not in template.quoted)
        signs = template.literal + sum(self._explained(one)[0] for one in inside if one is not None)
        first = template.parts[0]
        return signs, 0 if first[0] or first[1] is None else -len(held[first[1]])

    def _with_ends(self, first: str, last: str) -> list[_Template]:
        """The templates that a text with these outermost signs may be made from; there are too many to try them all."""
        if (first, last) not in self._by_ends:
            self._by_ends[first, last] = [
                one for one in self._known if one.ends[0][:1] in ("", first) and one.ends[1][-1:] in ("", last)
            ]
        return self._by_ends[first, last]

    def translated(self, text: str, tell: Callable[[str], str]) -> str:
        """The text by the translation of its template; as it is where it was made from none."""
        found = self.match(text)
        if found is None:
            return text
        template, held = found
        fields = {name: value if name in template.quoted else tell(value) for name, value in held.items()}
        # What was formatted is text by now: the formats of the translation are done with.
        return "".join(
            literal + fields.get(name or "", "") for literal, name, _, _ in _PARTS.parse(template.translation)
        )


def _is_template(text: str) -> bool:
    """Whether every field has a plain name; what else has braces is no template."""
    try:
        return all(name is None or name.isidentifier() for _, name, _, _ in _PARTS.parse(text))
    except ValueError:
        return False
