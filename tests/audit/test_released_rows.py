"""What the rows of a release show."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from leakgauge.artefacts import Shown
from leakgauge.audit.released_rows import shown_by_rows
from leakgauge.notions.ceilings import Promise
from leakgauge.randomness import simulation
from tests.audit.attacks.cases import again, case_of

RUNS = 20


def shown_of(table: pa.Table, mechanism: str, promised: float, folder: Path, runs: int = RUNS) -> list[Shown]:
    """What the rows of so many releases show, held to another promise than the mechanism's."""
    drawn = case_of(table, {"x": mechanism}, folder)
    columns = [replace(again(drawn, seed).columns[0], promises=(Promise(promised),)) for seed in range(runs)]
    found = [shown_by_rows(column, 0.95) for column in columns]
    assert all(one is not None for one in found)
    return [one for one in found if one is not None]


@pytest.mark.parametrize("law", ["laplace", "geometric"])
@pytest.mark.parametrize("epsilon", [2, 4])
def test_noisy_numbers_of_a_thousand_rows_show_what_they_are(law: str, epsilon: int, tmp_path: Path) -> None:
    found = shown_of(pa.table({"x": [0, 1] * 500}), f"{law}:epsilon={epsilon},lower=0,upper=1", 1.0, tmp_path)
    assert sum(one.violated for one in found) >= RUNS - 2
    assert max(one.at_least for one in found) < epsilon * 1.1


def test_numbers_spread_over_a_range_show_what_they_are(tmp_path: Path) -> None:
    table = pa.table({"x": simulation(1).random(1600) * 100})
    found = shown_of(table, "laplace:epsilon=20,lower=0,upper=100", 1.0, tmp_path)
    assert all(one.violated for one in found)


@pytest.mark.parametrize("name", ["unary-encoding", "subset-selection", "randomized-response"])
def test_many_letters_show_what_they_are(name: str, tmp_path: Path) -> None:
    letters = [chr(97 + at) for at in range(26)]
    mechanism = f"{name}:epsilon=4,letters={'|'.join(letters)}"
    found = shown_of(pa.table({"x": letters * 150}), mechanism, 1.0, tmp_path, runs=6)
    assert all(one.violated for one in found)


@pytest.mark.parametrize(
    ("values", "mechanism", "epsilon"),
    [
        (["y", "n"] * 300, "subset-selection:epsilon=1,letters=y|n", 1.0),
        ([0, 1] * 300, "laplace:epsilon=1,lower=0,upper=1", 1.0),
    ],
)
def test_rows_of_right_releases_are_rarely_accused(
    values: list[object], mechanism: str, epsilon: float, tmp_path: Path
) -> None:
    found = shown_of(pa.table({"x": values}), mechanism, epsilon, tmp_path, runs=100)
    # The 99.9 % quantile of 100 at 5%.
    assert sum(one.violated for one in found) <= 13
    assert np.median([one.at_least for one in found]) > 0.4


def test_rows_that_come_again_because_the_table_does_are_not_accused(tmp_path: Path) -> None:
    table = pa.table({"x": list(range(8)) * 500})
    assert not any(one.violated for one in shown_of(table, "geometric:epsilon=60,lower=0,upper=7", 60.0, tmp_path))
