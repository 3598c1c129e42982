"""The interface of every mechanism of the catalogue, and its law: how likely each output is given each input.

Other rooms ask a mechanism or its law, never its type. A facet that a mechanism does not have is None.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from leakgauge import notebook
from leakgauge.claims import Statement
from leakgauge.errors import OptionError
from leakgauge.mechanisms.steps import Claimed, Step
from leakgauge.probability import Channel, Label
from leakgauge.probability.cells import Floats
from leakgauge.probability.files import Groups
from leakgauge.probability.labels import text_of
from leakgauge.randomness import Randomness
from leakgauge.randomness.sources import Words
from leakgauge.tables import Kind

if TYPE_CHECKING:
    from leakgauge.mechanisms.letter_sets import LetterSets
    from leakgauge.mechanisms.noisy_number import NoisyNumber

Inputs: TypeAlias = npt.NDArray[np.integer[Any]]
Outputs: TypeAlias = npt.NDArray[Any]
Parameter: TypeAlias = float | int | str | tuple[object, ...]
Pair: TypeAlias = tuple[Any, Any]

COUNTABLE = (Kind.STRING, Kind.INT, Kind.FLOAT, Kind.BOOL, Kind.DATE, Kind.TIMESTAMP)
MOST_PAIRS = 32
"""Pairs of neighbouring inputs that a mechanism names."""
_LEAST_LOG = -1e3
"""Stands for the logarithm of 0 in a ratio, which it leaves finite."""


class Law(ABC):
    """From coded inputs to coded outputs: letters by places, numbers by steps of a grid, sets by a truth per letter."""

    @abstractmethod
    def draw(self, inputs: Inputs, randomness: Randomness) -> Outputs:
        """A fresh output for each input."""

    def draw_by_words(self, inputs: Inputs, words: Words) -> Outputs | None:
        """An output for each input that follows from a uniform 64-bit word; None where a word does not suffice."""
        return None

    @abstractmethod
    def scores(self, inputs: Inputs, outputs: Outputs) -> Floats:
        """log q(y|x) for each input (a row) and output (a column), up to one constant for all."""

    def log_ratio(self, first: int, second: int) -> Callable[[Outputs], Floats]:
        """log q(y|first) − log q(y|second) of outputs."""

        def ratio(outputs: Outputs) -> Floats:
            scores = np.maximum(self.scores(np.array([first, second]), outputs), _LEAST_LOG)
            return np.asarray(scores[0] - scores[1])

        return ratio


@dataclass(frozen=True)
class Capabilities:
    """What a mechanism can be run on: columns of these kinds row by row, or queries about a whole table.

    It may be a finite channel that can be written down, and may limit the number of different values of a column.
    """

    columns: tuple[Kind, ...] = ()
    answers: bool = False
    finite: bool = False
    values: int | None = None


@dataclass(frozen=True)
class Mechanism(ABC):
    """A name and parameters as on the command line, claims (the headline first), a law and a way to run it.

    The law is from coded inputs to coded outputs; None where it only answers queries.
    """

    name: str
    parameters: Mapping[str, Parameter]
    claims: tuple[Statement, ...]
    law: Law | None

    @abstractmethod
    def run(self, values: Any, randomness: Randomness) -> Any:
        """What is released for values of a column, or about a table."""

    _repr_html_ = notebook.shown

    @property
    def capabilities(self) -> Capabilities:
        """What it can be run on; by default columns of any countable kind, or without letters answers about a table."""
        if self.letters is None:
            return Capabilities(answers=True)
        return Capabilities(columns=COUNTABLE, finite=True, values=len(self.letters))

    def channel(self) -> Channel | None:
        """The exact channel from value to release; None where it is not finite or too large to write down."""
        return None

    @property
    def letters(self) -> tuple[Label, ...] | None:
        """The alphabet of its inputs; None if it takes numbers."""
        return None

    @property
    def released(self) -> tuple[Label, ...] | None:
        """The alphabet of its outputs, one value per row; None if it releases numbers or answers."""
        channel = self.channel() if self.sets is None else None
        return None if channel is None else channel.outputs

    @property
    def stands_for(self) -> Groups | None:
        """For each output the positions of the inputs that it stands for; None if each stands for itself."""
        return None

    def recorded_channel(self) -> Channel | None:
        """The channel that a record keeps beside the spelling; None where the spelling says all."""
        return self.channel() if self.sets is None else None

    @property
    def noise(self) -> NoisyNumber | None:
        """The mechanism itself if it adds noise to numbers on a grid, else None."""
        return None

    @property
    def sets(self) -> LetterSets | None:
        """The mechanism itself if it releases sets of values, else None."""
        return None

    @property
    def compared(self) -> Groups | None:
        """The positions of the inputs that its claim compares with each other; None if it compares any two."""
        return None

    @property
    def reach(self) -> float | None:
        """How far two neighbouring inputs may be apart; None where any two are neighbours."""
        return None

    def step(self) -> Step:
        """What one run costs in a sequence: by its law where that is known, else by its headline claim."""
        return Claimed(self.claims[0])

    def neighbours(self) -> list[Pair]:
        """Pairs of neighbouring inputs that are easiest to distinguish, the easiest first."""
        if self.letters is None:
            raise OptionError("The inputs of the mechanism are unknown; give pairs of neighbouring ones.")
        return list(islice(combinations(self.letters, 2), MOST_PAIRS))

    def code(self, value: Any) -> int:
        """The input as its law takes it."""
        if self.letters is None or value not in self.letters:
            raise OptionError("{value!r} is not a letter of {name!s}; give two letters.", value=value, name=self.name)
        return self.letters.index(value)

    @property
    def moves_one_way(self) -> bool:
        """Whether the numbers of two neighbouring inputs differ in one direction only."""
        return False

    @property
    def draws_at_once(self) -> bool:
        """Whether it has ``repeated``; without, it is run again and again."""
        return self.law is not None

    def repeated(self, value: Any, count: int, randomness: Randomness) -> Outputs:
        """Outputs of so many runs on one input, coded as arrays; by default by its law."""
        assert self.law is not None
        return self.law.draw(np.full(count, self.code(value), dtype=np.int64), randomness)

    def log_ratio(self, first: Any, second: Any) -> Callable[[Outputs], Floats] | None:
        """The log-likelihood ratio of two inputs at outputs of ``repeated``; None where it is not known."""
        return None if self.law is None else self.law.log_ratio(self.code(first), self.code(second))

    def read_input(self, text: str) -> Any:
        """An input from its text; one that is not known stays a text, which ``code`` refuses."""
        return next((letter for letter in self.letters or () if text_of(letter) == text), text)

    def channel_over(
        self, inputs: Sequence[Label], outputs: Sequence[Label], distances: Callable[[], Floats]
    ) -> Channel:
        """The mechanism as a dyadic channel from letters to what may be released for them, near ones preferred by some.

        Raises:
            OptionError: it is not a finite channel on them.
        """
        written = self.channel()
        if written is None:
            raise OptionError(
                "{name!s} has no finite channel on {count} letters to compare; write one into a channel file.",
                name=self.name,
                count=len(inputs),
            )
        return written.dyadic()


def numbers_in(text: str) -> list[float]:
    """The numbers between commas."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise OptionError("The input {text!r} is not a number; give one that is.", text=text) from None


def spelled(mechanism: Mechanism) -> str:
    """The mechanism as on the command line: ``name:key=value,…``, a backslash before a letter's own ``|`` or ``,``."""
    parts = ",".join(f"{key}={_text(value)}" for key, value in mechanism.parameters.items())
    return f"{mechanism.name}:{parts}" if parts else mechanism.name


def _text(value: Parameter) -> str:
    if isinstance(value, tuple):
        return "|".join("" if part is None else escaped(str(part)) for part in value)
    return repr(value) if isinstance(value, float) else escaped(str(value))


def escaped(text: str) -> str:
    """The text with a backslash before the signs that separate parameters and letters."""
    return re.sub(r"([\\|,])", r"\\\1", text)
