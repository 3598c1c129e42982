"""The least loss under metric privacy: what other solvers find, proven bounds, and a channel that keeps every pair."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from scipy.optimize import linprog

from leakgauge import randomness
from leakgauge.design.metric_privacy import MetricSolution, least_distance
from leakgauge.design.metric_privacy_program import Ratios, least_cost, price, spanner
from leakgauge.distances import MapCells
from leakgauge.errors import InputError, OptionError
from leakgauge.notions import metric_privacy
from leakgauge.probability import Distribution
from leakgauge.probability.cells import Floats


def _grid(side: int) -> Floats:
    row, column = np.divmod(np.arange(side * side), side)
    return np.asarray(np.hypot(row[:, None] - row, column[:, None] - column))


def _law(weights: Floats) -> Distribution:
    return Distribution(range(len(weights)), weights / weights.sum())


def _rising(side: int) -> Distribution:
    return _law(np.arange(1.0, side * side + 1))


def _program(prior: Floats, distances: Floats, epsilon: float, loss: Floats) -> float:
    """The least loss by HiGHS, with all pairs."""
    count = len(prior)
    bounds = []
    for x, other in zip(*np.nonzero(distances), strict=True):
        for y in range(count):
            row = np.zeros((count, count))
            row[x, y], row[other, y] = 1.0, -math.exp(epsilon * distances[x, other])
            bounds.append(row.ravel())
    sums = np.kron(np.eye(count), np.ones(count))
    costs = (prior[:, None] * loss).ravel()
    found = linprog(costs, np.array(bounds), np.zeros(len(bounds)), sums, np.ones(count), method="highs")
    return float(found.fun)


def _require_kept(best: MetricSolution, distances: Floats, epsilon: float) -> None:
    level = metric_privacy(best.channel, distances).value
    assert level == pytest.approx(best.epsilon, rel=1e-9) and best.epsilon <= epsilon
    assert np.array_equal(best.channel.matrix.sum(axis=1), np.ones(len(distances)))


@pytest.mark.parametrize(
    ("side", "prior", "epsilon", "least"),
    [
        # qif 1.6.0 of PyPI, mechanism.d_privacy.min_loss_given_d with its defaults, Euclidean distance and loss.
        (2, "uniform", 1.0, 0.5455511484738318),
        (2, "rising", 0.5, 0.6101655761384455),
        (3, "uniform", 0.5, 1.0729838054991534),
        (3, "rising", 2.0, 0.3926575634677727),
        (4, "uniform", 1.0, 1.0888543635370218),
        (4, "rising", 0.5, 1.2561561752379504),
        (4, "rising", 2.0, 0.463617058973099),
        (5, "rising", 1.0, 1.1531858956706955),
        (6, "rising", 1.0, 1.2662602549528308),
    ],
)
def test_small_grids_agree_with_qif(side: int, prior: str, epsilon: float, least: float) -> None:
    source = _rising(side) if prior == "rising" else Distribution.uniform(range(side * side))
    best = least_distance(source, _grid(side), epsilon, gap=1e-5)
    assert best.lower_bound <= least * (1 + 1e-9) and least * (1 - 1e-9) <= best.distance <= least * (1 + 1e-5)
    assert best.spanner_stretch == 1.0
    _require_kept(best, _grid(side), epsilon)


def test_points_anywhere_and_another_loss_agree_with_a_linear_program() -> None:
    draw = randomness.simulation(7)
    points = draw.random((7, 2)) * 3
    distances = np.hypot(*(points[:, None] - points).transpose(2, 0, 1))
    source = _law(np.append(draw.random(6), 0.0))
    for loss in (distances, distances**2, (distances > 1).astype(float), draw.random((7, 7))):
        least = _program(source.probabilities, distances, 1.3, loss)
        best = least_distance(source, distances, 1.3, loss=loss, gap=1e-5)
        assert best.lower_bound <= least + 1e-9 and least - 1e-9 <= best.distance <= least * (1 + 1e-5)
        _require_kept(best, distances, 1.3)


def test_the_loss_falls_with_epsilon_and_lies_below_other_mechanisms() -> None:
    source, distances = _rising(5), _grid(5)
    before = math.inf
    for epsilon in (0.1, 0.4, 0.8, 1.6, 3.2, 12.0):
        best = least_distance(source, distances, epsilon, gap=1e-4)
        assert best.distance < before
        before = best.distance
        _require_kept(best, distances, epsilon)
        weights = np.exp(-epsilon / 2 * distances)
        exponential = weights / weights.sum(axis=1, keepdims=True)
        others = [exponential, _planar_laplace(5, epsilon), np.tile(np.eye(25)[12], (25, 1))]
        assert all(best.distance <= source.probabilities @ (q * distances).sum(axis=1) for q in others)


def _planar_laplace(side: int, epsilon: float) -> Floats:
    """Noise on a lattice that is wide enough, clipped to the grid."""
    far = side + math.ceil(40 / epsilon)
    steps = np.arange(-far, far + 1)
    noise = np.exp(-epsilon * np.hypot(steps[:, None], steps))
    channel = np.zeros((side * side, side * side))
    for cell in range(side * side):
        row, column = (np.clip(steps + at, 0, side - 1) for at in divmod(cell, side))
        np.add.at(channel[cell], row[:, None] * side + column, noise / noise.sum())
    return channel


def test_extreme_budgets_keep_what_was_asked() -> None:
    """e^-60 is less than a multiple of 2^-53: rounding alone would break the pairs far apart."""
    source, distances = _rising(3), _grid(3)
    for epsilon in (1e-7, 30.0, 1e4):
        best = least_distance(source, distances, epsilon)
        _require_kept(best, distances, epsilon)
    assert best.distance < 1e-6
    constant = (source.probabilities @ distances).min()
    assert least_distance(source, distances, 1e-7).distance == pytest.approx(constant, rel=0.01)
    one = least_distance(Distribution("a", [1.0]), np.zeros((1, 1)), 1.0)
    assert (one.distance, one.lower_bound, one.epsilon, one.gap) == (0.0, 0.0, 0.0, 0.0)


def test_inputs_that_never_occur_are_protected_all_the_same() -> None:
    distances = _grid(4)
    weights = np.ones(16)
    weights[[0, 5, 15]] = 0.0
    best = least_distance(_law(weights), distances, 1.0, gap=1e-4)
    _require_kept(best, distances, 1.0)
    assert best.distance <= least_distance(_law(weights + 1e-9), distances, 1.0, gap=1e-4).distance * (1 + 2e-4)


def test_a_larger_map_is_proven_by_its_spanner_and_few_outputs() -> None:
    """The bound of few pairs and outputs lies below the optimum that all of them give."""
    side = 9
    draw = randomness.simulation(3)
    source, distances = _law(draw.gamma(0.3, size=side * side)), _grid(side)
    best = least_distance(source, distances, 1.0)
    assert best.gap <= 0.01 and best.spanner_stretch > 1
    assert (best.channel.matrix.max(axis=0) > 0).sum() < side * side
    _require_kept(best, distances, 1.0)
    one, other = spanner(distances, 1.0)
    bounds = distances[one, other]
    every = Ratios(len(source), np.append(one, other), np.append(other, one), np.append(bounds, bounds))
    exact = least_cost(source.probabilities[:, None] * distances, every, 1e-4)
    least = float((source.probabilities[:, None] * distances * exact.channel).sum())
    assert best.lower_bound <= least and exact.lower <= best.distance <= least * 1.01


def test_a_spanner_walks_every_distance() -> None:
    distances = _grid(6)
    for stretch in (1.0, 1.03, 1.1):
        one, other = spanner(distances, stretch)
        walked = np.where(np.eye(36, dtype=np.bool_), 0.0, np.inf)
        walked[one, other] = walked[other, one] = distances[one, other]
        for middle in range(36):
            walked = np.minimum(walked, walked[:, [middle]] + walked[middle])
        assert (walked <= stretch * distances * (1 + 1e-9)).all()
    # 2 · 6 · 5 straight steps and as many diagonal ones of each kind.
    assert len(spanner(distances, 1.1)[0]) == 60 + 50


def test_pricing_finds_the_outputs_that_are_missing_and_no_others() -> None:
    source, distances = _rising(4), _grid(4)
    one, other = spanner(distances, 1.0)
    bounds = np.tile(distances[one, other], 2)
    ratios = Ratios(16, np.append(one, other), np.append(other, one), bounds)
    costs = source.probabilities[:, None] * distances
    whole = least_cost(costs, ratios, 1e-6)
    lowered = whole.prices - 1e-3 * source.probabilities
    assert not price(costs, lowered, ratios).wanted.any()
    used = int((source.probabilities @ whole.channel).argmax())
    kept = np.delete(np.arange(16), used)
    part = least_cost(costs[:, kept], ratios, 1e-6)
    assert part.lower > whole.lower
    assert price(costs[:, [used]], part.prices, ratios).wanted.all()


def test_bad_input_is_refused_in_one_sentence() -> None:
    source, distances = _rising(2), _grid(2)
    for epsilon in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(OptionError, match="not a finite number above 0"):
            least_distance(source, distances, epsilon)
    for gap in (0.0, 1e-7, 1.0, math.nan):
        with pytest.raises(OptionError, match="not a share"):
            least_distance(source, distances, 1.0, gap=gap)
    detour = distances.copy()
    detour[0, 3] = detour[3, 0] = 2.5
    slanted = distances.copy()
    slanted[0, 1] = 1.5
    refused = [
        (distances[:3], "3 by 4"),
        (detour, "shorter than the direct one"),
        (slanted, "not the same in both directions"),
        (distances + 1.0, "not 0 from an input to itself"),
        (np.zeros((4, 4)), "0 apart"),
    ]
    for table, words in refused:
        with pytest.raises(OptionError, match=words):
            least_distance(source, table, 1.0)
    with pytest.raises(OptionError, match="losses are 2 by 2"):
        least_distance(source, distances, 1.0, loss=np.zeros((2, 2)))
    with pytest.raises(InputError):
        least_distance(source, -distances, 1.0)
    many = Distribution.uniform(range(676))
    with pytest.raises(OptionError, match="676 inputs"):
        least_distance(many, _grid(26), 1.0)


@pytest.mark.nightly
@pytest.mark.parametrize("epsilon", [0.5, 0.6, 1.2])
def test_pickups_on_20_by_20_cells_are_within_a_hundredth(data: Path, epsilon: float) -> None:
    table = pq.read_table(data / "nyc_pickups_april_2014.parquet")
    cells = MapCells(40.70, 40.82, -74.02, -73.92, rows=20, columns=20)
    codes = cells.codes(table["lat"].to_numpy(), table["lon"].to_numpy())
    source = _law(np.bincount(codes[codes >= 0], minlength=cells.count).astype(float))
    best = least_distance(source, _grid(20), epsilon)
    assert best.gap <= 0.01
    _require_kept(best, _grid(20), epsilon)
