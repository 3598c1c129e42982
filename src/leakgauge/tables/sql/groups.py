"""How rows fall into groups, asked of the engine: many sets of columns in one pass, and one line a set comes back."""
# ruff: noqa: S608  (only expressions that an engine made are joined)

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from leakgauge.tables import arrow as pa
from leakgauge.tables.table import GroupSizes

MOST_SETS, MOST_COLUMNS = 32, 60
"""In one pass: an engine makes a copy of each row for every set, and a bit of a whole number names each column."""


def passes(sets: Sequence[tuple[str, ...]]) -> Iterator[list[tuple[str, ...]]]:
    """The sets, each once, so many at a time as one pass takes."""
    some: list[tuple[str, ...]] = []
    for names in {frozenset(names): names for names in sets}.values():
        columns = {name for one in some for name in one}
        if some and (len(some) == MOST_SETS or len(columns.union(names)) > MOST_COLUMNS):
            yield some
            some = []
        some.append(names)
    if some:
        yield some


def group_query(sets: Sequence[tuple[str, ...]], keys: Mapping[str, str], unit: str | None, source: str) -> str:
    """A query for one line a set: which one, its groups, the rows alone in theirs, the smallest and the largest.

    A person whose ``unit`` is missing is one with all others whose is.
    """
    columns = list(dict.fromkeys(name for names in sets for name in names))
    alias = {name: f"k{at}" for at, name in enumerate(columns)}
    inner = [f"{keys[name]} AS {alias[name]}" for name in columns] + ([] if unit is None else [f"{unit} AS u"])
    listed = ", ".join(f"({', '.join(alias[name] for name in names)})" for names in sets)
    which = " + ".join(f"CAST(GROUPING({alias[name]}) AS BIGINT) * {1 << at}" for at, name in enumerate(columns))
    people = "COUNT(*)"
    if unit is not None:
        people = "COUNT(DISTINCT u) + MAX(CASE WHEN u IS NULL THEN 1 ELSE 0 END)"
    alone = "CAST(SUM(CASE WHEN people = 1 THEN n ELSE 0 END) AS BIGINT)"
    return (
        f"SELECT g, COUNT(*) AS n0, {alone} AS n1, MIN(people) AS n2, MAX(people) AS n3 FROM "
        f"(SELECT {which} AS g, COUNT(*) AS n, {people} AS people FROM "
        f"(SELECT {', '.join(inner)} FROM {source}) AS keyed GROUP BY GROUPING SETS ({listed})) AS grouped GROUP BY g"
    )


def sizes_of(sets: Sequence[tuple[str, ...]], answer: pa.Table) -> dict[frozenset[str], GroupSizes]:
    """What the query says of each set."""
    columns = list(dict.fromkeys(name for names in sets for name in names))
    lines = {which: numbers for which, *numbers in zip(*(column.to_pylist() for column in answer.columns), strict=True)}
    left_out = {names: sum(1 << at for at, name in enumerate(columns) if name not in names) for names in sets}
    return {frozenset(names): GroupSizes(names, *lines[which]) for names, which in left_out.items()}
