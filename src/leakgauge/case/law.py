"""What an attacker sees of a secret: the joint law of its value, what is seen, and what was known before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from leakgauge.errors import ModelError, OptionError, did_you_mean
from leakgauge.probability import Channel, Distribution, Joint, Label, Scenario, Seen
from leakgauge.probability.cells import Codes, Floats, follow, gather, log_or_zero, sums_by

MOST_TRIED_WHOLE = 10
"""Columns of a background of which every subset is tried as knowledge."""


def subsets(background: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """What an attacker may know of a background, from nothing to all of it.

    Knowing more can mean gaining less, so that no single subset is the worst. Of more than ten columns only nothing,
    single columns, pairs and all of them are tried.

    Example:
        >>> list(subsets(["age", "city"]))
        [(), ('age',), ('city',), ('age', 'city')]
    """
    count = len(background)
    for size in range(count + 1):
        if size <= 2 or size == count or count <= MOST_TRIED_WHOLE:
            yield from combinations(background, size)


@dataclass(frozen=True, eq=False)
class Sight:
    """The cells of p(x, seen) that occur.

    Attributes:
        letters: how many values the secret may have.
        x: of each cell the number of the secret's value.
        seen: of each cell the number of what is seen.
        p: of each cell its probability.
        known: of each thing seen the number of what was known of it before the release.
        released: of each thing seen the number of the released value in it.
    """

    letters: int
    x: Codes
    seen: Codes
    p: Floats
    known: Codes
    released: Codes

    @cached_property
    def before(self) -> Sight:
        """The same without the release: only what is known is seen."""
        groups = int(self.known.max()) + 1
        cells = gather((self.letters, groups), self.x, self.known[self.seen], self.p)
        x, seen, p = cells.nonzero()
        return Sight(self.letters, x, seen, p, np.arange(groups), np.zeros(groups, dtype=np.int64))

    @cached_property
    def shares(self) -> Floats:
        """The probability of each thing seen."""
        return sums_by(self.seen, self.p, len(self.known))

    @cached_property
    def posterior(self) -> Floats:
        """Of each cell the probability of the value given what is seen."""
        return np.asarray(self.p / self.shares[self.seen])

    def guessed(self) -> float:
        """How often the best guess of the value is right."""
        best = np.zeros(len(self.known))
        np.maximum.at(best, self.seen, self.p)
        return min(float(best.sum()), 1.0)

    def uncertainty(self) -> float:
        """H(X|seen) in nats."""
        return max(float(-(self.p * log_or_zero(self.posterior)).sum()), 0.0)

    def means(self, numbers: Floats) -> Floats:
        """Of each thing seen the mean of the numbers that the values stand for; 0 where it never occurs."""
        sums = sums_by(self.seen, self.p * numbers[self.x], len(self.known))
        return np.divide(sums, self.shares, where=self.shares > 0, out=np.zeros(len(sums)))

    def variance(self, numbers: Floats) -> float:
        """E Var(X|seen) of the numbers that the values stand for."""
        return float(self.p @ (numbers[self.x] - self.means(numbers)[self.seen]) ** 2)

    def of_classes(self, classes: Codes) -> Sight:
        """The same of classes of values."""
        letters = int(classes.max()) + 1
        x, seen, p = gather((letters, len(self.known)), classes[self.x], self.seen, self.p).nonzero()
        return Sight(letters, x, seen, p, self.known, self.released)


@dataclass(frozen=True, eq=False)
class ReleaseLaw:
    """The joint law of everything released and everything that may be known.

    Attributes:
        source: p(x), or p(x, z) whose columns are all other columns that are published or known.
        channel: q(y|x), or from pairs (x, z); None where the secret itself is withheld.
        columns: the names of these other columns. Of several, the labels of the source's columns are tuples, as
            ``Counts.joint`` makes them.
        published: those of them that are released unchanged.

    Raises:
        LabelError: alphabets do not match.
        ModelError: labels that do not fit the names.
        OptionError: a published column that is not among the columns.
    """

    source: Distribution | Joint
    channel: Channel | None
    columns: tuple[str, ...] = ()
    published: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        Scenario(self.source, self.channel)
        self._places(self.published)
        labels: Sequence[object] = self.source.columns if isinstance(self.source, Joint) else ()
        fits = bool(self.columns) == bool(labels)
        if len(self.columns) > 1:
            fits = all(isinstance(label, tuple) and len(label) == len(self.columns) for label in labels)
        if not fits:
            raise ModelError(
                "The source does not have a label of {count} parts for each combination of its other columns; name "
                "each of them.",
                count=len(self.columns),
            )

    @property
    def shares(self) -> Floats:
        """p(x)."""
        source = self.source
        return (source.row_marginal() if isinstance(source, Joint) else source).probabilities

    @property
    def values(self) -> tuple[Label, ...]:
        """Of the secret."""
        return self.source.rows if isinstance(self.source, Joint) else self.source.outcomes

    def sight(self, known: Sequence[str] = (), published: Sequence[str] | None = None) -> Sight:
        """What an attacker sees who knows some columns, and sees the release and some published columns; by default
        all.

        Raises:
            OptionError: a column that is not among the columns.
        """
        seen = self.published if published is None else tuple(published)
        whole = self._groups((*seen, *(name for name in known if name not in seen)))
        outputs = 1 if self.channel is None else len(self.channel.outputs)
        x, place, p = self._joint_onto(whole)
        if self._reads_pairs:
            x, place, p = Scenario(self.source, self.channel).view(Seen.BOTH).cells.nonzero()
            place = whole[place // outputs] * outputs + place % outputs
        elif self.channel is not None:
            groups = int(whole.max()) + 1
            joint = Joint.from_cells(self.channel.inputs, range(groups), x, place, p)
            x, place, p = Scenario(joint, self.channel).view(Seen.BOTH).cells.nonzero()
        size = (int(whole.max()) + 1) * outputs
        x, place, p = gather((len(self.shares), size), x, place, p).nonzero()
        first = np.unique(whole, return_index=True)[1]
        return Sight(
            len(self.shares),
            x,
            place,
            p,
            np.repeat(self._groups(known)[first], outputs),
            np.tile(np.arange(outputs), size // outputs),
        )

    def combinations(self, names: Sequence[str]) -> Codes:
        """Of each column of the source the number of its combination of these columns."""
        return self._groups(names)

    def of_numbers(self, numbers: Floats) -> tuple[ReleaseLaw, Floats]:
        """The law of the rows whose value is a number, and these numbers: which cells are blank is seen anyway.

        Args:
            numbers: that the values stand for; NaN where one is missing.

        Raises:
            ModelError: one of them is infinite, or none is a number.
        """
        there = np.flatnonzero(~np.isnan(numbers))
        if numbers.shape != self.shares.shape or not np.isfinite(numbers[there]).all() or not self.shares[there].sum():
            raise ModelError(
                "There are {found} numbers for {count} values; give a finite one for each that is not missing.",
                found=numbers.size,
                count=len(self.shares),
            )
        if len(there) == len(numbers):
            return self, numbers
        source = self.source
        if isinstance(source, Joint):
            matrix = source.matrix[there]
            rows = [source.rows[at] for at in there]
            kept: Distribution | Joint = Joint(rows, source.columns, matrix / matrix.sum())
        else:
            rows, p = [source.outcomes[at] for at in there], source.probabilities[there]
            kept = Distribution(rows, p / p.sum())
        if self.channel is None:
            return replace(self, source=kept), numbers[there]
        inputs: Sequence[Label] = rows
        if self._reads_pairs:
            values = set(rows)
            inputs = [pair for pair in self.channel.inputs if isinstance(pair, tuple) and pair[0] in values]
        return replace(self, source=kept, channel=self.channel.restrict(inputs)), numbers[there]

    def with_release(self, column: str, channel: Channel, name: str) -> ReleaseLaw:
        """The same law with one more published column: another column released through its own channel.

        Each of several secrets reveals a little about the others. The column itself stays as it was, perhaps known.

        Raises:
            LabelError: the channel does not read a value of the column.
            OptionError: the column is not there, the name is taken, or the law's own channel reads the other columns.
        """
        (place,) = self._places([column])
        if name in self.columns or self._reads_pairs:
            raise OptionError(
                "{name!r} cannot be added: the name is taken, or the secret's channel reads the other columns; add it "
                "under another name, or to their joint law.",
                name=name,
            )
        assert isinstance(self.source, Joint)
        values = [parts[place] for parts in self._parts]
        read = channel.restrict(dict.fromkeys(values))
        rows = {label: at for at, label in enumerate(read.inputs)}
        x, z, p = self.source.cells.nonzero()
        at, _, y, q = follow(np.array([rows[value] for value in values], dtype=np.int64)[z], read.cells)
        labels = [(*parts, output) for parts in self._parts for output in read.outputs]
        wider = Joint.from_cells(self.source.rows, labels, x[at], z[at] * len(read.outputs) + y, p[at] * q)
        return ReleaseLaw(wider, self.channel, (*self.columns, name), (*self.published, name))

    @cached_property
    def _parts(self) -> list[tuple[Label, ...]]:
        """Of each combination of all columns its parts."""
        assert isinstance(self.source, Joint)
        labels, several = self.source.columns, len(self.columns) > 1
        return [label if isinstance(label, tuple) and several else (label,) for label in labels]

    @property
    def _reads_pairs(self) -> bool:
        return self.channel is not None and isinstance(self.source, Joint) and self.channel.inputs != self.source.rows

    def _joint_onto(self, groups: Codes) -> tuple[Codes, Codes, Floats]:
        """The cells of p(x, group) before the release."""
        if isinstance(self.source, Distribution):
            x = np.flatnonzero(self.source.probabilities)
            return x, np.zeros(len(x), dtype=np.int64), self.source.probabilities[x]
        x, z, p = self.source.cells.nonzero()
        return gather((len(self.source.rows), int(groups.max()) + 1), x, groups[z], p).nonzero()

    def _groups(self, names: Sequence[str]) -> Codes:
        """Of each combination of all columns the number of its combination of these."""
        places = self._places(names)
        if isinstance(self.source, Distribution):
            return np.zeros(1, dtype=np.int64)
        numbers: dict[tuple[Label, ...], int] = {}
        parts = (tuple(label[at] for at in places) for label in self._parts)
        return np.array([numbers.setdefault(part, len(numbers)) for part in parts], dtype=np.int64)

    def _places(self, names: Sequence[str]) -> list[int]:
        for name in names:
            if name not in self.columns:
                raise OptionError(
                    "The law has no column {name!r}; {hint}", name=name, hint=did_you_mean(name, self.columns)
                )
        return [self.columns.index(name) for name in names]
