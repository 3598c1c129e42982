"""Steps of a sequence as people write them: ``gaussian:noise-multiplier=1.1``, ``laplace:epsilon=0.1``, ``dp:0.05``."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import signature
from os.path import isdir

from leakgauge.claims import NOTIONS, parse_statement
from leakgauge.errors import OptionError, did_you_mean
from leakgauge.mechanisms.spelling import CATALOGUE, finite_number, parse_mechanism, split_at
from leakgauge.mechanisms.steps import (
    Claimed,
    ClaimedCurve,
    DiscreteGaussianNoise,
    DiscreteLaplaceNoise,
    GaussianNoise,
    LaplaceNoise,
    Step,
)

OPEN = "?"
"""Stands for the one number of a sequence that is searched for."""
CURVE = "renyi-curve"
"""The name of a claimed Rényi curve, written ``renyi-curve:2=0.1,8=0.5``: its ε in nats by their orders."""
MULTIPLIER = "noise-multiplier"
"""The scale of noise in sensitivities: of Gaussian noise its standard deviation."""


_NORMAL, _EXPONENTIAL = 1.96, math.log(20)
"""Scales within which about 95 % of Gaussian noise, and of Laplace noise, lies."""


@dataclass(frozen=True)
class _Noise:
    """A law of noise that is known by one parameter, whatever the sensitivity.

    Of it follow what a run costs, and within how many sensitivities about 95 % of the noise lies.
    """

    step: Callable[[float], Step]
    error: Callable[[float], float]


_NOISES: Mapping[tuple[str, str], _Noise] = {
    ("gaussian", MULTIPLIER): _Noise(GaussianNoise, lambda scale: _NORMAL * scale),
    ("discrete-gaussian", MULTIPLIER): _Noise(DiscreteGaussianNoise, lambda scale: _NORMAL * scale),
    # Up by a unit in the last place: an ε that is too large is safe.
    ("laplace", MULTIPLIER): _Noise(
        lambda scale: LaplaceNoise(math.nextafter(1 / scale, math.inf)), lambda scale: _EXPONENTIAL * scale
    ),
    ("laplace", "epsilon"): _Noise(LaplaceNoise, lambda epsilon: _EXPONENTIAL / epsilon),
    ("geometric", "epsilon"): _Noise(DiscreteLaplaceNoise, lambda epsilon: _EXPONENTIAL / epsilon),
}
"""By the name of the mechanism and that of its parameter; any other text is one of the catalogue."""


def parse_step(text: str, *, count: int = 1, sampling_probability: float = 1.0) -> Step:
    """The step of a mechanism, of a claim, or of the path of a channel file that ends in ``.json``.

    A mechanism is written as everywhere, ``name:key=value,…``; noise also by its ``noise-multiplier`` alone.

    Raises:
        OptionError: an unknown name, parameters that are unknown, missing or malformed, a claim that does not compose.
        FileError: a channel file that cannot be read.

    Example:
        >>> parse_step("gaussian:noise-multiplier=1.1", count=1000)
        GaussianNoise(count=1000, sampling_probability=1.0, noise_multiplier=1.1)
        >>> parse_step("dp:0.05").pure_epsilon()
        0.05
    """
    name, _, rest = text.partition(":")
    return replace(_read(text, name, rest), count=count, sampling_probability=sampling_probability)


def typical_error(text: str) -> float | None:
    """Within which about 95 % of the noise lies, in sensitivities; None where the text is not one of noise alone."""
    name, _, rest = text.partition(":")
    key, _, value = rest.partition("=")
    noise = None if "," in rest else _NOISES.get((name, key))
    return None if noise is None else noise.error(_above_zero(name, key, value))


def parameters_of(text: str) -> tuple[str, ...]:
    """The names of the parameters that the mechanism of a text may have; none of one that is not known."""
    name = text.partition(":")[0]
    factory = CATALOGUE.get(name)
    declared = () if factory is None else tuple(signature(factory).parameters)
    return tuple(dict.fromkeys((*(key for noise, key in _NOISES if noise == name), *declared)))


def takes_several(text: str, key: str) -> bool:
    """Whether a parameter of the mechanism of a text is a list, of letters or of numbers."""
    factory = CATALOGUE.get(text.partition(":")[0])
    declared = None if factory is None else signature(factory).parameters.get(key)
    return declared is not None and str(declared.annotation).startswith("Iterable")


def is_claim(text: str) -> bool:
    """Whether a text claims a level of a notion, instead of naming a mechanism."""
    name = text.partition(":")[0]
    return name in NOTIONS or name == CURVE


def _read(text: str, name: str, rest: str) -> Step:
    if name in NOTIONS:
        statement = parse_statement(text)
        if statement.level == math.inf:
            raise _not_above_zero(name, "level", rest.partition(",")[0])
        return Claimed(statement)
    if name == CURVE:
        return _curve(text, rest)
    if name not in CATALOGUE and not text.lower().endswith(".json"):
        if isdir(text):  # noqa: PTH112  # Path refuses a text that is too long for one
            raise OptionError("{path!r} is a folder; name a file in it.", path=text)
        known = (*CATALOGUE, *NOTIONS, CURVE)
        raise OptionError("There is no mechanism or notion {name!r}; {hint}", name=name, hint=did_you_mean(name, known))
    if not rest and (name, MULTIPLIER) in _NOISES:
        raise OptionError("{name!s} has no parameters; write e.g. {name!s}:noise-multiplier=1.1.", name=name)
    keys, values = zip(*(part.partition("=")[::2] for part in split_at(rest, ",")), strict=True)
    noise = _NOISES.get((name, keys[0])) if len(keys) == 1 else None
    if noise is not None:
        return noise.step(_above_zero(name, keys[0], values[0]))
    if MULTIPLIER in keys:
        raise _without_law(name, keys)
    return parse_mechanism(text).step()


def _above_zero(name: str, key: str, text: str) -> float:
    try:
        value = finite_number(text)
    except ValueError:
        value = 0.0
    if not value > 0:
        raise _not_above_zero(name, key, text)
    return float(value)


def _not_above_zero(name: str, key: str, text: str) -> OptionError:
    return OptionError(
        "{name!s} has {key!s}={value!r}; give a finite number above 0, such as 1.1.", name=name, key=key, value=text
    )


def _without_law(name: str, keys: Sequence[str]) -> OptionError:
    """Why a noise multiplier cannot be used here."""
    known = tuple(noise for noise, key in _NOISES if key == MULTIPLIER)
    other = next((key for key in keys if key != MULTIPLIER), None)
    if name not in known:
        return OptionError(
            "{name!s} has no noise-multiplier; it is known for {known!s}.", name=name, known=tuple(map(repr, known))
        )
    if other is None:
        return OptionError("{name!s} is given {key!s} twice; give it once.", name=name, key=MULTIPLIER)
    return OptionError(
        "{name!s} is given a noise-multiplier, which fixes its cost, and {key!s} too; leave one of them out.",
        name=name,
        key=other,
    )


def _curve(text: str, rest: str) -> ClaimedCurve:
    levels: dict[float, float] = {}
    for part in split_at(rest, ","):
        order, _, level = part.partition("=")
        try:
            at, epsilon = float(order), float(level)
        except ValueError:
            raise OptionError(
                "{text!r} has {part!r} instead of order=ε; write e.g. renyi-curve:2=0.1,8=0.5.", text=text, part=part
            ) from None
        if at in levels:
            raise OptionError("{text!r} gives the order {order} twice; give it once.", text=text, order=at)
        levels[at] = epsilon
    return ClaimedCurve.from_mapping(levels, text)
