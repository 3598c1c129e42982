"""Frequencies drawn towards the uniform law: the James–Stein estimator of Hausser and Strimmer.

Reference: Hausser and Strimmer, Entropy inference and the James–Stein estimator, with application to nonlinear gene
association networks, Journal of Machine Learning Research 10, 2009.
"""

from __future__ import annotations

import numpy as np

from leakgauge.errors import OptionError
from leakgauge.measures.terms import Measure, Roles
from leakgauge.probability import Channel, Counts, Distribution, Joint, Scenario
from leakgauge.probability.cells import Floats

_LARGEST = 1 << 22


def shrunken(counts: Counts, roles: Roles, measure: Measure, weights: Floats | None) -> Scenario:
    """The scenario whose probabilities are λ/cells + (1 − λ) × frequency, over the cells the measure involves.

    λ = (1 − Σ p²) / ((n − 1) Σ (1/cells − p)²), at most 1, minimises the expected squared error.

    Raises:
        OptionError: shrinking gives every cell a probability, and there are more cells than fit.
    """
    letters = roles.letters(measure, pair_weights=weights is not None and weights.ndim == 2)
    merged = counts.merge({letter: roles.axes(letter) for letter in roles.counted(letters)})
    if np.prod(merged.shape, dtype=float) > _LARGEST:
        raise OptionError(
            "Shrinkage fills all {cells} cells, more than {limit}; choose another estimator or merge rare labels.",
            cells=int(np.prod(merged.shape, dtype=float)),
            limit=_LARGEST,
        )
    p = _shrink(merged.array().ravel() / merged.n, merged.n).reshape(merged.shape)
    labels = {letter: merged.labels(letter) for letter in merged.names}
    if "Y" in merged.names:
        if "Z" in merged.names:
            pairs = [(x, z) for x in labels["X"] for z in labels["Z"]]
            known, flat = p.sum(axis=1), np.moveaxis(p, 1, 2).reshape(len(pairs), -1)
            response = Channel(pairs, labels["Y"], flat / flat.sum(axis=1, keepdims=True))
            return Scenario(Joint(labels["X"], labels["Z"], known), response, weights=weights)
        joint = Joint(labels["X"], labels["Y"], p)
        return Scenario(joint.row_marginal(), joint.channel(), weights=weights)
    channel = roles.channel if "Y" in letters else None
    if "Z" in merged.names:
        return Scenario(Joint(labels["X"], labels["Z"], p), channel, weights=weights)
    return Scenario(Distribution(labels["X"], p), channel, weights=weights)


def _shrink(p: Floats, n: int) -> Floats:
    target = 1 / len(p)
    spread = float(((target - p) ** 2).sum())
    noise = 1 - float((p**2).sum())
    intensity = 1.0 if n == 1 or noise >= (n - 1) * spread else noise / ((n - 1) * spread)
    return intensity * target + (1 - intensity) * p
