"""Local mechanisms that release a set of letters a row: what they share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress

import numpy as np
import numpy.typing as npt

from leakgauge.claims import LocalDP
from leakgauge.errors import LabelError, OptionError
from leakgauge.mechanisms.estimated_counts import counted_by_sets
from leakgauge.mechanisms.finite import COUNTABLE
from leakgauge.mechanisms.law import Inputs, Law, Outputs
from leakgauge.mechanisms.mechanism import Capabilities, Mechanism
from leakgauge.probability import Channel, Estimate, Label
from leakgauge.probability.cells import Floats
from leakgauge.probability.labels import alphabet, text_of
from leakgauge.randomness import Randomness

SEPARATOR = "|"
MISSING = "missing"
"""How the letter of missing values is written in a released set, where nothing stands for no letter at all."""
UNITS = 1 << 53
"""Probabilities are whole numbers of these parts of 1."""
_ROWS_AT_ONCE = 1 << 16

Members = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class SetLaw(Law):
    """Sets of letters by number; outputs are a row of truths each, one for each letter.

    Attributes:
        count: of the letters.
        own_units: the probability that a set holds the row's own letter, in parts of 2^-53.
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
    def table(self) -> tuple[Sequence[Iterable[int]], Floats] | None:
        """All sets, and their probabilities for each letter (a row); None where there are too many.

        They are products of the exact ones, each rounded to a float.
        """

    @abstractmethod
    def draw(self, inputs: Inputs, randomness: Randomness) -> Members:
        """For the number of each row's letter which letters its set holds."""

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
class LetterSets(Mechanism):
    """A set of letters for each value: its own letter is in it more often than each of the others.

    Its letters are a parameter; it claims local differential privacy.
    """

    claims: tuple[LocalDP, ...]
    law: SetLaw

    @property
    def letters(self) -> tuple[Label, ...]:
        """All values the column may have."""
        letters = self.parameters["letters"]
        assert isinstance(letters, tuple)
        return letters

    @property
    def sets(self) -> LetterSets:
        """Itself."""
        return self

    @property
    def capabilities(self) -> Capabilities:
        """Columns of any countable kind."""
        return Capabilities(columns=COUNTABLE, finite=True, values=len(self.letters))

    def channel(self) -> Channel | None:
        """The channel from letters to the texts of sets; None where there are too many sets."""
        table = self.law.table()
        return None if table is None else Channel(self.letters, set_texts(self.letters, table[0]), table[1])

    def run(self, values: Iterable[Label], randomness: Randomness) -> list[tuple[Label, ...]]:
        """A set for each value, its letters in the order of the alphabet.

        Raises:
            LabelError: a value is not one of the letters.
        """
        places = {letter: at for at, letter in enumerate(self.letters)}
        try:
            rows = np.array([places[value] for value in values], dtype=np.int64)
        except KeyError:
            raise LabelError(
                "A value is not one of the {count} letters of {name!s}; declare it, or merge it first.",
                count=len(places),
                name=self.name,
            ) from None
        return [tuple(compress(self.letters, members)) for members in self.law.draw(rows, randomness).tolist()]

    def texts(self, matrix: Members) -> list[str]:
        """Each set as the text that is released: its letters joined by ``|``, nothing for the empty set."""
        packed, places = np.unique(np.packbits(matrix, axis=1), axis=0, return_inverse=True)
        sets = np.unpackbits(packed, axis=1, count=len(self.letters)).tolist()
        different = np.array([SEPARATOR.join(compress(self._texts, held)) for held in sets], dtype=object)
        texts: list[str] = different[places.reshape(-1)].tolist()
        return texts

    def counts_from(self, released_sums: npt.ArrayLike, n: int, confidence: float = 0.95) -> tuple[Estimate, ...]:
        """For each letter the number of rows that had it, without bias, with an interval that holds it.

        Args:
            released_sums: in how many of the sets each letter is.
            n: how many sets were released.
            confidence: of each interval alone.

        Raises:
            OptionError: sums that do not fit the letters and n.
        """
        sums = np.asarray(released_sums)
        if sums.shape != (len(self.letters),) or sums.dtype.kind not in "iu" or n < 1 or not _within(sums, n):
            raise OptionError(
                "The released sums are not {letters} whole numbers from 0 to n = {n}; give one a letter.",
                letters=len(self.letters),
                n=n,
            )
        return counted_by_sets(sums, n, self.law.own_probability, self.law.other_probability, confidence)

    @cached_property
    def _texts(self) -> tuple[str, ...]:
        return _texts_of(self.letters)


def coins_at(units: npt.NDArray[np.uint64], randomness: Randomness) -> Members:
    """True with probability units/2^53 exactly: the top 53 bits of a word compared with a whole number."""
    words = randomness.words(units.size).reshape(units.shape)
    return np.asarray((words >> np.uint64(11)) < units)


def in_batches(rows: npt.NDArray[np.integer], width: int) -> Iterable[slice]:
    """Slices of rows of which a matrix of words fits the processor's cache."""
    size = max(_ROWS_AT_ONCE // width, 1)
    return (slice(start, start + size) for start in range(0, len(rows), size))


def known_letters(letters: Iterable[Label], name: str) -> tuple[Label, ...]:
    """The letters, of which there are two or more and whose texts can be told apart when joined."""
    known = alphabet(letters, "letters")
    if len(known) < 2:
        raise OptionError("{name} needs 2 letters or more; {count} is given.", name=name, count=len(known))
    texts = _texts_of(known)
    if len(set(texts)) < len(texts) or any(not text or SEPARATOR in text for text in texts):
        raise OptionError(
            "Some letters are written alike, as nothing, or with a '|', which separates the letters of a released set "
            "(None is written {missing!r}); rename them.",
            missing=MISSING,
        )
    return known


def set_texts(letters: tuple[Label, ...], members: Iterable[Iterable[int]]) -> list[str]:
    """The text of each set given by the positions of its letters."""
    texts = _texts_of(letters)
    return [SEPARATOR.join(texts[at] for at in held) for held in members]


def _texts_of(letters: tuple[Label, ...]) -> tuple[str, ...]:
    return tuple(MISSING if letter is None else text_of(letter) for letter in letters)


def _within(sums: npt.NDArray[np.integer], n: int) -> bool:
    return bool((sums >= 0).all() and (sums <= n).all())
