"""Channels on grids: as good as the dense solver's, proven, and drawn from as they are described."""

from __future__ import annotations

import math
import resource
import time

import numpy as np
import pytest
from scipy.stats import chisquare

from leakgauge import randomness
from leakgauge.design import MaxDistortion, MaxLeakage, RateDistortion, Slope, solve, solve_on_grid
from leakgauge.design.problem import Target
from leakgauge.design.structured import StructuredSolution
from leakgauge.distances import Euclidean, Given, Squared
from leakgauge.distances.grid import Grid, GridDistance
from leakgauge.errors import EngineError, LabelError, ModelError, OptionError, RefusalError
from leakgauge.measures import mutual_information
from leakgauge.probability import Channel, Distribution, Scenario
from leakgauge.probability.cells import Floats


def population(side: int, seed: int, rough: bool = True) -> Floats:
    """Some towns on a plain; where it is rough, every cell has its own luck."""
    draw = randomness.simulation(seed)
    down, across = np.mgrid[:side, :side] / side
    people = np.full((side, side), 0.02)
    for _ in range(30):
        (x, y), size, width = draw.random(2), draw.random(), draw.uniform(0.01, 0.1)
        people += size * np.exp(-((down - x) ** 2 + (across - y) ** 2) / (2 * width**2))
    if rough:
        people *= draw.gamma(1.0, size=people.shape)
    return np.asarray(people / people.sum())


def rows_of(found: StructuredSolution) -> Floats:
    return np.array([found.channel_row(cell).ravel() for cell in range(found.grid.cells)])


def cost(leakage: float, distortion: float, slope: float) -> float:
    return leakage * math.log(2) + slope * distortion


@pytest.mark.parametrize("slope", [0.4, 1.5, 5.0])
@pytest.mark.parametrize("empty", [0, 20])
def test_the_dense_solver_agrees(slope: float, empty: int) -> None:
    prior = population(8, seed=4)
    prior.flat[randomness.simulation(1).permutation(64)[:empty]] = 0.0
    prior /= prior.sum()
    grid = Grid((8, 8))
    found = solve_on_grid(prior, grid, Slope(slope), gap=1e-6)
    labels = [(row, column) for row in range(8) for column in range(8)]
    best = solve(RateDistortion(Distribution(labels, prior.ravel()), Euclidean(), Slope(slope)))
    assert 0 <= found.gap <= 1e-6 / math.log(2)
    ours, theirs = cost(found.leakage, found.distortion, slope), cost(best.leakage, best.distortion, slope)
    assert theirs - best.gap * math.log(2) <= ours <= theirs + found.gap * math.log(2)


@pytest.mark.parametrize("distance", list(GridDistance))
def test_the_numbers_are_those_of_the_rows_drawn_from(distance: GridDistance) -> None:
    grid = Grid((7, 6), (0.5, 1.0), distance)
    prior = randomness.simulation(2).dirichlet(np.full(42, 0.5)).reshape(7, 6)
    found = solve_on_grid(prior, grid, Slope(1.2), gap=1e-5)
    rows = rows_of(found)
    letters = range(42)
    source = Distribution(letters, prior.ravel())
    channel = Channel(letters, letters, rows)
    bits = mutual_information(Scenario(source, channel))
    distances = np.array([grid.distances_from(cell).ravel() for cell in letters])
    mean = float(prior.ravel() @ (rows * distances).sum(axis=1))
    assert bits <= found.leakage <= bits + found.gap + 1e-9
    assert mean <= found.distortion <= mean + 1e-9
    best = solve(RateDistortion(source, Given(distances), Slope(1.2)))
    optimum = cost(best.leakage, best.distortion, 1.2)
    assert cost(found.leakage, found.distortion, 1.2) - found.gap * math.log(2) <= optimum, "the bound is one"
    assert cost(bits, mean, 1.2) <= optimum + 1e-5


GRIDS: list[Grid] = [
    Grid((6, 7)),
    Grid((6, 7), (0.5, 1.0), GridDistance.SQUARED),
    Grid((6, 7), (0.5, 1.0), GridDistance.MANHATTAN),
]


@pytest.mark.parametrize("grid", GRIDS, ids=["euclidean", "squared", "manhattan"])
@pytest.mark.parametrize("part", [0.05, 0.3, 0.8])
@pytest.mark.parametrize("kind", [MaxDistortion, MaxLeakage])
def test_targets_are_met_as_by_the_dense_solver(
    grid: Grid, part: float, kind: type[MaxDistortion] | type[MaxLeakage]
) -> None:
    prior = randomness.simulation(2).dirichlet(np.full(42, 0.5)).reshape(6, 7)
    source = Distribution(range(42), prior.ravel())
    distances = np.array([grid.distances_from(cell).ravel() for cell in range(42)])
    most = float((prior.ravel() @ distances).min()) if kind is MaxDistortion else 4.5
    target: Target = kind(part * most)
    found = solve_on_grid(prior, grid, target, gap=1e-4)
    best = solve(RateDistortion(source, Given(distances), target))
    nats = 1e-4 / math.log(2)
    assert 0 <= found.gap <= nats
    rows = rows_of(found)
    bits = mutual_information(Scenario(source, Channel(range(42), range(42), rows)))
    mean = float(prior.ravel() @ (rows * distances).sum(axis=1))
    assert bits <= found.leakage + 1e-12 and mean <= found.distortion
    if kind is MaxDistortion:
        assert found.distortion <= part * most
        assert best.leakage - best.gap <= found.leakage <= best.leakage + nats
    else:
        assert found.leakage <= part * most
        # At equal leakage more distortion; what it is worth in leakage is the gap.
        assert best.distortion - 1e-6 <= found.distortion
        floor = solve(RateDistortion(source, Given(distances), MaxDistortion(found.distortion))).leakage
        assert part * most - floor <= nats + 1e-8


@pytest.mark.parametrize("distortion", [0.3, 0.5, 0.7, 0.95])
def test_straight_pieces_of_the_curve_are_met_too(distortion: float) -> None:
    # Two towns with an empty cell between: from there on it is best to name that cell some of the time, and the curve
    # is straight. One slope has all these channels, and a search at it finds any of them.
    prior, grid = np.array([0.5, 0.0, 0.5]), Grid((3,), 1.0, GridDistance.SQUARED)
    found = solve_on_grid(prior, grid, MaxDistortion(distortion), gap=1e-5)
    best = solve(RateDistortion(Distribution(range(3), prior), Squared(), MaxDistortion(distortion)))
    assert found.distortion <= distortion
    assert best.leakage - best.gap <= found.leakage <= best.leakage + 1e-5 / math.log(2)
    back = solve_on_grid(prior, grid, MaxLeakage(best.leakage), gap=1e-5)
    assert back.leakage <= best.leakage
    assert distortion - 1e-6 <= back.distortion <= distortion + 1e-4


def test_targets_at_their_ends() -> None:
    prior, grid = population(6, seed=5), Grid((6, 6))
    distances = np.array([grid.distances_from(cell).ravel() for cell in range(36)])
    least = float((prior.ravel() @ distances).min())
    for target in (MaxDistortion(100.0), MaxLeakage(0.0), Slope(0.0)):
        silent = solve_on_grid(prior, grid, target)
        assert (silent.leakage, silent.gap) == (0.0, 0.0)
        assert silent.distortion == pytest.approx(least, rel=1e-12)
        assert len(np.unique(rows_of(silent), axis=0)) == 1
    whole = solve_on_grid(prior, grid, MaxLeakage(10.0))
    assert whole.distortion < 1e-9
    assert whole.leakage == pytest.approx(-float((prior * np.log2(prior)).sum()), abs=1e-6)
    with pytest.raises(RefusalError, match="A mean distortion of 0 is impossible"):
        solve_on_grid(prior, grid, MaxDistortion(0.0))


def test_rows_are_multiples_that_sum_to_one_and_rule_nothing_out() -> None:
    # Cells 400 nats apart: floats would give 0 to most of the row.
    prior = population(20, seed=3)
    found = solve_on_grid(prior, Grid((20, 20), 20.0), Slope(1.0))
    for cell in (0, 210, 399):
        row = found.channel_row(cell)
        units = np.ldexp(row, 53)
        assert np.array_equal(units, np.rint(units)) and int(units.astype(np.int64).sum()) == 1 << 53
        assert row.min() >= 2.0**-53
        assert row.shape == (20, 20)
        ideal = found.marginal * np.exp(-found.grid.distances_from(cell))
        assert np.abs(row - ideal / ideal.sum()).sum() / 2 <= found.rounding


def test_draws_follow_the_rows() -> None:
    found = solve_on_grid(population(6, seed=5), Grid((6, 6)), Slope(0.7))
    cells = np.tile(np.array([0, 17, 35]), 40_000)
    drawn = found.draw(cells, randomness.Simulated(8))
    for cell in (0, 17, 35):
        expected = found.channel_row(cell).ravel() * 40_000
        seen = np.bincount(drawn[cells == cell], minlength=36).astype(np.float64)
        rare = expected < 10
        seen, expected = (np.append(part[~rare], part[rare].sum()) for part in (seen, expected))
        if expected[-1] < 10:
            seen, expected = (np.append(part[1:-1], part[0] + part[-1]) for part in (seen, expected))
        assert chisquare(seen, expected * seen.sum() / expected.sum()).pvalue > 1e-6


def test_one_cell_tells_nothing() -> None:
    found = solve_on_grid([[1.0]], Grid((1, 1)), Slope(1.0))
    assert found.leakage < 1e-12 and found.distortion < 1e-12
    assert found.channel_row(0).tolist() == [[1.0]]
    assert found.draw(np.zeros(0, dtype=np.int64), randomness.Simulated(1)).tolist() == []


def test_a_gap_below_the_noise_is_refused_and_said() -> None:
    with pytest.raises(EngineError, match=r"within .* nats of the best, not within 1e-15"):
        solve_on_grid(population(8, seed=4), Grid((8, 8)), Slope(3.0), gap=1e-15)


@pytest.mark.parametrize(
    ("prior", "slope", "gap", "error", "said"),
    [
        (np.full(4, 0.25), 1.0, 1e-3, ModelError, r"shape \(4,\) and the grid \(2, 2\)"),
        ([[0.5, 0.6], [-0.1, 0.0]], 1.0, 1e-3, ModelError, "contain -0.1"),
        ([[0.5, 0.5], [math.nan, 0.0]], 1.0, 1e-3, ModelError, "contain nan"),
        ([[0.5, 0.5], [0.5, 0.0]], 1.0, 1e-3, ModelError, "sum to 1.5"),
        (np.full((2, 2), 0.25), math.inf, 1e-3, OptionError, "slope of inf"),
        (np.full((2, 2), 0.25), 1.0, 0.0, OptionError, "gap of 0"),
    ],
)
def test_what_cannot_be_solved_is_refused(
    prior: object, slope: float, gap: float, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        solve_on_grid(prior, Grid((2, 2)), Slope(slope), gap)


def test_cells_that_are_none_are_refused() -> None:
    found = solve_on_grid(np.full((2, 2), 0.25), Grid((2, 2)), Slope(1.0))
    with pytest.raises(LabelError, match="no cell 4"):
        found.draw(np.array([0, 4]), randomness.Simulated(1))
    with pytest.raises(LabelError, match="whole numbers"):
        found.draw(np.array([0.5]), randomness.Simulated(1))


@pytest.mark.nightly
def test_a_million_cells_are_within_reach() -> None:
    prior, start = population(1000, seed=0), time.process_time()
    found = solve_on_grid(prior, Grid((1000, 1000)), Slope(0.3))
    assert found.gap <= 1e-3 / math.log(2)
    assert time.process_time() - start < 60
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 2 * 1024**2, "in KiB, of the whole process so far"
