"""Subset selection: a random set of fixed size that holds the own letter more often than not."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from itertools import combinations

import numpy as np

from leakgauge.claims import LocalDP
from leakgauge.errors import OptionError
from leakgauge.mechanisms.law import Inputs
from leakgauge.mechanisms.letter_sets import UNITS, LetterSets, Members, SetLaw, coins_at, in_batches, known_letters
from leakgauge.mechanisms.span import require_budget
from leakgauge.probability import Label
from leakgauge.probability.cells import Floats
from leakgauge.randomness import Randomness

MOST_SETS = 4096
"""Up to here the channel, whose outputs are all sets of the size, is written down."""


@dataclass(frozen=True)
class SubsetLaw(SetLaw):
    """A set of ``size`` letters: with the own letter by one coin, the rest chosen uniformly among the others."""

    size: int

    @property
    def other_probability(self) -> float:
        """That a set holds a given other letter: (size − P(own)) / (letters − 1)."""
        return (self.size - self.own_probability) / (self.count - 1)

    @property
    def sizes(self) -> range:
        """The one size of its sets."""
        return range(self.size, self.size + 1)

    @property
    def terms(self) -> tuple[float, float]:
        """All sets are of one size: C(k−1, d)/C(k−1, d−1) = (k − d)/d sets without the letter for one with it."""
        own = self.own_probability
        return math.log(own / (1 - own) * (self.count - self.size) / self.size), 0.0

    def table(self) -> tuple[list[tuple[int, ...]], Floats] | None:
        """All sets of the size, up to 4096 of them."""
        if math.comb(self.count, self.size) > MOST_SETS:
            return None
        sets = list(combinations(range(self.count), self.size))
        own = self.own_probability / math.comb(self.count - 1, self.size - 1)
        other = (UNITS - self.own_units) / UNITS / math.comb(self.count - 1, self.size)
        return sets, np.array([[own if at in held else other for held in sets] for at in range(self.count)])

    def draw(self, inputs: Inputs, randomness: Randomness) -> Members:
        """One coin for the own letter, then random keys."""
        members = np.empty((len(inputs), self.count), dtype=np.bool_)
        for part in in_batches(inputs, self.count):
            own = coins_at(np.full(len(inputs[part]), self.own_units, dtype=np.uint64), randomness)
            members[part] = self._with_others(inputs[part], own, randomness)
        return members

    def _with_others(self, rows: Inputs, own: Members, randomness: Randomness) -> Members:
        """The letters with the smallest of random keys, the own one first or last as its coin says."""
        keys = randomness.words(len(rows) * self.count).reshape(len(rows), -1).copy()
        keys[np.arange(len(rows)), rows] = np.where(own, np.uint64(0), np.uint64((1 << 64) - 1))
        limits = np.partition(keys, self.size - 1, axis=1)[:, self.size - 1]
        members: Members = keys <= limits[:, None]
        # Equal keys at the limit would hold too many letters; all keys of the row are drawn again, its coin stays.
        tied = np.flatnonzero(members.sum(axis=1) > self.size)
        if tied.size:
            members[tied] = self._with_others(rows[tied], own[tied], randomness)
        return members


def subset_selection(epsilon: float, *, letters: Iterable[Label]) -> LetterSets:
    """Sets of d letters, d the whole number next to k/(e^ε + 1), at least 1, with ε-local differential privacy.

    A set with the own letter is e^ε times as likely as one without.

    Args:
        epsilon: the budget in nats.
        letters: all k values the column may have; None is the letter of missing values.

    Raises:
        OptionError: an ε that is not above 0 or too small for probabilities of 2^-53, or letters that cannot be used.

    References:
        Ye and Barg, Optimal schemes for discrete distribution estimation under locally differential privacy, 2018.

    Example:
        >>> from leakgauge.randomness import Simulated
        >>> sets = subset_selection(0.5, letters=["a", "b", "c", "d", "e"])
        >>> list(sets.law.sizes), sets.run(["a", "b"], Simulated(simulation_seed=2))
        ([2], [('a', 'b'), ('a', 'b')])
    """
    require_budget(epsilon)
    known = known_letters(letters, "Subset selection")
    size = max(1, round(len(known) / (math.exp(min(epsilon, 64.0)) + 1)))
    own = _own_units(epsilon, len(known), size)
    if own * len(known) <= size * UNITS:
        raise OptionError("An ε of {epsilon} is too small for probabilities of 2^-53.", epsilon=epsilon)
    law = SubsetLaw(len(known), own, size)
    return LetterSets("subset-selection", {"epsilon": epsilon, "letters": known}, (LocalDP(epsilon),), law)


def _own_units(epsilon: float, letters: int, size: int) -> int:
    """size · e^ε/(size · e^ε + letters − size) in units of 2^-53, rounded down: the own letter a little less often."""
    exact = Context(prec=60)
    # Beyond e^64 all but one unit is the own letter's all the same.
    power = exact.multiply(Decimal(size), exact.exp(Decimal(min(epsilon, 64.0))))
    share = exact.divide(exact.multiply(Decimal(UNITS), power), exact.add(power, Decimal(letters - size)))
    return min(int(share.to_integral_value(rounding=ROUND_FLOOR)), UNITS - 1)
