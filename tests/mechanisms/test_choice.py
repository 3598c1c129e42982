"""Private choices: exact law, exact privacy on all neighbours of small cases, sampled law, error bars, bad input."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import numpy.typing as npt
import pytest

from leakgauge.errors import OptionError
from leakgauge.mechanisms import exponential, exponential_channel, permute_and_flip
from leakgauge.mechanisms.choice import Choice
from leakgauge.mechanisms.finite import exact_epsilon
from leakgauge.randomness import OperatingSystem, Randomness, Simulated
from tests.randomness.goodness import FALSE_ALARM, p_value

Factory = Callable[..., Choice]
BOTH: list[Factory] = [exponential, permute_and_flip]
UTILITIES: list[float | Fraction] = [3.0, 5, Fraction(9, 2), 5, 0]


def law(
    choice: Choice, utilities: list[float | Fraction], multiplicities: list[int] | None = None
) -> npt.NDArray[np.float64]:
    found = choice.probabilities(utilities, multiplicities)
    assert found is not None
    assert abs(found.sum() - 1) < 1e-12
    return found


def flipped_in_every_order(epsilon: float, utilities: list[float | Fraction]) -> npt.NDArray[np.float64]:
    """The law of permute-and-flip by going through all orders."""
    best = max(utilities)
    heads = [math.exp(epsilon * float(u - best) / 2) for u in utilities]
    totals = np.zeros(len(heads))
    orders = list(permutations(range(len(heads))))
    for order in orders:
        still = 1.0
        for at in order:
            totals[at] += still * heads[at] / len(orders)
            still *= 1 - heads[at]
    return totals


def test_the_laws_are_those_of_their_definitions() -> None:
    weights = np.exp([1.5 * float(u) / (2 * 2) for u in UTILITIES])
    assert np.allclose(law(exponential(1.5, sensitivity=2.0), UTILITIES), weights / weights.sum(), rtol=1e-13)
    repeated = weights * [1, 4, 0, 2, 10**6]
    assert np.allclose(
        law(exponential(1.5, sensitivity=2.0), UTILITIES, [1, 4, 0, 2, 10**6]), repeated / repeated.sum(), rtol=1e-13
    )
    assert np.allclose(law(permute_and_flip(1.5), UTILITIES), flipped_in_every_order(1.5, UTILITIES), rtol=1e-12)
    assert abs(law(permute_and_flip(0.1), list(range(1000))).sum() - 1) < 1e-10
    assert permute_and_flip(1.0).probabilities(range(2000)) is None


@pytest.mark.parametrize("make", BOTH)
def test_no_neighbour_is_told_apart_by_more_than_epsilon(make: Factory) -> None:
    choice, worst = make(0.8, sensitivity=1.0), 0.0
    before = law(choice, [2, 1, 0])
    for moves in product((-1, 0, 1), repeat=3):
        after = law(choice, [2 + moves[0], 1 + moves[1], 0 + moves[2]])
        worst = max(worst, float(np.abs(np.log(before / after)).max()))
    assert 0.5 < worst <= 0.8 + 1e-12


def test_permute_and_flip_loses_no_more_utility() -> None:
    for utilities in ([0, 1, 2], [0, 0, 5], [1, 2, 3, 4, 5, 5]):
        gained = [law(make(1.0, sensitivity=1.0), list(utilities)) @ utilities for make in BOTH]
        assert gained[1] > gained[0]


@pytest.mark.parametrize("make", BOTH)
@pytest.mark.parametrize("randomness", [Simulated(simulation_seed=20), OperatingSystem()])
def test_choices_are_drawn_by_their_law(make: Factory, randomness: Randomness) -> None:
    choice = make(1.5, sensitivity=1.0)
    drawn = Counter(choice.run(UTILITIES, randomness) for _ in range(10_000))
    assert p_value(np.array([drawn[at] for at in range(5)]), law(choice, UTILITIES)) >= FALSE_ALARM


def test_multiplicities_are_drawn_by_their_law() -> None:
    choice, randomness = exponential(1.0), Simulated(simulation_seed=21)
    utilities: list[float | Fraction] = [0, -3, 2]
    drawn = Counter(choice.run(utilities, randomness, [5, 60, 0]) for _ in range(10_000))
    assert drawn[2] == 0
    assert p_value(np.array([drawn[0], drawn[1]]), law(choice, utilities, [5, 60, 0])[:2]) >= FALSE_ALARM


@pytest.mark.parametrize("make", BOTH)
def test_the_error_bar_holds(make: Factory) -> None:
    choice = make(1.0, sensitivity=2.0)
    for utilities in ([0] * 49 + [20], list(range(50)), [0] * 30 + [7] * 20):
        lost = max(utilities) - np.array(utilities)
        for confidence in (0.5, 0.9, 0.99):
            assert law(choice, list(utilities))[lost <= choice.error_bar(50, confidence)].sum() >= confidence
    assert choice.error_bar(50, 0.9) == pytest.approx(4 * math.log(500))


def test_utilities_of_any_size_are_exact() -> None:
    huge: list[float | Fraction] = [10**400, 10**400 - 1, Fraction(1, 3), 1e308, -1e308]
    for make in BOTH:
        assert {make(1.0, sensitivity=1.0).run(huge, Simulated(simulation_seed=seed)) for seed in range(40)} == {0, 1}
        assert make(1.0, sensitivity=1.0).run(np.array([7.0, -1e300]), Simulated(simulation_seed=1)) == 0


def test_the_finite_mechanism_has_at_most_the_epsilon_asked_for() -> None:
    places = np.arange(6)
    for epsilon in (1e-6, 0.3, 1.0, 5.0, 60.0):
        near = exponential_channel(places.tolist(), places.tolist(), -np.abs(places[:, None] - places), epsilon)
        assert near.parameters["sensitivity"] == 5.0
        assert near.claims[0].level == exact_epsilon(near.channel()) <= epsilon
        if epsilon == 1.0:
            weights = np.exp(-np.abs(places[:, None] - places) / 10)
            assert np.allclose(near.channel().matrix, weights / weights.sum(axis=1, keepdims=True), rtol=1e-9)


def test_what_cannot_be_used_is_refused() -> None:
    for make in BOTH:
        for epsilon, sensitivity in [(0, 1), (-1, 1), (math.nan, 1), (math.inf, 1), (1, 0), (1, math.inf), (1, -2)]:
            with pytest.raises(OptionError, match="not a finite number above 0"):
                make(epsilon, sensitivity=sensitivity)
        for utilities, message in [([], "no candidates"), ([1, math.nan], "utility"), ([math.inf, 0], "utility")]:
            with pytest.raises(OptionError, match=message):
                make(1.0, sensitivity=1.0).run(utilities, Simulated(simulation_seed=0))
        with pytest.raises(OptionError, match="confidence"):
            make(1.0, sensitivity=1.0).error_bar(3, 1.0)
    for wrong in ([1], [1, -1], [0, 0], [0.5, 1]):
        with pytest.raises(OptionError, match="multiplicities"):
            exponential(1.0).run([1, 2], Simulated(simulation_seed=0), wrong)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="no multiplicities"):
        permute_and_flip(1.0).run([1, 2], Simulated(simulation_seed=0), [1, 1])
    with pytest.raises(OptionError, match="below 1"):
        exponential_channel("ab", "xy", [[0, 1], [1, 0]], 1.0, sensitivity=0.5)
    with pytest.raises(OptionError, match="not a finite number above 0"):
        exponential_channel("ab", "xy", [[0, 1], [0, 1]], 1.0)
    with pytest.raises(OptionError, match="2 rows of 2"):
        exponential_channel("ab", "xy", [[0.0, math.nan], [0.0, 1.0]], 1.0)
