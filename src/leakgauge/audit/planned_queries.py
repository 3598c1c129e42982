"""Counting queries that are planned, and the rows that each counts."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from leakgauge.audit.reconstruction import AnsweredCounts
from leakgauge.case.columns import columns_of, numbered, values_of
from leakgauge.errors import ColumnError, FileError, OptionError, TableError
from leakgauge.probability.cells import Truths
from leakgauge.release.queries import Condition
from leakgauge.release.queries.conditions import read_condition
from leakgauge.release.queries.rows import require_column
from leakgauge.tables import Kind, Table

FEWEST_ROWS = 2


def read_queries(path: Path, columns: Sequence[str]) -> tuple[tuple[Condition, ...], ...]:
    """The queries of a file, one per line, its conditions between commas; empty lines and lines with # are left out.

    Raises:
        FileError: a file that cannot be read, has no queries, or a line that is not made of conditions.
    """
    if path.is_dir():
        raise FileError("{path!r} is a folder; name a file in it.", path=str(path))
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        raise FileError("There is no file {path!r}; check the path.", path=str(path)) from None
    except (OSError, UnicodeDecodeError):
        raise FileError("{path} cannot be read as text; give a file with one query per line.", path=path) from None
    queries = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            (cells,) = csv.reader([line], skipinitialspace=True)
            queries.append(tuple(read_condition(cell, columns) for cell in cells))
        except (OptionError, csv.Error):
            raise FileError(
                "Line {number:d} of {path} is not a list of conditions between commas; write e.g. city=A,age>=18.",
                number=number,
                path=path,
            ) from None
    if not queries:
        raise FileError("{path} has no queries; write one per line, such as city=A,age>=18.", path=path)
    return tuple(queries)


@dataclass(frozen=True, eq=False)
class PlannedQueries:
    """Counting queries about a secret that each row of a table has or not.

    Attributes:
        secret: in the words of a condition; the column where it has two values.
        answered: the queries that count rows with the secret, or rows without it.
        unused: queries that do neither, such as those without a condition on the secret.
    """

    secret: str
    column: str
    answered: AnsweredCounts
    unused: int
    knows: tuple[str, ...]

    @classmethod
    def of(cls, table: Table, secret: str, queries: Sequence[Sequence[Condition]]) -> PlannedQueries:
        """Counted; the secret is a column with two values, or a condition such as ``illness=flu``.

        Raises:
            ColumnError: a column that is not there, or cannot be compared so.
            TableError: all rows have the secret, or none.
            OptionError: no query is about the secret.
        """
        names = [column.name for column in table.columns()]
        wanted = None if secret in names else _condition(secret, table, names)
        hidden = secret if wanted is None else wanted.column
        conditions = [*(() if wanted is None else (wanted,)), *(one for query in queries for one in query)]
        read = dict.fromkeys((hidden, *(one.column for one in conditions)))
        kinds = {name: require_column(table, name) for name in read}
        for one in conditions:
            one.require_kind(kinds[one.column])
        values = columns_of(table, [*kinds])
        has = _of_two(values[hidden], hidden) if wanted is None else wanted.holds(values[hidden], kinds[hidden])
        if len(has) < FEWEST_ROWS or has.all() or not has.any():
            raise TableError(
                "All rows are alike in {secret!r}, so there is nothing to reconstruct; name another secret.",
                secret=secret,
            )
        counted = [one for one in (_counted(query, hidden, has, values, kinds) for query in queries) if one is not None]
        if not counted:
            raise OptionError(
                "No query counts rows by {secret!r}, so the answers say nothing of it; add a condition on {column!r} "
                "to those that do.",
                secret=secret,
                column=hidden,
            )
        kind = numbered(*(one.astype(np.int64) for one in counted), rows=len(has))
        first = np.unique(kind, return_index=True)[1]
        answered = AnsweredCounts(has, kind, np.stack([one[first] for one in counted]))
        knows = tuple(name for name in kinds if name != hidden)
        return cls(secret, hidden, answered, len(queries) - len(counted), knows)


def _condition(text: str, table: Table, columns: Sequence[str]) -> Condition:
    """The condition that was typed; without a comparison it is refused as a column that is not there."""
    try:
        return read_condition(text, columns)
    except OptionError:
        require_column(table, text)
        raise


def _of_two(values: pa.Array, name: str) -> Truths:
    """Whether each row has the rarer of two values."""
    codes = values_of(values, name)
    counts = np.bincount(codes)
    if len(counts) > 2:
        raise ColumnError(
            "Column {name!r} has {found} different values, missing ones included; name the value to reconstruct, such "
            "as --secret {name!s}=VALUE.",
            name=name,
            found=len(counts),
        )
    return np.asarray(codes == counts.argmin())


def _counted(
    query: Sequence[Condition], hidden: str, has: Truths, values: Mapping[str, pa.Array], kinds: Mapping[str, Kind]
) -> Truths | None:
    """Whether a query counts each row, if it has the secret; None where its answer does not count the secret.

    The number of rows without the secret says the same, because the other columns are known.
    """
    others, about = np.ones(len(has), dtype=np.bool_), np.ones(len(has), dtype=np.bool_)
    for one in query:
        met = about if one.column == hidden else others
        met &= one.holds(values[one.column], kinds[one.column])
    return others if np.array_equal(about, has) or np.array_equal(about, ~has) else None
