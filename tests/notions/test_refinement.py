"""The refinement order agrees with what it means, and a failure comes with an aim that shows it."""

from __future__ import annotations

import numpy as np
import pytest

from leakgauge.errors import LabelError
from leakgauge.jobs.relate import relate
from leakgauge.measures import vulnerability
from leakgauge.measures.vulnerability import Gain
from leakgauge.notions import refined_by
from leakgauge.probability import Channel, Distribution, Scenario


def drawn(generator: np.random.Generator, inputs: int, outputs: int) -> Channel:
    return Channel(range(inputs), range(outputs), generator.dirichlet(np.ones(outputs), inputs))


def test_the_order_is_that_of_brute_force() -> None:
    """Of a channel with an inverse there is only one way that leads to the other: A⁻¹ B, which must not be negative."""
    generator, held = np.random.default_rng(20), 0
    for case in range(1000):
        size = int(generator.integers(2, 5))
        channel = drawn(generator, size, size)
        other = channel.then(drawn(generator, size, 3)) if case % 2 else drawn(generator, size, 3)
        if case % 4 == 1:
            moved = np.maximum(other.matrix + generator.normal(0, 0.02, other.matrix.shape), 1e-6)
            other = Channel(range(size), range(3), moved / moved.sum(axis=1, keepdims=True))
        expected = bool(np.linalg.solve(channel.matrix, other.matrix).min() >= -1e-10)
        found = refined_by(channel, other)
        held += expected
        assert found.holds == expected, case
        if found.holds:
            assert np.allclose(channel.then(found.through).matrix, other.matrix, atol=1e-9)
    assert 300 < held < 700


def test_a_refined_channel_reveals_less_for_every_prior_and_gain_and_a_witness_shows_where_one_does_not() -> None:
    generator = np.random.default_rng(21)
    for _ in range(50):
        channel = drawn(generator, 4, 5)
        other = channel.then(drawn(generator, 5, 3))
        assert refined_by(channel, other).holds
        gain = Gain(range(6), range(4), generator.uniform(size=(6, 4)))
        prior = Distribution(range(4), generator.dirichlet(np.ones(4)))
        assert posterior(prior, other, gain) <= posterior(prior, channel, gain) + 1e-12
        back = refined_by(other, channel)
        assert not back.holds
        assert back.gain is not None
        uniform = Distribution(range(4), np.full(4, 0.25))
        assert back.refined == pytest.approx(posterior(uniform, channel, back.gain))
        assert back.channel == pytest.approx(posterior(uniform, other, back.gain))
        assert back.refined > back.channel + 1e-6
        assert 0 <= back.gain.matrix.min() <= back.gain.matrix.max() <= 1


def posterior(prior: Distribution, channel: Channel, gain: Gain) -> float:
    return vulnerability.posterior(Scenario(prior, channel), gain)


def test_channels_of_ends_and_of_other_inputs() -> None:
    truth, nothing = Channel.identity("abc"), Channel.constant("abc", Distribution("xy", [0.5, 0.5]))
    order = relate(truth, against=nothing).order
    assert order is not None
    assert (order.subject_safe, order.other_safe) == (False, True)
    assert order.subject_tells is not None
    assert order.other_tells is None
    same = relate(nothing, against=nothing).order
    assert same is not None
    assert same.subject_safe and same.other_safe
    with pytest.raises(LabelError, match="inputs"):
        refined_by(truth, Channel.identity("abd"))
