"""Estimates from nearest neighbours: closed forms, laws, measured coverage, refusals."""

from __future__ import annotations

from math import e, inf, log2, pi

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leakgauge import measures
from leakgauge.errors import ColumnError, OptionError
from leakgauge.measures import differential_entropy, mutual_information_of_numbers
from leakgauge.measures.neighbourhoods import Ranked, dependence
from leakgauge.probability import Counts, Estimate
from leakgauge.probability.cells import Floats
from leakgauge.randomness import simulation
from tests.grids import diagonal, examples

REPETITIONS = 40
"""Of each setting here; nightly has more of both."""


def normal_pair(n: int, correlation: float, generator: np.random.Generator) -> tuple[Floats, Floats]:
    x = generator.standard_normal(n)
    return x, correlation * x + np.sqrt(1 - correlation**2) * generator.standard_normal(n)


def of_normals(correlation: float) -> float:
    return -log2(1 - correlation**2) / 2


def plug_in(x: npt.NDArray[np.int64], y: npt.NDArray[np.int64]) -> Estimate:
    table = np.zeros((int(x.max()) + 1, int(y.max()) + 1), dtype=int)
    np.add.at(table, (x, y), 1)
    counts = Counts({"x": range(table.shape[0]), "y": range(table.shape[1])}, table)
    return measures.estimate(measures.mutual_information, counts, ["x"], ["y"])


@pytest.mark.parametrize(("correlation", "n"), diagonal([0.0, 0.5, 0.9], [500, 2000]))
def test_intervals_hold_the_information_of_normals(n: int, correlation: float) -> None:
    generator = simulation(n)
    truth = of_normals(correlation)
    found = [mutual_information_of_numbers(*normal_pair(n, correlation, generator)) for _ in range(REPETITIONS)]
    assert sum(truth in each for each in found) >= 0.9 * REPETITIONS
    # The estimator's own bias is 0.021 bits at n = 500 and 0.9 (over 1,000 draws), less elsewhere; the rest is chance.
    values = [each.value for each in found]
    assert abs(np.mean(values) - truth) < 0.025 + 4 * np.std(values) / np.sqrt(REPETITIONS)
    # An interval that holds everything would be no use.
    assert np.median([each.high - each.low for each in found]) < 10 / np.sqrt(n)
    assert sum(each.reliable for each in found) >= 0.95 * REPETITIONS


@pytest.mark.parametrize("margin", ["uniform", "letters", "integers", "letter and number", "mixture"])
def test_independent_columns_exclude_zero_no_more_than_stated(margin: str) -> None:
    generator = simulation(1)
    n = 500

    def columns() -> tuple[Floats, Floats]:
        x, y = generator.random(n), generator.random(n)
        return {
            "uniform": (x, y),
            "letters": (np.floor(4 * x), np.floor(6 * y)),
            "integers": (np.floor(np.exp(6 * x)), np.floor(40 * y)),
            "letter and number": (np.floor(3 * x), y),
            "mixture": (np.maximum(x, 0.4), np.maximum(y, 0.3)),
        }[margin]

    found = [mutual_information_of_numbers(*columns()) for _ in range(REPETITIONS)]
    assert sum(each.low > 0 for each in found) <= 0.05 * REPETITIONS
    assert all(each.low == 0 for each in found if each.value == 0)


@pytest.mark.parametrize(("law", "n"), diagonal(["normal", "uniform", "exponential"], [500, 2000]))
def test_intervals_hold_differential_entropies(n: int, law: str) -> None:
    generator = simulation(n)
    truth = {"normal": log2(2 * pi * e) / 2, "uniform": 0.0, "exponential": log2(e)}[law]

    def draw() -> Floats:
        if law == "normal":
            return generator.standard_normal(n)
        return generator.random(n) if law == "uniform" else generator.standard_exponential(n)

    found = [differential_entropy(draw()) for _ in range(REPETITIONS)]
    assert sum(truth in each for each in found) >= 0.9 * REPETITIONS
    assert abs(np.mean([each.value for each in found]) - truth) < 0.03
    assert np.median([each.high - each.low for each in found]) < 10 / np.sqrt(n)


@pytest.mark.nightly
@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.7, 0.95, 0.99, 0.999])
@pytest.mark.parametrize("n", [100, 1000, 4000])
def test_intervals_hold_the_information_of_more_normals(n: int, correlation: float) -> None:
    generator = simulation(n + 1)
    truth = of_normals(correlation)
    found = [mutual_information_of_numbers(*normal_pair(n, correlation, generator)) for _ in range(200)]
    assert sum(truth in each for each in found) >= 180


def test_copies_have_no_upper_end() -> None:
    x = simulation(2).standard_normal(3000)
    for y in (x, np.exp(x), np.where(np.arange(3000) % 5 == 0, x, 0.0)):
        found = mutual_information_of_numbers(x, y)
        assert found.high == inf
        assert not found.reliable


@pytest.mark.parametrize("letters", [2, 5, 20])
def test_a_copy_of_letters_tells_their_entropy(letters: int) -> None:
    x = simulation(3).integers(0, letters, size=5000)
    exact = plug_in(x, x)
    found = mutual_information_of_numbers(x, x)
    assert abs(found.value - exact.value) < 0.01
    assert log2(letters) in found
    assert found.reliable


def test_letters_give_the_plug_in_less_its_bias() -> None:
    generator = simulation(4)
    x = generator.integers(0, 4, size=3000)
    y = np.where(generator.random(3000) < 0.6, x, generator.integers(0, 5, size=3000))
    joint = np.array([[0.6 * (i == j) + 0.4 / 5 for j in range(5)] for i in range(4)]) / 4
    truth = float((joint * np.log2(joint / (joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)))).sum())
    found = mutual_information_of_numbers(x, y)
    # Cells less rows less columns plus one, over 2 n nats.
    bias = (20 - 4 - 5 + 1) / (2 * 3000) / np.log(2)
    assert found.value == pytest.approx(plug_in(x, y).value - bias, abs=2e-4)
    assert truth in found


def test_a_mixture_of_atoms_and_a_density() -> None:
    # Gao and others: X a letter of 5, Y uniform on [X, X + 2].
    generator = simulation(5)
    x = generator.integers(0, 5, size=4000)
    found = mutual_information_of_numbers(x, x + 2 * generator.random(4000))
    truth = log2(5) - 4 / 5
    assert truth in found
    assert abs(found.value - truth) < 0.05


def test_numbers_rounded_to_a_grid_are_no_evidence() -> None:
    generator = simulation(6)
    x, y = np.round(20 * generator.standard_normal((2, 3000)))
    found = mutual_information_of_numbers(x, y)
    assert 0.0 in found
    assert found.value < 0.1


@given(st.integers(0, 1000), st.sampled_from([0.0, 0.6, 0.95]))
@examples(8)
def test_increasing_rescaling_changes_nothing(seed: int, correlation: float) -> None:
    x, y = normal_pair(120, correlation, simulation(seed))
    found = mutual_information_of_numbers(x, y)
    assert mutual_information_of_numbers(np.exp(x), 3 * y**3 + 7) == found
    mirrored = mutual_information_of_numbers(-x, y)
    assert mirrored.value == pytest.approx(found.value, abs=1e-9)
    assert mutual_information_of_numbers(y, x).value == pytest.approx(found.value, abs=1e-9)


@given(st.integers(0, 1000))
@examples(8)
def test_brute_force_agrees(seed: int) -> None:
    from scipy.special import digamma

    generator = simulation(seed)
    x, y = normal_pair(60, 0.7, generator)
    if seed % 2:
        x, y = np.round(x), np.round(2 * y)
    first, second = Ranked.of(x[:, None]), Ranked.of(y[:, None])
    apart = np.array([np.abs(np.subtract.outer(side.scores[:, 0], side.scores[:, 0])) for side in (first, second)])
    joint = apart.max(axis=0)
    total = 0.0
    for at in range(60):
        radius = np.sort(joint[at])[4]
        boundary = int((np.abs(apart[:, at] - radius) < 1e-12).sum())
        if radius < 1e-12 or boundary > 1:
            sizes = [(side[at] < radius + 1e-12).sum() for side in (joint, *apart)]
            sizes[0] -= radius > 1e-12
        else:
            sizes = [4, *((side[at] < radius - 1e-12).sum() for side in apart)]
        total += digamma(sizes[0]) - digamma(sizes[1]) - digamma(sizes[2])
    assert dependence(first, second, 4) == pytest.approx((digamma(60) + total / 60) / np.log(2), abs=1e-9)


@pytest.mark.parametrize("correlation", [0.3, 0.6, 0.9])
def test_bins_tell_no_more(correlation: float) -> None:
    x, y = normal_pair(4000, correlation, simulation(7))
    found = mutual_information_of_numbers(x, y)
    finest = 0.0
    for bins in (2, 4, 8):
        at = np.arange(1, bins) / bins
        binned = plug_in(np.searchsorted(np.quantile(x, at), x), np.searchsorted(np.quantile(y, at), y))
        assert binned.low <= found.high
        assert binned.value < found.value + 0.01
        finest = binned.value
    assert finest > 0.7 * found.value


@given(st.integers(0, 1000), st.integers(-40, 40))
@examples(8)
def test_entropy_grows_by_the_logarithm_of_the_scale(seed: int, power: int) -> None:
    x = simulation(seed).standard_normal(100)
    found = differential_entropy(x)
    assert differential_entropy(x * 2.0**power).value == pytest.approx(found.value + power, abs=1e-9)
    assert differential_entropy(x * 10.0).value == pytest.approx(found.value + log2(10), abs=1e-9)
    assert differential_entropy(x + 5).value == pytest.approx(found.value, abs=1e-9)


def test_entropy_of_huge_and_tiny_numbers() -> None:
    x = simulation(8).standard_normal(200)
    near = differential_entropy(x).value
    assert differential_entropy(x * 2.0**1021).value == pytest.approx(near + 1021)
    assert differential_entropy(x * 2.0**-900).value == pytest.approx(near - 900)


def test_finely_rounded_numbers_keep_their_entropy() -> None:
    x = simulation(9).standard_normal(5000)
    truth = log2(2 * pi * e) / 2
    for digits in (3, 4):
        assert differential_entropy(np.round(x, digits)).value == pytest.approx(truth, abs=0.05)


def test_a_few_repeats_are_told_and_many_refused() -> None:
    x = simulation(10).standard_normal(1000)
    assert differential_entropy(x).reliable
    x[:20] = 0.0
    assert not differential_entropy(x).reliable
    x[:50] = 0.0
    with pytest.raises(ColumnError, match=r"no density: 5% of its rows .* more than 5 times, 5% the same one; take"):
        differential_entropy(x)
    with pytest.raises(ColumnError, match="no density: 100% of its rows"):
        differential_entropy(np.arange(1000) % 100)


def test_more_rows_than_the_limit_are_sampled() -> None:
    x, y = normal_pair(3000, 0.8, simulation(11))
    found = mutual_information_of_numbers(x, y, limit=1000)
    assert found.n == 1000
    assert found == mutual_information_of_numbers(x, y, limit=1000)
    assert found.value != mutual_information_of_numbers(x, y, limit=1000, simulation_seed=1).value
    assert of_normals(0.8) in found
    assert differential_entropy(x, limit=1000).n == 1000


def test_more_confidence_is_wider_and_few_rows_are_unreliable() -> None:
    x, y = normal_pair(400, 0.5, simulation(12))
    found, surer = (mutual_information_of_numbers(x, y, confidence=sure) for sure in (0.9, 0.99))
    assert surer.low < found.low
    assert found.high < surer.high
    few = mutual_information_of_numbers(x[:10], y[:10])
    assert not few.reliable
    assert of_normals(0.5) in few
    assert not differential_entropy(x[:99]).reliable


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([1.0, 2.0] * 5, [1.0, 2.0] * 6, "have 10, 12 rows; give columns of equal length"),
        ([1.0, float("nan")] * 5, [1.0, 2.0] * 5, "first column has 5 rows that are missing or infinite; leave"),
        ([1.0, 2.0] * 5, [1.0, None] * 5, "second column has 5 rows that are missing or infinite; leave"),
        ([1.0, 2.0] * 5, [1.0, inf] * 5, "second column has 5 rows that are missing or infinite; leave"),
        ([1, 2, 3], [1, 2, 3], "3 rows are too few to estimate from; give at least 10"),
        ([7] * 10, list(range(10)), "first column has a single value; give one that varies"),
        (list("abcdefghij"), list(range(10)), "first column is not numeric; give one number per row"),
        ([[[1, 2]]] * 10, list(range(10)), "first column has 3 dimensions; give one number per row"),
    ],
)
def test_unusable_columns_are_refused(x: npt.ArrayLike, y: npt.ArrayLike, message: str) -> None:
    with pytest.raises(ColumnError, match=message):
        mutual_information_of_numbers(x, y)


@pytest.mark.parametrize("x", [[1.0] * 10, [1, 2, 3], [float("nan")] * 10, list("abcdefghij")])
def test_unusable_columns_have_no_entropy(x: npt.ArrayLike) -> None:
    with pytest.raises(ColumnError):
        differential_entropy(x)


def test_options_outside_their_range_are_refused() -> None:
    x = np.arange(20.0)
    with pytest.raises(OptionError, match="0 neighbours are not between 1 and 10, half the rows"):
        mutual_information_of_numbers(x, x, neighbours=0)
    with pytest.raises(OptionError, match="11 neighbours are not between 1 and 10"):
        differential_entropy(x, neighbours=11)
    with pytest.raises(OptionError, match="confidence of 1 is not between 0 and 1"):
        differential_entropy(x, confidence=1)
    with pytest.raises(OptionError, match="limit of 3 rows is too low"):
        mutual_information_of_numbers(x, x, limit=3)
