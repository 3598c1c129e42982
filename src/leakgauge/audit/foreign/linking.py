"""What somebody learns from a release made elsewhere who knows columns, and finds rows whose values contain hers.

Released values may be coarser: a row is in question for a person if every one of its values contains the person's. Her
view is the mixture over these rows, each as likely; ``case.linking`` says why. What stands on a row by mistake, or was
suppressed, makes her view wider than it is to somebody who knows how that was done: *knows the row* says what that one
learns. Where groups do not overlap, as after one recoding of a whole column, the mixture is the composition of a group.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from leakgauge.artefacts.scores import Attacker
from leakgauge.audit.foreign.columns import Changed
from leakgauge.audit.foreign.release import ForeignRelease
from leakgauge.case.columns import binned, numbered, quantile_edges, ranks_of, values_of
from leakgauge.case.law import Sight, subsets
from leakgauge.case.linked_people import LinkedPeople
from leakgauge.case.linking import linked_attacker, require_linkable
from leakgauge.case.numbers import TENTHS
from leakgauge.case.secret_values import SecretValues
from leakgauge.measures.countability import is_countable
from leakgauge.probability.cells import Codes, Floats

MOST_NUMBERS = 100
"""Different numbers up to which each is a value; more are told apart by so many quantiles."""
AT_ONCE = 1 << 22
"""Pairs of a person's values and a row's that are compared at once."""


@dataclass(frozen=True, eq=False)
class ForeignLinks:
    """The rows of a release that may be a person's, by what is known of her.

    Attributes:
        release: and its original, matched row by row.
        secret: to infer.
        links: released columns by which rows are found.
        values: of the secret.
        letters: of each row the number of its value; -1 of a blank among numbers.
    """

    release: ForeignRelease
    secret: str
    links: tuple[str, ...]
    values: SecretValues
    letters: Codes

    @classmethod
    def of(cls, release: ForeignRelease, secret: str, columns: Sequence[str] | None = None) -> ForeignLinks:
        """Of columns that are known of a person, by default all; rows are found by those with mostly true values.

        Raises:
            OptionError: a column that is neither published nor of the background.
        """
        if columns is not None:
            require_linkable(columns, (*release.published, *release.roles.background))
        links = tuple(name for name in release.linkable if columns is None or name in columns)
        return cls(release, secret, links, *_values(release, secret))

    @cached_property
    def people(self) -> Codes:
        """Of each row the number of its person."""
        units = self.release.seen.units
        return np.arange(self.release.rows) if units is None else units

    @property
    def attackers(self) -> tuple[Attacker, ...]:
        """What somebody gains for each subset of the declared background.

        At most, where the secret is not released as it is or the rows do not show what she knows, and people are too
        few to count: then the attacker who knows the row bounds the gain as well (``gaining_least``).
        """
        return tuple(self.attacker(knows) for knows in subsets(self.release.roles.background))

    def attacker(self, knows: tuple[str, ...]) -> Attacker:
        """What somebody gains who knows some of the background."""
        same = {name for name, one in self.release.changed.items() if one.is_unchanged}
        exact = {self.secret, *knows} <= same and {*knows} <= {*self.links}
        rows = self.rows(knows)
        exact = exact or is_countable(self.values.kinds * min(rows.shape), self._independent)
        return linked_attacker(self._seen(rows, knows), self.values, knows, self.links, at_most=not exact)

    def sight(self, knows: Sequence[str] = ()) -> Sight:
        """What is seen by somebody who knows some of the background."""
        return self._seen(self.rows(knows), knows)

    def _seen(self, rows: InQuestion, knows: Sequence[str]) -> Sight:
        there = np.flatnonzero(self.letters >= 0)
        count = len(self.values.labels)
        cells = sparse.coo_array(
            (np.ones(len(there)), (rows.of_row[there], self.letters[there])), shape=(rows.shape[1], count)
        )
        mixed = (rows.contain @ cells.tocsr()).tocsr()
        total = np.asarray(mixed.sum(axis=1)).ravel()
        # Of persons whom no row fits nothing is found: any row may be theirs.
        lost = np.flatnonzero(total == 0)
        weights = np.bincount(rows.of_person, minlength=len(total)) / len(rows.of_person)
        found = mixed.tocoo()
        seen, x = found.row.astype(np.int64), found.col.astype(np.int64)
        p = found.data * (weights / np.maximum(total, 1))[seen]
        shares = self.values.shares
        x = np.concatenate([x, np.tile(np.arange(count), len(lost))])
        seen = np.concatenate([seen, np.repeat(lost, count)])
        p = np.concatenate([p, np.outer(weights[lost], shares).ravel()])
        kept = p > 0
        known = np.zeros(len(total), dtype=np.int64)
        known[rows.of_person] = numbered(*self._counted(knows), rows=self.release.rows)
        return Sight(count, x[kept], seen[kept], p[kept], known, np.zeros(len(total), dtype=np.int64))

    def linked_people(self) -> LinkedPeople:
        """People whose row is found by the columns that rows show."""
        rows = self.rows(())
        sizes = rows.contain @ np.bincount(rows.of_row, minlength=rows.shape[1])
        # Every pair of rows of one person: which of them fit the other's values.
        order = np.argsort(self.people, kind="stable")
        counts = np.bincount(self.people)
        first, each = np.cumsum(counts) - counts, np.repeat(counts, counts)
        start = np.repeat(np.arange(len(order)), each)
        offset = np.arange(len(start)) - np.repeat(np.cumsum(each) - each, each)
        row, other = order[start], order[np.repeat(np.repeat(first, counts), each) + offset]
        fits = np.asarray(rows.contain[rows.of_person[row], rows.of_row[other]]).ravel()
        own = np.bincount(row, weights=fits, minlength=len(order))
        chance = np.divide(own, sizes[rows.of_person], where=own > 0, out=np.zeros(len(own)))
        best = np.zeros(len(counts))
        np.maximum.at(best, self.people, chance)
        return LinkedPeople(len(counts), int((best == 1).sum()), float(best.sum()))

    def rows(self, knows: Sequence[str]) -> InQuestion:
        """The rows that may be a person's, by the links and some of the background, as if it were on the rows."""
        release, persons, rows = self.release, list[Codes](), list[Codes]()
        overlapping = list[Changed]()
        for name in self.links:
            column = release.changed.get(name)
            if column is None:
                # What only the release has is known as it is released: the private side.
                codes = values_of(release.released[name], name)
                persons.append(codes)
                rows.append(codes)
            elif (shown := _only_one(column)) is not None:
                # From 1 on: what no released value contains is 0, which no row shows.
                persons.append(shown[column.original] + 1)
                rows.append(column.released + 1)
            else:
                overlapping.append(column)
        for codes in self._background(knows):
            persons.append(codes)
            rows.append(codes)
        return InQuestion.of(persons, rows, overlapping, release.rows)

    def _background(self, knows: Sequence[str]) -> Iterator[Codes]:
        return (values_of(self.release.known[name], name) for name in knows)

    def _counted(self, knows: Sequence[str]) -> tuple[Codes, ...]:
        """The part of what is known that can be counted beside the secret, coarse columns first, as ``LinkedLaw``."""
        found: tuple[Codes, ...] = ()
        for codes in sorted(self._background(knows), key=lambda one: int(one.max())):
            groups = int(numbered(*found, codes, rows=self.release.rows).max()) + 1
            if is_countable(self.values.kinds * groups, self._independent):
                found += (codes,)
        return found

    @property
    def _independent(self) -> int:
        return int(self.people.max()) + 1


@dataclass(frozen=True, eq=False)
class InQuestion:
    """Which rows may be whose.

    Attributes:
        of_person: of each person's row the number of what is known of it.
        of_row: of each released row the number of what it shows.
        contain: whether what is shown (a column) contains what is known (a row).
    """

    of_person: Codes
    of_row: Codes
    contain: sparse.csr_array

    @property
    def shape(self) -> tuple[int, int]:
        """Different things known, and shown."""
        known, shown = self.contain.shape
        return int(known), int(shown)

    @classmethod
    def of(
        cls, persons: Sequence[Codes], rows: Sequence[Codes], overlapping: Sequence[Changed], count: int
    ) -> InQuestion:
        """By codes that are equal where one contains the other, and by columns whose values overlap."""
        pairs = zip(persons, rows, strict=True)
        together = numbered(*(np.concatenate(pair) for pair in pairs), rows=2 * count)
        of_person = numbered(together[:count], *(one.original for one in overlapping), rows=count)
        of_row = numbered(together[count:], *(one.released for one in overlapping), rows=count)
        known, shown = (np.unique(one, return_index=True)[1] for one in (of_person, of_row))
        by_known, by_shown = together[:count][known], together[count:][shown]
        at = list[Codes]()
        in_order = np.argsort(by_shown, kind="stable")
        low = np.searchsorted(by_shown[in_order], by_known, side="left")
        high = np.searchsorted(by_shown[in_order], by_known, side="right")
        length = high - low
        ends = np.cumsum(length)
        start = 0
        while start < len(known):
            stop = max(int(np.searchsorted(ends, (ends[start - 1] if start else 0) + AT_ONCE, side="right")), start + 1)
            one = np.repeat(np.arange(start, stop), length[start:stop])
            offset = np.arange(len(one)) - np.repeat(ends[start:stop] - length[start:stop], length[start:stop])
            offset += ends[start - 1] if start else 0
            other = in_order[low[one] + offset]
            for column in overlapping:
                members = column.meaning.members
                assert members is not None
                fits = members[column.original[known[one]], column.released[shown[other]]]
                one, other = one[fits], other[fits]
            at.append(np.stack([one, other]))
            start = stop
        places = np.concatenate(at, axis=1)
        contain = sparse.coo_array((np.ones(places.shape[1]), tuple(places)), shape=(len(known), len(shown)))
        return cls(of_person, of_row, contain.tocsr())


def _only_one(column: Changed) -> Codes | None:
    """Of each original value the only released one that contains it, -1 without one; None where values overlap."""
    if column.recoded is not None:
        return column.recoded
    meaning, values = column.meaning, int(column.original.max()) + 1
    used = np.unique(column.released)
    if meaning.members is None:
        shown = np.full(values, -1)
        same = used[(meaning.equal[used] >= 0) & (meaning.equal[used] < values)]
        shown[meaning.equal[same]] = same
        return shown
    members = meaning.members[:values, used]
    if (members.sum(axis=1) > 1).any():
        return None
    return np.where(members.any(axis=1), used[members.argmax(axis=1)], -1)


def _values(release: ForeignRelease, secret: str) -> tuple[SecretValues, Codes]:
    """The values of a secret, and of each row the number of its own."""
    values = release.original[secret]
    ranks, ordered = ranks_of(values, secret)
    if not (ordered and int(ranks.max()) >= TENTHS):
        ranks, numbers = values_of(values, secret), None
    else:
        blank = np.asarray(values.is_null())
        there = ranks[~blank]
        edges = quantile_edges(there, MOST_NUMBERS) if int(there.max()) >= MOST_NUMBERS else None
        ranks = np.where(blank, -1, ranks if edges is None else binned(ranks, edges))
        numbers = np.unique(ranks[ranks >= 0])
        ranks = np.where(blank, -1, np.searchsorted(numbers, ranks))
    kept = np.flatnonzero(ranks >= 0)
    first = kept[np.unique(ranks[kept], return_index=True)[1]]
    shares: Floats = np.bincount(ranks[kept]) / len(kept)
    labels = tuple(values.take(first).to_pylist())
    return SecretValues(labels, shares, None if numbers is None else numbers.astype(np.float64)), ranks
