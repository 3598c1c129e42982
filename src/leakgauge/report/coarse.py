"""Numbers of a private table made coarse: to the nearest step, their intervals outwards, promises upwards.

What is promised must never look better than it is, nor what was shown larger.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from typing import Final

from leakgauge.report.document import Number
from leakgauge.report.sections.telling import OF_A_HUNDRED

_SCORES: Final = ("score", "privacy", "utility", "states")
"""Where scores from 0 to 100 stand."""
_PROMISES: Final = ("claim", "ceiling")
"""Where promises stand outside the record."""
_SHARES: Final = tuple(map(Decimal, ("0.01", "0.02", "0.05", "0.1", "0.2", "0.5")))
"""Steps of shares; the last is for tables so small that a share says next to nothing."""
_PARTLY: Final = 2
"""Some attacks are tried on half of the rows: their shares are of half as many."""


def share_step(rows: int | None, limit: int) -> Decimal:
    """The step of shares: a whole percent, or so much that a step stands for at least ``limit`` rows."""
    if rows is None:
        return _SHARES[0]
    least = Decimal(_PARTLY * limit) / max(rows, 1)
    return next((step for step in _SHARES if step >= least), _SHARES[-1])


def coarse(number: Number, share: Decimal) -> Number:
    """The number rounded to what everybody may know of it; shares to the step given."""
    step = _step(number, share)
    return replace(
        number,
        value=_to(number.value, step, _rounding(number)),
        low=None if number.low is None else _to(number.low, step, ROUND_FLOOR),
        high=None if number.high is None else _to(number.high, step, ROUND_CEILING),
    )


def _rounding(number: Number) -> str:
    if "/lower_bound" in number.source:
        return ROUND_FLOOR
    promised = number.source.startswith("release.json") or _last(number) in _PROMISES
    return ROUND_CEILING if promised or number.unit == "nats" else ROUND_HALF_EVEN


def _last(number: Number) -> str:
    return number.source.rpartition("/")[2]


def _is_share(number: Number) -> bool:
    return number.percent or number.unit.startswith(("share", "probability")) or "/distortion" in number.source


def _step(number: Number, share: Decimal) -> Callable[[float], Decimal]:
    """The step that a number of some size is rounded to."""
    if number.unit in ("bits", "nats"):
        return lambda value: Decimal("0.1")
    if number.unit == OF_A_HUNDRED or _last(number) in _SCORES:
        return lambda value: Decimal(1)
    if _is_share(number):
        # A distortion may be a distance, beyond 1, of which two digits are shown.
        return lambda value: max(share, _two_digits(value)) if abs(value) > 1 else share
    return _two_digits


def _two_digits(value: float) -> Decimal:
    return Decimal(1).scaleb((math.floor(math.log10(abs(value))) if value else 0) - 1)


def _to(value: float | str, step: Callable[[float], Decimal], rounding: str) -> float | str:
    if isinstance(value, str) or not math.isfinite(value):
        return value
    size = step(value)
    return float((Decimal(repr(float(value))) / size).to_integral_value(rounding=rounding) * size)
