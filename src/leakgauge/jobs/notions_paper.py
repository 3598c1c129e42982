"""The paper on relations between notions: its example, its theorems under either sign of σ, its slips."""

from __future__ import annotations

import math
from collections.abc import Iterator

from leakgauge.claims import CentralDP, CentralIdentifiability, CentralMutualInformation
from leakgauge.jobs.reproduction import Line, Reproduction
from leakgauge.notions import FAMILIES, levels, prior_skew
from leakgauge.notions.counterexamples import many_records, rare_revelation_central, records_that_break_it
from leakgauge.notions.published import SUN_AND_TAY, trials
from leakgauge.probability import Channel, Distribution, Scenario

SOURCE = "Zheng et al., Relations between several classical privacy notions, Acta Electronica Sinica 53(10), 2025"
EXAMPLE = Channel([1, 2], [1, 2], [[0.65, 0.35], [0.35, 0.65]])
DRAWS = 20_000

ERRATA = (
    "(31) turns a minimum of ln-ratios into a maximum, so σ has two signs; sound is ε_d ≤ ε_i + Δ and ε_i ≤ ε_d + Δ.",
    "Theorems 5 and 9 (central, I ≤ 2(ε_i − σ) and I ≤ 2ε_d) are false: neighbours bound one record, not the data set.",
    "The example prints ε_i ≈ 0.42 for the second prior, which is ε_d − Δ of one pair; its own (18) gives 0.8197.",
    "The expressions for ε_m after (59), (67) and (96) have sign slips.",
    "Section 4's rule that DP budgets react to skew contradicts (19) and (20): ε_i depends on the prior, ε_d does not.",
    "Section 2 faults Sun and Tay's ε + δ_x for growing when applied twice; it is sound, and a first bound remains.",
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
        where = f"section 5, prior ({share:g}, {1 - share:.2g})"
        slip = "" if share == 0.95 else "printed is ε_d − Δ of one pair; its formula (18) gives ours"
        lines += [
            Line(where, "Δ, the floor of ε_i", floor, prior_skew(prior), "nats", 0.005),
            Line(where, "ε_i", identifiable, exact["identifiability"].value, "nats", 0.005, slip, bool(slip)),
            Line(where, "ε_d", 0.62, exact["local-dp"].value, "nats", 0.005),
        ]
    believed = Scenario(Distribution([1, 2], [0.95, 0.05]), EXAMPLE).posterior(1)[1]
    lines.append(Line("section 5, prior (0.95, 0.05)", "p(d=1|e=1)", 0.97, believed, "probability", 0.005))
    return lines


def _breaking() -> list[Line]:
    """Theorems 5 and 9 claim 2(ε_i − σ) and 2ε_d; r uniform bits by randomized response have more from some r on."""
    lines = []
    for theorem, claim in (("Theorem 5", "I ≤ 2(ε_i − σ), σ = 0,"), ("Theorem 9", "I ≤ 2ε_d")):
        for epsilon in (0.5, 1.0, 2.0):
            records = records_that_break_it(epsilon)
            information = many_records(epsilon, records).level(CentralMutualInformation).level * math.log(2)
            note = f"false from r = {records} records on"
            what = f"{claim} at ε = {epsilon:g}"
            lines.append(Line(theorem, what, 2 * epsilon, information, "nats", 0.0, note, True))
    return lines


def _orders() -> Iterator[tuple[str, bool]]:
    for trial in trials(DRAWS):
        edge = trial.edge
        theorem = edge.reference.rpartition(", ")[2]
        if edge.conditions == SUN_AND_TAY:
            theorem = f"Sun and Tay, {theorem}"
        where = f"{theorem}, {edge.premise.name} → {edge.conclusion.name}"
        if trial.records > 1:
            where += f", {trial.records} records"
        claim = f"{where}: {edge.formula} ({edge.conditions or 'always'})"
        if edge.witness:
            witness = FAMILIES[edge.witness]()
            claimed = edge.bound(witness.level(edge.premise), witness.circumstances)
            broken = claimed is not None and witness.level(edge.conclusion).level > claimed.level
            yield f"{claim} is false: violated by {trial.violated:.2%} of draws, and by {witness.name}", broken
        else:
            yield f"{claim} is never violated in {DRAWS:,} draws", trial.violated == 0


def _nothing_follows() -> Iterator[tuple[str, bool]]:
    shown = rare_revelation_central(0.9)
    bits = shown.level(CentralMutualInformation).level
    infinite = all(math.isinf(shown.level(notion).level) for notion in (CentralDP, CentralIdentifiability))
    yield f"Theorems 6, 10, two records, β = 0.9: I = {bits:.6f} bits while ε_i and ε_d are infinite", infinite


def _skew() -> Iterator[tuple[str, bool]]:
    priors = [Distribution([1, 2], [share, 1 - share]) for share in (0.5, 0.7, 0.9, 0.99)]
    exact = [levels(EXAMPLE, prior) for prior in priors]
    budgets = {found["local-dp"].value for found in exact}
    identifiable = [found["identifiability"].value for found in exact]
    grown = ", ".join(f"{value:.2f}" for value in identifiable)
    yield (
        f"Section 4: from an even to a skewed prior ε_d stays {min(budgets):.4f} while ε_i grows: {grown}",
        len(budgets) == 1 and identifiable == sorted(identifiable),
    )
