"""What sums and means share: a column with bounds, and exact totals of its values in steps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from leakgauge.release.queries.bounds import Bounds, bounds
from leakgauge.release.queries.protection import Protection
from leakgauge.release.queries.query import NoisyQuery
from leakgauge.release.queries.rows import require_column, used_rows
from leakgauge.tables import Table


@dataclass(frozen=True)
class Totals:
    """The sum of values in steps, and how many there are."""

    steps: int
    count: int


@dataclass(frozen=True)
class BoundedQuery(NoisyQuery[Totals]):
    """A noisy query about the numbers of a column.

    Args:
        column: whose numbers.
        lower: below it values are raised to it.
        upper: above it values are lowered to it.
        missing: the number that stands for missing values, which are refused without one.

    Raises:
        OptionError: bounds or numbers that cannot be used.
    """

    column: str
    lower: float | None = None
    upper: float | None = None
    missing: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.bounds  # noqa: B018  # refuses bounds that cannot be used

    @cached_property
    def bounds(self) -> Bounds:
        """The bounds on their grid."""
        return bounds(self.lower, self.upper, self.missing)

    def require_columns(self, table: Table, protection: Protection) -> None:
        """Refuse a table that lacks a column, or where it holds no numbers."""
        super().require_columns(table, protection)
        require_column(table, self.column, numbers=True)

    def exact(self, table: Table, protection: Protection) -> Totals:
        """The sum of the clamped values in steps of the fine grid, and their number."""
        lowest, total, count = self.bounds.lowest, 0, 0
        for values in used_rows(table, protection, self.where, self.column, missing_allowed=self.missing is not None):
            # Counted from the lower bound a batch's sum fits the machine's whole numbers; those of Python have no end.
            total += int((self.bounds.steps(values) - lowest).sum())
            count += len(values)
        return Totals(total + count * lowest, count)
