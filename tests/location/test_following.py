"""Traces that are followed: whole ones first, means over traces, movement learnt from the others."""

from __future__ import annotations

import numpy as np

from leakgauge.location.tracking.following import FOLDS, Traces, movements_of_others
from leakgauge.location.tracking.movement import Movement
from leakgauge.probability import Channel, Distribution

THREE = Traces(np.array([0, 0, 1, 1, 1, 0]), np.array([4, 4, 7, 7, 7, 9]))


def test_whole_traces_come_first() -> None:
    assert THREE.starts.tolist() == [0, 2, 5, 6]
    assert THREE.first(4).whose.tolist() == [4, 4]
    assert THREE.first(5).whose.tolist() == [4, 4, 7, 7, 7]
    assert THREE.first(1).areas.tolist() == [0], "a part of the first where it is longer"


def test_the_interval_of_a_mean_is_over_traces() -> None:
    alike, apart = (THREE.mean(np.array(each)) for each in ([3.0] * 6, [1.0, 1.0, 5.0, 5.0, 5.0, 1.0]))
    assert (alike.low, alike.value, alike.high) == (3.0, 3.0, 3.0)
    assert apart.value == 3.0 and apart.low is not None and apart.low < 1.0, "three traces, not six steps"
    assert THREE.first(2).mean(np.array([1.0, 2.0])).low is None


def test_movement_is_learnt_from_other_traces() -> None:
    assumed = Movement(Distribution.uniform("ab"), Channel("ab", "ab", [[0.5, 0.5], [0.5, 0.5]]))
    # Of two people one stays and one moves: what each is expected to do is what the other does.
    traces = Traces(np.array([0] * 9 + [0, 1] * 4), np.array([0] * 9 + [1] * 8))
    (stays, moves), warning = movements_of_others(traces, assumed)
    assert warning is None and stays.transitions.matrix[0, 1] > 0.7 and moves.transitions.matrix[0, 0] > 0.7
    alone, warning = movements_of_others(traces.first(9), assumed)
    assert alone == [assumed] and warning is not None
    many = Traces(np.zeros(24, dtype=np.int64), np.repeat(np.arange(12), 2))
    assert len({id(one) for one in movements_of_others(many, assumed)[0]}) == FOLDS
