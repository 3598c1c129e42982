"""The published relations as they were stated, and how often random channels and priors violate them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from leakgauge.claims import (
    CentralDP,
    CentralIdentifiability,
    CentralMutualInformation,
    Identifiability,
    LocalDP,
    MutualInformation,
    Statement,
)
from leakgauge.notions.bounds import NAT
from leakgauge.notions.circumstances import Circumstances
from leakgauge.notions.graph import Edge, Status
from leakgauge.probability.cells import Floats
from leakgauge.randomness import simulation


def _claimed(
    notion: Callable[[float], Statement], factor: float, skews: float, central: bool = False
) -> Callable[[Statement, Circumstances], Statement | None]:
    """factor · (ε + skews · Δ) nats, as the paper has it; what falls below 0 is claimed as 0."""
    unit = NAT if notion in (MutualInformation, CentralMutualInformation) else 1.0

    def bound(statement: Statement, known: Circumstances) -> Statement | None:
        skew = known.neighbour_skew if central else known.skew
        if skews and skew is None:
            return None
        return notion(max(factor * (statement.level + skews * (skew or 0.0)), 0.0) * unit)

    return bound


_PAPER = "Zheng et al., Relations between several classical privacy notions, Acta Electronica Sinica 53(10), 2025"
_AS_31 = "σ = +Δ, as in its equation (31) and its example"
_AS_DEFINED = "σ = σ_min = −Δ, as it is defined"


def _published(
    premise: type[Statement],
    conclusion: type[Statement],
    bound: Callable[[Statement, Circumstances], Statement | None],
    formula: str,
    conditions: str,
    theorem: str,
    witness: str = "",
) -> Edge:
    status = Status.UNSOUND if witness else Status.SOUND
    return Edge(premise, conclusion, bound, formula, conditions, f"{_PAPER}, {theorem}", status, witness)


PUBLISHED_EDGES: tuple[Edge, ...] = (
    _published(Identifiability, LocalDP, _claimed(LocalDP, 1, 1), "ε − σ", _AS_DEFINED, "Theorem 3"),
    _published(Identifiability, LocalDP, _claimed(LocalDP, 1, -1), "ε − σ", _AS_31, "Theorem 3", "against-the-prior"),
    _published(
        LocalDP, Identifiability, _claimed(Identifiability, 1, -1), "ε + σ", _AS_DEFINED, "Theorem 4", "skewed-prior"
    ),
    _published(LocalDP, Identifiability, _claimed(Identifiability, 1, 1), "ε + σ", _AS_31, "Theorem 4"),
    _published(
        Identifiability, MutualInformation, _claimed(MutualInformation, 2, 1), "2(ε − σ)", _AS_DEFINED, "Theorem 7"
    ),
    _published(
        Identifiability,
        MutualInformation,
        _claimed(MutualInformation, 2, -1),
        "2(ε − σ)",
        _AS_31,
        "Theorem 7",
        "middle-of-the-prior",
    ),
    _published(LocalDP, MutualInformation, _claimed(MutualInformation, 2, 0), "2ε", "", "Theorem 11"),
    _published(
        CentralIdentifiability,
        CentralMutualInformation,
        _claimed(CentralMutualInformation, 2, 1, True),
        "2(ε − σ)",
        "uniform prior, σ = 0",
        "Theorem 5",
        "many-records",
    ),
    _published(
        CentralDP,
        CentralMutualInformation,
        _claimed(CentralMutualInformation, 2, 0, True),
        "2ε",
        "",
        "Theorem 9",
        "many-records",
    ),
)
"""What the paper states, under either sign of its σ; the false ones name the stored counterexample that shows it.

None of them decides anything: the sound ones are looser than ours.
"""

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
