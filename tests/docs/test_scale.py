"""The formula that the page on scale rests on, held to simulations."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

from bench.passes import PUBLIC, asked_by, people
from bench.projection import Cluster, Rates, projected
from bench.shuffle import SEED, Keys, codes_of, sets_of, skew, together
from leakgauge.jobs.samples import adult_rows


@pytest.mark.parametrize("rows", [100, 10_000])
def test_tasks_send_as_many_records_as_the_formula_says_of_adult(rows: int) -> None:
    draws, tasks = np.random.default_rng(SEED), 3
    columns = {name: codes for name, codes in codes_of(adult_rows()).items() if name in (*PUBLIC, "age", "id")}
    for names, codes in sets_of(columns, (2, 3)):
        keys = Keys.of(codes)
        sent = keys.sent(rows, tasks, draws)
        assert sent.max() <= tasks
        # Of 56 sets at two sizes none is off by five standard deviations except once in 10^4 seeds.
        near = 5 * np.sqrt(tasks) * keys.deviation(rows) + 1e-6
        assert abs(sent.sum() - tasks * keys.expected(rows)) <= near, names


@pytest.mark.parametrize("exponent", [0.5, 1.0, 1.5])
def test_keys_of_a_long_tail_may_share_a_share(exponent: float) -> None:
    few = Keys.zipf(10**5, exponent)
    weights = np.arange(1, 10**5 + 1) ** -exponent
    each = Keys(weights / weights.sum(), np.ones(10**5))
    assert few.number == each.number
    assert len(few.shares) < 6_000
    for rows in (10, 10**4, 10**7):
        assert few.expected(rows) == pytest.approx(each.expected(rows), rel=1e-4)


def test_a_task_sends_no_more_than_its_rows_or_its_keys() -> None:
    for keys in (Keys.zipf(1e9, 1.0), Keys.of(np.arange(50)), Keys.of(np.zeros(50, dtype=np.int64))):
        for rows in (1, 7, 10**6):
            assert 1 - 1e-9 <= keys.expected(rows) <= min(rows, keys.number) * (1 + 1e-9)


def test_counting_first_spares_the_busiest_reducer() -> None:
    draws, keys = np.random.default_rng(SEED), Keys.zipf(10**4, 1.2)
    each = np.repeat(keys.shares, keys.times.astype(np.int64))
    assert skew(keys.sent(10**4, 4, draws), 16, draws) < 1.3 < 3 < skew(each, 16, draws)


def test_combinations_have_a_number_each() -> None:
    first, second = np.array([0, 0, 1, 1]), np.array([5, 6, 5, 5])
    assert together([first, second]).tolist() == [0, 1, 2, 2]


def test_a_survey_is_seen_to_ask_of_every_row(tmp_path_factory: pytest.TempPathFactory) -> None:
    rows = 2_000
    file = people(rows, tmp_path_factory.mktemp("people") / "people.parquet")
    (asked,) = asked_by(file, "survey").values()
    assert asked.streams == 1  # the sample is taken from rows that stream
    assert asked.sets >= 11
    assert asked.digests == pytest.approx(8 * rows * asked.sets, rel=0.1)
    rates = Rates(count=1e-7, group=1e-7, stream=1e9, draw=1e-6)
    tenfold = [projected("survey", asked, rows, many, Cluster(), rates) for many in (1e9, 1e10)]
    assert tenfold[1].seconds == pytest.approx(10 * tenfold[0].seconds)
    assert tenfold[0].seconds == tenfold[0].driver  # rows go through one process, which is waited for


def test_the_picture_shows_the_formula() -> None:
    script = Path(__file__).parents[2] / "docs" / "pictures" / "shuffle.py"
    assert script.with_suffix(".svg").read_text(encoding="utf-8") == runpy.run_path(str(script))["draw"]()
