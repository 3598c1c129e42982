"""Exact draws: numbers and orders that are equally likely, coins and positions whose chances are exponentials.

An exponential is compared with a uniform real number whose bits are drawn only as far as they are needed. Its first 64
bits are compared in floating point. Where the difference is smaller than floats can tell, about once in 2^40 times,
more bits are drawn and the probability is computed by rational arithmetic until they differ. So the law is exact,
whatever the rounding of the floats.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from leakgauge.probability.cells import Codes, Floats, Truths
from leakgauge.randomness.sources import Randomness

Enclosed: TypeAlias = Callable[[int], tuple[Fraction, Fraction]]
"""A number by two rational ones with it between them, the closer the more digits they are asked for."""

DOUBT = 2.0**-40
"""Differences below this, as a share of 1, are not left to floats. Their error in an exponential is below 2^-48."""

LARGEST_EXPONENT = 1e6
"""Of a larger γ floats see this one, whose e^−γ is 0 to them all the same; the rational γ stays as it is."""

_DIGITS = 40
"""Decimal digits of the first try of rational arithmetic: more than twice what one word holds."""


class Uniform:
    """A uniform real number in (0, 1) known up to so many bits, which can be asked for more."""

    def __init__(self, word: int, randomness: Randomness) -> None:
        self._bits, self._count, self._randomness = word, 64, randomness

    def is_below(self, bounds: Enclosed) -> bool:
        """Whether it lies below a number that ``bounds`` encloses, the closer the more digits it is asked for."""
        digits = _DIGITS
        while True:
            low, high = bounds(digits)
            if Fraction(self._bits + 1, 1 << self._count) <= low:
                return True
            if Fraction(self._bits, 1 << self._count) >= high:
                return False
            self._bits = self._bits << 64 | int(self._randomness.words(1)[0])
            self._count += 64
            digits += _DIGITS // 2


def exponential_bounds(exponent: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    """Two rational numbers that enclose e^−exponent, with so many digits; 0 and 10^−digits where it is far below."""
    if exponent > 3 * digits:
        # Whoever has to tell a number from this asks for more digits; a tiny power would be a fraction of huge parts.
        return Fraction(0), Fraction(1, 10**digits)
    with localcontext(Context(prec=digits + 10)):
        # Both steps round by less than one unit in the last of digits + 10 places.
        power = Fraction((-Decimal(exponent.numerator) / Decimal(exponent.denominator)).exp())
    slack = Fraction(1 + exponent) / 10**digits
    return power * (1 - slack), power * (1 + slack)


def root_bounds(square: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    """Two rational numbers that enclose the square root of one of at least 0, at most 10^−digits apart."""
    scaled = square.numerator * square.denominator * 100**digits
    root, unit = math.isqrt(scaled), square.denominator * 10**digits
    return Fraction(root, unit), Fraction(root if root * root == scaled else root + 1, unit)


def as_floats(exponents: Sequence[Fraction]) -> Floats:
    """Rational exponents of at least 0 as floats near enough for ``coins``."""
    return np.array([float(min(gamma, Fraction(LARGEST_EXPONENT))) for gamma in exponents], dtype=np.float64)


def coins(exponents: Floats, exact: Callable[[int], Fraction], randomness: Randomness) -> Truths:
    """For each exponent γ ≥ 0 true with probability e^−γ exactly.

    Args:
        exponents: the γ in floating point, with errors below 2^-42.
        exact: the γ at a position as a rational number, for the few that floats cannot decide.
    """

    def rational(at: int) -> Enclosed:
        gamma = exact(at)
        return lambda digits: (gamma, gamma)

    return coins_enclosed(exponents, rational, randomness)


def coins_enclosed(exponents: Floats, enclosed: Callable[[int], Enclosed], randomness: Randomness) -> Truths:
    """``coins`` for exponents that need not be rational.

    Args:
        exponents: the γ in floating point, with errors below 2^-42.
        enclosed: for a position two rational numbers of at least 0 with γ between them, the closer the more digits
            they are asked for; asked only for the few positions that floats cannot decide.
    """
    words = randomness.words(len(exponents))
    gap = np.exp(-exponents) - np.ldexp(words.astype(np.float64), -64)
    heads = gap > 0
    for at in np.flatnonzero(np.abs(gap) <= DOUBT).tolist():
        gamma = enclosed(at)

        def bounds(digits: int, gamma: Enclosed = gamma) -> tuple[Fraction, Fraction]:
            least, most = gamma(digits)
            return exponential_bounds(most, digits)[0], exponential_bounds(least, digits)[1]

        heads[at] = Uniform(int(words[at]), randomness).is_below(bounds)
    return heads


def proportionally(counts: Codes, exponents: Sequence[Fraction], randomness: Randomness) -> int:
    """A position drawn with probability proportional to counts · e^−exponents, exactly.

    Args:
        counts: whole weights of at least 0, not all 0.
        exponents: the γ as rational numbers.
    """
    if not (counts > 0).any():
        raise ValueError("every weight is 0")
    least = min(gamma for gamma, count in zip(exponents, counts, strict=True) if count)
    # A position of weight 0 may lie below the least; its exponent does not matter.
    gammas = [max(gamma - least, Fraction(0)) for gamma in exponents]
    ends = np.cumsum(counts * np.exp(-as_floats(gammas)))
    word = int(randomness.words(1)[0])
    mark = np.ldexp(float(word), -64)
    shares = ends / ends[-1]
    at = int(np.searchsorted(shares, mark, side="right"))
    if np.abs(shares - mark).min() > DOUBT * len(gammas):
        return at
    uniform = Uniform(word, randomness)
    weights = [int(count) for count in counts]
    low, high = 0, len(weights) - 1
    while low < high:
        middle = (low + high) // 2
        if uniform.is_below(lambda digits, end=middle + 1: _share_bounds(weights, gammas, end, digits)):  # type: ignore[misc]
            high = middle
        else:
            low = middle + 1
    return low


def _share_bounds(weights: list[int], gammas: list[Fraction], end: int, digits: int) -> tuple[Fraction, Fraction]:
    """Two rational numbers that enclose the share of the first ``end`` positions."""
    pairs = [(weight, exponential_bounds(gamma, digits)) for weight, gamma in zip(weights, gammas, strict=True)]
    (low, rest_low), (high, rest_high) = (
        [sum((weight * part[side] for weight, part in chosen), Fraction(0)) for chosen in (pairs[:end], pairs[end:])]
        for side in (0, 1)
    )
    return low / (low + rest_high), high / (high + rest_low)


def below(limit: int, count: int, randomness: Randomness) -> Codes:
    """``count`` whole numbers, each equally likely to be any of 0 … limit − 1; ``limit`` is at most 2^63."""
    if not 1 <= limit <= 1 << 63:
        raise ValueError(f"a limit of {limit} lies outside 1 … 2^63")
    # Words at or above the largest multiple of the limit would favour small numbers: they are drawn again.
    last = (1 << 64) - (1 << 64) % limit - 1
    words = randomness.words(count)
    while (over := np.flatnonzero(words > np.uint64(last))).size:
        words = words.copy()
        words[over] = randomness.words(len(over))
    return (words % np.uint64(limit)).astype(np.int64)


def shuffled(count: int, randomness: Randomness) -> Codes:
    """The numbers 0 … count − 1 in random order, every order equally likely."""
    while True:
        keys = randomness.words(count)
        order = np.argsort(keys, kind="stable")
        # Equal keys would keep their old order; a whole new draw leaves every order equally likely.
        if not (np.diff(keys[order]) == 0).any():
            return order
