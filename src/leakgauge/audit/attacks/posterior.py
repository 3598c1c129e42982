"""The best guess there is, for an attacker who knows how often everything occurs and how the mechanism draws."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leakgauge.case.columns import groups
from leakgauge.probability.cells import Codes, Floats


@dataclass(frozen=True, eq=False)
class Best:
    """For each background, increasing: its likeliest secret, the share it has, how many secrets occur, and rows."""

    background: Codes
    secret: Codes
    share: Floats
    letters: Codes
    rows: Codes

    def guesses(self, background: Codes) -> Codes:
        """The likeliest secret for each target."""
        return self.secret[np.searchsorted(self.background, background)]


@dataclass(frozen=True, eq=False)
class Knowledge:
    """How often each background z, secret x and input u of the mechanism occur together, sorted by z, then x.

    The input need not be the secret: a mechanism may read other columns as well, or the secret may be a quantile.
    """

    background: Codes
    secrets: Codes
    inputs: Codes
    counts: Codes

    @classmethod
    def of(cls, background: Codes, secrets: Codes, inputs: Codes) -> Knowledge:
        """Counted over rows."""
        rows = np.lexsort((inputs, secrets, background))
        kept = np.stack([background[rows], secrets[rows], inputs[rows]])
        first = np.flatnonzero(np.concatenate([[True], (np.diff(kept, axis=1) != 0).any(axis=0)]))
        counts = np.diff(np.append(first, kept.shape[1]))
        return cls(kept[0, first], kept[1, first], kept[2, first], counts.astype(np.int64))

    def best_without(self) -> Best:
        """For each background its likeliest secret, without any release."""
        first = np.flatnonzero(np.concatenate([[True], (np.diff(self.background) != 0) | (np.diff(self.secrets) != 0)]))
        per_secret = np.add.reduceat(self.counts, first)
        background, secrets = self.background[first], self.secrets[first]
        starts = np.flatnonzero(np.concatenate([[True], np.diff(background) != 0]))
        sizes = np.diff(np.append(starts, len(first)))
        totals = np.add.reduceat(per_secret, starts)
        most = np.maximum.reduceat(per_secret, starts)
        # The first of equals, as everywhere.
        order = np.lexsort((np.arange(len(first)), -per_secret, background))
        return Best(background[starts], secrets[order[starts]], most / totals, sizes.astype(np.int64), totals)

    def guesses(self, background: Codes, scores: Floats, inputs: Codes) -> Codes:
        """The likeliest secret for each target, from log q(y|u) for each of some increasing inputs and each target."""
        guessed = np.empty(len(background), dtype=np.int64)
        at = np.searchsorted(inputs, self.inputs)
        for z, targets in groups(background):
            first, last = np.searchsorted(self.background, [z, z + 1])
            logs = scores[np.ix_(at[first:last], targets)]
            top = logs.max(axis=0)
            top[~np.isfinite(top)] = 0.0
            weights = self.counts[first:last, None] * np.exp(logs - top)
            secrets = self.secrets[first:last]
            starts = np.flatnonzero(np.concatenate([[True], np.diff(secrets) != 0]))
            guessed[targets] = secrets[starts][np.add.reduceat(weights, starts, axis=0).argmax(axis=0)]
        return guessed
