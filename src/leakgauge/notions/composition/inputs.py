"""Which pair of inputs the channels of a sequence meet, when they say that they see the same secret."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import permutations, product
from typing import TypeAlias

import numpy as np

from leakgauge.errors import ModelError
from leakgauge.mechanisms.steps.known import KnownChannel
from leakgauge.notions.composition.spent import Spent
from leakgauge.probability import Channel, Label
from leakgauge.probability.cells import Floats

Met: TypeAlias = dict[Label, tuple[int, int]]
"""For each secret the two inputs that neighbours give it."""
ASSIGNMENTS = 64
"""Choices of a pair for every secret that are looked at one by one; beyond, channels are taken at their worst."""


def require_same_inputs(groups: Sequence[Spent]) -> None:
    """Refuse channels that name the same secret and have different inputs."""
    for name, channels in _by_secret(groups).items():
        if any(channel.inputs != channels[0].inputs for channel in channels):
            raise ModelError(
                "The channels that see {secret!r} have different inputs; give them another secret.", secret=name
            )


def assignments(groups: Sequence[Spent]) -> list[Met] | None:
    """Every choice of an ordered pair of inputs for each named secret; None where there are too many."""
    sizes = {name: len(channels[0].inputs) for name, channels in _by_secret(groups).items()}
    if math.prod(max(size * (size - 1), 1) for size in sizes.values()) > ASSIGNMENTS:
        return None
    # A channel of one input meets that one twice.
    choices = product(*(list(permutations(range(size), 2)) or [(0, 0)] for size in sizes.values()))
    return [dict(zip(sizes, choice, strict=True)) for choice in choices]


def rows_met(spent: Spent, met: Met) -> tuple[Floats, Floats] | None:
    """The two rows a channel shows under this choice; None where its secret has no name."""
    if not isinstance(spent.step, KnownChannel) or spent.step.secret is None:
        return None
    first, second = met[spent.step.secret]
    return spent.step.channel.matrix[first], spent.step.channel.matrix[second]


def pure_epsilon(groups: Sequence[Spent]) -> float:
    """The exact ε in nats of channels: per secret the worst pair of Σ count · largest log-ratio."""
    by_secret: dict[tuple[str, object], Floats] = {}
    for at, spent in enumerate(groups):
        assert isinstance(spent.step, KnownChannel)
        matrix = spent.step.channel.matrix
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(matrix)
            largest = [np.where(row > 0, np.log(row) - logs, -math.inf).max(axis=1) for row in matrix]
        # A pair, so that no name a caller gives can be taken for the place of an unnamed channel.
        key = ("unnamed", at) if spent.step.secret is None else ("named", spent.step.secret)
        by_secret[key] = by_secret.get(key, np.zeros(())) + spent.count * np.array(largest)
    return math.fsum(float(np.max(ratios)) for ratios in by_secret.values())


def _by_secret(groups: Sequence[Spent]) -> dict[Label, list[Channel]]:
    found: dict[Label, list[Channel]] = {}
    for spent in groups:
        if isinstance(spent.step, KnownChannel) and spent.step.secret is not None:
            found.setdefault(spent.step.secret, []).append(spent.step.channel)
    return found
