"""Intervals where rows belong together: coverage on simulated tables of units."""

from __future__ import annotations

import numpy as np
import pytest

from leakgauge.measures.clusters import design_effect, design_effect_of_mean, estimate_by_units, scaled
from leakgauge.measures.estimation import estimate
from leakgauge.measures.shannon import entropy, mutual_information
from leakgauge.probability import Counts
from leakgauge.randomness import simulation

LETTERS = 3
RUNS = [pytest.param(60, id="60"), pytest.param(1000, id="1000", marks=pytest.mark.nightly)]


def units_of(seed: int, units: int, rows: int | None, same: float, tied: float) -> Counts:
    """Units of so many rows, or unevenly many; a row is like its unit with ``same``, z is x with ``tied``."""
    draws = simulation(seed)
    sizes = np.full(units, rows) if rows is not None else 1 + draws.geometric(1 / 15, size=units)
    unit = np.repeat(np.arange(units), sizes)

    def pairs(count: int) -> tuple[np.ndarray, np.ndarray]:
        x = draws.integers(LETTERS, size=count)
        return x, np.where(draws.random(count) < tied, x, draws.integers(LETTERS, size=count))

    of_unit, of_row, alike = pairs(units), pairs(len(unit)), draws.random(len(unit)) < same
    x, z = (np.where(alike, one[unit], other) for one, other in zip(of_unit, of_row, strict=True))
    labels = {"x": range(LETTERS), "z": range(LETTERS), "unit": range(units)}
    return Counts.from_cells(labels, [x, z, unit], np.ones(len(unit), dtype=np.int64))


def information(tied: float) -> float:
    joint = np.full((LETTERS, LETTERS), (1 - tied) / LETTERS**2) + np.eye(LETTERS) * tied / LETTERS
    return float((joint * np.log2(joint * LETTERS**2)).sum())


@pytest.mark.parametrize("runs", RUNS)
@pytest.mark.parametrize(
    ("units", "rows", "same"), [(200, 20, 1.0), (200, 20, 0.6), (200, None, 1.0), (60, 20, 1.0), (400, 5, 0.6)]
)
@pytest.mark.parametrize("tied", [0.0, 0.3])
def test_the_interval_holds_the_truth(runs: int, units: int, rows: int | None, same: float, tied: float) -> None:
    exact = information(tied)
    held = sum(
        exact
        in estimate_by_units(mutual_information, units_of(seed, units, rows, same, tied), ["x"], ["z"], unit="unit")
        for seed in range(runs)
    )
    # 93% of many runs; of a few, two standard deviations less.
    assert held >= 0.93 * runs - (0 if runs >= 1000 else 2 * np.sqrt(0.05 * 0.95 * runs))


def test_without_regard_to_units_it_does_not() -> None:
    exact, runs = information(0.3), 60
    tables = [units_of(seed, 200, 20, 1.0, 0.3).keep("x", "z") for seed in range(runs)]
    assert sum(exact in estimate(mutual_information, one, ["x"], ["z"]) for one in tables) < 0.6 * runs


def test_rows_that_have_nothing_in_common_are_worth_themselves() -> None:
    effect = design_effect(units_of(1, 200, 20, 0.0, 0.3), ["x"], ["z"], "unit")
    assert 1 <= effect < 1.5
    assert design_effect(units_of(1, 200, 1, 1.0, 0.3), ["x"], ["z"], "unit") == 1
    assert 15 < design_effect(units_of(1, 200, 20, 1.0, 0.3), ["x"], ["z"], "unit") < 30
    assert design_effect(units_of(1, 1, 20, 0.0, 0.3), ["x"], ["z"], "unit") == 20


def test_entropy_and_the_absence_of_units() -> None:
    counts = units_of(1, 200, 20, 1.0, 0.3)
    plain = estimate(entropy, counts.keep("x"), ["x"])
    assert estimate_by_units(entropy, counts, ["x"], unit=None) == plain
    wider = estimate_by_units(entropy, counts, ["x"], unit="unit")
    assert wider.value == plain.value and wider.high - wider.low > 2 * (plain.high - plain.low)


def test_a_mean_of_units_that_agree_is_one_observation_each() -> None:
    units = np.repeat(np.arange(50), 20)
    same = np.repeat(simulation(1).integers(2, size=50), 20).astype(np.float64)
    assert design_effect_of_mean(same, units) == pytest.approx(20, rel=0.1)
    assert design_effect_of_mean(np.ones(1000), units) == 20, "nothing shows how units hang together"
    assert design_effect_of_mean(simulation(1).random(1000), units) < 2
    assert design_effect_of_mean(same, None) == 1


def test_scaling_keeps_shares_and_the_total() -> None:
    counts = Counts({"x": ["a", "b", "c"]}, [50, 30, 20])
    assert scaled(counts, 10).counts.tolist() == [5, 3, 2]
    assert scaled(counts, 4).n == 4
