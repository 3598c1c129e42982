"""Sets as outputs: right where they contain the truth, and priced by their size."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest

from leakgauge.design import MaxDistortion, RateDistortion, solve
from leakgauge.distances import Containment, Hamming
from leakgauge.errors import OptionError
from leakgauge.probability import Distribution, Interval


def test_what_contains_what() -> None:
    jobs = Containment({"food": {"baker", "cook"}, "any": ("baker", "cook", "judge")})
    made = ["baker", "food", "any", None, frozenset({"cook", "judge"}), "nothing"]
    assert jobs.contained(["baker", "cook", "judge"], made).tolist() == [
        [1, 1, 1, 1, 0, 0],
        [0, 1, 1, 1, 1, 0],
        [0, 0, 1, 1, 1, 0],
    ]
    assert jobs.sizes(["baker", "cook", "judge"], made).tolist() == [1, 2, 3, 3, 2, 0]


def test_intervals_hold_numbers_and_dates() -> None:
    tens = [Interval(0, 10), Interval(10, None), Interval(0, 10, closed=True)]
    assert Containment().contained([0, 9.5, 10, None, "5", True], tens).tolist() == [
        [1, 0, 1],
        [1, 0, 1],
        [0, 1, 1],
        [0, 0, 0],
        [0, 0, 0],
        [0, 0, 0],
    ]
    year = Interval(date(2024, 1, 1), date(2025, 1, 1))
    assert (year.contains(date(2024, 12, 31)), year.contains(date(2025, 1, 1)), year.contains(7)) == (
        True,
        False,
        False,
    )


def test_without_sets_it_is_hammings() -> None:
    letters = ["a", "b", "c"]
    assert np.array_equal(Containment().between(letters, letters), Hamming().between(letters, letters))


@pytest.mark.parametrize("price", [-0.1, float("nan"), float("inf")])
def test_a_price_is_a_number(price: float) -> None:
    with pytest.raises(OptionError, match="is not a finite number of at least 0"):
        Containment(price=price)


def test_a_design_may_answer_with_a_set() -> None:
    """With a price the least leaking channel releases sets beside values; with none, the set of everything alone."""
    source = Distribution(["baker", "cook", "judge"], [0.3, 0.3, 0.4])
    sets = {"food": ("baker", "cook"), "any": ("baker", "cook", "judge")}
    free = solve(RateDistortion(source, Containment(sets), MaxDistortion(0.0)))
    assert free.leakage == pytest.approx(0.0, abs=1e-9)
    priced = solve(RateDistortion(source, Containment(sets, price=0.5), MaxDistortion(0.2)))
    blind = solve(RateDistortion(source, Hamming(), MaxDistortion(0.2)))
    assert 0 < priced.leakage < blind.leakage
