"""The refinement order agrees with what it means, and a failure comes with an aim that shows it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest

from leakgauge.errors import LabelError
from leakgauge.jobs.relate import relate
from leakgauge.measures import vulnerability
from leakgauge.measures.vulnerability import Gain
from leakgauge.notions import refined_by, refinement
from leakgauge.probability import Channel, Distribution, Scenario
from tests.grids import nightly


def drawn(generator: np.random.Generator, inputs: int, outputs: int) -> Channel:
    return Channel(range(inputs), range(outputs), generator.dirichlet(np.ones(outputs), inputs))


@pytest.mark.parametrize("pairs", [100, nightly(1000)])
def test_the_order_is_that_of_brute_force(pairs: int) -> None:
    """Of a channel with an inverse there is only one way that leads to the other: A⁻¹ B, which must not be negative."""
    generator, held = np.random.default_rng(20), 0
    for case in range(pairs):
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
    assert 0.3 * pairs < held < 0.7 * pairs


def nearest_by_cones(channel: Channel, other: Channel) -> float:
    """The least Σ |A R − B| over stochastic R by cvxpy and Clarabel, an interior-point method."""
    cp: Any = import_module("cvxpy")
    through = cp.Variable((len(channel.outputs), len(other.outputs)), nonneg=True)
    apart = cp.sum(cp.abs(channel.matrix @ through - other.matrix))
    problem = cp.Problem(cp.Minimize(apart), [cp.sum(through, axis=1) == 1])
    problem.solve(solver=cp.CLARABEL)
    return float(problem.value)


@pytest.mark.parametrize("pairs", [60, nightly(1000)])
def test_pairs_of_any_shape_agree_with_another_formulation_and_solver(pairs: int) -> None:
    """Refined pairs, pairs moved a little off, and unrelated ones, most of them without an inverse."""
    generator, held = np.random.default_rng(22), 0
    for case in range(pairs):
        inputs, outputs, others = generator.integers(2, 7, 3).tolist()
        channel = drawn(generator, inputs, outputs)
        other = channel.then(drawn(generator, outputs, others)) if case % 3 else drawn(generator, inputs, others)
        if case % 3 == 2:
            mixed = 0.98 * other.matrix + 0.02 * generator.dirichlet(np.ones(others), inputs)
            other = Channel(range(inputs), range(others), mixed)
        expected, found = nearest_by_cones(channel, other), refined_by(channel, other)
        held += found.holds
        assert found.shortfall == pytest.approx(expected, abs=1e-6), case
        assert found.holds == (expected < 1e-6), case
        if found.holds:
            for _ in range(5):
                gain = Gain(range(4), range(inputs), generator.uniform(size=(4, inputs)))
                prior = Distribution(range(inputs), generator.dirichlet(np.ones(inputs)))
                assert posterior(prior, other, gain) <= posterior(prior, channel, gain) + 1e-9
        else:
            assert found.gain is not None
            uniform = Distribution.uniform(range(inputs))
            shown = posterior(uniform, other, found.gain) - posterior(uniform, channel, found.gain)
            assert shown == pytest.approx(found.refined - found.channel)
            # The witness is the best there is: nothing between 0 and 1 tells the two further apart.
            assert shown == pytest.approx(expected / 2 / inputs, abs=1e-6)
    assert pairs / 4 < held < 3 * pairs / 4


def test_both_methods_of_the_program_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(24)
    for _ in range(10):
        channel, other = drawn(generator, 6, 5), drawn(generator, 6, 4)
        expected = refined_by(channel, other)
        monkeypatch.setattr(refinement, "LARGE", 0)
        found = refined_by(channel, other)
        monkeypatch.undo()
        assert (found.holds, expected.holds) == (False, False)
        assert found.shortfall == pytest.approx(expected.shortfall, abs=1e-7)
        assert found.refined - found.channel == pytest.approx(expected.refined - expected.channel, abs=1e-8)


def test_the_order_is_that_of_qif() -> None:
    import qif

    order: Any = qif.refinement
    generator = np.random.default_rng(23)
    for case in range(200):
        inputs, outputs, others = generator.integers(2, 6, 3).tolist()
        channel = drawn(generator, inputs, outputs)
        other = channel.then(drawn(generator, outputs, others)) if case % 2 else drawn(generator, inputs, others)
        theirs = order.refined_by(np.array(channel.matrix), np.array(other.matrix))
        assert refined_by(channel, other).holds == theirs, case


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
