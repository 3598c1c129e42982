"""Priors for claims that depend on one, each with its origin, which says what it may itself reveal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from leakgauge.errors import ColumnError, OptionError
from leakgauge.measures import entropy, mutual_information
from leakgauge.mechanisms import geometric
from leakgauge.mechanisms.span import require_budget
from leakgauge.mechanisms.steps import DiscreteLaplaceNoise, Step
from leakgauge.probability import Channel, Distribution, PriorOrigin, Scenario
from leakgauge.probability.files import NamedChannel
from leakgauge.probability.labels import same_alphabet
from leakgauge.randomness import Randomness
from leakgauge.release.bound import BoundColumn, BoundPlan, bind
from leakgauge.release.ledger.entry import Bits
from leakgauge.release.plan import ReleasePlan
from leakgauge.release.unit import UnitOfProtection
from leakgauge.tables import Table


@dataclass(frozen=True)
class Prior:
    """p(x) over the inputs of a channel, where it comes from, and the ε in nats that it cost."""

    distribution: Distribution
    origin: PriorOrigin = PriorOrigin.PUBLIC
    epsilon: float | None = None


GivenPrior: TypeAlias = Prior | Distribution | float
"""A prior, a distribution that is public, or the ε for which a noisy histogram is bought."""


@dataclass(frozen=True)
class WantedPriors:
    """Priors as asked for; those to be bought are counted before anything is spent, and drawn afterwards."""

    known: Mapping[str, Prior]
    bought: Mapping[str, tuple[float, Channel, npt.NDArray[np.int64]]]
    unit: UnitOfProtection

    @classmethod
    def of(cls, bound: BoundPlan, given: Mapping[str, GivenPrior]) -> WantedPriors:
        """The priors given for columns of a plan; those that do not fit are refused."""
        known: dict[str, Prior] = {}
        bought = {}
        for name, prior in given.items():
            named = _channel_of(bound, name)
            channel = named.channel
            if isinstance(prior, Prior | Distribution):
                known[name] = prior if isinstance(prior, Prior) else Prior(prior)
                outcomes = known[name].distribution.outcomes
                same_alphabet(outcomes, channel.inputs, "outcomes of the prior", "inputs of the channel")
            else:
                require_budget(prior)
                bought[name] = (prior, channel, input_counts(bound.table, named.inputs, channel))
        return cls(known, bought, bound.unit)

    @property
    def steps(self) -> tuple[Step, ...]:
        """What those to be bought cost."""
        steps = (step for epsilon, _, _ in self.bought.values() for step in histogram_steps(epsilon))
        return tuple(map(self.unit.cost, steps))

    def drawn(self, source: Randomness) -> dict[str, Prior]:
        """All of them, those that were bought with fresh noise."""
        drawn = {name: noisy_prior(counts, channel, e, source) for name, (e, channel, counts) in self.bought.items()}
        return {**self.known, **drawn}


def histogram_steps(epsilon: float) -> tuple[Step, ...]:
    """What a noisy histogram costs: a replaced row moves two counts by one each."""
    return (DiscreteLaplaceNoise(epsilon / 2, 1, count=2),)


def noisy_prior(counts: npt.NDArray[np.int64], channel: Channel, epsilon: float, randomness: Randomness) -> Prior:
    """A prior bought for ε: counts of the channel's inputs with discrete Laplace noise, at least 1 each."""
    noisy = np.maximum(geometric(epsilon / 2, sensitivity=1).run(counts, randomness), 1).astype(np.float64)
    return Prior(Distribution(channel.inputs, noisy / noisy.sum()), PriorOrigin.NOISY_HISTOGRAM, epsilon)


def own_prior(table: Table, columns: tuple[str, ...], channel: Channel) -> Prior:
    """The shares in the table itself; claims under it are as private as the table."""
    counts = input_counts(table, columns, channel).astype(np.float64)
    return Prior(Distribution(channel.inputs, counts / counts.sum()), PriorOrigin.THIS_TABLE)


def bits_told(bound: BoundPlan) -> dict[str, Bits | None]:
    """What the mechanisms of a plan reveal about each non-public column, by their laws and the table's own shares.

    Of a person it is what all declared rows reveal, at most as many times what one does. If a channel reads several
    columns, each is charged with what it reveals about all, which never underestimates. None if there is no finite
    channel, or there are too many values to count.
    """
    told: dict[str, Bits | None] = {}
    rows = bound.unit.rows
    for one in bound.protecting:
        bits = _bits(bound.table, one)
        for name in one.reads:
            if name not in bound.public:
                whole = None if bits is None else entropy(bound.table.counts(name).distribution(name))
                told[name] = None if bits is None or whole is None else Bits(rows * min(bits, whole), rows * whole)
    return told


def _bits(table: Table, one: BoundColumn) -> float | None:
    """I(X;Y), X being all that is read."""
    if one.analysed is None:
        return None
    channel = one.analysed.channel
    try:
        prior = own_prior(table, one.reads, channel).distribution
    except ColumnError:
        return None
    return mutual_information(Scenario(prior, channel))


def input_counts(table: Table, columns: tuple[str, ...], channel: Channel) -> npt.NDArray[np.int64]:
    """How often each input of a channel occurs."""
    found = table.counts(*columns).merge({"input": columns})
    by_label = dict(zip(found.labels("input"), found.array().tolist(), strict=True))
    if not set(by_label) <= set(channel.inputs):
        raise ColumnError(
            "Values of column {name!r} are not inputs of its channel, so it has no prior of its own; bin the column, "
            "or give a prior in a file.",
            name=", ".join(columns),
        )
    return np.array([by_label.get(label, 0) for label in channel.inputs], dtype=np.int64)


def bound_channel(plan: ReleasePlan, table: Table, columns: str | tuple[str, ...]) -> NamedChannel:
    """The channel a plan releases columns through, letters of the table included."""
    return _channel_of(bind(plan, table), columns)


def _channel_of(bound: BoundPlan, columns: str | tuple[str, ...]) -> NamedChannel:
    names = (columns,) if isinstance(columns, str) else columns
    for one in bound.columns:
        # Beside the columns that it writes a channel may read public ones.
        if names in (one.reads, one.writes) and one.analysed is not None:
            return one.analysed
    raise OptionError(
        "A prior is given for {name!r}, which the plan does not release through its own channel; leave it out.",
        name=", ".join(names),
    )
