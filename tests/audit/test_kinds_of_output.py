"""Outputs of every kind: what can be compared is compared, and what tells the inputs apart is found."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from leakgauge.audit import DeclaredNoise, lower_bound
from leakgauge.audit.outputs import alike, as_outputs
from leakgauge.audit.texts import LONGEST, shortened
from leakgauge.claims import CentralDP, LocalDP
from leakgauge.errors import LeakgaugeError, ModelError
from leakgauge.mechanisms import geometric, subset_selection
from leakgauge.mechanisms.noise import DiscreteLaplace
from leakgauge.randomness import Simulated, simulation
from tests.audit import broken

if TYPE_CHECKING:
    from numpy.random import Generator

CLAIM, PAIR = CentralDP(1.0), [(0.0, 1.0)]

WRAPPED: dict[str, Callable[[float], object]] = {
    "Decimal": Decimal,
    "Fraction": Fraction,
    "complex": lambda number: complex(1, number),
    "dictionary": lambda number: {"a": number},
    "nested": lambda number: (("x", number),),
    "table": lambda number: np.array([[number, 1.0]]),
    "array without an axis": np.array,
    "list": lambda number: [number],
    "list of whole numbers": lambda number: [round(100 * number), 3],
}


@pytest.mark.parametrize("wrap", WRAPPED.values(), ids=WRAPPED)
def test_a_number_in_any_wrapping_is_a_number(wrap: Callable[[float], object]) -> None:
    draw = simulation(1)
    shown = lower_bound(lambda value: wrap(value + draw.laplace(0, 0.1)), CLAIM, PAIR, samples=2_000)
    assert shown.violated
    assert not shown.deterministic


def test_both_parts_of_complex_arrays_are_looked_at() -> None:
    draw = simulation(2)
    shown = lower_bound(lambda v, n: v + 1j * draw.random(n), CLAIM, PAIR, samples=2_000, batched=True)
    assert shown.violated


@pytest.mark.parametrize(
    ("one", "other"), [(1, 1.0), (None, "None"), (0.0, -0.0), (10**400, 10**300), (b"a", "a"), ({"a": 1.0}, {"b": 1.0})]
)
def test_type_and_sign_are_part_of_an_output(one: Any, other: Any) -> None:
    shown = lower_bound(lambda value: one if value else other, CLAIM, PAIR, samples=2_000)
    assert shown.violated
    assert shown.deterministic


def test_a_type_that_comes_late_is_read_in_the_rounds_before_it_too() -> None:
    draw = simulation(3)
    calls = [0]

    def run(value: float) -> float:
        calls[0] += 1
        return draw.random() if calls[0] < 2_000 else round(draw.random() * 4)

    shown = lower_bound(run, CLAIM, PAIR, samples=2_000)
    assert shown.samples == 2_000


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (lambda value, count: None, "NoneType instead of a list"),
        (lambda value, count: 1.5, "float instead of a list"),
        (lambda value, count: (1 for _ in range(count)), "generator instead of a list"),
        (lambda value, count: np.array(3.0), "ndarray instead of a list"),
        (lambda value, count: "abc", "str instead of a list"),
        (lambda value, count: np.array([object()] * count), "type object, which cannot"),
        (lambda value, count: [print] * count, "type builtin_function_or_method, which cannot"),
        (lambda value, count: [(1.0, math.nan)] * count, "NaN"),
        (lambda value, count: [[1.0], [1.0, 2.0]] * (count // 2), "different lengths"),
        (lambda value, count: np.empty((count, 0)), "empty outputs"),
    ],
)
def test_what_cannot_be_compared_gets_one_sentence(function: Callable[..., Any], says: str) -> None:
    with pytest.raises(ModelError, match=says) as found:
        lower_bound(function, CLAIM, PAIR, samples=2_000, batched=True)
    assert isinstance(found.value, LeakgaugeError)
    assert "\n" not in str(found.value)


def test_arrays_of_many_axes_and_of_objects_are_rows() -> None:
    assert as_outputs(np.zeros((5, 2, 3))).shape == (5, 6)
    assert as_outputs(np.array([1.5, 2.5], dtype=object)).tolist() == [1.5, 2.5]
    assert as_outputs([{"b", "a"}])["text"].tolist() == as_outputs([{"a", "b"}])["text"].tolist()
    assert as_outputs(np.array(["2020-01-01"], dtype="datetime64[D]")).tolist() == [18262]


def test_long_labels_are_kept_short_and_apart() -> None:
    texts = ["x" * 100_000, "x" * 100_000 + "y", "z"]
    kept = [shortened(text) for text in texts]
    assert len(set(kept)) == 3
    assert max(map(len, kept)) == LONGEST
    assert as_outputs(texts).dtype.itemsize == as_outputs(["z"]).dtype.itemsize


def test_arrays_of_different_types_are_brought_into_one_form() -> None:
    whole, real = alike(np.array([1, 2]), np.array([1.0, 2.5]))
    assert whole["text"].tolist() == ["int", "int"]
    assert real["numbers"][:, 0].tolist() == [1.0, 2.5]
    with pytest.raises(ModelError, match="different kinds"):
        alike(np.array(["a"]), np.array([1.0]))


@pytest.mark.parametrize("pair", [(5.0, 6.0), (2.0, 3.0), (0.1, 1.1)])
def test_which_floats_are_reached_tells_inputs_apart(pair: tuple[float, float]) -> None:
    shown = lower_bound(broken.textbook_laplace(1), CLAIM, [pair], samples=100_000, batched=True, stop_early=False)
    assert shown.violated
    assert shown.at_least > 3


def test_low_bits_of_rows_of_numbers_are_looked_at() -> None:
    draw = simulation(4)
    shown = lower_bound(
        lambda v, n: np.column_stack([draw.random(n), v + draw.laplace(0, 1, n)]),
        CLAIM,
        PAIR,
        samples=20_000,
        batched=True,
        stop_early=False,
    )
    assert shown.at_least > 5
    assert str(shown.event).startswith("number 2 of each: lowest set bit")


ODD: dict[str, tuple[Callable[[Generator, float, int], Any], tuple[float, float]]] = {
    "now and then the value itself": (
        lambda draw, v, n: np.where(draw.random(n) < 0.005, v, 0.25 + draw.laplace(0, 1, n)),
        (0.5, 1.5),
    ),
    "parity": (lambda draw, v, n: 2 * draw.integers(0, 10**6, n) + int(v), (0.0, 1.0)),
    "whole noise": (lambda draw, v, n: v + np.rint(draw.laplace(0, 1000, n)), (0.3, 0.8)),
    "parity of large numbers": (lambda draw, v, n: 10**18 + int(v) + 2 * draw.integers(0, 10**6, n), (0.0, 1.0)),
}


@pytest.mark.parametrize(("function", "pair"), ODD.values(), ids=ODD)
def test_values_that_repeat_and_remainders_are_looked_at(
    function: Callable[[Generator, float, int], Any], pair: tuple[float, float]
) -> None:
    draw = simulation(5)
    shown = lower_bound(
        lambda v, n: function(draw, v, n), CLAIM, [pair], samples=100_000, batched=True, stop_early=False
    )
    assert shown.at_least > 3


def test_rows_that_differ_only_in_how_their_numbers_go_together_are_told_apart() -> None:
    draw = simulation(6)

    def sums(value: float, count: int) -> Any:
        coins = draw.integers(0, 2, (count, 2))
        return np.column_stack([coins, coins.sum(axis=1) % 2 ^ int(value)])

    shown = lower_bound(sums, CLAIM, PAIR, samples=4_000, batched=True, stop_early=False)
    assert shown.at_least > 4
    assert str(shown.event) == "one of 4 rows"


def test_sets_of_many_letters_are_told_apart() -> None:
    letters = [chr(97 + at) for at in range(26)]
    shown = lower_bound(
        subset_selection(1.0, letters=letters), LocalDP(0.1), samples=20_000, stop_early=False, randomness=Simulated(1)
    )
    assert 0.8 < shown.at_least <= 1.0


AFTERWARDS: dict[str, Callable[[Any], Any]] = {
    "rounded": np.rint,
    "clipped": lambda numbers: np.clip(broken.on_grid(numbers), 0, 1),
}


@pytest.mark.parametrize("afterwards", AFTERWARDS.values(), ids=AFTERWARDS)
def test_declared_noise_that_is_rounded_or_clipped_is_not_accused(afterwards: Callable[[Any], Any]) -> None:
    draw = simulation(7)
    shown = lower_bound(
        lambda value, count: afterwards(value + draw.laplace(0, 1, count)),
        CLAIM,
        PAIR,
        samples=20_000,
        batched=True,
        declared=DeclaredNoise(DiscreteLaplace, 1.0, 1.0),
    )
    assert not shown.violated


def test_declared_noise_on_a_coarse_grid_is_not_accused() -> None:
    declared = DeclaredNoise(DiscreteLaplace, 1.0, 1.0)
    shown = lower_bound(
        geometric(1.0, sensitivity=1), CLAIM, samples=20_000, declared=declared, randomness=Simulated(2)
    )
    assert not shown.violated
