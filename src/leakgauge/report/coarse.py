"""Numbers of a private table made coarse: risks and promises upwards, what protects or is of use downwards.

Nothing may look better than it is, nor what was shown larger; intervals are rounded outwards.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from typing import Final

from leakgauge.report.document import TOO_FEW, Number
from leakgauge.report.sections.telling import OF_A_HUNDRED

_SCORES: Final = ("score", "privacy", "utility", "states")
"""Where scores from 0 to 100 stand."""
_UP: Final = frozenset(
    [
        "claim",
        "ceiling",
        "found",
        "success",
        "advantage",
        "exposed",
        "best_guess",
        "best_guess_after",
        "mutual_information",
        "leakage",
        "leakage_with_background",
        "conditional_mutual_information",
        "distortion",
        "total_variation",
    ]
)
"""Promises outside the record, risks, and what the release does to the values."""
_DOWN: Final = frozenset(
    [
        "baseline",
        "raw",
        "unchanged",
        "score",
        "privacy",
        "utility",
        "conditional_entropy",
        "conditional_entropy_with_background",
        "guesses",
        "guesses_after",
        "effective_set",
        "effective_set_after",
    ]
)
"""What an attacker finds anyway, what stays hidden, and what the release is worth."""
_SHARES: Final = tuple(map(Decimal, ("0.01", "0.02", "0.05", "0.1", "0.2", "0.5")))
"""Steps of shares; beyond ``_COARSEST`` a share is not told at all."""
_COARSEST: Final = Decimal("0.1")
_PARTLY: Final = 2
"""Some attacks are tried on half of the rows: their shares are of half as many."""


@dataclass(frozen=True)
class Grain:
    """How coarse the numbers of a table are.

    Attributes:
        share: the step of shares.
        rows: of the table; None where they are not known.
    """

    share: Decimal
    rows: int | None = None

    @classmethod
    def of(cls, rows: int | None, limit: int) -> Grain:
        """The grain of a table in which counts below a limit are masked."""
        return cls(share_step(rows, limit), rows)


def share_step(rows: int | None, limit: int) -> Decimal:
    """The step of shares: a whole percent, or so much that a step stands for at least ``limit`` rows."""
    if rows is None:
        return _SHARES[0]
    least = Decimal(_PARTLY * limit) / max(rows, 1)
    return next((step for step in _SHARES if step >= least), _SHARES[-1])


def coarse(number: Number, grain: Grain) -> Number:
    """The number rounded to what everybody may know of it; a share of too few rows is not told."""
    if (_is_share(number) or number.count) and grain.share > _COARSEST:
        return replace(number, value=TOO_FEW, low=None, high=None, confidence=None)
    step = _step(number, grain)
    return replace(
        number,
        value=_to(number.value, step, _rounding(number)),
        low=None if number.low is None else _to(number.low, step, ROUND_FLOOR),
        high=None if number.high is None else _to(number.high, step, ROUND_CEILING),
    )


def _rounding(number: Number) -> str:
    if "/lower_bound" in number.source:
        return ROUND_FLOOR
    if number.source.startswith("release.json"):
        return ROUND_CEILING
    # What a policy found of a score is held against a least one.
    if _last(number) in _DOWN or number.unit == OF_A_HUNDRED:
        return ROUND_FLOOR
    return ROUND_CEILING if _last(number) in _UP or number.unit == "nats" else ROUND_HALF_EVEN


def _last(number: Number) -> str:
    """The field that a number stands in; of a whole quantity its name."""
    return number.source.removesuffix("/value").rpartition("/")[2]


def _is_share(number: Number) -> bool:
    return number.percent or number.unit.startswith(("share", "probability")) or "/distortion" in number.source


def _step(number: Number, grain: Grain) -> Callable[[float], Decimal]:
    """The step that a number of some size is rounded to."""
    if number.count and grain.rows is not None:
        whole = Decimal(math.ceil(grain.share * grain.rows))
        return lambda value: whole
    if number.unit in ("bits", "nats"):
        return lambda value: Decimal("0.1")
    if number.unit == OF_A_HUNDRED or _last(number) in _SCORES:
        return lambda value: Decimal(1)
    if _is_share(number):
        # A distortion may be a distance, beyond 1, of which two digits are shown.
        return lambda value: max(grain.share, _two_digits(value)) if abs(value) > 1 else grain.share
    return _two_digits


def _two_digits(value: float) -> Decimal:
    return Decimal(1).scaleb((math.floor(math.log10(abs(value))) if value else 0) - 1)


def _to(value: float | str, step: Callable[[float], Decimal], rounding: str) -> float | str:
    if isinstance(value, str) or not math.isfinite(value):
        return value
    size = step(value)
    rounded = (Decimal(repr(float(value))) / size).to_integral_value(rounding=rounding) * size
    return int(rounded) if isinstance(value, int) and rounded == int(rounded) else float(rounded)
