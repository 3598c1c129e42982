"""Leaves of numbers, against computations that share nothing with them."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

from leakgauge.artefacts.evidence import Evidence, Standing
from leakgauge.assessment import collect, protected_column
from leakgauge.assessment.indicators.claims import tightest
from leakgauge.assessment.indicators.protected import ProtectedColumn
from leakgauge.assessment.indicators.setting import setting_of
from leakgauge.assessment.indicators.source import source_of
from leakgauge.errors import ColumnError
from leakgauge.mechanisms import Mechanism, discrete_gaussian, gaussian, geometric, laplace
from leakgauge.mechanisms.noise import DiscreteGaussian, DiscreteLaplace
from leakgauge.randomness import Simulated, simulation
from leakgauge.tables import Table, open_table
from tests.assessment.indicators.small import by_leaf, people, position, table, value

NOISE = laplace(2.0, lower=0, upper=100)
AGE = people()["age"].to_numpy()


def normal(rows: int, missing: float = 0.0) -> Table:
    draws = simulation(3)
    x, gone = draws.normal(50, 10, size=rows), draws.random(rows) < missing
    return open_table(pa.table({"x": pa.array(x, mask=gone), "y": draws.integers(3, size=rows)}))


def measured_with(mechanism: Mechanism, rows: Table, column: str = "x") -> dict[str, Evidence]:
    return by_leaf(collect(protected_column(rows, column, mechanism, Simulated(1))))


@pytest.fixture(scope="module")
def made() -> ProtectedColumn:
    return protected_column(table(), "age", NOISE, Simulated(4))


@pytest.fixture(scope="module")
def measured(made: ProtectedColumn) -> dict[str, Evidence]:
    return by_leaf(collect(made))


def test_measured_by_hand(made: ProtectedColumn, measured: dict[str, Evidence]) -> None:
    noisy = made.outputs
    assert np.array_equal(made.inputs, AGE)
    gone = {leaf for leaf, one in measured.items() if one.standing is Standing.MISSING}
    assert gone == {"4", "5", "14", "15", "19"}
    assert value(measured["1"]) == pytest.approx(100 / AGE.std())
    assert value(measured["10"]) == pytest.approx(np.mean((noisy - AGE) ** 2) / AGE.var())
    pooled = (AGE.var() + noisy.var()) / 2
    assert value(measured["11"]) == pytest.approx(math.sqrt(np.mean((noisy - AGE) ** 2) / pooled))
    assert value(measured["12"]) == pytest.approx(np.corrcoef(AGE, noisy)[0, 1])
    assert value(measured["13"]) == pytest.approx(AGE @ noisy / np.linalg.norm(AGE) / np.linalg.norm(noisy))
    assert value(measured["27"]) == 8
    assert value(measured["21"]) == 1.0


def test_variance_and_kurtosis_of_the_noise(measured: dict[str, Evidence]) -> None:
    assert value(measured["28"]) == pytest.approx(2 * (100 / 2.0) ** 2 / AGE.var(), rel=1e-3)
    assert value(measured["29"]) == pytest.approx(3, abs=1e-3)
    for noise in (DiscreteLaplace(0.4), DiscreteLaplace(30.0), DiscreteGaussian(0.5), DiscreteGaussian(40.0)):
        steps = np.arange(-4000, 4001)
        chances = noise.probability(steps)
        square = float(chances @ steps**2.0)
        assert noise.excess_kurtosis == pytest.approx(float(chances @ steps**4.0) / square**2 - 3, abs=1e-6)
    assert all(DiscreteGaussian(sigma).excess_kurtosis > -1.2 for sigma in np.geomspace(0.001, 1, 60).tolist())


def test_normal_numbers_with_normal_noise_tell_what_the_formula_says() -> None:
    noise = gaussian(20.0, 1e-3, lower=0, upper=100)
    found = measured_with(noise, normal(5000))
    ratio = value(found["28"])
    low, high = found["6"].interval
    assert low < 0.5 * math.log2(1 + 1 / ratio) < high
    low, high = found["9"].interval
    assert low < 0.5 * math.log2(2 * math.pi * math.e * (1 + ratio)) < high


def test_a_copy_tells_more_than_the_bins_hold() -> None:
    found = measured_with(laplace(1e9, lower=0, upper=100), normal(4000))
    # Nearly 4,000 different numbers: about 12 bits, where bins of a quarter of σ hold four.
    assert found["6"].interval[1] > math.log2(4000)
    raw = found["6"].raw
    assert raw is not None and value(found["6"]) > raw
    assert position(found["6"]) == 1 and found["7"].interval == (1.0, 1.0)
    for leaf in ("10", "11", "12", "13", "28"):
        assert value(found[leaf]) == pytest.approx(found[leaf].raw, abs=1e-3), leaf


def test_so_much_noise_that_nothing_is_told_reaches_the_null_anchors() -> None:
    lost = measured_with(laplace(1e-4, lower=0, upper=100), table(), "age")
    for leaf in ("6", "7", "12"):
        assert value(lost[leaf]) == pytest.approx(0.0, abs=0.05), leaf
        assert lost[leaf].null == 0
    assert value(lost["11"]) == pytest.approx(math.sqrt(2), abs=1e-3)
    # An independent copy of the data stands at the null of error and cosine.
    x, y = AGE[:1500], AGE[1500:]
    assert lost["10"].null == pytest.approx(np.mean((x - y) ** 2) / AGE.var(), rel=0.1)
    assert lost["13"].null == pytest.approx(x @ y / np.linalg.norm(x) / np.linalg.norm(y), rel=0.05)


def test_missing_and_clamped_numbers_count_as_what_stands_for_them() -> None:
    rows = pa.table({"x": [None, *range(200)], "y": list(range(201))})
    noise = laplace(1.0, lower=0, upper=100, missing=50)
    made = protected_column(open_table(rows), "x", noise, Simulated(1))
    found = by_leaf(collect(made))
    x = np.array([50, *range(200)], dtype=float)
    assert np.array_equal(made.inputs, x)
    assert value(found["21"]) == pytest.approx(101 / 201)
    assert value(found["1"]) == pytest.approx(100 / x.std())
    assert value(found["28"]) == pytest.approx(2 * 100**2 / x.var(), rel=1e-3)
    assert value(found["10"]) == pytest.approx(np.mean((made.outputs - x) ** 2) / x.var())


@pytest.mark.parametrize("delta", [1e-12, 0.9])
def test_the_level_is_the_one_that_was_asked_for(delta: float) -> None:
    age, children = source_of(table(), "age"), source_of(table(), "children")
    assert tightest(setting_of(gaussian(1.0, delta, lower=0, upper=100), age)) == (1.0, delta)
    epsilon, converted = tightest(setting_of(discrete_gaussian(0.5, lower=0, upper=4), children))
    assert epsilon > 1 and converted == 1e-6
    assert tightest(setting_of(geometric(1.0, lower=0, upper=4), children)) == (1.0, 0.0)


def test_mechanisms_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ColumnError, match="release its histogram"):
        setting_of(laplace(1.0, lower=0, upper=1), source_of(table(), "illness"))
    with pytest.raises(ColumnError, match="lower and upper"):
        setting_of(laplace(1.0, sensitivity=1), source_of(table(), "age"))
    with pytest.raises(ColumnError, match="no column 'ilness'; did you mean 'illness'"):
        source_of(table(), "ilness")
    with pytest.raises(ColumnError, match="infinite numbers"):
        setting_of(laplace(1.0, lower=0, upper=1), source_of(open_table(pa.table({"x": [0.5, math.inf] * 9})), "x"))
    with pytest.raises(ColumnError, match="one value only"):
        source_of(open_table(pa.table({"x": ["a"] * 20})), "x")
