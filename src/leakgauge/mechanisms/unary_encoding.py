"""Optimised unary encoding: one coin a letter."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import compress

import numpy as np
import numpy.typing as npt

from leakgauge.claims import LocalDP
from leakgauge.errors import OptionError
from leakgauge.mechanisms.letter_sets import UNITS, LetterSets, Members, coins_at, in_batches, known_letters, set_texts
from leakgauge.mechanisms.noisy_number import require_budget
from leakgauge.mechanisms.randomized_response import units_of_another
from leakgauge.probability import Channel, Label
from leakgauge.randomness import Randomness

MOST_LETTERS = 12
"""Up to here the channel, whose outputs are all sets of letters, is written down."""


@dataclass(frozen=True)
class UnaryEncoding(LetterSets):
    """Each letter is in the set by a coin of its own: 1/2 for the row's own letter, less for the others."""

    other_units: int

    @property
    def other_probability(self) -> float:
        """1/(e^ε + 1), rounded up to a multiple of 2^-53."""
        return self.other_units / UNITS

    @property
    def sizes(self) -> range:
        """From none of the letters to all of them."""
        return range(len(self.letters) + 1)

    def channel(self) -> Channel | None:
        """The channel to the texts of all sets, up to 12 letters."""
        size = len(self.letters)
        if size > MOST_LETTERS:
            return None
        held = (np.arange(1 << size)[:, None] >> np.arange(size)) & 1
        other, rest = self.other_probability, 1 - self.other_probability
        # Without the own letter, whose coin is even: one of the others more or less is held.
        kept = held.sum(axis=1)[None, :] - held.T
        matrix = 0.5 * other**kept * rest ** (size - 1 - kept)
        return Channel(self.letters, set_texts(self.letters, (compress(range(size), row) for row in held)), matrix)

    def run_places(self, rows: npt.NDArray[np.integer], randomness: Randomness) -> Members:
        """For the number of each row's letter which letters its set holds: a row a row, a column a letter."""
        members = np.empty((len(rows), len(self.letters)), dtype=np.bool_)
        for part in in_batches(rows, len(self.letters)):
            here = rows[part]
            units = np.full((len(here), len(self.letters)), self.other_units, dtype=np.uint64)
            units[np.arange(len(here)), here] = self.own_units
            members[part] = coins_at(units, randomness)
        return members


def unary_encoding(letters: Iterable[Label], epsilon: float) -> UnaryEncoding:
    """Optimised unary encoding: the own letter with probability 1/2, each other with 1/(e^ε + 1); ε-local privacy.

    Args:
        letters: all values the column may have; None is the letter of missing values.
        epsilon: the budget in nats.

    Raises:
        OptionError: an ε that is not above 0 or too small for probabilities of 2^-53, or letters that cannot be used.

    References:
        Wang, Blocki, Li and Jha, Locally differentially private protocols for frequency estimation, 2017.

    Example:
        >>> from leakgauge.randomness import Simulated
        >>> sets = unary_encoding(["a", "b", "c"], epsilon=1.0)
        >>> sets.run(["a", "b", "b"], Simulated(simulation_seed=2))
        [('a',), ('a',), ('a', 'b')]
    """
    require_budget(epsilon)
    known = known_letters(letters, "Unary encoding")
    own, other = UNITS // 2, units_of_another(epsilon, 2)
    if other >= own:
        raise OptionError("An ε of {epsilon} is too small for probabilities of 2^-53.", epsilon=epsilon)
    return UnaryEncoding(
        "unary-encoding", {"epsilon": epsilon, "letters": known}, (LocalDP(epsilon),), known, own, other
    )
