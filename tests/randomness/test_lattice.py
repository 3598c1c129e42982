"""Noise on a lattice has its law: against the exact weights, in its moments and symmetries, coin by coin."""

from __future__ import annotations

import math
from fractions import Fraction
from importlib import import_module

import numpy as np
import numpy.typing as npt
import pytest

from leakgauge.randomness import Simulated
from leakgauge.randomness.draws import coins_enclosed, root_bounds
from leakgauge.randomness.lattice import LatticeLaplace
from tests.randomness.goodness import FALSE_ALARM, Replayed, p_value

DRAWS = 400_000


def weights(law: LatticeLaplace, reach: int) -> npt.NDArray[np.float64]:
    """e^(−ε|v|) for rows and columns from −reach to reach, normalised: what lies beyond is nothing."""
    steps = np.arange(-reach, reach + 1)
    lengths = np.hypot(law.height * steps[:, None], law.width * steps[None, :])
    found = np.exp(-law.epsilon * lengths)
    assert found[0].max() < 1e-16 and found[:, 0].max() < 1e-16
    return np.asarray(found / found.sum())


@pytest.mark.parametrize(
    "law",
    [
        LatticeLaplace(1.0, 1.0, 1.0),
        LatticeLaplace(0.25, 1.0, 1.0),
        LatticeLaplace(1.3, 1.112, 0.702),
        LatticeLaplace(3.0, 1.0, 0.25),
        LatticeLaplace(5.0, 1.0, 1.0),
    ],
    ids=str,
)
def test_draws_have_their_law_their_moments_and_their_symmetry(law: LatticeLaplace) -> None:
    rows, columns = law.draw(DRAWS, Simulated(simulation_seed=3))
    reach = math.ceil(40 / law.epsilon / min(law.height, law.width))
    chances = weights(law, reach)
    # Beside the many cells that chance hits often, only such as are expected 20 times or more are counted apart.
    seen = np.bincount((rows + reach) * (2 * reach + 1) + columns + reach, minlength=chances.size)
    order = np.argsort(-chances.ravel(), kind="stable")
    assert p_value(seen[order], chances.ravel()[order]) >= FALSE_ALARM
    steps = np.arange(-reach, reach + 1)
    for drawn, own in ((rows, chances.sum(axis=1)), (columns, chances.sum(axis=0))):
        variance, fourth = (float(own @ steps.astype(float) ** power) for power in (2, 4))
        assert abs(float(drawn.mean())) < 6 * math.sqrt(variance / DRAWS)
        assert abs(float((drawn.astype(float) ** 2).mean()) - variance) < 6 * math.sqrt((fourth - variance**2) / DRAWS)
        assert abs(int((drawn > 0).sum()) - int((drawn < 0).sum())) < 6 * math.sqrt(DRAWS)
    crossed = float(np.mean(rows * columns))
    assert abs(crossed) < 6 * float(np.std(rows * columns)) / math.sqrt(DRAWS)


def test_a_side_that_is_off_by_a_part_in_fifty_is_seen() -> None:
    rows, columns = LatticeLaplace(1.0, 1.02, 1.0).draw(DRAWS, Simulated(simulation_seed=3))
    chances = weights(LatticeLaplace(1.0, 1.0, 1.0), 40)
    seen = np.bincount((rows + 40) * 81 + columns + 40, minlength=chances.size)
    order = np.argsort(-chances.ravel(), kind="stable")
    assert p_value(seen[order], chances.ravel()[order]) < FALSE_ALARM


def test_every_coin_by_rational_arithmetic_falls_as_by_floats(monkeypatch: pytest.MonkeyPatch) -> None:
    law = LatticeLaplace(0.7, 1.112, 0.702)
    quick = law.draw(300, Simulated(simulation_seed=8))
    monkeypatch.setattr("leakgauge.randomness.draws.DOUBT", 2.0)
    exact = law.draw(300, Simulated(simulation_seed=8))
    assert all(np.array_equal(*pair) for pair in zip(quick, exact, strict=True))


def test_a_coin_on_the_edge_of_an_irrational_exponent_asks_for_more_bits() -> None:
    mpmath = import_module("mpmath")
    with mpmath.workdps(60):
        power = mpmath.exp(-mpmath.sqrt(2))
        first = int(mpmath.floor(power * 2**64))
        second = int(mpmath.floor((power * 2**64 - first) * 2**64))
    for word, heads in ((second - 1, True), (second + 1, False)):
        source = Replayed([first, word])
        tossed = coins_enclosed(
            np.array([math.sqrt(2)]), lambda _: lambda digits: root_bounds(Fraction(2), digits), source
        )
        assert (tossed.tolist(), source.asked) == ([heads], 2)


@pytest.mark.parametrize("square", [Fraction(0), Fraction(2), Fraction(9, 4), Fraction(1, 10**50), Fraction(10**30, 7)])
def test_roots_are_enclosed_tightly(square: Fraction) -> None:
    for digits in (5, 40, 100):
        low, high = root_bounds(square, digits)
        assert low**2 <= square <= high**2
        assert high - low <= Fraction(1, 10**digits)
    assert root_bounds(Fraction(9, 4), 5) == (Fraction(3, 2), Fraction(3, 2))


@pytest.mark.parametrize(
    "numbers", [(0.0, 1.0, 1.0), (1.0, -1.0, 1.0), (1.0, 1.0, math.nan), (1e-30, 1.0, 1.0), (1e300, 1e300, 1.0)]
)
def test_sides_that_cannot_be_drawn_are_refused(numbers: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match=r"above 0|steps lies outside"):
        LatticeLaplace(*numbers)
