"""Numbers with noise, filtered by their neighbours: Wiener's filter, learnt from the release alone."""

from __future__ import annotations

import numpy as np

from leakgauge.case.series import Series
from leakgauge.probability.cells import Floats

SHORT = 256
"""Series up to so many rows are filtered by their covariances, each on its own; of longer ones the spectrum is."""
_WIDTHS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
"""Frequencies on either side, over which the spectrum is smoothed."""
_FLOOR = 0.1
"""The share of the highest frequencies that hold noise alone, where its variance is not known."""


def filtered(released: Floats, series: Series, noise_variance: float | None = None) -> Floats:
    """The numbers without as much of the noise as neighbours tell.

    The filter is S/(S + N) of the spectrum S of the numbers, that of the release less the variance N of the noise; that
    of a mechanism is known, else the floor at high frequencies stands for it.

    Args:
        noise_variance: None where it is not known.
    """
    away = released - released.mean()
    by = _by_covariances if int(series.lengths.max()) <= SHORT else _by_spectrum
    return np.asarray(released.mean() + by(away, series, noise_variance))


def _by_spectrum(away: Floats, series: Series, noise_variance: float | None) -> Floats:
    """Of all rows in a row: where one series meets the next a filter loses little.

    By cosines, since waves that close into a circle would join the last row of a sorted table to the first.
    """
    from scipy.fft import dct, idct

    waves = dct(away, norm="ortho")[1:]
    power = waves**2
    floor = float(power[-max(int(_FLOOR * len(power)), 1) :].mean()) if noise_variance is None else noise_variance
    floor = max(floor, 1e-300)
    widths = [one for one in _WIDTHS if 4 * one <= len(power)] or _WIDTHS[:1]

    # Whittle's likelihood of every frequency by its neighbours alone, so that the finest spectrum does not win.
    def surprise(width: int) -> float:
        expected = np.maximum(_near(power, width, own=False), floor)
        return float((np.log(expected) + power / expected).sum())

    spectrum = np.maximum(_near(power, min(widths, key=surprise), own=True), floor)
    return np.asarray(idct(np.concatenate([[0.0], waves * (1 - floor / spectrum)]), norm="ortho"))


def _near(power: Floats, width: int, *, own: bool) -> Floats:
    """Of each frequency the mean power of those near it; nearer where frequencies are low, where it is steep."""
    at, sums = np.arange(len(power)), np.concatenate([[0.0], np.cumsum(power)])
    away = np.minimum(width, 1 + at // 2)
    first, last = np.maximum(at - away, 0), np.minimum(at + away + 1, len(power))
    if own:
        return np.asarray((sums[last] - sums[first]) / (last - first))
    return np.asarray((sums[last] - sums[first] - power) / np.maximum(last - first - 1, 1))


def _by_covariances(away: Floats, series: Series, noise_variance: float | None) -> Floats:
    """Of short series C (C + N)⁻¹ by the covariances C that all of them share, which hold what is a person's own."""
    from scipy.fft import irfft, rfft

    longest = int(series.lengths.max())
    rows, there = np.zeros((len(series.lengths), longest)), np.zeros((len(series.lengths), longest))
    rows[series.whose, series.places], there[series.whose, series.places] = away, 1.0
    products, pairs = (irfft((np.abs(rfft(one, 2 * longest)) ** 2).sum(axis=0)) for one in (rows, there))
    covariances = products[:longest] / np.maximum(pairs[:longest], 1.0)
    nearest = float(covariances[min(1, longest - 1)])
    noise = max(float(covariances[0]) - nearest, 0.0) if noise_variance is None else noise_variance
    covariances[0] = max(float(covariances[0]) - noise, 0.0)
    made = np.zeros(rows.shape)
    for length in np.unique(series.lengths).tolist():
        apart = np.abs(np.subtract.outer(np.arange(length), np.arange(length)))
        values, vectors = np.linalg.eigh(covariances[apart])
        # What was estimated may fall below 0, which no variance does.
        values = np.maximum(values, 0.0)
        share = values / np.maximum(values + noise, 1e-300)
        chosen = series.lengths == length
        made[chosen, :length] = rows[chosen, :length] @ (vectors * share) @ vectors.T
    return np.asarray(made[series.whose, series.places])
