"""Few pairs that speak for all: those along which every distance can be walked with little stretch.

Reference: Bordenabe, Chatzikokolakis and Palamidessi, Optimal geo-indistinguishable mechanisms for location privacy,
CCS 2014; Narasimhan and Smid, Geometric spanner networks, 2007 (the greedy spanner).
"""

from __future__ import annotations

import numpy as np

from leakgauge.probability.cells import Codes, Floats

EXACT = 1e-12
"""Ways that are longer by no more than this share are as long."""


def spanner(distances: Floats, stretch: float) -> tuple[Codes, Codes]:
    """Pairs of positions, each once, such that a chain of them joins any two at most ``stretch`` times their distance.

    With a stretch of 1 only pairs are left out whose distance a chain adds up to exactly, so that nothing is lost.
    """
    count = len(distances)
    first, second = np.triu_indices(count, 1)
    order = np.argsort(distances[first, second], kind="stable")
    walked = np.where(np.eye(count, dtype=np.bool_), 0.0, np.inf)
    kept = []
    longest = stretch * (1 + EXACT)
    for x, z in zip(first[order].tolist(), second[order].tolist(), strict=True):
        if walked[x, z] <= longest * distances[x, z]:
            continue
        kept.append((x, z))
        direct = distances[x, z]
        np.minimum(walked, (walked[:, x] + direct)[:, None] + walked[z], out=walked)
        np.minimum(walked, (walked[:, z] + direct)[:, None] + walked[x], out=walked)
    left, right = np.array(kept, dtype=np.int64).reshape(-1, 2).T
    return left, right
