"""Local mechanisms that release a set of letters a row: what they share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import compress

import numpy as np
import numpy.typing as npt

from leakgauge.claims import LocalDP
from leakgauge.errors import LabelError, OptionError
from leakgauge.mechanisms.estimated_counts import counted_by_sets
from leakgauge.mechanisms.finite import COUNTABLE
from leakgauge.mechanisms.mechanism import Capabilities, Parameter
from leakgauge.probability import Channel, Estimate, Label
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
class LetterSets:
    """A set of letters for each value: its own letter is in it more often than each of the others.

    Made by ``unary_encoding`` or ``subset_selection``.

    Attributes:
        name: as on the command line.
        parameters: as on the command line.
        claims: local differential privacy.
        letters: all values the column may have.
        own_units: the probability that a set holds the row's own letter, in parts of 2^-53.
    """

    name: str
    parameters: Mapping[str, Parameter]
    claims: tuple[LocalDP, ...]
    letters: tuple[Label, ...]
    own_units: int

    @property
    def capabilities(self) -> Capabilities:
        """Columns of any countable kind."""
        return Capabilities(columns=COUNTABLE, finite=True, values=len(self.letters))

    @property
    @abstractmethod
    def other_probability(self) -> float:
        """That a set holds a given letter which is not the row's own."""

    @property
    @abstractmethod
    def sizes(self) -> range:
        """How many letters a set may hold."""

    @property
    def own_probability(self) -> float:
        """That a set holds the row's own letter."""
        return self.own_units / UNITS

    @abstractmethod
    def channel(self) -> Channel | None:
        """The channel from letters to the texts of sets; None where there are too many sets.

        Its probabilities are products of the exact ones, each rounded to a float.
        """

    @abstractmethod
    def run_places(self, rows: npt.NDArray[np.integer], randomness: Randomness) -> Members:
        """For the number of each row's letter which letters its set holds: a row a row, a column a letter."""

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
        return [tuple(compress(self.letters, members)) for members in self.run_places(rows, randomness).tolist()]

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
        return counted_by_sets(sums, n, self.own_probability, self.other_probability, confidence)

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
