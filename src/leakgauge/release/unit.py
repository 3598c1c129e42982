"""Whom a released table protects: one row, or all rows of one person."""

from __future__ import annotations

from dataclasses import dataclass, replace

from leakgauge.errors import OptionError, TableError
from leakgauge.mechanisms.steps import Step
from leakgauge.release.ledger.account import ONE_ROW
from leakgauge.sentences import Sentence
from leakgauge.tables import Table

MOST_ROWS = 1 << 20


@dataclass(frozen=True)
class UnitOfProtection:
    """Neighbouring tables differ in the values of one row, or of all rows that share a value of a column.

    The number of rows, and which of them belong together, is the same in both: a release keeps its rows. That is less
    than a query protects, so an account of a ledger distinguishes the two.

    Attributes:
        column: whose values tell persons apart; None where every row is one.
        rows: that a person has at most, as everybody knows it.
    """

    column: str | None = None
    rows: int = 1

    def __post_init__(self) -> None:
        if isinstance(self.rows, bool) or not isinstance(self.rows, int) or not 1 <= self.rows <= MOST_ROWS:
            raise OptionError(
                "A number of rows of {rows!r} per unit is not a whole number from 1 to {most}.",
                rows=self.rows,
                most=MOST_ROWS,
            )
        if self.column is None and self.rows != 1:
            raise OptionError("{rows} rows per unit are given without a unit; name the unit's column.", rows=self.rows)

    def __str__(self) -> str:
        """In words, as an account of a ledger names it."""
        if self.column is None:
            return ONE_ROW
        return str(Sentence("the rows of one value of {column!r}", column=self.column))

    def require_kept_by(self, table: Table) -> None:
        """Refuse a table in which a person has more rows than declared: no guarantee would hold for that person."""
        if self.column is None:
            return
        (sizes,) = table.group_sizes([(self.column,)])
        if sizes.largest > self.rows:
            raise TableError(
                "A value of {column!r} has {found} rows, but {declared} are declared; declare more rows per unit, or "
                "leave rows out.",
                column=self.column,
                found=sizes.largest,
                declared=self.rows,
            )

    def require_ordered_by(self, column: str, table: Table) -> None:
        """Refuse a column that does not order the rows of a table, or those of a person."""
        (sizes,) = table.group_sizes([(column,) if self.column is None else (self.column, column)])
        if sizes.largest > 1:
            raise TableError(
                "{found} values of column {column!r} occur in several rows, so it does not order them; name a column "
                "that differs in every row, or the column of persons with --unit if it does in the rows of each."
                if self.column is None
                else "{found} values of column {column!r} occur in several rows of one value of {unit!r}, so it does "
                "not order them; name a column that differs in every row of a person.",
                found=sizes.groups - sizes.alone,
                column=column,
                unit=self.column,
            )

    def cost(self, step: Step) -> Step:
        """The cost to a person of a step on one row: once for each row."""
        return replace(step, count=step.count * self.rows)
