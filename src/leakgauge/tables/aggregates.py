"""The shapes of the few queries an engine runs, in SQL that DuckDB, Spark and PostgreSQL share.

Arguments are SQL expressions an engine made: quoted names and placeholders that may repeat, never values.
"""
# ruff: noqa: S608  (only expressions made here and by the engines are joined; values travel as parameters)

from __future__ import annotations

from collections.abc import Sequence


def quoted(name: str) -> str:
    """The name as an SQL identifier, whatever it contains."""
    return '"' + name.replace('"', '""') + '"'


def count_rows(source: str) -> str:
    """A query for the number of rows."""
    return f"SELECT COUNT(*) FROM {source}"


def count_groups(keys: Sequence[str], letters: Sequence[str], source: str, limit: int) -> str:
    """A query for the combinations of ``keys`` and their counts, cut off after ``limit`` combinations.

    ``letters[a]`` turns the key ``k<a>`` into what is handed out. It stands outside the grouping, so that it is
    computed once a combination and not once a row.
    """
    inner = ", ".join(f"{key} AS k{at}" for at, key in enumerate(keys))
    groups = ", ".join(str(at + 1) for at in range(len(keys)))
    outer = ", ".join(f"{letter} AS k{at}" for at, letter in enumerate(letters))
    return (
        f"SELECT {outer}, n FROM "
        f"(SELECT {inner}, COUNT(*) AS n FROM {source} GROUP BY {groups} LIMIT {int(limit)}) AS grouped"
    )


def moments(values: Sequence[str], source: str) -> str:
    """A query for one row: the number of rows, then for each value its count, mean, variance, minimum, maximum."""
    parts = ["COUNT(*)"]
    for value in values:
        parts += [f"COUNT({value})", f"AVG({value})", f"VAR_SAMP({value})", f"MIN({value})", f"MAX({value})"]
    return f"SELECT {', '.join(parts)} FROM {source}"


def select(values: Sequence[str], source: str) -> str:
    """A query for the rows of some values."""
    return f"SELECT {', '.join(values)} FROM {source}"


def width_bin(value: str, width: str) -> str:
    """The number k of the interval [k·width, (k+1)·width) that holds the value."""
    # The quotient is rounded, so near an edge its floor may be the neighbour's: compare with the edges themselves.
    k = f"FLOOR({value} / {width})"
    return f"({k} + CASE WHEN {value} < {k} * {width} THEN -1 WHEN {value} >= ({k} + 1) * {width} THEN 1 ELSE 0 END)"


def edge_bin(value: str, cuts: Sequence[str]) -> str:
    """How many of the increasing cut points are at or below the value, by bisection; a missing value stays so."""

    def search(low: int, high: int) -> str:
        if low == high:
            return str(low)
        middle = (low + high) // 2
        return f"CASE WHEN {value} < {cuts[middle]} THEN {search(low, middle)} ELSE {search(middle + 1, high)} END"

    return f"CASE WHEN {value} IS NULL THEN NULL ELSE {search(0, len(cuts))} END"
