"""Rows that are equal are compared once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from leakgauge.audit.outputs import Outputs
from leakgauge.case.columns import equal_rows, groups
from leakgauge.mechanisms.mechanism import Inputs, Law
from leakgauge.probability.cells import Codes, Floats
from leakgauge.randomness import Randomness

AT_ONCE = 1 << 22
"""Likelihoods held in memory."""
MOST_SCORES = 1 << 27
"""The most likelihoods computed; beyond that, fewer rows are attacked, chosen at random."""
_MOST_SHARES = 1 << 26
_REFERENCES = 256
"""Where a column has more inputs × outputs than the one, this many of its inputs or more stand for all of them."""


class AsIs(Law):
    """The raw release: what is put in comes out."""

    def scores(self, inputs: Inputs, outputs: Outputs) -> Floats:
        """0 where they are the same, else minus infinity."""
        return np.where(np.equal.outer(inputs, outputs), 0.0, -np.inf)

    def draw(self, inputs: Inputs, randomness: Randomness) -> Outputs:
        """The inputs."""
        return inputs


AS_IS = AsIs()


@dataclass(frozen=True, eq=False)
class Crowd:
    """Released rows, equal ones once, sorted by class.

    Attributes:
        classes: of each kind of row.
        outputs: of each kind, one array per column.
    """

    laws: tuple[Law, ...]
    classes: Codes
    outputs: tuple[Outputs, ...]
    copies: Codes
    kind: Codes

    @classmethod
    def of(cls, laws: Sequence[Law], classes: Codes, outputs: Sequence[Outputs]) -> Crowd:
        """Counted."""
        first, kind = equal_rows(classes, outputs)
        return cls(
            tuple(laws),
            classes[first],
            tuple(column[first] for column in outputs),
            np.bincount(kind).astype(np.int64),
            kind,
        )

    def compared(self, classes: Codes, inputs: Sequence[Codes]) -> Iterator[tuple[Codes, slice, Floats]]:
        """Some targets of one class, the kinds of rows of that class, and the log-likelihood of each with each."""
        for number, members in groups(classes):
            low, high = np.searchsorted(self.classes, [number, number + 1]).tolist()
            size = max(AT_ONCE // max(high - low, 1), 1)
            for start in range(0, len(members), size):
                targets = members[start : start + size]
                scores = np.zeros((len(targets), high - low))
                for law, given, made in zip(self.laws, inputs, self.outputs, strict=True):
                    scores += law.scores(given[targets], made[low:high])
                yield targets, slice(low, high), scores

    def log_shares(self, inputs: Sequence[Codes]) -> Floats:
        """log Π r(y) for each kind of row: how often it is released of rows with these inputs, column by column.

        It weighs rows against each other. Where it is approximate the attack is a little weaker, and no less valid.
        """
        total = np.zeros(len(self.copies))
        for law, given, made in zip(self.laws, inputs, self.outputs, strict=True):
            total += _log_shares(law, given, made)
        return total


def _log_shares(law: Law, inputs: Codes, made: Outputs) -> Floats:
    values, counts = np.unique(inputs, return_counts=True)
    if law is AS_IS:
        return np.asarray(np.log(counts[np.searchsorted(values, made)] / len(inputs)))
    first, place = equal_rows(np.zeros(len(made), dtype=np.int64), (made,))
    references = max(_MOST_SHARES // len(first), _REFERENCES)
    if len(values) > references:
        spread = (np.arange(references) * len(inputs)) // references
        values, counts = np.unique(np.sort(inputs)[spread], return_counts=True)
    found = np.empty(len(first))
    size = max(AT_ONCE // len(values), 1)
    for start in range(0, len(first), size):
        scores = law.scores(values, made[first[start : start + size]])
        scores += np.log(counts / counts.sum())[:, None]
        found[start : start + size] = log_sums(scores.T)
    return found[place]


def log_sums(scores: Floats) -> Floats:
    """log Σ e^score for each row, minus infinity where all are; the scores are used up."""
    top = scores.max(axis=1)
    safe = np.where(np.isfinite(top), top, 0.0)
    scores -= safe[:, None]
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.exp(scores, out=scores).sum(axis=1)) + safe)
