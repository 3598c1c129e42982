"""Intervals of measured leaves: how often they hold what they should."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

from leakgauge.assessment import collect, expected
from leakgauge.assessment.indicators import (
    Protected,
    accuracy,
    attacks,
    audited,
    information,
    protected_column,
    protected_histogram,
    setting_of,
    source_of,
)
from leakgauge.assessment.indicators.indicator import Context
from leakgauge.assessment.indicators.protected import released_again
from leakgauge.assessment.indicators.setting import LetterSetting
from leakgauge.errors import OptionError
from leakgauge.mechanisms import gaussian, laplace, randomized_response
from leakgauge.probability import Interval, Label
from leakgauge.randomness import Simulated
from leakgauge.tables import open_table
from tests.assessment.indicators.small import LETTERS, by_leaf, table, value
from tests.grids import nightly

SEEDS = range(1000, 1100)


@pytest.mark.parametrize("seeds", [30, nightly(100)])
def test_letters_hold_the_law_in_nine_of_ten_seeds(seeds: int) -> None:
    setting = setting_of(randomized_response(1.0, letters=LETTERS), source_of(table(), "illness"))
    law = by_leaf(expected(setting))
    held = dict.fromkeys(("6", "7", "8"), 0)
    for seed in SEEDS[:seeds]:
        for one in information.measured(released_again(setting, Simulated(seed)), Context()):
            if one.leaf in held:
                held[one.leaf] += one.interval[0] <= value(law[one.leaf]) <= one.interval[1]
    assert all(times >= 0.9 * seeds for times in held.values()), held


@pytest.mark.parametrize("form", ["letters", "answers"])
def test_simulated_intervals_hold_other_seeds(form: str) -> None:
    first = (
        protected_column(table(), "illness", randomized_response(1.0, letters=LETTERS), Simulated(1))
        if form == "letters"
        else protected_histogram(table(), "illness", gaussian(0.5, 1e-3, sensitivity=2), Simulated(1))
    )
    intervals = {one.leaf: one.interval for one in accuracy.measured(first, Context(simulation_seed=9))}
    held = dict.fromkeys(intervals, 0)
    for seed in SEEDS:
        made = released_again(first.setting, Simulated(seed))
        found: tuple[float | None, ...]
        if not isinstance(made.setting, LetterSetting):
            x, y = (np.asarray(one, dtype=np.float64) for one in (made.inputs, made.outputs))
            found = tuple(accuracy.number_measures(accuracy.number_sums(x, y)[0], float(x.mean())).tolist())
        else:
            counts = made.setting.counts(made.inputs, made.outputs)
            found = accuracy.letter_measures(counts / counts.sum(), made.setting.same, int(counts.sum()))
        for leaf, measure in zip(intervals, found, strict=True):
            assert measure is not None
            held[leaf] += intervals[leaf][0] <= measure <= intervals[leaf][1]
    assert all(times >= 88 for times in held.values()), held


@pytest.mark.parametrize("epsilon", [0.5, 20.0])
def test_the_jackknife_of_rows_holds_the_law_in_90_of_100_seeds(epsilon: float) -> None:
    setting = setting_of(laplace(epsilon, lower=0, upper=100), source_of(table(), "age"))
    law = by_leaf(accuracy.expected(setting, Context()))
    held = dict.fromkeys(law, 0)
    for seed in SEEDS:
        for one in accuracy.measured(released_again(setting, Simulated(seed)), Context()):
            held[one.leaf] += one.interval[0] <= value(law[one.leaf]) <= one.interval[1]
    assert all(times >= 90 for times in held.values()), held


@pytest.mark.parametrize("seeds", [10, nightly(40)])
def test_numbers_hold_the_law_in_nine_of_ten_seeds(seeds: int) -> None:
    setting = setting_of(laplace(20.0, lower=0, upper=100), source_of(table(1000), "age"))
    law = by_leaf(information.expected(setting, Context()))
    held = dict.fromkeys(("6", "7", "8", "9"), 0)
    for seed in SEEDS[:seeds]:
        for one in information.measured(released_again(setting, Simulated(seed)), Context(simulation_seed=seed)):
            held[one.leaf] += one.interval[0] <= value(law[one.leaf]) <= one.interval[1]
    assert all(times >= 0.9 * seeds for times in held.values()), held


def test_attacks_hold_the_law_in_36_of_40_seeds() -> None:
    setting = setting_of(randomized_response(1.0, letters=LETTERS), source_of(table(1000), "illness"))
    (law,) = attacks.expected(setting, Context())
    held = 0
    for seed in SEEDS[:40]:
        made = released_again(setting, Simulated(seed))
        (one,) = attacks.measured(made, Context(audited(made, simulation_seed=seed)))
        held += one.interval[0] <= value(law) <= one.interval[1]
        assert one.interval[1] - one.interval[0] < 0.6
    assert held >= 36


@pytest.mark.parametrize("form", ["letters", "numbers", "answers"])
def test_a_higher_confidence_widens_the_intervals(form: str) -> None:
    makers: dict[str, Callable[[], Protected]] = {
        "letters": lambda: protected_column(
            table(), "illness", randomized_response(1.0, letters=LETTERS), Simulated(1)
        ),
        "numbers": lambda: protected_column(table(), "age", laplace(5.0, lower=0, upper=100), Simulated(1)),
        "answers": lambda: protected_histogram(table(), "illness", laplace(0.1, sensitivity=2), Simulated(1)),
    }
    made = makers[form]()
    widths = []
    for confidence in (0.5, 0.95, 0.999):
        found = by_leaf(collect(made, confidence=confidence))
        leaves = {"letters": ("6", "7", "8", "27"), "numbers": ("6", "7", "8", "9"), "answers": ()}[form]
        ends = [found[leaf].interval for leaf in (*leaves, "10", "11", "12", "13")]
        widths.append([high - low for low, high in ends])
    assert all(a < b < c for a, b, c in zip(*widths, strict=True)), widths
    with pytest.raises(OptionError, match=r"confidence of 1\.5 is not between 0 and 1"):
        collect(made, confidence=1.5)


def test_no_interval_leaves_what_the_measure_can_be() -> None:
    few = open_table(pa.table({"x": np.arange(16.0), "y": list("abab") * 4}))
    for seed in range(12):
        made = protected_column(few, "x", laplace(1.0, lower=0, upper=15), Simulated(seed))
        found = by_leaf(collect(made))
        assert min(found[leaf].interval[0] for leaf in ("6", "7", "8", "10", "11")) >= 0
        assert max(abs(end) for leaf in ("12", "13") for end in found[leaf].interval) <= 1


def test_an_alphabet_too_large_to_simulate_by_cells() -> None:
    letters: list[Label] = [Interval(low / 2, (low + 1) / 2) for low in range(-100, 250)]
    made = protected_column(table(), "age", randomized_response(6.0, letters=letters), Simulated(1))
    found = by_leaf(collect(made))
    law = by_leaf(expected(made.setting))
    assert isinstance(made.setting, LetterSetting)
    assert made.setting.channel.matrix.size * accuracy.DRAWS > accuracy.MOST_CELLS
    for leaf in ("10", "12"):
        low, high = found[leaf].interval
        assert low < high
        assert value(law[leaf]) == pytest.approx(value(found[leaf]), rel=0.1)
