"""Baselines of a comparison: the symmetric channel and the exponential mechanism that just meet a target."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from leakgauge.design import MaxDistortion, MaxLeakage, RateDistortion, Slope, symmetric_channel
from leakgauge.design.baselines import Leakages, maximum_entropy_channel, mean_distortion
from leakgauge.probability import Channel, Label

HALVINGS = 60
OCTAVES = 400.0
"""The exponential mechanism is looked for at slopes from 2^-400 to 2^400 nats per mean distance."""


def symmetric_meeting(problem: RateDistortion, target: MaxDistortion | MaxLeakage) -> Channel | None:
    """The symmetric channel that just meets the target; None where there is none, or not even the truth meets it."""
    if len(problem.inputs) == 1 or not set(problem.inputs) <= set(problem.letters):
        return None
    most = (len(problem.inputs) - 1) / len(problem.inputs)

    def at(share: float) -> Channel:
        return symmetric_channel(problem.inputs, min(share, most))

    if isinstance(target, MaxLeakage):
        bits = target.bits
        return at(_least(lambda share: _objective(at(share), problem) <= bits, most))
    # The mean distortion is linear in the share of wrong letters.
    truth, worst = (
        mean_distortion(aligned(at(share), problem.inputs, problem.letters), problem) for share in (0.0, most)
    )
    if worst <= target.distortion:
        return at(most)
    return at(most * (target.distortion - truth) / (worst - truth)) if truth <= target.distortion else None


def exponential_meeting(problem: RateDistortion, target: MaxDistortion | MaxLeakage) -> Channel:
    """The exponential mechanism that just meets the target."""
    source = problem.source
    if isinstance(target, MaxDistortion):
        return maximum_entropy_channel(source, problem.distortion, target)
    bits = target.bits
    distances = problem.distortion.between(problem.inputs, problem.letters)
    # The search is over the logarithm of the slope, relative to the distances, whose unit may be any.
    others = distances[(distances > 0) & np.isfinite(distances)]
    scale = float(others.mean()) if len(others) else 1.0

    def at(fall: float) -> Channel:
        ends = {0.0: np.inf, 2 * OCTAVES: 0.0}
        slope = ends[fall] if fall in ends else 2.0 ** (OCTAVES - fall) / scale
        return maximum_entropy_channel(source, problem.distortion, Slope(slope))

    return at(_least(lambda fall: _objective(at(fall), problem) <= bits, 2 * OCTAVES))


def _least(holds: Callable[[float], bool], most: float) -> float:
    """Nearly the least number from 0 to ``most`` at which a condition holds, given that it holds at ``most``."""
    if holds(0.0):
        return 0.0
    low, high = 0.0, most
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _objective(channel: Channel, problem: RateDistortion) -> float:
    return Leakages.of(aligned(channel, problem.inputs, problem.letters), problem).objective


def aligned(channel: Channel, inputs: Sequence[Label], letters: Sequence[Label]) -> Channel:
    """The channel with just these inputs, and with these outputs, some of which it may never release."""
    columns = {label: at for at, label in enumerate(letters)}
    matrix = np.zeros((len(inputs), len(letters)))
    matrix[:, [columns[label] for label in channel.outputs]] = channel.restrict(inputs).matrix
    return Channel(inputs, letters, matrix)
