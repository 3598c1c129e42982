"""Leaves of numbers and of counts, against computations that share nothing with them."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from scipy import integrate, stats

from leakgauge.artefacts.evidence import Evidence, Standing
from leakgauge.assessment import collect, expected
from leakgauge.assessment.indicators import (
    Protected,
    audited,
    histogram_source,
    protected_column,
    protected_histogram,
    source_of,
)
from leakgauge.assessment.indicators.noisy_numbers import mixture
from leakgauge.assessment.indicators.setting import AnswerSetting, setting_of
from leakgauge.errors import ColumnError, OptionError
from leakgauge.mechanisms import discrete_gaussian, gaussian, geometric, laplace, randomized_response
from leakgauge.mechanisms.noise import DiscreteGaussian, DiscreteLaplace
from leakgauge.randomness import Simulated
from leakgauge.release.queries import Histogram
from leakgauge.tables import open_table
from tests.assessment.indicators.small import LETTERS, by_leaf, people, position, table, value

NOISE = laplace(2.0, lower=0, upper=100)
ROWS = people()
AGE = ROWS["age"].to_numpy()


@pytest.fixture(scope="module")
def made() -> Protected:
    return protected_column(table(), "age", NOISE, Simulated(4))


@pytest.fixture(scope="module")
def measured(made: Protected) -> dict[str, Evidence]:
    return by_leaf(collect(made, audit=audited(made)))


@pytest.fixture(scope="module")
def law() -> dict[str, Evidence]:
    return by_leaf(expected(NOISE, source_of(table(), "age")))


def test_measured_by_hand(made: Protected, measured: dict[str, Evidence]) -> None:
    noisy = made.outputs
    assert np.array_equal(made.inputs, AGE)
    assert value(measured["1"]) == pytest.approx(100 / AGE.std())
    assert value(measured["10"]) == pytest.approx(np.mean((noisy - AGE) ** 2) / AGE.var())
    pooled = (AGE.var() + noisy.var()) / 2
    assert value(measured["11"]) == pytest.approx(math.sqrt(np.mean((noisy - AGE) ** 2) / pooled))
    assert value(measured["12"]) == pytest.approx(np.corrcoef(AGE, noisy)[0, 1])
    assert value(measured["13"]) == pytest.approx(AGE @ noisy / np.linalg.norm(AGE) / np.linalg.norm(noisy))
    assert value(measured["27"]) == 8
    assert value(measured["21"]) == 1.0


def test_what_is_measured_lies_about_the_law(law: dict[str, Evidence], measured: dict[str, Evidence]) -> None:
    gone = {leaf for leaf, one in measured.items() if one.standing is Standing.MISSING}
    assert gone == {"14", "15", "19"}
    for leaf in ("5", "6", "7", "8", "9", "10", "11", "12", "13"):
        low, high = measured[leaf].interval
        assert low < high
        assert low - (high - low) < value(law[leaf]) < high + (high - low), leaf
    for leaf in ("1", "2", "3", "16", "18", "20", "21", "22", "23", "26", "27", "28", "29"):
        assert value(measured[leaf]) == pytest.approx(value(law[leaf])), leaf


def test_variance_and_kurtosis_of_the_noise(law: dict[str, Evidence]) -> None:
    assert value(law["28"]) == pytest.approx(2 * (100 / 2.0) ** 2 / AGE.var(), rel=1e-3)
    assert value(law["29"]) == pytest.approx(3, abs=1e-3)
    for noise in (DiscreteLaplace(0.4), DiscreteLaplace(30.0), DiscreteGaussian(0.5), DiscreteGaussian(40.0)):
        steps = np.arange(-4000, 4001)
        chances = noise.probability(steps)
        square = float(chances @ steps**2.0)
        assert noise.excess_kurtosis == pytest.approx(float(chances @ steps**4.0) / square**2 - 3, abs=1e-6)


def test_noise_that_is_as_good_as_never_there() -> None:
    counts = histogram_source(
        source_of(table(), "illness"), table(), Histogram(column="illness", labels=LETTERS, epsilon=1.0)
    )
    found = by_leaf(expected(gaussian(1000, 1e-6, sensitivity=2), counts))
    assert value(found["29"]) > 1e6
    assert position(found["29"]) == 1
    for sigma in np.geomspace(0.001, 1, 60).tolist():
        assert DiscreteGaussian(sigma).excess_kurtosis > -1.2


def test_the_law_of_two_numbers_with_noise() -> None:
    noise = laplace(4.0, lower=0, upper=1)
    found = mixture(noise, np.array([0.0, 1.0]), np.array([0.5, 0.5]))

    def density(y: float) -> float:
        return float(0.5 * stats.laplace.pdf(y, 0, 0.25) + 0.5 * stats.laplace.pdf(y, 1, 0.25))

    entropy = integrate.quad(lambda y: -density(y) * math.log2(density(y)), -6, 7, limit=500, points=[0, 1])[0]
    own = math.log2(2 * math.e * 0.25)
    assert found.differential_entropy() == pytest.approx(entropy, abs=2e-3)
    assert found.mutual_information() == pytest.approx(entropy - own, abs=2e-3)
    before, after = found.best_guess(np.array([0, 1]))
    assert before == 0.5
    assert after == pytest.approx(stats.laplace.cdf(0.5, 0, 0.25), abs=2e-3)


@pytest.mark.parametrize("sigma", [0.4, 1.5, 30.0])
def test_the_law_of_gaussian_noise_on_a_grid(sigma: float) -> None:
    noise = discrete_gaussian(1 / (2 * sigma**2), sensitivity=1)
    found = mixture(noise, np.array([3.0, 90.0, 500.0]), np.array([0.2, 0.3, 0.5]))
    steps = np.arange(-600, 1100)
    joint = np.array([0.2, 0.3, 0.5])[:, None] * np.stack([noise.added.probability(steps - at) for at in (3, 90, 500)])
    seen = joint.sum(axis=0)
    entropy = -sum(p * math.log2(p) for p in seen.tolist() if p > 0)
    told = sum(
        p * math.log2(p / seen[at] / share)
        for row, share in zip(joint, (0.2, 0.3, 0.5), strict=True)
        for at, p in enumerate(row.tolist())
        if p > 0
    )
    assert found.differential_entropy() == pytest.approx(entropy, abs=3e-3)
    assert found.mutual_information() == pytest.approx(told, abs=3e-3)


def test_clamped_and_missing_numbers() -> None:
    rows = pa.table({"x": [None, *range(200)], "y": list(range(201))})
    noise = laplace(1.0, lower=0, upper=100, missing=50)
    found = by_leaf(expected(noise, source_of(open_table(rows), "x")))
    assert value(found["21"]) == pytest.approx(101 / 201)
    x = np.array([50, *range(200)], dtype=float)
    clamped = np.clip(x, 0, 100)
    # Relative to the variance of the numbers that are known.
    error = (np.mean((clamped - x) ** 2) + 2 * 100**2) / np.var(x)
    assert value(found["10"]) == pytest.approx(error, rel=1e-3)


def test_hardly_any_noise_reaches_the_raw_anchors() -> None:
    clear = by_leaf(expected(laplace(1e6, lower=0, upper=100), source_of(table(), "age")))
    for leaf in ("5", "10", "11", "12", "13", "28"):
        raw = clear[leaf].raw
        assert raw is not None
        assert value(clear[leaf]) == pytest.approx(raw, abs=0.05), leaf
    assert value(clear["7"]) == pytest.approx(1.0, abs=0.05)
    assert position(clear["7"]) <= 1


def test_so_much_noise_that_nothing_is_told_reaches_the_null_anchors() -> None:
    lost = by_leaf(expected(laplace(1e-4, lower=0, upper=100), source_of(table(), "age")))
    for leaf in ("5", "6", "7", "12"):
        assert value(lost[leaf]) == pytest.approx(0.0, abs=1e-3), leaf
        assert lost[leaf].null == 0
    assert value(lost["11"]) == pytest.approx(math.sqrt(2), abs=1e-6)
    # An independent copy of the data stands at the null of error and cosine.
    x = AGE[:1500] - 0
    y = AGE[1500:]
    assert lost["10"].null == pytest.approx(np.mean((x - y) ** 2) / AGE.var(), rel=0.1)
    assert lost["13"].null == pytest.approx(x @ y / np.linalg.norm(x) / np.linalg.norm(y), rel=0.05)


def test_a_histogram_has_the_noise_of_two_moved_counts() -> None:
    made = protected_histogram(table(), "illness", laplace(0.1, sensitivity=2), Simulated(1))
    counts = [ROWS["illness"].to_pylist().count(letter) for letter in LETTERS]
    assert made.inputs.tolist() == [*counts, 0], "the last bin holds all other values"
    assert isinstance(made.setting, AnswerSetting)
    noise = made.setting.noise
    assert isinstance(noise.law, DiscreteLaplace)
    assert noise.added.scale == pytest.approx(2 / 0.1)
    found = by_leaf(collect(made, audit=audited(made)))
    assert value(found["1"]) == pytest.approx(2 / 750)
    assert (value(found["2"]), value(found["3"])) == (0.0, 0.1)
    assert value(found["10"]) == pytest.approx(np.mean((made.outputs - made.inputs) ** 2) / np.var([*counts, 0]))
    assert value(found["28"]) == pytest.approx(2 * 20**2 / np.var([*counts, 0]), rel=1e-2)
    assert value(found["27"]) == pytest.approx(8 * 4 / 3000)
    assert 0 < value(found["4"]) <= 1.05
    assert found["6"].raw == pytest.approx(2.0), "four different counts"
    gone = {leaf for leaf, one in found.items() if one.standing is Standing.MISSING}
    assert gone == {"14", "15", "19"}


@pytest.mark.parametrize("column", ["member", "children", "city", "day"])
def test_a_histogram_counts_the_labels_of_the_table_whatever_their_kind(column: str) -> None:
    made = protected_histogram(table(), column, laplace(1.0, sensitivity=2), Simulated(1))
    counts = sorted(Counter(ROWS[column].to_pylist()).values())
    assert sorted(made.inputs.tolist()) == [0, *counts]


def test_a_gaussian_histogram() -> None:
    made = protected_histogram(table(), "age", gaussian(0.1, 1e-3, sensitivity=2), Simulated(1), edges=[20, 30, 40, 50])
    found = by_leaf(collect(made))
    assert (value(found["2"]), value(found["3"])) == (1e-3, 0.1)
    assert value(found["1"]) == pytest.approx(math.sqrt(2) / 500)
    assert value(found["29"]) == 0
    assert made.inputs.sum() == 3000


def test_neighbouring_histograms_are_told_apart_as_the_noise_allows() -> None:
    source = source_of(table(), "illness")
    counts = histogram_source(source, table(), Histogram(column="illness", labels=LETTERS, epsilon=1.0))
    for mechanism in (laplace(1.0, sensitivity=2), gaussian(1.0, 1e-3, sensitivity=2)):
        setting = setting_of(mechanism, counts)
        assert isinstance(setting, AnswerSetting)
        steps = np.arange(-120, 121)
        here, there = setting.noise.added.probability(steps), setting.noise.added.probability(steps - 1)
        # One count falls, another one rises.
        gap = np.abs(np.outer(here, there) - np.outer(there, here)).sum() / 2
        assert setting.noise.added.told_apart(2) == pytest.approx(gap, abs=2e-3)


def test_mechanisms_that_do_not_fit_are_refused() -> None:
    source = source_of(table(), "illness")
    with pytest.raises(ColumnError, match="release its histogram"):
        expected(laplace(1.0, lower=0, upper=1), source)
    with pytest.raises(ColumnError, match="lower and upper"):
        expected(laplace(1.0, sensitivity=1), source_of(table(), "age"))
    with pytest.raises(OptionError, match="does not perturb a histogram"):
        protected_histogram(table(), "illness", randomized_response(1.0, letters=LETTERS), Simulated(1))
    with pytest.raises(ColumnError, match="no column 'ilness'; did you mean 'illness'"):
        source_of(table(), "ilness")
    with pytest.raises(ColumnError, match="infinite numbers"):
        expected(laplace(1.0, lower=0, upper=1), source_of(open_table(pa.table({"x": [0.5, math.inf] * 9})), "x"))
    with pytest.raises(OptionError, match="without a source"):
        expected(laplace(1.0, lower=0, upper=1))
    with pytest.raises(ColumnError, match="one value only"):
        source_of(open_table(pa.table({"x": ["a"] * 20})), "x")
    assert value(by_leaf(expected(geometric(1.0, lower=0, upper=4), source_of(table(), "children")))["3"]) == 1
