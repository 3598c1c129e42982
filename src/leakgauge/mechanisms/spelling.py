"""Mechanisms as they are written on the command line and in plans: ``laplace:epsilon=1,lower=0,upper=120``."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from inspect import signature
from typing import Any

from leakgauge.artefacts.channel_file import read_channel
from leakgauge.errors import OptionError, did_you_mean
from leakgauge.mechanisms.choice import exponential, permute_and_flip
from leakgauge.mechanisms.coarser_cells import coarser_cells
from leakgauge.mechanisms.dummies import dummies
from leakgauge.mechanisms.finite import FiniteMechanism, randomized_response, through_channel
from leakgauge.mechanisms.gaussian import discrete_gaussian, gaussian
from leakgauge.mechanisms.laplace import geometric, laplace
from leakgauge.mechanisms.letter_sets import subset_selection, unary_encoding
from leakgauge.mechanisms.mechanism import Mechanism
from leakgauge.mechanisms.noisy_max import report_noisy_max
from leakgauge.mechanisms.planar_laplace import MapUnit, planar_laplace
from leakgauge.mechanisms.redraw import keep_or_redraw
from leakgauge.mechanisms.sampled_response import sampled_randomized_response
from leakgauge.mechanisms.sparse_vector import above_threshold, sparse_vector
from leakgauge.probability import Label
from leakgauge.sentences import Sentence


def finite_number(text: str) -> float:
    """The number that a text says, whole where it is written so; infinite ones are a ``ValueError``."""
    if re.fullmatch(r"\s*[+-]?\d+\s*", text):
        return int(text)
    if not math.isfinite(value := float(text)):
        raise ValueError
    return value


def _truth(text: str) -> bool:
    try:
        return {"yes": True, "no": False}[text.strip()]
    except KeyError:
        raise ValueError from None


def unescaped(text: str) -> str:
    """The text without the backslashes before its own signs."""
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)


def split_at(text: str, separator: str) -> list[str]:
    """The parts between separators; what follows a backslash separates nothing."""
    parts = [""]
    for piece in re.findall(r"\\.|.", text, flags=re.DOTALL):
        if piece == separator:
            parts.append("")
        else:
            parts[-1] += piece
    return parts


def _channel(file: str) -> FiniteMechanism:
    named = read_channel(file)
    return through_channel(named.channel, file, named.compared)


CATALOGUE: dict[str, Callable[..., Mechanism]] = {
    "laplace": laplace,
    "gaussian": gaussian,
    "geometric": geometric,
    "discrete-gaussian": discrete_gaussian,
    "exponential": exponential,
    "permute-and-flip": permute_and_flip,
    "report-noisy-max": report_noisy_max,
    "above-threshold": above_threshold,
    "sparse-vector": sparse_vector,
    "randomized-response": randomized_response,
    "sampled-randomized-response": sampled_randomized_response,
    "keep-or-redraw": keep_or_redraw,
    "unary-encoding": unary_encoding,
    "subset-selection": subset_selection,
    "planar-laplace": planar_laplace,
    "coarser-cells": coarser_cells,
    "dummies": dummies,
    "channel": _channel,
}
"""Each mechanism by its name. A factory takes its budget first and the rest by name; how a parameter is written follows
from its annotation. Sample-and-aggregate needs a function, which no text holds."""
CAVEATS: dict[str, Callable[[tuple[str, ...]], Sentence]] = {
    "planar-laplace": lambda columns: Sentence(
        "The claims of {columns!s} protect cells of a map: all points of a cell are released alike, and two points a "
        "metre apart may lie in neighbouring cells. Metric privacy is per kilometre, or per cell where the mechanism "
        "says so.",
        columns=columns,
    ),
    "coarser-cells": lambda columns: Sentence(
        "The block of cells that a place lies in is released as it is in {columns!s}; nothing is promised beyond that.",
        columns=columns,
    ),
    "dummies": lambda columns: Sentence(
        "The true cell of {columns!s} is one of those released; whoever can rule the others out knows it.",
        columns=columns,
    ),
}
"""What a reader of a mechanism's claims must know beside them, by its name."""
_KINDS: dict[str, tuple[Callable[[str], Any], str]] = {
    "float": (finite_number, "a finite number such as 0.5 or 1e-3"),
    "int": (int, "a whole number such as 10"),
    "bool": (_truth, "yes or no"),
    "Iterable[Label]": (
        lambda text: tuple(unescaped(part) or None for part in split_at(text, "|")),
        "letters such as a|b|c",
    ),
    "Iterable[float]": (lambda text: tuple(map(finite_number, text.split("|"))), "numbers such as 0.2|0.5|0.3"),
    "MapUnit": (MapUnit, "km or cell"),
    # A text, since the mechanism says which noise was meant.
    "MaxNoise | str": (unescaped, "laplace, exponential or gumbel"),
    "str": (unescaped, "the path of a channel file"),
}
"""How a parameter is read, and what it should be, by its annotation."""


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
    factory = CATALOGUE.get(name)
    if factory is None:
        if text.lower().endswith(".json"):
            return _channel(text)
        raise OptionError("There is no mechanism {name!r}; {hint}", name=name, hint=did_you_mean(name, CATALOGUE))
    declared = signature(factory).parameters
    kinds = {key: _KINDS[parameter.annotation.removesuffix(" | None")] for key, parameter in declared.items()}
    given = _given(name, rest, kinds)
    if "letters" in kinds and "letters" not in given:
        listed = next((key for key in given if declared[key].annotation.startswith("Iterable")), None)
        if listed is not None:
            raise OptionError(
                "{name!s} has {key!s} for letters that are not declared; declare them with letters=a|b|c.",
                name=name,
                key=listed,
            )
        if letters is None:
            raise OptionError("{name!s} has no letters; declare them with letters=a|b|c.", name=name)
        given["letters"] = tuple(letters)
    for key, parameter in declared.items():
        if parameter.default is parameter.empty and key not in given:
            raise OptionError(
                "{name!s} lacks {key!s}; write {name!s}:{key!s}=VALUE, VALUE being {wanted}.",
                name=name,
                key=key,
                wanted=kinds[key][1],
            )
    return factory(**given)


def with_letters(mechanism: Mechanism, letters: Iterable[Label]) -> Mechanism:
    """The same mechanism over other letters, such as numbers where a text has their digits."""
    return CATALOGUE[mechanism.name](**{**mechanism.parameters, "letters": tuple(letters)})


def _given(name: str, rest: str, kinds: Mapping[str, tuple[Callable[[str], Any], str]]) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for part in split_at(rest, ",") if rest else []:
        key, equals, value = part.partition("=")
        key = key.strip()
        if not equals:
            raise OptionError("{name!s} has {part!r} instead of key=value; write e.g. epsilon=1.", name=name, part=part)
        if key not in kinds:
            hint = did_you_mean(key, kinds)
            raise OptionError("{name!s} has no parameter {key!r}; {hint}", name=name, key=key, hint=hint)
        if key in given:
            raise OptionError("{name!s} is given {key!s} twice; give it once.", name=name, key=key)
        read, wanted = kinds[key]
        try:
            given[key] = read(value)
        except ValueError:
            raise OptionError(
                "{name!s} has {key!s}={value!r}; give {wanted}.", name=name, key=key, value=value, wanted=wanted
            ) from None
    return given
