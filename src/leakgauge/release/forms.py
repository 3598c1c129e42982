"""The three forms of a released column: numbers on a grid, letters of a channel, sets of letters.

A form stands between Arrow columns and the codes that the law of a mechanism counts with: steps of a grid, places of
letters, and for sets a row of truths, one per letter.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from leakgauge.errors import ColumnError, ModelError, VerificationError
from leakgauge.mechanisms.letter_sets import SEPARATOR, LetterSets
from leakgauge.mechanisms.mechanism import Law, Outputs
from leakgauge.mechanisms.noisy_number import NoisyNumber
from leakgauge.probability import Label
from leakgauge.probability.cells import Codes
from leakgauge.release.files import Possible, among
from leakgauge.release.letters import (
    Alphabet,
    encoded,
    letter_column,
    numbers_of,
    places_among,
    spelling_of,
    taken,
)
from leakgauge.release.sizes import of_letters, of_numbers, of_texts
from leakgauge.release.written_form import is_plain

if TYPE_CHECKING:
    from leakgauge.release.bound import BoundColumn


@dataclass(frozen=True)
class ColumnForm(ABC):
    """What the columns that a mechanism reads and writes have to do with the codes of its law.

    Labels are the inputs by name, tuples where several columns are read; empty where any number is an input.
    """

    column: BoundColumn
    law: Law
    labels: tuple[Any, ...]

    @abstractmethod
    def inputs(self, values: Sequence[pa.Array]) -> Codes:
        """The coded input in each row; a value that the mechanism does not accept is refused without being shown."""

    @abstractmethod
    def written(self, outputs: Outputs) -> list[pa.Array]:
        """The columns written, from coded outputs."""

    @abstractmethod
    def outputs(self, values: Sequence[pa.Array]) -> Outputs:
        """The coded output in each row of a released file, whatever types its columns were read as.

        A value that the mechanism never outputs is refused without being shown.
        """

    @abstractmethod
    def possible(self, extension: str) -> Possible:
        """Whether columns of a batch of a released file can have been written by the mechanism."""

    @abstractmethod
    def bytes(self, rows: int, *, csv: bool) -> int:
        """The most that the columns written take in a CSV or Parquet file, whatever is drawn."""

    def never_given(self) -> VerificationError:
        """What to raise where a released column holds a value that the mechanism never gives."""
        return VerificationError(
            "Column {name!r} of the release has a value that its mechanism never outputs; name the release of this "
            "record.",
            name=self.column.writes[0],
        )


def form_of(column: BoundColumn) -> ColumnForm:
    """The form in which a mechanism releases its columns; one that only answers queries is refused."""
    mechanism, law = column.mechanism, column.mechanism.law
    if law is not None:
        if mechanism.noise is not None:
            return _Numbers(column, law, (), mechanism.noise)
        if mechanism.sets is not None:
            return _Sets(column, law, mechanism.sets.letters, mechanism.sets)
        letters, released = mechanism.letters, mechanism.released
        if letters is not None and released is not None:
            return _Letters(column, law, letters, released)
    raise ModelError("{name!s} does not release a column, so there is nothing to attack.", name=mechanism.name)


@dataclass(frozen=True)
class _Numbers(ColumnForm):
    noise: NoisyNumber

    def inputs(self, values: Sequence[pa.Array]) -> Codes:
        if values[0].null_count and self.noise.missing is None:
            raise ColumnError(
                "Column {name!r} has missing values and no number to replace them; add missing=NUMBER to its "
                "mechanism.",
                name=self.column.name,
            )
        return self.noise.on_grid(numbers_of(values[0]))

    def written(self, outputs: Outputs) -> list[pa.Array]:
        return [pa.array(self.noise.from_grid(outputs))]

    def outputs(self, values: Sequence[pa.Array]) -> Outputs:
        kind = values[0].type
        if values[0].null_count or not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
            raise self.never_given()
        numbers = np.asarray(values[0].cast(pa.float64(), safe=False))
        if not np.isfinite(numbers).all():
            raise self.never_given()
        return np.rint(numbers / self.noise.span.grid).astype(np.int64)

    def possible(self, extension: str) -> Possible:
        kind = pa.int64() if self.noise.span.grid == 1 else pa.float64()
        stored = pa.string() if extension == "csv" else kind

        def holds(columns: Sequence[pa.Array]) -> bool:
            (values,) = columns
            if values.null_count or values.type != stored:
                return False
            try:
                numbers = np.asarray(values.cast(kind))
            except pa.ArrowInvalid:
                return False
            # Another spelling of the same number would carry more than the number, as would the sign of a zero.
            plain = stored == kind or is_plain(values, kind)
            unsigned = not (np.signbit(numbers) & (numbers == 0)).any()
            return bool(plain and unsigned and self.noise.may_release(numbers))

        return holds

    def bytes(self, rows: int, *, csv: bool) -> int:
        return of_numbers(rows, csv=csv)


class _Named(ColumnForm):
    """What letters and sets of them share: inputs that have names."""

    def inputs(self, values: Sequence[pa.Array]) -> Codes:
        parts = [alphabet.places(column) for alphabet, column in zip(self._alphabets, values, strict=True)]
        found = self._inputs.numbers(parts)
        if len(parts) > 1 and (found < 0).any():
            raise ColumnError(
                "The columns {names!s} have a combination of values that is not an input of the channel; add it "
                "to the channel.",
                names=tuple(map(repr, self.column.reads)),
            )
        return found.astype(np.int64)

    @cached_property
    def _inputs(self) -> _Combinations:
        return _Combinations(self.labels, len(self.column.reads))

    @cached_property
    def _alphabets(self) -> list[Alphabet]:
        return [Alphabet(name, part) for name, part in zip(self.column.reads, self._inputs.letters, strict=True)]


@dataclass(frozen=True)
class _Letters(_Named):
    released: tuple[Any, ...]

    def written(self, outputs: Outputs) -> list[pa.Array]:
        return [taken(letters, outputs) for letters in self._written]

    def outputs(self, values: Sequence[pa.Array]) -> Outputs:
        outputs = _Combinations(self.released, len(self.column.writes))
        columns = zip(values, outputs.letters, self.column.writes, strict=True)
        found = outputs.numbers([self._read_back(*column) for column in columns])
        if (found < 0).any():
            raise self.never_given()
        return found

    def possible(self, extension: str) -> Possible:
        # An output that no input leads to is not released.
        channel = self.column.mechanism.recorded_channel()
        reached = np.arange(len(self.released)) if channel is None else np.unique(channel.cells.nonzero()[1])
        return among(self._columns, extension, reached)

    def bytes(self, rows: int, *, csv: bool) -> int:
        return sum(of_letters(letters, rows, csv=csv) for letters in self._written)

    @cached_property
    def _columns(self) -> list[Sequence[Label]]:
        """The letter of each output, in each column that is written."""
        return list(zip(*self.released, strict=True)) if len(self.column.writes) > 1 else [self.released]

    @cached_property
    def _written(self) -> list[pa.Array]:
        return list(map(letter_column, self._columns))

    def _read_back(self, values: pa.Array, letters: Sequence[Label], name: str) -> Codes:
        different, codes = encoded(values, name)
        places = places_among(letters, different.to_pylist())
        if (places < 0).any():
            raise self.never_given()
        return places[codes]


@dataclass(frozen=True)
class _Sets(_Named):
    sets: LetterSets

    def written(self, outputs: Outputs) -> list[pa.Array]:
        return [pa.array(self.sets.texts(outputs), pa.string())]

    def outputs(self, values: Sequence[pa.Array]) -> Outputs:
        at = {spelling: number for number, text in enumerate(self._texts) for spelling in (spelling_of(text), text)}
        different, codes = encoded(values[0], self.column.writes[0])
        members = np.zeros((len(different), len(self._texts)), dtype=np.bool_)
        for row, value in enumerate(different.to_pylist()):
            # The empty set is written as nothing, which some files read as missing.
            for text in [] if value in (None, "") else spelling_of(value).split(SEPARATOR):
                if text not in at:
                    raise self.never_given()
                members[row, at[text]] = True
        return members[codes]

    def possible(self, extension: str) -> Possible:
        letters, possible_sizes = pa.array(self._texts, pa.string()), self.sets.law.sizes

        def holds(columns: Sequence[pa.Array]) -> bool:
            (texts,) = columns
            if texts.null_count or texts.type != pa.string():
                return False
            different = pc.unique(texts)
            filled = different.filter(pc.not_equal(different, ""))
            if len(filled) < len(different) and 0 not in possible_sizes:
                return False
            parts = pc.split_pattern(filled, SEPARATOR)
            places = pc.index_in(parts.flatten(), value_set=letters)
            sizes = np.asarray(pc.list_value_length(parts))
            if places.null_count or not np.isin(sizes, possible_sizes).all():
                return False
            # Within a set letters stand in the order of the alphabet, each once.
            rising = np.diff(np.asarray(places)) > 0
            rising[np.cumsum(sizes)[:-1] - 1] = True
            return bool(rising.all())

        return holds

    def bytes(self, rows: int, *, csv: bool) -> int:
        return of_texts(SEPARATOR.join(self._texts), rows, csv=csv)

    @cached_property
    def _texts(self) -> list[str]:
        return list(self.sets.letter_texts)


class _Combinations:
    """The distinct letters of each of some columns, and the number of each combination that is a label."""

    def __init__(self, labels: Sequence[Any], columns: int) -> None:
        parts = [labels] if columns == 1 else [dict.fromkeys(part) for part in zip(*labels, strict=True)]
        self.letters: list[list[Label]] = list(map(list, parts))
        if columns > 1:
            at = [{letter: place for place, letter in enumerate(letters)} for letters in self.letters]
            self._numbers = np.full([len(letters) for letters in self.letters], -1, dtype=np.int64)
            for number, label in enumerate(labels):
                self._numbers[tuple(places[part] for places, part in zip(at, label, strict=True))] = number

    def numbers(self, places: Sequence[npt.NDArray[np.integer]]) -> npt.NDArray[np.integer]:
        """The number of the label in each row, -1 where there is none, from the places of its letters."""
        return places[0] if len(places) == 1 else np.asarray(self._numbers[tuple(places)])
