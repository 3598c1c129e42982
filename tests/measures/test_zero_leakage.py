"""The test of zero leakage: its numbers, its false alarms, its power."""

from __future__ import annotations

import tracemalloc
from time import perf_counter

import numpy as np
import numpy.typing as npt
import pytest

from leakgauge.errors import LabelError, OptionError
from leakgauge.measures.zero_leakage import PValueMethod, zero_leakage_test
from leakgauge.probability import Counts
from leakgauge.randomness import simulation
from tests.grids import nightly


def table(array: npt.ArrayLike) -> Counts:
    values = np.asarray(array)
    return Counts({name: range(size) for name, size in zip("xyz", values.shape, strict=False)}, values)


def rejections(population: npt.NDArray[np.float64], n: int, repetitions: int, given: tuple[str, ...] = ()) -> float:
    generator = simulation(20)
    found = 0
    for _ in range(repetitions):
        sample = generator.multinomial(n, population.ravel()).reshape(population.shape)
        found += zero_leakage_test(table(sample), ["x"], ["y"], given).p_value <= 0.05
    return found / repetitions


def test_statistic_is_the_likelihood_ratio_scipy_computes() -> None:
    from scipy.stats import chi2, chi2_contingency

    array = np.array([[30, 10, 25], [20, 40, 30]])
    test = zero_leakage_test(table(array), ["x"], ["y"])
    reference = chi2_contingency(array, correction=False, lambda_="log-likelihood")
    assert test.statistic == pytest.approx(reference.statistic)
    assert test.degrees_of_freedom == reference.dof == 2
    n, rows, columns = array.sum(), array.sum(1), array.sum(0)
    williams = 1 + (n * (1 / rows).sum() - 1) * (n * (1 / columns).sum() - 1) / (6 * n * 2)
    assert test.p_value == pytest.approx(chi2.sf(reference.statistic / williams, 2))
    assert test.method is PValueMethod.CHI_SQUARED


def test_few_observations_are_compared_to_redrawn_tables_as_fisher_would() -> None:
    from scipy.stats import fisher_exact

    array = [[5, 1], [1, 6]]
    test = zero_leakage_test(table(array), ["x"], ["y"])
    assert test.method is PValueMethod.MONTE_CARLO
    assert test.degrees_of_freedom is None
    assert test.p_value == pytest.approx(fisher_exact(array).pvalue, abs=0.012)
    assert zero_leakage_test(table(array), ["x"], ["y"]) == test


@pytest.mark.parametrize("array", [[[3, 4, 5]], [[3], [4]], [[0, 7], [0, 2]]])
def test_what_is_constant_gives_no_evidence(array: list[list[int]]) -> None:
    assert zero_leakage_test(table(array), ["x"], ["y"]).p_value == 1.0


def test_the_secret_itself_is_found_out() -> None:
    assert zero_leakage_test(table(np.diag([60, 50, 40])), ["x"], ["y"]).p_value < 1e-9
    assert zero_leakage_test(table(np.diag([4, 3, 2])), ["x"], ["y"]).p_value < 0.01


def test_given_the_common_cause_nothing_leaks() -> None:
    # Y copies Z and X follows Z: dependent, but not within a value of Z.
    array = np.zeros((2, 2, 2), dtype=int)
    array[:, 0, 0], array[:, 1, 1] = [80, 20], [20, 80]
    assert zero_leakage_test(table(array), ["x"], ["y"]).p_value < 1e-9
    assert zero_leakage_test(table(array), ["x"], ["y"], ["z"]).p_value == 1.0


def test_strata_add_up() -> None:
    array = np.array([[[30, 12], [25, 20]], [[22, 31], [41, 28]]])
    parts = [zero_leakage_test(table(array[:, :, z]), ["x"], ["y"]) for z in range(2)]
    whole = zero_leakage_test(table(array), ["x"], ["y"], ["z"])
    assert whole.statistic == pytest.approx(sum(part.statistic for part in parts))
    assert whole.degrees_of_freedom == 2


@pytest.mark.parametrize(
    ("shape", "n", "given"),
    [
        ((2, 2), 60, ()),
        ((3, 4), 200, ()),
        ((5, 5), 400, ()),
        ((2, 2, 2), 200, ("z",)),
    ],
)
@pytest.mark.parametrize("repetitions", [1000, nightly(4000)])
def test_false_alarms_by_the_chi_squared_law_are_at_most_nominal(
    shape: tuple[int, ...], n: int, given: tuple[str, ...], repetitions: int
) -> None:
    three_errors = 3 * np.sqrt(0.05 * 0.95 / repetitions)
    assert rejections(np.full(shape, 1 / np.prod(shape)), n, repetitions, given) <= 0.05 + three_errors


@pytest.mark.parametrize(
    ("population", "n", "given"),
    [
        (np.outer([0.9, 0.1], [0.8, 0.2]), 20, ()),
        (np.outer([0.7, 0.2, 0.1], [0.6, 0.2, 0.1, 0.1]), 25, ()),
        (np.full((2, 2, 3), 1 / 12), 24, ("z",)),
    ],
)
def test_false_alarms_by_redrawn_tables_are_at_most_nominal(
    population: npt.NDArray[np.float64], n: int, given: tuple[str, ...]
) -> None:
    # 600 repetitions: three standard errors are 2.7%.
    assert rejections(population, n, 600, given) <= 0.05 + 0.027


def test_errors_say_the_way_out() -> None:
    counts = table([[1, 2], [3, 4]])
    with pytest.raises(OptionError, match="No axis is named as the release; name at least one"):
        zero_leakage_test(counts, ["x"], [])
    with pytest.raises(LabelError, match="'x' is named 2 times; give it one role"):
        zero_leakage_test(counts, ["x"], ["x"])
    with pytest.raises(LabelError, match="no axis 'w'"):
        zero_leakage_test(counts, ["x"], ["w"])


def test_shuffling_and_laying_out_tables_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = simulation(8)
    for leak in (0.0, 0.1, 0.2):
        x = generator.integers(0, 12, size=(2, 150))
        y = np.where(generator.random(x.shape) < leak, x, generator.integers(0, 12, size=x.shape))
        array = np.zeros((12, 12, 2), dtype=int)
        np.add.at(array, (x, y, np.arange(2)[:, None]), 1)
        laid_out = zero_leakage_test(table(array), ["x"], ["y"], ["z"])
        with monkeypatch.context() as few:
            few.setattr("leakgauge.measures.zero_leakage._DENSE", 100)
            shuffled = zero_leakage_test(table(array), ["x"], ["y"], ["z"], simulation_seed=1)
        assert laid_out.method is shuffled.method is PValueMethod.MONTE_CARLO
        assert laid_out.statistic == shuffled.statistic
        assert shuffled.p_value == pytest.approx(laid_out.p_value, abs=0.05)


def test_tens_of_thousands_of_values_on_both_sides() -> None:
    generator = simulation(9)
    x, y = np.arange(80_000) % 40_000, generator.permutation(80_000) % 30_000
    counts = Counts.from_cells({"x": range(40_000), "y": range(30_000)}, [x, y], np.ones(80_000, dtype=int))
    tracemalloc.start()
    start = perf_counter()
    independent = zero_leakage_test(counts, ["x"], ["y"])
    took, (_, peak) = perf_counter() - start, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert took < 20
    assert peak < 100e6
    assert independent.p_value > 0.01
    copied = Counts.from_cells({"x": range(40_000), "y": range(30_000)}, [x, x % 30_000], np.ones(80_000, dtype=int))
    assert zero_leakage_test(copied, ["x"], ["y"]).p_value <= 0.01
