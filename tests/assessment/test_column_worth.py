"""The worth of released columns, by hand."""

from __future__ import annotations

import pytest

from leakgauge.assessment.worth import coarsened, through_channel
from leakgauge.distances import Hamming
from leakgauge.probability import Channel, Counts, Distribution
from leakgauge.probability.files import NamedChannel

PRIOR = Distribution("abc", [0.5, 0.4, 0.1])


def test_a_channel_keeps_some_values_and_drops_others() -> None:
    merging = NamedChannel(Channel("abc", "abc", [[0.8, 0.2, 0], [0, 1, 0], [0, 1, 0]]), ("x",), ("x",))
    found = through_channel(merging, PRIOR, Hamming(), rows=100)
    assert found.protected
    assert found.distortion.value == pytest.approx(0.2) and found.unchanged.value == pytest.approx(0.8)
    assert found.total_variation.value == pytest.approx(0.2)
    assert found.dropped is not None and found.dropped.value == pytest.approx(0.1), "c is never released"
    assert [(one.table.value, one.released.value) for one in found.shares] == [
        pytest.approx(pair) for pair in ((0.5, 0.4), (0.4, 0.6), (0.1, 0.0))
    ]


def test_a_coarser_value_is_not_wrong_but_tells_less() -> None:
    pairs = Counts({"value": ["a", "b", "c"], "released": ["a or b", "c", None]}, [[2, 0, 0], [2, 0, 0], [0, 3, 1]])
    found = coarsened(pairs)
    assert not found.protected and found.distortion.value == 0
    assert found.unchanged.value == pytest.approx(3 / 8) and found.total_variation.value == pytest.approx(1 / 8)
    assert found.lost is not None and found.lost.value == pytest.approx(0.5)
