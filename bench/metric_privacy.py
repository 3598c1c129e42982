"""The least mean loss under metric privacy: seconds of CPU beside qif's linear program, and larger maps ours alone."""

from __future__ import annotations

import os
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from bench.clock import timed
from leakgauge.design.metric_privacy import least_distance
from leakgauge.distances import MapCells
from leakgauge.probability import Distribution
from leakgauge.probability.cells import Floats

EPSILON = 1.0
EXACT = 1e-5


def run() -> None:
    try:
        qif: Any = import_module("qif")
    except ImportError:
        qif = None
        print("qif: not installed")
    least_distance(_rising(2), _grid(2), EPSILON)  # imports
    for side in (4, 6, 8):
        source, distances = _rising(side), _grid(side)
        ours, best = timed(partial(least_distance, source, distances, EPSILON, gap=EXACT))
        print(f"{side} × {side} cells, ε = 1: {best.distance:.6f} in {ours:.2f} s, proven within {best.gap:.1e}")
        if qif is not None:
            theirs, loss = timed(partial(_of_qif, qif, source, distances))
            print(f"  qif: {loss:.6f} in {theirs:.2f} s, {theirs / ours:.1f} × ours")
    place = Path(os.environ.get("LEAKGAUGE_DATA", "../shared/data")) / "nyc_pickups_april_2014.parquet"
    if not place.exists():
        print("the pickups are not here; set LEAKGAUGE_DATA")
        return
    for epsilon in (0.6, 1.2):
        source, distances = _pickups(place), _grid(20)
        seconds, best = timed(partial(least_distance, source, distances, epsilon))
        print(
            f"20 × 20 cells of pickups, ε = {epsilon:g} per cell: {best.distance:.4f} cells in {seconds:.1f} s, proven "
            f"within {best.gap:.2%}; target 1% in 60 s"
        )


def _of_qif(qif: Any, source: Distribution, distances: Floats) -> float:
    found = qif.mechanism.d_privacy.min_loss_given_d(
        source.probabilities,
        len(source),
        lambda x, other: EPSILON * float(distances[x, other]),
        lambda x, y: float(distances[x, y]),
    )
    return float(source.probabilities @ (np.asarray(found) * distances).sum(axis=1))


def _grid(side: int) -> Floats:
    row, column = np.divmod(np.arange(side * side), side)
    return np.asarray(np.hypot(row[:, None] - row, column[:, None] - column))


def _rising(side: int) -> Distribution:
    weights = np.arange(1.0, side * side + 1)
    return Distribution(range(side * side), weights / weights.sum())


def _pickups(place: Path) -> Distribution:
    table = pq.read_table(place)
    cells = MapCells(40.70, 40.82, -74.02, -73.92, rows=20, columns=20)
    codes = cells.codes(table["lat"].to_numpy(), table["lon"].to_numpy())
    counts = np.bincount(codes[codes >= 0], minlength=cells.count)
    return Distribution(cells.labels, counts / counts.sum())
