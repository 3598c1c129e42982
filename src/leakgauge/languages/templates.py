"""Templates with fields: filled, and found again in a text that was made from one."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

_PARTS = string.Formatter()


def fill(template: str, fields: Mapping[str, object], tell: Callable[[object], object]) -> str:
    """The template with its fields, each told before it is put in unless the template quotes it with ``!r``."""
    filled = []
    for literal, name, spec, conversion in _PARTS.parse(template):
        filled.append(literal)
        if name is None:
            continue
        value, _ = _PARTS.get_field(name, (), fields)
        if conversion is None:
            value = tell(value)
        filled.append(_PARTS.format_field(_PARTS.convert_field(value, conversion), spec or ""))
    return "".join(filled)


@dataclass(frozen=True)
class _Template:
    key: str
    translation: str

    @cached_property
    def parts(self) -> tuple[tuple[str, str | None, str | None], ...]:
        """Literal text, the name of the field after it, and its conversion."""
        return tuple((literal, name, conversion) for literal, name, _, conversion in _PARTS.parse(self.key))

    @property
    def literal(self) -> int:
        """How many letters are the template's own."""
        return sum(len(literal) for literal, _, _ in self.parts)

    @cached_property
    def ends(self) -> tuple[str, str]:
        return self.parts[0][0], "" if self.parts[-1][1] is not None else self.parts[-1][0]

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        seen: set[str] = set()
        written = []
        for literal, name, _ in self.parts:
            written.append(re.escape(literal))
            if name is not None:
                written.append(f"(?P={name})" if name in seen else f"(?P<{name}>.+?)")
                seen.add(name)
        return re.compile("".join(written), re.DOTALL)


class Templates:
    """Templates by the text they start with, to find the one that a text was made from."""

    def __init__(self, catalogue: Mapping[str, str]) -> None:
        self._known = [_Template(key, text) for key, text in catalogue.items() if "{" in key and _is_template(key)]
        # The more of a text is the template's own, the surer it was made from it.
        self._known.sort(key=lambda one: -one.literal)

    def match(self, text: str) -> tuple[_Template, dict[str, str]] | None:
        """The template that a text was made from and what its fields hold; None where there is none."""
        for one in self._known:
            start, end = one.ends
            if one.literal and text.startswith(start) and text.endswith(end):
                found = one.pattern.fullmatch(text)
                if found is not None:
                    return one, found.groupdict()
        return None

    def translated(self, text: str, tell: Callable[[str], str]) -> str:
        """The text by the translation of its template; as it is where it was made from none."""
        found = self.match(text)
        if found is None:
            return text
        template, held = found
        quoted = {name for _, name, conversion in template.parts if conversion is not None}
        fields = {name: value if name in quoted else tell(value) for name, value in held.items()}
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
