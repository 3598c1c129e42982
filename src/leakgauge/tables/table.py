"""What every engine offers: columns, counts, moments and batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from leakgauge.probability import Counts
from leakgauge.tables.binnings import Binning, Learnt, Quantiles
from leakgauge.tables.reading import Reading

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

LARGEST = 1_000_000
"""So many distinct values or combinations are counted unless the caller says otherwise."""


class Kind(Enum):
    """What the values of a column are."""

    STRING = "string"
    INT = "int"
    FLOAT = "float"
    BOOL = "bool"
    DATE = "date"
    TIMESTAMP = "timestamp"
    OTHER = "other"

    @property
    def words(self) -> str:
        """As people read it."""
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
    def of(
        cls, columns: tuple[str, ...], rows: npt.NDArray[np.int64], people: npt.NDArray[np.int64] | None = None
    ) -> GroupSizes:
        """From the rows of each group, and the persons they belong to where a person may have several."""
        sizes = rows if people is None else people
        return cls(columns, len(rows), int(rows[sizes == 1].sum()), int(sizes.min()), int(sizes.max()))


class Table(Protocol):
    """A table in some engine. Missing values, NaN included, are the label ``None``."""

    @property
    def rows(self) -> int:
        """The number of rows."""

    def columns(self) -> tuple[Column, ...]:
        """The columns in the table's order."""

    def counts(self, *columns: str, bins: Mapping[str, Binning] | None = None, limit: int = LARGEST) -> Counts:
        """How often each combination of values occurs, one axis a column; at most ``limit`` combinations."""

    def moments(self, *columns: str) -> dict[str, Moments]:
        """The moments of each column by its name; without names, of all numeric columns."""

    def group_sizes(
        self, sets: Sequence[Sequence[str]], bins: Mapping[str, Binning] | None = None, *, unit: str | None = None
    ) -> list[GroupSizes]:
        """For each set of columns how rows fall into groups that agree in them; engines have faster ways.

        With a ``unit``, rows that share its value are of one person, who is alone wherever no other person is.
        """
        found = []
        for names in map(tuple, sets):
            own = {name: how for name, how in (bins or {}).items() if name in names}
            counts = self.counts(*names, bins=own, limit=max(self.rows, 1))
            if unit is None:
                found.append(GroupSizes.of(names, counts.counts))
                continue
            persons = self.counts(*names, unit, bins=own, limit=max(self.rows, 1))
            found.append(GroupSizes.of(names, counts.counts, persons.number_of(names)))
        return found

    def learnt(self, column: str, quantiles: Quantiles) -> Learnt:
        """The edges that the quantiles of a column give, rounded."""

    def batches(
        self, *columns: str, bins: Mapping[str, Binning] | None = None, size: int = 65536
    ) -> Iterator[pa.RecordBatch]:
        """The rows of some columns, by default all, as record batches of at most ``size`` rows; bins as text."""

    def close(self) -> None:
        """Let go of the source; the table cannot be used afterwards."""

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
