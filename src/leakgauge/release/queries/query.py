"""What every query says of itself, and what comes back from it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from leakgauge.claims import Statement
from leakgauge.errors import OptionError
from leakgauge.mechanisms.span import require_budget
from leakgauge.mechanisms.steps import Step
from leakgauge.probability import Estimate
from leakgauge.randomness import Randomness
from leakgauge.release.queries.rows import Condition, Protection, require_column
from leakgauge.sentences import Sentence
from leakgauge.tables import Table

Exact = TypeVar("Exact")
Found: TypeAlias = Estimate | float | str
"""A number with its interval, a number without one, or a label."""
SIMULATION = "simulation: not private, not a release"
"""How an answer whose noise follows from a seed is marked wherever it is shown."""


@dataclass(frozen=True, kw_only=True)
class Query(ABC, Generic[Exact]):
    """A question about a table, or its rows ``where`` a condition holds, whose answer is protected; ε is in nats."""

    epsilon: float
    confidence: float = 0.95
    where: Condition | None = None

    def __post_init__(self) -> None:
        require_budget(self.epsilon)
        if not 0 < self.confidence < 1:
            raise OptionError("A confidence of {found} is not between 0 and 1; try 0.95.", found=self.confidence)

    @property
    @abstractmethod
    def about(self) -> Sentence:
        """What is asked of the rows, in words."""

    @property
    def sentence(self) -> Sentence:
        """The query in words, with its condition; made from values that were typed, never from values of rows."""
        if self.where is None:
            return self.about
        column, value = self.where.column, self.where.value
        # In quotes, so that a column or value called like other words of a question is not taken for them.
        if value is None:
            return Sentence("{what} over rows where {column!r} is missing", what=self.about, column=column)
        return Sentence("{what} over rows where {column!r} is {value!r}", what=self.about, column=column, value=value)

    def __str__(self) -> str:
        return str(self.sentence)

    @property
    def purpose(self) -> str:
        """The query in words for a ledger, whose entries are kept for good: without the value of its condition."""
        if self.where is None:
            return str(self.about)
        return str(Sentence("{what} under a condition on {column!s}", what=self.about, column=self.where.column))

    @abstractmethod
    def sensitivity(self, protection: Protection) -> int:
        """How far neighbouring tables move what the noise is for, in whole steps."""

    @abstractmethod
    def steps(self, protection: Protection) -> tuple[Step, ...]:
        """What an answer costs, as a ledger counts it."""

    @abstractmethod
    def exact(self, table: Table, protection: Protection) -> Exact:
        """What is found before any noise: whole numbers; secret."""

    @abstractmethod
    def answer(self, exact: Exact, protection: Protection, randomness: Randomness) -> Answer:
        """What may be shown of it."""

    def require_columns(self, table: Table, protection: Protection) -> None:
        """Refuse a table that lacks a column, or one whose values cannot be used, before anything is read or spent."""
        for name in (self.where.column if self.where else None, protection.unit):
            if name is not None:
                require_column(table, name)

    def ask(self, table: Table, protection: Protection, randomness: Randomness) -> Answer:
        """The private answer; no ledger counts it."""
        self.require_columns(table, protection)
        self.steps(protection)
        return self.answer(self.exact(table, protection), protection, randomness)

    def _always_counts(self, protection: Protection) -> bool:
        """Whether every row is used in all neighbouring tables."""
        # Where rows are replaced one by one all neighbouring tables have the same number of rows.
        return protection.replaces and protection.unit is None and self.where is None


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
        """The first value, which is the only one of a count, sum, mean or quantile."""
        return self.values[0][1]

    def __str__(self) -> str:
        told = "; ".join(f"{label}: {found}" if label is not None else str(found) for label, found in self.values)
        return f"{told} ({SIMULATION})" if self.simulated else told
