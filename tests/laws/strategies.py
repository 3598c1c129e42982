"""Random scenarios with the corners that break software: zeros, single letters, huge weights, 10^-300."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from leakgauge import randomness
from leakgauge.probability import Channel, Distribution, Joint, Scenario
from leakgauge.probability.cells import Floats

SIZES = st.integers(1, 6)


@st.composite
def masses(draw: st.DrawFn, shape: tuple[int, ...]) -> Floats:
    """Non-negative numbers over many orders of magnitude, some of them zero, never all."""
    random = randomness.simulation(draw(st.integers(0, 2**32 - 1)))
    spread = draw(st.sampled_from([0.0, 1.0, 5.0, 40.0, 690.0]))
    values = np.exp(-spread * random.random(shape))
    values *= random.random(shape) >= draw(st.sampled_from([0.0, 0.3, 0.8]))
    if values.sum() == 0:
        values.flat[random.integers(values.size)] = 1.0
    return np.asarray(values / values.sum())


@st.composite
def distributions(draw: st.DrawFn, size: int | None = None) -> Distribution:
    n = draw(SIZES) if size is None else size
    return Distribution(range(n), draw(masses((n,))))


@st.composite
def joints(draw: st.DrawFn) -> Joint:
    n, m = draw(SIZES), draw(SIZES)
    return Joint(range(n), [f"z{j}" for j in range(m)], draw(masses((n, m))))


@st.composite
def channels(draw: st.DrawFn, inputs: int | None = None, outputs: int | None = None) -> Channel:
    n = draw(SIZES) if inputs is None else inputs
    m = draw(SIZES) if outputs is None else outputs
    return Channel(range(n), range(m), np.stack([draw(masses((m,))) for _ in range(n)]))


@st.composite
def weight_vectors(draw: st.DrawFn, size: int) -> list[float]:
    return draw(st.lists(st.sampled_from([0.0, 1e-12, 0.5, 1.0, 3.0, 1e12]), min_size=size, max_size=size))


@st.composite
def scenarios(draw: st.DrawFn, weighted: bool = False) -> Scenario:
    """With background and a channel that sees the secret only, or both."""
    joint = draw(joints())
    weights = draw(weight_vectors(len(joint.rows))) if weighted else None
    if draw(st.booleans()):
        return Scenario(joint, draw(channels(inputs=len(joint.rows))), weights=weights)
    pairs = [(x, z) for x in joint.rows for z in joint.columns]
    by_pair = draw(channels(inputs=len(pairs)))
    return Scenario(joint, Channel(pairs, by_pair.outputs, by_pair.matrix), weights=weights)
