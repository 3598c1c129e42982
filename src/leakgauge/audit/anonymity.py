"""Group sizes and diversity of rows with the same quasi-identifiers: k, l, t, α, β and δ.

They describe one table and promise nothing, differential privacy least of all: two releases of the same people, or
background knowledge, undo them. A class is the rows with one combination of quasi-identifiers; missing values are equal
to each other.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from msgspec import structs

from leakgauge.arguments import checked
from leakgauge.artefacts import Anonymity, Diversity
from leakgauge.errors import OptionError
from leakgauge.probability.cells import Codes, Floats
from leakgauge.tables import Kind, Table
from leakgauge.tables.binnings import Bins

_ORDERED = (Kind.INT, Kind.FLOAT, Kind.DATE, Kind.TIMESTAMP)


@checked
def anonymity(
    table: Table, quasi_identifiers: Iterable[str], secret: str | None = None, *, bins: Bins | None = None
) -> Anonymity:
    """The sizes of groups of rows with equal quasi-identifiers, and the diversity of a secret within them.

    Args:
        quasi_identifiers: columns that may be known of a person.
        secret: a column whose values should differ within a class.

    Raises:
        OptionError: no quasi-identifier, or the secret among them.
        ColumnError: a column that is unknown, named twice or of a kind that cannot be counted.

    Example:
        >>> import pyarrow as pa
        >>> from leakgauge.tables import open_table
        >>> people = open_table(pa.table({"city": ["A", "A", "B"], "illness": ["flu", "none", "flu"]}))
        >>> found = anonymity(people, ["city"], "illness")
        >>> found.k, found.unique, found.diversity.distinct
        (1, 1, 1)
    """
    names = tuple(quasi_identifiers)
    if not names:
        raise OptionError("No quasi-identifier is named; name the columns that may be known of a person.")
    if secret in names:
        raise OptionError("Column {name!r} is named as secret and as quasi-identifier; choose one.", name=secret)
    columns = names if secret is None else (*names, secret)
    counts = table.counts(*columns, bins=bins, limit=max(table.rows, 1))
    # The secret is the last axis and cells are sorted, so that those of a class stand together.
    new = (np.diff(counts.codes[: len(names)], axis=1) != 0).any(axis=0)
    classes = np.concatenate([[0], np.cumsum(new)]).astype(np.int64)
    sizes = np.bincount(classes, weights=counts.counts).astype(np.int64)
    values = counts.codes[-1]
    ordered = any(column.name == secret and column.kind in _ORDERED for column in table.columns())
    found = None if secret is None else _diversity(secret, classes, values, counts.counts, ordered)
    return Anonymity(names, counts.n, len(sizes), int(sizes.min()), int((sizes == 1).sum()), found)


def diversity(secret: str, classes: Codes, values: Codes) -> Diversity:
    """How different the values of a secret are within classes, from the numbers of each row's class and value.

    Example:
        >>> diversity("illness", np.array([0, 0, 0, 1]), np.array([0, 1, 1, 0])).distinct
        1
    """
    letters = int(values.max()) + 1
    cells, rows = np.unique(classes * letters + values, return_counts=True)
    return _diversity(secret, cells // letters, cells % letters, rows, ordered=False)


def among_people(found: Anonymity, classes: Codes, units: Codes) -> Anonymity:
    """The same counted in persons, who may have several rows: a person alone in a class is unique there."""
    pairs = np.unique(np.stack([classes, units]), axis=1)
    people = np.bincount(pairs[0], minlength=int(classes.max()) + 1)
    alone = int(np.bincount(classes)[people == 1].sum())
    return structs.replace(found, k=int(people[people > 0].min()), unique=alone)


def _diversity(secret: str, classes: Codes, values: Codes, rows: Codes, ordered: bool) -> Diversity:
    """From the cells that occur, sorted by class, then value."""
    table = np.bincount(values, weights=rows) / rows.sum()
    shares = rows / np.bincount(classes, weights=rows)[classes]
    entropies = np.bincount(classes, weights=-shares * np.log(shares))
    # A value absent from a class differs by its whole share in the table.
    apart = np.bincount(classes, weights=np.abs(shares - table[values]) - table[values])
    ratios = shares / table[values]
    likeness = max(float(ratios.max()) - 1, 0.0)
    return Diversity(
        secret,
        int(np.bincount(classes).min()),
        float(np.exp(entropies.min())),
        float(np.clip((apart.max() + 1) / 2, 0.0, 1.0)),
        _ordered_closeness(classes, values, shares, table) if ordered else None,
        largest_share=float(shares.max()),
        likeness=likeness,
        enhanced_likeness=min(likeness, -math.log(table[values].min())),
        disclosure=float(np.abs(np.log(ratios)).max()),
    )


def _ordered_closeness(classes: Codes, values: Codes, shares: Floats, table: Floats) -> float:
    """The largest Σ_i |F(i) − G(i)| / (m − 1) over classes, F and G being the shares of a class and the table up to i.

    F is constant between two values of a class and G increases, so each stretch is two differences of running sums:
    the work grows with the cells that occur, not with classes × values.
    """
    letters = len(table)
    if letters < 2:
        return 0.0
    below = np.cumsum(table)
    sums = np.concatenate([[0.0], np.cumsum(below)])
    first = np.concatenate([[True], np.diff(classes) != 0])
    last = np.append(first[1:], True)
    running = np.cumsum(shares)
    reached = running - np.repeat((running - shares)[first], np.bincount(classes))
    ends = np.where(last, letters, np.append(values[1:], letters))
    total = _stretch(below, sums, reached, values, ends)
    # Before its first value a class has reached nothing yet.
    start = sums[values] * first
    return float(np.clip(np.bincount(classes, weights=total + start).max() / (letters - 1), 0.0, 1.0))


def _stretch(below: Floats, sums: Floats, level: Floats, first: Codes, end: Codes) -> Floats:
    """Σ |level − G(i)| for i from ``first`` up to and without ``end``."""
    cross = np.clip(np.searchsorted(below, level, side="right"), first, end)
    left = level * (cross - first) - (sums[cross] - sums[first])
    right = (sums[end] - sums[cross]) - level * (end - cross)
    return np.asarray(left + right)
