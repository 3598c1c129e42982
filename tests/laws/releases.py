"""Releases of every mechanism of the catalogue, and designed ones, by their law: from much noise to little."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from leakgauge.design import Keep, MaxDistortion, RateDistortion, solve
from leakgauge.distances import Absolute, Hamming
from leakgauge.mechanisms import (
    coarser_cells,
    discrete_gaussian,
    dummies,
    exponential_channel,
    gaussian,
    geometric,
    keep_or_redraw,
    laplace,
    permute_and_flip,
    planar_laplace,
    randomized_response,
    sampled_randomized_response,
    subset_selection,
    unary_encoding,
)
from leakgauge.mechanisms.noisy_number import NoisyNumber
from leakgauge.mechanisms.planar_laplace import MapUnit
from leakgauge.probability import Channel, Distribution
from leakgauge.probability.cells import Floats
from leakgauge.randomness import simulation

BUDGETS = (0.1, 0.5, 1.0, 2.0, 4.0, 7.0)


def sources(size: int, seed: int = 5) -> list[Distribution]:
    """A uniform one, a random one, and one with a dominant value."""
    dominant = np.full(size, 0.1 / (size - 1))
    dominant[0] = 0.9
    drawn = simulation(seed).dirichlet(np.ones(size)) + 1e-9
    return [Distribution(range(size), p) for p in (np.full(size, 1 / size), drawn / drawn.sum(), dominant)]


def _apart(source: Distribution) -> Floats:
    places = np.arange(len(source), dtype=np.float64)
    return np.abs(places[:, None] - places[None, :])


def _exponential(source: Distribution, budget: float) -> Channel:
    return exponential_channel(source.outcomes, source.outcomes, -_apart(source), budget).channel()


def _permuted(source: Distribution, budget: float) -> Channel:
    choose = permute_and_flip(budget, sensitivity=float(len(source)))
    rows = [choose.probabilities(row.tolist()) for row in -_apart(source)]
    return Channel(source.outcomes, source.outcomes, np.array([row / row.sum() for row in rows if row is not None]))


def _mixed(source: Distribution, budget: float) -> Channel:
    """As somebody may write by hand: the true value, or else its neighbour."""
    kept = budget / (1 + budget)
    matrix = np.eye(len(source)) * kept
    matrix += (1 - kept) * (np.roll(np.eye(len(source)), 1, axis=1) + np.eye(len(source))) / 2
    return Channel(source.outcomes, source.outcomes, matrix)


def _street(source: Distribution) -> dict[str, float]:
    """A map of one row of cells, one for each value."""
    return {"south": 40.7, "north": 40.8, "west": -74.0, "east": -73.0, "rows": 1, "columns": len(source)}


def _along_a_street(source: Distribution, budget: float) -> Channel:
    noise = planar_laplace(budget, **_street(source), unit=MapUnit.CELL).channel()  # type: ignore[arg-type]
    assert noise is not None
    return Channel(source.outcomes, source.outcomes, noise.matrix)


def _in_blocks(source: Distribution, budget: float) -> Channel:
    level = len(BUDGETS) - 1 - sum(one < budget for one in BUDGETS)
    blocks = coarser_cells(level, **_street(source))  # type: ignore[arg-type]
    return Channel(source.outcomes, blocks.released, blocks.channel().matrix)


def _among_dummies(source: Distribution, budget: float) -> Channel | None:
    count = min(2 + len(BUDGETS) - 1 - sum(one < budget for one in BUDGETS), len(source) - 1)
    found = dummies(count, **_street(source)).channel() if count > 1 else None  # type: ignore[arg-type]
    return None if found is None else Channel(source.outcomes, found.outputs, found.matrix)


def _designed(keep: Keep, distortion: Hamming | Absolute) -> Callable[[Distribution, float], Channel]:
    def channel(source: Distribution, budget: float) -> Channel:
        p, apart = source.probabilities, distortion.between(source.outcomes, source.outcomes)
        # What a release has that is drawn afresh, or of the best constant where nothing is kept.
        most = float(p @ apart @ p) if keep is Keep.SHARES else float((p @ apart).min())
        asked = MaxDistortion(most / (1 + budget))
        return solve(RateDistortion(source, distortion, asked, keep=keep), 1e-6).channel

    return channel


LETTERS: dict[str, Callable[[Distribution, float], Channel | None]] = {
    "randomized-response": lambda source, budget: randomized_response(budget, letters=source.outcomes).channel(),
    "sampled-randomized-response": lambda source, budget: sampled_randomized_response(
        budget, sampling_probability=0.5, letters=source.outcomes
    ).channel(),
    "keep-or-redraw": lambda source, budget: keep_or_redraw(
        budget, letters=source.outcomes, shares=source.probabilities
    ).channel(),
    "unary-encoding": lambda source, budget: unary_encoding(budget, letters=source.outcomes).channel(),
    "subset-selection": lambda source, budget: subset_selection(budget, letters=source.outcomes).channel(),
    "planar-laplace": _along_a_street,
    "coarser-cells": _in_blocks,
    "dummies": _among_dummies,
    "exponential": _exponential,
    "permute-and-flip": _permuted,
    "channel": _mixed,
    "designed": _designed(Keep.NOTHING, Hamming()),
    "designed to keep shares": _designed(Keep.SHARES, Hamming()),
    "designed for distances": _designed(Keep.NOTHING, Absolute()),
}
"""From values to releases; None where too many values make the channel too large to write down."""

NUMBERS: dict[str, Callable[[float, bool], NoisyNumber]] = {
    "laplace": lambda budget, clamp: laplace(budget, lower=0, upper=100, clamp=clamp),
    "gaussian": lambda budget, clamp: gaussian(budget, 1e-6, lower=0, upper=100, clamp=clamp),
    "geometric": lambda budget, clamp: geometric(budget, lower=0, upper=100, clamp=clamp),
    "discrete-gaussian": lambda budget, clamp: discrete_gaussian(budget**2 / 2, lower=0, upper=100, clamp=clamp),
}
"""Noise in numbers from 0 to 100, clamped or not."""


def columns_of_numbers(rows: int = 2000, seed: int = 3) -> dict[str, Floats]:
    """Columns from 0 to 100: even, bell-shaped, skewed, in two heaps, of a few values, and mostly 0."""
    draw = simulation(seed)
    heaps = np.where(draw.random(rows) < 0.3, draw.normal(20, 3, rows), draw.normal(80, 8, rows))
    columns: dict[str, Sequence[float] | Floats] = {
        "even": draw.uniform(0, 100, rows),
        "bell": draw.normal(50, 15, rows),
        "skewed": draw.lognormal(2.5, 0.8, rows),
        "heaps": heaps,
        "few": np.repeat([0.0, 5.0, 20.0, 100.0], rows // 4),
        "mostly 0": np.where(draw.random(rows) < 0.8, 0.0, draw.exponential(10, rows)),
    }
    return {name: np.clip(values, 0, 100) for name, values in columns.items()}


def household(data: Path) -> dict[str, Floats]:
    """Hourly loads of one household, without the hours that were filled in."""
    table = pq.read_table(data / "household_power_hourly.parquet")
    measured = ~np.asarray(table["interpolated"].to_numpy())
    names = [name for name in table.column_names if name not in ("hour_start", "interpolated")]
    return {name: np.asarray(table[name].to_numpy(), dtype=np.float64)[measured.astype(bool)] for name in names}
