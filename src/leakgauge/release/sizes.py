"""The most bytes that a release and its records can take, known before any noise is drawn.

This much disk space is reserved before the budget is spent, so that a full disk refuses a release that has cost nothing
yet. Every bound errs on the large side; space that is not needed is given back.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from leakgauge.probability.labels import text_of
from leakgauge.release.files import GROUP, NOT_PRIVATE
from leakgauge.tables import Levels, Table
from leakgauge.tables.reordering import HELD, parts_of

if TYPE_CHECKING:
    from leakgauge.release.bound import BoundPlan

_NUMBER = 80
"""Bytes of a number, a date or a truth in a CSV file; decimals of 76 digits are the longest."""
_PLAIN = 32
"""Bytes of one in a Parquet file."""
_MARK = 8
"""Bytes of the mark by which a row is ordered."""
_LENGTH = 4
"""Bytes before each text in a Parquet file."""
_INDEX = 5
"""Bytes that a Parquet file adds to each cell at most: its place in a dictionary and whether it is missing."""
_INCOMPRESSIBLE = 1.25
"""Snappy makes what it cannot compress larger by a sixth; pages have headers."""
_CHUNK = 1 << 18
"""Bytes of headers and statistics of one column in one group of a Parquet file, and of its end."""
_DICTIONARY = 1 << 19
"""Bytes of a dictionary that a Parquet file certainly keeps to; it gives up a larger one."""
_BATCH = 1 << 17
_LEVELS = 1 << 16
"""Bytes of the claims of one column, without labels."""
_NUMBER_OF_A_MATRIX = 48
"""Bytes of one probability on a line of its own."""
_INDENT = 32
"""Bytes around a text on a line of its own."""
_LABELS = 64
"""How often a label may occur in a record: in alphabets and as a witness."""


def largest_release(plan: BoundPlan, to: Path, *, simulated: bool = False) -> int:
    """The most bytes that a release can take; the table is read where texts are released as they are."""
    csv, rows, names = to.suffix.lower() == ".csv", plan.table.rows, plan.order
    body = sum(column.form.bytes(rows, csv=csv) for column in plan.columns)
    body += _as_they_are(plan.public, plan.table, csv)
    if simulated:
        body, names = body + of_letters(pa.array([NOT_PRIVATE]), rows, csv=csv), (*names, NOT_PRIVATE)
    if csv:
        return math.ceil(body + rows * len(names) + sum(_cell(name, csv) + 1 for name in names))
    groups = math.ceil(rows / GROUP) + 1
    return math.ceil(_INCOMPRESSIBLE * (body + rows * len(names) * _INDEX) + _CHUNK * (len(names) * groups + 1))


def largest_scratch(plan: BoundPlan, size: int) -> int:
    """The most bytes of rows that are put aside to be reordered: none where their size, about, fits into memory."""
    if plan.keep_order or size < HELD:
        return 0
    # As in a Parquet file that compresses nothing, with a mark for each row.
    return largest_release(plan, Path("rows.parquet")) + plan.table.rows * _MARK + parts_of(size) * _CHUNK


def largest_record(plan: BoundPlan) -> int:
    """The most bytes that the record of a release can take."""
    size = _LEVELS * (1 + len(plan.columns)) + sum(_LABELS * _escaped(name) for name in (*plan.order, *plan.reads))
    for levels in (how for how in plan.bins.values() if isinstance(how, Levels)):
        size += sum(_escaped(text) + _INDENT for text in (levels.file, *levels.values, *levels.coarser))
    for one in plan.columns:
        labels: Iterable[Any] = one.mechanism.letters or ()
        if one.channel is not None:
            channel = one.channel.channel
            size += len(channel.inputs) * len(channel.outputs) * _NUMBER_OF_A_MATRIX
            labels = (*channel.inputs, *channel.outputs)
        size += sum(_NUMBER_OF_A_MATRIX * 4 + _LABELS * _escaped(text_of(label)) for label in labels)
    return size


def of_numbers(rows: int, *, csv: bool) -> int:
    """The bytes of a column of numbers, dates or truths."""
    return rows * (_NUMBER if csv else _PLAIN)


def of_texts(longest: str, rows: int, *, csv: bool) -> int:
    """The bytes of a column of texts that are written out, none longer than this one."""
    return rows * _cell(longest, csv)


def of_letters(letters: pa.Array, rows: int, *, csv: bool) -> int:
    """The bytes of a column of letters; texts share a dictionary in a Parquet file."""
    if not pa.types.is_string(letters.type):
        return of_numbers(rows, csv=csv)
    sizes = [_cell(text or "", csv) for text in letters.to_pylist()]
    dictionary = 0 if csv else sum(sizes) * (math.ceil(rows / GROUP) + 1)
    # Where the dictionary is large the texts stand in the rows themselves.
    return dictionary + (rows * max(sizes) if csv or sum(sizes) >= _DICTIONARY else 0)


def _as_they_are(public: tuple[str, ...], table: Table, csv: bool) -> int:
    """What public columns take: numbers and dates by their types, texts by what is in them."""
    if not public:
        return 0
    first = table.few(*public, most=1)
    assert first is not None
    short = (pa.types.is_primitive, pa.types.is_decimal, pa.types.is_null)
    texts = [name for name in public if not any(holds(first.column(name).type) for holds in short)]
    taken = (len(public) - len(texts)) * of_numbers(table.rows, csv=csv)
    for batch in table.batches(*texts, size=_BATCH) if texts else ():
        for signs, quotes in (_text_bytes(batch.column(name)) for name in texts):
            taken += signs + (quotes + 2 * batch.num_rows if csv else _LENGTH * batch.num_rows)
    return taken


def _text_bytes(values: pa.Array) -> tuple[int, int]:
    """The bytes of all texts of a column, and how many quotes are among them, which a CSV file doubles."""
    if isinstance(values, pa.DictionaryArray):
        values = values.dictionary_decode()
    if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
        # Whatever it is: never more than its memory, twice over.
        return 2 * values.nbytes, 0
    counted = pc.sum(pc.binary_length(values)), pc.sum(pc.count_substring(values, '"'))
    return counted[0].as_py() or 0, counted[1].as_py() or 0


def _cell(text: str, csv: bool) -> int:
    """The bytes of a text: in a CSV file quoted, its own quotes doubled."""
    return len(text.encode()) + (text.count('"') + 2 if csv else _LENGTH)


def _escaped(text: str) -> int:
    """The most bytes of a text in a JSON file."""
    return 6 * len(text.encode()) + 2
