"""The paper on relations between notions: its example, its theorems under either sign of σ, its slips."""

from __future__ import annotations

import math

from leakgauge.jobs.reproduction import Line, Reproduction
from leakgauge.notions import FAMILIES, levels, prior_skew
from leakgauge.notions.counterexamples import many_records, records_that_break_it
from leakgauge.notions.published import trials
from leakgauge.probability import Channel, Distribution, Scenario

SOURCE = "Zheng et al., Relations between several classical privacy notions, Acta Electronica Sinica 53(10), 2025"
EXAMPLE = Channel([1, 2], [1, 2], [[0.65, 0.35], [0.35, 0.65]])
DRAWS = 20_000

ERRATA = (
    "(31) turns a minimum of ln-ratios into a maximum, so σ has two signs; sound is ε_d ≤ ε_i + Δ and ε_i ≤ ε_d + Δ.",
    "Theorems 5 and 9 (central, I ≤ 2(ε_i − σ) and I ≤ 2ε_d) are false: neighbours bound one record, not the data set.",
    "The example prints ε_i ≈ 0.42 for the second prior, which is ε_d − Δ of one pair; its own (18) gives 0.8197.",
    "The expressions for ε_m after (59), (67) and (96) have sign slips.",
    "The rule that DP budgets react to the prior's skew contradicts (19) and (20): ε_i depends on it, ε_d does not.",
)


def reproduce() -> Reproduction:
    """The reference example, which theorems are ever violated, and where the central ones break."""
    return Reproduction("notions", SOURCE, (*_example(), *_breaking()), _orders(), ERRATA)


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
    """Theorem 9 claims 2ε; r uniform bits by randomized response have more from some r on."""
    lines = []
    for epsilon in (0.5, 1.0, 2.0):
        r = records_that_break_it(epsilon)
        shown = many_records(epsilon, r).levels[0].level * math.log(2)
        note = f"false from r = {r} records on"
        lines.append(Line("Theorem 9", f"I ≤ 2ε at ε = {epsilon:g}", 2 * epsilon, shown, "nats", 0.0, note, True))
    return lines


def _orders() -> tuple[tuple[str, bool], ...]:
    found = []
    for trial in trials(DRAWS):
        edge = trial.edge
        theorem = edge.reference.rpartition(", ")[2]
        claim = (
            f"{theorem}, {edge.premise.name} → {edge.conclusion.name}: {edge.formula} ({edge.conditions or 'always'})"
        )
        if edge.witness:
            shown = FAMILIES[edge.witness]()
            claimed = edge.bound(shown.level(edge.premise), shown.circumstances)
            broken = claimed is not None and shown.level(edge.conclusion).level > claimed.level
            found.append((f"{claim} is false: violated by {trial.violated:.2%} of draws, and by {shown.name}", broken))
        else:
            found.append((f"{claim} is never violated in {DRAWS:,} draws", trial.violated == 0))
    return tuple(found)
