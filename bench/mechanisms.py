"""Noise and letters on one core, in millions of values a second of its time, beside OpenDP, numpy and diffprivlib."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import ModuleType

import numpy as np

from leakgauge.mechanisms import randomized_response
from leakgauge.randomness import OperatingSystem, simulation
from leakgauge.randomness.discrete import (
    discrete_gaussian,
    discrete_laplace,
    opendp_discrete_gaussian,
    opendp_discrete_laplace,
)

BATCH = 65_536
SCALE = 100.3


def run() -> None:
    source, generator = OperatingSystem(), simulation(0)
    laplace = _rate(lambda: discrete_laplace(SCALE, BATCH, source), BATCH)
    gaussian = _rate(lambda: discrete_gaussian(SCALE, BATCH, source), BATCH)
    _noise("discrete Laplace", laplace, 3.0, _rate(lambda: opendp_discrete_laplace(SCALE, 8192), 8192, 2))
    _noise("discrete Gaussian", gaussian, 1.5, _rate(lambda: opendp_discrete_gaussian(SCALE, 8192), 8192, 2))
    floats = [_rate(lambda draw=draw: draw(0, SCALE, BATCH), BATCH) for draw in (generator.laplace, generator.normal)]  # type: ignore[misc]
    print(f"  numpy's floats, which are not safe to release: Laplace {floats[0]:.1f} M/s, normal {floats[1]:.1f} M/s")
    _diffprivlib()
    for letters in (2, 16, 1000):
        response = randomized_response(1.0, letters=range(letters))
        rows = generator.integers(0, letters, BATCH)
        response.law.draw(rows, source)
        rate = _rate(lambda response=response, rows=rows: response.law.draw(rows, source), BATCH)  # type: ignore[misc]
        print(f"randomized response over {letters} letters: {rate:.1f} M rows/s")


def _rate(work: Callable[[], object], count: int, runs: int = 15) -> float:
    """Millions of values a second of process time, of the quickest run."""
    work()
    seconds = []
    for _ in range(runs):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return count / max(min(seconds), 1e-9) / 1e6


def _noise(what: str, ours: float, target: float, theirs: float) -> None:
    print(
        f"{what}: {ours:.2f} M values/s, {ours / theirs:.0f} × OpenDP's vector ({theirs:.3f} M/s); "
        f"target {target} M and 20 ×"
    )


def _diffprivlib() -> None:
    # Its models do not import with the scikit-learn of today, and its noise needs none of them.
    sys.modules.setdefault("diffprivlib.models", ModuleType("diffprivlib.models"))
    try:
        from diffprivlib.mechanisms import Laplace
    except ImportError:
        print("  diffprivlib is not installed")
        return
    theirs = Laplace(epsilon=1 / SCALE, sensitivity=1)
    rate = _rate(lambda: np.array([theirs.randomise(0.0) for _ in range(2000)]), 2000, 2)
    print(f"  diffprivlib's Laplace, one by one: {rate:.3f} M/s")
