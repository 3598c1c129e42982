"""Products on grids are those of the whole matrix, and stay within what is said of their error."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from leakgauge import randomness
from leakgauge.distances import grid as grid_module
from leakgauge.distances.grid import Grid, GridDistance
from leakgauge.errors import LabelError, OptionError
from leakgauge.probability.cells import Floats

SHAPES = [((7,), 1.0), ((6, 9), 0.5), ((5, 1), (2.0, 3.0)), ((4, 3, 5), (1.0, 0.5, 2.0)), ((40, 30), 1.0)]


def matrix_of(grid: Grid) -> Floats:
    return np.array([grid.distances_from(cell).ravel() for cell in range(grid.cells)])


def test_distances_are_what_their_names_say() -> None:
    steps = {GridDistance.EUCLIDEAN: 5.0, GridDistance.SQUARED: 25.0, GridDistance.MANHATTAN: 7.0}
    for distance, expected in steps.items():
        grid = Grid((4, 3), (1.0, 2.0), distance)
        assert grid.distances_from(0)[3, 2] == expected
        assert expected <= grid.largest <= expected * (1 + 1e-9)
        whole = matrix_of(grid)
        assert np.array_equal(whole, whole.T)
        assert grid.smallest == whole[whole > 0].min()


@pytest.mark.parametrize("distance", list(GridDistance))
@pytest.mark.parametrize(("shape", "spacing"), SHAPES)
@pytest.mark.parametrize("slope", [0.05, 1.0, 6.0])
def test_products_are_those_of_the_matrix(
    distance: GridDistance, shape: tuple[int, ...], spacing: tuple[float, ...] | float, slope: float
) -> None:
    grid = Grid(shape, spacing, distance)
    compare(grid, slope)


def test_long_sides_of_squared_distances_go_by_transform(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grid_module, "LONGEST_SIDE", 8)
    compare(Grid((30, 4), 0.5, GridDistance.SQUARED), 3.0)
    compare(Grid((60,), 1.0, GridDistance.SQUARED), 3.0)


def compare(grid: Grid, slope: float) -> None:
    draw = randomness.simulation(3)
    weights = draw.random(grid.shape) * (draw.random(grid.shape) < 0.5)
    weights.flat[0] = 1.0
    distances = matrix_of(grid)
    kernel, plain = grid.kernel(slope), np.exp(-slope * distances)
    for factors, operator in (
        (plain, kernel.plain),
        (plain * distances, kernel.weighted),
    ):
        expected = (factors @ weights.ravel()).reshape(grid.shape)
        scale = factors.sum(axis=0).max() * weights.max() + weights.sum()
        assert np.abs(operator.times(weights) - expected).max() <= 1e-12 * scale
        low, high = operator.times_within(weights)
        # The matrix product is itself off by some units in its last place.
        assert np.all(low <= expected * (1 + 1e-13)) and np.all(expected * (1 - 1e-13) <= high)
        assert (high - low).max() <= 1e-9 * scale


def test_far_from_all_weight_the_truth_still_lies_within() -> None:
    # The truth is e^-990 there, which the transform cannot see: what it gives is noise.
    grid = Grid((100, 4), 10.0)
    weights = np.zeros(grid.shape)
    weights[0, 0] = 1.0
    low, high = grid.kernel(1.0).plain.times_within(weights)
    assert np.all(low[6:] == 0.0) and np.all(high > 0) and high[-1].max() < 1e-10


def test_recursive_filters_keep_their_digits_far_off() -> None:
    grid = Grid((300,), 1.0, GridDistance.MANHATTAN)
    weights = np.zeros(300)
    weights[0] = 1.0
    found = grid.kernel(2.0).plain.times(weights)
    assert found[290] == pytest.approx(math.exp(-580), rel=1e-11)
    exact = sum(Fraction(1, 2**step) * step for step in range(300))
    halves = Grid((300,), 1.0, GridDistance.MANHATTAN).kernel(math.log(2)).weighted.times(np.ones(300))
    assert halves[0] == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize(
    ("shape", "spacing", "said"),
    [
        ((), 1.0, "no cells"),
        ((3, 0), 1.0, "no cells"),
        ((3, 3), 0.0, "not a distance"),
        ((3, 3), math.nan, "not a distance"),
        ((3, 3), (1.0, math.inf), "not a distance"),
        ((3, 3), (1.0,), "1 spacings for 2 axes"),
    ],
)
def test_grids_that_are_none_are_refused(shape: tuple[int, ...], spacing: tuple[float, ...] | float, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        Grid(shape, spacing)


def test_cells_and_slopes_outside_are_refused() -> None:
    grid = Grid((2, 2))
    for cell in (-1, 4):
        with pytest.raises(LabelError, match="cells 0 to 3"):
            grid.distances_from(cell)
    for slope in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(OptionError, match="no kernel on a grid"):
            grid.kernel(slope)
