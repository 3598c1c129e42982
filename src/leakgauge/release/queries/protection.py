"""Who is protected by an answer: one row, or all rows of one person."""

from __future__ import annotations

from dataclasses import dataclass

from leakgauge.errors import OptionError
from leakgauge.notions.composition import Neighbours
from leakgauge.release.ledger.account import ONE_ROW
from leakgauge.sentences import Sentence

MOST_ROWS = 1 << 20


@dataclass(frozen=True)
class Protection:
    """The unit of protection, and which tables count as neighbours.

    Without a column one row is the unit. With one, all rows that share its value are, and of each unit only its first
    ``rows`` rows that meet a query's condition are used, in the table's order; the others are left out. Which rows
    that are depends on the unit's own rows alone.

    Replacing one row leaves the number of rows as it is. Replacing one unit exchanges all its rows for any other rows,
    none included: how many rows each unit has is protected too.

    Args:
        unit: the column whose values name the units; by default none.
        rows: how many rows of each unit are used at most.
        neighbours: how two neighbouring tables differ.

    Raises:
        OptionError: a number of rows that is not whole and at least 1, or more than 1 without a column.
    """

    unit: str | None = None
    rows: int = 1
    neighbours: Neighbours = Neighbours.REPLACE_ONE

    def __post_init__(self) -> None:
        if isinstance(self.rows, bool) or not isinstance(self.rows, int) or not 1 <= self.rows <= MOST_ROWS:
            raise OptionError(
                "A number of rows of {rows!r} per unit is not a whole number from 1 to {most}.",
                rows=self.rows,
                most=MOST_ROWS,
            )
        if self.unit is None and self.rows != 1:
            raise OptionError("{rows} rows per unit are given without a unit; name the unit's column.", rows=self.rows)
        if not isinstance(self.neighbours, Neighbours):
            raise OptionError("{found!r} is no kind of neighbours; give one of Neighbours.", found=self.neighbours)

    @property
    def replaces(self) -> bool:
        """Whether neighbours differ by a replacement, not by something that is there or not."""
        return self.neighbours is Neighbours.REPLACE_ONE

    @property
    def row_count_is_public(self) -> bool:
        """Whether all neighbouring tables have the same number of rows."""
        return self.replaces and self.unit is None

    @property
    def sentence(self) -> Sentence:
        """The unit in words."""
        # In quotes and after other words than the rows are, so that a column named row is not taken for one row.
        return Sentence(ONE_ROW) if self.unit is None else Sentence("one value of {column!r}", column=self.unit)

    def __str__(self) -> str:
        """The unit in words, as an account of a ledger names it."""
        return str(self.sentence)
