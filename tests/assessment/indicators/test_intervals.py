"""Intervals of measured leaves: how often they hold what they should."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from leakgauge.assessment import collect, protected_column
from leakgauge.assessment.indicators import accuracy, information
from leakgauge.assessment.indicators.indicator import Context
from leakgauge.assessment.indicators.protected import ProtectedColumn, released_again
from leakgauge.assessment.indicators.setting import LetterSetting, setting_of
from leakgauge.assessment.indicators.source import source_of
from leakgauge.errors import OptionError
from leakgauge.measures import mutual_information
from leakgauge.mechanisms import laplace, randomized_response
from leakgauge.probability import Interval, Label, Scenario
from leakgauge.randomness import Simulated
from leakgauge.tables import open_table
from tests.assessment.indicators.small import LETTERS, by_leaf, table
from tests.grids import nightly

SEEDS = range(1000, 1100)


@pytest.fixture(scope="module")
def letters() -> ProtectedColumn:
    return protected_column(table(), "illness", randomized_response(1.0, letters=LETTERS), Simulated(1))


@pytest.mark.parametrize("seeds", [30, nightly(100)])
def test_letters_hold_the_law_in_nine_of_ten_seeds(letters: ProtectedColumn, seeds: int) -> None:
    setting, held = letters.setting, 0
    assert isinstance(setting, LetterSetting)
    told = mutual_information(Scenario(setting.prior, setting.channel))
    for seed in SEEDS[:seeds]:
        found = by_leaf(information.measured(released_again(setting, Simulated(seed)), Context()))["6"]
        held += found.interval[0] <= told <= found.interval[1]
    assert held >= 0.9 * seeds


def measures(made: ProtectedColumn) -> tuple[float | None, ...]:
    if isinstance(made.setting, LetterSetting):
        counts = made.setting.counts(made.inputs, made.outputs)
        return accuracy.letter_measures(counts / counts.sum(), made.setting.same, int(counts.sum()))
    x, y = (np.asarray(one, dtype=np.float64) for one in (made.inputs, made.outputs))
    return tuple(accuracy.number_measures(accuracy.number_sums(x, y)[0], float(x.mean())).tolist())


def test_simulated_intervals_hold_other_seeds(letters: ProtectedColumn) -> None:
    intervals = {one.leaf: one.interval for one in accuracy.measured(letters, Context(simulation_seed=9))}
    held = dict.fromkeys(intervals, 0)
    for seed in SEEDS:
        found = measures(released_again(letters.setting, Simulated(seed)))
        for leaf, measure in zip(intervals, found, strict=True):
            assert measure is not None
            held[leaf] += intervals[leaf][0] <= measure <= intervals[leaf][1]
    assert all(times >= 88 for times in held.values()), held


@pytest.mark.parametrize("epsilon", [0.5, 20.0])
def test_the_jackknife_of_rows_holds_the_mean_of_many_seeds(epsilon: float) -> None:
    setting = setting_of(laplace(epsilon, lower=0, upper=100), source_of(table(1000), "age"))
    releases = [released_again(setting, Simulated(seed)) for seed in SEEDS[:50]]
    middle = np.array([measures(one) for one in releases], dtype=np.float64).mean(axis=0)
    held = np.zeros(4)
    for made in releases:
        ends = np.array([one.interval for one in accuracy.measured(made, Context())])
        held += (ends[:, 0] <= middle) & (middle <= ends[:, 1])
    assert (held >= 44).all(), held


@pytest.mark.parametrize("form", ["letters", "numbers"])
def test_a_higher_confidence_widens_the_intervals(form: str, letters: ProtectedColumn) -> None:
    made, leaves = letters, ("6", "7", "8", "27")
    if form == "numbers":
        made = protected_column(table(1000), "age", laplace(5.0, lower=0, upper=100), Simulated(1))
        leaves = ("6", "7", "8", "9")
    widths = []
    for confidence in (0.5, 0.95, 0.999):
        found = by_leaf(collect(made, confidence=confidence))
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
    bins: list[Label] = [Interval(low / 2, (low + 1) / 2) for low in range(-100, 250)]
    made = protected_column(table(), "age", randomized_response(6.0, letters=bins), Simulated(1))
    assert isinstance(made.setting, LetterSetting)
    assert made.setting.channel.matrix.size * accuracy.DRAWS > accuracy.MOST_CELLS
    assert all(one.interval[0] < one.interval[1] for one in accuracy.measured(made, Context()))
