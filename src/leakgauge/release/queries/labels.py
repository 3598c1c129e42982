"""Labels as they are declared, one for missing values and one for all others, and groups of rows by them or by edges.

Groups are never found in the table: which values occur may be secret.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from leakgauge.errors import ColumnError, OptionError
from leakgauge.probability import Interval
from leakgauge.release.letters import encoded, numbers_of
from leakgauge.tables.binnings import Edges

DeclaredLabel: TypeAlias = str | None
"""A text; None is the label of missing values."""

MISSING = "(missing)"
"""How missing values are written where labels are texts."""
OTHER = "(other)"
MOST_LABELS = 1 << 16


def declared(labels: Iterable[DeclaredLabel]) -> tuple[DeclaredLabel, ...]:
    """The labels as a tuple."""
    known = tuple(labels) if not isinstance(labels, str) else ()
    if not 1 <= len(known) <= MOST_LABELS:
        raise OptionError("{count} labels are declared; give from 1 to {most}.", count=len(known), most=MOST_LABELS)
    for label in known:
        if label is not None and not isinstance(label, str):
            raise OptionError(
                "A label of type {kind} is declared; give texts, and None for missing values.",
                kind=type(label).__name__,
            )
        if label in (MISSING, OTHER):
            raise OptionError("The label {label!r} is reserved; leave it out.", label=label)
    if len(set(known)) < len(known):
        raise OptionError(
            "{count} of the {all} labels repeat an earlier one; declare each once.",
            count=len(known) - len(set(known)),
            all=len(known),
        )
    return known


def shown(label: DeclaredLabel) -> str:
    """How a declared label is shown."""
    return MISSING if label is None else label


def read(text: str) -> DeclaredLabel:
    """The label that is shown as this text."""
    return None if text == MISSING else text


def label_text(value: Any) -> DeclaredLabel:
    """The text of a value, by which labels are found: whole numbers in digits alone, truth in lower case."""
    if value is None or value != value:
        return None  # NaN is missing too
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        # As in a column of whole numbers, so that a label means the same rows when another row has a fraction.
        return str(int(value)) if value.is_integer() else repr(value)
    return str(value)


def is_missing(values: pa.Array) -> npt.NDArray[np.bool_]:
    """For each value whether it is missing; NaN is."""
    return np.asarray(pc.is_null(values, nan_is_null=True))


def positions(column: str, values: pa.Array, labels: tuple[DeclaredLabel, ...]) -> npt.NDArray[np.int64]:
    """For each value the number of its label; the number of labels where it has none."""
    at = {label: number for number, label in enumerate(labels)}
    distinct, codes = distinct_values(column, values)
    found = np.array([at.get(label_text(value), len(labels)) for value in distinct], dtype=np.int64)
    return found[codes]


def distinct_values(column: str, values: pa.Array) -> tuple[list[Any], npt.NDArray[np.int64]]:
    """The distinct values, and which of them each one is."""
    distinct, codes = encoded(values, column)
    try:
        return distinct.to_pylist(), codes
    except (ValueError, OverflowError):
        # The calendar of Python ends where an engine's goes on; Arrow's own message holds the value.
        raise ColumnError(
            "Column {name!r} holds a date outside the years 1 to 9999; correct it or choose another column.",
            name=column,
        ) from None


@dataclass(frozen=True)
class Groups:
    """The rows that have each declared label, or lie between each two edges; every row is in exactly one group.

    All values that are not declared are one group, also where there are none; the label of missing values is None.
    Edges cut all numbers into intervals, the outermost without end; missing values are a group of their own.

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
