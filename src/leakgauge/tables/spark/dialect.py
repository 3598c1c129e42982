"""Spark's own words: the kind of each type, and the functions and literals that other engines spell otherwise."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping, Sequence

from leakgauge.tables.binnings import CalendarUnit
from leakgauge.tables.sql.dialect import Dialect, Lookup
from leakgauge.tables.table import Kind

_KINDS = {
    "boolean": Kind.BOOL,
    "date": Kind.DATE,
    **dict.fromkeys(["string", "void"], Kind.STRING),
    **dict.fromkeys(["float", "double"], Kind.FLOAT),
    **dict.fromkeys(["timestamp", "timestamp_ntz"], Kind.TIMESTAMP),
    **dict.fromkeys(["tinyint", "smallint", "int", "bigint"], Kind.INT),
}
_EXACT = 2**53
"""From here on every floating-point number is whole."""


class SparkDialect(Dialect):
    """What Spark spells its own way; types are written as its ``simpleString``."""

    double, integer, string = "DOUBLE", "INT", "STRING"
    timestamp, moment = "timestamp_ntz", "timestamp"
    kinds, clocks = _KINDS, tuple(f"time({digits})" for digits in range(10))

    def plain(self, raw: str, engine_type: str) -> str:
        """The value in a column: one spelling of every number and text, NaN as it is."""
        if self.kind_of(engine_type) is Kind.STRING and engine_type != "string":
            return f"CAST({raw} AS STRING)"
        return super().plain(raw, engine_type)

    def floor(self, number: str) -> str:
        """The largest whole number at or below a floating-point one; Spark's own would be an integer of 64 bits."""
        return f"CASE WHEN ABS({number}) < {_EXACT} THEN CAST(FLOOR({number}) AS DOUBLE) ELSE {number} END"

    def start_of(self, unit: CalendarUnit, value: str, engine_type: str) -> str:
        """Where the calendar interval that holds a date or timestamp starts, in the type of the value."""
        # The session's time zone is UTC, so that a moment and what a clock showed are cut alike.
        return f"CAST(date_trunc('{unit.value}', CAST({value} AS TIMESTAMP)) AS {engine_type})"

    def quantiles(self, value: str, shares: Sequence[float], engine_type: str) -> str:
        """A list: for each share the smallest value at or below which at least so much lies.

        Those of dates and timestamps are found through their distance from 1970.
        """
        found = f"percentile_disc(array({', '.join(map(self.literal, shares))})) WITHIN GROUP (ORDER BY {{}})"
        if engine_type == "date":
            days = found.format(f"unix_date({value})")
            return f"transform({days}, day -> date_from_unix_date(CAST(day AS INT)))"
        if self.kind_of(engine_type) is Kind.TIMESTAMP:
            moments = found.format(f"unix_micros(CAST({value} AS TIMESTAMP))")
            back = f"CAST(timestamp_micros(CAST(moment AS BIGINT)) AS {engine_type})"
            return f"transform({moments}, moment -> {back})"
        return found.format(value)

    def digest(self, values: Sequence[str]) -> str:
        """64 bits that are the same where all values are, missing ones included."""
        # A missing value leaves Spark's hash as it is, so that (1, missing) and (missing, 1) would agree.
        return f"xxhash64({', '.join(f'{value}, {value} IS NULL' for value in values)})"

    def lookup(self, value: str, kind: Kind, numbers: Mapping[str, int], variable: str) -> Lookup:
        """The number listed for a value: in one of as many small maps as there are texts, told by the text's sum."""
        listed = numbers
        text = f"CAST({value} AS STRING)"
        if kind is Kind.FLOAT:
            listed = {_mixed(float(number)): at for number, at in numbers.items() if number}
            text = f"CAST(xxhash64({value}) AS STRING)"
        elif kind is Kind.TIMESTAMP:
            text = f"regexp_replace(date_format({value}, 'yyyy-MM-dd HH:mm:ss.SSSSSS'), '\\\\.000000$', '')"
        maps: list[dict[str, int]] = [{} for _ in range(max(len(listed), 1))]
        for one, number in listed.items():
            maps[zlib.crc32(one.encode()) % len(maps)][one] = number
        held = f"from_json(:{variable}, 'ARRAY<MAP<STRING, INT>>')"
        which = f"CAST(crc32(CAST({text} AS BINARY)) % {len(maps)} AS INT) + 1"
        return Lookup(f"try_element_at(try_element_at({held}, {which}), {text})", ((variable, (json.dumps(maps),)),))

    def quoted(self, text: str) -> str:
        """A text as a literal, in which a backslash escapes."""
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    def mean(self, value: str, kind: Kind) -> str:
        """The mean of numbers as a floating-point number, over whole ones from their exact sum."""
        if kind is Kind.INT:
            return f"CAST(SUM(CAST({value} AS DECIMAL(38, 0))) AS DOUBLE) / NULLIF(COUNT({value}), 0)"
        return super().mean(value, kind)

    def variance(self, value: str, kind: Kind) -> str:
        """The sample variance of numbers as a floating-point number."""
        return f"VAR_SAMP(CAST({value} AS DOUBLE))"


_P1, _P2, _P3, _P4, _P5 = (
    0x9E3779B185EBCA87,
    0xC2B2AE3D27D4EB4F,
    0x165667B19E3779F9,
    0x85EBCA77C2B2AE63,
    0x27D4EB2F165667C5,
)
_MASK = (1 << 64) - 1


def _mixed(number: float) -> str:
    """What Spark's ``xxhash64`` gives for a floating-point number, another one for every number.

    Its text would not do: Java and Python write some numbers with other digits.
    """
    (bits,) = struct.unpack("<Q", struct.pack("<d", number + 0.0))
    mixed = 42 + _P5 + 8
    mixed ^= (_turned(bits * _P2 & _MASK, 31) * _P1) & _MASK
    mixed = (_turned(mixed & _MASK, 27) * _P1 + _P4) & _MASK
    mixed = ((mixed ^ (mixed >> 33)) * _P2) & _MASK
    mixed = ((mixed ^ (mixed >> 29)) * _P3) & _MASK
    mixed ^= mixed >> 32
    return str(mixed - (1 << 64) if mixed >> 63 else mixed)


def _turned(word: int, by: int) -> int:
    return (word << by | word >> (64 - by)) & _MASK
