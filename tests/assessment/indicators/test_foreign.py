"""Indicators of a release made elsewhere: what its rows show, the unfavourable end of what only a record says."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pytest

from leakgauge.artefacts.evidence import Standing
from leakgauge.assessment.indicators.catalogue import INDICATORS
from leakgauge.assessment.judging import judge_foreign
from leakgauge.audit.foreign.release import ForeignRoles
from leakgauge.jobs.assess import Explaining, explained_foreign
from leakgauge.jobs.audit import audit_foreign
from leakgauge.randomness import simulation
from leakgauge.tables import open_table


def test_a_coarser_column_is_as_right_as_a_guess_among_its_values(tmp_path: Path) -> None:
    age = simulation(7).integers(20, 60, 2000)
    released = tmp_path / "decades.csv"
    decades = [f"[{low}, {low + 10})" for low in (age // 10 * 10).tolist()]
    pyarrow.csv.write_csv(pa.table({"age": decades}), released)
    people = open_table(pa.table({"age": age}))
    audit = audit_foreign(released, people, ForeignRoles(("age",)))
    verdict = explained_foreign(judge_foreign(audit, released, people), audit, released, people, Explaining())
    leaves = {one.leaf: one for one in verdict.beside["age"].evidence.leaves}
    assert set(leaves) == {one.leaf for one in INDICATORS.values()}
    # One of ten ages is the true one; the variance is that of forty about as frequent ones.
    assert leaves["10"].value == pytest.approx(2 * 0.9 / (1 - 1 / 40), rel=0.01)
    assert leaves["6"].value == pytest.approx(2, abs=0.01)
    assert leaves["3"].value == float("inf") and leaves["24"].standing is Standing.MISSING
    assert all(one.guarantee is None for one in verdict.scores.values())
