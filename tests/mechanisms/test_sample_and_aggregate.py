"""Sample and aggregate: claims, the law of the median, intervals that hold, statistics that fail."""

from __future__ import annotations

import math
import warnings
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from leakgauge.errors import OptionError
from leakgauge.mechanisms import Aggregate, exponential, sample_and_aggregate
from leakgauge.mechanisms.sample_and_aggregate import Rows
from leakgauge.randomness import Simulated
from tests.randomness.goodness import FALSE_ALARM, p_value

MEDIAN = Aggregate.MEDIAN


def only(block: Rows) -> float:
    """The value of a block of one row."""
    (value,) = block
    return float(value)


def test_blocks_are_disjoint_and_hold_the_sample() -> None:
    seen: list[list[int]] = []

    def kept(block: Rows) -> float:
        seen.append(block.tolist())
        return 0.0

    sample_and_aggregate(1.0, statistic=kept, lower=0, upper=1, blocks=7).run(
        np.arange(100), Simulated(simulation_seed=50)
    )
    assert sorted(value for block in seen for value in block) == list(range(100))
    assert {len(block) for block in seen} == {14, 15}
    seen.clear()
    sample_and_aggregate(1.0, statistic=kept, lower=0, upper=1, blocks=7, sampling_rate=0.3).run(
        np.arange(100), Simulated(simulation_seed=51)
    )
    used = [value for block in seen for value in block]
    assert len(used) == len(set(used)) == 30


def test_claims_with_and_without_sampling() -> None:
    whole = sample_and_aggregate(1.0, statistic=np.mean, lower=0, upper=1, blocks=10).run(
        np.ones(50), Simulated(simulation_seed=52)
    )
    assert whole.claim == whole.claim_in_sample
    tenth = sample_and_aggregate(1.0, statistic=np.mean, lower=0, upper=1, blocks=10, sampling_rate=0.1)
    assert tenth.claim_in_sample.epsilon == 1.0
    assert tenth.claims[0].epsilon == pytest.approx(math.log(1 + 0.1 * (math.e - 1)), rel=1e-12)
    assert sample_and_aggregate(
        900.0, statistic=np.mean, lower=0, upper=1, blocks=10, sampling_rate=0.5, grid=0.25
    ).claims[0].epsilon == (pytest.approx(900 + math.log(0.5)))


def test_the_interval_of_a_mean_holds_the_mean_of_the_blocks() -> None:
    rows = np.linspace(-3, 12, 40)
    mechanism = sample_and_aggregate(2.0, statistic=only, lower=0, upper=10, blocks=40)
    truth = np.clip(rows, 0, 10).mean()
    answers = [mechanism.run(rows, Simulated(simulation_seed=seed), 0.9) for seed in range(400)]
    held = [answer.interval is not None and truth in answer.interval for answer in answers]
    assert np.mean(held) >= 0.83  # 4.5 standard deviations of 400 coins below 90%
    assert np.std([answer.value for answer in answers]) == pytest.approx(math.sqrt(2) * 10 / 2 / 40, rel=0.2)


def test_the_median_is_drawn_as_if_every_grid_point_were_a_candidate() -> None:
    rows = np.array([2, 2, 5, 6, 9])
    mechanism = sample_and_aggregate(1.5, statistic=only, lower=0, upper=12, blocks=5, aggregate=MEDIAN, grid=1)
    points = np.arange(13)
    missed = [max((rows < p).sum(), (rows > p).sum(), 2.5) - 2.5 for p in points]
    law = exponential(1.5, sensitivity=1.0).probabilities([-float(miss) for miss in missed])
    assert law is not None
    drawn = Counter(mechanism.run(rows, Simulated(simulation_seed=seed)).value for seed in range(2000))
    assert p_value(np.array([drawn[float(p)] for p in points]), law) >= FALSE_ALARM


def test_one_changed_row_moves_the_law_of_the_median_by_at_most_epsilon() -> None:
    def law(rows: list[int]) -> list[float]:
        counts = [max(sum(r < p for r in rows), sum(r > p for r in rows), 2.5) - 2.5 for p in range(13)]
        found = exponential(1.5, sensitivity=1.0).probabilities([-count for count in counts])
        assert found is not None
        return [float(share) for share in found]

    before = law([2, 2, 5, 6, 9])
    worst = 0.0
    for row in range(5):
        for value in range(13):
            rows = [2, 2, 5, 6, 9]
            rows[row] = value
            worst = max(worst, *(abs(math.log(a / b)) for a, b in zip(before, law(rows), strict=True)))
    assert 0.7 < worst <= 1.5 + 1e-12


def test_the_rank_error_of_a_median_holds() -> None:
    rows = np.sort(Simulated(simulation_seed=53).words(200).astype(np.float64) / 2**64)
    mechanism = sample_and_aggregate(1.0, statistic=only, lower=0, upper=1, blocks=200, aggregate=MEDIAN)
    hits = 0
    for seed in range(200):
        answer = mechanism.run(rows, Simulated(simulation_seed=seed), 0.9)
        assert answer.interval is None and answer.rank_error is not None
        slack = mechanism.span.grid / 2
        ranks = (rows < answer.value - slack).sum(), (rows <= answer.value + slack).sum()
        hits += ranks[0] - 100 <= answer.rank_error and 100 - ranks[1] <= answer.rank_error
    assert hits >= 160


@pytest.mark.parametrize("aggregate", list(Aggregate))
def test_a_statistic_that_fails_counts_as_the_middle(aggregate: Aggregate) -> None:
    def fails(block: Rows) -> float:
        raise RuntimeError("secret")

    for statistic in (fails, lambda block: math.nan, lambda block: "text"):
        mechanism = sample_and_aggregate(
            50.0,
            statistic=statistic,  # type: ignore[arg-type]
            lower=0,
            upper=8,
            blocks=100,
            aggregate=aggregate,
            grid=1,
        )
        assert mechanism.run(np.ones(100), Simulated(simulation_seed=54)).value == pytest.approx(4, abs=0.5)

    def warns(block: Rows) -> float:
        warnings.warn("secret", stacklevel=1)
        return 2.0

    loud = sample_and_aggregate(50.0, statistic=warns, lower=0, upper=8, blocks=100, aggregate=aggregate, grid=1)
    assert loud.run(np.ones(100), Simulated(simulation_seed=56)).value == pytest.approx(2, abs=0.5)
    endless = sample_and_aggregate(
        50.0, statistic=lambda block: math.inf, lower=0, upper=8, blocks=100, aggregate=aggregate, grid=1
    )
    assert endless.run(np.ones(100), Simulated(simulation_seed=55)).value == pytest.approx(8, abs=0.5)


def test_what_cannot_be_used_is_refused() -> None:
    with pytest.raises(OptionError, match="9 rows are fewer than 10 blocks"):
        sample_and_aggregate(1.0, statistic=np.mean, lower=0, upper=1, blocks=10).run(
            np.ones(9), Simulated(simulation_seed=0)
        )
    for blocks in (1, 0, -3):
        with pytest.raises(OptionError, match="blocks cannot hide each other"):
            sample_and_aggregate(1.0, statistic=np.mean, lower=0, upper=1, blocks=blocks)
    for wrong in (2.5, True, "5"):
        with pytest.raises(OptionError, match=f"'blocks' .* is of type '{type(wrong).__name__}'"):
            sample_and_aggregate(1.0, statistic=np.mean, lower=0, upper=1, blocks=wrong)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="reversed"):
        sample_and_aggregate(1.0, statistic=np.mean, lower=1, upper=0, blocks=5)
    for rate in (0.0, 1.5, math.nan):
        with pytest.raises(OptionError, match="sampling rate"):
            sample_and_aggregate(1.0, statistic=np.mean, lower=0, upper=1, blocks=5, sampling_rate=rate)
    with pytest.raises(OptionError, match="ε"):
        sample_and_aggregate(0.0, statistic=np.mean, lower=0, upper=1, blocks=5)


PEOPLE = pd.DataFrame({"age": np.arange(1000) % 90})
# Labels that are no places, and that several rows have: rows are taken by their place.
LABELLED = PEOPLE.set_index(np.arange(1000) // 2 + 7)


@pytest.mark.parametrize(
    "people",
    [PEOPLE, LABELLED, LABELLED["age"], pl.from_pandas(PEOPLE), pa.Table.from_pandas(PEOPLE), PEOPLE["age"].tolist()],
    ids=["pandas", "labelled", "series", "polars", "arrow", "list"],
)
def test_a_frame_gives_what_its_array_gives(people: object) -> None:
    def mean_age(block: Rows) -> float:
        return float(np.asarray(block if isinstance(block, np.ndarray | pd.Series) else block["age"]).mean())

    private = sample_and_aggregate(1.0, statistic=mean_age, lower=0, upper=100, blocks=50)
    plain = private.run(PEOPLE["age"].to_numpy(), Simulated(simulation_seed=60))
    assert private.run(people, Simulated(simulation_seed=60)) == plain


@pytest.mark.parametrize("rows", [None, 3, "people.csv", {"age": [1, 2]}, iter([1, 2]), [[1], [1, 2]]])
def test_what_has_no_rows_is_refused(rows: object) -> None:
    private = sample_and_aggregate(1.0, statistic=np.mean, lower=0, upper=1, blocks=2)
    with pytest.raises(OptionError, match=f"The rows are of type '{type(rows).__name__}'; give an array"):
        private.run(rows, Simulated(simulation_seed=61))
