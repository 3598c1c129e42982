"""Rows that share a value: their noise averages out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from leakgauge.audit.attacks.repeated_rows import repeated_rows
from leakgauge.randomness import simulation
from tests.audit.attacks.cases import RESPONSE, case_of, people

# Right in 80% of the rows, of five letters.
RIGHT = {"secret": RESPONSE.format(epsilon=float(np.log(0.8 / 0.05)))}


def trips(times: int = 50, units: int = 100) -> pa.Table:
    draws = simulation(2)
    unit = draws.permutation(np.repeat(np.arange(units), times))
    secret = draws.integers(5, size=units)[unit]
    return pa.table(
        {
            "vehicle": [f"vehicle {at}" for at in unit.tolist()],
            "half": [f"half {at % 2}" for at in unit.tolist()],
            "code": [f"code {at // 2}" for at in unit.tolist()],
            "secret": [f"letter {at}" for at in secret.tolist()],
        }
    )


@pytest.mark.parametrize("role", ["public", "background"])
def test_a_constant_secret_is_recovered_from_fifty_rows(tmp_path: Path, role: str) -> None:
    (found,) = repeated_rows(case_of(trips(), RIGHT, tmp_path, **{role: ["vehicle"]}))  # type: ignore[arg-type]
    assert found.success.value >= 0.95 and found.success.ends[0] > 0.9
    assert found.baseline.value < 0.35 and 0 in found.independent
    assert found.judged and not found.beats_claim
    assert "share vehicle (median 50, at most 50)" in str(found.method)


def test_a_pair_of_columns_may_be_what_repeats(tmp_path: Path) -> None:
    (found,) = repeated_rows(case_of(trips(), RIGHT, tmp_path, public=["half", "code"]))
    assert found.success.value >= 0.95 and "half" in str(found.method) and "code" in str(found.method)


def test_a_unit_that_nobody_sees_says_nothing_against_the_release(tmp_path: Path) -> None:
    (found,) = repeated_rows(case_of(trips(), RIGHT, tmp_path, unit="vehicle"))
    assert found.success.value >= 0.95 and not found.judged
    assert str(found.attack) == "repeated rows, if the rows of a unit could be linked"
    (seen,) = repeated_rows(case_of(trips(), RIGHT, tmp_path, public=["vehicle"], unit="vehicle"))
    assert seen.judged


def test_nothing_is_found_where_no_value_repeats(tmp_path: Path) -> None:
    assert repeated_rows(case_of(trips(), RIGHT, tmp_path)) == ()
    table = people(600).append_column("number", pa.array([f"n{at}" for at in range(600)]))
    assert repeated_rows(case_of(table, {"illness": RESPONSE.format(epsilon=1)}, tmp_path, public=["number"])) == ()


def test_values_that_many_people_share_average_nothing_out(tmp_path: Path) -> None:
    # Rows of one sex have many illnesses: to gather them would say nothing of anybody.
    drawn = case_of(people(4000), {"illness": RESPONSE.format(epsilon=1)}, tmp_path, public=["sex"])
    assert repeated_rows(drawn) == ()
