"""Cells of a map are released and recorded without their channel: the spelling says all, on maps of any size."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from leakgauge.distances import MapCells
from leakgauge.release import ReleasePlan, release, verify
from leakgauge.release.execution import Release
from leakgauge.tables import open_table

BOX = "south=40.7,north=40.82,west=-74.02,east=-73.92"


def released(folder: Path, mechanism: str, side: int) -> Release:
    labels = MapCells(40.70, 40.82, -74.02, -73.92, rows=side, columns=side).labels
    cells = np.array(labels)[np.arange(500) * 7 % len(labels)]
    plan = ReleasePlan({"cell": f"{mechanism},{BOX},rows={side},columns={side}"})
    return release(plan, open_table(pa.table({"cell": cells})), folder / "released.parquet")


@pytest.mark.parametrize("side", [8, 80])
def test_noise_is_recorded_by_its_map_and_claims_what_ledgers_count(tmp_path: Path, side: int) -> None:
    made = released(tmp_path, "planar-laplace:epsilon=1", side)
    verify(made.record_file).require()
    record = made.record
    column, levels = record.plan.columns["cell"], record.claims["cell"].levels
    assert column.channel is None and column.letters is None and f"rows={side}" in column.mechanism
    assert levels["metric-privacy"].value == 1
    counted = record.budget.epsilon.value
    assert levels["local-dp"].value <= counted
    assert record.claims["cell"].exact is (side == 8)
    said = [str(one) for one in record.assumptions]
    assert any("cell protect cells of a map" in one for one in said)
    assert not any("letters" in one for one in said)
    assert made.record_file.stat().st_size < 20_000


@pytest.mark.parametrize("mechanism", ["coarser-cells:level=1", "dummies:count=2"])
def test_what_rules_cells_out_says_so(tmp_path: Path, mechanism: str) -> None:
    made = released(tmp_path, mechanism, 4)
    verify(made.record_file).require()
    assert made.record.claims["cell"].levels["local-dp"].value == float("inf")
    kind = mechanism.partition(":")[0]
    wanted = {"coarser-cells": "nothing is promised beyond that", "dummies": "rule the others out"}[kind]
    assert any(wanted in str(one) for one in made.record.assumptions)
