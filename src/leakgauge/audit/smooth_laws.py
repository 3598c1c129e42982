"""How often the ranges of a learnt score are hit under each of two inputs, smoothed by a straight line."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from leakgauge.probability.cells import Codes, Floats

_ERRORS = 1.3
"""Standard errors by which the slope may be flattered; a tenth of all slopes are by more."""
_ROUNDS = 8
_STEEPEST = 30.0
"""In nats: beyond it outputs are told apart for certain, and their counts say so themselves."""


def smooth_laws(scores: Sequence[float], first: Codes, second: Codes) -> tuple[Floats, Floats]:
    """Probabilities of the cells under each input, the log-ratio of a cell being a line in its score.

    All counts together fix the line, so that a rare tail is known better than by its own few hits. The slope is taken
    less its error: where nothing is learnt, both laws are the same.

    Args:
        scores: of the cells, in ascending order.
        first: hits under the first input.
        second: hits under the second input.
    """
    from scipy.special import expit

    both = first + second
    shares = both / max(both.sum(), 1)
    middle = shares @ np.array(scores)
    spread = max(float(np.sqrt(shares @ (np.array(scores) - middle) ** 2)), 1e-12)
    line = np.column_stack([np.ones(len(both)), (np.array(scores) - middle) / spread])
    at = np.zeros(2)
    # Newton's rounds of a logistic regression. The small addition keeps steps finite where outputs are told apart.
    for _ in range(_ROUNDS):
        odds = expit(line @ at)
        information = (line * (both * odds * (1 - odds))[:, None]).T @ line + 1e-6 * max(both.sum(), 1) * np.eye(2)
        at = np.clip(at + np.linalg.solve(information, line.T @ (first - both * odds)), -_STEEPEST, _STEEPEST)
    slope = max(at[1] - _ERRORS * float(np.sqrt(np.linalg.inv(information)[1, 1])), 0.0)
    # With another slope the line has another height, at which both laws sum to 1.
    low, high = -_STEEPEST * 10, _STEEPEST * 10
    for _ in range(60):
        height = (low + high) / 2
        above = shares @ expit(height + slope * line[:, 1]) > 0.5
        low, high = (low, height) if above else (height, high)
    tilted = 2 * shares * expit(height + slope * line[:, 1])
    return tilted, 2 * shares - tilted
