"""The column that a search is about: how often its values occur, alone and with what is published or known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from leakgauge.assessment.indicators.source import NUMERIC, kinds_of, require_rows
from leakgauge.assessment.search.goal import Goal, HandedOut
from leakgauge.case.columns import columns_of, letters_of, numbered
from leakgauge.case.numbers import TENTHS, numbers_of
from leakgauge.errors import ColumnError, OptionError
from leakgauge.probability import Channel, Distribution, Joint, Label
from leakgauge.probability.cells import Codes, Floats, sums_by
from leakgauge.probability.labels import Interval
from leakgauge.release.letters import encoded
from leakgauge.tables import Kind, Table
from leakgauge.tables.binned import in_bins
from leakgauge.tables.binnings import Auto, Quantiles

BINS = (4, 8, 16)
POINTS, POINTS_BESIDE = 128, 48
"""Numbers of a column beyond which groups of them stand for all: half by share, half by width, cut at every bin; fewer
where other columns are counted beside them."""
MOST_LETTERS = 512
"""Values that a mechanism tells apart by name; columns of text with more need coarser levels first."""

MOST_COMBINATIONS = 1 << 21
"""Of a value, what is published or known beside it, and a released value."""


@dataclass(frozen=True, eq=False)
class CountedColumn:
    """What a search reads: counts, and no row.

    Attributes:
        source: p(x), or p(x, z) with the columns that are published or known.
        published: those that leave as they are.
        backgrounds: what an attacker may know.
        numbers: that the values stand for; None where they are names.
        by_name: whether mechanisms read the values themselves; else they are groups that stand for numbers.
        bins: of columns of numbers, bins that are wider; each a channel from values to bins.
        learnt: whether the counts are private, so that a mechanism fitted to them reveals them.
        is_binned: whether the values themselves are bins of what the table has.
        handed_out: what recipients get to know of the mechanism.
    """

    name: str
    rows: int
    source: Distribution | Joint
    columns: tuple[str, ...] = ()
    published: tuple[str, ...] = ()
    backgrounds: tuple[tuple[str, ...], ...] = ()
    numbers: Floats | None = None
    by_name: bool = True
    bins: tuple[Channel, ...] = field(default=(), repr=False)
    learnt: bool = True
    is_binned: bool = False
    handed_out: HandedOut = HandedOut.EVERYTHING

    @cached_property
    def combinations(self) -> int:
        """How many combinations of a value and what is beside it occur."""
        return len(self.source.cells.nonzero()[0]) if isinstance(self.source, Joint) else len(self.source)

    @cached_property
    def values(self) -> Distribution:
        """p(x)."""
        return self.source.row_marginal() if isinstance(self.source, Joint) else self.source


def counted_column(table: Table, goal: Goal) -> CountedColumn:
    """The counts of a column of a table, with the columns that are published or known.

    Raises:
        ColumnError: a column that is not there, has one value only, infinite numbers or too many values.
        OptionError: the secret is published or known.
        TableError: too few rows.
    """
    secret, published, rows = goal.secret, goal.published, goal.rows
    known = tuple(tuple(dict.fromkeys(one)) for one in goal.backgrounds)
    others = tuple(dict.fromkeys((*published, *(name for names in known for name in names))))
    kinds = kinds_of(table, (secret, *others))
    if secret in others:
        raise OptionError(
            "Column {name!r} is the secret, but is also published or known; give it one role.", name=secret
        )
    require_rows(table)
    arrays = columns_of(table, (secret, *others))
    about = CountedColumn(secret, rows or table.rows, Distribution([0], [1.0]), others, published, known)
    about = replace(about, learnt=goal.counts_are_private, handed_out=goal.handed_out)
    beside = [letters_of(arrays[name], name) for name in others]
    distinct, codes = encoded(arrays[secret], secret)
    if len(distinct) < 2:
        raise ColumnError("Column {name!r} has one value only; there is nothing to protect.", name=secret)
    # Few whole numbers are codes, unless somebody says within which bounds they are.
    are_numbers = goal.bounds is not None or kinds[secret] is Kind.FLOAT or len(distinct) > TENTHS
    if kinds[secret] in NUMERIC and not distinct.null_count and are_numbers:
        return _of_numbers(table, about, np.asarray(distinct.to_numpy(zero_copy_only=False), np.float64), codes, beside)
    labels: Sequence[Label] = distinct.to_pylist()
    if kinds[secret] in (*NUMERIC, Kind.DATE, Kind.TIMESTAMP) and len(labels) > BINS[-1]:
        # Dates, and numbers some of which are missing, are protected as the names of bins.
        how = Quantiles(BINS[1]) if kinds[secret] in NUMERIC else Auto()
        binned = counted_column(in_bins(table, {secret: how}), replace(goal, lower=None, upper=None))
        return replace(binned, is_binned=True)
    if len(labels) > MOST_LETTERS:
        raise ColumnError(
            "Column {name!r} has {found} different values, but a search takes at most {most}; coarsen them first.",
            name=secret,
            found=len(labels),
            most=MOST_LETTERS,
        )
    # Not in the order of the rows, which would tell the first of them.
    order = sorted(range(len(labels)), key=lambda at: (labels[at] is None, str(labels[at])))
    ordered = [labels[at] for at in order]
    source = _joint(ordered, np.argsort(order)[codes], beside, others)
    numbers = numbers_of(ordered, kinds[secret])
    if numbers is not None and np.isnan(numbers).any():
        # Beside missing ones the distances of a search are those of names.
        numbers = None
    found = replace(about, source=source, numbers=numbers)
    if found.combinations * len(labels) > MOST_COMBINATIONS:
        raise ColumnError(
            "Column {name!r} has {found} combinations with published or known columns, more than a search can count; "
            "coarsen these columns first.",
            name=secret,
            found=found.combinations,
        )
    return found


def _of_numbers(
    table: Table, about: CountedColumn, distinct: Floats, codes: Codes, beside: list[Codes]
) -> CountedColumn:
    if not np.isfinite(distinct).all():
        raise ColumnError("Column {name!r} holds infinite numbers; leave those rows out.", name=about.name)
    shares = np.bincount(codes, minlength=len(distinct)) / len(codes)
    every = [cuts for count in BINS if len(cuts := _cuts(table, about.name, count))]
    points, groups = np.unique(distinct, return_inverse=True)
    most = POINTS_BESIDE if beside else POINTS
    by_name = len(distinct) <= most
    if not by_name:
        groups = _grouped(distinct, shares, every, most)
        weights = sums_by(groups, shares, int(groups.max()) + 1)
        points = sums_by(groups, shares * distinct, len(weights)) / weights
    labels: list[Label] = [int(one) if float(one).is_integer() else float(one) for one in points]
    source = _joint(labels, groups[codes], beside, about.columns)
    bins = tuple(_into_bins(labels, points, cuts) for cuts in every)
    return replace(about, source=source, numbers=points, by_name=by_name, bins=bins)


def _cuts(table: Table, name: str, count: int) -> Floats:
    """The edges of so many bins; none where all rows are in one."""
    return np.array([float(cut) for cut in table.learnt(name, Quantiles(count)).cuts])  # type: ignore[arg-type]


def _grouped(distinct: Floats, shares: Floats, every: list[Floats], most: int) -> Codes:
    """Of each number its group, in ascending order."""
    order = np.argsort(distinct)
    middle = np.empty(len(distinct))
    middle[order] = np.cumsum(shares[order]) - shares[order] / 2
    width = (distinct - distinct.min()) / np.ptp(distinct)
    at = ((middle + width) / 2 * most).astype(np.int64)
    sides = [np.searchsorted(cuts, distinct, "right") for cuts in every]
    # Cuts are in the order of the numbers too, so that the sum of all places is.
    return np.unique(np.sum([at, *sides], axis=0), return_inverse=True)[1].astype(np.int64)


def _into_bins(labels: Sequence[Label], points: Floats, cuts: Floats) -> Channel:
    edges = [None, *cuts.tolist(), None]
    names = [Interval(low, high) for low, high in pairwise(edges)]
    at = np.searchsorted(cuts, points, "right")
    held = np.unique(at)
    return Channel(labels, [names[place] for place in held], np.eye(len(names))[at][:, held])


def _joint(labels: Sequence[Label], codes: Codes, beside: list[Codes], others: Sequence[str]) -> Distribution | Joint:
    if not others:
        return Distribution(labels, np.bincount(codes, minlength=len(labels)) / len(codes))
    combined = numbered(*beside, rows=len(codes))
    first = np.unique(combined, return_index=True)[1]
    parts = [tuple(int(column[row]) for column in beside) for row in first]
    named: list[Label] = [part if len(others) > 1 else part[0] for part in parts]
    counts = np.unique(codes * len(named) + combined, return_counts=True)
    return Joint.from_cells(labels, named, counts[0] // len(named), counts[0] % len(named), counts[1] / len(codes))
