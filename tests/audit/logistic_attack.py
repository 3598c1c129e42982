"""The attack that auditors are compared with: a logistic score and the tail of it (Bichsel et al., DP-Sniper, 2021).

A logistic regression is learnt on outputs of the two inputs, special values having a flag of their own; the event is
the most suspicious hundredth of the outputs under the second input, ties at its end being hit by lot; its probabilities
are bounded on outputs that were not learnt from.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from leakgauge.measures.binomial import at_least, at_most
from leakgauge.randomness import simulation
from tests.audit.families import ABORTED, FALSE, Family

TAIL, MISS, PILOT = 0.01, 0.05, 0.5
FLAGS = (-1.0, FALSE, ABORTED)


def logistic_level(family: Family, samples: int, seed: int) -> float:
    """The ε that is shown with so many outputs on each input, after half as many to choose the inputs."""
    sample = family.sampler(seed)
    draw = simulation(seed + 1)
    both = [*family.pairs, *(pair[::-1] for pair in family.pairs)]
    few = min(int(PILOT * samples / len(family.pairs)), 25_000)
    pilots = [_attack(sample(one, few), sample(other, few), draw) for one, other in both] if len(both) > 2 else []
    ratios = [(hits[0] + 1) / (hits[1] + 1) for hits, _ in pilots] or [1.0]
    one, other = both[int(np.argmax(ratios))]
    chosen = ((one, other),) if len(both) > 2 else both
    found = []
    first, second = sample(one, samples), sample(other, samples)
    # Where there is one pair, the two orders of it share the miss.
    for swapped in range(len(chosen)):
        hits, trials = _attack(*((second, first) if swapped else (first, second)), draw)
        miss = MISS / len(chosen) / 2
        found.append(float(np.log(at_least(hits[0], trials, miss) / at_most(hits[1], trials, miss))))
    return max(0.0, *found)


def _attack(first: Any, second: Any, draw: np.random.Generator) -> tuple[list[int], int]:
    """Hits of the event on held-out outputs of both inputs, and how many outputs those are."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    middle = len(first) // 2
    rows = [_flagged(side) for side in (first, second)]
    model = make_pipeline(StandardScaler(), LogisticRegression())
    model.fit(np.concatenate([side[:middle] for side in rows]), np.repeat([1, 0], middle))
    scores = [model.decision_function(side) for side in rows]
    known = np.sort(scores[1][:middle])
    end = known[int((1 - TAIL) * middle)]
    above, at = (known > end).mean(), (known == end).mean()
    share = (TAIL - above) / at
    hit = [(one > end) | ((one == end) & (draw.random(len(one)) < share)) for one in (side[middle:] for side in scores)]
    return [int(one.sum()) for one in hit], len(first) - middle


def _flagged(outputs: Any) -> Any:
    rows = np.asarray(outputs, dtype=np.float64).reshape(len(outputs), -1)
    flags = [rows == flag for flag in FLAGS]
    values = np.where(np.logical_or.reduce(flags), 0.0, rows)
    return np.hstack([values, *flags])
