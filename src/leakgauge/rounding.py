"""Numbers as people read them: three digits that count, two of shares, no bound nearer to the good side than it is.

A bound is rounded to its unfavourable side, so that what is written holds too and needs no "about"; any other number
is rounded to the nearest.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from typing import Final

DIGITS: Final = 3
SHARE_DIGITS: Final = 2
"""Of shares, most of which are of people: 7.6% and 27%."""
_NOISE: Final = Context(prec=12)
"""Digits beyond are what a computer's arithmetic leaves, not part of a number."""
_RARE: Final = 1e-4
_FEWEST: Final = 0.01
_ALL: Final = Decimal(100)
_PLAIN: Final = (-5, 15)
"""Powers of ten between which a number is written without an exponent."""


def rounded(value: float | Decimal, digits: int = DIGITS, rounding: str = ROUND_HALF_EVEN) -> Decimal:
    """A finite number with so many digits that count."""
    exact = value if isinstance(value, Decimal) else Decimal(repr(float(value)))
    return Context(prec=digits, rounding=rounding).plus(_NOISE.plus(exact)).normalize()


def is_all(part: float, whole: float) -> bool:
    """Whether a part is all there is; what arithmetic leaves in the last digits does not tell them apart.

    Example:
        >>> is_all(1.98, 1.9800000000000002), is_all(1.97, 1.98)
        (True, False)
    """
    return part >= whole * (1 - 1e-9)


def at_most(bound: float, digits: int = DIGITS) -> float:
    """An upper bound, rounded up.

    Example:
        >>> at_most(2.1034), at_least(59.97), at_most(0.3), at_most(0.1 + 0.2)
        (2.11, 59.9, 0.3, 0.3)
    """
    return float(rounded(bound, digits, ROUND_CEILING)) if math.isfinite(bound) else bound


def at_least(bound: float, digits: int = DIGITS) -> float:
    """A lower bound, rounded down."""
    return float(rounded(bound, digits, ROUND_FLOOR)) if math.isfinite(bound) else bound


def from_above(limit: float, digits: int = 9) -> float:
    """The least number of so many digits that is no smaller: a limit that may be asked for as it is written.

    Unlike a bound that is only read, not even what a computer's arithmetic leaves is rounded away.

    Example:
        >>> from_above(0.1 + 0.2), from_above(0.3), from_below(2 / 3, 6)
        (0.300000001, 0.3, 0.666666)
    """
    return _strictly(limit, digits, ROUND_CEILING)


def from_below(limit: float, digits: int = 9) -> float:
    """The largest number of so many digits that is no larger."""
    return _strictly(limit, digits, ROUND_FLOOR)


def _strictly(limit: float, digits: int, rounding: str) -> float:
    # As it is written: 0.3 is 0.3, although the nearest number that a computer has is a little less.
    exact = Decimal(repr(float(limit)))
    return float(Context(prec=digits, rounding=rounding).plus(exact)) if exact.is_finite() else limit


def written(number: Decimal) -> str:
    """A rounded number with thousands apart, and with an exponent only where it would be long.

    Example:
        >>> written(rounded(30718)), written(rounded(0.000012345)), written(rounded(60.0))
        ('30,700', '1.23e-05', '60')
    """
    if not number:
        return "0"
    if _PLAIN[0] < number.adjusted() < _PLAIN[1]:
        return f"{number:,f}"
    mantissa, power = f"{number:e}".split("e")
    return f"{mantissa}e{int(power):+03d}"


def percentage(share: float, digits: int = SHARE_DIGITS, rounding: str = ROUND_HALF_EVEN) -> Decimal:
    """A share in percent, with so many digits that count; nearly all does not read as all, unless the bound is.

    Example:
        >>> percentage(0.6803), percentage(0.99627), percentage(0.999)
        (Decimal('68'), Decimal('99.6'), Decimal('99.9'))
    """
    exact = 100 * Decimal(repr(float(share)))
    if rounding == ROUND_HALF_EVEN:
        # What arithmetic leaves of 0 is no share.
        exact = round(exact, _NOISE.prec)
    made = rounded(exact, digits, rounding)
    if made == _ALL != _NOISE.plus(exact) and exact < _ALL:
        mirrored = {ROUND_CEILING: ROUND_FLOOR, ROUND_FLOOR: ROUND_CEILING}.get(rounding, rounding)
        return _ALL - rounded(_ALL - exact, 1, mirrored)
    return made


def percent(share: float, digits: int = SHARE_DIGITS, rounding: str = ROUND_HALF_EVEN) -> str:
    """A share as a percentage, with two decimals at most; what is rare does not read as what never happens.

    Example:
        >>> percent(0.6803), percent(1.0), percent(0.00765), percent(0.00001), percent(0.99999)
        ('68%', '100%', '0.76%', '<0.01%', '>99.99%')
    """
    if 0 < share < _RARE:
        return "<0.01%"
    if 1 - _RARE < share < 1:
        return ">99.99%"
    if share < _RARE * 100:
        return f"{written(round(100 * Decimal(repr(float(share))), 2).normalize())}%"
    return f"{written(percentage(share, digits, rounding))}%"


def points(value: float) -> str:
    """Points of a score in three digits, none of them beyond hundredths; next to nothing is not nothing."""
    return "<0.01" if 0 < value < _FEWEST else f"{round(value, 2):.3g}"
