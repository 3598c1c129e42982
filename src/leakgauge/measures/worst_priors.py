"""The prior at which seeing helps most: searched by branching over what is guessed, with a bound that no prior exceeds.

The best expected gain after seeing is convex in the prior, so that the worst prior lies in a corner of what is
searched, and finding it is NP-complete even for one guess (Alvim, Chatzikokolakis, McIver, Morgan, Palamidessi and
Smith, Additive and multiplicative notions of leakage, and their capacities, CSF 2014). HiGHS branches over which
secrets are possible, or over which action follows each output, and hands back a bound for what it has not looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from leakgauge.errors import EngineError
from leakgauge.probability.cells import Floats

TOLERANCE = 1e-6
"""By which the solver may cut a branch short, of 1 and of the bound; it is given away."""


@dataclass(frozen=True, eq=False)
class Worst:
    """Weights of the secrets at the best prior found, and a bound on what any prior reaches."""

    weights: Floats
    bound: float


def all_subsets(matrix: Floats) -> Floats:
    """The prior with the largest V(X|Y) − V(X), exactly, by looking at the uniform ones over all sets of secrets.

    Σ_y max_x π(x) q(y|x) − t is convex in (π, t), and the corners of π ≤ t, Σ π = 1 are the uniform priors over sets.
    """
    inputs = len(matrix)
    told = np.zeros(1 << inputs)
    for column in matrix.T:
        # Place s has the largest of the secrets in the bits of s.
        best = np.zeros(1)
        for probability in column:
            best = np.concatenate([best, np.maximum(best, probability)])
        told += best
    sizes = np.bitwise_count(np.arange(1, 1 << inputs))
    chosen = 1 + int(((told[1:] - 1) / sizes).argmax())
    possible = np.array([chosen >> at & 1 for at in range(inputs)], dtype=np.float64)
    return np.asarray(possible / possible.sum())


def of_one_guess(matrix: Floats, nodes: int) -> Worst:
    """As ``all_subsets`` for more secrets, by branching over which are possible.

    max Σ q(y|x) z(x, y) − t with z(x, y) ≤ π(x), Σ_x z(x, y) ≤ t, Σ π = 1 and each π(x) either 0 or t.
    """
    from scipy.sparse import bmat, csr_matrix, identity, kron

    inputs, outputs = matrix.shape
    ones, eye = np.ones((inputs, 1)), identity(inputs)
    each = kron(eye, np.ones((outputs, 1)))
    # Unknowns are z by (x, y), π, whether x is possible, and t.
    upper = bmat(
        [
            [identity(inputs * outputs), -each, None, None],
            [kron(np.ones((1, inputs)), identity(outputs)), None, None, -np.ones((outputs, 1))],
            [None, eye, -eye, None],
            [None, eye, None, -ones],
            [None, -eye, eye, ones],
        ],
        format="csr",
    )
    limits = np.concatenate([np.zeros(inputs * outputs + outputs + 2 * inputs), np.ones(inputs)])
    whole = bmat([[csr_matrix((1, inputs * outputs)), ones.T, csr_matrix((1, inputs + 1))]], format="csr")
    costs = np.concatenate([-matrix.ravel(), np.zeros(2 * inputs), [1.0]])
    branched = np.zeros(len(costs))
    branched[-1 - inputs : -1] = 1
    found, bound = _branched(costs, [(upper, -np.inf, limits), (whole, 1.0, 1.0)], branched, nodes)
    if found is None:
        return Worst(np.full(inputs, 1 / inputs), bound)
    possible = (found[-1 - inputs : -1] > 0.5).astype(np.float64)
    return Worst(possible / possible.sum() if possible.any() else np.full(inputs, 1 / inputs), bound)


def of_gains(matrix: Floats, gains: Floats, nodes: int, ratio: bool) -> Worst:
    """The prior with the largest V(X|Y) − V(X) by gains, or with ``ratio`` V(X|Y) / V(X).

    Branching over the action w that follows each output: with s(y, w) either 0 or 1, p(x, y, w) = π(x) s(y, w) and
    t(y, w) = V s(y, w), the linear Σ q(y|x) g(w, x) p(x, y, w) − V is maximised under all products of the constraints
    of π with s. For a ratio π is scaled to V = 1 instead of Σ π = 1.
    """
    from scipy.sparse import bmat, csr_matrix, hstack, identity, kron

    inputs, outputs = matrix.shape
    actions = len(gains)
    pairs = outputs * actions
    # Unknowns are p by (x, y, w), s and t by (y, w); a matrix over x times one over (y, w).
    choices = identity(pairs)
    of_pairs = kron(np.ones((1, inputs)), choices)
    # Σ_x g(w', x) p(x, y, w) ≤ t(y, w) for every w', and V = Σ_w t(y, w), π(x) = Σ_w p(x, y, w) whatever y is.
    gained = kron(csr_matrix(gains), choices)
    over_actions = kron(identity(outputs), np.ones((1, actions)))
    differences = csr_matrix(np.eye(outputs)[1:] - np.eye(outputs)[:1]) @ over_actions
    nothing = csr_matrix((inputs * (outputs - 1), pairs))
    rows = [
        (hstack([gained, csr_matrix((actions * pairs, pairs)), -kron(np.ones((actions, 1)), choices)]), -np.inf, 0.0),
        (hstack([kron(identity(inputs), differences), nothing, nothing]), 0.0, 0.0),
        (bmat([[csr_matrix((outputs, inputs * pairs)), over_actions, csr_matrix((outputs, pairs))]]), 1.0, 1.0),
    ]
    if ratio:
        rows.append((hstack([csr_matrix((pairs, inputs * pairs)), choices, -choices]), 0.0, 0.0))
    else:
        rows.append((hstack([of_pairs, -choices, csr_matrix((pairs, pairs))]), 0.0, 0.0))
        rows.append((hstack([csr_matrix((outputs - 1, inputs * pairs + pairs)), differences]), 0.0, 0.0))
    worth = matrix[:, :, None] * gains.T[:, None, :]
    first = np.concatenate([np.ones(actions), np.zeros(pairs - actions)])
    costs = np.concatenate([-worth.ravel(), np.zeros(pairs), np.zeros(pairs) if ratio else first])
    branched = np.concatenate([np.zeros(inputs * pairs), np.ones(pairs), np.zeros(pairs)])
    found, bound = _branched(costs, [(one.tocsr(), low, high) for one, low, high in rows], branched, nodes)
    weights = None if found is None else found[: inputs * pairs].reshape(inputs, outputs, actions)[:, 0].sum(axis=1)
    if weights is None or not weights.max() > 0:
        return Worst(np.full(inputs, 1 / inputs), bound)
    weights = np.maximum(weights, 0.0)
    return Worst(weights / weights.sum(), bound)


def _branched(costs: Floats, rows: list[tuple[Any, Any, Any]], branched: Floats, nodes: int) -> tuple[Any, float]:
    """The best unknowns found, of at least 0, and the most that −⟨costs, unknowns⟩ can be."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    found = milp(
        costs,
        integrality=branched,
        bounds=Bounds(0.0, np.where(branched > 0, 1.0, np.inf)),
        constraints=[LinearConstraint(matrix, low, high) for matrix, low, high in rows],
        options={"node_limit": nodes, "mip_rel_gap": 0.0},
    )
    if found.mip_dual_bound is None or not np.isfinite(found.mip_dual_bound):
        raise EngineError("The worst prior was not bounded; merge outputs that hardly occur.")
    bound = -float(found.mip_dual_bound)
    return found.x, bound + TOLERANCE * (1 + abs(bound))
