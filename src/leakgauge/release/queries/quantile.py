"""A private quantile."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from leakgauge.errors import OptionError
from leakgauge.mechanisms import spelled
from leakgauge.mechanisms.exponential import Exponential, exponential
from leakgauge.mechanisms.steps import ExponentialChoice, Step
from leakgauge.randomness import Randomness, below
from leakgauge.release.queries.answer import Answer
from leakgauge.release.queries.bounds import Bounds, bounds
from leakgauge.release.queries.protection import Protection
from leakgauge.release.queries.query import Query
from leakgauge.release.queries.rows import require_column, used_rows
from leakgauge.sentences import Sentence
from leakgauge.tables import Table

CELLS = 2.0**16
"""The bounds are cut into so many cells, or up to twice as many."""
_LARGEST_DENOMINATOR = 1_000_000


@dataclass(frozen=True)
class Quantile(Query[npt.NDArray[np.int64]]):
    """A number between the bounds below which a given share of the values lies.

    The exponential mechanism over the points of a grid. With n values, b of them below a point and u of them up to and
    with it, its utility is minus the number of rows by which its rank is off: −max(b − at·n, at·n − u, 0). A row that
    is used adds −at or 1 − at to b − at·n and to u − at·n, one that is not adds 0. So a neighbour moves the
    utility by at most ``rows`` where rows are replaced, and by rows · max(at, 1 − at) where they are added or removed.

    Values are clamped to the bounds and rounded to the grid, of which the answer is a point. The grid is declared, or
    has between 2^16 and 2^17 steps; it never follows the column, where one value can decide between whole numbers and
    others. The answer has no interval, which would need more of the table than its rank; instead ``rank_error`` says
    how many rows its rank is off at most.

    Args:
        column: whose numbers.
        at: the share of values below, between 0 and 1; taken as the nearest fraction with a denominator of up to 10^6.
        lower: the lower bound.
        upper: the upper bound.
        missing: the number that stands for missing values, which are refused without one.
        grid: the answer is a multiple of it, such as 1 for whole numbers; by default a fine one.

    Raises:
        OptionError: a share, bounds or a grid that cannot be used.
    """

    column: str
    at: float = 0.5
    lower: float | None = None
    upper: float | None = None
    missing: float | None = None
    grid: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.bounds  # noqa: B018  # refuses bounds that cannot be used
        if not 0 < self.at < 1 or not 0 < self.share < 1:
            raise OptionError(
                "A quantile at {at} does not lie between 0 and 1, at least a millionth from both; the median is at "
                "0.5.",
                at=self.at,
            )

    @property
    def about(self) -> Sentence:
        """What is asked of the rows, in words."""
        return Sentence("quantile {at:g} of {column!s}", at=self.at, column=self.column)

    @cached_property
    def bounds(self) -> Bounds:
        """The bounds on their grid."""
        return bounds(self.lower, self.upper, self.missing, parts=CELLS, grid=self.grid)

    @cached_property
    def share(self) -> Fraction:
        """The share of values below, as a fraction."""
        return Fraction(self.at).limit_denominator(_LARGEST_DENOMINATOR)

    def sensitivity(self, protection: Protection) -> int:
        """Of the utility, times the denominator of the share; see the class."""
        part, whole = self.share.numerator, self.share.denominator
        return protection.rows * (whole if protection.replaces else max(part, whole - part))

    def steps(self, protection: Protection) -> tuple[Step, ...]:
        """One private choice."""
        return (ExponentialChoice(self.epsilon),)

    def require_columns(self, table: Table, protection: Protection) -> None:
        """Refuse a table that lacks a column, or where it holds no numbers."""
        super().require_columns(table, protection)
        require_column(table, self.column, numbers=True)

    def exact(self, table: Table, protection: Protection) -> npt.NDArray[np.int64]:
        """How many values lie at each grid point."""
        lowest, highest = self.bounds.lowest, self.bounds.highest
        counts = np.zeros(highest - lowest + 1, dtype=np.int64)
        for values in used_rows(table, protection, self.where, self.column, missing_allowed=self.missing is not None):
            counts += np.bincount(self.bounds.steps(values) - lowest, minlength=len(counts))
        return counts

    def utilities(self, exact: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Of each grid point, times the denominator of the share: whole numbers, 0 for the best."""
        part, whole = self.share.numerator, self.share.denominator
        up_to = np.cumsum(exact)
        target = part * up_to[-1]
        off = np.maximum(whole * (up_to - exact) - target, target - whole * up_to)
        return np.asarray(-np.maximum(off, 0), dtype=np.int64)

    def answer(self, exact: npt.NDArray[np.int64], protection: Protection, randomness: Randomness) -> Answer:
        """A grid point whose rank is near to the one asked for."""
        assert self.lower is not None and self.upper is not None  # as the constructor made sure
        choice = self._choice(protection)
        utilities = self.utilities(exact)
        # Points between two values have one utility: they are drawn together, then one of them.
        starts = np.flatnonzero(np.r_[True, utilities[1:] != utilities[:-1]])
        lengths = np.diff(np.r_[starts, len(utilities)])
        run = choice.run(utilities[starts].tolist(), randomness, lengths.tolist())
        at = int(starts[run]) + int(below(int(lengths[run]), 1, randomness)[0])
        value = float((self.bounds.lowest + at) * self.bounds.grid)
        return Answer(
            self,
            protection,
            ((None, min(max(value, float(self.lower)), float(self.upper))),),
            self.column,
            choice.claims,
            Sentence(spelled(choice)),
            rank_error=choice.error_bar(len(utilities), self.confidence) / self.share.denominator,
            simulated=not randomness.private,
        )

    def _choice(self, protection: Protection) -> Exponential:
        return exponential(self.epsilon, sensitivity=self.sensitivity(protection))
