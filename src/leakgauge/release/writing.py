"""Released batches into a CSV or Parquet file, as they come."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from leakgauge.drafts import could_not_write
from leakgauge.errors import ColumnError, OptionError
from leakgauge.sentences import Sentence

if TYPE_CHECKING:
    import pyarrow as pa

FORMATS = (".csv", ".parquet")
NOT_PRIVATE = "not_private"
"""The column that marks a simulation in the file itself."""
MARK = "simulation"
"""What stands in it."""
GROUP = 1 << 20
"""Rows a group of a Parquet file; so many are held in memory."""


def require_format(path: Path) -> None:
    """Refuse a name whose format is not known."""
    if path.suffix.lower() not in FORMATS:
        raise OptionError(
            "{path} ends in {found!r}; a release is written as {known!s}.",
            path=path,
            found=path.suffix,
            known=Sentence("{one} or {other}", one=FORMATS[0], other=FORMATS[1]),
        )


def write_batches(batches: Iterable[Mapping[str, Any]], to: BinaryIO, wanted: Path, *, simulated: bool) -> int:
    """The number of rows written, in the format of the wanted name.

    Raises:
        ColumnError: a column of a type that the format has no place for.
        EngineError: the disk refused.
    """
    import pyarrow as pa

    sink = _Csv(to) if wanted.suffix.lower() == ".csv" else _Parquet(to)
    rows = 0
    try:
        try:
            for batch in batches:
                made = _batch({**batch, NOT_PRIVATE: None} if simulated else batch)
                sink.add(made)
                rows += made.num_rows
        finally:
            sink.close()
    except OSError as error:
        raise could_not_write(wanted, error) from None
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
        raise ColumnError(
            "A released column is of a type that {suffix} files cannot hold; leave it out, or write another format.",
            suffix=wanted.suffix,
        ) from None
    return rows


def _batch(columns: Mapping[str, Any]) -> pa.RecordBatch:
    import pyarrow as pa

    rows = len(next(iter(columns.values())))
    arrays = [pa.repeat(MARK, rows) if values is None else values for values in columns.values()]
    return pa.RecordBatch.from_arrays(arrays, names=list(columns))


class _Csv:
    def __init__(self, to: BinaryIO) -> None:
        self._to = to
        self._writer: Any = None

    def add(self, batch: pa.RecordBatch) -> None:
        import pyarrow as pa
        from pyarrow import csv

        plain = [
            column.dictionary_decode() if isinstance(column, pa.DictionaryArray) else column for column in batch.columns
        ]
        batch = pa.RecordBatch.from_arrays(plain, names=batch.schema.names)
        if self._writer is None:
            self._writer = csv.CSVWriter(self._to, batch.schema)
        self._writer.write_batch(batch)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()


class _Parquet:
    def __init__(self, to: BinaryIO) -> None:
        self._to = to
        self._writer: Any = None
        self._held: list[pa.RecordBatch] = []
        self._rows = 0

    def add(self, batch: pa.RecordBatch) -> None:
        self._held.append(batch)
        self._rows += batch.num_rows
        if self._rows >= GROUP:
            self._write()

    def close(self) -> None:
        self._write()
        if self._writer is not None:
            self._writer.close()

    def _write(self) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        if not self._held:
            return
        table = pa.Table.from_batches(self._held)
        if self._writer is None:
            # Without Arrow's own schema, texts read back as texts and not as dictionaries.
            self._writer = pq.ParquetWriter(self._to, table.schema, store_schema=False)
        self._writer.write_table(table)
        self._held, self._rows = [], 0
