"""Chi-squared tests at one fixed rate of false alarms, and a source that replays chosen words."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
from scipy import stats

from leakgauge.randomness.sources import Words

FALSE_ALARM = 1e-6
"""A right sampler fails one test in a million; the suite has below a hundred, most of them with fixed seeds."""
LEAST_EXPECTED = 20.0


class Replayed:
    """Gives the words it was given, in order, then those of a fixed generator."""

    private = False

    def __init__(self, words: Iterable[int]) -> None:
        self._words = np.array(list(words), dtype=np.uint64)
        self._more = np.random.PCG64(99)
        self.asked = 0

    def words(self, count: int) -> Words:
        first = self._words[self.asked : self.asked + count]
        self.asked += count
        return np.concatenate([first, self._more.random_raw(count - len(first))]).astype(np.uint64)


def merged(
    observed: npt.NDArray[np.integer], expected: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Neighbouring bins joined until each is expected often enough for the chi-squared law."""
    groups = np.zeros(len(expected), dtype=np.int64)
    group, held = 0, 0.0
    for at, share in enumerate(expected.tolist()):
        groups[at] = group
        held += share
        if held >= LEAST_EXPECTED:
            group, held = group + 1, 0.0
    if held < LEAST_EXPECTED:
        groups[groups == group] = max(group - 1, 0)
    seen, wanted = (np.bincount(groups, weights=part) for part in (observed.astype(np.float64), expected))
    return seen.astype(np.int64), np.asarray(wanted, dtype=np.float64)


def p_value(observed: npt.NDArray[np.integer], probabilities: npt.NDArray[np.float64]) -> float:
    """Of the counts under these probabilities, which must cover everything that can be seen."""
    seen, wanted = merged(observed, probabilities * observed.sum())
    if len(seen) < 2:
        return 1.0
    statistic = float(((seen - wanted) ** 2 / wanted).sum())
    return float(stats.chi2.sf(statistic, len(seen) - 1))


def counted(drawn: npt.NDArray[np.int64], reach: int) -> npt.NDArray[np.int64]:
    """How often each of −reach … reach was drawn, what lies beyond counted at the ends."""
    return np.bincount(np.clip(drawn, -reach, reach) + reach, minlength=2 * reach + 1)


def with_tails(probabilities: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Probabilities of −reach … reach, what is missing to 1 given to both ends alike."""
    rest = (1 - probabilities.sum()) / 2
    whole = probabilities.copy()
    whole[[0, -1]] += max(rest, 0.0)
    return whole


def two_samples_p(left: npt.NDArray[np.integer], right: npt.NDArray[np.integer]) -> float:
    """Of two rows of counts under one unknown law."""
    pooled = (left + right).astype(np.float64)
    seen_left, _ = merged(left, pooled)
    seen_right, _ = merged(right, pooled)
    return float(stats.chi2_contingency(np.array([seen_left, seen_right]), correction=False).pvalue)
