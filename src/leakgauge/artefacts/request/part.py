"""What every part of a request shares: how a field is asked for, and that one text stands for itself."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Annotated, Any, Final, Self, TypeAlias, TypeVar, get_origin, get_type_hints

import msgspec

from leakgauge.arguments import check_fields
from leakgauge.artefacts.quantity import Origin, Part
from leakgauge.errors import OptionError

Options: TypeAlias = dict[str, Any]
"""What is asked, by the names of the options."""


class Names(Enum):
    """Marks a field whose text names something that a job reads besides its table."""

    PLACE = "place"
    """A file, a folder or the address of a server."""
    SPELLED = "spelled"
    """A name of ours or a file, where there may be ``column=`` before it and ``:level`` after it."""


METRES: Final = "metres"
"""Marks a length, which the command line takes with its unit, such as ``500m``."""
ON_PAGE: Final = "on the page"
"""Marks a field that the page asks for."""
IN_WORDS: Final = "in words"
"""Marks a field in people's own words, which may be written after the release and change nothing in it."""
T = TypeVar("T")
Asked = Annotated[T, Origin.DECLARED, ON_PAGE]
"""A field that people declare, on the page as well."""


@dataclass(frozen=True)
class Option:
    """How a field is asked for on the command line.

    Attributes:
        help: what it is, in one line; None where its name says it.
        choices: the words to choose from, where there are no others.
        default: what is said to be the default, where the field's own does not say it; empty where the help does.
        least: the least whole number.
        called: its name on the command line, where that is not the field's.
    """

    help: str | None
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    default: str | None = None
    least: int | None = None
    required: bool = False
    called: str | None = None


class RequestPart(Part, frozen=True):
    """A part of a request, which checks itself; what concerns two parts is checked where they meet."""

    def __post_init__(self) -> None:
        for field in fields(type(self)):
            given = getattr(self, field.name)
            # One text may stand for itself: it would be taken letter by letter.
            if isinstance(given, Sequence) and not isinstance(given, tuple) and takes_several(type(self), field.name):
                several = (given,) if isinstance(given, str) else tuple(given)
                msgspec.structs.force_setattr(self, field.name, several)
        check_fields(self)
        self.require_possible()
        confidence = getattr(self, "confidence", 0.95)
        if not 0 < confidence < 1:
            raise OptionError("A confidence of {found} is not between 0 and 1; try 0.95.", found=confidence)

    @classmethod
    def of_options(cls, options: Mapping[str, Any]) -> Self:
        """The part from those of some options that are its own."""
        return cls(**{name: options[name] for name in cls.__struct_fields__ if name in options})

    def require_possible(self) -> None:
        """Refuse what no request can ask for."""

    def given(self) -> Options:
        """What is asked, by the names of the options; defaults are left out."""
        every = {one.name: (getattr(self, one.name), one.default) for one in fields(type(self))}
        return {name: value for name, (value, default) in every.items() if value != default}

    def places(self) -> dict[str, tuple[str, ...]]:
        """By its field, every text that may be read as a file, a folder or an address.

        Of a text that could be read in several ways, all of them; names of ours are among them.
        """
        found = {}
        for name, marks in metadata(type(self)).items():
            mark = next((one for one in marks if isinstance(one, Names)), None)
            if mark is None:
                continue
            value = getattr(self, name)
            texts = () if value is None else (value,) if isinstance(value, str) else tuple(value)
            found[name] = texts if mark is Names.PLACE else tuple(one for text in texts for one in _readings(text))
        return found


@cache
def fields(part: type[RequestPart]) -> tuple[msgspec.structs.FieldInfo, ...]:
    """The fields of a part, whose annotations are read once: a job asks for them a thousand times."""
    return msgspec.structs.fields(part)


@cache
def hints(part: type[RequestPart]) -> Mapping[str, Any]:
    """The types of a part's fields with all that is said of them."""
    return get_type_hints(part, include_extras=True)


@cache
def metadata(part: type[RequestPart]) -> Mapping[str, tuple[Any, ...]]:
    """What the annotations of a part's fields say besides the types."""
    return {name: getattr(hint, "__metadata__", ()) for name, hint in hints(part).items()}


@cache
def fields_marked(part: type[RequestPart], mark: object) -> tuple[str, ...]:
    """The fields of a part whose annotations have a mark."""
    return tuple(name for name, said in metadata(part).items() if mark in said)


@cache
def takes_several(part: type[RequestPart], name: str) -> bool:
    """Whether a field takes several texts."""
    hint = hints(part)[name]
    return get_origin(getattr(hint, "__origin__", hint)) is tuple


def _readings(text: str) -> list[str]:
    """The text and what follows each of its equals signs, with and without a level at its end."""
    parts = text.split("=")
    rests = ["=".join(parts[at:]) for at in range(len(parts))]
    return list(dict.fromkeys(one for rest in rests for one in (rest, re.sub(r":\d*$", "", rest))))
