"""Noise on the points of a lattice in the plane, exactly: P(v) ∝ e^(−|v|), |v| the straight length of v.

A point is proposed by two independent discrete Laplace numbers and kept with probability e^−γ, γ = |v| less the
proposal's own exponent. By Cauchy's inequality |v| is at least (|row| · height + |column| · width)/√2, so that γ is at
least 0 for rates just below height/√2 and width/√2, and about three of four proposals are kept. γ is a square root less
a rational number; coins that floats cannot decide are decided by whole square roots (see ``draws``), so that the law is
exact for the heights and widths given, whatever floats do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from leakgauge.probability.cells import Codes, Floats
from leakgauge.randomness.discrete import LARGEST_SCALE, discrete_laplace
from leakgauge.randomness.draws import LARGEST_EXPONENT, Enclosed, coins_enclosed, root_bounds
from leakgauge.randomness.sources import Randomness

_AT_ONCE = 1 << 18
"""Proposals at a time: what they take fits a few MiB."""


@dataclass(frozen=True)
class LatticeLaplace:
    """The law of a vector of ``rows`` and ``columns``: P ∝ e^(−ε √((rows · height)² + (columns · width)²)).

    Args:
        epsilon: in nats per unit of length; it and both sides are exactly the floats they are given as.
        height: the distance between two rows.
        width: the distance between two columns.

    Raises:
        ValueError: a number that is not above 0, or a noise so wide that whole numbers of the machine do not hold it.
    """

    epsilon: float
    height: float
    width: float

    def __post_init__(self) -> None:
        if not all(0 < number < math.inf for number in (self.epsilon, self.height, self.width)):
            raise ValueError("ε and the sides of a cell must be finite numbers above 0")
        if not all(0 < scale <= LARGEST_SCALE for scale in self._scales):
            raise ValueError(f"noise of {max(self._scales)} steps lies outside (0, 2^36]")

    def draw(self, count: int, randomness: Randomness) -> tuple[Codes, Codes]:
        """``count`` vectors: the rows and the columns of each."""
        rows, columns = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
        made = 0
        while made < count:
            proposals = min(math.ceil((count - made) * 1.45) + 8, _AT_ONCE)
            up, along = (discrete_laplace(scale, proposals, randomness) for scale in self._scales)
            kept = coins_enclosed(
                self._exponents(up, along),
                lambda at, up=up, along=along: self._enclosed(int(up[at]), int(along[at])),  # type: ignore[misc]
                randomness,
            )
            taken = np.flatnonzero(kept)[: count - made]
            rows[made : made + len(taken)], columns[made : made + len(taken)] = up[taken], along[taken]
            made += len(taken)
        return rows, columns

    @cached_property
    def _scales(self) -> tuple[float, float]:
        """The scales of the proposals in steps, rounded up: √2/(ε · side), never less."""
        up, along = self._squares
        return _scale_above(self.epsilon * self.height, up), _scale_above(self.epsilon * self.width, along)

    @cached_property
    def _squares(self) -> tuple[Fraction, Fraction]:
        """(ε · height)² and (ε · width)², exactly."""
        epsilon = Fraction(self.epsilon)
        return (epsilon * Fraction(self.height)) ** 2, (epsilon * Fraction(self.width)) ** 2

    def _exponents(self, rows: Codes, columns: Codes) -> Floats:
        """γ in floats: the errors of lengths up to 64 nats, beyond which e^−γ is below any doubt, are below 2^-44."""
        up, along = self.epsilon * self.height * rows, self.epsilon * self.width * columns
        proposed = np.abs(rows) / self._scales[0] + np.abs(columns) / self._scales[1]
        return np.asarray(np.clip(np.hypot(up, along) - proposed, 0.0, LARGEST_EXPONENT))

    def _enclosed(self, row: int, column: int) -> Enclosed:
        square = self._squares[0] * row * row + self._squares[1] * column * column
        proposed = abs(row) / Fraction(self._scales[0]) + abs(column) / Fraction(self._scales[1])

        def bounds(digits: int) -> tuple[Fraction, Fraction]:
            low, high = root_bounds(square, digits + 2)
            return max(low - proposed, Fraction(0)), max(high - proposed, Fraction(0))

        return bounds


def _scale_above(rate: float, square: Fraction) -> float:
    """A float s, the least or one just above, with 2/s² at most the exact square of a rate."""
    scale = math.sqrt(2) / rate if 0 < rate < math.inf else math.inf
    while 0 < scale < math.inf and Fraction(scale) ** 2 * square < 2:
        scale = math.nextafter(scale, math.inf)
    return scale
