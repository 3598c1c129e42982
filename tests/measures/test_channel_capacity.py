"""The capacity of a channel: of known channels, of outputs next to impossible, and between its bounds."""

from __future__ import annotations

import math

import numpy as np
import pytest

from leakgauge import randomness
from leakgauge.measures import mutual_information
from leakgauge.measures.channel_capacity import capacity
from leakgauge.probability import Channel, Distribution, Scenario
from leakgauge.probability.cells import Floats


def test_the_capacity_of_known_channels() -> None:
    erased = 0.3
    erasure = Channel("ab", "ab?", [[1 - erased, 0, erased], [0, 1 - erased, erased]])
    assert capacity(erasure).bits == pytest.approx(1 - erased, abs=2e-9)
    z_channel = Channel("ab", "ab", [[1, 0], [0.5, 0.5]])
    found = capacity(z_channel)
    assert found.bits == pytest.approx(math.log2(5 / 4), abs=2e-9)
    assert found.source["b"] == pytest.approx(0.4, abs=1e-4)
    assert capacity(Channel("ab", "c", [[1], [1]])).bits == pytest.approx(0, abs=2e-9)


def test_outputs_next_to_impossible_do_not_disturb_the_capacity() -> None:
    tails = np.exp(-0.5 * abs(np.arange(2)[:, None] * 2000 - np.arange(4000)))
    assert 0 < tails[tails > 0].min() < 1e-320
    tails /= tails.sum(axis=1, keepdims=True)
    assert capacity(Channel("ab", range(4000), tails)).bits == pytest.approx(1, abs=2e-9)


def test_the_capacity_lies_between_its_bounds() -> None:
    draw = randomness.simulation(3)
    for _ in range(50):
        inputs, outputs = draw.integers(2, 30, size=2)
        matrix = draw.dirichlet(np.full(outputs, 0.3), size=inputs)
        found = capacity(Channel(range(inputs), range(outputs), matrix))
        channel = Channel(range(inputs), range(outputs), matrix)
        assert found.bits == pytest.approx(mutual_information(Scenario(found.source, channel)), abs=1e-12)
        p = alternated(matrix)
        with np.errstate(divide="ignore", invalid="ignore"):
            upper = np.where(matrix > 0, matrix * np.log2(matrix / (p @ matrix)), 0).sum(axis=1).max()
        assert found.bits <= upper + 1e-12
        assert found.gap <= 1.01e-9 / math.log(2)
        for prior in (*draw.dirichlet(np.ones(inputs), size=5), p):
            told = mutual_information(Scenario(Distribution(channel.inputs, prior), channel))
            assert told <= found.bits + found.gap
        assert told > found.bits - 1e-3


def alternated(matrix: Floats) -> Floats:
    """The input law after 500 sweeps of Blahut and Arimoto."""
    p = np.full(len(matrix), 1 / len(matrix))
    for _ in range(500):
        with np.errstate(divide="ignore", invalid="ignore"):
            p = p * np.exp(np.where(matrix > 0, matrix * np.log(matrix / (p @ matrix)), 0).sum(axis=1))
        p /= p.sum()
    return p
