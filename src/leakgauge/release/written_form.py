"""Whether a released file is written as releases are: whatever else is in it could carry anything past every check.

Values are looked at elsewhere. Here are quotes, zeros and digits that readers ignore, and texts of a Parquet file that
belong to no row. Which of its columns are texts, a CSV file shows by its quotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from mmap import ACCESS_READ, mmap
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from leakgauge.release.files import UnreadableError, rows_as_written
from leakgauge.sentences import Sentence

QUOTED: Sentence = Sentence("quotes, line ends or other signs between its values are not those that a release has")
NUMBERS: Sentence = Sentence("some of its numbers are written otherwise than a release writes them, such as 007")
NOTES: Sentence = Sentence("its metadata contain texts that a release does not have")
UNUSED: Sentence = Sentence("it contains values that none of its rows shows")

_FIELD = re.compile(rb'("(?:[^"]|"")*"|[^",\r\n]*)(,|\n)')
_WRITER = re.compile(r"parquet-cpp-arrow version \d+(\.\d+)*(-SNAPSHOT)?")
_DECIMAL = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?$"
_DAY, _HOUR = "-?[0-9]{4,6}-[0-9]{2}-[0-9]{2}", r"[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?"
_TIME = f"^({_DAY}|({_DAY}[ T])?{_HOUR}(Z|[+-][0-9]{{2}}:?[0-9]{{2}})?)$"
_AROUND = 12
"""Bytes of a Parquet file beside its columns and its footer."""


def beside_the_values(path: Path, extension: str) -> Sentence | None:
    """What a released file contains beside its values that no release has; None where there is nothing."""
    if extension == "csv":
        return _beside_csv(path)
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    return next((found for file in files if (found := _beside_parquet(file)) is not None), None)


def is_plain(texts: pa.Array, kind: pa.DataType) -> bool:
    """Whether numbers are written as their type is, without zeros, signs or digits that change nothing."""
    try:
        return bool(texts.cast(kind).cast(pa.string()).equals(texts))
    except pa.ArrowInvalid:
        return False


def _beside_csv(path: Path) -> Sentence | None:
    with rows_as_written(path, "csv") as (names, batches), path.open("rb") as file:
        quoted = _quoted(path, len(names))
        head = ",".join(_in_quotes(pa.array(names)).to_pylist()) + "\n"
        if file.read(len(head.encode())) != head.encode():
            return QUOTED
        for batch in batches:
            columns = list(zip(batch.columns, quoted, strict=True))
            parts = [pc.fill_null(_in_quotes(one) if texts else one, "") for one, texts in columns]
            lines = pc.binary_join_element_wise(*parts, ",")
            content = "".join(f"{line}\n" for line in lines.to_pylist()).encode()
            if file.read(len(content)) != content:
                return QUOTED
            if not all(texts or _are_plain(one.drop_null()) for one, texts in columns):
                return NUMBERS
        return QUOTED if file.read(1) else None


def _in_quotes(texts: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise('"', pc.replace_substring(texts, '"', '""'), '"', "")


def _quoted(path: Path, columns: int) -> list[bool]:
    """Of each column whether its first value that is not missing is in quotes."""
    found: dict[int, bool] = {}
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        for at, field in enumerate(_FIELD.finditer(content)):
            # The first line has the names, all of them in quotes.
            if at >= columns and field[1]:
                found.setdefault(at % columns, field[1].startswith(b'"'))
            if len(found) == columns:
                break
    return [found.get(at, False) for at in range(columns)]


def _are_plain(texts: pa.Array) -> bool:
    """Whether texts without quotes are numbers, truths, dates or times as a release writes them."""
    if any(is_plain(texts, kind) for kind in (pa.int64(), pa.float64(), pa.bool_())):
        return True
    if pc.all(pc.match_substring_regex(texts, _TIME)).as_py():
        return True
    # Decimals of a fixed number of digits, and whole numbers beyond 64 bits.
    decimals = pc.utf8_length(pc.replace_substring_regex(texts, r"^[^.]*", ""))
    return bool(pc.all(pc.match_substring_regex(texts, _DECIMAL)).as_py()) and len(pc.unique(decimals)) == 1


def _beside_parquet(path: Path) -> Sentence | None:
    try:
        with pq.ParquetFile(path) as file:
            schema, about = file.schema_arrow, file.metadata
            noted = about.metadata or schema.metadata or any(_other_notes(field) for field in schema)
            if noted or not _WRITER.fullmatch(about.created_by):
                return NOTES
            groups = [about.row_group(at) for at in range(about.num_row_groups)]
            columns = sum(one.column(at).total_compressed_size for one in groups for at in range(about.num_columns))
        if columns + about.serialized_size + _AROUND != path.stat().st_size:
            return NOTES
        texts = [field.name for field in schema if pa.types.is_string(field.type)]
        return UNUSED if any(_unused(path, texts)) else None
    except (pa.ArrowException, OSError):
        raise UnreadableError from None


def _other_notes(field: pa.Field) -> bool:
    """Whether a column has notes beside its number."""
    return bool({key for key in field.metadata or {} if key != b"PARQUET:field_id"})


def _unused(path: Path, texts: list[str]) -> Iterator[bool]:
    """Of each column of texts in each group of rows, whether dictionary or statistics name what no row shows."""
    with pq.ParquetFile(path, read_dictionary=texts) as file:
        places = {file.metadata.schema.column(at).name: at for at in range(file.metadata.num_columns)}
        for group in range(file.metadata.num_row_groups):
            rows = file.read_row_group(group, columns=texts)
            for name, column in zip(texts, rows.columns, strict=True):
                kept = {text for part in column.chunks for text in part.dictionary.to_pylist()}
                said = file.metadata.row_group(group).column(places[name]).statistics
                if said is not None and said.has_min_max:
                    kept |= {said.min, said.max}
                yield not kept <= set(pc.unique(column.cast(pa.string())).to_pylist())
