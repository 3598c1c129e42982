"""The paper on relations between notions: its example, its theorems under either sign of σ, its slips."""

from __future__ import annotations

import math
from collections.abc import Iterator

from leakgauge.artefacts.reproduction import Line, Order, Reproduction, line
from leakgauge.claims import CentralDP, CentralIdentifiability, CentralMutualInformation
from leakgauge.notions import FAMILIES, levels, prior_skew
from leakgauge.notions.counterexamples import many_records, rare_revelation_central, records_that_break_it
from leakgauge.notions.published import SUN_AND_TAY, trials
from leakgauge.probability import Channel, Distribution, Scenario
from leakgauge.sentences import Sentence

SOURCE = Sentence(
    "Zheng et al., Relations between several classical privacy notions, Acta Electronica Sinica 53(10), 2025"
)
EXAMPLE = Channel([1, 2], [1, 2], [[0.65, 0.35], [0.35, 0.65]])
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
        "Section 2 faults Sun and Tay's ε + δ_x for growing when applied twice; it is sound, and a first bound remains."
    ),
)


def reproduce() -> Reproduction:
    """The reference example, which theorems are ever violated, and where the central ones break."""
    orders = (*_orders(), *_nothing_follows(), *_skew())
    return Reproduction("notions", SOURCE, (*_example(), *_breaking()), orders, ERRATA)


def _example() -> list[Line]:
    lines = []
    for share, floor, identifiable in ((0.95, 2.94, 3.56), (0.55, 0.20, 0.42)):
        prior = Distribution([1, 2], [share, 1 - share])
        exact = levels(EXAMPLE, prior)
        where = Sentence("section 5, prior ({share:g}, {rest:g})", share=share, rest=1 - share)
        slip = None if share == 0.95 else Sentence("printed is ε_d − Δ of one pair; its formula (18) gives ours")
        lines += [
            line(where, Sentence("Δ, the floor of ε_i"), floor, prior_skew(prior), "nats", 0.005),
            line(
                where,
                Sentence("ε_i"),
                identifiable,
                exact["identifiability"].value,
                "nats",
                0.005,
                slip,
                slip is not None,
            ),
            line(where, Sentence("ε_d"), 0.62, exact["local-dp"].value, "nats", 0.005),
        ]
    believed = Scenario(Distribution([1, 2], [0.95, 0.05]), EXAMPLE).posterior(1)[1]
    where = Sentence("section 5, prior ({share:g}, {rest:g})", share=0.95, rest=0.05)
    lines.append(line(where, Sentence("p(d=1|e=1)"), 0.97, believed, "probability", 0.005))
    return lines


def _breaking() -> list[Line]:
    """Theorems 5 and 9 claim 2(ε_i − σ) and 2ε_d; r uniform bits by randomized response have more from some r on."""
    lines = []
    for number in (5, 9):
        for epsilon in (0.5, 1.0, 2.0):
            records = records_that_break_it(epsilon)
            information = many_records(epsilon, records).level(CentralMutualInformation).level * math.log(2)
            note = Sentence("false from r = {records:g} records on", records=records)
            if number == 5:
                what = Sentence("I ≤ 2(ε_i − σ), σ = 0, at ε = {epsilon:g}", epsilon=epsilon)
            else:
                what = Sentence("I ≤ 2ε_d at ε = {epsilon:g}", epsilon=epsilon)
            theorem = Sentence("Theorem {number!s}", number=str(number))
            lines.append(line(theorem, what, 2 * epsilon, information, "nats", 0.0, note, True))
    return lines


def _orders() -> Iterator[Order]:
    for trial in trials(DRAWS):
        edge = trial.edge
        theorem = Sentence("Theorem {number!s}", number=edge.reference.rpartition(", Theorem ")[2])
        if edge.conditions == SUN_AND_TAY:
            theorem = Sentence("Sun and Tay, {theorem}", theorem=theorem)
        where = Sentence(
            "{theorem}, {premise!s} → {conclusion!s}",
            theorem=theorem,
            premise=edge.premise.name,
            conclusion=edge.conclusion.name,
        )
        if trial.records > 1:
            where = Sentence("{where}, {records:d} records", where=where, records=trial.records)
        reading = Sentence(edge.conditions) if edge.conditions else Sentence("always")
        claim = Sentence("{where}: {formula!s} ({reading})", where=where, formula=edge.formula, reading=reading)
        if edge.witness:
            witness = FAMILIES[edge.witness]()
            claimed = edge.bound(witness.level(edge.premise), witness.circumstances)
            broken = claimed is not None and witness.level(edge.conclusion).level > claimed.level
            false = Sentence(
                "{claim} is false: violated by {share:.2%} of draws, and by {example!s}",
                claim=claim,
                share=trial.violated,
                example=witness.name,
            )
            yield Order(false, broken)
        else:
            never = Sentence("{claim} is never violated in {draws:,} draws", claim=claim, draws=DRAWS)
            yield Order(never, trial.violated == 0)


def _nothing_follows() -> Iterator[Order]:
    shown = rare_revelation_central(0.9)
    bits = shown.level(CentralMutualInformation).level
    infinite = all(math.isinf(shown.level(notion).level) for notion in (CentralDP, CentralIdentifiability))
    said = Sentence(
        "Theorems 6, 10, two records, β = {beta:g}: I = {bits:.6f} bits while ε_i and ε_d are infinite",
        beta=0.9,
        bits=bits,
    )
    yield Order(said, infinite)


def _skew() -> Iterator[Order]:
    priors = [Distribution([1, 2], [share, 1 - share]) for share in (0.5, 0.7, 0.9, 0.99)]
    exact = [levels(EXAMPLE, prior) for prior in priors]
    budgets = {found["local-dp"].value for found in exact}
    identifiable = [found["identifiability"].value for found in exact]
    grown = ", ".join(f"{value:.2f}" for value in identifiable)
    yield Order(
        Sentence(
            "Section 4: from an even to a skewed prior ε_d stays {budget:.4f} while ε_i grows: {grown!s}",
            budget=min(budgets),
            grown=grown,
        ),
        len(budgets) == 1 and identifiable == sorted(identifiable),
    )
