"""Statements of privacy notions as frozen data, one class per notion; judging them lives elsewhere.

Budgets are in nats, information in bits. A statement says "at most": a smaller level satisfies it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from enum import Enum
from typing import ClassVar, dataclass_transform

from leakgauge.errors import OptionError, did_you_mean
from leakgauge.rounding import at_most

PRACTICALLY_UNLIMITED = 50 * math.log(2)
"""Nats from which a level is shown in words: an answer may be 2^50 times as likely for one person as for another.

Channels are made of multiples of 2^-53, so that levels near 53 ln 2 = 36.7 are those of the grid, not of a design.
"""
_SHOWN = 6
"""Digits of a level in a text."""


class Adjacency(Enum):
    """Which inputs the notion compares."""

    NEIGHBOURS = "data sets that differ in one record"
    ALL_PAIRS = "any two secrets"
    METRIC = "any two secrets, by their distance"
    PRIOR = "the average over a prior"


NOTIONS: dict[str, type[Statement]] = {}
"""Every notion by the name it has on the command line, in the order of the classes below."""


@dataclass_transform(frozen_default=True)
@dataclass(frozen=True)
class Statement:
    """A privacy notion with its level; the first field is the level. Each subclass is a frozen dataclass."""

    name: ClassVar[str]
    unit: ClassVar[str]
    adjacency: ClassVar[Adjacency]

    def __init_subclass__(cls, *, name: str = "", unit: str = "", adjacency: Adjacency | None = None) -> None:
        super().__init_subclass__()
        dataclass(frozen=True)(cls)
        cls.unit = unit or cls.unit
        if adjacency is not None:
            cls.name, cls.adjacency = name, adjacency
            NOTIONS[name] = cls

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            told: dict[str, object] = {"notion": self.name, "field": name, "found": value}
            if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value) or value < 0:
                raise OptionError("{notion!s}: {field!s} is {found}; give a number of at least 0.", **told)
            if name in ("delta", "variation") and value > 1:
                raise OptionError("{notion!s}: {field!s} is {found}; give at most 1.", **told)
            if name == "order" and value == 0:
                raise OptionError("{notion!s}: {field!s} is {found}; give an order above 0.", **told)

    @property
    def level(self) -> float:
        """The number that is claimed not to be exceeded."""
        return float(next(iter(vars(self).values())))

    @property
    def parameters(self) -> tuple[tuple[str, float], ...]:
        """What else fixes the notion, such as δ or an order."""
        return tuple((name, float(value)) for name, value in vars(self).items())[1:]

    def __str__(self) -> str:
        # Rounded up: a level that is not reached is not claimed. Orders are those that were asked for.
        extra = "".join(
            f",{name}={at_most(value, _SHOWN) if name == 'delta' else value:.6g}" for name, value in self.parameters
        )
        return f"{self.name}:{at_most(self.level, _SHOWN):.6g}{'bits' if self.unit == 'bits' else ''}{extra}"


class _InNats(Statement, unit="nats"):
    """A notion whose level is an ε."""

    epsilon: float


class _InBits(Statement, unit="bits"):
    """A notion whose level is an amount of information."""

    information: float


class Identifiability(_InNats, name="identifiability", adjacency=Adjacency.ALL_PAIRS):
    """Posteriors of any two secrets differ by at most e^ε, whatever is seen."""


class LocalDP(_InNats, name="local-dp", adjacency=Adjacency.ALL_PAIRS):
    """Any two secrets give every output with probabilities within e^ε."""


class MutualInformation(_InBits, name="mutual-information", adjacency=Adjacency.PRIOR):
    """I(D;E) of one record and its release is at most this many bits."""


class CentralIdentifiability(_InNats, name="central-identifiability", adjacency=Adjacency.NEIGHBOURS):
    """Posteriors of neighbouring data sets differ by at most e^ε."""


class CentralDP(_InNats, name="dp", adjacency=Adjacency.NEIGHBOURS):
    """Neighbouring data sets give every output with probabilities within e^ε."""


class CentralMutualInformation(_InBits, name="central-mutual-information", adjacency=Adjacency.PRIOR):
    """I(X;Y) of a whole data set and its release is at most this many bits."""


class ApproximateDP(_InNats, name="approximate-dp", adjacency=Adjacency.NEIGHBOURS):
    """(ε, δ)-differential privacy: hockey-stick divergence at ε of at most δ."""

    delta: float


class RenyiDP(_InNats, name="renyi-dp", adjacency=Adjacency.NEIGHBOURS):
    """Rényi divergence of the given order of at most ε (Mironov 2017)."""

    order: float = 2.0


class ZeroConcentratedDP(Statement, name="zcdp", unit="nats", adjacency=Adjacency.NEIGHBOURS):
    """Rényi divergence of every order α of at most ρα (Bun and Steinke 2016)."""

    rho: float


class GaussianDP(Statement, name="gaussian-dp", unit="standard deviations", adjacency=Adjacency.NEIGHBOURS):
    """No easier to distinguish than N(0, 1) and N(μ, 1) (Dong, Roth and Su 2022)."""

    mu: float


class TotalVariation(Statement, name="total-variation", unit="probability", adjacency=Adjacency.NEIGHBOURS):
    """No event is more likely by more than this from one of two neighbours than from the other: (0, δ)."""

    variation: float


class MutualInformationDP(_InBits, name="mutual-information-dp", adjacency=Adjacency.NEIGHBOURS):
    """sup over records i and all priors of I(X_i;Y|X_−i) (Cuff and Yu 2016)."""


class MaximalLeakage(_InBits, name="maximal-leakage", adjacency=Adjacency.ALL_PAIRS):
    """Gain in guessing any function of the secret, over all priors (Issa, Wagner and Kamath 2020)."""


class MinEntropyLeakage(_InBits, name="min-entropy-leakage", adjacency=Adjacency.PRIOR):
    """Gain in guessing the secret in one try, under a prior (Smith 2009)."""


class SibsonLeakage(_InBits, name="sibson-leakage", adjacency=Adjacency.PRIOR):
    """Sibson's mutual information of the given order, under a prior."""

    order: float = 2.0


class AlphaLeakage(_InBits, name="alpha-leakage", adjacency=Adjacency.PRIOR):
    """Arimoto's mutual information of the given order, under a prior (Liao et al. 2019)."""

    order: float = 2.0


class MetricPrivacy(_InNats, name="metric-privacy", unit="nats per unit of distance", adjacency=Adjacency.METRIC):
    """Secrets at distance d give every output within e^(εd) (Chatzikokolakis et al. 2013)."""


def parse_statement(text: str) -> Statement:
    """The statement of ``name:level[bits][,parameter=value …]``.

    Example:
        >>> parse_statement("dp:0.5,delta=1e-6")
        ApproximateDP(epsilon=0.5, delta=1e-06)

    Raises:
        OptionError: an unknown notion, or a level that is not a number.
    """
    name, _, rest = text.partition(":")
    if name not in NOTIONS:
        raise OptionError(
            "There is no notion {name!r}; {hint} All are {all}.",
            name=name,
            hint=did_you_mean(name, NOTIONS),
            all=tuple(NOTIONS),
        )
    level, *extra = rest.split(",")
    pairs = [part.partition("=")[::2] for part in extra]
    given = dict(pairs)
    if len(given) < len(pairs):
        raise OptionError("{text!r} gives a parameter twice; give it once.", text=text)
    notion = ApproximateDP if NOTIONS[name] is CentralDP and "delta" in given else NOTIONS[name]
    first, *others = fields(notion)
    unknown = set(given) - {field.name for field in others}
    if unknown:
        raise OptionError("{name!s} has no parameter {found!r}; leave it out.", name=name, found=min(unknown))
    numbers = {first.name: _number(level.removesuffix("bits") if notion.unit == "bits" else level, text)}
    numbers |= {key: _number(value, text) for key, value in given.items()}
    try:
        return notion(**numbers)
    except TypeError:
        missing = next(field.name for field in others if field.name not in given)
        raise OptionError(
            "{text!r} lacks {missing!s}; write e.g. {missing!s}=1e-6.", text=text, missing=missing
        ) from None


def _number(text: str, whole: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise OptionError(
            "{whole!r} has {found!r} instead of a number; write e.g. local-dp:1.0.", whole=whole, found=text
        ) from None
