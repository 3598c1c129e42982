"""Mechanisms as they are written on the command line and in plans: ``laplace:epsilon=1,lower=0,upper=120``."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from leakgauge.artefacts.channel_file import read_channel
from leakgauge.errors import OptionError, did_you_mean
from leakgauge.mechanisms.discrete_gaussian import discrete_gaussian
from leakgauge.mechanisms.exponential import exponential
from leakgauge.mechanisms.finite import FiniteMechanism
from leakgauge.mechanisms.gaussian import gaussian
from leakgauge.mechanisms.geometric import geometric
from leakgauge.mechanisms.laplace import laplace
from leakgauge.mechanisms.mechanism import Mechanism
from leakgauge.mechanisms.permute_and_flip import permute_and_flip
from leakgauge.mechanisms.randomized_response import randomized_response
from leakgauge.mechanisms.subset_selection import subset_selection
from leakgauge.mechanisms.through_channel import through_channel
from leakgauge.mechanisms.unary_encoding import unary_encoding
from leakgauge.probability import Label


def _number(text: str) -> float:
    if re.fullmatch(r"[+-]?\d+", text):
        return int(text)
    if not math.isfinite(value := float(text)):
        raise ValueError
    return value


def _letters(text: str) -> tuple[Label, ...]:
    return tuple(_plain(part) or None for part in _split(text, "|"))


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)


def _split(text: str, separator: str) -> list[str]:
    """The parts between separators; what follows a backslash separates nothing."""
    parts = [""]
    for piece in re.findall(r"\\.|.", text, flags=re.DOTALL):
        if piece == separator:
            parts.append("")
        else:
            parts[-1] += piece
    return parts


@dataclass(frozen=True)
class _Kind:
    """How a parameter is read, and what it should have been."""

    read: Callable[[str], Any]
    wanted: str


_NUMBER = _Kind(_number, "a finite number such as 0.5 or 1e-3")
_WHOLE = _Kind(int, "a whole number such as 10")
_LETTERS = _Kind(_letters, "letters such as a|b|c")
_PATH = _Kind(_plain, "the path of a channel file")


@dataclass(frozen=True)
class _Spelling:
    """How a mechanism is made from its parameters; the first ``needed`` of them cannot be left out."""

    factory: Callable[..., Mechanism]
    parameters: Mapping[str, _Kind]
    needed: int = 1


def _of_file(file: str) -> FiniteMechanism:
    return through_channel(read_channel(file).channel, file=file)


_BOUNDS = dict.fromkeys(("sensitivity", "lower", "upper", "missing"), _NUMBER)
_WHOLE_BOUNDS = dict.fromkeys(_BOUNDS, _WHOLE)
_SPELLINGS = {
    "laplace": _Spelling(laplace, {"epsilon": _NUMBER, **_BOUNDS, "grid": _NUMBER}),
    "gaussian": _Spelling(gaussian, {"epsilon": _NUMBER, "delta": _NUMBER, **_BOUNDS, "grid": _NUMBER}, needed=2),
    "geometric": _Spelling(geometric, {"epsilon": _NUMBER, **_WHOLE_BOUNDS}),
    "discrete-gaussian": _Spelling(discrete_gaussian, {"rho": _NUMBER, **_WHOLE_BOUNDS}),
    "exponential": _Spelling(exponential, {"epsilon": _NUMBER, "sensitivity": _NUMBER}),
    "permute-and-flip": _Spelling(permute_and_flip, {"epsilon": _NUMBER, "sensitivity": _NUMBER}),
    "randomized-response": _Spelling(randomized_response, {"epsilon": _NUMBER, "letters": _LETTERS}),
    "unary-encoding": _Spelling(unary_encoding, {"epsilon": _NUMBER, "letters": _LETTERS}),
    "subset-selection": _Spelling(subset_selection, {"epsilon": _NUMBER, "letters": _LETTERS}),
    "channel": _Spelling(_of_file, {"file": _PATH}),
}
MECHANISMS = tuple(_SPELLINGS)
"""The names that can be spelled; sample-and-aggregate needs a function, which no text holds."""


def parse_mechanism(text: str, letters: Iterable[Label] | None = None) -> Mechanism:
    """The mechanism of ``name:key=value,…``, or of the path of a channel file that ends in ``.json``.

    Args:
        text: as ``spelled`` writes it. Letters are text there; an empty one is the letter of missing values.
        letters: the alphabet of the column, for mechanisms over letters whose text has none.

    Raises:
        OptionError: an unknown name, or parameters that are unknown, missing, repeated or malformed.
        FileError: a channel file that cannot be read.

    Example:
        >>> parse_mechanism("laplace:epsilon=1,lower=0,upper=120").claims
        (LocalDP(epsilon=1),)
    """
    name, _, rest = text.partition(":")
    spelling = _SPELLINGS.get(name)
    if spelling is None:
        if text.lower().endswith(".json"):
            return _of_file(text)
        raise OptionError("There is no mechanism {name!r}; {hint}", name=name, hint=did_you_mean(name, MECHANISMS))
    given = _parameters(name, rest, spelling)
    if "letters" in spelling.parameters and "letters" not in given:
        if letters is None:
            raise OptionError("{name!s} does not know its letters; declare them with letters=a|b|c.", name=name)
        given["letters"] = tuple(letters)
    lacking = [key for key in list(spelling.parameters)[: spelling.needed] if key not in given]
    if lacking:
        raise OptionError(
            "{name!s} lacks {key!s}; write {name!s}:{key!s}=VALUE, VALUE being {wanted}.",
            name=name,
            key=lacking[0],
            wanted=spelling.parameters[lacking[0]].wanted,
        )
    return spelling.factory(**given)


def _parameters(name: str, rest: str, spelling: _Spelling) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for part in _split(rest, ",") if rest else []:
        key, equals, value = part.partition("=")
        key = key.strip()
        if not equals:
            raise OptionError("{name!s} has {part!r} where key=value should be.", name=name, part=part)
        if key not in spelling.parameters:
            hint = did_you_mean(key, spelling.parameters)
            raise OptionError("{name!s} has no parameter {key!r}; {hint}", name=name, key=key, hint=hint)
        if key in given:
            raise OptionError("{name!s} is given {key!s} twice; give it once.", name=name, key=key)
        kind = spelling.parameters[key]
        try:
            given[key] = kind.read(value if kind in (_LETTERS, _PATH) else value.strip())
        except ValueError:
            raise OptionError(
                "{name!s} has {key!s}={value!r}; give {wanted}.", name=name, key=key, value=value, wanted=kind.wanted
            ) from None
    return given
