"""Conditions that rows must meet: a column, a comparison and what was typed, read as the column's kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import Enum
from functools import reduce
from operator import ge, gt, le, lt
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from leakgauge.errors import ColumnError, OptionError
from leakgauge.mechanisms.spelling import finite_number, split_at, unescaped
from leakgauge.release.queries.labels import MISSING, DeclaredLabel, declared, distinct_values, read
from leakgauge.sentences import Sentence
from leakgauge.tables import Kind

Target: TypeAlias = str | int | float | bool | date | None


class Operator(Enum):
    """How a value is compared, as it is typed."""

    EQUAL = "="
    UNEQUAL = "!="
    BELOW = "<"
    AT_MOST = "<="
    ABOVE = ">"
    AT_LEAST = ">="
    AMONG = "in"


_ORDER: Mapping[Operator, Callable[[Any, Any], bool]] = {
    Operator.BELOW: lt,
    Operator.AT_MOST: le,
    Operator.ABOVE: gt,
    Operator.AT_LEAST: ge,
}
_TOLD = {
    Operator.EQUAL: "{column!r} is {value!r}",
    Operator.UNEQUAL: "{column!r} is not {value!r}",
    Operator.BELOW: "{column!r} is below {value!s}",
    Operator.AT_MOST: "{column!r} is at most {value!s}",
    Operator.ABOVE: "{column!r} is above {value!s}",
    Operator.AT_LEAST: "{column!r} is at least {value!s}",
}
_EXAMPLES = {
    Kind.INT: "18",
    Kind.FLOAT: "2.5",
    Kind.BOOL: "true",
    Kind.DATE: "2024-05-01",
    Kind.TIMESTAMP: "2024-05-01T12:30",
}


@dataclass(frozen=True)
class Condition:
    """Rows whose value in a column compares so with what was typed: a text, None for missing ones; several ``AMONG``.

    A missing value is a value of its own, written None: it equals no other, so that ``!=`` of another value includes
    it, and it has no place in an order, so that no other comparison does.

    Raises:
        OptionError: a value that is not text, none or repeated values of ``AMONG``, or a missing one in an order.
    """

    column: str
    value: DeclaredLabel | Sequence[DeclaredLabel]
    operator: Operator = Operator.EQUAL

    def __post_init__(self) -> None:
        if self.operator is Operator.AMONG:
            # A tuple, so that nobody changes it afterwards.
            object.__setattr__(self, "value", declared(() if self.value is None else self.value))
        elif self.value is not None and not isinstance(self.value, str):
            raise OptionError(
                "A condition on {column!r} compares texts, but its value is of type {kind!s}; give its text.",
                column=self.column,
                kind=type(self.value).__name__,
            )
        if self.operator in _ORDER and self.value is None:
            raise OptionError(
                "A condition on {column!r} orders missing values, which have no order; use =, != or in.",
                column=self.column,
            )

    @property
    def values(self) -> tuple[DeclaredLabel, ...]:
        """What is compared with: one value, or all those of ``AMONG``."""
        return (self.value,) if self.value is None or isinstance(self.value, str) else tuple(self.value)

    @property
    def sentence(self) -> Sentence:
        """The condition in words, with its values as they were typed."""
        # In quotes, so that a column or value called like other words of a question is not taken for them.
        if self.operator is Operator.AMONG:
            listed = tuple(Sentence(MISSING) if value is None else repr(value) for value in self.values)
            return Sentence("{column!r} is one of {values!s}", column=self.column, values=listed)
        (value,) = self.values
        if value is None and self.operator is Operator.EQUAL:
            return Sentence("{column!r} is missing", column=self.column)
        if value is None:
            return Sentence("{column!r} is not missing", column=self.column)
        return Sentence(_TOLD[self.operator], column=self.column, value=value)

    def require_kind(self, kind: Kind) -> None:
        """Refuse a column that cannot be compared so, by what was typed."""
        if self.operator in _ORDER and kind in (Kind.STRING, Kind.BOOL):
            raise ColumnError(
                "Column {name!r} holds {kind}, which has no order; compare it with =, != or in.",
                name=self.column,
                kind=kind.words,
            )
        self._targets(kind)

    def holds(self, values: pa.Array, kind: Kind) -> npt.NDArray[np.bool_]:
        """For each value of the column whether it meets the condition; compared exactly, whatever its size."""
        zoned = pa.types.is_timestamp(values.type) and values.type.tz is not None
        targets = self._targets(kind, zoned=zoned)
        distinct, codes = distinct_values(self.column, values)
        met = [self._meets(None if value is None or value != value else value, targets) for value in distinct]
        return np.array(met, dtype=bool)[codes]

    def _meets(self, value: Target, targets: tuple[Target, ...]) -> bool:
        if self.operator is Operator.UNEQUAL:
            return value not in targets
        if self.operator in _ORDER:
            return value is not None and _ORDER[self.operator](value, targets[0])
        return value in targets

    def _targets(self, kind: Kind, *, zoned: bool | None = None) -> tuple[Target, ...]:
        """The values compared with, as the column's kind; ``zoned`` is None where it is not known yet."""
        found: list[Target] = []
        for text in self.values:
            try:
                found.append(None if text is None else _read(text, kind, zoned))
            except ValueError:
                raise OptionError(
                    "A condition compares column {name!r} with {value!r}, but the column holds {kind}; write e.g. "
                    "{example!s}.",
                    name=self.column,
                    value=text,
                    kind=kind.words,
                    example=_EXAMPLES[kind],
                ) from None
        return tuple(found)


def together(conditions: Iterable[Condition]) -> Sentence:
    """All conditions in words; there must be one."""
    return reduce(
        lambda said, more: Sentence("{said} and {more}", said=said, more=more), (one.sentence for one in conditions)
    )


_COMPARISON = re.compile(r"\s*(!=|<=|>=|=|<|>|\sin(?=\s))")


def read_condition(text: str, columns: Iterable[str]) -> Condition:
    r"""The condition that was typed: a column, a comparison and a value; spaces around the comparison do not count.

    A column may have spaces and signs in its name: the longest one that the text starts with is meant. Values of
    ``in`` stand between bars, with a backslash before a bar, or backslash, of their own.

    Raises:
        OptionError: no comparison, or none that is known.

    Example:
        >>> read_condition("age at entry >= 18", ["age", "age at entry"])
        Condition(column='age at entry', value='18', operator=<Operator.AT_LEAST: '>='>)
        >>> read_condition("city in A|(missing)", ["city"]).values
        ('A', None)
    """
    typed = text.strip()
    starts = [name for name in columns if typed.startswith(name) and _COMPARISON.match(typed, len(name))]
    column = max(starts, key=len, default=None)
    found = _COMPARISON.search(typed) if column is None else _COMPARISON.match(typed, len(column))
    # A column that is not there is refused by its name later on.
    column = typed[: found.start()] if column is None and found else column
    rest = typed[found.end() :] if found else ""
    if not found or not column or rest.startswith("="):
        raise OptionError(
            "--where {text!r} is not a column, a comparison (=, !=, <, <=, >, >= or in) and a value; write e.g. "
            "city=A, 'age>=18' or 'city in A|B'.",
            text=text,
        )
    operator, value = Operator(found[1].strip()), rest.strip()
    if operator is Operator.AMONG:
        return Condition(column, [read(unescaped(part).strip()) for part in split_at(value, "|")], operator)
    return Condition(column, read(value), operator)


def _read(text: str, kind: Kind, zoned: bool | None) -> Target:
    match kind:
        case Kind.INT | Kind.FLOAT:
            return finite_number(text)
        case Kind.BOOL:
            return bool(("false", "true").index(text.casefold()))
        case Kind.DATE:
            return date.fromisoformat(text)
        case Kind.TIMESTAMP:
            moment = datetime.fromisoformat(text)
            if zoned and moment.tzinfo is None:
                return moment.replace(tzinfo=UTC)
            if zoned is False and moment.tzinfo is not None:
                raise ValueError
            return moment
    return text
