"""Between columns of Arrow values and the numbered letters of a channel."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from datetime import date
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from leakgauge.errors import ColumnError, LabelError
from leakgauge.probability import Interval, Label
from leakgauge.probability.cells import Codes
from leakgauge.probability.labels import text_of

Places: TypeAlias = npt.NDArray[np.integer]


class Alphabet:
    """The letters of one column, found by value; intervals hold every number in them."""

    def __init__(self, column: str, letters: Sequence[Label]) -> None:
        self._column = column
        self._letters = list(letters)
        self._missing = self._letters.index(None) if None in self._letters else None
        kinds = {isinstance(letter, Interval) for letter in self._letters if letter is not None}
        if len(kinds) > 1:
            raise LabelError(
                "The channel mixes intervals and single values of column {name!r}; use only one kind.", name=column
            )
        self._intervals = kinds == {True}

    def places(self, values: pa.Array) -> Places:
        """The index of each value's letter; the error for a value without one names its type, never the value."""
        if isinstance(values, pa.DictionaryArray):
            values = values.dictionary_decode()
        found = self._in_intervals(values) if self._intervals else self._among(values)
        if values.null_count:
            if self._missing is None:
                raise ColumnError(
                    "Column {name!r} has missing values, and the channel has no letter for them; add null to its "
                    "inputs.",
                    name=self._column,
                )
            found = np.where(np.asarray(values.is_null()), self._missing, found)
        if len(found) and found.min() < 0:
            raise ColumnError(
                "Column {name!r} has a value of type {kind} that is not among the {count} inputs of its channel; add "
                "it, or merge it first.",
                name=self._column,
                kind=str(values.type),
                count=len(self._letters),
            )
        return found

    def _among(self, values: pa.Array) -> Places:
        try:
            # Arrow would take 1 for true.
            if pa.types.is_boolean(values.type) != all(isinstance(letter, bool | None) for letter in self._letters):
                raise pa.ArrowTypeError
            letters = pa.array(self._letters, type=values.type)
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
            raise ColumnError(
                "Column {name!r} holds {kind}, but some inputs of its channel have another type; write the inputs "
                "as that type.",
                name=self._column,
                kind=str(values.type),
            ) from None
        at = pc.index_in(values, value_set=letters)
        return np.asarray(pc.fill_null(at, -1) if at.null_count else at)

    def _in_intervals(self, values: pa.Array) -> Places:
        intervals = [(at, letter) for at, letter in enumerate(self._letters) if isinstance(letter, Interval)]
        intervals.sort(key=lambda pair: _end(pair[1].low, values.type, -np.inf))
        numbers = np.array([at for at, _ in intervals], dtype=np.int64)
        lows = np.array([_end(one.low, values.type, -np.inf) for _, one in intervals])
        highs = np.array([_end(one.high, values.type, np.inf) for _, one in intervals])
        closed = np.array([one.closed for _, one in intervals])
        positions = _positions(values)
        at = np.clip(np.searchsorted(lows, positions, side="right") - 1, 0, None)
        # An infinite end includes the infinite number.
        inside = (positions >= lows[at]) & (
            (positions < highs[at]) | ((closed[at] | np.isinf(highs[at])) & (positions == highs[at]))
        )
        return np.where(inside, numbers[at], -1)


def letter_column(letters: Sequence[Label]) -> pa.Array:
    """Letters as a column: native values where they are of one kind, else their text."""
    kinds = {type(letter) for letter in letters if letter is not None}
    if len(kinds) == 1 and not kinds & {Interval, tuple}:
        with suppress(pa.ArrowInvalid, OverflowError):  # whole numbers beyond 64 bits
            return pa.array(list(letters))
    return pa.array([None if letter is None else text_of(letter) for letter in letters], pa.string())


def taken(letters: pa.Array, places: Places) -> pa.Array:
    """The letters at these numbers; texts share one dictionary."""
    # A dictionary may not hold a missing letter; the numbers may.
    missing = np.asarray(letters.is_null())
    numbers = pa.array(places, pa.int32(), mask=missing[places] if missing.any() else None)
    if pa.types.is_string(letters.type):
        return pa.DictionaryArray.from_arrays(numbers, letters.fill_null(""))
    return letters.take(numbers)


def encoded(values: pa.Array, name: str) -> tuple[pa.Array, Codes]:
    """The distinct values of a column, a missing one included, and which of them each one is."""
    try:
        found = pc.dictionary_encode(values, null_encoding="encode")
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        raise ColumnError(
            "Column {name!r} holds nested or binary values, which cannot be compared; leave it out.", name=name
        ) from None
    return found.dictionary, np.asarray(found.indices).astype(np.int64)


def places_among(letters: Sequence[Label], values: Sequence[Label]) -> Codes:
    """Which letter each value of a released file is, whatever type it was read as; -1 where it is none."""
    spellings = (letters, list(map(text_of, letters)), list(map(spelling_of, letters)))
    lookups: list[dict[Label, int]] = [{one: at for at, one in enumerate(letters)} for letters in spellings]
    # A file may read back as another type than was written: 1 for "1". Spellings that are not unique say nothing.
    lookups = [lookup for lookup in lookups if len(lookup) == len(letters)]
    places = np.full(len(values), -1, dtype=np.int64)
    for row, value in enumerate(values):
        found = (lookup[key] for lookup in lookups for key in (value, spelling_of(value)) if key in lookup)
        places[row] = next(found, -1)
    return places


def spelling_of(label: Label) -> str:
    """One text for a letter and for what a file may make of it."""
    if isinstance(label, str) and label.casefold() in ("true", "false"):
        return label.casefold()
    if isinstance(label, bool):
        return str(label).casefold()
    if isinstance(label, date):
        return str(label)
    try:
        number = float(str(label))
    except ValueError:
        return text_of(label)
    return repr(int(number)) if math.isfinite(number) and number == int(number) else repr(number)


def numbers_of(values: pa.Array) -> npt.NDArray[np.generic]:
    """A numeric column as an array: whole numbers where none is missing, else floats with NaN."""
    if pa.types.is_integer(values.type) and not values.null_count:
        try:
            return np.asarray(values.cast(pa.int64()))
        except pa.ArrowInvalid:
            pass  # beyond 64 bits: clamped as floats
    return np.asarray(values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False))


def _positions(values: pa.Array) -> npt.NDArray[np.float64]:
    if pa.types.is_date(values.type):
        values = values.cast(pa.date32()).cast(pa.int32())
    elif pa.types.is_timestamp(values.type):
        values = values.cast(pa.timestamp("us", tz=values.type.tz)).cast(pa.int64())
    return np.asarray(values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False))


def _end(end: float | date | None, kind: pa.DataType, infinite: float) -> float:
    if end is None:
        return infinite
    return float(_positions(pa.array([end], type=kind))[0]) if isinstance(end, date) else float(end)
