"""Groups of rows by a column, declared and never found in the table: which values occur may be secret."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from leakgauge.errors import OptionError
from leakgauge.probability import Interval
from leakgauge.release.letters import numbers_of
from leakgauge.release.queries.labels import MISSING, OTHER, DeclaredLabel, declared, positions, shown
from leakgauge.tables.binnings import Edges


@dataclass(frozen=True)
class Groups:
    """The rows that have each declared label, or lie between each two edges; every row is in exactly one group.

    All values that are not declared are one group, also where there are none. Edges cut all numbers into intervals,
    the outermost without end; missing values are a group of their own.

    Args:
        column: whose values.
        labels: their texts, None for missing ones.
        edges: or where its numbers are cut.

    Raises:
        OptionError: neither or both, labels that repeat, edges that do not increase.

    Example:
        >>> Groups("city", ["A", "B"]).names, Groups("age", edges=[18, 65]).names
        (('A', 'B', '(other)'), ('(-∞, 18)', '[18, 65)', '[65, ∞)', '(missing)'))
    """

    column: str
    labels: Sequence[DeclaredLabel] | None = None
    edges: Sequence[float] | None = None

    def __post_init__(self) -> None:
        if (self.labels is None) == (self.edges is None):
            raise OptionError(
                "The groups of {column!r} need either labels or edges; declare them in one way.",
                column=self.column,
            )
        # Tuples, so that nobody changes them afterwards.
        if self.labels is not None:
            object.__setattr__(self, "labels", declared(self.labels))
        if self.edges is not None:
            object.__setattr__(self, "edges", Edges(tuple(float(edge) for edge in self.edges)).cuts)

    @property
    def names(self) -> tuple[str, ...]:
        """The groups as they are shown."""
        if self.labels is not None:
            return (*map(shown, self.labels), OTHER)
        cuts = [None, *(self.edges or ()), None]
        return (*(str(Interval(low, high)) for low, high in pairwise(cuts)), MISSING)

    def places(self, values: pa.Array) -> npt.NDArray[np.int64]:
        """The number of each value's group."""
        if self.labels is not None:
            return positions(self.column, values, tuple(self.labels))
        numbers = numbers_of(values).astype(np.float64)
        return np.where(np.isnan(numbers), len(self.names) - 1, np.searchsorted(self.edges or (), numbers, "right"))
