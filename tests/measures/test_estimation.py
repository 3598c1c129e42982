"""Point estimates against formulas computed here, published numbers, invariants and errors."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Hashable
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from leakgauge.errors import LabelError, OptionError
from leakgauge.measures import shannon
from leakgauge.measures.estimation import Estimator, estimate
from leakgauge.measures.information import Unit
from leakgauge.measures.terms import FORMULAS
from leakgauge.probability import Channel, Counts, Distribution, Scenario, Seen
from leakgauge.randomness import simulation

Array = npt.NDArray[np.int64]


def table(array: npt.ArrayLike) -> Counts:
    values = np.asarray(array)
    return Counts({name: range(size) for name, size in zip("xyz", values.shape, strict=False)}, values)


@pytest.fixture
def adult(data: Path) -> Counts:
    with (data / "adult_marital_x_occupation_30718.csv").open(encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    array = [[int(cell) for cell in row[1:]] for row in rows]
    return Counts({"marital_status": [row[0] for row in rows], "occupation": header[1:]}, array)


def entropy_nats(p: npt.NDArray[np.float64]) -> float:
    q = p[p > 0]
    return float(-(q * np.log(q)).sum())


def test_published_numbers_of_adult(adult: Counts) -> None:
    information = estimate(shannon.mutual_information, adult, ["marital_status"], ["occupation"])
    uncertainty = estimate(shannon.entropy, adult, ["marital_status"])
    assert information.value == pytest.approx(0.0764, abs=5e-5)
    assert uncertainty.value == pytest.approx(1.8199, abs=5e-5)
    assert information.n == 30718
    assert information.reliable
    assert information.low < 0.0764 - 78 / (2 * 30718 * math.log(2)) < information.high
    assert information.high - information.low < 0.012


def test_miller_and_madow_lower_information_and_raise_entropy(adult: Counts) -> None:
    array = adult.array()
    n = array.sum()
    for measure, release, correction in (
        (shannon.entropy, [], np.sum(array.sum(1) > 0) - 1),
        (
            shannon.mutual_information,
            ["occupation"],
            np.sum(array.sum(1) > 0) + np.sum(array.sum(0) > 0) - np.sum(array > 0) - 1,
        ),
    ):
        plain = estimate(measure, adult, ["marital_status"], release, unit=Unit.NATS)
        corrected = estimate(
            measure, adult, ["marital_status"], release, unit=Unit.NATS, estimator=Estimator.MILLER_MADOW
        )
        assert corrected.value - plain.value == pytest.approx(correction / (2 * n), rel=1e-9)


def test_miller_and_madow_behind_a_known_channel() -> None:
    array, flip = np.array([30, 50, 20]), np.array([[0.6, 0.4], [0.2, 0.8], [0.5, 0.5]])
    p, n = array / 100, 100
    seen = p @ flip
    # The mean square of the sampling error of p(y), by the covariance of the multinomial law.
    noise = np.array([p @ flip[:, y] ** 2 - seen[y] ** 2 for y in range(2)])
    channel = Channel(range(3), range(2), flip)
    plain, corrected = (
        estimate(shannon.mutual_information, table(array), ["x"], channel=channel, unit=Unit.NATS, estimator=how).value
        for how in (Estimator.PLUG_IN, Estimator.MILLER_MADOW)
    )
    assert plain == pytest.approx(entropy_nats(seen) - sum(p * [entropy_nats(row) for row in flip]))
    assert corrected - plain == pytest.approx((noise / seen).sum() / (2 * n))


@pytest.mark.parametrize("array", [[7, 2, 1, 0], [1, 0, 0, 0], [5, 5, 5, 5], [3, 1, 1, 9]])
def test_shrinkage_of_entropy(array: list[int]) -> None:
    n, p = sum(array), np.array(array) / sum(array)
    spread = ((0.25 - p) ** 2).sum()
    intensity = 1.0 if n == 1 or spread == 0 else min(1.0, (1 - (p**2).sum()) / ((n - 1) * spread))
    expected = entropy_nats(intensity / 4 + (1 - intensity) * p)
    found = estimate(shannon.entropy, table(array), ["x"], unit=Unit.NATS, estimator=Estimator.SHRINKAGE)
    assert found.value == pytest.approx(expected)


def test_shrinkage_of_information_with_background() -> None:
    array = simulation(3).integers(0, 6, size=(2, 3, 2))
    p = array / array.sum()
    intensity = (1 - (p**2).sum()) / ((array.sum() - 1) * ((1 / 12 - p) ** 2).sum())
    q = intensity / 12 + (1 - intensity) * p
    expected = entropy_nats(q.sum((1, 2))) + entropy_nats(q.sum(0)) - entropy_nats(q)
    found = estimate(
        shannon.leakage_with_background,
        table(array),
        ["x"],
        ["y"],
        ["z"],
        unit=Unit.NATS,
        estimator=Estimator.SHRINKAGE,
    )
    assert found.value == pytest.approx(expected)


def test_shrinkage_errs_least_where_cells_outnumber_observations() -> None:
    generator = simulation(4)
    p = generator.dirichlet(np.ones(400))
    truth = entropy_nats(p) / math.log(2)
    errors = dict.fromkeys(Estimator, 0.0)
    for _ in range(20):
        counts = table(generator.multinomial(200, p))
        for how in Estimator:
            errors[how] += (estimate(shannon.entropy, counts, ["x"], estimator=how).value - truth) ** 2
    assert errors[Estimator.SHRINKAGE] < errors[Estimator.MILLER_MADOW] < errors[Estimator.PLUG_IN]


WITH_WEIGHTS = (Estimator.PLUG_IN, Estimator.MILLER_MADOW, Estimator.SHRINKAGE)
"""The others are for counts alone."""
three_way = st.lists(st.integers(0, 40), min_size=12, max_size=12).filter(any)


@given(three_way, st.sampled_from(sorted(FORMULAS, key=str)), st.sampled_from(Estimator), st.booleans())
def test_invariants(cells: list[int], measure: Callable[..., float], how: Estimator, weighted: bool) -> None:
    assume(not weighted or how in WITH_WEIGHTS)
    counts = table(np.reshape(cells, (3, 2, 2)))
    weights = [0.5, 2.0, 1.0] if weighted else None
    found = estimate(measure, counts, ["x"], ["y"], ["z"], weights=weights, estimator=how)
    assert 0 <= found.low <= found.value <= found.high <= (2 if weighted else 1) * math.log2(3) + 1e-9
    if how is Estimator.PLUG_IN:
        scenario = Scenario.from_counts(counts, ["x"], ["y"], ["z"], weights=weights)
        assert found.value == pytest.approx(measure(scenario), abs=1e-9)
    narrower = estimate(measure, counts, ["x"], ["y"], ["z"], weights=weights, estimator=how, confidence=0.5)
    assert found.low <= narrower.low + 1e-9
    assert narrower.high <= found.high + 1e-9


@given(three_way, st.sampled_from(sorted(FORMULAS, key=str)))
def test_units_only_scale(cells: list[int], measure: Callable[..., float]) -> None:
    counts = table(np.reshape(cells, (3, 2, 2)))
    bits, nats = (estimate(measure, counts, ["x"], ["y"], ["z"], unit=unit) for unit in (Unit.BITS, Unit.NATS))
    for one, other in zip((bits.low, bits.value, bits.high), (nats.low, nats.value, nats.high), strict=True):
        assert one * math.log(2) == pytest.approx(other, abs=1e-9)


def test_weights_of_pairs_may_make_information_negative() -> None:
    found = estimate(
        shannon.mutual_information, table([[400, 100], [100, 400]]), ["x"], ["y"], weights=[[0.0, 1.0], [1.0, 0.0]]
    )
    assert found.value == pytest.approx(-0.264, abs=5e-4)
    assert found.low < -0.264 < found.high < -0.2


@pytest.mark.parametrize("measure", sorted(FORMULAS, key=str))
@pytest.mark.parametrize("how", WITH_WEIGHTS)
def test_equal_weights_change_nothing(measure: Callable[..., float], how: Estimator) -> None:
    counts = table(simulation(10).integers(0, 9, size=(3, 4, 2)))
    plain = estimate(measure, counts, ["x"], ["y"], ["z"], estimator=how)
    by_label: dict[Hashable, float] = dict.fromkeys(range(3), 1.0)
    for weights in ([1.0] * 3, by_label):
        found = estimate(measure, counts, ["x"], ["y"], ["z"], weights=weights, estimator=how)
        assert (found.low, found.value, found.high) == pytest.approx((plain.low, plain.value, plain.high), abs=1e-9)


def test_a_channel_that_tells_everything_is_the_entropy() -> None:
    counts = table([30, 50, 20])
    everything = Channel.identity(range(3))
    through = estimate(shannon.mutual_information, counts, ["x"], channel=everything)
    direct = estimate(shannon.entropy, counts, ["x"])
    assert (through.low, through.value, through.high) == pytest.approx((direct.low, direct.value, direct.high))


def test_a_channel_that_tells_nothing_leaks_nothing_whatever_the_sample() -> None:
    nothing = Channel.constant(range(3), Distribution.uniform("ab"))
    found = estimate(shannon.mutual_information, table([30, 50, 20]), ["x"], channel=nothing)
    assert found.low == 0.0
    assert found.high < 1e-6


def test_several_secrets_are_one_of_tuples() -> None:
    counts = table(simulation(5).integers(1, 30, size=(2, 3, 2)))
    found = estimate(shannon.mutual_information, counts, ["x", "y"], ["z"])
    scenario = Scenario.from_counts(counts, ["x", "y"], ["z"])
    assert found.value == pytest.approx(shannon.mutual_information(scenario))


def test_reliable_from_five_observations_a_cell_of_what_is_involved() -> None:
    counts = table([[6, 6], [6, 1]])
    assert estimate(shannon.entropy, counts, ["x"], ["y"]).reliable
    assert not estimate(shannon.mutual_information, counts, ["x"], ["y"]).reliable
    assert estimate(shannon.mutual_information, table([[6, 6], [6, 2]]), ["x"], ["y"]).reliable


def test_one_observation_proves_nothing() -> None:
    found = estimate(shannon.entropy, table([1, 0, 0]), ["x"])
    assert (found.low, found.value) == (0.0, 0.0)
    assert found.high == pytest.approx(math.log2(3))


def vulnerability(scenario: Scenario) -> float:
    """The chance of guessing the secret from the release at the first go."""
    return float(scenario.view(Seen.RELEASE).cells.column_maxima().sum())


@pytest.mark.parametrize("how", [Estimator.PLUG_IN, Estimator.SHRINKAGE])
def test_other_measures_are_redrawn(how: Estimator) -> None:
    counts = table([[40, 10], [10, 40]])
    found = estimate(vulnerability, counts, ["x"], ["y"], estimator=how)
    assert found.low < 0.8 < found.high
    assert 0.1 < found.high - found.low < 0.3
    assert estimate(vulnerability, counts, ["x"], ["y"], estimator=how) == found


def test_other_measures_through_a_known_channel() -> None:
    flip = Channel(range(2), range(2), [[0.75, 0.25], [0.25, 0.75]])
    found = estimate(vulnerability, table([60, 40]), ["x"], channel=flip)
    assert found.value == pytest.approx(0.75)
    assert found.low <= 0.75 <= found.high < 0.9


@pytest.mark.parametrize("array", [[[40, 10], [10, 40]], [[9, 1, 0], [2, 7, 3]], [[500, 499], [1, 0]]])
def test_redrawn_intervals_widen_with_confidence(array: list[list[int]]) -> None:
    found = [
        estimate(vulnerability, table(array), ["x"], ["y"], confidence=confidence)
        for confidence in (0.9, 0.95, 0.99, 0.9999, 0.999999)
    ]
    for narrow, wide in pairwise(found):
        assert wide.low <= narrow.low
        assert narrow.high <= wide.high
    # The quantiles of the normal law at both tails are 1.98 apart; the bias is not stretched.
    assert found[3].high - found[3].value > 1.5 * (found[1].high - found[1].value)


def test_large_tables_take_no_loop() -> None:
    generator = simulation(6)
    codes = generator.integers(0, [[100_000], [50]], size=(2, 300_000))
    counts = Counts.from_cells({"x": range(100_000), "y": range(50)}, list(codes), np.ones(300_000, dtype=int))
    found = estimate(shannon.mutual_information, counts, ["x"], ["y"])
    assert not found.reliable
    assert 0 <= found.low <= found.value <= found.high


def test_errors_say_the_way_out() -> None:
    counts = table([[3, 4], [5, 6]])
    channel = Channel.identity([0, 1])
    with pytest.raises(OptionError, match="A confidence of 95 is not between 0 and 1"):
        estimate(shannon.entropy, counts, ["x"], confidence=95)
    with pytest.raises(OptionError, match="given twice, as y and as a channel; leave one out"):
        estimate(shannon.mutual_information, counts, ["x"], ["y"], channel=channel)
    with pytest.raises(OptionError, match="not for vulnerability; choose another estimator"):
        estimate(vulnerability, counts, ["x"], ["y"], estimator=Estimator.MILLER_MADOW)
    with pytest.raises(OptionError, match="No axis is named as the secret"):
        estimate(shannon.entropy, counts, [])
    with pytest.raises(LabelError, match="'x' is named 2 times; give it one role"):
        estimate(shannon.mutual_information, counts, ["x"], ["x"])
    with pytest.raises(LabelError, match="no axis 'w'"):
        estimate(shannon.entropy, counts, ["w"])
    with pytest.raises(LabelError, match="3 inputs that are not the 2 secrets"):
        estimate(shannon.mutual_information, counts, ["x"], channel=Channel.identity([0, 1, 2]))
