"""Groups of equal steps: what each spends under sampling, and which pair of inputs its channels meet.

For replaced records Poisson sampling leaves ε and multiplies δ(ε) by p: with probability 1 − p both data sets give
the same output law, which may show that the record was not drawn. For added or removed records the amplification
of Balle, Barthe and Gaboardi (Privacy amplification by subsampling, 2018) and, for
loss distributions, of Zhu, Dong and Wang (2022) holds as well.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import permutations, product
from typing import TypeAlias

import numpy as np

from leakgauge.errors import ModelError
from leakgauge.measures import capacities
from leakgauge.mechanisms.steps import KnownChannel, Step, renyi_curves
from leakgauge.mechanisms.steps.losses import Added, Loss, PairLoss, Part, Removed, Seen
from leakgauge.mechanisms.steps.step import Pair, amplified_epsilon
from leakgauge.notions.formulas import information_of_ratio
from leakgauge.probability import Channel, Label
from leakgauge.probability.cells import Floats
from leakgauge.sentences import Sentence

Met: TypeAlias = dict[Label, tuple[int, int]]
"""For each secret the two inputs that neighbours give it."""
ORDERS_NEAR_ONE: Floats = np.array([1.001, 1.01, 1.1])
"""Orders at which a Rényi divergence is little more than the Kullback–Leibler divergence, and never less."""
ASSIGNMENTS = 64
"""Choices of a pair for every secret that are looked at one by one; beyond, channels are taken at their worst."""


class Neighbours(Enum):
    """How two neighbouring data sets differ; every claim of a sequence must hold for the same kind."""

    REPLACE_ONE = "replace-one"
    ADD_OR_REMOVE_ONE = "add-or-remove"

    @property
    def words(self) -> Sentence:
        """The relation in words."""
        if self is Neighbours.REPLACE_ONE:
            return Sentence("one record has another value")
        return Sentence("one record is there or not")


class Parts(Enum):
    """The rule that assigns records to parts."""

    FIXED = "fixed"
    """Something that stays when the record's value is replaced, such as a key."""
    BY_VALUE = "by-value"
    """The record's own value, as in a histogram."""


@dataclass(frozen=True)
class Spent:
    """A step, how often it occurs in all, and for which neighbours it is accounted."""

    step: Step
    count: int
    neighbours: Neighbours

    def __post_init__(self) -> None:
        if self.step.needs_replaced_records and self.neighbours is not Neighbours.REPLACE_ONE:
            raise ModelError(
                "{kind} is accounted for replaced records only, and here one is added or removed; choose replaced "
                "records, or sample each record by itself.",
                kind=type(self.step).__name__,
            )
        if self.amplifies and not self.step.names_a_missing_record:
            raise ModelError(
                "{kind} has no law for a missing record, so sampling cannot be accounted when records are added or "
                "removed; give it as a channel whose rows already mix in what it shows for a missing record.",
                kind=type(self.step).__name__,
            )

    @property
    def probability(self) -> float:
        """With which a record is seen."""
        return self.step.sampling_probability

    @property
    def amplifies(self) -> bool:
        """Whether sampling lowers ε and not only δ."""
        return self.probability < 1 and self.neighbours is Neighbours.ADD_OR_REMOVE_ONE

    @cached_property
    def loss(self) -> Loss | None:
        """The privacy loss of one run that sees the record."""
        return self.step.loss()

    def approximate(self) -> tuple[float, float]:
        """(ε in nats, δ) of one run."""
        epsilon, delta = self.step.approximate()
        return amplified_epsilon(epsilon, self.probability) if self.amplifies else epsilon, self.probability * delta

    def rho(self) -> float:
        """zCDP level of one run in nats; sampling never raises it, divergences being quasi-convex."""
        epsilon, delta = self.approximate()
        from_pure = epsilon * math.tanh(epsilon / 2) if delta == 0 else math.inf
        return min(self.step.rho(), from_pure)

    def renyi(self, orders: Floats) -> Floats:
        """Rényi-DP curve of one run in nats."""
        curve = self.step.renyi(orders)
        if self.probability == 1:
            return curve
        curve = renyi_curves.seen_sometimes(curve, orders, self.probability)
        if not self.amplifies:
            return curve
        loss = self.loss
        if loss is not None and loss.mu is not None:
            return np.minimum(curve, renyi_curves.sampled_gaussian(loss.mu, self.probability, orders))
        epsilon, delta = self.approximate()
        return curve if delta > 0 else np.minimum(curve, renyi_curves.pure(epsilon, orders))

    @cached_property
    def levels(self) -> Floats:
        """The curve of one run at the orders that are always looked at."""
        return self.renyi(renyi_curves.ORDERS)

    def information(self) -> float:
        """A bound in nats on what one run tells of a record, given all others, under any prior: I(X_i;Y|X_−i).

        Mutual information is at most the divergence from the law of any one neighbour, and rows within e^ε tell less.
        Whether the record is drawn does not depend on it, so that sampling tells the share of the probability.
        """
        near_one = float(self.renyi(ORDERS_NEAR_ONE).min())
        if self.neighbours is Neighbours.ADD_OR_REMOVE_ONE and self.step.names_a_missing_record:
            # Two values of a record that may also be missing lie within 2ε of each other.
            is_pure = self.step.approximate()[1] == 0
            return min(near_one, information_of_ratio(2 * self.approximate()[0]) if is_pure else math.inf)
        pure = information_of_ratio(self.step.pure_epsilon())
        bounds = [near_one / self.probability, pure, self.step.information()]
        if isinstance(self.step, KnownChannel):
            bounds.append(capacities.shannon(self.step.channel).high * math.log(2))
        return self.probability * min(bounds)

    def spread(self) -> float:
        """About the variance of one run's finite losses, in squared nats; only the accountant's grid depends on it."""
        variance = float(self.renyi(np.array([2.0]))[0])
        if variance < math.inf:
            return variance
        epsilon, _ = self.approximate()
        if self.loss is not None and epsilon == math.inf:
            epsilon = max(np.abs(self.loss.span()))
        return epsilon * math.tanh(epsilon / 2)

    def pair(self, *, added: bool) -> Pair | None:
        """Two finite laws that are the worst case of one run; None where there are none.

        ``added`` is the order of the two where sampling makes them differ: whether the first is without the record.
        """
        pair = self.step.pair()
        if pair is None or self.probability == 1:
            return pair
        p, q = pair
        if self.amplifies:
            mixture = (1 - self.probability) * q + self.probability * p
            return (q, mixture) if added else (mixture, q)
        # One more letter: "not drawn".
        return np.append(self.probability * p, 1 - self.probability), np.append(
            self.probability * q, 1 - self.probability
        )

    def part(self, rows: Pair | None = None) -> Part | None:
        """The loss of all runs, where known, or that of a channel whose two rows are given."""
        loss = self.loss if rows is None else PairLoss(*rows)
        if loss is None or self.probability == 1:
            return None if loss is None else Part(loss, self.count)
        if self.amplifies:
            return Part(Removed(loss, self.probability), self.count, Added(loss, self.probability))
        return Part(Seen(loss, self.probability), self.count)


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
