"""The published relations put to the test: how often each is violated by random channels and priors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leakgauge.claims import Identifiability, LocalDP, MutualInformation, Statement
from leakgauge.notions.edges import NAT, PUBLISHED_EDGES
from leakgauge.notions.graph import Circumstances, Edge
from leakgauge.probability.cells import Floats
from leakgauge.randomness import simulation

LETTERS, OUTPUTS = 3, 3


@dataclass(frozen=True)
class Trial:
    """One published edge and the share of random local channels that violate it."""

    edge: Edge
    violated: float


def trials(draws: int = 100_000, simulation_seed: int = 0) -> tuple[Trial, ...]:
    """Every published edge between local notions, tried on random channels and priors, uniform over the simplex.

    The shares depend on the law of the draws; whether one is ever violated does not.
    """
    random = simulation(simulation_seed)
    q = random.dirichlet(np.ones(OUTPUTS), (draws, LETTERS))
    p = random.dirichlet(np.ones(LETTERS), draws)
    level = {Identifiability: _identifiability(q, p), LocalDP: _local_dp(q), MutualInformation: _information(q, p)}
    skew = np.asarray(np.ptp(np.log(p), axis=1))
    return tuple(
        Trial(edge, _violated(edge, level[edge.premise], level[edge.conclusion], skew))
        for edge in PUBLISHED_EDGES
        if edge.premise in level and edge.conclusion in level
    )


def _violated(edge: Edge, premise: Floats, conclusion: Floats, skew: Floats) -> float:
    wrong = 0
    for have, truth, delta in zip(premise.tolist(), conclusion.tolist(), skew.tolist(), strict=True):
        claimed: Statement | None = edge.bound(edge.premise(have), Circumstances(skew=delta))  # type: ignore[call-arg]
        wrong += claimed is not None and truth > claimed.level * (1 + 1e-9) + 1e-12
    return wrong / len(premise)


def _local_dp(q: Floats) -> Floats:
    return np.asarray(np.ptp(np.log(q), axis=1).max(axis=1))


def _identifiability(q: Floats, p: Floats) -> Floats:
    return np.asarray(np.ptp(np.log(q * p[:, :, None]), axis=1).max(axis=1))


def _information(q: Floats, p: Floats) -> Floats:
    r = np.einsum("bx,bxy->by", p, q)
    nats = np.einsum("bx,bxy,bxy->b", p, q, np.log(q / r[:, None, :]))
    return np.asarray(np.maximum(nats, 0.0) * NAT)
