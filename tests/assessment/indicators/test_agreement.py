"""Measured and computed leaves beside each other: little noise, missing numbers, public columns that are read."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pyarrow as pa
import pytest

from leakgauge.artefacts.evidence import Evidence, Standing
from leakgauge.assessment import collect, expected
from leakgauge.assessment.indicators import (
    Protected,
    accuracy,
    audited,
    protected_column,
    protected_of_release,
    source_of,
)
from leakgauge.assessment.indicators.indicator import Context
from leakgauge.assessment.indicators.noisy_numbers import mixture, summed
from leakgauge.assessment.indicators.protected import ProtectedColumn, released_again
from leakgauge.assessment.indicators.setting import LetterSetting, setting_of
from leakgauge.errors import ColumnError
from leakgauge.mechanisms import discrete_gaussian, gaussian, geometric, laplace, randomized_response, through_channel
from leakgauge.mechanisms.noisy_number import NoisyNumber
from leakgauge.probability import Channel, Label
from leakgauge.probability.files import NamedChannel
from leakgauge.randomness import Simulated, simulation
from leakgauge.release import ReleasePlan
from leakgauge.tables import Table, open_table
from tests.assessment.indicators.small import by_leaf, position, table, value


def normal(rows: int, missing: float = 0.0) -> Table:
    draws = simulation(3)
    x, gone = draws.normal(50, 10, size=rows), draws.random(rows) < missing
    return open_table(pa.table({"x": pa.array(x, mask=gone), "y": draws.integers(3, size=rows)}))


@pytest.mark.parametrize(
    "noise",
    [laplace(4.0, lower=0, upper=40), gaussian(2.0, 1e-3, lower=0, upper=40), geometric(9.0, lower=0, upper=40)],
)
def test_all_numbers_at_once_tell_what_each_by_itself_does(noise: NoisyNumber) -> None:
    numbers, shares = np.arange(0.0, 40.0, 2.0), np.linspace(1, 20, 20)
    rows = np.repeat(numbers, shares.astype(np.int64))
    by_cells = mixture(noise, numbers, shares / shares.sum())
    found = summed(noise, noise.on_grid(rows))
    assert found.told == pytest.approx(by_cells.mutual_information(), abs=3e-3)
    assert found.own == pytest.approx(by_cells.differential_entropy(), abs=3e-3)


def test_sums_of_whole_numbers_by_hand() -> None:
    noise = discrete_gaussian(0.5, sensitivity=1)
    steps = np.arange(-30, 60)
    seen = (noise.added.probability(steps) + 3 * noise.added.probability(steps - 4)) / 4
    own = -sum(p * math.log2(p) for p in seen.tolist() if p > 0)
    alone = -sum(p * math.log2(p) for p in noise.added.probability(steps).tolist() if p > 0)
    found = summed(noise, np.array([0, 4, 4, 4] * 20))
    assert found.own == pytest.approx(own, abs=1e-9)
    assert found.told == pytest.approx(own - alone, abs=1e-9)


@pytest.mark.parametrize("epsilon", [1.0, 100.0, 1000.0])
def test_less_and_less_noise_is_measured_as_computed(epsilon: float) -> None:
    made = protected_column(normal(5000), "x", laplace(epsilon, lower=0, upper=100), Simulated(1))
    found, law = by_leaf(collect(made)), by_leaf(expected(made.setting))
    for leaf in ("6", "7", "8", "9"):
        low, high = found[leaf].interval
        reach = high - low
        assert low - reach <= value(law[leaf]) <= high + reach, leaf


@pytest.mark.parametrize("epsilon", [1e5, 1e9])
def test_a_copy_tells_more_than_the_bins_hold(epsilon: float) -> None:
    made = protected_column(normal(4000), "x", laplace(epsilon, lower=0, upper=100), Simulated(1))
    found, law = by_leaf(collect(made)), by_leaf(expected(made.setting))
    # Nearly 4,000 different numbers: about 12 bits, where bins of a quarter of σ hold four.
    assert value(law["6"]) == pytest.approx(math.log2(4000), abs=0.7)
    assert found["6"].interval[1] > math.log2(4000)
    raw = law["6"].raw
    assert raw is not None and value(found["6"]) > raw
    for one in (found, law):
        assert position(one["6"]) == 1
        assert one["7"].interval == (1.0, 1.0)
    assert law["8"].standing is law["9"].standing is Standing.MISSING
    assert "finer than the gaps" in str(law["9"].source)


def test_numbers_that_repeat_are_no_density() -> None:
    draws = simulation(2)
    ages = open_table(pa.table({"x": draws.integers(17, 90, size=5000), "y": draws.integers(2, size=5000)}))
    made = protected_column(ages, "x", laplace(1e4, lower=0, upper=100), Simulated(1))
    found, law = by_leaf(collect(made)), by_leaf(expected(made.setting))
    assert value(law["6"]) == pytest.approx(math.log2(73), abs=0.02)
    assert value(found["9"]) == pytest.approx(value(law["9"]), abs=0.2)


def test_missing_numbers_count_as_what_stands_for_them() -> None:
    rows = normal(6000, missing=0.4)
    made = protected_column(rows, "x", laplace(30.0, lower=0, upper=100, missing=0.0), Simulated(1))
    found, law = by_leaf(collect(made, audit=audited(made))), by_leaf(expected(made.setting))
    for leaf in ("5", "6", "7", "8", "9", "10"):
        low, high = found[leaf].interval
        reach = high - low
        assert low - reach <= value(law[leaf]) <= high + reach, leaf
    variance = float(np.var(made.inputs))
    noise = laplace(30.0, lower=0, upper=100, missing=0.0)
    assert value(law["1"]) == pytest.approx(100 / math.sqrt(variance))
    assert value(law["28"]) == pytest.approx((noise.added.standard_deviation * noise.span.grid) ** 2 / variance)
    assert value(law["10"]) == pytest.approx(value(law["28"]), rel=0.01)


def test_many_letters_fall_together_by_chance() -> None:
    draws = simulation(4)
    letters: list[Label] = [f"letter {at}" for at in range(1500)]
    at = np.concatenate([np.arange(1500), draws.integers(1500, size=6000)])
    rows = open_table(pa.table({"x": [letters[one] for one in at.tolist()], "y": draws.integers(3, size=len(at))}))
    made = protected_column(rows, "x", randomized_response(4.0, letters=letters), Simulated(1))
    found, law = by_leaf(accuracy.measured(made, Context())), by_leaf(accuracy.expected(made.setting, Context()))
    assert value(law["13"]) < 0.95
    assert value(law["13"]) == pytest.approx(value(found["13"]), abs=0.01)


@pytest.mark.parametrize("delta", [1e-12, 0.9])
def test_the_level_is_the_one_that_was_asked_for(delta: float) -> None:
    found = by_leaf(expected(gaussian(1.0, delta, lower=0, upper=100), source_of(table(), "age")))
    assert (value(found["2"]), value(found["3"])) == (delta, 1.0)
    converted = by_leaf(expected(discrete_gaussian(0.5, lower=0, upper=4), source_of(table(), "children")))
    assert value(converted["2"]) == 1e-6
    assert value(converted["3"]) > 1


SECRET, KNOWN = ["x", "y", "z"], ["u", "v"]
PAIRS = list(product(SECRET, KNOWN))
MATRIX = np.array(
    [[0.8, 0.1, 0.1], [0.5, 0.3, 0.2], [0.2, 0.7, 0.1], [0.3, 0.4, 0.3], [0.1, 0.1, 0.8], [0.2, 0.3, 0.5]]
)


@pytest.fixture(scope="module")
def pairs() -> pa.Table:
    draws = simulation(6)
    known = draws.integers(2, size=4000)
    secret = np.where(draws.random(4000) < 0.5, draws.integers(3, size=4000), known)
    return pa.table({"a": [SECRET[at] for at in secret.tolist()], "c": [KNOWN[at] for at in known.tolist()]})


@pytest.fixture(scope="module")
def read_together(pairs: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> Protected:
    """A channel that reads a secret column and a public one."""
    channel = NamedChannel(Channel(PAIRS, SECRET, MATRIX), ("a", "c"), ("a",))
    plan = ReleasePlan({"a": channel}, public=["c"])
    place = tmp_path_factory.mktemp("release") / "out.parquet"
    return protected_of_release(plan.apply(open_table(pairs), place, randomness=Simulated(5)), open_table(pairs))


def by_hand(pairs: pa.Table) -> dict[str, float]:
    rows = list(zip(pairs["a"].to_pylist(), pairs["c"].to_pylist(), strict=True))
    joint = np.array([[[rows.count((a, c)) / len(rows)] for c in KNOWN] for a in SECRET]) * MATRIX.reshape(3, 2, 3)
    told = whole = before = after = 0.0
    for c in range(2):
        part = joint[:, c, :]
        mass, p, r = part.sum(), part.sum(axis=1), part.sum(axis=0)
        told += float((part * np.log2(part * mass / np.outer(p, r))).sum())
        whole -= float((p * np.log2(p / mass)).sum())
        before, after = before + float(p.max()), after + float(part.max(axis=0).sum())
    secret = joint.sum(axis=1)
    p = secret.sum(axis=1)
    return {
        "5": (after - before) / (1 - before),
        "6": told,
        "7": told / whole,
        "10": 2 * (1 - float(np.trace(secret))) / (1 - float(p @ p)),
    }


def test_what_is_public_is_no_secret(pairs: pa.Table, read_together: Protected) -> None:
    law: dict[str, Evidence] = by_leaf(expected(read_together.setting))
    found = by_leaf(collect(read_together, audit=audited(read_together)))
    for leaf, wanted in by_hand(pairs).items():
        assert value(law[leaf]) == pytest.approx(wanted), leaf
    for leaf in ("5", "6", "7", "8", "10", "11", "12", "13"):
        low, high = found[leaf].interval
        reach = high - low
        assert low - reach <= value(law[leaf]) <= high + reach, leaf
    assert isinstance(read_together.setting, LetterSetting)
    assert value(found["10"]) == pytest.approx(
        2
        * float(np.mean(read_together.setting.letters[1][read_together.inputs.astype(int)] != read_together.outputs))
        / (1 - sum((pairs["a"].to_pylist().count(a) / 4000) ** 2 for a in SECRET))
    )
    assert "given what is public" in str(found["6"].source)
    again = released_again(read_together.setting, Simulated(9))
    assert isinstance(again, ProtectedColumn) and again.case.secrets[0].names == ("a",)


def test_nothing_but_public_columns_is_refused(pairs: pa.Table) -> None:
    with pytest.raises(ColumnError, match="'c' is released as it is"):
        source_of(open_table(pairs), "c", public=["c"])


def test_the_public_column_is_one_the_secret_goes_with(pairs: pa.Table) -> None:
    channel = through_channel(Channel(PAIRS, SECRET, MATRIX))
    both = setting_of(channel, source_of(open_table(pairs), "a", "c", public=["c"]))
    alone = source_of(open_table(pairs), "a")
    own = randomized_response(1.0, letters=SECRET)
    assert value(by_leaf(expected(both))["16"]) == value(by_leaf(expected(own, alone))["16"])
