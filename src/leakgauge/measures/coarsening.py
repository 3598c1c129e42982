"""What a coarser value loses: the bits of the value it stands for, and among how many values that may be.

Both are of paired counts, whose first axis has the values and whose second one what is released in their place; the
missing value as a release stands for every value.
"""

from __future__ import annotations

import numpy as np

from leakgauge.measures.shannon import entropy
from leakgauge.probability import Counts


def information_lost(pairs: Counts) -> float:
    """H(X|Y) in bits of the observed frequencies: what stays unknown about a value once its coarser value is known.

    Example:
        >>> jobs = {"job": ["baker", "cook", "judge"], "seen": ["food", "law"]}
        >>> information_lost(Counts(jobs, [[1, 0], [1, 0], [0, 2]]))
        0.5
    """
    return max(entropy(pairs.distribution()) - entropy(pairs.distribution(pairs.names[1])), 0.0)


def values_covered(pairs: Counts) -> float:
    """Among how many observed values the true one may be, on average over the rows; 1 where each stands for itself.

    Example:
        >>> jobs = {"job": ["baker", "cook", "judge"], "seen": ["food", None]}
        >>> values_covered(Counts(jobs, [[1, 0], [1, 0], [0, 2]]))
        2.5
    """
    released = pairs.names[1]
    covered = np.bincount(pairs.codes[1], minlength=pairs.shape[1])
    covered[[at for at, label in enumerate(pairs.labels(released)) if label is None]] = len(np.unique(pairs.codes[0]))
    return float(covered[pairs.codes[1]] @ pairs.counts / pairs.n)
