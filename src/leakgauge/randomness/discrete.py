"""Noise on the whole numbers, exactly, a million values in a fraction of a second.

Discrete Laplace: P(k) ∝ e^(−|k|/scale), the difference of two geometric numbers, each the whole part of
−scale · ln(U). Discrete Gaussian: P(k) ∝ e^(−k²/2σ²), by rejection from a discrete Laplace (Canonne, Kamath and
Steinke, The discrete Gaussian for differential privacy, 2020, algorithm 3). A scale is exactly the float it is given
as; what floats cannot decide is decided by rational arithmetic (see ``draws``). OpenDP's vetted samplers draw the same
laws one by one, for answers and small vectors.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from leakgauge.probability.cells import Codes
from leakgauge.randomness.draws import Uniform, coins, exponential_bounds
from leakgauge.randomness.sources import Randomness

LARGEST_SCALE = 2.0**36
"""Above this too many draws would need rational arithmetic."""

FEW = 256
"""So many values at most are left to OpenDP, which draws about a hundred thousand a second; we draw some millions."""

_ROUNDING = 2.0**-48
"""Bound on the relative error of −scale · ln(U) in floats, a dozen times what it can be."""


def discrete_laplace(scale: float, count: int, randomness: Randomness) -> Codes:
    """``count`` whole numbers k with probability ∝ e^(−|k|/scale)."""
    drawn = _geometric(scale, 2 * count, randomness)
    return drawn[:count] - drawn[count:]


def discrete_gaussian(sigma: float, count: int, randomness: Randomness) -> Codes:
    """``count`` whole numbers k with probability ∝ e^(−k²/2σ²)."""
    _require(sigma)
    scale = math.floor(sigma) + 1
    middle = sigma * sigma / scale
    exact = Fraction(sigma) ** 2
    kept = [np.empty(0, dtype=np.int64)]
    missing = count
    while missing > 0:
        # A proposal is taken with probability 0.76 or, below σ = 1, a little less.
        proposals = discrete_laplace(float(scale), math.ceil(missing * 1.45) + 8, randomness)
        # Divided before it is squared: the square of a tiny σ would be 0. An infinite exponent is a coin of tails.
        with np.errstate(over="ignore"):
            exponents = ((np.abs(proposals) - middle) / sigma) ** 2 / 2
        taken = coins(
            exponents,
            lambda at, made=proposals: (abs(int(made[at])) - exact / scale) ** 2 / (2 * exact),  # type: ignore[misc]
            randomness,
        )
        kept.append(proposals[taken][:missing])
        missing -= len(kept[-1])
    return np.concatenate(kept)


def _geometric(scale: float, count: int, randomness: Randomness) -> Codes:
    """Whole parts of −scale · ln(U): P(G ≥ k) = P(U ≤ e^(−k/scale))."""
    _require(scale)
    words = randomness.words(count)
    # Half a unit more, so that 0 has a logarithm; that word is always looked at again.
    depths = -scale * np.log(np.ldexp(words.astype(np.float64) + 0.5, -64))
    whole = np.floor(depths)
    beside = depths - whole
    # U is only known up to 2^-64, which moves the depth by less than scale / word: for the word 0 by any length.
    with np.errstate(divide="ignore"):
        slack = (depths + scale) * _ROUNDING + scale / words.astype(np.float64)
    doubtful = np.flatnonzero((beside <= slack) | (1 - beside <= slack))
    drawn: Codes = whole.astype(np.int64)
    for at in doubtful.tolist():
        drawn[at] = _whole_part(Uniform(int(words[at]), randomness), Fraction(scale), max(int(whole[at]), 0))
    return drawn


def _whole_part(uniform: Uniform, scale: Fraction, guess: int) -> int:
    """The k with e^(−(k+1)/scale) < U ≤ e^(−k/scale), looked for around a guess."""

    def reaches(k: int) -> bool:
        return k <= 0 or uniform.is_below(lambda digits: exponential_bounds(k / scale, digits))

    # In strides that double, then by halves: of a word near 0 the guess may be far off.
    low, high, stride = guess, guess + 1, 1
    while not reaches(low):
        low, high, stride = max(low - stride, 0), low, 2 * stride
    while reaches(high):
        low, high, stride = high, high + stride, 2 * stride
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if reaches(middle) else (low, middle)
    return low


def _require(scale: float) -> None:
    if not 0 < scale <= LARGEST_SCALE:
        raise ValueError(f"a scale of {scale} steps lies outside (0, 2^36]")


def opendp_discrete_laplace(scale: float, count: int) -> Codes:
    """``count`` whole numbers k with probability ∝ e^(−|k|/scale)."""
    from opendp.measurements import make_laplace
    from opendp.metrics import l1_distance

    return _drawn(make_laplace(_numbers(), l1_distance(T="i64"), scale=scale), count)


def opendp_discrete_gaussian(sigma: float, count: int) -> Codes:
    """``count`` whole numbers k with probability ∝ e^(−k²/2σ²)."""
    from opendp.measurements import make_gaussian
    from opendp.metrics import l2_distance

    return _drawn(make_gaussian(_numbers(), l2_distance(T="f64"), scale=sigma), count)


def _numbers() -> Any:
    """OpenDP's domain of vectors of whole numbers."""
    # Not its prelude, which reads every learner of scikit-learn: two seconds for the first noise of a process.
    from opendp.domains import atom_domain, vector_domain
    from opendp.mod import enable_features

    # OpenDP asks for consent before it uses parts whose proofs are not yet reviewed; noise is among them.
    enable_features("contrib")
    return vector_domain(atom_domain(T="i64"))


def _drawn(measurement: Any, count: int) -> Codes:
    return np.array(measurement([0] * count), dtype=np.int64)
