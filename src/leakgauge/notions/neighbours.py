"""Which inputs a notion compares: any two, or data sets that differ in one record.

Data sets are ordered by default: neighbours differ in the record at one position, as where every row belongs to one
person. Unordered, they are multisets: {1, 2} and {2, 3} are neighbours then, (1, 2) and (2, 3) are not. Ordered
neighbours are always neighbours as multisets, so that unordered levels are never smaller.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from typing import TypeAlias

import numpy as np

from leakgauge.errors import ModelError, OptionError
from leakgauge.probability import Label
from leakgauge.probability.files import Groups

Structure: TypeAlias = Groups
"""Groups of inputs within which any two are compared, by their positions: for a local channel one group of all, for
data sets one group for each record and each content of the other records."""


def all_pairs(inputs: Sequence[Label]) -> Structure:
    """Any two inputs are compared: the input is one record."""
    return (tuple(range(len(inputs))),)


def data_sets(inputs: Sequence[Label], records: int, ordered: bool = True) -> Structure:
    """Inputs are data sets, tuples of records; two are neighbours when they differ in one of them.

    Unless ``ordered`` they are multisets, and two inputs that hold the same records in another order are compared too.
    """
    if records < 1:
        raise OptionError("A data set of {records} records does not exist; give at least 1.", records=records)
    if records == 1 and not all(isinstance(data_set, tuple) and len(data_set) == 1 for data_set in inputs):
        return all_pairs(inputs)
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for position, data_set in enumerate(inputs):
        if not isinstance(data_set, tuple) or len(data_set) != records:
            raise ModelError(
                "The channel's inputs are not data sets of {records} records; make each a tuple of {records} labels, "
                "as channel.power({records}) does.",
                records=records,
            )
        # As multisets two equal records leave the same others behind: the set keeps one of them.
        for others in {_others(data_set, record, ordered) for record in range(records)}:
            groups[others].append(position)
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)


def _others(data_set: tuple[Label, ...], record: int, ordered: bool) -> Hashable:
    """What neighbours that differ in this record share."""
    rest = (*data_set[:record], *data_set[record + 1 :])
    return (record, rest) if ordered else frozenset(Counter(rest).items())


def compared(inputs: Sequence[Label], structure: Structure | None) -> Structure:
    """The groups within which inputs are compared; without a structure any two are.

    Raises:
        ModelError: there are several data sets and none has a neighbour: a level of 0 would say that they cannot be
            told apart, where nothing was compared.
    """
    groups = all_pairs(inputs) if structure is None else structure
    if not groups and len(inputs) > 1:
        raise ModelError(
            "None of the {count} data sets has a neighbour, so there is nothing to compare; add data sets between "
            "them, or compare any two by leaving out the number of records.",
            count=len(inputs),
        )
    return groups


def diameter(structure: Structure, inputs: int) -> float:
    """The most steps between neighbours that lead from one input to another; infinite where some lead nowhere.

    It is the number of records for a full product domain; where the domain has holes it may be larger.
    """
    from scipy.sparse.csgraph import shortest_path

    links = np.zeros((inputs, inputs), dtype=np.bool_)
    for group in structure:
        links[np.ix_(group, group)] = True
    return float(shortest_path(links, directed=False, unweighted=True).max())
