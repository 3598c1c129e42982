"""The paper on relations between notions: its example, its theorems under either sign of σ, its errors.

The theorems are kept as they were stated, with the share of random channels and priors that violates each. None of
them decides anything: the sound ones are no tighter than ours.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations, product
from typing import NamedTuple

import numpy as np

from leakgauge.artefacts.reproduction import Line, Order, Reproduction, computed
from leakgauge.claims import (
    CentralDP,
    CentralIdentifiability,
    CentralMutualInformation,
    Identifiability,
    LocalDP,
    MutualInformation,
    Statement,
)
from leakgauge.notions import Circumstances, implied, levels, prior_skew
from leakgauge.notions.edges import NAT, Edge, Status
from leakgauge.notions.neighbours import data_sets
from leakgauge.papers.counterexamples import (
    COUNTEREXAMPLES,
    PAPERS_EXAMPLE,
    many_records,
    rare_revelation,
    rare_revelation_central,
    records_that_break_it,
)
from leakgauge.probability import Distribution, Label, Scenario
from leakgauge.probability.cells import Floats
from leakgauge.randomness import simulation
from leakgauge.sentences import Sentence

PAPER = "Zheng et al., Relations between several classical privacy notions, Acta Electronica Sinica 53(10), 2025"
SUN_TAY = (
    "Sun and Tay, On the relationship between inference and data privacy in decentralized IoT networks, IEEE "
    "Transactions on Information Forensics and Security 15, 2020, as that paper quotes it"
)
SOURCE = Sentence(PAPER)
DRAWS = 20_000

ERRATA = (
    Sentence(
        "(31) turns a minimum of ln-ratios into a maximum, so σ has two signs; sound is ε_d ≤ ε_i + Δ and ε_i ≤ ε_d + "
        "Δ."
    ),
    Sentence(
        "Theorems 5 and 9 (central, I ≤ 2(ε_i − σ) and I ≤ 2ε_d) are false: neighbours bound one record, not the data "
        "set."
    ),
    Sentence(
        "The example prints ε_i ≈ 0.42 for the second prior, which is ε_d − Δ of one pair; its own (18) gives 0.8197."
    ),
    Sentence("The expressions for ε_m after (59), (67) and (96) have sign slips."),
    Sentence(
        "Section 4's rule that DP budgets react to skew contradicts (19) and (20): ε_i depends on the prior, ε_d does "
        "not."
    ),
    Sentence(
        "Section 4's completeness cancels a σ against itself; no one sign of σ makes Theorems 1 to 4 true, and 5 and 9 "
        "are false with either."
    ),
    Sentence(
        "Section 2 faults Sun and Tay's ε + δ_x for growing when applied twice; it is sound, and a first bound remains."
    ),
)


_CENTRAL = (CentralIdentifiability, CentralDP, CentralMutualInformation)
_LOCAL = (Identifiability, LocalDP, MutualInformation)
AS_31 = "σ = +Δ, as in its equation (31) and its example"
AS_DEFINED = "σ = σ_min = −Δ, as it is defined"
SUN_AND_TAY = "δ_x = Δ"
"""The condition of Sun and Tay's form, which the paper sets out to replace."""


@dataclass(frozen=True)
class Theorem:
    """factor · (ε + skews · Δ) nats, under one reading of σ; what falls below 0 is claimed as 0.

    A false one names its counterexample.
    """

    number: str
    premise: type[Statement]
    conclusion: type[Statement]
    factor: float
    skews: float
    formula: str
    conditions: str
    counterexample: str = ""

    def bound(self, statement: Statement, known: Circumstances) -> Statement | None:
        """What is claimed to follow, or None where Δ is needed and not known."""
        skew = known.neighbour_skew if self.conclusion in _CENTRAL else known.skew
        if self.skews and skew is None:
            return None
        level = float(self.levels(np.array(statement.level), np.array(skew or 0.0)))
        return self.conclusion(level)  # type: ignore[call-arg]

    def levels(self, premise: Floats, skew: Floats) -> Floats:
        """The levels claimed for many premises at once."""
        unit = NAT if self.conclusion in (MutualInformation, CentralMutualInformation) else 1.0
        return np.asarray(np.maximum(self.factor * (premise + self.skews * skew), 0.0) * unit)

    @property
    def edge(self) -> Edge:
        """The theorem as an edge of the implication graph."""
        reference = f"{SUN_TAY if self.conditions == SUN_AND_TAY else PAPER}, Theorem {self.number}"
        status = Status.UNSOUND if self.counterexample else Status.SOUND
        notions = (self.premise, self.conclusion)
        return Edge(*notions, self.bound, self.formula, reference, self.conditions, status, self.counterexample)


THEOREMS = (
    Theorem("1", CentralIdentifiability, CentralDP, 1, 1, "ε − σ", AS_DEFINED),
    Theorem("1", CentralIdentifiability, CentralDP, 1, -1, "ε − σ", AS_31, "against-the-prior-of-two-records"),
    Theorem("2", CentralDP, CentralIdentifiability, 1, -1, "ε + σ", AS_DEFINED, "skewed-prior-of-two-records"),
    Theorem("2", CentralDP, CentralIdentifiability, 1, 1, "ε + σ", AS_31),
    Theorem("1-xiv", CentralIdentifiability, CentralDP, 1, 1, "ε + δ_x", SUN_AND_TAY),
    Theorem("1-xii", CentralDP, CentralIdentifiability, 1, 1, "ε + δ_x", SUN_AND_TAY),
    Theorem("3", Identifiability, LocalDP, 1, 1, "ε − σ", AS_DEFINED),
    Theorem("3", Identifiability, LocalDP, 1, -1, "ε − σ", AS_31, "against-the-prior"),
    Theorem("4", LocalDP, Identifiability, 1, -1, "ε + σ", AS_DEFINED, "skewed-prior"),
    Theorem("4", LocalDP, Identifiability, 1, 1, "ε + σ", AS_31),
    Theorem("1-xiv", Identifiability, LocalDP, 1, 1, "ε + δ_x", SUN_AND_TAY),
    Theorem("1-xii", LocalDP, Identifiability, 1, 1, "ε + δ_x", SUN_AND_TAY),
    Theorem("7", Identifiability, MutualInformation, 2, 1, "2(ε − σ)", AS_DEFINED),
    Theorem("7", Identifiability, MutualInformation, 2, -1, "2(ε − σ)", AS_31, "middle-of-the-prior"),
    Theorem("11", LocalDP, MutualInformation, 2, 0, "2ε", ""),
    Theorem("5", CentralIdentifiability, CentralMutualInformation, 2, 1, "2(ε − σ)", AS_DEFINED, "many-records"),
    Theorem("5", CentralIdentifiability, CentralMutualInformation, 2, -1, "2(ε − σ)", AS_31, "many-records"),
    Theorem("9", CentralDP, CentralMutualInformation, 2, 0, "2ε", "", "many-records"),
)
PUBLISHED_EDGES = tuple(theorem.edge for theorem in THEOREMS)
"""What was published, under either sign of the paper's σ; the false ones name the counterexample that shows it."""


class Violations(NamedTuple):
    """The share of random channels that violate a theorem, from data sets of so many records."""

    theorem: Theorem
    records: int
    share: float


def violations(draws: int = 100_000, simulation_seed: int = 0) -> tuple[Violations, ...]:
    """Every theorem tried on random channels and priors, uniform over the simplex.

    Central theorems are tried on data sets of two and of three bits, the others on three letters. The shares depend on
    the law of the draws; whether one is ever violated does not.
    """
    random = simulation(simulation_seed)
    shares: list[Violations] = []
    for records in (1, 2, 3):
        inputs: list[Label] = list(product("01", repeat=records) if records > 1 else range(3))
        groups = data_sets(inputs, records)
        q = random.dirichlet(np.ones(3), (draws, len(inputs)))
        p = random.dirichlet(np.ones(len(inputs)), draws)
        exact = (_ratio(np.log(q * p[:, :, None]), groups), _ratio(np.log(q), groups), _information(q, p))
        level: dict[type[Statement], Floats] = dict(zip(_CENTRAL if records > 1 else _LOCAL, exact, strict=True))
        skew = _ratio(np.log(p)[:, :, None], groups)
        for theorem in THEOREMS:
            if theorem.premise in level:
                claimed = theorem.levels(level[theorem.premise], skew)
                violated = level[theorem.conclusion] > claimed * (1 + 1e-9) + 1e-12
                shares.append(Violations(theorem, records, float(np.mean(violated))))
    return tuple(shares)


def _ratio(logs: Floats, groups: tuple[tuple[int, ...], ...]) -> Floats:
    """The largest difference of logarithms within a group of inputs, over all outputs."""
    return np.asarray(np.max([np.ptp(logs[:, group], axis=1).max(axis=1) for group in groups], axis=0))


def _information(q: Floats, p: Floats) -> Floats:
    r = np.einsum("bx,bxy->by", p, q)
    nats = np.einsum("bx,bxy,bxy->b", p, q, np.log(q / r[:, None, :]))
    return np.asarray(np.maximum(nats, 0.0) * NAT)


def reproduce() -> Reproduction:
    """The reference example, which theorems are ever violated, and where the central ones break."""
    orders = (*map(_order, violations(DRAWS)), *_nothing_follows(), *_lemmas(), *_completeness(), _skew())
    return Reproduction("notions", SOURCE, (*_example(), *_breaking()), orders, ERRATA)


def _example() -> Iterator[Line]:
    wrong = Sentence("printed is ε_d − Δ of one pair; its formula (18) gives ours")
    for share, floor, identifiable, note in ((0.95, 2.94, 3.56, None), (0.55, 0.20, 0.42, wrong)):
        prior = Distribution([1, 2], [share, 1 - share])
        exact = {name: level.value for name, level in levels(PAPERS_EXAMPLE, prior).items()}
        where = Sentence("section 5, prior ({share:g}, {rest:g})", share=share, rest=1 - share)
        slip = note is not None
        yield Line(where, Sentence("Δ, the floor of ε_i"), floor, computed(prior_skew(prior), "nats"), 0.005)
        yield Line(where, Sentence("ε_i"), identifiable, computed(exact["identifiability"], "nats"), 0.005, note, slip)
        yield Line(where, Sentence("ε_d"), 0.62, computed(exact["local-dp"], "nats"), 0.005)
    believed = Scenario(Distribution([1, 2], [0.95, 0.05]), PAPERS_EXAMPLE).posterior(1)[1]
    where = Sentence("section 5, prior ({share:g}, {rest:g})", share=0.95, rest=0.05)
    yield Line(where, Sentence("p(d=1|e=1)"), 0.97, computed(believed, "probability"), 0.005)
    yield Line(where, Sentence("ln p(d=1|e=1)/p(d=1)"), 0.02, computed(math.log(believed / 0.95), "nats"), 0.005)


def _breaking() -> Iterator[Line]:
    """Theorems 5 and 9 claim 2(ε_i − σ) and 2ε_d; r uniform bits by randomized response have more from some r on."""
    claims = {
        "5": lambda epsilon: Sentence("I ≤ 2(ε_i − σ), σ = 0, at ε = {epsilon:g}", epsilon=epsilon),
        "9": lambda epsilon: Sentence("I ≤ 2ε_d at ε = {epsilon:g}", epsilon=epsilon),
    }
    for (number, claim), epsilon in product(claims.items(), (0.5, 1.0, 2.0)):
        records = records_that_break_it(epsilon)
        information = many_records(epsilon, records).level(CentralMutualInformation).level * math.log(2)
        note = Sentence("false from r = {records:g} records on", records=records)
        theorem = Sentence("Theorem {number!s}", number=number)
        yield Line(theorem, claim(epsilon), 2 * epsilon, computed(information, "nats"), 0.0, note, True)


def _order(trial: Violations) -> Order:
    theorem = trial.theorem
    where = Sentence("Theorem {number!s}", number=theorem.number)
    if theorem.conditions == SUN_AND_TAY:
        where = Sentence("Sun and Tay, {theorem}", theorem=where)
    where = Sentence(
        "{theorem}, {premise!s} → {conclusion!s}",
        theorem=where,
        premise=theorem.premise.name,
        conclusion=theorem.conclusion.name,
    )
    if trial.records > 1:
        where = Sentence("{where}, {records:d} records", where=where, records=trial.records)
    reading = Sentence(theorem.conditions) if theorem.conditions else Sentence("always")
    claim = Sentence("{where}: {formula!s} ({reading})", where=where, formula=theorem.formula, reading=reading)
    if not theorem.counterexample:
        never = Sentence("{claim} is never violated in {draws:,} draws", claim=claim, draws=DRAWS)
        return Order(never, trial.share == 0)
    shown = COUNTEREXAMPLES[theorem.counterexample]()
    claimed = theorem.bound(shown.level(theorem.premise), shown.circumstances)
    false = Sentence(
        "{claim} is false: violated by {share:.2%} of draws, and by {example!s}",
        claim=claim,
        share=trial.share,
        example=theorem.counterexample,
    )
    return Order(false, claimed is not None and shown.level(theorem.conclusion).level > claimed.level)


def _nothing_follows() -> Iterator[Order]:
    shown = rare_revelation_central(0.9)
    said = Sentence(
        "Theorems 6, 10, two records, β = {beta:g}: I = {bits:.6f} bits while ε_i and ε_d are infinite",
        beta=0.9,
        bits=shown.level(CentralMutualInformation).level,
    )
    yield Order(said, all(math.isinf(shown.level(notion).level) for notion in (CentralDP, CentralIdentifiability)))
    shown = rare_revelation(0.9)
    said = Sentence(
        "Theorems 8, 12, β = {beta:g}: I = {bits:.6f} bits while ε_i and ε_d are infinite",
        beta=0.9,
        bits=shown.level(MutualInformation).level,
    )
    yield Order(said, all(math.isinf(shown.level(notion).level) for notion in (LocalDP, Identifiability)))


def _lemmas() -> Iterator[Order]:
    """σ_min is the same from either end of a pair, and 0 of a uniform prior."""
    random = simulation(1)
    for number, records in ((1, 2), (2, 1)):
        inputs: list[Label] = list(product("01", repeat=records) if records > 1 else range(3))
        pairs = np.array([pair for group in data_sets(inputs, records) for pair in permutations(group, 2)]).T
        logs = np.log(random.dirichlet(np.ones(len(inputs)), DRAWS))
        ratios = logs[:, pairs[0]] - logs[:, pairs[1]]
        same = bool(np.array_equal(ratios.min(axis=1), (-ratios).min(axis=1)))
        uniform = Distribution.uniform(inputs)
        said = Sentence(
            "Lemma {number:d}: σ_min is the same with either of two in the numerator, in {draws:,} draws, and 0 of a "
            "uniform prior",
            number=number,
            draws=DRAWS,
        )
        yield Order(said, same and prior_skew(uniform, data_sets(inputs, records)) == 0)


def _completeness() -> Iterator[Order]:
    """Section 4: routes between notions agree because σ cancels, which takes one σ of which all theorems are true."""
    for reading in (AS_DEFINED, AS_31):
        stated = {theorem.number: theorem for theorem in THEOREMS if theorem.conditions in (reading, "")}
        false = sorted((number for number, theorem in stated.items() if theorem.counterexample), key=int)
        said = Sentence(
            "Completeness ({reading}): σ cancels on every route, but Theorems {numbers!s} are false",
            reading=Sentence(reading),
            numbers=", ".join(false),
        )
        cancels = all(
            math.isclose(_chained(stated, *route), _chained(stated, *direct)) for route, direct in _SAME_ROUTES
        )
        yield Order(said, cancels and {"5", "9"} < set(false))
    known, kept = Circumstances().with_prior(Distribution([1, 2], [0.95, 0.05])), Identifiability(3.5)
    there = implied(kept, LocalDP, known).statement
    assert there is not None
    back = implied(there, Identifiability, known).statement
    assert back is not None
    said = Sentence(
        "Completeness, made true: from ε_i = {kept:g} to ε_d and back is {back:.4f}, and the first statement remains",
        kept=kept.level,
        back=back.level,
    )
    yield Order(said, back.level >= kept.level and implied(kept, Identifiability, known).statement == kept)


_SAME_ROUTES = (
    (("2", "5"), ("9",)),
    (("1", "9"), ("5",)),
    (("1", "2"), ()),
    (("4", "7"), ("11",)),
    (("3", "11"), ("7",)),
    (("3", "4"), ()),
)
"""Theorems in a row that section 4 finds to say the same."""


def _chained(stated: Mapping[str, Theorem], *numbers: str) -> float:
    """What theorems in a row make of a budget of 3 where Δ = 0.5."""
    level = 3.0
    for number in numbers:
        level = float(stated[number].levels(np.array(level), np.array(0.5)))
    return level


def _skew() -> Order:
    priors = [Distribution([1, 2], [share, 1 - share]) for share in (0.5, 0.7, 0.9, 0.99)]
    exact = [levels(PAPERS_EXAMPLE, prior) for prior in priors]
    budgets = {level["local-dp"].value for level in exact}
    identifiable = [level["identifiability"].value for level in exact]
    said = Sentence(
        "Section 4: from an even to a skewed prior ε_d stays {budget:.4f} while ε_i grows: {grown!s}",
        budget=min(budgets),
        grown=", ".join(f"{value:.2f}" for value in identifiable),
    )
    return Order(said, len(budgets) == 1 and identifiable == sorted(identifiable))
