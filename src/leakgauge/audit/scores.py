"""Scores of outputs: numbers that are the larger, the likelier an output is under the first of two inputs.

A score is learnt on outputs that prove nothing themselves; the outputs above, or below, a place of it are an event
(Bichsel, Steffen, Bogunovic and Vechev, DP-Sniper, 2021).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from leakgauge.artefacts import Sentence
from leakgauge.audit.features import Features, features, finite, log_ratios, telling_columns
from leakgauge.audit.outputs import Outputs
from leakgauge.audit.partitions import Partition, ranges
from leakgauge.probability.cells import Codes, Floats

if TYPE_CHECKING:
    from sklearn.base import ClassifierMixin

Score: TypeAlias = Callable[[Outputs], Floats]

FEWEST = 500
"""From fewer outputs of each input no classifier is learnt."""
MOST, MOST_FOR_TREES = 150_000, 50_000
"""Outputs of each input that the logistic score and the trees are learnt from."""
_CELLS = 5e7
"""Features of all outputs that the logistic score is learnt from, at most: 0.4 gigabytes."""
_AT_ONCE = 1 << 16
"""Outputs whose features are in memory at once."""
_KNOTS = (0.0005, 0.05, 0.3, 0.7, 0.95, 0.9995)
"""Quantiles between which the logistic score may have another slope in each number."""
_FITTED = 20.0
"""What the mean fit weighs against the squares of coefficients: those of features that tell nothing are chance, and
would drown a weak effect if they were large."""
_STAKE = 0.5
"""What is staked on a learnt score, so that it does not make bets on other events much poorer."""
_ERRORS = 1.3
"""Standard errors by which the slope may be flattered; a tenth of all slopes are by more."""
_ROUNDS = 8
_STEEPEST = 30.0
"""In nats: beyond it outputs are told apart for certain, and their counts say so themselves."""
_LOGISTIC, _TREES = Sentence("logistic score"), Sentence("score of boosted trees")


def learned_scores(first: Outputs, second: Outputs, cells: Sequence[Partition], trees: bool) -> Iterator[Partition]:
    """Ranges of a logistic score and, if wanted, of one by boosted trees; none where there is too little to learn.

    Args:
        cells: partitions whose cells are features as well.
    """
    if min(len(first), len(second)) < FEWEST:
        return
    seen = features(first[:MOST], second[:MOST], cells)
    width = len(_KNOTS) * seen.plain(first[:1]).shape[1] + seen.marks(first[:1]).shape[1]
    both, labels = _labelled(first, second, min(MOST, int(_CELLS / 2 / max(width, 1))))
    logistic = _logistic(seen, both, labels)
    yield ranges(both, logistic, _LOGISTIC, stake=_STAKE, monotone=True)
    if trees:
        boosted = _boosted(seen, logistic, *_labelled(first, second, MOST_FOR_TREES))
        yield ranges(both, boosted, _TREES, stake=_STAKE, monotone=True)


def _labelled(first: Outputs, second: Outputs, most: int) -> tuple[Outputs, Floats]:
    """So many outputs of each input at most, and 1 for those of the first."""
    parts = first[:most], second[:most]
    return np.concatenate(parts), np.repeat([1.0, 0.0], [len(part) for part in parts])


def _logistic(seen: Features, both: Outputs, labels: Floats) -> Score:
    """The log-odds of a logistic regression that is linear between the quantiles of each number."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    ends = np.quantile(seen.plain(both), _KNOTS, axis=0)

    def columns(outputs: Outputs) -> Floats:
        plain = seen.plain(outputs)
        pieces = [np.clip(plain, low, high) for low, high in pairwise(ends)]
        return np.hstack([*pieces, seen.marks(outputs)])

    return _fitted(
        make_pipeline(StandardScaler(), LogisticRegression(C=_FITTED / len(labels), solver="newton-cholesky")),
        columns,
        both,
        labels,
    )


def _boosted(seen: Features, logistic: Score, both: Outputs, labels: Floats) -> Score:
    """The log-odds of boosted trees that see the logistic score too."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    def columns(outputs: Outputs) -> Floats:
        return np.hstack([seen.plain(outputs), seen.marks(outputs), logistic(outputs)[:, None]])

    trees = HistGradientBoostingClassifier(
        max_leaf_nodes=15, min_samples_leaf=50, early_stopping=True, n_iter_no_change=5, random_state=1
    )
    return _fitted(trees, columns, both, labels)


def _fitted(model: ClassifierMixin, columns: Score, both: Outputs, labels: Floats) -> Score:
    from threadpoolctl import threadpool_limits

    # One that has not converged is a score as well.
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(columns(both), labels)

    def score(outputs: Outputs) -> Floats:
        parts = [outputs[at : at + _AT_ONCE] for at in range(0, max(len(outputs), 1), _AT_ONCE)]
        with threadpool_limits(1):
            found = [model.decision_function(columns(part)) if len(part) else np.empty(0) for part in parts]
        # Equal outputs are equal whatever else is in their part: sums in another order differ in their last bits.
        return np.concatenate(found).astype(np.float32).astype(np.float64)

    return score


def combined(first: Outputs, second: Outputs) -> Score:
    """A score of rows of numbers: log-ratios of each coordinate added up, and of the best straight line between."""
    kept = telling_columns(finite(first), finite(second))
    coordinates = [_coordinate_score(first[:, at], second[:, at]) for at in kept]
    direction = _discriminant(finite(first[:, kept]), finite(second[:, kept]))
    along = _coordinate_score(finite(first[:, kept]) @ direction, finite(second[:, kept]) @ direction)

    def score(outputs: Outputs) -> Floats:
        separate = sum(one(outputs[:, at]) for at, one in zip(kept, coordinates, strict=True))
        return np.asarray(separate + len(coordinates) * along(finite(outputs[:, kept]) @ direction))

    return score


def _coordinate_score(first: Outputs, second: Outputs) -> Score:
    cells = ranges(np.concatenate([first, second]))
    ratios = log_ratios(cells, first, second, 0.5)
    return lambda outputs: np.asarray(ratios[cells.places(outputs)])


def _discriminant(first: Floats, second: Floats) -> Floats:
    """Fisher's direction, in which the two means lie furthest apart for the spread; 0 where there is none."""
    if min(len(first), len(second)) < 2:
        return np.zeros(first.shape[1])
    spread = np.atleast_2d(np.cov(first.T) + np.cov(second.T))
    spread += np.eye(len(spread)) * (1e-9 * np.trace(spread) + 1e-300)
    apart = first.mean(axis=0) - second.mean(axis=0)
    if not (np.isfinite(spread).all() and np.isfinite(apart).all()):
        return np.zeros(len(apart))
    return np.asarray(np.linalg.lstsq(spread, apart, rcond=None)[0])


def smooth_laws(scores: Sequence[float], first: Codes, second: Codes) -> tuple[Floats, Floats]:
    """Probabilities of the cells under each input, the log-ratio of a cell being a line in its score.

    All counts together fix the line, so that a rare tail is known better than by its own few hits. The slope is taken
    less its error: where nothing is learnt, both laws are the same.

    Args:
        scores: of the cells, in ascending order.
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
