"""Whether the rows of a release stand in the random order that its record promises."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np
import pyarrow as pa

from leakgauge.artefacts import Sentence
from leakgauge.artefacts.record import Check
from leakgauge.case.columns import columns_of, letters_of
from leakgauge.probability.cells import Codes
from leakgauge.release import Release
from leakgauge.tables import Table, open_table
from leakgauge.tables.sampling import RowSample

RANDOM_ORDER: Final = Sentence("random order of rows")
MOST_ROWS: Final = 100_000
ALARM: Final = 1e-9
"""The probability, by the law of χ², below which an association is no chance."""
_EXPECTED: Final = 2
"""Rows that two values, compared by themselves, have in common by chance at least, so that the law of χ² is close."""
_MOST_VALUES: Final = 20
_STRETCHES: Final = 10
"""Of equal length, that the places of a release are cut into."""


def order_check(release: Release, original: Table, released: str | None = None) -> Check | None:
    """That the places of the rows tell nothing; None where the order was kept.

    In a random order no released value goes with its place, nor with its neighbour, nor with the row of the table at
    the same place.
    """
    plan = release.record.plan
    if plan.keep_order:
        return None
    pairs = {written: read for one in plan.columns.values() for written in one.writes for read in one.reads}
    sample = RowSample.of(original.rows, MOST_ROWS, 0)
    true = columns_of(original, tuple(dict.fromkeys((*pairs.values(), *plan.public))), sample)
    with open_table(release.source if released is None else released) as table:
        standing = columns_of(table, (*pairs, *plan.public), sample)
    wrong = next(_found(pairs, true, standing), None)
    return Check(RANDOM_ORDER, True) if wrong is None else Check(RANDOM_ORDER, False, wrong)


def _found(
    pairs: Mapping[str, str], true: Mapping[str, pa.Array], standing: Mapping[str, pa.Array]
) -> Iterator[Sentence]:
    for name, values in standing.items():
        codes = _common(letters_of(values, name))
        place = np.arange(len(codes)) * _STRETCHES // len(codes)
        if _surprise(place, codes) < ALARM or _surprise(codes[:-1], codes[1:]) < ALARM:
            yield Sentence("released values of {column!s} go with their places among the rows", column=name)
        own = pairs.get(name, name)
        if _surprise(_common(letters_of(true[own], own)), codes) < ALARM:
            yield Sentence("rows of {column!s} stand where they stand in the table", column=name)


def _common(codes: Codes) -> Codes:
    """The codes of common values by number; rare ones count as the most common one."""
    counts = np.bincount(codes)
    common = np.argsort(-counts, kind="stable")[:_MOST_VALUES]
    numbers = np.zeros(len(counts), dtype=np.int64)
    for number, code in enumerate(common[counts[common] ** 2 >= _EXPECTED * len(codes)]):
        numbers[code] = number
    return numbers[codes]


def _surprise(one: Codes, other: Codes) -> float:
    """How probable an association like this is where there is none (Pearson 1900)."""
    from scipy.special import chdtrc

    width = int(other.max(initial=0)) + 1
    found = np.bincount(one * width + other, minlength=(int(one.max(initial=0)) + 1) * width).reshape(-1, width)
    rows, columns = found.sum(axis=1), found.sum(axis=0)
    expected = np.outer(rows, columns) / len(one)
    freedom = (np.count_nonzero(rows) - 1) * (np.count_nonzero(columns) - 1)
    if freedom == 0:
        return 1.0
    known = expected > 0
    return float(chdtrc(freedom, ((found - expected)[known] ** 2 / expected[known]).sum()))
