"""Newton's step for what somebody with a background sees of a channel, where the channel follows from it.

With q(y|x) ∝ exp(Σ_z p(z|x) m(y,z) − cost) and t(y,z) = Σ_x p(x) q(y|x) p(z|x), a change δ of m changes t by

    Σ_x p(x) p(z|x) q(y|x) (Σ_z' p(z'|x) δ(y,z') − Σ_y',z' q(y'|x) p(z'|x) δ(y',z')):

a small matrix each letter less one of the rank of the inputs, so that a system of inputs or of letters × backgrounds is
solved, whichever is smaller.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from scipy.linalg import lu_solve
from scipy.linalg.lapack import dgetrf

from leakgauge.design.certificate import Secrets
from leakgauge.probability.cells import Floats

Linear: TypeAlias = Callable[[Floats], Floats]

RIDGE = 1e-9
"""Added to the small matrices where they are inverted one by one, and taken back by refinement: each has a direction in
which only the inputs tie it."""
REFINEMENTS = 2
SINGULAR = 1e-13
"""Added to the whole, against directions that nothing ties."""


def shown(secrets: Secrets, channel: Floats) -> Floats:
    """t(y,z), one row per letter; all above 0."""
    return np.maximum((secrets.prior[:, None] * channel).T @ secrets.given_secret, np.finfo(np.float64).tiny)


def direction(secrets: Secrets, free: Floats, wanted: Floats, short: Floats, kept: bool = False) -> Floats:
    """δ(y,z) such that what a letter is to have grows by ``short`` more than t(y,z) does.

    What it is to have grows by e^δ; where its shares are kept, it is only divided among the backgrounds in this way.

    Args:
        free: the channel; 0 where an entry is held whatever the weights are.
        wanted: what each letter is to have, all above 0.

    Raises:
        numpy.linalg.LinAlgError: rounding leaves no direction.
    """
    prior, given = secrets.prior, secrets.given_secret
    (inputs, backgrounds), letters = given.shape, free.shape[1]
    # In units of the root of it, so that rare letters are as precise as others.
    unit = np.sqrt(wanted)
    ties = free.T[:, None, :] * (np.sqrt(prior / free.sum(axis=1)) * given.T) / unit[:, :, None]
    right, size = (short / unit).ravel(), letters * backgrounds
    if size > 2 * inputs and backgrounds > 2 * inputs:
        return _finite(_refined(ties, right, *_by_rank(secrets, free, wanted, kept)) / unit)
    pairs = (given[:, :, None] * given[:, None, :]).reshape(inputs, -1)
    blocks = ((prior[:, None] * free).T @ pairs).reshape(letters, backgrounds, backgrounds)
    blocks /= -unit[:, :, None] * unit[:, None, :]
    diagonal = np.arange(backgrounds)
    blocks[:, diagonal, diagonal] += 1
    if kept:
        blocks -= unit[:, :, None] * unit[:, None, :] / wanted.sum(axis=1)[:, None, None]
    if size <= 2 * inputs:
        flat = ties.reshape(size, inputs)
        whole = flat @ flat.T
        at = np.arange(size).reshape(letters, backgrounds)
        whole[at[:, :, None], at[:, None, :]] += blocks
        whole[np.diag_indices(size)] += SINGULAR
        return _finite(lu_solve(_factors(whole), right).reshape(letters, -1) / unit)
    inverses = np.linalg.inv(blocks + RIDGE * np.eye(backgrounds))
    return _finite(_refined(ties, right, partial(np.matmul, inverses), partial(np.matmul, blocks)) / unit)


def _by_rank(secrets: Secrets, free: Floats, wanted: Floats, kept: bool) -> tuple[Linear, Linear]:
    """What the inverses and the small matrices do where backgrounds are many: 1 less one of the rank of the inputs.

    With V Vᵀ what is taken off, (1 + ρ − V Vᵀ)⁻¹ = (1 + V (1 + ρ − Vᵀ V)⁻¹ Vᵀ) / (1 + ρ).
    """
    unit = np.sqrt(wanted)
    off = np.sqrt(secrets.prior * free.T)[:, None, :] * secrets.given_secret.T / unit[:, :, None]
    if kept:
        off = np.concatenate([off, (unit / np.sqrt(wanted.sum(axis=1))[:, None])[:, :, None]], axis=2)
    turned = off.transpose(0, 2, 1)
    small = np.linalg.inv((1 + RIDGE) * np.eye(off.shape[2]) - np.matmul(turned, off))

    def inverted(values: Floats) -> Floats:
        return np.asarray((values + np.matmul(off, np.matmul(small, np.matmul(turned, values)))) / (1 + RIDGE))

    return inverted, lambda values: np.asarray(values - np.matmul(off, np.matmul(turned, values)))


def _refined(ties: Floats, right: Floats, inverted: Linear, times: Linear) -> Floats:
    """The solution of the small matrices and the ties together, by the small matrices' inverses."""
    letters, _, inputs = ties.shape
    flat, through = ties.reshape(-1, inputs), inverted(ties).reshape(-1, inputs)
    core = flat.T @ through
    core[np.diag_indices(inputs)] += 1 + SINGULAR
    factors = _factors(core)

    def solved(values: Floats) -> Floats:
        own = inverted(values.reshape(letters, -1, 1)).ravel()
        return np.asarray(own - through @ lu_solve(factors, flat.T @ own))

    found = solved(right)
    for _ in range(REFINEMENTS):
        back = times(found.reshape(letters, -1, 1)).ravel() + flat @ (flat.T @ found)
        found = found + solved(right - back)
    return np.asarray(found.reshape(letters, -1))


def _factors(matrix: Floats) -> tuple[Floats, Any]:
    """As ``lu_factor`` gives them, but for its warning where there are none."""
    lower_upper, pivots, singular_at = dgetrf(matrix)
    if singular_at > 0:
        raise np.linalg.LinAlgError
    return lower_upper, pivots


def _finite(change: Floats) -> Floats:
    if not np.isfinite(change).all():
        raise np.linalg.LinAlgError
    return np.asarray(change)
