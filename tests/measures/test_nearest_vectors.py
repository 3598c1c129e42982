"""Information of several columns, and given others: closed forms of normal laws, published ones, scikit-learn."""

from __future__ import annotations

from math import log, log2

import numpy as np
import numpy.typing as npt
import pytest
from scipy.special import digamma

from leakgauge.errors import ColumnError
from leakgauge.measures import conditional_information_of_numbers, mutual_information_of_numbers
from leakgauge.measures.neighbourhoods import Ranked, dependence
from leakgauge.probability import Estimate
from leakgauge.probability.cells import Floats
from leakgauge.randomness import simulation
from tests.grids import nightly

REPETITIONS = 10
EULER = 0.57721566490153286


def correlations(columns: int) -> Floats:
    """Of so many columns, drawn once and for all."""
    loads = simulation(columns).standard_normal((columns, columns + 2))
    covariance = loads @ loads.T
    scale = np.sqrt(np.diag(covariance))
    return np.asarray(covariance / np.outer(scale, scale))


def halved(matrix: Floats, *groups: range) -> float:
    """log₂ of the determinant of some columns, over 2."""
    chosen = [column for group in groups for column in group]
    return float(np.linalg.slogdet(matrix[np.ix_(chosen, chosen)])[1]) / log(4)


def covered(truth: float, found: list[Estimate]) -> int:
    return sum(truth in each for each in found)


@pytest.mark.parametrize(
    ("x", "y", "n"),
    [
        nightly(2, 1, 500),
        (2, 2, 400),
        nightly(2, 2, 2000),
        nightly(3, 2, 2000),
        nightly(3, 3, 1000),
        nightly(5, 5, 1000),
    ],
)
def test_intervals_hold_the_information_of_normal_vectors(x: int, y: int, n: int) -> None:
    law, generator = correlations(x + y), simulation(n)
    first, second = range(x), range(x, x + y)
    truth = halved(law, first) + halved(law, second) - halved(law, first, second)
    found = []
    for _ in range(REPETITIONS):
        rows = generator.multivariate_normal(np.zeros(x + y), law, n)
        found.append(mutual_information_of_numbers(rows[:, :x], rows[:, x:]))
    assert covered(truth, found) >= 0.9 * REPETITIONS
    # Strong dependence of many columns has no upper end, which is said; else an interval that holds all is no use.
    if all(each.reliable for each in found):
        assert np.median([each.high - each.low for each in found]) < 30 / np.sqrt(n)


@pytest.mark.parametrize(
    ("x", "y", "z", "n"),
    [(1, 1, 1, 400), nightly(2, 1, 2, 500), nightly(1, 1, 1, 2000), nightly(2, 2, 1, 2000), nightly(1, 1, 3, 2000)],
)
@pytest.mark.parametrize("dependent", [True, False])
def test_intervals_hold_the_information_of_normals_given_others(
    x: int, y: int, z: int, n: int, dependent: bool
) -> None:
    law, generator = correlations(x + y + z), simulation(n)
    first, second, given = range(x), range(x, x + y), range(x + y, x + y + z)
    if not dependent:
        through = law[:x, x + y :] @ np.linalg.inv(law[x + y :, x + y :]) @ law[x + y :, x : x + y]
        law[:x, x : x + y], law[x : x + y, :x] = through, through.T
    truth = halved(law, first, given) + halved(law, second, given) - halved(law, first, second, given)
    truth = max(truth - halved(law, given), 0.0) if dependent else 0.0
    found = []
    for _ in range(REPETITIONS):
        rows = generator.multivariate_normal(np.zeros(x + y + z), law, n)
        found.append(conditional_information_of_numbers(rows[:, :x], rows[:, x : x + y], rows[:, x + y :]))
    assert covered(truth, found) >= 0.9 * REPETITIONS
    assert np.median([each.high - each.low for each in found]) < 0.7


def test_independent_vectors_show_nothing() -> None:
    generator = simulation(60)
    for columns in (2, 3, 5):
        found = [mutual_information_of_numbers(*generator.random((2, 300, columns))) for _ in range(3)]
        assert all(each.low == 0 for each in found)
        assert max(each.value for each in found) < 0.2


PUBLISHED = (2 * log(2) - EULER - sum(log(k) * 2.0**-k for k in range(2, 60))) / log(2)
"""I(X;Y) in bits of X exponential and Y drawn from Poisson's law of mean X: Gao and others (2017), 0.3012 nats."""


def test_a_mixture_with_a_published_value() -> None:
    assert PUBLISHED * log(2) == pytest.approx(0.3012, abs=5e-5)
    generator = simulation(61)
    x = generator.standard_exponential(2000)
    y = generator.poisson(x)
    found = mutual_information_of_numbers(x, y)
    assert PUBLISHED in found
    assert abs(found.value - PUBLISHED) < 0.05
    # Mesner and Shalizi (2021): what is independent of both, and known, changes nothing.
    given = conditional_information_of_numbers(x, y, generator.binomial(3, 0.5, 2000))
    assert PUBLISHED in given
    assert abs(given.value - PUBLISHED) < 0.05


@pytest.mark.parametrize("case", ["letters", "grid", "letter known", "sum"])
def test_repeated_values_given_others_are_no_evidence(case: str) -> None:
    generator = simulation(62)
    n = 400

    def columns() -> tuple[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike, float]:
        z, normal = generator.integers(0, 3, n), generator.standard_normal((3, n))
        if case == "letters":
            return (z + generator.integers(0, 3, n)) % 5, (z + generator.integers(0, 2, n)) % 4, z, 0.0
        if case == "grid":
            known, *noise = normal
            return np.round(5 * (known + noise[0])), np.round(5 * (known + noise[1])), np.round(5 * known), 0.0
        if case == "letter known":
            return z + normal[0], z + normal[1], z, 0.0
        x, y = generator.integers(0, 2, (2, n))
        return x, y, x ^ y, 1.0

    drawn = [columns() for _ in range(6)]
    found = [(conditional_information_of_numbers(x, y, z), truth) for x, y, z, truth in drawn]
    assert sum(truth in each for each, truth in found) >= 5


def test_a_known_copy_leaves_nothing_and_a_known_key_leaves_all() -> None:
    generator = simulation(63)
    secret, noise, key = generator.standard_normal((3, 1500))
    masked = secret + 3 * key
    assert conditional_information_of_numbers(secret, masked + noise, masked + noise).low == 0
    alone = mutual_information_of_numbers(secret, masked)
    assert -log2(1 - 0.1) / 2 in alone
    assert conditional_information_of_numbers(secret, masked, key).low > alone.high


def test_scikit_learn_finds_the_same_of_two_columns() -> None:
    from sklearn.feature_selection import mutual_info_regression

    generator = simulation(64)
    for correlation in (0.0, 0.6, 0.9):
        x = generator.standard_normal(600)
        y = correlation * x + np.sqrt(1 - correlation**2) * generator.standard_normal(600)
        ranked = Ranked.of(x[:, None]), Ranked.of(y[:, None])
        # On the same scores; it adds noise of 1e-10 of their spread to break ties, and clips at 0.
        theirs = mutual_info_regression(
            ranked[0].scores, ranked[1].scores[:, 0], n_neighbors=5, discrete_features=False, random_state=0
        )[0]
        assert max(dependence(*ranked, 5), 0.0) == pytest.approx(theirs / log(2), abs=2e-3)


@pytest.mark.parametrize("rounded", [False, True])
def test_brute_force_agrees_given_others(rounded: bool) -> None:
    generator = simulation(65)
    columns = generator.standard_normal((60, 4)) @ correlations(4)
    columns = np.round(2 * columns) if rounded else columns
    x, y, z = (Ranked.of(columns[:, one]) for one in ([0], [1, 2], [3]))
    apart = [np.abs(side.scores[:, None] - side.scores[None]).max(axis=2) for side in (x, y, z)]
    spaces = [np.maximum(apart[0], apart[2]), np.maximum(apart[1], apart[2]), apart[2]]
    joint = np.maximum(spaces[0], apart[1])
    total = 0.0
    for at in range(60):
        radius = np.sort(joint[at])[4]
        edge = [int((np.abs(space[at] - radius) < 1e-12).sum()) for space in spaces]
        if rounded and (radius < 1e-12 or edge[0] + edge[1] - edge[2] > 1):
            within = [int((space[at] < radius + 1e-12).sum()) for space in (joint, *spaces)]
            within[0] -= radius > 1e-12
        else:
            within = [4, *(int((space[at] < radius - 1e-12).sum()) for space in spaces)]
        total += digamma(within[0]) - digamma(within[1]) - digamma(within[2]) + digamma(within[3])
    assert dependence(x, y, 4, z) == pytest.approx(total / 60 / log(2), abs=1e-9)


def test_rescaling_and_order_change_nothing() -> None:
    generator = simulation(66)
    x, y, z = generator.standard_normal((3, 150, 2))
    x = x + y + z
    found = conditional_information_of_numbers(x, y, z)
    assert conditional_information_of_numbers(np.exp(x), y**3, 5 * z - 1) == found
    assert conditional_information_of_numbers(x[:, ::-1], y, z).value == pytest.approx(found.value, abs=1e-9)
    assert conditional_information_of_numbers(y, x, z).value == pytest.approx(found.value, abs=1e-9)
    one = mutual_information_of_numbers(x[:, 0], y[:, 0])
    assert mutual_information_of_numbers(x[:, :1], y[:, :1]) == one


@pytest.mark.parametrize(
    ("x", "y", "z", "message"),
    [
        (np.eye(12), np.arange(12), np.eye(12), "There are 25 columns, but among more than 20"),
        (np.arange(12), np.arange(12), np.arange(11), "have 12, 12, 11 rows; give columns of equal length"),
        (np.arange(12), np.arange(12), np.ones(12), "third column has a single value"),
        (np.arange(12), np.arange(12), np.full(12, np.nan), "third column has 12 rows that are missing"),
        (np.arange(12), np.zeros((12, 0)), np.arange(12), "second column has 2 dimensions"),
        (np.arange(12), list("abcdefghijkl"), np.arange(12), "second column is not numeric"),
        (np.arange(5), np.arange(5), np.arange(5), "5 rows are too few"),
    ],
)
def test_unusable_columns_are_refused(x: npt.ArrayLike, y: npt.ArrayLike, z: npt.ArrayLike, message: str) -> None:
    with pytest.raises(ColumnError, match=message):
        conditional_information_of_numbers(x, y, z)
