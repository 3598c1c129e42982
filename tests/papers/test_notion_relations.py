"""The paper on relations between notions: its theorems on random channels, and counterexamples to the false ones."""

from __future__ import annotations

import math

import pytest

from leakgauge import claims
from leakgauge.notions import implied
from leakgauge.notions.edges import Edge, Status
from leakgauge.papers.counterexamples import (
    COUNTEREXAMPLES,
    many_records,
    rare_revelation,
    rare_revelation_central,
    records_that_break_it,
)
from leakgauge.papers.notion_relations import PUBLISHED_EDGES, reproduce, violations
from tests.grids import nightly
from tests.notions.test_edges import EACH, SHAPES, batch, circumstances, exact, orders, statement


@pytest.mark.parametrize("draws", [10_000, nightly(100_000)])
def test_published_relations_over_many_draws(draws: int) -> None:
    shares = {
        (trial.theorem.number, trial.theorem.conditions, trial.theorem.premise, trial.records): trial.share
        for trial in violations(draws)
    }
    as_31, as_defined = "σ = +Δ, as in its equation (31) and its example", "σ = σ_min = −Δ, as it is defined"
    assert shares["3", as_defined, claims.Identifiability, 1] == 0
    assert shares["3", as_31, claims.Identifiability, 1] > 0.5
    assert shares["4", as_defined, claims.LocalDP, 1] > 0.9
    assert shares["4", as_31, claims.LocalDP, 1] == 0
    assert shares["7", as_defined, claims.Identifiability, 1] == 0
    assert 0 < shares["7", as_31, claims.Identifiability, 1] < 0.01
    assert shares["11", "", claims.LocalDP, 1] == 0
    for records in (2, 3):
        assert shares["1", as_defined, claims.CentralIdentifiability, records] == 0
        assert shares["1", as_31, claims.CentralIdentifiability, records] > 0.85
        assert shares["2", as_defined, claims.CentralDP, records] > 0.99
        assert shares["2", as_31, claims.CentralDP, records] == 0
    # Sun and Tay's form is the sound one, in either direction and with any number of records.
    sound = [share for (theorem, *_), share in shares.items() if theorem in ("1-xii", "1-xiv")]
    assert sound == [0.0] * 6


@pytest.mark.parametrize(
    "edge", PUBLISHED_EDGES, ids=lambda edge: f"{edge.premise.name} {edge.reference[-9:]} {edge.formula} {edge.status}"
)
def test_published_edges_are_what_they_are_said_to_be(edge: Edge) -> None:
    if edge.status is Status.UNSOUND:
        shown = COUNTEREXAMPLES[edge.counterexample]()
        claimed = edge.bound(shown.level(edge.premise), shown.circumstances)
        assert claimed is not None
        assert shown.level(edge.conclusion).level > claimed.level * 1.01
        return
    for shape in SHAPES:
        b = batch(shape, EACH)
        bound = [
            edge.bound(statement(edge.premise, level, orders(edge)), circumstances(skew))
            for level, skew in zip(exact(shape, EACH, edge.premise.name).tolist(), b.skew().tolist(), strict=True)
        ]
        assert all(
            actual <= one.level + 1e-9
            for one, actual in zip(bound, exact(shape, EACH, edge.conclusion.name).tolist(), strict=True)
            if one is not None
        )


@pytest.mark.parametrize(("epsilon", "records"), [(0.5, 34), (1.0, 19), (2.0, 13)])
def test_the_central_theorems_fail_from_these_numbers_of_records_on(epsilon: float, records: int) -> None:
    assert records_that_break_it(epsilon) == records
    for r, broken in ((records - 1, False), (records, True)):
        shown = many_records(epsilon, r)
        nats = shown.level(claims.CentralMutualInformation).level * math.log(2)
        assert (nats > 2 * shown.level(claims.CentralDP).level) is broken


@pytest.mark.parametrize("beta", [0.9, 0.99, 0.9999])
def test_little_information_implies_no_other_privacy(beta: float) -> None:
    shown = rare_revelation(beta)
    assert shown.level(claims.MutualInformation).level == pytest.approx(
        -beta * math.log2(beta) - (1 - beta) * math.log2(1 - beta)
    )
    assert shown.level(claims.LocalDP).level == math.inf
    assert shown.level(claims.Identifiability).level == math.inf
    nothing = implied(claims.MutualInformation(0.01), claims.LocalDP)
    assert nothing.statement is None
    assert nothing.counterexample == "rare-revelation"
    central = rare_revelation_central(beta)
    assert central.circumstances.records == 2
    assert central.level(claims.CentralMutualInformation).level == pytest.approx(
        shown.level(claims.MutualInformation).level, rel=1e-9
    )
    assert central.level(claims.CentralDP).level == central.level(claims.CentralIdentifiability).level == math.inf


def test_every_unsound_edge_has_a_counterexample() -> None:
    assert {edge.counterexample for edge in PUBLISHED_EDGES if edge.status is Status.UNSOUND} <= set(COUNTEREXAMPLES)


def test_every_theorem_and_lemma_has_its_line() -> None:
    found = reproduce()
    assert found.agrees
    said = " ".join(str(one.order) for one in found.orders)
    assert all(f"Theorem {number}," in said for number in (1, 2, 3, 4, 5, 7, 9, 11))
    assert "Theorems 6, 10, two records, β = 0.9: I = 0.468996 bits" in said
    assert "Theorems 8, 12, β = 0.9: I = 0.468996 bits" in said
    assert "Lemma 1:" in said and "Lemma 2:" in said
    # σ cancels under either reading, and under neither are the theorems that it cancels in all true.
    assert "but Theorems 2, 4, 5, 9 are false" in said and "but Theorems 1, 3, 5, 7, 9 are false" in said
    ratio = next(one for one in found.lines if str(one.what) == "ln p(d=1|e=1)/p(d=1)")
    assert (ratio.published, ratio.agrees) == (0.02, True)
    assert ratio.ours.value == pytest.approx(0.0233, abs=5e-5)
