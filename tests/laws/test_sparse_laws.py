"""Dense and sparse layouts give the same answers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leakgauge import measures
from leakgauge.measures import guessing, renyi, vulnerability
from leakgauge.probability import Channel, Joint, Scenario, Seen, cells
from leakgauge.probability.cells import SparseCells
from tests.laws.strategies import channels, joints

MEASURES = (
    measures.conditional_entropy,
    measures.mutual_information,
    measures.conditional_entropy_with_background,
    measures.conditional_mutual_information,
    measures.leakage_with_background,
    measures.background_floor,
    guessing.posterior,
    vulnerability.posterior,
    renyi.posterior,
)


def thinned(table: Joint | Channel) -> SparseCells:
    return SparseCells(table.cells.shape, *table.cells.nonzero())


@given(st.data(), st.booleans())
def test_layouts_agree(data: st.DataObject, weighted: bool) -> None:
    joint = data.draw(joints())
    channel = data.draw(channels(inputs=len(joint.rows)))
    sparse_joint = Joint._trusted(joint.rows, joint.columns, thinned(joint))
    sparse_channel = Channel._trusted(channel.inputs, channel.outputs, thinned(channel))
    matrix = np.arange(float(channel.matrix.size)).reshape(channel.matrix.shape) if weighted else None
    dense, sparse = Scenario(joint, channel, weights=matrix), Scenario(sparse_joint, sparse_channel, weights=matrix)
    for measure in MEASURES[:6] if weighted else MEASURES:
        assert measure(sparse) == pytest.approx(measure(dense), abs=1e-9), measure.__name__
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cells, "DENSE_CELLS", -1)
        for seen in Seen:
            np.testing.assert_allclose(sparse.view(seen).cells.dense(), dense.view(seen).cells.dense(), atol=1e-15)
        again = data.draw(channels(inputs=len(channel.outputs)))
        np.testing.assert_allclose(sparse_channel.then(again).matrix, channel.then(again).matrix, atol=1e-15)


def test_a_joint_of_a_hundred_thousand_rows_works_without_its_matrix() -> None:
    random = np.random.default_rng(0)
    rows = np.repeat(np.arange(100_000), 10)
    columns = np.concatenate([random.choice(50, 10, replace=False) for _ in range(1000)])
    joint = Joint.from_cells(range(100_000), range(50), rows, np.tile(columns, 100), np.full(len(rows), 1e-6))
    assert isinstance(joint.cells, SparseCells)
    scenario = Scenario(joint, Channel.identity(range(100_000)))
    assert measures.entropy(scenario) == pytest.approx(np.log2(100_000))
    assert measures.leakage_with_background(scenario) == pytest.approx(np.log2(100_000))
    assert 0 < measures.background_floor(scenario) < np.log2(50)
