"""A dossier as a report shows it: texts of the user made visible, and where each of its numbers stands."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from enum import Enum
from numbers import Integral
from typing import Any, Final

import msgspec

from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.artefacts.dossier import Dossier
from leakgauge.artefacts.quantity import Quantity
from leakgauge.sentences import Sentence
from leakgauge.visible import visible

_NEVER: Final = 1e-9
"""What is released less often than this is never seen."""
Step = str | int


class Shown:
    """A dossier for people to read, and the source of every number in it.

    Every part of the dossier is a copy that stands in one place, so that the part itself says where it stands. Names
    and values are the user's, and must not turn or hide what is said beside them: in the copy they are visible.
    """

    dossier: Dossier
    """The copy."""

    def __init__(self, dossier: Dossier) -> None:
        self._places: dict[int, str] = {}
        self.dossier = dossier.mapped(lambda name, one: self._copied(one, f"{name}#"), visible)
        self._files = self.dossier.files()

    def source(self, part: object, *steps: Step) -> str:
        """The file, and the JSON pointer in it, of a part of the dossier, or of a field below it.

        Empty where there is no dossier: a result by itself stands in no file.
        """
        if not self._files:
            return ""
        return self._places[id(part)] + "".join(map(_pointer, steps))

    def resolve(self, source: str) -> Any:
        """The number that stands at a source: the value of a whole quantity, and of a list what is told of it.

        That is the empty columns of a matrix, and how many labels there are.

        Raises:
            LookupError, AttributeError, ValueError: nothing stands there.
        """
        file, _, pointer = source.partition("#")
        found: Any = self._files[file]
        for step in pointer.split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            if isinstance(found, msgspec.Struct):
                found = getattr(found, name)
            else:
                found = found[name if isinstance(found, Mapping) else int(name)]
        if isinstance(found, list | tuple):
            return _empty_columns(found) if source.endswith("/matrix") else len(found)
        return stored_number(found.value if isinstance(found, Quantity) else found)

    def _copied(self, found: Any, source: str) -> Any:
        """A part of the dossier as it is shown; where each part of it stands is noted."""
        if isinstance(found, msgspec.Struct):
            made = copy.copy(found)
            for name in found.__struct_fields__:
                # Nobody reads a probability of a channel by itself, and there may be millions.
                if name != "matrix" or not isinstance(found, ChannelFile):
                    part = self._copied(getattr(found, name), source + _pointer(name))
                    msgspec.structs.force_setattr(made, name, part)
            self._places[id(made)] = source
            return made
        if isinstance(found, Mapping):
            named = {visible(name): self._copied(one, source + _pointer(visible(name))) for name, one in found.items()}
            self._places[id(named)] = source
            return named
        if isinstance(found, list | tuple) and found:
            parts = type(found)(self._copied(one, source + _pointer(at)) for at, one in enumerate(found))
            self._places[id(parts)] = source
            return parts
        return _plain(found)


def _plain(value: Any) -> Any:
    """A value without anything hidden in it; numbers of numpy and of ours as Python's own."""
    if value is None or isinstance(value, bool | Enum):
        return value
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, Sentence):
        made = copy.copy(value)
        made.template = visible(value.template)
        made.fields = {name: _plain(one) for name, one in value.fields.items()}
        return made
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    return int(value) if isinstance(value, Integral) else float(value) if isinstance(value, float) else value


def _pointer(step: Step) -> str:
    return "/" + str(step).replace("~", "~0").replace("/", "~1")


def _empty_columns(matrix: Sequence[Sequence[float]]) -> int:
    """How many columns of a channel are 0 in every row: such a value is never released."""
    return sum(all(share < _NEVER for share in column) for column in zip(*matrix, strict=True))


def stored_number(value: Any) -> Any:
    """A number as files have it: infinity as a word."""
    if isinstance(value, float) and math.isinf(value):
        return "infinity" if value > 0 else "-infinity"
    return value
