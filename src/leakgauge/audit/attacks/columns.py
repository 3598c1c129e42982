"""Columns of a table and of a release as numbers to count with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from leakgauge.errors import ColumnError, VerificationError
from leakgauge.mechanisms.letter_sets import SEPARATOR, set_texts
from leakgauge.probability import Label
from leakgauge.probability.cells import Codes as Codes
from leakgauge.probability.labels import text_of
from leakgauge.tables import Table

if TYPE_CHECKING:
    import pyarrow as pa

LETTERS = 32
"""A column of numbers or dates with more distinct values than this is guessed, and known, by quantile."""
QUANTILES = 10


def columns_of(table: Table, names: Sequence[str]) -> dict[str, pa.Array]:
    """Whole columns, in the table's order of rows; they stay in this process."""
    import pyarrow as pa

    if not names:
        return {}
    whole = pa.Table.from_batches(list(table.batches(*names)))
    return {name: _plain(whole.column(name)) for name in names}


def _plain(column: pa.ChunkedArray) -> pa.Array:
    import pyarrow as pa

    joined = pa.concat_arrays(column.chunks)
    return joined.dictionary_decode() if isinstance(joined, pa.DictionaryArray) else joined


def values_of(values: pa.Array, name: str) -> Codes:
    """The number of each value, equal ones alike, a missing one included.

    Raises:
        ColumnError: nested or binary values.
    """
    return _encoded(values, name)[1]


def letters_of(values: pa.Array, name: str) -> Codes:
    """The number of each value's letter; of many numbers or dates the number of the quantile.

    Raises:
        ColumnError: nested or binary values.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    different, codes = _encoded(values, name)
    kind = values.type
    ordered = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    if len(different) <= LETTERS or not (ordered or pa.types.is_temporal(kind)):
        return codes
    # Ranks of the distinct values, the missing one last, stand in for the values: quantiles only ask for order.
    order = np.asarray(pc.sort_indices(different))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return binned(rank[codes], quantile_edges(rank[codes], QUANTILES))


def _encoded(values: pa.Array, name: str) -> tuple[pa.Array, Codes]:
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        encoded = pc.dictionary_encode(values, null_encoding="encode")
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        raise ColumnError(
            "Column {name!r} holds nested or binary values, which cannot be compared; leave it out.", name=name
        ) from None
    return encoded.dictionary, np.asarray(encoded.indices).astype(np.int64)


def quantile_edges(numbers: npt.NDArray[np.generic], bins: int) -> npt.NDArray[np.generic]:
    """Cuts between so many bins of about equal size; fewer where many numbers are equal."""
    ordered = np.sort(numbers)
    return np.unique(ordered[(np.arange(1, bins) * len(ordered)) // bins])


def binned(numbers: npt.NDArray[np.generic], edges: npt.NDArray[np.generic]) -> Codes:
    """The number of each number's bin."""
    return np.searchsorted(edges, numbers, side="right").astype(np.int64)


def numbered(*codes: Codes, rows: int) -> Codes:
    """One number for each combination of codes; all 0 where there are none."""
    key = np.zeros(rows, dtype=np.int64)
    for one in codes:
        # Renumbering before each step keeps the key small however many codes there are.
        key = np.unique(key, return_inverse=True)[1] * (np.int64(one.max()) + 1) + one
    return np.unique(key, return_inverse=True)[1].astype(np.int64)


def numbers_of_release(values: pa.Array, grid: float, name: str) -> Codes:
    """Released numbers in whole steps of the grid."""
    import pyarrow as pa

    kind = values.type
    if values.null_count or not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        raise _not_the_release(name)
    numbers = np.asarray(values.cast(pa.float64(), safe=False))
    if not np.isfinite(numbers).all():
        raise _not_the_release(name)
    return np.rint(numbers / grid).astype(np.int64)


def places_of_release(values: Sequence[pa.Array], outputs: Sequence[Any], names: Sequence[str]) -> Codes:
    """The number of the channel's output in each row.

    Raises:
        VerificationError: a value, or combination, that is no output; it is not told.
    """
    if len(names) == 1:
        return _places(values[0], outputs, names[0])
    parts = [list(dict.fromkeys(part)) for part in zip(*outputs, strict=True)]
    places = [_places(column, part, name) for column, part, name in zip(values, parts, names, strict=True)]
    numbers = np.full([len(part) for part in parts], -1, dtype=np.int64)
    for number, label in enumerate(outputs):
        numbers[tuple(part.index(letter) for part, letter in zip(parts, label, strict=True))] = number
    found = numbers[tuple(places)]
    if (found < 0).any():
        raise _not_the_release(names[0])
    return found


def sets_of_release(values: pa.Array, letters: tuple[Label, ...], name: str) -> npt.NDArray[np.bool_]:
    """Which letters each released set holds: a row a row, a column a letter."""
    texts = set_texts(letters, ([one] for one in range(len(letters))))
    at = {spelling: number for number, text in enumerate(texts) for spelling in (_text(text), text)}
    different, codes = _encoded(values, name)
    members = np.zeros((len(different), len(letters)), dtype=np.bool_)
    for row, value in enumerate(different.to_pylist()):
        # The empty set is written as nothing, which some files read as missing.
        for text in [] if value in (None, "") else _text(value).split(SEPARATOR):
            if text not in at:
                raise _not_the_release(name)
            members[row, at[text]] = True
    return members[codes]


def _places(values: pa.Array, letters: Sequence[Label], name: str) -> Codes:
    different, codes = _encoded(values, name)
    lookups = [{spell(letter): at for at, letter in enumerate(letters)} for spell in (_same, text_of, _text)]
    # A file may read back as another type than was written: 1 for "1". Spellings that are not unique say nothing.
    lookups = [lookup for lookup in lookups if len(lookup) == len(letters)]
    places = np.full(len(different), -1, dtype=np.int64)
    for row, value in enumerate(different.to_pylist()):
        for lookup in lookups:
            found = next((lookup[key] for key in (value, _text(value)) if key in lookup), None)
            if found is not None:
                places[row] = found
                break
        else:
            raise _not_the_release(name)
    return places[codes]


def _same(label: Label) -> Label:
    return label


def _text(label: Label) -> str:
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


def _not_the_release(name: str) -> VerificationError:
    return VerificationError(
        "Column {name!r} of the release holds a value that its mechanism never gives; name the release of this record.",
        name=name,
    )
