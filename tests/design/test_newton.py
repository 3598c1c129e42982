"""Newton's step solves its own equation, whether its matrices are written down or known by their rank."""

from __future__ import annotations

import numpy as np
import pytest

from leakgauge.design.certificate import Secrets
from leakgauge.design.newton import direction, shown
from leakgauge.randomness import simulation


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize(("inputs", "backgrounds"), [(3, 2), (3, 5), (3, 40), (9, 18), (9, 60)])
def test_a_step_closes_what_is_short(inputs: int, backgrounds: int, kept: bool) -> None:
    draw = simulation(inputs + backgrounds)
    joint = draw.dirichlet(np.full(inputs * backgrounds, 0.5)).reshape(inputs, backgrounds)
    secrets = Secrets.of(joint)
    channel = draw.dirichlet(np.ones(inputs), inputs)
    wanted = shown(secrets, channel) * draw.uniform(0.9, 1.1, (inputs, backgrounds))
    short = draw.normal(0, 0.01, wanted.shape) * wanted
    if kept:
        short -= wanted * (short.sum(axis=1) / wanted.sum(axis=1))[:, None]
    short -= short.sum() * wanted / wanted.sum()
    change = direction(secrets, channel, wanted, short, kept)
    prior, given = secrets.prior, secrets.given_secret
    scores = given @ change.T
    moved = channel * (scores - (channel * scores).sum(axis=1, keepdims=True))
    grown = wanted * change
    if kept:
        grown -= wanted * (grown.sum(axis=1) / wanted.sum(axis=1))[:, None]
    left = grown - (prior[:, None] * moved).T @ given - short
    assert abs(left / wanted).max() < 1e-8
