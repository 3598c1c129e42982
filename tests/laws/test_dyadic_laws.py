"""The exact form of a channel: multiples of 2^-53, rows that sum to exactly 1, nothing rounded to 0."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given

from leakgauge.probability import Channel
from leakgauge.probability.cells import SparseCells
from tests.laws.strategies import channels

GRAIN = Fraction(1, 2**53)


@given(channels())
def test_dyadic_channels_are_exact(channel: Channel) -> None:
    exact = channel.dyadic()
    for row in exact.matrix.tolist():
        numerators = [Fraction(p) / GRAIN for p in row]
        assert all(numerator.denominator == 1 for numerator in numerators)
        assert sum(numerators) == 2**53
    np.testing.assert_array_equal(exact.matrix > 0, channel.matrix > 0)
    assert np.abs(exact.matrix - channel.matrix).max() <= 2.0**-52 * len(channel.outputs)


@given(channels())
def test_the_exact_form_of_an_exact_channel_is_itself(channel: Channel) -> None:
    assert channel.dyadic().dyadic() == channel.dyadic()


@given(channels())
def test_equal_rows_stay_equal_and_layout_does_not_matter(channel: Channel) -> None:
    twice = Channel(
        [(0, x) for x in channel.inputs] + [(1, x) for x in channel.inputs],
        channel.outputs,
        np.concatenate([channel.matrix, channel.matrix]),
    )
    exact = twice.dyadic().matrix
    np.testing.assert_array_equal(exact[: len(channel.inputs)], exact[len(channel.inputs) :])
    sparse = Channel._trusted(
        channel.inputs, channel.outputs, SparseCells(channel.cells.shape, *channel.cells.nonzero())
    )
    assert sparse.dyadic() == channel.dyadic()


def test_a_probability_of_1e_300_is_kept_possible() -> None:
    exact = Channel("ab", "uv", [[1.0, 1e-300], [0.5, 0.5]]).dyadic()
    assert exact.matrix[0].tolist() == [1 - 2.0**-53, 2.0**-53]
