"""Clustered rows: how many independent rows a table is worth if units have several.

Rows of one person repeat each other. The design effect is how many times larger the variance is than that of as many
independent rows, so that n rows are worth n / design effect.

Reference: Rao and Scott, The analysis of categorical data from complex sample surveys, Journal of the American
Statistical Association 76, 1981.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from leakgauge.measures.estimation import estimate
from leakgauge.measures.terms import Measure
from leakgauge.probability import Counts, Estimate
from leakgauge.probability.cells import Codes, Floats


def unit_sums(values: Floats, units: Codes | None) -> tuple[Floats, Floats]:
    """The sum over the rows of each unit, and how many rows it has; without units each row is one."""
    if units is None:
        return values, np.ones(len(values))
    place = np.unique(units, return_inverse=True)[1]
    return np.asarray(np.bincount(place, weights=values), dtype=np.float64), np.bincount(place).astype(np.float64)


def design_effect_of_mean(values: Floats, units: Codes | None) -> float:
    """Of the mean of values, at least 1; where all values are equal, as if each unit had one value throughout."""
    if units is None:
        return 1.0
    apart = values - values.mean()
    sums, sizes = unit_sums(apart, units)
    # Nothing that varies shows how units hang together: the worst there is.
    worst = float((sizes**2).sum() / sizes.sum())
    alone = float((apart**2).sum())
    if alone <= 1e-12 * len(values) or len(sizes) < 2:
        return max(worst, 1.0)
    # Few units know their own variance badly; Student's quantile against the normal one makes up for it.
    return max(float((sums**2).sum()) / alone * _few(len(sizes)), 1.0)


def _few(units: int) -> float:
    """How much wider, squared, an interval from so many units must be than one from many."""
    from scipy.special import ndtri, stdtrit

    return float((stdtrit(units - 1, 0.975) / ndtri(0.975)) ** 2) * units / (units - 1)


def design_effect(counts: Counts, secret: Sequence[str], others: Sequence[str], unit: str) -> float:
    """Of the mutual information of secret and other axes, or of the secret's entropy without others; at least 1.

    The larger one of two: that of the influence log p(x,z)/(p(x)p(z)), which vanishes at independence, and Rao and
    Scott's mean over the shares of the cells.
    """
    merged = counts.merge({"X": tuple(secret), "Z": tuple(others or secret), "U": (unit,)})
    x, z, u = merged.codes
    weights, n = merged.counts.astype(np.float64), float(merged.n)
    cell = np.unique(x * (int(z.max()) + 1) + z, return_inverse=True)[1]
    shares, px, pz = (np.bincount(codes, weights=weights) / n for codes in (cell, x, z))
    units = np.unique(u, return_inverse=True)[1]
    sizes = np.bincount(units, weights=weights)
    if sizes.max() <= 1:
        return 1.0
    if len(sizes) < 2:
        return n
    influence = np.log(shares[cell] / (px[x] * pz[z]))
    apart = influence - float(weights @ influence) / n
    alone, together = float(weights @ apart**2), float((np.bincount(units, weights=weights * apart) ** 2).sum())
    of_influence = together / alone if alone > 1e-9 * n else 1.0
    # Σ_c Σ_u (n_uc − n_u p_c)² / p_c, in which only the cells that occur need to be added up.
    between = float((weights**2 / shares[cell]).sum() - (sizes**2).sum())
    of_cells = between / (n * max(len(shares) - 1, 1))
    return min(max(of_influence, of_cells, 1.0) * _few(len(sizes)), n)


def estimate_by_units(
    measure: Measure,
    counts: Counts,
    secret: Sequence[str],
    release: Sequence[str] = (),
    background: Sequence[str] = (),
    *,
    unit: str | None,
    **settings: Any,
) -> Estimate:
    """As ``estimate``, with the interval of as many independent rows as the table is worth.

    The unit is an axis; None where every row is one.
    """
    axes = (*secret, *release, *background)
    rows = counts.keep(*axes)
    found = estimate(measure, rows, secret, release, background, **settings)
    if unit is None:
        return found
    fewer = scaled(rows, independent_rows(counts, secret, (*release, *background), unit))
    return widened(found, estimate(measure, fewer, secret, release, background, **settings))


def independent_rows(counts: Counts, secret: Sequence[str], others: Sequence[str], unit: str) -> int:
    """How many independent rows the rows of units are worth."""
    return max(round(counts.n / design_effect(counts, secret, others, unit)), 1)


def widened(found: Estimate, fewer: Estimate) -> Estimate:
    """An estimate with the interval of one from fewer rows."""
    low, high = min(fewer.low, found.value), max(fewer.high, found.value)
    return replace(found, low=low, high=high, reliable=found.reliable and fewer.reliable)


def scaled(counts: Counts, n: int) -> Counts:
    """About the same shares among fewer observations, by largest remainders; all of them where there are no more."""
    if n >= counts.n:
        return counts
    exact = counts.counts * (n / counts.n)
    whole = np.floor(exact).astype(np.int64)
    order = np.argsort(whole - exact, kind="stable")
    whole[order[: n - int(whole.sum())]] += 1
    axes = {name: counts.labels(name) for name in counts.names}
    return Counts.from_cells(axes, list(counts.codes), whole)
