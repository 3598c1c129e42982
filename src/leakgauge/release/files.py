"""Released files: written in batches, and read back to check that their mechanisms can have written them.

Types are never guessed when a file is read. A CSV file is read as the texts it holds, and what a mechanism may release
is written and read in the same way before the two are compared.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from io import BytesIO, TextIOWrapper
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import csv as arrow

from leakgauge.drafts import could_not_write
from leakgauge.errors import ColumnError, OptionError
from leakgauge.probability import Interval, Label
from leakgauge.probability.cells import Codes
from leakgauge.release.letters import letter_column, taken
from leakgauge.sentences import Sentence
from leakgauge.tables import Binning, Levels
from leakgauge.tables.binnings import Bins, Edges, Learnt

if TYPE_CHECKING:
    from leakgauge.release.bound import BoundColumn

FORMATS = (".csv", ".parquet")
NOT_PRIVATE = "not_private"
"""The column that marks a simulation in the file itself."""
MARK = "simulation"
"""What stands in it."""
GROUP = 1 << 20
"""Rows a group of a Parquet file; so many are held in memory."""
_FORMULA = "^[=+\\-@\\t\\r＝＋－＠]"
"""How a text begins that spreadsheet programs run, wide signs included, which some read like narrow ones."""
_SIGNED_NUMBER = r"^[+\-＋－]?([\d.,:/% ]|\de[+\-]?\d)*$"
"""What they read as a number, a date or a sign by itself."""
_BATCH = 1 << 17
"""Rows of a Parquet file at a time."""
_BLOCK = 1 << 21
"""Bytes of a CSV file at a time, and so of a line at most; Arrow reads some dozens of them ahead."""

Possible: TypeAlias = Callable[[Sequence[Any]], bool]
"""Whether some columns of a batch, Arrow arrays, can all have been written by a mechanism."""


def require_format(path: Path) -> None:
    """Refuse a name whose format is not known."""
    if path.suffix.lower() not in FORMATS:
        raise OptionError(
            "{path} ends in {found!r}; a release is written as {known!s}.",
            path=path,
            found=path.suffix,
            known=Sentence("{one} or {other}", one=FORMATS[0], other=FORMATS[1]),
        )


def write_batches(
    batches: Iterable[pa.RecordBatch], to: BinaryIO, wanted: Path, *, simulated: bool, group: int = GROUP
) -> int:
    """The number of rows written, in the format of the wanted name; of a Parquet file so many to a group."""
    texts, rows = wanted.suffix.lower() == ".csv", 0
    try:
        with ExitStack() as opened:
            writer: Any = None
            for table in tables_of(batches, 1 if texts else group, simulated):
                # A dictionary would be written whole, with every letter of the mechanism or value of the table that no
                # row shows. Of plain values a Parquet file makes its own, of those that are in the rows.
                table = plain(table)
                if writer is None:
                    # Arrow's own schema is left out: the types are those of Parquet.
                    made = arrow.CSVWriter if texts else partial(pq.ParquetWriter, store_schema=False)
                    writer = opened.enter_context(made(to, table.schema))
                writer.write_table(table)
                rows += table.num_rows
    except OSError as error:
        raise could_not_write(wanted, error) from None
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
        raise ColumnError(
            "A released column has a type that {suffix} files cannot hold; leave it out, or choose another format.",
            suffix=wanted.suffix,
        ) from None
    return rows


class Formulas:
    """The columns of a CSV file in which spreadsheet programs take a text for a formula and run it.

    They are named and not changed: a sign put before such a text would make it another value, which mechanisms do not
    release and recipients do not count.
    """

    def __init__(self) -> None:
        self._found: dict[str, bool] = {}

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of the batches that were looked through."""
        return tuple(name for name, has_formula in self._found.items() if has_formula)

    def in_batches(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The batches as they are; each is looked through before it is given on."""
        for batch in batches:
            for name, column in zip(batch.schema.names, batch.columns, strict=True):
                self._found[name] = self._found.get(name) or _runs(pa.array([name])) or _runs(column)
            yield batch


def _runs(column: pa.Array) -> bool:
    """Whether a text of the column begins like a formula and is not a number."""
    texts = column.unique().cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
    if not (pa.types.is_string(texts.type) or pa.types.is_large_string(texts.type)):
        return False
    starting = texts.filter(pc.match_substring_regex(texts, _FORMULA))
    return bool(pc.any(pc.invert(pc.match_substring_regex(starting, _SIGNED_NUMBER))).as_py())


def tables_of(batches: Iterable[pa.RecordBatch], rows: int, simulated: bool) -> Iterator[pa.Table]:
    """The batches, as many at a time as have so many rows, marked if they are of a simulation."""
    held: list[pa.RecordBatch] = []
    for batch in batches:
        if simulated:
            names, mark = [*batch.schema.names, NOT_PRIVATE], pa.repeat(MARK, batch.num_rows)
            batch = pa.RecordBatch.from_arrays([*batch.columns, mark], names)
        held.append(batch)
        if sum(one.num_rows for one in held) >= rows:
            yield pa.Table.from_batches(held)
            held = []
    if held:
        yield pa.Table.from_batches(held)


def plain(table: pa.Table) -> pa.Table:
    """The rows with texts written out, and not as places in a dictionary."""
    columns = [
        column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        for column in table.columns
    ]
    return pa.table(columns, names=table.schema.names)


@dataclass(frozen=True)
class Found:
    """The columns and rows of a released file, and the columns that their mechanisms cannot have written."""

    columns: tuple[str, ...]
    rows: int
    impossible: tuple[str, ...]


def read_back(path: Path, extension: str, columns: Sequence[BoundColumn], bins: Bins) -> Found:
    """What is in a released file, in one pass and bounded memory.

    Columns that the file does not have are not looked at; one that marks a simulation is. The labels of public columns
    in bins are held to their edges where these are numbers, and those of levels to the coarser values.
    """
    asked = {one.name: (one.writes, one.form.possible(extension)) for one in columns}
    for name, binning in bins.items():
        labels = labels_of(binning)
        if labels and name not in asked:
            asked[name] = ((name,), among([labels], extension))
    asked[NOT_PRIVATE] = ((NOT_PRIVATE,), among([[MARK]], extension))
    rows, impossible = 0, dict.fromkeys(asked, False)
    with rows_as_written(path, extension) as (names, batches):
        looked = {name: (writes, holds) for name, (writes, holds) in asked.items() if set(writes) <= set(names)}
        for batch in batches:
            rows += batch.num_rows
            for name, (writes, holds) in looked.items():
                impossible[name] = impossible[name] or not holds([batch.column(names.index(one)) for one in writes])
    return Found(tuple(names), rows, tuple(name for name, wrong in impossible.items() if wrong))


def shown_values(path: Path, extension: str, column: str) -> list[Label]:
    """The different values of a column in a released file, as the file has them."""
    with rows_as_written(path, extension) as (names, batches):
        parts = [pc.unique(batch.column(names.index(column))) for batch in batches]
    return list(dict.fromkeys(value for part in parts for value in part.to_pylist()))


def blank_cells(path: Path, extension: str, column: str) -> int:
    """How many cells of a column are blank in a released file."""
    with rows_as_written(path, extension) as (names, batches):
        return sum(batch.column(names.index(column)).null_count for batch in batches)


class UnreadableError(Exception):
    """A released file that is not what its extension says; the parser's message is dropped, since it may quote a
    row."""


def labels_of(binning: Binning) -> tuple[str | None, ...]:
    """The coarser values of levels, or the bins between edges that are numbers, a missing value included.

    Of other bins none are known beforehand.
    """
    if isinstance(binning, Levels):
        return (None, *binning.labels)
    if not isinstance(binning, Edges | Learnt) or not all(isinstance(cut, int | float) for cut in binning.cuts):
        return ()
    ends = (None, *binning.cuts, None)
    return (None, *(str(Interval(low, high)) for low, high in pairwise(ends)))


def among(letters: Sequence[Sequence[Any]], extension: str, reached: Codes | None = None) -> Possible:
    """Whether rows are among those reached, all where none are named, of the letters of each column."""
    places = np.arange(len(letters[0])) if reached is None else reached
    names = [str(at) for at in range(len(letters))]
    file = BytesIO()
    columns = [taken(letter_column(part), places) for part in letters]
    write_batches([pa.RecordBatch.from_arrays(columns, names)], file, Path(f"letters.{extension}"), simulated=False)
    with rows_as_written(file.getvalue(), extension) as (_, batches):
        read = pa.Table.from_batches(batches)
    known = set(zip(*(column.to_pylist() for column in read.columns), strict=True))

    def holds(columns: Sequence[pa.Array]) -> bool:
        if [column.type for column in columns] != read.schema.types:
            return False
        # Rows of a batch are many, the combinations in it few.
        different = pa.table(list(columns), names=names).group_by(names, use_threads=False).aggregate([])
        return known.issuperset(zip(*(column.to_pylist() for column in different.columns), strict=True))

    return holds


@contextmanager
def rows_as_written(source: Path | bytes, extension: str) -> Iterator[tuple[list[str], Iterator[pa.RecordBatch]]]:
    """The names of the columns, and the rows as they stand in the file: in CSV every column is text."""
    if f".{extension}" not in FORMATS:
        raise UnreadableError
    if isinstance(source, Path) and source.is_dir():
        yield _folder(source)
        return
    try:
        with source.open("rb") if isinstance(source, Path) else BytesIO(source) as stream:
            if extension == "csv":
                yield _csv(stream)
            else:
                file = pq.ParquetFile(stream)
                yield file.schema_arrow.names, file.iter_batches(batch_size=_BATCH)
    except (pa.ArrowException, OSError, UnicodeDecodeError, csv.Error, StopIteration):
        raise UnreadableError from None


def _folder(folder: Path) -> tuple[list[str], Iterator[pa.RecordBatch]]:
    """The rows of all Parquet files in a folder, in the order of their names."""
    files = sorted(folder.iterdir())
    try:
        schemas = [pq.read_schema(file) for file in files]
    except (pa.ArrowException, OSError):
        raise UnreadableError from None
    if not files or any(schema.types != schemas[0].types or schema.names != schemas[0].names for schema in schemas):
        raise UnreadableError

    def batches() -> Iterator[pa.RecordBatch]:
        for file in files:
            with rows_as_written(file, "parquet") as (_, rows):
                yield from rows

    return schemas[0].names, batches()


def _csv(stream: BinaryIO) -> tuple[list[str], Iterator[pa.RecordBatch]]:
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
