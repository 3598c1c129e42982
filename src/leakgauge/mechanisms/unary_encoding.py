"""Optimised unary encoding: one coin a letter."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import compress

import numpy as np

from leakgauge.claims import LocalDP
from leakgauge.errors import OptionError
from leakgauge.mechanisms.law import Inputs
from leakgauge.mechanisms.letter_sets import UNITS, LetterSets, Members, SetLaw, coins_at, in_batches, known_letters
from leakgauge.mechanisms.randomized_response import units_of_another
from leakgauge.mechanisms.span import require_budget
from leakgauge.probability import Label
from leakgauge.probability.cells import Floats
from leakgauge.randomness import Randomness

MOST_LETTERS = 12
"""Up to here the channel, whose outputs are all sets of letters, is written down."""


@dataclass(frozen=True)
class UnaryLaw(SetLaw):
    """Each letter is in the set by a coin of its own: 1/2 for the row's own letter, less for the others."""

    other_units: int

    @property
    def other_probability(self) -> float:
        """1/(e^ε + 1), rounded up to a multiple of 2^-53."""
        return self.other_units / UNITS

    @property
    def sizes(self) -> range:
        """From none of the letters to all of them."""
        return range(self.count + 1)

    @property
    def terms(self) -> tuple[float, float]:
        """Every letter has a coin of its own."""
        own, other = self.own_probability, self.other_probability
        return math.log(own / (1 - own)) - math.log(other / (1 - other)), math.log(other / (1 - other))

    def table(self) -> tuple[list[Iterable[int]], Floats] | None:
        """All sets, up to 12 letters."""
        if self.count > MOST_LETTERS:
            return None
        held = (np.arange(1 << self.count)[:, None] >> np.arange(self.count)) & 1
        other, rest = self.other_probability, 1 - self.other_probability
        # Without the own letter, whose coin is even: one of the others more or less is held.
        kept = held.sum(axis=1)[None, :] - held.T
        matrix = 0.5 * other**kept * rest ** (self.count - 1 - kept)
        return [compress(range(self.count), row) for row in held], matrix

    def draw(self, inputs: Inputs, randomness: Randomness) -> Members:
        """A coin a letter."""
        members = np.empty((len(inputs), self.count), dtype=np.bool_)
        for part in in_batches(inputs, self.count):
            here = inputs[part]
            units = np.full((len(here), self.count), self.other_units, dtype=np.uint64)
            units[np.arange(len(here)), here] = self.own_units
            members[part] = coins_at(units, randomness)
        return members


def unary_encoding(epsilon: float, *, letters: Iterable[Label]) -> LetterSets:
    """Optimised unary encoding: the own letter with probability 1/2, each other with 1/(e^ε + 1); ε-local privacy.

    Args:
        epsilon: the budget in nats.
        letters: all values the column may have; None is the letter of missing values.

    Raises:
        OptionError: an ε that is not above 0 or too small for probabilities of 2^-53, or letters that cannot be used.

    References:
        Wang, Blocki, Li and Jha, Locally differentially private protocols for frequency estimation, 2017.

    Example:
        >>> from leakgauge.randomness import Simulated
        >>> sets = unary_encoding(1.0, letters=["a", "b", "c"])
        >>> sets.run(["a", "b", "b"], Simulated(simulation_seed=2))
        [('a',), ('a',), ('a', 'b')]
    """
    require_budget(epsilon)
    known = known_letters(letters, "Unary encoding")
    own, other = UNITS // 2, units_of_another(epsilon, 2)
    if other >= own:
        raise OptionError("An ε of {epsilon} is too small for probabilities of 2^-53.", epsilon=epsilon)
    law = UnaryLaw(len(known), own, other)
    return LetterSets("unary-encoding", {"epsilon": epsilon, "letters": known}, (LocalDP(epsilon),), law)
