"""A released file read back, batch by batch: its rows, its columns, and whether its mechanisms can have written them.

Nothing is left to the detection of types. A CSV file is read as the texts it holds, and what a mechanism may release is
written and read in the same way before the two are compared.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

import numpy as np
import numpy.typing as npt

from leakgauge.mechanisms import FiniteMechanism, LetterSets, NoisyNumber
from leakgauge.mechanisms.letter_sets import SEPARATOR, set_texts
from leakgauge.probability import Interval
from leakgauge.release.bound import BoundColumn
from leakgauge.release.letters import Written
from leakgauge.release.writing import FORMATS, MARK, NOT_PRIVATE, write_batches
from leakgauge.tables import Binning, Edges, Learnt

if TYPE_CHECKING:
    import pyarrow as pa

_BATCH = 1 << 17
"""Rows of a Parquet file at a time."""
_BLOCK = 1 << 21
"""Bytes of a CSV file at a time, and so of a line at most; Arrow reads some dozens of them ahead."""

Possible: TypeAlias = Callable[[Sequence[Any]], bool]
"""Whether some columns of a batch, Arrow arrays, can all have been written by a mechanism."""


@dataclass(frozen=True)
class Found:
    """What is in a released file.

    Attributes:
        columns: their names, in order.
        rows: how many.
        impossible: the names, among those that were asked for, of what cannot have been written by its mechanism.
    """

    columns: tuple[str, ...]
    rows: int
    impossible: tuple[str, ...]


def read_back(path: Path, form: str, columns: Sequence[BoundColumn], bins: Mapping[str, Binning]) -> Found:
    """What is in a released file, in one pass and bounded memory.

    Args:
        path: the file.
        form: ``csv`` or ``parquet``.
        columns: mechanisms with the columns they write. Those that the file does not have are not looked at; one that
            marks a simulation is.
        bins: of public columns, whose labels are held to their edges where these are numbers.

    Raises:
        UnreadableError: it is not a file of this form.
    """
    asked = {one.name: (one.writes, _possible(one, form)) for one in columns}
    for name, binning in bins.items():
        labels = labels_of(binning)
        if labels and name not in asked:
            asked[name] = ((name,), _among([labels], form))
    asked[NOT_PRIVATE] = ((NOT_PRIVATE,), _among([[MARK]], form))
    rows, impossible = 0, dict.fromkeys(asked, False)
    with _opened(path, form) as (names, batches):
        looked = {name: (writes, holds) for name, (writes, holds) in asked.items() if set(writes) <= set(names)}
        for batch in batches:
            rows += batch.num_rows
            for name, (writes, holds) in looked.items():
                impossible[name] = impossible[name] or not holds([batch.column(names.index(one)) for one in writes])
    return Found(tuple(names), rows, tuple(name for name, wrong in impossible.items() if wrong))


class UnreadableError(Exception):
    """A released file that is not what its form says; whose words are not told, since they may quote a row."""


def labels_of(binning: Binning) -> tuple[str | None, ...]:
    """The bins between edges that are numbers, a missing value included; of others none are known beforehand."""
    if not isinstance(binning, Edges | Learnt) or not all(isinstance(cut, int | float) for cut in binning.cuts):
        return ()
    ends = (None, *binning.cuts, None)
    return (None, *(str(Interval(low, high)) for low, high in pairwise(ends)))


def _possible(one: BoundColumn, form: str) -> Possible:
    mechanism = one.mechanism
    if isinstance(mechanism, NoisyNumber):
        return _noisy(mechanism, form)
    if isinstance(mechanism, LetterSets):
        return _sets(mechanism)
    assert isinstance(mechanism, FiniteMechanism)
    outputs: tuple[Any, ...] = mechanism.exact.outputs
    # An output that no input leads to is not released.
    reached = np.unique(mechanism.exact.cells.nonzero()[1])
    return _among(list(zip(*outputs, strict=True)) if len(one.writes) > 1 else [outputs], form, reached)


def _noisy(mechanism: NoisyNumber, form: str) -> Possible:
    import pyarrow as pa

    kind = pa.int64() if mechanism.span.grid == 1 else pa.float64()
    stored = pa.string() if form == "csv" else kind

    def holds(columns: Sequence[pa.Array]) -> bool:
        (values,) = columns
        if values.null_count or values.type != stored:
            return False
        try:
            return mechanism.may_release(np.asarray(values.cast(kind)))
        except pa.ArrowInvalid:
            return False

    return holds


def _among(letters: Sequence[Sequence[Any]], form: str, reached: npt.NDArray[np.integer] | None = None) -> Possible:
    """Whether rows are among those reached, all where none are named, of the letters of each column."""
    import pyarrow as pa

    places = np.arange(len(letters[0])) if reached is None else reached
    names = [str(at) for at in range(len(letters))]
    file = BytesIO()
    columns = {name: Written.of(part).take(places) for name, part in zip(names, letters, strict=True)}
    write_batches([columns], file, Path(f"letters.{form}"), simulated=False)
    with _opened(file.getvalue(), form) as (_, batches):
        read = pa.Table.from_batches(batches)
    known = set(zip(*(column.to_pylist() for column in read.columns), strict=True))

    def holds(columns: Sequence[pa.Array]) -> bool:
        if [column.type for column in columns] != read.schema.types:
            return False
        # Rows of a batch are many, the combinations in it few.
        different = pa.table(list(columns), names=names).group_by(names, use_threads=False).aggregate([])
        return known.issuperset(zip(*(column.to_pylist() for column in different.columns), strict=True))

    return holds


def _sets(mechanism: LetterSets) -> Possible:
    import pyarrow as pa
    import pyarrow.compute as pc

    letters = pa.array(set_texts(mechanism.letters, ((at,) for at in range(len(mechanism.letters)))), pa.string())

    def holds(columns: Sequence[pa.Array]) -> bool:
        (texts,) = columns
        if texts.null_count or texts.type != pa.string():
            return False
        different = pc.unique(texts)
        told = different.filter(pc.not_equal(different, ""))
        if len(told) < len(different) and 0 not in mechanism.law.sizes:
            return False
        parts = pc.split_pattern(told, SEPARATOR)
        places = pc.index_in(parts.flatten(), value_set=letters)
        sizes = np.asarray(pc.list_value_length(parts))
        if places.null_count or not np.isin(sizes, mechanism.law.sizes).all():
            return False
        # Within a set letters stand in the order of the alphabet, each once.
        rising = np.diff(np.asarray(places)) > 0
        rising[np.cumsum(sizes)[:-1] - 1] = True
        return bool(rising.all())

    return holds


@contextmanager
def _opened(source: Path | bytes, form: str) -> Iterator[tuple[list[str], Iterator[pa.RecordBatch]]]:
    """The names of the columns, and the rows as they stand in the file: in CSV every column is text."""
    import pyarrow as pa

    if f".{form}" not in FORMATS:
        raise UnreadableError
    try:
        with _stream(source) as stream:
            yield _csv(stream) if form == "csv" else _parquet(stream)
    except (pa.ArrowException, OSError, UnicodeDecodeError, csv.Error, StopIteration):
        raise UnreadableError from None


def _csv(stream: BinaryIO) -> tuple[list[str], Iterator[pa.RecordBatch]]:
    import pyarrow as pa
    from pyarrow import csv as arrow

    lines = TextIOWrapper(stream, encoding="utf-8", newline="")
    names = next(csv.reader(lines, strict=True))
    lines.detach()
    stream.seek(0)
    reader = arrow.open_csv(
        stream,
        read_options=arrow.ReadOptions(block_size=_BLOCK),
        # In a file of one column an empty line is a missing value.
        parse_options=arrow.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
        # A quoted empty text is a text, an empty field is missing.
        convert_options=arrow.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    return names, reader


def _parquet(stream: BinaryIO) -> tuple[list[str], Iterator[pa.RecordBatch]]:
    import pyarrow.parquet as pq

    file = pq.ParquetFile(stream)
    return list(file.schema_arrow.names), file.iter_batches(batch_size=_BATCH)


def _stream(source: Path | bytes) -> BinaryIO:
    return source.open("rb") if isinstance(source, Path) else BytesIO(source)
