"""The values of a secret, and what somebody gains about them: letters as they are, numbers by their ranks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from leakgauge.case.case import Case, CountedLaw
from leakgauge.case.columns import numbered
from leakgauge.case.law import Sight
from leakgauge.case.numbers import numbers_of, tenths
from leakgauge.probability import Counts, Joint, Label
from leakgauge.probability.cells import Codes, Floats, sums_by
from leakgauge.probability.labels import text_of
from leakgauge.tables import Levels

_NOTHING = 1e-12


@dataclass(frozen=True, eq=False)
class SecretValues:
    """The values of a secret.

    Attributes:
        labels: of the values.
        shares: of the rows that have each.
        numbers: that they stand for; None of letters.
    """

    labels: tuple[Label, ...]
    shares: Floats
    numbers: Floats | None = None

    @cached_property
    def classes(self) -> Codes | None:
        """Of each number the tenth of the ranks that it is in; None of letters."""
        return None if self.numbers is None else tenths(self.numbers, self.shares)

    @cached_property
    def ranks(self) -> Floats | None:
        """Of each number its middle rank, from 0 to 1; None of letters."""
        if self.numbers is None:
            return None
        order, ranks = np.argsort(self.numbers, kind="stable"), np.empty(len(self.numbers))
        ranks[order] = np.cumsum(self.shares[order]) - self.shares[order] / 2
        return ranks

    @property
    def kinds(self) -> int:
        """Values that are told apart in bits and in the surest tenth: of numbers the tenths."""
        return len(self.labels) if self.classes is None else int(self.classes.max()) + 1

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of the values, or of the tenths of the numbers."""
        texts = tuple(map(text_of, self.labels))
        if self.classes is None or self.numbers is None:
            return texts
        order = np.argsort(self.numbers, kind="stable")
        ends = [order[self.classes[order] == one][[0, -1]].tolist() for one in range(self.kinds)]
        return tuple(texts[low] if low == high else f"{texts[low]} – {texts[high]}" for low, high in ends)

    def in_kinds(self, sight: Sight) -> Sight:
        """What is seen of the values, or of the tenths of the numbers."""
        return sight if self.classes is None else sight.of_classes(self.classes)

    def gained(self, sight: Sight) -> float:
        """A: the share of the wrong guesses that become right, or of the variance of ranks that is explained."""
        if self.ranks is None:
            left = 1 - sight.before.guessed()
            found = sight.guessed() - (1 - left)
        else:
            left = sight.before.variance(self.ranks)
            found = left - sight.variance(self.ranks)
        return min(max(found / left, 0.0), 1.0) if left > _NOTHING else 0.0

    def told(self, sight: Sight) -> float:
        """B: the share of the uncertainty that is removed; of numbers by tenths, on the scale of a correlation.

        A group shows exact numbers, so that their bits would only say how finely they are written.
        """
        sight = self.in_kinds(sight)
        whole = sight.before.uncertainty()
        nats = min(max(whole - sight.uncertainty(), 0.0), whole)
        if whole <= _NOTHING:
            return 0.0
        return nats / whole if self.numbers is None else math.expm1(-2 * nats) / math.expm1(-2 * whole)


def values_of_law(law: CountedLaw) -> SecretValues:
    """The values of the secret of a counted law, or the points that stand for its numbers."""
    source = law.law.source
    labels = source.rows if isinstance(source, Joint) else source.outcomes
    return SecretValues(labels, law.law.shares, law.numbers)


def values_of_secret(case: Case, secret: tuple[str, ...], counts: Counts) -> tuple[Codes, SecretValues]:
    """Of each cell the number of the secret's value, -1 of a blank among numbers, and the values."""
    axes = [counts.codes[counts.names.index(name)] for name in secret]
    x = numbered(*axes, rows=len(counts.counts))
    first = np.unique(x, return_index=True)[1]
    parts = [counts.labels(name) for name in secret]
    labels = tuple(
        parts[0][axes[0][at]]
        if len(secret) == 1
        else tuple(one[axis[at]] for one, axis in zip(parts, axes, strict=True))
        for at in first.tolist()
    )
    numbers = None
    if len(secret) == 1 and not isinstance(case.table.bins.get(secret[0]), Levels):
        kind = next(one.kind for one in case.table.columns() if one.name == secret[0])
        numbers = numbers_of(labels, kind)
    shares = sums_by(x, counts.counts.astype(np.float64), len(labels))
    if numbers is not None and not np.isfinite(numbers).all():
        there = np.isfinite(numbers)
        places = np.where(there, np.cumsum(there) - 1, -1)
        labels = tuple(label for label, is_there in zip(labels, there.tolist(), strict=True) if is_there)
        x, numbers, shares = places[x], numbers[there], shares[there]
    return x, SecretValues(labels, shares / shares.sum(), numbers)
