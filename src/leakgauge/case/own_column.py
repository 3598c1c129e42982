"""What a secret's own released column says of it: p(y|x) by the mechanism of the record, or as it was learnt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from leakgauge.case.columns import binned, codes_of, equal_rows, groups, numbered, quantile_edges
from leakgauge.mechanisms.mechanism import Law, Outputs
from leakgauge.probability.cells import Codes, Floats

if TYPE_CHECKING:
    from leakgauge.case.drawn import Drawn, ReleasedColumn

AT_ONCE = 1 << 22
"""Likelihoods held in memory."""
QUANTILES = 64
"""Released numbers are learnt by so many quantiles."""
MOST_GROUPS = 256
"""Of more combinations of other columns that a mechanism reads, inputs are learnt without regard to them."""
_MOST_SCORES = 1 << 25
_FEWEST_INPUTS = 256
"""Where inputs × outputs are more than the one, this many inputs or more stand for all of them."""
_LEAST = -700.0
"""Stands for the logarithm of 0."""
_EVERYWHERE = -1


class Likelihood(Protocol):
    """log p(y|x) of a released column."""

    def __call__(self, released: Codes, targets: Codes) -> Floats:
        """Of the outputs of some rows, for the secrets of as many targets, up to a constant for each target."""


@dataclass(frozen=True, eq=False)
class ByLaw:
    """log Σ_u p(u|x) q(y|u): the law of the mechanism, over the inputs u that go with each secret x.

    A mechanism may read columns that are seen as well; then p(u|x) is that among rows with the same values of them.

    Attributes:
        read: for each row the number of its combination of the columns that are seen and read.
        inputs: of each combination that was counted; those of all rows under ``_EVERYWHERE``.
        shares: and their p(u|x), a row per secret.
    """

    law: Law
    outputs: Outputs
    read: Codes
    inputs: dict[int, Codes]
    shares: dict[int, Floats]

    @classmethod
    def of(cls, column: ReleasedColumn, read: Codes, rows: Codes, letters: Codes, width: int) -> ByLaw:
        """Counted over rows."""
        most = max(_MOST_SCORES // (int(codes_of(column.outputs).max()) + 1), _FEWEST_INPUTS)
        inputs, shares = {}, {}
        for key in (np.full(len(rows), _EVERYWHERE), read[rows]):
            for group, members in groups(key):
                some = members[:: -(-len(np.unique(column.inputs[rows[members]])) // most)]
                values, place = np.unique(column.inputs[rows[some]], return_inverse=True)
                counts = np.bincount(letters[some] * len(values) + place, minlength=width * len(values))
                inputs[group], shares[group] = values, _shares(counts.reshape(width, -1))
        return cls(column.law, column.outputs, read, inputs, shares)

    def __call__(self, released: Codes, targets: Codes) -> Floats:
        """By the law."""
        found = np.empty((len(released), len(self.shares[_EVERYWHERE])))
        for group, members in groups(self.read[targets]):
            outputs = self.outputs[released[members]]
            first, place = equal_rows(np.zeros(len(members), dtype=np.int64), (outputs,))
            found[members] = self._of_group(group if group in self.inputs else _EVERYWHERE, outputs[first])[place]
        return found

    def _of_group(self, group: int, outputs: Outputs) -> Floats:
        inputs, shares = self.inputs[group], self.shares[group]
        found = np.empty((len(outputs), len(shares)))
        size = max(AT_ONCE // len(inputs), 1)
        for start in range(0, len(outputs), size):
            scores = self.law.scores(inputs, outputs[start : start + size])
            top = scores.max(axis=0)
            top[~np.isfinite(top)] = 0.0
            with np.errstate(divide="ignore"):
                found[start : start + size] = np.log(shares @ np.exp(scores - top)).T
        return np.maximum(found, _LEAST)


@dataclass(frozen=True, eq=False)
class ByCounts:
    """log p(y|x) as it was counted, half an observation added to each: right even where the record is not."""

    codes: Codes
    logs: Floats

    @classmethod
    def of(cls, column: ReleasedColumn, rows: Codes, letters: Codes, width: int) -> ByCounts:
        """Counted over rows; numbers by quantile."""
        codes = codes_of(column.outputs)
        if column.mechanism.noise is not None:
            codes = binned(codes, quantile_edges(codes[rows], QUANTILES))
        size = int(codes.max()) + 1
        counts = np.bincount(letters * size + codes[rows], minlength=width * size).reshape(width, size) + 0.5
        return cls(codes, np.log(counts / counts.sum(axis=1, keepdims=True)))

    def __call__(self, released: Codes, targets: Codes) -> Floats:
        """By the counts; the targets do not matter."""
        return np.asarray(self.logs[:, self.codes[released]].T)


def read_among_seen(drawn: Drawn, column: ReleasedColumn) -> Codes:
    """For each row the number of its combination of the seen columns that the mechanism reads; else 0."""
    together = numbered(*(one.codes for one in drawn.seen if one.name in column.reads), rows=drawn.rows)
    return together if int(together.max()) < MOST_GROUPS else np.zeros(drawn.rows, dtype=np.int64)


def _shares(counts: Codes) -> Floats:
    """p(u|x); of a secret that did not occur nothing is known, as if it went in like all others."""
    total = counts.sum(axis=1, keepdims=True)
    return np.asarray(np.where(total > 0, counts / np.maximum(total, 1), counts.sum(axis=0) / counts.sum()))
