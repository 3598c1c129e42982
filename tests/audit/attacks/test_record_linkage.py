"""Which row is this person's: against brute force, chance and certainty."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from leakgauge.audit.attacks.record_linkage import record_linkage
from leakgauge.case.drawn import Drawn
from leakgauge.notions.ceilings import Promise
from tests.audit.attacks.cases import RESPONSE, again, case_of, people


def expected_success(drawn: Drawn) -> float:
    """Over all rows, one of equally likely rows being taken at random: every row compared with every row."""
    total = np.zeros((drawn.rows, drawn.rows))
    for column in drawn.columns:
        scores = column.law.scores(column.inputs, column.outputs)
        # How likely each output is of this person, against how often it is released of anybody.
        total += scores - np.log(np.exp(scores).mean(axis=0))
    total[drawn.classes[:, None] != drawn.classes[None, :]] = -np.inf
    best = np.isclose(total, total.max(axis=1, keepdims=True), rtol=1e-9, atol=1e-9)
    return float((np.diag(best) / best.sum(axis=1)).mean())


@pytest.mark.parametrize("public", [[], ["city", "sex"]])
def test_every_row_compared_with_every_row(tmp_path: Path, public: list[str]) -> None:
    columns = {"illness": RESPONSE.format(epsilon=4), "salary": "laplace:epsilon=400,lower=1000,upper=3000"}
    drawn = case_of(people(800), columns, tmp_path, public=public)
    (found,) = record_linkage(drawn)
    assert expected_success(drawn) in found.success
    assert found.success.value > 0.1
    sizes = np.bincount(drawn.classes)
    assert len(sizes) / drawn.rows in found.baseline
    assert 0 in found.independent
    assert found.raw.value > found.advantage.value
    assert found.target == ("illness", "salary") and found.knows == ("illness", "salary", *public)


def test_unique_rows_are_found_in_the_raw_data(tmp_path: Path) -> None:
    drawn = case_of(pa.table({"number": np.arange(500)}), {"number": "laplace:epsilon=1,lower=0,upper=500"}, tmp_path)
    (found,) = record_linkage(drawn)
    assert found.raw.value == pytest.approx(1 - found.baseline.value)
    assert found.success.value < 0.05
    assert found.ceiling is not None and found.ceiling.value == pytest.approx(np.exp(2) / (np.exp(2) + 499))


def test_sets_of_letters_are_linked_too(tmp_path: Path) -> None:
    table = pa.table({"letter": [f"letter {at}" for at in range(30)]})
    drawn = case_of(table, {"letter": "unary-encoding:epsilon=8,letters=this-table"}, tmp_path)
    runs = [again(drawn, seed) for seed in range(30)]
    expected = np.mean([expected_success(run) for run in runs])
    counted = np.mean([record_linkage(run)[0].success.value for run in runs])
    # The own letter is in its set every second time, and then in hardly any other.
    assert expected == pytest.approx(0.5, abs=0.05)
    assert counted == pytest.approx(float(expected), abs=0.06)


def test_an_independent_release_links_nobody(tmp_path: Path) -> None:
    columns = {"illness": RESPONSE.format(epsilon=4), "salary": "laplace:epsilon=400,lower=1000,upper=3000"}
    drawn = case_of(people(300), columns, tmp_path, public=["city", "sex"])
    found = [record_linkage(again(drawn, seed))[0] for seed in range(30)]
    assert sum(0 not in one.independent for one in found) <= 4
    assert abs(np.mean([one.independent.value for one in found])) < 0.02


def test_a_correct_mechanism_is_rarely_accused_and_a_weaker_release_is(tmp_path: Path) -> None:
    # Pairs with the same public value: two letters that are told apart as well as the claim allows.
    rows = 400
    table = pa.table({"pair": [at // 2 for at in range(rows)], "answer": ["yes", "no"] * (rows // 2)})
    how = {"answer": "randomized-response:epsilon=1,letters=yes|no"}
    drawn = case_of(table, how, tmp_path, public=["pair"])
    found = [record_linkage(again(drawn, seed))[0] for seed in range(60)]
    ceiling = np.exp(2) / (np.exp(2) + 1)
    assert found[0].ceiling is not None and found[0].ceiling.value == pytest.approx(ceiling)
    assert np.mean([one.success.value for one in found]) == pytest.approx(np.e / (1 + np.e), abs=0.02)
    assert not any(one.beats_claim for one in found)
    assert record_linkage(replace(drawn, together=(Promise(0.2),)))[0].beats_claim
