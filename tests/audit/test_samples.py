"""A large release is attacked on rows drawn from it, and the audit says so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from leakgauge.case import columns
from leakgauge.jobs.audit import audit_release
from leakgauge.release import ReleasePlan, release
from leakgauge.tables import open_table

ROWS, SOME = 2000, 1000
_DRAWS = np.random.default_rng(5)
PEOPLE = pa.table(
    {
        "ill": _DRAWS.choice(["flu", "none"], ROWS, p=[0.3, 0.7]),
        "town": _DRAWS.choice(["A", "B", "C"], ROWS),
        "who": np.arange(ROWS) // 2,
    }
)
PLAN = ReleasePlan({"ill": "randomized-response:epsilon=1,letters=flu|none"}, public=["town"])


def test_attacks_are_tried_on_a_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_table(PEOPLE) as people:
        made = release(PLAN, people, tmp_path / "out.parquet")
        whole = audit_release(made, people)
        monkeypatch.setattr(columns, "MOST_ROWS", SOME)
        some = audit_release(made, people)
        assert some == audit_release(made, people)
    assert whole.attacked is None
    assert some.attacked == pytest.approx(SOME, abs=100)
    assert whole.rows == some.rows == ROWS
    assert not some.violated
    # What is counted is counted on all rows.
    assert some.anonymity == whole.anonymity
    assert whole.diversity and not some.diversity
    mine, theirs = ({one.attack.template: one.success for one in audit.attacks} for audit in (some, whole))
    assert mine.keys() == theirs.keys()
    assert all(mine[name].value == pytest.approx(theirs[name].value, abs=0.1) for name in mine)


def test_of_people_with_several_rows_all_are_attacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "MOST_ROWS", SOME)
    with open_table(PEOPLE) as people:
        made = release(PLAN, people, tmp_path / "out.parquet")
        assert audit_release(made, people, unit="who").attacked is None
