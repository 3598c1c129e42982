"""The interface of every query, and its answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
import pyarrow as pa

from leakgauge.claims import Statement
from leakgauge.errors import OptionError
from leakgauge.mechanisms.span import require_budget
from leakgauge.mechanisms.steps import Step
from leakgauge.probability import Estimate
from leakgauge.randomness import Randomness
from leakgauge.release.queries.conditions import Condition, together
from leakgauge.release.queries.labels import Groups
from leakgauge.release.queries.rows import Protection, require_column, used_rows
from leakgauge.sentences import Sentence
from leakgauge.tables import Table

Exact = TypeVar("Exact")
Part = TypeVar("Part")
Found: TypeAlias = Estimate | float | str
"""A number with its interval, a number without one, or a label."""
MOST_CONDITIONS = 16
SIMULATION = "simulation: not private, not a release"
"""How an answer whose noise follows from a seed is marked wherever it is shown."""


@dataclass(frozen=True, kw_only=True)
class Query(ABC, Generic[Exact]):
    """A question about a table whose answer is protected; ε is in nats.

    Attributes:
        where: only rows that meet all of these conditions are asked about; a single one may be given by itself.
    """

    epsilon: float
    confidence: float = 0.95
    where: Condition | Sequence[Condition] | None = None

    def __post_init__(self) -> None:
        require_budget(self.epsilon)
        if not 0 < self.confidence < 1:
            raise OptionError("A confidence of {found} is not between 0 and 1; try 0.95.", found=self.confidence)
        given = (self.where,) if isinstance(self.where, Condition) else tuple(self.where or ())
        if len(given) > MOST_CONDITIONS or not all(isinstance(one, Condition) for one in given):
            raise OptionError(
                "{count} conditions are given, or one is not a Condition; give at most {most}, each a Condition.",
                count=len(given),
                most=MOST_CONDITIONS,
            )
        # A tuple, so that nobody changes it afterwards.
        object.__setattr__(self, "where", given)

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """What a row must meet, all of them."""
        return self.where if isinstance(self.where, tuple) else ()

    @property
    def groups(self) -> Groups | None:
        """The groups that are each asked about; None where all rows together are."""
        return None

    @property
    def clamping(self) -> Sentence | None:
        """The bounds that values are clamped to, and what the answer is then about; None where nothing is clamped."""
        return None

    @property
    @abstractmethod
    def about(self) -> Sentence:
        """What is asked of the rows, in words."""

    @property
    def sentence(self) -> Sentence:
        """The query in words, with its conditions; made from values that were typed, never from values of rows."""
        what = self.about
        if self.groups is not None:
            what = Sentence("{what} by {column!r}", what=what, column=self.groups.column)
        if not self.conditions:
            return what
        return Sentence("{what} over rows where {conditions}", what=what, conditions=together(self.conditions))

    def __str__(self) -> str:
        return str(self.sentence)

    @property
    def purpose(self) -> str:
        """The query in words for a ledger, whose entries are kept for good: without the values of its conditions."""
        what = self.about
        if self.groups is not None:
            what = Sentence("{what} by {column!s}", what=what, column=self.groups.column)
        columns = tuple(dict.fromkeys(one.column for one in self.conditions))
        if not columns:
            return str(what)
        return str(Sentence("{what} under a condition on {columns!s}", what=what, columns=columns))

    @abstractmethod
    def sensitivity(self, protection: Protection) -> int:
        """How far neighbouring tables move what the noise is for, in whole steps."""

    @abstractmethod
    def steps(self, protection: Protection) -> tuple[Step, ...]:
        """What an answer costs, as a ledger counts it."""

    @abstractmethod
    def exact(self, table: Table, protection: Protection) -> Exact:
        """The secret result before any noise, in whole numbers."""

    @abstractmethod
    def answer(self, exact: Exact, protection: Protection, randomness: Randomness) -> Answer:
        """The private answer from the secret result."""

    def require_columns(self, table: Table, protection: Protection) -> None:
        """Refuse a table that lacks a column, or one whose values cannot be used, before anything is read or spent."""
        if protection.unit is not None:
            require_column(table, protection.unit)
        if self.groups is not None:
            require_column(table, self.groups.column, numbers=self.groups.edges is not None)
        for one in self.conditions:
            one.require_kind(require_column(table, one.column))

    def ask(self, table: Table, protection: Protection, randomness: Randomness) -> Answer:
        """The private answer; no ledger counts it."""
        self.require_columns(table, protection)
        self.steps(protection)
        return self.answer(self.exact(table, protection), protection, randomness)

    def _always_counts(self, protection: Protection) -> bool:
        """Whether every row is used in all neighbouring tables."""
        # Where rows are replaced one by one all neighbouring tables have the same number of rows.
        return protection.replaces and protection.unit is None and not self.conditions and self.groups is None


@dataclass(frozen=True, kw_only=True)
class GroupedQuery(Query[tuple[Part, ...]], Generic[Part]):
    """A query that may be asked of each group of rows at once, for one budget; every row is in exactly one of them.

    The result for some rows is a number, or numbers, that add up over parts of them.
    """

    by: Groups | None = None

    @property
    def groups(self) -> Groups | None:
        """Those given as ``by``."""
        return self.by

    @property
    def names(self) -> tuple[str | None, ...]:
        """The groups as they are shown; None for all rows together."""
        return (None,) if self.by is None else self.by.names

    @abstractmethod
    def nothing(self) -> Part:
        """What is found where there is no row."""

    @abstractmethod
    def part(self, rows: pa.RecordBatch) -> Part:
        """What is found of some rows."""

    @property
    def present(self) -> str | None:
        """A column whose value must not be missing in rows that are used."""
        return None

    @property
    def read(self) -> tuple[str, ...]:
        """The columns of which something is found."""
        return ()

    def exact(self, table: Table, protection: Protection) -> tuple[Part, ...]:
        """What is found of each group."""
        found: list[Any] = [self.nothing() for _ in self.names]
        columns = (*self.read, *([] if self.by is None else [self.by.column]))
        for rows in used_rows(table, protection, self.conditions, columns, self.present):
            for at, some in self._split(rows):
                found[at] += self.part(some)
        return tuple(found)

    def _split(self, rows: pa.RecordBatch) -> Iterator[tuple[int, pa.RecordBatch]]:
        """The rows of each group that has some."""
        if self.by is None:
            yield 0, rows
            return
        places = self.by.places(rows.column(self.by.column))
        order = np.argsort(places, kind="stable")
        ordered = rows.take(pa.array(order))
        found = np.unique(places[order], return_index=True, return_counts=True)
        for at, start, count in zip(*(one.tolist() for one in found), strict=True):
            yield at, ordered.slice(start, count)


@dataclass(frozen=True)
class ColumnQuery(Query[Exact]):
    """A query about the values of a column."""

    column: str

    @property
    def needs_numbers(self) -> bool:
        """Whether only a numeric column can be asked about."""
        return False

    def require_columns(self, table: Table, protection: Protection) -> None:
        """Refuse a table that lacks a column, or where it holds no numbers and needs to."""
        super().require_columns(table, protection)
        require_column(table, self.column, numbers=self.needs_numbers)


@dataclass(frozen=True, kw_only=True)
class NoisyQuery(Query[Exact]):
    """A query answered with noise: Laplace, or Gaussian where a ``delta`` between 0 and 1 is given."""

    delta: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.delta is not None and not 0 < self.delta < 1:
            raise OptionError("A δ of {delta} lies outside (0, 1); leave it out for Laplace noise.", delta=self.delta)


@dataclass(frozen=True)
class Answer:
    """A private answer, with what it guarantees.

    Attributes:
        values: what was found, with its label where there are several. An estimate rests on one draw of noise, which
            is all its ``n`` says: how many rows there are may be secret.
        claims: what is guaranteed, the headline first.
        mechanism: as on the command line.
        simulated: whether the noise follows from a seed; then it protects nobody.
        rank_error: of a choice, how many rows it is off at most with the query's confidence; None for noisy numbers.
    """

    query: Query[Any]
    protection: Protection
    values: tuple[tuple[str | None, Found], ...]
    unit: str
    claims: tuple[Statement, ...]
    mechanism: Sentence
    simulated: bool
    rank_error: float | None = None

    @property
    def value(self) -> Found:
        """The first value, which is the only one of a count, sum, mean or quantile without groups."""
        return self.values[0][1]

    def __str__(self) -> str:
        told = "; ".join(f"{label}: {found}" if label is not None else str(found) for label, found in self.values)
        return f"{told} ({SIMULATION})" if self.simulated else told
