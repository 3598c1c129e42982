"""Predictors by counting: how often each secret goes with what is seen, backing off where little was counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from leakgauge.case.columns import binned, quantile_edges
from leakgauge.measures.held_out import UNIFORM
from leakgauge.probability.cells import Codes, Floats

STRENGTHS = (0.02, 0.2, 2.0, 20.0)
"""Of the back-off, in rows."""
MANY = 64
"""An ordered column with more values is looked up by as many quantiles as well."""


class Predictor(Protocol):
    """r(x|v) learnt from some rows; ``uses`` are the columns it looks at."""

    @property
    def uses(self) -> tuple[int, ...]:
        """Places of the columns."""

    def __call__(self, seen: Codes) -> Floats:
        """r(x|v), one row per row of what is seen (rows × columns)."""


@dataclass(frozen=True, eq=False)
class Prior:
    """How often each secret occurs, whatever is seen."""

    shares: Floats
    uses: tuple[int, ...] = ()

    @classmethod
    def of(cls, letters: Codes, width: int) -> Prior:
        """Counted; one observation more, shared by all letters, keeps those that do not occur possible."""
        return cls((np.bincount(letters, minlength=width) + 1 / width) / (len(letters) + 1))

    def __call__(self, seen: Codes) -> Floats:
        """The same for each row."""
        return np.broadcast_to(self.shares, (len(seen), len(self.shares)))


@dataclass(frozen=True, eq=False)
class Lookup:
    """r(x|v) = (n_xv + α b(x|v)) / (n_v + α) by the combination of some columns, b being what it backs off to.

    Attributes:
        sizes: how many values each column may have.
        edges: where the values of one ordered column are cut; None where each value is looked up as it is.
        keys: the combinations that occurred, increasing.
        counts: of each combination (a row) and secret.
        back: what it backs off to.
        strength: α, in rows.
    """

    uses: tuple[int, ...]
    sizes: tuple[int, ...]
    edges: Codes | None
    keys: Codes
    counts: Floats
    back: Predictor
    strength: float = 1.0

    @classmethod
    def of(
        cls, uses: Sequence[int], seen: Codes, letters: Codes, back: Predictor, width: int, *, quantiles: bool = False
    ) -> Lookup:
        """Counted over rows."""
        sizes = tuple(int(seen[:, at].max()) + 2 for at in uses)
        edges = np.asarray(quantile_edges(seen[:, uses[0]], MANY), dtype=np.int64) if quantiles else None
        empty = cls(tuple(uses), sizes, edges, np.empty(0, np.int64), np.empty((0, width)), back)
        keys, place = np.unique(empty._keys(seen), return_inverse=True)
        counts = np.bincount(place * width + letters, minlength=len(keys) * width).reshape(len(keys), width)
        return replace(empty, keys=keys, counts=counts.astype(np.float64))

    def _keys(self, seen: Codes) -> Codes:
        if self.edges is not None:
            return binned(seen[:, self.uses[0]], self.edges)
        key = np.zeros(len(seen), dtype=np.int64)
        for at, size in zip(self.uses, self.sizes, strict=True):
            # A value that did not occur is one number beyond, and no combination with it was counted.
            key = key * size + np.minimum(seen[:, at], size - 1)
        return key

    def _found(self, seen: Codes) -> Floats:
        """n_xv of each row and secret; 0 where the combination did not occur."""
        keys = self._keys(seen)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.asarray(np.where((self.keys[at] == keys)[:, None], self.counts[at], 0.0))

    def __call__(self, seen: Codes) -> Floats:
        """r(x|v) of each row."""
        found = self._found(seen)
        return np.asarray(
            (found + self.strength * self.back(seen)) / (found.sum(axis=1, keepdims=True) + self.strength)
        )

    def tuned(self, seen: Codes, letters: Codes) -> Lookup:
        """With the strength that loses least on other rows."""
        at = np.arange(len(seen)), letters
        found, behind = self._found(seen), self.back(seen)[at]
        hits, total, width = found[at], found.sum(axis=1), self.counts.shape[1]
        losses = [
            -np.log2((1 - UNIFORM) * (hits + strength * behind) / (total + strength) + UNIFORM / width).mean()
            for strength in STRENGTHS
        ]
        return replace(self, strength=STRENGTHS[int(np.argmin(losses))])
