"""Priors for claims that depend on one, each with its origin: what it may itself give away."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from leakgauge.errors import ColumnError
from leakgauge.mechanisms import geometric
from leakgauge.mechanisms.steps import DiscreteLaplaceNoise, Step
from leakgauge.probability import Channel, Distribution, PriorOrigin
from leakgauge.randomness import Randomness
from leakgauge.tables import Table


@dataclass(frozen=True)
class Prior:
    """p(x) over the inputs of a channel, where it comes from, and the ε in nats it was bought for."""

    distribution: Distribution
    origin: PriorOrigin = PriorOrigin.PUBLIC
    epsilon: float | None = None


def histogram_steps(epsilon: float) -> tuple[Step, ...]:
    """What a noisy histogram costs: a replaced row moves two counts by one each."""
    return (DiscreteLaplaceNoise(epsilon / 2, 1, count=2),)


def noisy_prior(counts: npt.NDArray[np.int64], channel: Channel, epsilon: float, randomness: Randomness) -> Prior:
    """A prior bought for ε: counts of the channel's inputs with discrete Laplace noise, at least 1 each."""
    noisy = np.maximum(geometric(epsilon / 2, sensitivity=1).run(counts, randomness), 1).astype(np.float64)
    return Prior(Distribution(channel.inputs, noisy / noisy.sum()), PriorOrigin.NOISY_HISTOGRAM, epsilon)


def own_prior(table: Table, column: str, channel: Channel) -> Prior:
    """The shares in the table itself; what is claimed with it is as private as the table."""
    counts = input_counts(table, column, channel).astype(np.float64)
    return Prior(Distribution(channel.inputs, counts / counts.sum()), PriorOrigin.THIS_TABLE)


def input_counts(table: Table, column: str, channel: Channel) -> npt.NDArray[np.int64]:
    """How often each input of a channel occurs.

    Raises:
        ColumnError: other values occur, as in a channel of intervals.
    """
    found = table.counts(column)
    by_label = dict(zip(found.labels(column), found.array().tolist(), strict=True))
    if not set(by_label) <= set(channel.inputs):
        raise ColumnError(
            "Values of column {name!r} are not inputs of its channel, so it has no prior of its own; bin the column, "
            "or give a prior in a file.",
            name=column,
        )
    return np.array([by_label.get(label, 0) for label in channel.inputs], dtype=np.int64)
