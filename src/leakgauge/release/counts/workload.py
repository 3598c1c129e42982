"""What is asked of a release of counts: attributes with declared values, tables over them, and what each table weighs.

A table over attributes A splits into one *interaction* for every set B ⊆ A: the part of the table of B in which every
line sums to 0. Tables that share attributes share these parts, so a plan measures each part once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import TypeAlias

from leakgauge.arguments import checked
from leakgauge.errors import ColumnError, OptionError, did_you_mean
from leakgauge.probability.distribution import Frozen
from leakgauge.probability.labels import Label, alphabet
from leakgauge.sentences import Sentence

Places: TypeAlias = tuple[int, ...]
"""A set of attributes by their places in a workload, ascending."""

MOST_CELLS = 10_000_000
"""Cells of one table: noise is drawn for each of them, whether anybody has the combination or not."""


@dataclass(frozen=True)
class Attribute:
    """A column and the values that are declared for it; a table is released over all of them.

    Values that are learnt from the table instead would tell which of them occur.

    Raises:
        LabelError: values that repeat.
        OptionError: fewer than two values.

    Example:
        >>> Attribute("smokes", ["no", "yes"]).size
        2
    """

    name: str
    values: Sequence[Label] = field(repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", alphabet(self.values, Sentence("values of {name!r}", name=self.name)))
        if self.size < 2:
            raise OptionError(
                "The attribute {name!r} has only one declared value; declare at least 2, or leave it out.",
                name=self.name,
            )

    @property
    def size(self) -> int:
        """How many values are declared."""
        return len(self.values)


class Workload(Frozen):
    """Tables over attributes with declared values.

    Args:
        attributes: with their declared values.
        tables: each by the names of its attributes; one name stands for a table of one attribute.
        weights: what the variance of a cell of each table weighs in a sum; by default 1 each.

    Raises:
        ColumnError: a table names an unknown attribute, one twice, or none.
        OptionError: attributes or tables that repeat, weights that are not positive, or a table of more than 10^7
            cells.

    Example:
        >>> work = Workload([Attribute("sex", "fm"), Attribute("smokes", "ny")], ["sex", ("sex", "smokes")])
        >>> work.tables, work.cells((0, 1))
        ((('sex',), ('sex', 'smokes')), 4)
    """

    @checked
    def __init__(
        self,
        attributes: Iterable[Attribute],
        tables: Iterable[str | Sequence[str]],
        weights: Sequence[float] | None = None,
    ) -> None:
        self.attributes = tuple(attributes)
        self._at = {attribute.name: at for at, attribute in enumerate(self.attributes)}
        self.sizes = tuple(attribute.size for attribute in self.attributes)
        asked = tuple((names,) if isinstance(names, str) else tuple(names) for names in tables)
        self.places = tuple(map(self.places_of, asked))
        self.tables = tuple(map(self.names_of, self.places))
        self.weights = tuple(map(float, weights)) if weights is not None else (1.0,) * len(self.tables)
        self._require()
        self._seal()

    @classmethod
    @checked
    def of_ways(cls, attributes: Iterable[Attribute], most: int = 2) -> Workload:
        """All tables of up to so many attributes, by default all one- and two-way tables."""
        kept = tuple(attributes)
        names = [attribute.name for attribute in kept]
        return cls(kept, [some for ways in range(1, most + 1) for some in combinations(names, ways)])

    @cached_property
    def closure(self) -> tuple[Places, ...]:
        """Every set of attributes within a table, the empty one first: the interactions that are measured."""
        found = {some for table in self.places for ways in range(len(table) + 1) for some in combinations(table, ways)}
        return tuple(sorted(found, key=lambda places: (len(places), places)))

    @cached_property
    def largest(self) -> tuple[Places, ...]:
        """The tables that lie in no other one; their counts hold all others."""
        sets = {table: frozenset(table) for table in self.places}
        return tuple(table for table, own in sets.items() if not any(own < other for other in sets.values()))

    def cells(self, places: Iterable[int]) -> int:
        """The cells of a table over these attributes."""
        return math.prod(self.sizes[at] for at in places)

    def shape(self, places: Iterable[int]) -> tuple[int, ...]:
        """The sizes of these attributes."""
        return tuple(self.sizes[at] for at in places)

    def share(self, places: Iterable[int]) -> float:
        """Π (1 − 1/m): the square of how far one row moves the interaction of these attributes."""
        return math.prod(1 - 1 / self.sizes[at] for at in places)

    @checked
    def places_of(self, names: Sequence[str]) -> Places:
        """The places of some attributes, ascending."""
        for name in names:
            if name not in self._at:
                raise ColumnError(
                    "The workload has no attribute {name!r}; {hint}", name=name, hint=did_you_mean(name, self._at)
                )
        found = tuple(sorted(self._at[name] for name in names))
        if not found or len(set(found)) < len(found):
            raise ColumnError(
                "A table of the workload names {names!s}; name at least one attribute, and each one once.",
                names=tuple(names) or Sentence("no attribute"),
            )
        return found

    @checked
    def measured(self, names: Sequence[str]) -> Places:
        """The places of some attributes, which a table of the workload must hold together."""
        places = self.places_of(names)
        if places not in self.closure:
            raise ColumnError(
                "No table of the workload holds {names!s} together; ask for the consistent tables, or plan for it.",
                names=" × ".join(map(repr, names)),
            )
        return places

    def names_of(self, places: Iterable[int]) -> tuple[str, ...]:
        """The names of the attributes at some places."""
        return tuple(self.attributes[at].name for at in places)

    def _require(self) -> None:
        if not self.tables:
            raise OptionError("There are no tables in the workload; name at least one.")
        if len(self._at) < len(self.attributes) or len(set(self.places)) < len(self.places):
            raise OptionError("An attribute or a table of the workload is given twice; give each one once.")
        if len(self.weights) != len(self.tables) or not all(0 < one < math.inf for one in self.weights):
            raise OptionError(
                "The weights ({count}) are not one finite number above 0 for each table ({tables}); give one for each.",
                count=len(self.weights),
                tables=len(self.tables),
            )
        require_size({names: self.cells(places) for names, places in zip(self.tables, self.places, strict=True)})


def require_size(cells: Mapping[tuple[str, ...], int]) -> None:
    """Refuse tables of more cells than noise is drawn for."""
    for names, count in cells.items():
        if count > MOST_CELLS:
            raise OptionError(
                "The table of {names!s} has {cells} cells, more than {most}; declare coarser values, or ask for tables "
                "of fewer attributes.",
                names=" × ".join(map(repr, names)),
                cells=count,
                most=MOST_CELLS,
            )
