"""Channels that keep the shares of the values, by Sinkhorn's iteration: independent of the room that designs them."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

from leakgauge.probability.cells import Floats


def at_slope(shares: Floats, slope: float) -> Floats:
    """q(y|x) of J = diag(u) e^(−λd) diag(v) with both marginals the shares, Hamming distance."""
    kernel = np.exp(-slope * (1 - np.eye(len(shares))))
    v = np.ones(len(shares))
    for _ in range(5000):
        u = shares / (kernel @ v)
        new = shares / (kernel.T @ u)
        if np.abs(new / v - 1).max() < 1e-12:
            break
        v = new
    joint = u[:, None] * kernel * v
    return np.asarray(joint / joint.sum(axis=1, keepdims=True))


def keeping(shares: Floats, distortion: float) -> Floats:
    """The least leaking channel of this mean Hamming distortion that keeps the shares."""

    def beyond(slope: float) -> float:
        return float(1 - shares @ np.diag(at_slope(shares, slope))) - distortion

    return at_slope(shares, brentq(beyond, 0.01, 20.0, xtol=1e-10))
