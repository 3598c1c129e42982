"""Local mechanisms that release a set of letters for each row: optimised unary encoding and subset selection."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, compress

import numpy as np
import numpy.typing as npt

from leakgauge.claims import LocalDP
from leakgauge.errors import LabelError, OptionError
from leakgauge.mechanisms.estimated_counts import counted_by_sets
from leakgauge.mechanisms.finite import UNITS, units_above
from leakgauge.mechanisms.mechanism import Inputs, Law, Mechanism, Outputs
from leakgauge.mechanisms.span import require_budget
from leakgauge.probability import Channel, Estimate, Label
from leakgauge.probability.cells import Floats
from leakgauge.probability.labels import alphabet, text_of
from leakgauge.randomness import Randomness

SEPARATOR = "|"
MISSING = "missing"
"""How the letter of missing values is written in a released set, where nothing stands for no letter at all."""
MOST_LETTERS = 12
"""Up to here the channel of unary encoding, whose outputs are all sets of letters, is written down."""
MOST_SETS = 4096
"""Up to here the channel of subset selection, whose outputs are all sets of the size, is written down."""
_WORDS_AT_ONCE = 1 << 16

Members = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class SetLaw(Law):
    """Sets of letters by number; outputs are a row of truths each, one for each letter.

    ``own_units`` is the probability that a set holds the row's own letter, in parts of 2^-53.
    """

    count: int
    own_units: int

    @property
    def own_probability(self) -> float:
        """That a set holds the row's own letter."""
        return self.own_units / UNITS

    @property
    @abstractmethod
    def other_probability(self) -> float:
        """That a set holds a given letter which is not the row's own."""

    @property
    @abstractmethod
    def sizes(self) -> range:
        """How many letters a set may hold."""

    @property
    @abstractmethod
    def terms(self) -> tuple[float, float]:
        """What holding the own letter adds to the log-likelihood of a set, and what each letter held adds."""

    @abstractmethod
    def table(self) -> tuple[Members, Floats] | None:
        """All sets, and their probabilities for each letter (a row); None where there are too many.

        They are products of the exact ones, each rounded to a float.
        """

    @abstractmethod
    def _drawn(self, rows: Inputs, randomness: Randomness) -> Members:
        """``draw`` for rows of which a matrix of words fits the processor's cache."""

    def draw(self, inputs: Inputs, randomness: Randomness) -> Members:
        """For the number of each row's letter which letters its set holds."""
        members, size = np.empty((len(inputs), self.count), dtype=np.bool_), max(_WORDS_AT_ONCE // self.count, 1)
        for start in range(0, len(inputs), size):
            members[start : start + size] = self._drawn(inputs[start : start + size], randomness)
        return members

    def scores(self, inputs: Inputs, outputs: Outputs) -> Floats:
        """More for sets that hold the own letter; of each set alone only what depends on its size."""
        held, of_size = self.terms
        own = outputs[:, inputs].T.astype(np.float64)
        return np.asarray(own * held + (outputs.sum(axis=1) * of_size)[None, :])

    def log_ratio(self, first: int, second: int) -> Callable[[Outputs], Floats]:
        """Only which of the two letters a set holds matters."""
        held = self.terms[0]
        return lambda sets: held * (sets[:, first].astype(np.float64) - sets[:, second])


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
        return range(self.count + 1)

    @property
    def terms(self) -> tuple[float, float]:
        """Every letter has a coin of its own."""
        own, other = self.own_probability, self.other_probability
        return math.log(own / (1 - own)) - math.log(other / (1 - other)), math.log(other / (1 - other))

    def table(self) -> tuple[Members, Floats] | None:
        """All sets, up to 12 letters."""
        if self.count > MOST_LETTERS:
            return None
        held = (np.arange(1 << self.count)[:, None] >> np.arange(self.count)) & 1
        other, rest = self.other_probability, 1 - self.other_probability
        # Without the own letter, whose coin is even: one of the others more or less is held.
        kept = held.sum(axis=1)[None, :] - held.T
        return held.astype(np.bool_), 0.5 * other**kept * rest ** (self.count - 1 - kept)

    def _drawn(self, rows: Inputs, randomness: Randomness) -> Members:
        units = np.full((len(rows), self.count), self.other_units, dtype=np.uint64)
        units[np.arange(len(rows)), rows] = self.own_units
        return _coins_at(units, randomness)


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
        return range(self.size, self.size + 1)

    @property
    def terms(self) -> tuple[float, float]:
        """All sets are of one size: C(k−1, d)/C(k−1, d−1) = (k − d)/d sets without the letter for one with it."""
        own = self.own_probability
        return math.log(own / (1 - own) * (self.count - self.size) / self.size), 0.0

    def table(self) -> tuple[Members, Floats] | None:
        """All sets of the size, up to 4096 of them."""
        if math.comb(self.count, self.size) > MOST_SETS:
            return None
        sets = np.zeros((math.comb(self.count, self.size), self.count), dtype=np.bool_)
        np.put_along_axis(sets, np.array(list(combinations(range(self.count), self.size))), True, axis=1)
        own = self.own_probability / math.comb(self.count - 1, self.size - 1)
        other = (UNITS - self.own_units) / UNITS / math.comb(self.count - 1, self.size)
        return sets, np.where(sets.T, own, other)

    def _drawn(self, rows: Inputs, randomness: Randomness) -> Members:
        own = _coins_at(np.full(len(rows), self.own_units, dtype=np.uint64), randomness)
        return self._with_others(rows, own, randomness)

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


@dataclass(frozen=True)
class LetterSets(Mechanism):
    """A set of letters for each value: its own letter is in it more often than each of the others.

    Its letters are a parameter; it claims local differential privacy.
    """

    law: SetLaw

    @property
    def letters(self) -> tuple[Label, ...]:
        letters = self.parameters["letters"]
        assert isinstance(letters, tuple)
        return letters

    @property
    def sets(self) -> LetterSets:
        return self

    def channel(self) -> Channel | None:
        """The channel from letters to the texts of sets; None where there are too many sets."""
        table = self.law.table()
        return None if table is None else Channel(self.letters, self.texts(table[0]), table[1])

    def run(self, values: Iterable[Label], randomness: Randomness) -> list[tuple[Label, ...]]:
        """A set for each value, its letters in the order of the alphabet."""
        places = {letter: at for at, letter in enumerate(self.letters)}
        try:
            rows = np.array([places[value] for value in values], dtype=np.int64)
        except KeyError:
            raise LabelError(
                "A value is not among the {count} letters of {name!s}; declare it, or merge it first.",
                count=len(places),
                name=self.name,
            ) from None
        return [tuple(compress(self.letters, members)) for members in self.law.draw(rows, randomness).tolist()]

    def texts(self, matrix: Members) -> list[str]:
        """Each set as the text that is released: its letters joined by ``|``, nothing for the empty set."""
        packed, places = np.unique(np.packbits(matrix, axis=1), axis=0, return_inverse=True)
        sets = np.unpackbits(packed, axis=1, count=len(self.letters)).tolist()
        different = np.array([SEPARATOR.join(compress(self.letter_texts, held)) for held in sets], dtype=object)
        texts: list[str] = different[places.reshape(-1)].tolist()
        return texts

    def counts_from(self, released_sums: npt.ArrayLike, n: int, confidence: float = 0.95) -> tuple[Estimate, ...]:
        """For each letter the number of rows that had it, without bias, by how many of the n sets released hold it."""
        sums = np.asarray(released_sums)
        fits = sums.shape == (len(self.letters),) and sums.dtype.kind in "iu" and n >= 1
        if not fits or (sums < 0).any() or (sums > n).any():
            raise OptionError(
                "The released sums are not {letters} whole numbers from 0 to n = {n}; give one per letter.",
                letters=len(self.letters),
                n=n,
            )
        return counted_by_sets(sums, n, self.law.own_probability, self.law.other_probability, confidence)

    @cached_property
    def letter_texts(self) -> tuple[str, ...]:
        """Each letter as it is written in a released set."""
        return _texts_of(self.letters)


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
    known = _known_letters(letters, "Unary encoding")
    own, other = UNITS // 2, units_above(1, epsilon, 1)
    if other >= own:
        raise OptionError(
            "An ε of {epsilon} is too small for probabilities in multiples of 2^-53; give a larger one.",
            epsilon=epsilon,
        )
    law = UnaryLaw(len(known), own, other)
    return LetterSets("unary-encoding", {"epsilon": epsilon, "letters": known}, (LocalDP(epsilon),), law)


def subset_selection(epsilon: float, *, letters: Iterable[Label]) -> LetterSets:
    """Sets of d letters, d the whole number next to k/(e^ε + 1), at least 1, with ε-local differential privacy.

    A set with the own letter is e^ε times as likely as one without; arguments are those of ``unary_encoding``.

    References:
        Ye and Barg, Optimal schemes for discrete distribution estimation under locally differential privacy, 2018.

    Example:
        >>> from leakgauge.randomness import Simulated
        >>> sets = subset_selection(0.5, letters=["a", "b", "c", "d", "e"])
        >>> list(sets.law.sizes), sets.run(["a", "b"], Simulated(simulation_seed=2))
        ([2], [('a', 'b'), ('a', 'b')])
    """
    require_budget(epsilon)
    known = _known_letters(letters, "Subset selection")
    size = max(1, round(len(known) / (math.exp(min(epsilon, 64.0)) + 1)))
    own = UNITS - units_above(len(known) - size, epsilon, len(known) - size, size)
    if own * len(known) <= size * UNITS:
        raise OptionError(
            "An ε of {epsilon} is too small for probabilities in multiples of 2^-53; give a larger one.",
            epsilon=epsilon,
        )
    law = SubsetLaw(len(known), own, size)
    return LetterSets("subset-selection", {"epsilon": epsilon, "letters": known}, (LocalDP(epsilon),), law)


def _coins_at(units: npt.NDArray[np.uint64], randomness: Randomness) -> Members:
    """True with probability units/2^53 exactly: the top 53 bits of a word compared with a whole number."""
    words = randomness.words(units.size).reshape(units.shape)
    return np.asarray((words >> np.uint64(11)) < units)


def _known_letters(letters: Iterable[Label], name: str) -> tuple[Label, ...]:
    """The letters, of which there are two or more and whose texts can be told apart when joined."""
    known = alphabet(letters, "letters")
    if len(known) < 2:
        raise OptionError("{name} has {count} letters; give 2 or more.", name=name, count=len(known))
    texts = _texts_of(known)
    if len(set(texts)) < len(texts) or any(not text or SEPARATOR in text for text in texts):
        raise OptionError(
            "Some letters are written alike, as nothing, or with a '|', which separates the letters of a released set "
            "(None is written {missing!r}); rename them.",
            missing=MISSING,
        )
    return known


def _texts_of(letters: tuple[Label, ...]) -> tuple[str, ...]:
    return tuple(MISSING if letter is None else text_of(letter) for letter in letters)
