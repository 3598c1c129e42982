"""What an attacker gains who can put the released values of a secret into an order that matters."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from leakgauge.artefacts.quantity import Quantity
from leakgauge.artefacts.scores import Attacker, AttackerName, share
from leakgauge.case.certainty import NOTHING_LEFT
from leakgauge.case.changes import by_changes, by_stays, by_steps
from leakgauge.case.numbers import TENTHS, tenths
from leakgauge.case.series import Series, marks_of_letters, marks_of_numbers, order_matters
from leakgauge.case.smoothing import filtered
from leakgauge.probability.cells import Codes, Floats

MOST_ROWS = 100_000
"""Attacked, in a few pieces of a longer column."""
_MOST_CELLS = 1 << 21
"""Rows × letters attacked."""
_MOST_LETTERS = 1 << 10
_EXPOSED = 0.1
"""The share of those with a value who are the most exposed."""
_NEAREST = 50
"""Rows at least, and as many times fewer than all, that show which tenth a filtered number is of."""
_BATCHES = 50
_FOLDS = 100


def letters_in_order(
    true: Codes,
    released: Codes,
    series: Series,
    channel: Floats | None = None,
    *,
    labels: Sequence[str] = (),
    confidence: float = 0.95,
    simulation_seed: int = 0,
) -> Attacker | None:
    """An attacker on letters in an order; None where the order does not matter.

    A row is guessed from its own released value and its neighbours', by change points and by Markov chains; the best
    of them counts. What she gains is shown by guessing, so that ``told`` is the same share: a lower bound.

    Args:
        true: the number of each row's letter.
        released: the number of each row's released value.
        channel: how likely each released value is for each letter; None where it is not known. Then it is counted,
            which the attacker could not do: that errs towards privacy.
        labels: what the letters are called.
    """
    most = min(MOST_ROWS, max(_MOST_CELLS // min(int(true.max()) + 1, _MOST_LETTERS), 1))
    prior: Floats = np.bincount(true) / len(true)
    baseline = float(prior.max())
    if 1 - baseline < NOTHING_LEFT or not order_matters(marks_of_letters(released), series, simulation_seed):
        return None
    rows, series = series.pieces(most)
    true, released = true[rows], released[rows]
    if len(prior) > _MOST_LETTERS:
        # The rarest letters are guessed as one, which is right more often, against the base rate of single ones: that
        # errs towards privacy.
        kept = np.argsort(-prior, kind="stable")[: _MOST_LETTERS - 1]
        place = np.full(len(prior), _MOST_LETTERS - 1)
        place[kept] = np.arange(len(kept))
        channel = None if channel is None else _merged_rows(channel, prior, place)
        labels, true = [*(labels[at] for at in kept.tolist()), ""] if labels else (), place[true]
        prior = np.asarray(np.bincount(place, prior), dtype=np.float64)
    if channel is None:
        width = int(released.max()) + 1
        # Half a row more, so that nothing is impossible.
        counted = np.bincount(true * width + released, minlength=len(prior) * width).reshape(-1, width) + 0.5 / width
        channel = np.asarray(counted / counted.sum(axis=1, keepdims=True), dtype=np.float64)
    at = np.arange(len(true))
    tried, surest = list[Floats](), list[tuple[Quantity, int]]()
    for by in (by_changes, by_steps, by_stays):
        posterior = by(released, series, channel, prior)
        guess = posterior.argmax(axis=1)
        tried.append(np.asarray(guess == true, dtype=np.float64))
        # A faint channel leaves the posterior of a segment vague whose guesses are right: then their record counts.
        found = np.bincount(guess * len(prior) + true, minlength=len(prior) ** 2).reshape(len(prior), -1)
        record = (found / np.maximum(found.sum(axis=1, keepdims=True), 1))[guess, true]
        surest += [_surest(sure, true, prior, confidence) for sure in (posterior[at, true], record)]
    right = max(tried, key=lambda one: float(one.mean()))
    gained = _mean((right - baseline) / (1 - baseline), confidence)
    return _attacker(gained, surest, labels or [str(one) for one in range(len(prior))], 1 - baseline)


def numbers_in_order(
    true: Floats,
    released: Floats,
    series: Series,
    noise_variance: float | None = None,
    *,
    confidence: float = 0.95,
    simulation_seed: int = 0,
) -> Attacker | None:
    """An attacker on numbers in an order; None where the order does not matter.

    Released numbers, or their ranks, are filtered by their neighbours, and a filtered number stands for the mean rank
    of those that are filtered alike, learnt on other rows. The share of the variance of ranks that this explains is
    shown by guessing, so that ``told`` is the same share: a lower bound.

    Args:
        noise_variance: of the released numbers, given the true ones; None where it is not known.
    """
    from scipy.stats import rankdata
    from sklearn.isotonic import IsotonicRegression

    ranks = (rankdata(true) - 0.5) / len(true)
    variance = float(ranks.var())
    marks = marks_of_numbers(rankdata(released) / len(released))
    if variance < NOTHING_LEFT or not order_matters(marks, series, simulation_seed):
        return None
    numbers, shares = np.unique(true, return_counts=True)
    classes = tenths(numbers, shares / len(true))[np.searchsorted(numbers, true)]
    prior = np.bincount(classes) / len(classes)
    rows, series = series.pieces(MOST_ROWS)
    ranks, classes = ranks[rows], classes[rows]
    fold = np.arange(len(rows)) * min(_FOLDS, len(rows)) // len(rows) % 2
    tried = list[tuple[Floats, Floats]]()
    # The ranks of released numbers have no tails, whose steep ends would let less noise be taken off all others.
    for clean in (filtered(released[rows], series, noise_variance), filtered(marks[rows, 0], series)):
        off, sure = np.empty(len(rows)), np.empty(len(rows))
        for held in (0, 1):
            known, asked = np.flatnonzero(fold != held), np.flatnonzero(fold == held)
            line = IsotonicRegression(out_of_bounds="clip").fit(clean[known], ranks[known])
            off[asked] = (ranks[asked] - line.predict(clean[asked])) ** 2
            sure[asked] = _among_nearest(clean[known], classes[known], clean[asked], classes[asked])
        tried.append((off, sure))
    least = min((off for off, _ in tried), key=lambda one: float(one.mean()))
    surest = [_surest(sure, classes, prior, confidence) for _, sure in tried]
    names = [f"{one + 1}/{len(prior)}" for one in range(len(prior))]
    return _attacker(_mean(1 - least / variance, confidence), surest, names, None)


def strongest(attackers: Sequence[Attacker]) -> tuple[Attacker, ...]:
    """One attacker who does whatever gains most; none of none."""
    if not attackers:
        return ()
    most = max(attackers, key=lambda one: 0.0 if one.gained is None else one.gained.value)
    sure = max(attackers, key=lambda one: 0.0 if one.surest is None else one.surest.value)
    return (
        Attacker(
            gained=most.gained, told=most.told, left=most.left, name=most.name, surest=sure.surest, worst=sure.worst
        ),
    )


def _attacker(
    gained: Quantity, surest: Sequence[tuple[Quantity, int]], labels: Sequence[str], left: float | None
) -> Attacker:
    sure, worst = max(surest, key=lambda one: one[0].value)
    name = AttackerName.KNOWS_THE_ORDER
    return Attacker(gained=gained, told=gained, left=left, name=name, surest=sure, worst=labels[worst])


def _merged_rows(channel: Floats, prior: Floats, place: Codes) -> Floats:
    """The channel of merged letters, each weighed by its share."""
    made = np.zeros((int(place.max()) + 1, channel.shape[1]))
    np.add.at(made, place, channel * prior[:, None])
    return np.asarray(made / made.sum(axis=1, keepdims=True))


def _among_nearest(learnt: Floats, classes: Codes, tried: Floats, true: Codes) -> Floats:
    """Of each filtered number that is tried the share of its true class among the nearest that others have."""
    order = np.argsort(learnt, kind="stable")
    # Fewer than half a tenth, of which all may be.
    width = min(max(_NEAREST, len(learnt) // _NEAREST), max(len(learnt) // (2 * TENTHS), 1))
    first = np.clip(np.searchsorted(learnt[order], tried) - width // 2, 0, len(learnt) - width)
    found = np.empty(len(tried))
    for one in np.unique(true):
        sums = np.concatenate([[0], np.cumsum(classes[order] == one)])
        mine = true == one
        found[mine] = (sums[first[mine] + width] - sums[first[mine]]) / width
    return found


def _surest(sure: Floats, classes: Codes, prior: Floats, confidence: float) -> tuple[Quantity, int]:
    """How much surer the most exposed tenth of those with one value is made of it, for the value where that is most."""
    from scipy.special import ndtri

    room, found = float((1 - prior).max()), list[tuple[float, float, int]]()
    for one in np.unique(classes).tolist():
        gains = -np.sort(-(sure[classes == one] - prior[one])) / room
        count = len(gains) * _EXPOSED
        weights = np.clip(count - np.arange(math.ceil(count)), 0, 1)
        top = gains[: len(weights)]
        spread = float(ndtri((1 + confidence) / 2)) * float(top.std()) / math.sqrt(len(top)) + 1 / len(gains)
        found.append((float(top @ weights) / count, spread, one))
    value, spread, worst = max(found)
    return _between(value, spread, confidence), worst


def _mean(each: Floats, confidence: float) -> Quantity:
    """The mean of rows that depend on their neighbours, by the means of batches of neighbours."""
    from scipy.special import stdtrit

    batches = [part.mean() for part in np.array_split(each, min(_BATCHES, max(len(each) // 20, 2)))]
    quantile = float(stdtrit(len(batches) - 1, (1 + confidence) / 2))
    # Twice the variance: what is learnt from a release varies with it about as much as what it is tried on.
    error = quantile * float(np.std(batches, ddof=1)) * math.sqrt(2 / len(batches)) + 1 / len(each)
    return _between(float(each.mean()), error, confidence)


def _between(value: float, error: float, confidence: float) -> Quantity:
    inside = min(max(value, 0.0), 1.0)
    return share(inside, min(value - error, inside), max(value + error, inside), confidence)
