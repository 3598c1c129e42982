"""Integer noise for one interaction, and what it costs.

**What is released.** For attributes B with m_i values let x be the table of B, N = Π m_i whole numbers. K are N
independent discrete Gaussians, P(k) ∝ e^(−k²/2σ²), and what leaves is T(x + K): axis by axis, m_i times each number
less the sum of its line. That is Π m_i times the centred table, in integers throughout.

**Whole tables.** T(x + K) is a function of x + K, so a row that is added or removed costs ρ = 1/2σ² (Canonne, Kamath
and Steinke, The discrete Gaussian for differential privacy, 2020), unconditionally.

**The sharper cost.** Let π project onto centred tables, Λ be the integer tables that T maps to 0, and ρ_σ(v) =
e^(−|v|²/2σ²), summed over a set. T tells the class of x + K modulo Λ. As π is orthogonal, and Λ lies in its kernel,

    P_x(class of z) = ρ_σ(π(z − x)) · ρ_σ(Λ + (1 − π)(z − x)) / ρ_σ(ℤ^N).

1. *Smoothing.* By Poisson's summation a shifted lattice has (1 − e)/(1 + e) ≤ ρ_σ(Λ + w)/ρ_σ(Λ) ≤ 1, with e the sum of
   e^(−2π²σ²|y|²) over the dual lattice without 0. Λ holds the lines (1 on a line, 0 elsewhere), of squared length m_i,
   which span the same space; r = Π m − Π(m − 1) of them are a basis of a sublattice, whose dual holds that of Λ. The
   Gram–Schmidt vectors of the basis are no longer than the lines. Along each of them the dual lattice is a union of
   shifted copies of (1/length)ℤ, and shifted sums are no larger, so that 1 + e ≤ θ^r with θ = Σ_k e^(−2π²σ²k²/max m)
   (Gentry, Peikert, Vaikuntanathan 2008, lemma 3.1). With q = 2r e^(−2π²σ²/max m) that is e ≤ q/(1 − q), as good as.
2. So P_x is within e^±κ, κ = ln((1 + e)/(1 − e)), of Q_x(z) ∝ ρ_σ(z − πx) on the lattice π(ℤ^N), the normaliser of
   which does not depend on x. Two rows' Q have a Rényi divergence of order α of at most α|πx − πx'|²/2σ²: completing
   the square leaves ρ_σ of a shifted lattice over that of the lattice. |πx − πx'|² is p_B, or of a replaced row
   2(p_B − Π_B([i ∈ a] − 1/m_i)).
3. With h = P/Q up to a constant, in [e^−κ, 1]: Σ P_x^α P_x'^(1−α) ≤ e^κα Σ Q_x^α Q_x'^(1−α), hence
   D_α ≤ αρ + κα/(α − 1). From α₀ = 1 + √(κ/ρ) on this is at most α(ρ + √(κρ)), and below D_α ≤ D_α₀ = (√ρ + √κ)².
   So (√ρ + √κ)²-zCDP holds.

**Beside Gaussian noise.** Let y be πx plus continuous Gaussian noise of variance σ² − s² along π, and z be drawn from
the discrete Gaussian of variance s² on π(ℤ^N) around y. Then z has the law Q_x within e^±κ', again by smoothing: the
dual of π(ℤ^N) lies in ℤ^N, so 1 + e' ≤ θ^N with θ = Σ_k e^(−2π²s²k²). So P_x is within e^±(κ + κ') of post-processed
Gaussian noise that is a little smaller, and all its trade-offs are known: see ``guarantee``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from leakgauge.errors import OptionError
from leakgauge.mechanisms.noise import DiscreteGaussian
from leakgauge.probability.cells import Codes
from leakgauge.randomness import Randomness

NEGLIGIBLE = 1e-9
"""κ of all interactions together, from which on whole tables are charged."""
_ROOM = 62
"""Bits of the whole numbers that interactions are computed in."""


def smoothing(square: float, rank: int, variance: float) -> float:
    """κ = ln((1 + e)/(1 − e)) with 1 + e = θ^rank of lines of this squared length; infinite from e = 1 on."""
    exponent = 2 * math.pi**2 * variance / square
    # θ = 1 + 2(x + x⁴ + x⁹ + …) ≤ 1 + 2x/(1 − x³); rounded up.
    x = math.exp(-exponent)
    excess = math.expm1(rank * math.log1p(2 * x / (1 - x**3))) if exponent > 0 and rank * x < 1 else math.inf
    return 2 * math.atanh(excess) * (1 + 1e-9) if excess < 1 else math.inf


def line_smoothing(shape: Sequence[int], variance: float) -> float:
    """κ of one interaction whose noise has this variance, along the lines that are summed out."""
    rank = math.prod(shape) - math.prod(size - 1 for size in shape)
    return smoothing(max(shape), rank, variance) if rank else 0.0


def grid_smoothing(shape: Sequence[int], kappa: float) -> float:
    """The variance s² that Gaussian noise is taken smaller by, so that κ' of one interaction is at most this."""
    # e ≤ e^(2Nx(1 + x)) − 1 ≤ 3Nx where it is small, and κ' ≤ 2e(1 + e).
    return math.log(7 * math.prod(shape) / kappa) / (2 * math.pi**2)


def interaction(table: Codes) -> Codes:
    """Π m_i times the centred table, in whole numbers.

    Raises:
        OptionError: numbers that are too large for it.
    """
    growth = math.prod(2 * (size - 1) for size in table.shape)
    if int(np.abs(table).max()) * growth >= 2**_ROOM:
        raise OptionError(
            "The interaction of a table of {cells} cells does not fit into whole numbers of 64 bits; ask for tables of "
            "fewer attributes.",
            cells=table.size,
        )
    for axis, size in enumerate(table.shape):
        table = size * table - table.sum(axis=axis, keepdims=True)
    return table


def noisy_interaction(table: Codes, sigma: float, randomness: Randomness) -> Codes:
    """The interaction of a table of whole numbers plus independent discrete Gaussians of this σ."""
    noise = DiscreteGaussian(sigma).noise(table.size, randomness)
    return interaction(table + noise.reshape(table.shape))


def variance_of(sigma: float) -> float:
    """The variance of the discrete Gaussian, which is below σ² only where σ is small."""
    if sigma == 0 or sigma > 2:
        return sigma * sigma  # from 2 on, less than one part in 10^30 away
    steps = np.arange(-100, 101)
    return float(DiscreteGaussian(sigma).probability(steps) @ steps.astype(np.float64) ** 2)
