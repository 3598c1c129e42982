"""People whose row is found by what somebody knows of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from leakgauge.probability.cells import Codes
from leakgauge.tables import Table


@dataclass(frozen=True)
class LinkedPeople:
    """People whose row is found among those that agree in some columns.

    Attributes:
        people: of the table.
        alone: who share the values of a row with nobody else, so that no other row is in question.
        expected: whose row the best guess finds, on average.
    """

    people: int
    alone: int
    expected: float


def linked_people(table: Table, columns: Sequence[str], unit: str | None = None) -> LinkedPeople:
    """Whom somebody finds who knows some columns of a person.

    Among n rows that agree the best guess is any of them, so that 1/n is added for each of n people: as many people are
    found as there are groups. A person with several rows is looked for in the group with the largest part of them; a
    row that is found is the person's, whichever it is.

    Example:
        >>> import pyarrow as pa
        >>> from leakgauge.tables import open_table
        >>> linked_people(open_table(pa.table({"city": ["A", "A", "B"]})), ["city"])
        LinkedPeople(people=3, alone=1, expected=2.0)
    """
    if unit is None:
        # Without a column every row is in question.
        (sizes,) = table.group_sizes([tuple(columns)]) if columns else (None,)
        groups, alone = (1, int(table.rows == 1)) if sizes is None else (sizes.groups, sizes.alone)
        return LinkedPeople(table.rows, alone, float(groups))
    person = _numbers(table.digests([(unit,)])[0])
    group = _numbers(table.digests([tuple(columns)])[0]) if columns else np.zeros_like(person)
    return linked_people_among(group, person)


def linked_people_among(group: Codes, person: Codes) -> LinkedPeople:
    """The same, from the numbers of each row's group and person."""
    people, rows = int(person.max()) + 1, np.bincount(group)
    cells, count = np.unique(group * people + person, return_counts=True)
    largest, alone = np.zeros(people), np.zeros(people, dtype=np.bool_)
    np.maximum.at(largest, cells % people, count / rows[cells // people])
    alone[cells[count == rows[cells // people]] % people] = True
    return LinkedPeople(people, int(alone.sum()), float(largest.sum()))


def _numbers(digests: npt.NDArray[np.uint64]) -> Codes:
    return np.unique(digests, return_inverse=True)[1].astype(np.int64)
