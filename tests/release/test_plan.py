"""Columns that count as public although a mechanism changes some of their values."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from leakgauge.errors import OptionError
from leakgauge.release import ReleasePlan, release, verify
from leakgauge.release.bound import bind
from leakgauge.tables import open_table

RESPONSE = "randomized-response:epsilon={epsilon},letters=a|b|c"
PEOPLE = pa.table({"job": [*"abc"] * 20, "illness": [*"bca"] * 20})


def test_unprotected_columns_cost_and_promise_nothing(tmp_path: Path) -> None:
    columns = {"illness": RESPONSE.format(epsilon=1), "job": RESPONSE.format(epsilon=9)}
    with open_table(PEOPLE) as table:
        both = bind(ReleasePlan(columns), table)
        alone = bind(ReleasePlan({"illness": columns["illness"]}), table)
        assert bind(ReleasePlan(columns, unprotected=["job"]), table).steps == alone.steps != both.steps
        made = release(ReleasePlan(columns, unprotected="job"), table, tmp_path / "out.csv")
    assert made.record.together["dp"].value == made.record.budget.epsilon.value == pytest.approx(1)
    assert made.record.claims["job"].levels["local-dp"].value == pytest.approx(9)
    assert any("Nothing is promised of their own values" in str(said) for said in made.record.assumptions)
    assert verify(made.record_file).holds


@pytest.mark.parametrize(
    ("unprotected", "says"), [(["illness"], "protects no column"), (["age"], "'age' unprotected, which it does not")]
)
def test_something_is_protected_and_what_is_not_goes_through_a_mechanism(unprotected: list[str], says: str) -> None:
    with pytest.raises(OptionError, match=says):
        ReleasePlan({"illness": RESPONSE.format(epsilon=1)}, unprotected=unprotected)
