"""The published relations as they were stated, and how often random channels and priors violate them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

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
from leakgauge.notions.neighbours import data_sets
from leakgauge.probability import Label
from leakgauge.probability.cells import Floats
from leakgauge.randomness import simulation


@dataclass(frozen=True)
class _Claimed:
    """factor · (ε + skews · Δ) nats, as a paper has it; what falls below 0 is claimed as 0.

    Attributes:
        notion: of the conclusion.
        factor: before the bracket.
        skews: how many times Δ is added.
        central: whether Δ is that of neighbouring data sets.
    """

    notion: Callable[[float], Statement]
    factor: float
    skews: float
    central: bool = False

    def __call__(self, statement: Statement, known: Circumstances) -> Statement | None:
        skew = known.neighbour_skew if self.central else known.skew
        if self.skews and skew is None:
            return None
        return self.notion(float(self.levels(np.array(statement.level), np.array(skew or 0.0))))

    def levels(self, premise: Floats, skew: Floats) -> Floats:
        """The levels claimed for many premises at once."""
        unit = NAT if self.notion in (MutualInformation, CentralMutualInformation) else 1.0
        return np.asarray(np.maximum(self.factor * (premise + self.skews * skew), 0.0) * unit)


_PAPER = "Zheng et al., Relations between several classical privacy notions, Acta Electronica Sinica 53(10), 2025"
_SUN_TAY = (
    "Sun and Tay, On the relationship between inference and data privacy in decentralized IoT networks, IEEE "
    "Transactions on Information Forensics and Security 15, 2020, as that paper quotes it"
)
_AS_31 = "σ = +Δ, as in its equation (31) and its example"
_AS_DEFINED = "σ = σ_min = −Δ, as it is defined"
SUN_AND_TAY = "δ_x = Δ"
"""The condition of their form."""


def _published(
    premise: type[Statement],
    conclusion: type[Statement],
    bound: Callable[[Statement, Circumstances], Statement | None],
    formula: str,
    conditions: str,
    theorem: str,
    witness: str = "",
    source: str = _PAPER,
) -> Edge:
    status = Status.UNSOUND if witness else Status.SOUND
    return Edge(premise, conclusion, bound, formula, conditions, f"{source}, {theorem}", status, witness)


def _identifiability_and_dp() -> Iterator[Edge]:
    """Theorems 1 to 4 under either sign of σ, and the form of Sun and Tay that the paper sets out to replace."""
    central = (CentralIdentifiability, CentralDP, True, "-of-two-records", ("Theorem 1", "Theorem 2"))
    local = (Identifiability, LocalDP, False, "", ("Theorem 3", "Theorem 4"))
    for identifiable, private, between_data_sets, records, (to_private, to_identifiable) in (central, local):
        forward = [_Claimed(private, 1, sign, between_data_sets) for sign in (1, -1)]
        back = [_Claimed(identifiable, 1, sign, between_data_sets) for sign in (1, -1)]
        against, skewed = f"against-the-prior{records}", f"skewed-prior{records}"
        yield _published(identifiable, private, forward[0], "ε − σ", _AS_DEFINED, to_private)
        yield _published(identifiable, private, forward[1], "ε − σ", _AS_31, to_private, against)
        yield _published(private, identifiable, back[1], "ε + σ", _AS_DEFINED, to_identifiable, skewed)
        yield _published(private, identifiable, back[0], "ε + σ", _AS_31, to_identifiable)
        yield _published(identifiable, private, forward[0], "ε + δ_x", SUN_AND_TAY, "Theorem 1-xiv", source=_SUN_TAY)
        yield _published(private, identifiable, back[0], "ε + δ_x", SUN_AND_TAY, "Theorem 1-xii", source=_SUN_TAY)


PUBLISHED_EDGES: tuple[Edge, ...] = (
    *_identifiability_and_dp(),
    _published(
        Identifiability, MutualInformation, _Claimed(MutualInformation, 2, 1), "2(ε − σ)", _AS_DEFINED, "Theorem 7"
    ),
    _published(
        Identifiability,
        MutualInformation,
        _Claimed(MutualInformation, 2, -1),
        "2(ε − σ)",
        _AS_31,
        "Theorem 7",
        "middle-of-the-prior",
    ),
    _published(LocalDP, MutualInformation, _Claimed(MutualInformation, 2, 0), "2ε", "", "Theorem 11"),
    *(
        _published(
            CentralIdentifiability,
            CentralMutualInformation,
            _Claimed(CentralMutualInformation, 2, sign, True),
            "2(ε − σ)",
            conditions,
            "Theorem 5",
            "many-records",
        )
        for sign, conditions in ((1, _AS_DEFINED), (-1, _AS_31))
    ),
    _published(
        CentralDP,
        CentralMutualInformation,
        _Claimed(CentralMutualInformation, 2, 0, True),
        "2ε",
        "",
        "Theorem 9",
        "many-records",
    ),
)
"""What was published, under either sign of the paper's σ; the false ones name the counterexample that shows it.

None of them decides anything: the sound ones are no tighter than ours.
"""

LETTERS, OUTPUTS = 3, 3
RECORDS = (2, 3)
"""Of the data sets that central theorems are tried on, each of bits."""
_LEVELS = (
    (Identifiability, LocalDP, MutualInformation),
    (CentralIdentifiability, CentralDP, CentralMutualInformation),
)


@dataclass(frozen=True)
class Trial:
    """One published edge and the share of random channels that violate it.

    Attributes:
        edge: what was published.
        records: of the data sets it was tried on; 1 for an edge between local notions.
        violated: the share of draws.
    """

    edge: Edge
    records: int
    violated: float


def trials(draws: int = 100_000, simulation_seed: int = 0) -> tuple[Trial, ...]:
    """Every published edge tried on random channels and priors, uniform over the simplex.

    The shares depend on the law of the draws; whether one is ever violated does not.
    """
    random = simulation(simulation_seed)
    found: list[Trial] = []
    for records in (1, *RECORDS):
        inputs: list[Label] = list(product("01", repeat=records) if records > 1 else range(LETTERS))
        groups = data_sets(inputs, records).groups
        q = random.dirichlet(np.ones(OUTPUTS), (draws, len(inputs)))
        p = random.dirichlet(np.ones(len(inputs)), draws)
        notions = _LEVELS[records > 1]
        level = dict(
            zip(
                notions,
                (_ratio(np.log(q * p[:, :, None]), groups), _ratio(np.log(q), groups), _information(q, p)),
                strict=True,
            )
        )
        skew = _ratio(np.log(p)[:, :, None], groups)
        found += [
            Trial(edge, records, _violated(edge, level[edge.premise], level[edge.conclusion], skew))
            for edge in PUBLISHED_EDGES
            if edge.premise in level
        ]
    return tuple(found)


def _violated(edge: Edge, premise: Floats, conclusion: Floats, skew: Floats) -> float:
    assert isinstance(edge.bound, _Claimed)
    return float(np.mean(conclusion > edge.bound.levels(premise, skew) * (1 + 1e-9) + 1e-12))


def _ratio(logs: Floats, groups: tuple[tuple[int, ...], ...]) -> Floats:
    """The largest difference of logarithms within a group of inputs, over all outputs."""
    return np.asarray(np.max([np.ptp(logs[:, group], axis=1).max(axis=1) for group in groups], axis=0))


def _information(q: Floats, p: Floats) -> Floats:
    r = np.einsum("bx,bxy->by", p, q)
    nats = np.einsum("bx,bxy,bxy->b", p, q, np.log(q / r[:, None, :]))
    return np.asarray(np.maximum(nats, 0.0) * NAT)
