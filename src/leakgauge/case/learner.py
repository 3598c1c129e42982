"""What can be learnt about a secret from the other columns: trained on one part of the rows, selected on another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from leakgauge.artefacts import Sentence
from leakgauge.case.boosting import FOLDS, boosted
from leakgauge.case.columns import numbered
from leakgauge.case.drawn import Drawn, Role, Secret, SeenColumn
from leakgauge.case.lookups import MANY, Lookup, Predictor, Prior
from leakgauge.measures.countability import is_countable
from leakgauge.measures.held_out import bits_lost
from leakgauge.probability.cells import Codes, Floats

if TYPE_CHECKING:
    from numpy.random import Generator

CLASSES = 32
"""A secret with more values is guessed by the most frequent ones and the rest."""
MOST_ROWS = 100_000
"""Of larger tables a sample is learnt from and scored, of whole units."""
PAIRED = 8
"""The most revealing columns, pairs of which are looked up."""
FEWEST_FOR_TREES = 2_000
"""With fewer rows, trees learn nothing that look-ups do not."""
_LEARN, _CHOOSE = 0.5, 0.2
"""Shares of the units; the rest is scored."""


@dataclass(frozen=True, eq=False)
class Chosen:
    """A predictor, the bits it lost on each row that it was chosen by, and what it is called."""

    predictor: Predictor
    lost: Floats
    title: Sentence

    def is_clearly_better_than(self, other: Chosen) -> bool:
        """By two standard deviations of the paired difference: less may be chance."""
        gain = other.lost - self.lost
        return bool(gain.mean() > 2 * gain.std() / np.sqrt(len(gain)))


@dataclass(frozen=True, eq=False)
class Learner:
    """Rows in three parts: learnt from, chosen by, scored.

    Attributes:
        columns: what is seen beside the secret's own column.
        rows: which rows of the case these are.
        seen: of each row (rows × columns) the number of the value.
        letters: of each row the number of the secret's class.
        width: how many classes there are.
        named: classes that are one value each; the last of ``width`` may be the rest.
    """

    columns: tuple[SeenColumn, ...]
    rows: Codes
    seen: Codes
    letters: Codes
    width: int
    named: int
    learn: Codes
    choose: Codes
    score: Codes
    folds: Codes
    seed: int
    _singles: dict[int, Chosen] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, drawn: Drawn, secret: Secret) -> Learner:
        """A seeded sample of the case, split by unit; simulation only."""
        draws = drawn.draws()
        columns = drawn.seen_beside(secret)
        units = np.arange(drawn.rows) if drawn.units is None else drawn.units
        rows, part = _parts(units, draws)
        letters, width, named = classes_of(secret.letters[rows])
        seen = np.stack([one.codes[rows] for one in columns], axis=1) if columns else np.empty((len(rows), 0), np.int64)
        learn, choose, score = (np.flatnonzero(part == at) for at in range(3))
        folds = np.unique(units[rows][learn], return_inverse=True)[1] % FOLDS
        return cls(
            columns, rows, seen, letters, width, named, learn, choose, score, folds, int(draws.integers(1 << 31))
        )

    def places(self, role: Role) -> tuple[int, ...]:
        """Of the columns that are seen so."""
        return tuple(at for at, one in enumerate(self.columns) if one.role is role)

    @cached_property
    def prior(self) -> Chosen:
        """How often each secret occurs."""
        return self._judged(
            Prior.of(self.letters[self.learn], self.width), Sentence("how often each value of the secret occurs")
        )

    def single(self, at: int) -> Chosen:
        """The better look-up by one column: by its values, or, of many numbers, by quantiles."""
        if at not in self._singles:
            many = self.columns[at].ordered and int(self.seen[:, at].max(initial=0)) >= MANY
            ways = [self._looked_up((at,), self.prior, quantiles=way) for way in ((False, True) if many else (False,))]
            self._singles[at] = min(ways, key=_loss)
        return self._singles[at]

    @cached_property
    def pairs(self) -> dict[tuple[int, int], Chosen]:
        """Look-ups by two of the most telling columns, each backing off to the better one alone."""
        telling = sorted(range(len(self.columns)), key=lambda at: _loss(self.single(at)))[:PAIRED]
        found = {}
        for one, other in combinations(sorted(telling), 2):
            better = min(self.single(one), self.single(other), key=_loss)
            found[one, other] = self._looked_up((one, other), better)
        return found

    def best(self, uses: Iterable[int], otherwise: Chosen) -> Chosen:
        """The predictor by some columns that loses least, unless another one is as good but for chance."""
        found = min(self._candidates(tuple(uses), otherwise), key=_loss)
        return found if found.is_clearly_better_than(otherwise) else otherwise

    def _candidates(self, uses: tuple[int, ...], otherwise: Chosen) -> Iterator[Chosen]:
        counted = [otherwise, *(self.single(at) for at in uses)]
        counted += [one for pair, one in self.pairs.items() if {*pair} <= {*uses}]
        yield from counted
        if len(uses) < 2:
            return
        if self.is_countable(uses):
            if len(uses) > 2:
                yield self._looked_up(uses, min(counted, key=_loss))
        elif len(self.learn) >= FEWEST_FOR_TREES:
            grown = boosted(
                uses,
                [one.ordered for one in self.columns],
                self._part(self.learn),
                self._part(self.choose),
                self.folds,
                self.width,
                self.seed,
            )
            if grown is not None:
                yield self._judged(grown, Sentence("boosted trees over {columns!s}", columns=self._names(uses)))

    def is_countable(self, uses: Sequence[int]) -> bool:
        """Whether there are rows enough for every combination of the secret and some columns."""
        return is_countable(self.width * self.combinations(uses), len(self.rows))

    def combinations(self, uses: Sequence[int]) -> int:
        """How many different values some columns have together."""
        together = numbered(*(self.seen[:, at] for at in uses), rows=len(self.rows))
        return int(together.max(initial=0)) + 1

    def _looked_up(self, uses: tuple[int, ...], back: Chosen, *, quantiles: bool = False) -> Chosen:
        seen, letters = self._part(self.learn)
        counted = Lookup.of(uses, seen, letters, back.predictor, self.width, quantiles=quantiles)
        return self._judged(
            counted.tuned(*self._part(self.choose)), Sentence("a look-up by {columns!s}", columns=self._names(uses))
        )

    def _judged(self, predictor: Predictor, title: Sentence) -> Chosen:
        seen, letters = self._part(self.choose)
        return Chosen(predictor, bits_lost(predictor(seen), letters), title)

    def _part(self, rows: Codes) -> tuple[Codes, Codes]:
        return self.seen[rows], self.letters[rows]

    def _names(self, uses: Sequence[int]) -> str:
        return ", ".join(self.columns[at].name for at in uses)


def _loss(chosen: Chosen) -> float:
    return float(chosen.lost.mean())


def _parts(units: Codes, draws: Generator) -> tuple[Codes, Codes]:
    """Rows of whole units, at most so many, and the part of each: 0 to learn from, 1 to choose by, 2 to score."""
    place = np.unique(units, return_inverse=True)[1]
    sizes = np.bincount(place)
    order = draws.permutation(len(sizes))
    kept = order[: max(int(np.searchsorted(np.cumsum(sizes[order]), MOST_ROWS, side="right")), 3)]
    cuts = np.round(np.array([_LEARN, _LEARN + _CHOOSE]) * len(kept)).astype(np.int64)
    part = np.full(len(sizes), -1)
    part[kept] = np.searchsorted(cuts, np.arange(len(kept)), side="right")
    rows = np.flatnonzero(part[place] >= 0)
    return rows, part[place][rows]


def classes_of(letters: Codes) -> tuple[Codes, int, int]:
    """The class of each letter, how many classes there are, and how many are one letter each."""
    values, place, counts = np.unique(letters, return_inverse=True, return_counts=True)
    if len(values) <= CLASSES:
        return place.astype(np.int64), max(len(values), 2), len(values)
    rank = np.empty(len(values), dtype=np.int64)
    rank[np.argsort(-counts, kind="stable")] = np.arange(len(values))
    return np.minimum(rank[place], CLASSES - 1), CLASSES, CLASSES - 1
