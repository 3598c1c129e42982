"""The same laws as in ``discrete``, drawn one by one by OpenDP's vetted samplers: for answers and small vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

LARGEST = 256
"""So many values at most; OpenDP draws about a hundred thousand a second, ``discrete`` some millions."""


def opendp_discrete_laplace(scale: float, count: int) -> npt.NDArray[np.int64]:
    """``count`` whole numbers k with probability ∝ e^(−|k|/scale)."""
    dp = _opendp()
    return _drawn(dp.m.make_laplace(*_space(dp, dp.l1_distance(T="i64")), scale=scale), count)


def opendp_discrete_gaussian(sigma: float, count: int) -> npt.NDArray[np.int64]:
    """``count`` whole numbers k with probability ∝ e^(−k²/2σ²)."""
    dp = _opendp()
    return _drawn(dp.m.make_gaussian(*_space(dp, dp.l2_distance(T="f64")), scale=sigma), count)


def _opendp() -> Any:
    import opendp.prelude as dp

    # OpenDP asks for consent before it uses parts whose proofs are not yet reviewed; noise is among them.
    dp.enable_features("contrib")
    return dp


def _space(dp: Any, metric: Any) -> tuple[Any, Any]:
    return dp.vector_domain(dp.atom_domain(T="i64")), metric


def _drawn(measurement: Any, count: int) -> npt.NDArray[np.int64]:
    return np.array(measurement([0] * count), dtype=np.int64)
