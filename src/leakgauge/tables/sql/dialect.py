"""How an engine spells what the few queries need: its types, its literals and a handful of functions."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, Final

from leakgauge.tables.binnings import CalendarUnit
from leakgauge.tables.table import Kind

_DECIMAL: Final = re.compile(r"(?i)decimal\(\d+,(-?\d+)\)")


@dataclass(frozen=True)
class Lookup:
    """SQL that finds the number listed for a value, NULL where it is not listed.

    Attributes:
        setup: statements with their parameters that a connection runs before it meets the SQL.
    """

    sql: str
    setup: tuple[tuple[str, tuple[Any, ...]], ...] = ()


class Dialect(ABC):
    """What an engine spells its own way; arguments are SQL expressions or types in the engine's words.

    Attributes:
        double: its type of floating-point numbers.
        integer: its type of whole numbers.
        string: its type of texts.
        timestamp: its type of timestamps without an offset from UTC.
        moment: its type of those with one.
        kinds: what its types hold, decimals and types of another kind left out.
        clocks: its types of times of day without a date.
    """

    double: str
    integer: str
    string: str
    timestamp: str
    moment: str
    kinds: Mapping[str, Kind]
    clocks: tuple[str, ...]

    def kind_of(self, engine_type: str) -> Kind:
        """The kind of a type; decimals without a fraction are whole numbers."""
        if decimal := _DECIMAL.fullmatch(engine_type):
            return Kind.INT if int(decimal.group(1)) <= 0 else Kind.FLOAT
        return self.kinds.get(engine_type, Kind.OTHER)

    def plain(self, raw: str, engine_type: str) -> str:
        """The value in a column: one spelling of every number and text, NaN as it is."""
        if self.kind_of(engine_type) is Kind.FLOAT:
            # 0.0 and -0.0 are one number with two faces; added to zero, both show the same.
            return f"(CAST({raw} AS {self.double}) + CAST(0 AS {self.double}))"
        return raw

    def is_nan(self, number: str) -> str:
        """Whether a floating-point number is NaN."""
        return f"isnan({number})"

    def floor(self, number: str) -> str:
        """The largest whole number at or below a floating-point one, as such a one."""
        return f"FLOOR({number})"

    @abstractmethod
    def start_of(self, unit: CalendarUnit, value: str, engine_type: str) -> str:
        """Where the calendar interval that holds a date or timestamp starts, in the type of the value."""

    @abstractmethod
    def quantiles(self, value: str, shares: Sequence[float], engine_type: str) -> str:
        """A list: for each share the smallest value at or below which at least so much lies."""

    @abstractmethod
    def digest(self, values: Sequence[str]) -> str:
        """64 bits that are the same where all values are, missing ones included."""

    @abstractmethod
    def lookup(self, value: str, kind: Kind, numbers: Mapping[str, int], variable: str) -> Lookup:
        """The number listed for a value, which is told by its text as Python writes it.

        ``variable`` is a name that nothing else of the table has.
        """

    def quoted(self, text: str) -> str:
        """A text as a literal."""
        return "'" + text.replace("'", "''") + "'"

    def literal(self, value: float | date | str) -> str:
        """A value as a literal of its own type; a moment with its offset, a timestamp without one."""
        if isinstance(value, str):
            return self.quoted(value)
        if isinstance(value, datetime):
            if value.tzinfo is None:
                return f"CAST('{value.isoformat(' ')}' AS {self.timestamp})"
            return f"CAST('{value.astimezone(UTC).isoformat(' ')}' AS {self.moment})"
        if isinstance(value, date):
            return f"CAST('{value.isoformat()}' AS DATE)"
        # Read from a text, a number keeps all its digits; as a literal some engines take it for a decimal.
        return f"CAST('{float(value)!r}' AS {self.double})"

    def value(self, raw: str, engine_type: str, missing: Sequence[str]) -> str:
        """The value in a column as it is handed out: NULL where it is NaN or among the missing texts."""
        value, kind = self.plain(raw, engine_type), self.kind_of(engine_type)
        if kind is Kind.OTHER:
            return value
        absent = []
        if kind is Kind.FLOAT:
            absent.append(self.is_nan(value))
        if missing:
            texts = ", ".join(self.quoted(text) for text in missing)
            absent.append(f"CAST({raw} AS {self.string}) IN ({texts})")
            # The text -9 means the number, however this column would write it.
            numbers = [number for text in missing if (number := number_of(text)) is not None]
            if kind in (Kind.INT, Kind.FLOAT) and numbers:
                listed = ", ".join(self.literal(number) for number in numbers)
                absent.append(f"CAST({value} AS {self.double}) IN ({listed})")
        return f"CASE WHEN {' OR '.join(absent)} THEN NULL ELSE {value} END" if absent else value

    def mean(self, value: str, kind: Kind) -> str:
        """The mean of numbers as a floating-point number, over whole ones from their exact sum."""
        return f"CAST(AVG({value}) AS {self.double})"

    def variance(self, value: str, kind: Kind) -> str:
        """The sample variance of numbers as a floating-point number."""
        return f"CAST(VAR_SAMP({value}) AS {self.double})"


def number_of(text: str) -> float | None:
    """The number that a text writes, None where it writes none."""
    if "_" in text:
        return None  # Python's own way to write thousands
    try:
        number = float(text)
    except ValueError:
        return None
    return None if math.isnan(number) else number
