"""Predictors by gradient-boosted trees, for what is seen in too many combinations to be counted."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from leakgauge.case.lookups import Lookup, Prior
from leakgauge.measures.held_out import bits_lost
from leakgauge.probability.cells import Codes, Floats

SMALL = 64
"""A column with more values than this, in no order, is encoded by how often each secret goes with its values."""
ENCODED = 8
"""The most frequent secrets, of which an encoding has the shares."""
FOLDS = 5
ROUNDS = 10
"""Trees of each secret that are grown between two looks at the loss."""
TREES = 420
"""Altogether, so that many secrets do not take many times as long."""
SECONDS = 30.0
"""No more trees are grown after so long."""


@dataclass(frozen=True, eq=False)
class Boosted:
    """r(x|v) by trees over codes of small columns, ranks of ordered ones and encodings of the others."""

    uses: tuple[int, ...]
    features: _Features
    trees: Any
    present: Codes
    width: int

    def __call__(self, seen: Codes) -> Floats:
        """The secrets that did not occur have probability 0."""
        found = np.zeros((len(seen), self.width))
        found[:, self.present] = self.trees.predict_proba(self.features.of(seen))
        return found


@dataclass(frozen=True, eq=False)
class _Features:
    """Columns as numbers that trees can split.

    Attributes:
        plain: columns that are split by their codes.
        categorical: which of them have no order.
        encoders: look-ups of the other columns, each of whose ``letters`` shares are features.
    """

    plain: tuple[int, ...]
    categorical: tuple[bool, ...]
    encoders: tuple[Lookup, ...]
    letters: Codes

    def of(self, seen: Codes) -> Floats:
        encoded = [one(seen)[:, self.letters] for one in self.encoders]
        return np.hstack([self._plain(seen), *encoded])

    def cross_fitted(self, seen: Codes, letters: Codes, folds: Codes, width: int) -> Floats:
        """Of the rows that were learnt from: each fold is encoded by look-ups that were made without it."""
        encoded = np.empty((len(seen), len(self.encoders), len(self.letters)))
        for fold in range(FOLDS if self.encoders else 0):
            out, kept = folds == fold, folds != fold
            prior = Prior.of(letters[kept], width)
            for at, one in enumerate(self.encoders):
                without = Lookup.of(one.uses, seen[kept], letters[kept], prior, width)
                encoded[out, at] = without(seen[out])[:, self.letters]
        return np.hstack([self._plain(seen), encoded.reshape(len(seen), -1)])

    def _plain(self, seen: Codes) -> Floats:
        # A category beyond those that were learnt is a missing one to the trees.
        return seen[:, list(self.plain)].astype(np.float64)


def boosted(
    uses: Sequence[int],
    ordered: Sequence[bool],
    learn: tuple[Codes, Codes],
    choose: tuple[Codes, Codes],
    folds: Codes,
    width: int,
    seed: int,
) -> Boosted | None:
    """Trees grown on rows until others are predicted no better; None where nothing can be split.

    Args:
        uses: the columns to look at.
        ordered: whether each of all columns has an order.
        learn: rows to grow trees on: what is seen, and the secret.
        choose: rows that say when to stop.
        folds: of each row of ``learn``, rows of one person being in one.
        width: how many secrets there are.
        seed: of the trees; simulation only.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits

    seen, letters = learn
    features = _features(uses, ordered, seen, letters, width)
    present = np.unique(letters)
    if len(present) < 2 or not (features.plain or features.encoders):
        return None
    inputs = features.cross_fitted(seen, letters, folds, width)
    mask = [*features.categorical, *[False] * (inputs.shape[1] - len(features.plain))]
    trees = HistGradientBoostingClassifier(
        learning_rate=0.2,
        max_leaf_nodes=15,
        categorical_features=mask,
        early_stopping=False,
        warm_start=True,
        random_state=seed,
    )
    made = Boosted(tuple(uses), features, trees, present, width)
    until, least = time.process_time() + SECONDS, np.inf
    with threadpool_limits(1, user_api="openmp"):
        for rounds in range(ROUNDS, max(TREES // len(present), ROUNDS) + 1, ROUNDS):
            trees.set_params(max_iter=rounds).fit(inputs, letters)
            lost = bits_lost(made(choose[0]), choose[1]).mean()
            if lost >= least - 1e-3 or time.process_time() > until:
                break
            least = lost
    return made


def _features(uses: Sequence[int], ordered: Sequence[bool], seen: Codes, letters: Codes, width: int) -> _Features:
    prior = Prior.of(letters, width)
    plain, categorical, encoders = [], [], []
    for at in uses:
        values = len(np.unique(seen[:, at]))
        if ordered[at] or values <= SMALL:
            plain.append(at)
            categorical.append(not ordered[at] and int(seen[:, at].max()) < 255)
        # A value that is hardly ever seen twice predicts nothing.
        if values > SMALL and 2 * values <= len(seen):
            encoders.append(Lookup.of((at,), seen, letters, prior, width))
    frequent = np.argsort(-np.bincount(letters, minlength=width), kind="stable")[: min(ENCODED, width)]
    return _Features(tuple(plain), tuple(categorical), tuple(encoders), frequent)
