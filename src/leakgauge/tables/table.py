"""What every engine offers: columns, counts, moments and batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, BinaryIO, Protocol, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from leakgauge import notebook
from leakgauge.errors import TableError
from leakgauge.probability import Counts
from leakgauge.probability.cells import Codes
from leakgauge.randomness.row_order import RowOrder
from leakgauge.tables import arrow as pa
from leakgauge.tables.binnings import Bins, Learnt, Quantiles
from leakgauge.tables.reading import Reading

if TYPE_CHECKING:
    from leakgauge.tables.sampling import RowSample

Digests: TypeAlias = npt.NDArray[np.uint64]
"""A number per row, the same where rows are."""
LARGEST = 1_000_000
"""So many distinct values or combinations are counted unless the caller says otherwise."""


class Kind(Enum):
    """The kind of a column's values."""

    STRING = "string"
    INT = "int"
    FLOAT = "float"
    BOOL = "bool"
    DATE = "date"
    TIMESTAMP = "timestamp"
    OTHER = "other"

    @property
    def words(self) -> str:
        """The kind in words."""
        return _WORDS[self]


_WORDS = {
    Kind.STRING: "text",
    Kind.INT: "whole numbers",
    Kind.FLOAT: "numbers",
    Kind.BOOL: "true or false",
    Kind.DATE: "dates",
    Kind.TIMESTAMP: "timestamps",
    Kind.OTHER: "values of another kind",
}


@dataclass(frozen=True)
class Column:
    """The name of a column and the kind of its values."""

    name: str
    kind: Kind


@dataclass(frozen=True)
class Moments:
    """Size, mean, sample variance and range of one numeric column; ``None`` where too few values are present."""

    n: int
    missing: int
    mean: float | None
    variance: float | None
    minimum: float | None
    maximum: float | None


@dataclass(frozen=True)
class GroupSizes:
    """How rows fall into groups that agree in some columns.

    Attributes:
        groups: combinations of values that occur, missing ones included.
        alone: rows that share theirs with no other row, or with no other person where a unit was named.
        smallest: the rows of the smallest group, or its persons.
        largest: and of the largest.
    """

    columns: tuple[str, ...]
    groups: int
    alone: int
    smallest: int
    largest: int

    @classmethod
    def of(cls, columns: tuple[str, ...], rows: Codes, people: Codes | None = None) -> GroupSizes:
        """From the rows of each group, and the persons they belong to where a person may have several."""
        sizes = rows if people is None else people
        return cls(columns, len(rows), int(rows[sizes == 1].sum()), int(sizes.min()), int(sizes.max()))


_DIGESTS = 1 << 27
"""Digests of rows held at once: 1 GiB."""
_PIECE = 1 << 22


def _group_sizes(columns: tuple[str, ...], digests: Digests, people: Digests | None) -> GroupSizes:
    if people is None:
        digests.sort()
        return _runs(columns, digests)
    order = np.lexsort((people, digests))
    digests, people = digests[order], people[order]
    new = np.concatenate([[True], digests[1:] != digests[:-1]])
    starts = np.flatnonzero(new)
    rows = np.diff(starts, append=len(digests))
    new[1:] |= people[1:] != people[:-1]
    return GroupSizes.of(columns, rows, np.add.reduceat(new.astype(np.int64), starts))


def _runs(columns: tuple[str, ...], ordered: Digests) -> GroupSizes:
    """Runs of equal digests, a piece after the other: their lengths may take as much memory as the digests."""
    groups, alone, smallest, largest, start = 0, 0, len(ordered), 0, 0
    for at in range(1, len(ordered) + 1, _PIECE):
        piece = ordered[at - 1 : at + _PIECE]
        ends = np.flatnonzero(piece[1:] != piece[:-1]) + at
        if at + _PIECE > len(ordered):
            ends = np.append(ends, len(ordered))
        if len(ends):
            sizes = np.diff(ends, prepend=start)
            groups, alone, start = groups + len(sizes), alone + int((sizes == 1).sum()), int(ends[-1])
            smallest, largest = min(smallest, int(sizes.min())), max(largest, int(sizes.max()))
    return GroupSizes(columns, groups, alone, smallest, largest)


def _codes(batches: Iterator[pa.RecordBatch], columns: int) -> list[Codes]:
    """For each column a number per row: that of its value, the missing one included."""
    chunks: list[list[pa.DictionaryArray]] = [[] for _ in range(columns)]
    for batch in batches:
        for own, column in zip(chunks, batch.columns, strict=True):
            own.append(column.dictionary_encode())
    unified = [pa.chunked_array(own).unify_dictionaries() for own in chunks]
    return [
        np.concatenate([np.asarray(chunk.indices.fill_null(-1), dtype=np.int64) for chunk in column.chunks])
        for column in unified
    ]


def _mixed(codes: Sequence[Codes]) -> Digests:
    """A digest of each row of numbers, by the finaliser of SplitMix64."""
    digest = np.zeros(len(codes[0]), dtype=np.uint64)
    for column in codes:
        digest += column.view(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
        digest = (digest ^ (digest >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        digest = (digest ^ (digest >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        digest ^= digest >> np.uint64(31)
    return digest


class PartWriter(Protocol):
    """What a worker does with rows; it is sent to each of them."""

    def made(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """What leaves in place of some rows, one for each and in their order."""

    def write(self, batches: Iterator[pa.RecordBatch], to: BinaryIO) -> int:
        """Write what leaves to a file; how many rows there were."""


class Table(Protocol):
    """A table in some engine. Missing values, NaN included, are the label ``None``.

    Attributes:
        bins: how columns are gathered already.
        takes_levels: whether ``Levels`` may be among bins; otherwise ``in_bins`` looks them up in the rows that stream.
    """

    bins: Bins = MappingProxyType({})
    takes_levels: bool = False

    @property
    def rows(self) -> int:
        """The number of rows."""

    def columns(self) -> tuple[Column, ...]:
        """The columns in the table's order."""

    def counts(self, *columns: str, bins: Bins | None = None, limit: int = LARGEST) -> Counts:
        """How often each combination of values occurs, one axis per column; at most ``limit`` combinations."""

    def moments(self, *columns: str) -> dict[str, Moments]:
        """The moments of each column by its name; without names, of all numeric columns."""

    def digests(self, sets: Sequence[Sequence[str]], bins: Bins | None = None) -> list[Digests]:
        """For each set of columns a number per row, the same where rows agree in all of them; engines are faster."""
        names = tuple(dict.fromkeys(name for columns in sets for name in columns))
        own = {name: how for name, how in (bins or {}).items() if name in names}
        codes = dict(zip(names, _codes(self.batches(*names, bins=own), len(names)), strict=True))
        return [_mixed([codes[name] for name in columns]) for columns in sets]

    def group_sizes(
        self, sets: Sequence[Sequence[str]], bins: Bins | None = None, *, unit: str | None = None
    ) -> list[GroupSizes]:
        """For each set of columns, the sizes of the groups of rows that agree in them.

        With a ``unit``, rows that share its value are of one person, who is alone wherever no other person is.
        """
        found: list[GroupSizes] = []
        share = max(_DIGESTS // max(self.rows, 1), 1)
        people = None if unit is None else self.digests([(unit,)])[0]
        for start in range(0, len(sets), share):
            some = [tuple(names) for names in sets[start : start + share]]
            digests = self.digests(some, bins)
            # One set at a time is let go once it is counted.
            found += [_group_sizes(names, digests.pop(0), people) for names in some]
        return found

    def learnt(self, column: str, quantiles: Quantiles) -> Learnt:
        """The bin edges at the quantiles of a column, rounded."""

    def batches(self, *columns: str, bins: Bins | None = None, size: int = 65536) -> Iterator[pa.RecordBatch]:
        """The rows of some columns, by default all, as record batches of at most ``size`` rows; bins as text."""

    def drawn(self, *columns: str, sample: RowSample, bins: Bins | None = None) -> Iterator[pa.RecordBatch]:
        """The rows of a sample, in the table's order; where an engine draws them, the others do not leave it."""
        return sample.taken(self.batches(*columns, bins=bins))

    def few(self, *columns: str, bins: Bins | None = None, most: int = 64) -> pa.RecordBatch | None:
        """Some rows, for what they look like: at most so many, read without the others; None of a table without any."""
        return next(iter(self.batches(*columns, bins=bins, size=most)), None)

    def writing(
        self,
        columns: Sequence[str],
        write: PartWriter,
        folder: Path,
        bins: Bins | None = None,
        *,
        order: RowOrder | None = None,
    ) -> Callable[[], None]:
        """An action that has rows written where they are, as Parquet files into an empty folder.

        The files, in the order of their names, hold the rows in the given order, or in the table's. Whatever can be
        known to be wrong is refused here, before anything is written.

        Args:
            write: what a worker does with the batches of a part.

        Raises:
            TableError: the engine has no workers.
            EngineError: they cannot do it.
        """
        raise TableError(
            "No workers can write the rows of this table, which pass through this process; leave --on-workers out, "
            "and nothing else changes."
        )

    def _repr_html_(self) -> str:
        return notebook.shown(self)

    def close(self) -> None:
        """Close the source; the table cannot be used afterwards."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Engine(Protocol):
    """Where tables live, such as a database: it takes some sources and opens them."""

    def takes(self, source: object) -> bool:
        """Whether it opens this source: an address by its scheme, or an object in memory."""

    def open(self, source: object, reading: Reading) -> Table:
        """The table, read as it is asked."""

    def files(self, address: str) -> list[Path]:
        """The local files behind an address, found without opening any; none where a server has them."""
        return []
