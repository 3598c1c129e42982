"""The ends of the curve: where nothing leaks, where only nearest letters are released, and where bounds on ratios end.

The least distortion that bounds allow is a linear program with a proof from prices. Column y of a channel lies in the
window low(x) l ≤ v(x) ≤ high(x) l for some l. For any prices π(x) of the rows no channel has a mean distortion below
Σ_x π(x) + min_y g_y, g_y the least of Σ_x (p(x) d(x, y) − π(x)) v(x) over columns with Σ_x p(x) v(x) = 1: those sums
add up to 1 over the columns. The least column takes the upper edge where d(x, y) − π(x) / p(x) is small and the lower
one elsewhere, so that one sort finds it. Where every letter keeps its share, column y counts p(y) times: then it is
Σ_x π(x) + Σ_y p(y) g_y.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from leakgauge.design.balancing import balanced
from leakgauge.design.certificate import ROUNDING, Secrets
from leakgauge.design.columns import Optimum, minimise_columns
from leakgauge.design.cones import Positive, Window
from leakgauge.probability.cells import Codes, Floats, sums_by

PROGRAM_CELLS = 1 << 14
"""The largest channel, inputs × outputs, whose least distortion is found by a linear program: some seconds there."""
KEEPING_CELLS = 1 << 13
"""The same where the shares are kept, which takes the program three times as long."""
WIDEST = 20.0
"""The program keeps ratios of at most e^20, which it can still tell from 0; the proof is for the ratios asked."""


@dataclass(frozen=True)
class Least:
    """A channel of the window, its mean distortion, and the one that no channel of the window undercuts."""

    channel: Floats
    excess: float
    lower: float


def least_distortion(prior: Floats, excess: Floats, window: Window) -> Least:
    """The channel of least mean distortion in a window."""
    means, constant = prior @ excess, best_letter(prior, excess)
    best = int(means.argmin())
    unit = float(means[best])
    if unit == 0 or window.alike >= 1:
        return Least(constant, unit, unit * (1 - ROUNDING))
    scaled = excess / unit
    # Where bounds are tight one letter often is the best, by the prices of just this letter.
    lower = _proven(prior, scaled, window, prior * scaled[:, best])
    candidates = [constant]
    if lower < 1 - 1e-12:
        candidates.append(window.inside(_cheapest(excess)))
        found = _program(prior, scaled, window)
        if found is not None:
            candidates.append(window.inside(found[0]))
            lower = max(lower, _proven(prior, scaled, window, found[1]))
    mean, at = min((float(prior @ (one * excess).sum(axis=1)), at) for at, one in enumerate(candidates))
    return Least(candidates[at], mean, min(unit * max(lower, window.alike), mean))


def least_hamming(prior: Floats, matches: Codes, outputs: int, window: Window) -> Least:
    """The channel of least Hamming distortion under a local ε: randomized response on the k most likely values.

    The k values are released as themselves with e^ε / (e^ε + k − 1); every other value acts like any of them. No
    channel does better: with l(y) the least of column y, and L their sum, q(x|x) ≤ min(e^ε l(x), 1 − L + l(x)). An l(x)
    for which the second is smaller may be lowered until both are the same, so that the most of Σ p(x) e^ε l(x) with
    (e^ε − 1) l(x) + L ≤ 1 is left: a linear program with one inequality a value, in whose corners each l is either 0 or
    the same 1 / (e^ε + k − 1). The window is that of a local ε.
    """
    order, ratio = np.argsort(-prior, kind="stable"), float(window.high[0] / window.low[0])
    counts = np.arange(1, len(prior) + 1)
    kept = np.cumsum(prior[order]) / (1 + (counts - 1) / ratio)
    best = int(kept.argmax())
    used = order[: best + 1]
    channel = np.zeros((len(prior), outputs))
    channel[:, matches[used]] = 1 / len(used)
    channel[np.ix_(used, matches[used])] = 1 / (ratio + best)
    channel[used, matches[used]] = 1 / (1 + best / ratio)
    channel = window.inside(channel)
    excess = float(prior @ (1 - channel[np.arange(len(prior)), matches]))
    lower = float(prior.sum()) - float(kept[best]) * (1 + ROUNDING)
    return Least(channel, excess, max(min(lower, excess), 0.0))


def least_distortion_keeping(prior: Floats, distances: Floats, window: Window) -> Least:
    """The channel of least mean distortion in a window that releases every value as often as it occurs."""
    constant = np.tile(prior, (len(prior), 1))
    unit = float(prior @ distances @ prior)
    if unit == 0 or window.alike >= 1:
        return Least(constant, unit, unit * (1 - ROUNDING))
    scaled = distances / unit
    found = _program(prior, scaled, window, keep=True)
    if found is None:
        return Least(constant, unit, unit * window.alike)
    channel = balanced(found[0], prior, window)
    mean = float(prior @ (channel * distances).sum(axis=1))
    columns = _least_columns(prior, scaled, window, found[1])
    lower = float(found[1].sum() + prior @ columns) - ROUNDING * (1 + float(abs(found[1]).sum()))
    return Least(channel, mean, min(unit * max(lower, window.alike), mean))


def _program(prior: Floats, excess: Floats, window: Window, keep: bool = False) -> tuple[Floats, Floats] | None:
    """A channel and the prices of its rows, with ``keep`` among those that keep the shares; None where none is found.

    What is looked for is each column in the unit of its share, so that rare letters are as precise as the others.
    """
    from scipy import sparse
    from scipy.optimize import linprog

    inputs, outputs = excess.shape
    middle = math.sqrt(float(window.low.min()) * float(window.high.max()))
    low = np.maximum(window.low / middle, math.exp(-WIDEST / 2))
    high = np.minimum(window.high / middle, math.exp(WIDEST / 2))
    entries, letters = sparse.eye_array(inputs * outputs), sparse.eye_array(outputs)
    edges = sparse.vstack(
        [
            sparse.hstack([-entries, sparse.kron(low[:, None], letters)]),
            sparse.hstack([entries, -sparse.kron(high[:, None], letters)]),
        ]
    )
    units = prior if keep else np.ones(outputs)
    sums = sparse.kron(sparse.eye_array(inputs), units[None])
    right = np.ones(inputs)
    if keep:
        sums = sparse.vstack([sums, sparse.kron(prior[None], letters)])
        right = np.concatenate([right, np.ones(outputs)])
    found = linprog(
        np.concatenate([(prior[:, None] * excess * units).ravel(), np.zeros(outputs)]),
        A_ub=edges.tocsr(),
        b_ub=np.zeros(2 * inputs * outputs),
        A_eq=sparse.hstack([sums, sparse.csr_array((len(right), outputs))]).tocsr(),
        b_eq=right,
        method="highs",
    )
    if found.status != 0:
        return None
    rows = units * np.maximum(found.x[: inputs * outputs].reshape(inputs, outputs), 0.0)
    return np.asarray(rows / rows.sum(axis=1, keepdims=True)), np.asarray(found.eqlin.marginals[:inputs])


def _proven(prior: Floats, excess: Floats, window: Window, prices: Floats) -> float:
    """What no channel of the window undercuts, by any prices."""
    least = float(_least_columns(prior, excess, window, prices).min())
    return float(prices.sum()) + least - ROUNDING * (1 + float(abs(prices).sum()))


def _least_columns(prior: Floats, excess: Floats, window: Window, prices: Floats) -> Floats:
    """g_y, from below."""
    reduced = excess - (prices / prior)[:, None]
    order = np.argsort(reduced, axis=0)
    low, high = (prior * window.low)[order], (prior * window.high)[order]

    def split(costs: Floats) -> Floats:
        """The sums with the first so many inputs at the upper edge and the rest at the lower."""
        start = np.zeros((1, excess.shape[1]))
        below = np.vstack([start, np.cumsum((costs * low)[::-1], axis=0)])[::-1]
        return np.vstack([start, np.cumsum(costs * high, axis=0)]) + below

    mass = split(np.ones(excess.shape))
    paid = split(np.take_along_axis(reduced, order, axis=0)) / mass
    size = split(np.take_along_axis(excess + abs(prices / prior)[:, None], order, axis=0)) / mass
    return np.asarray((paid - ROUNDING * size).min(axis=0))


FORBIDDEN = 60.0
"""Nats that releasing another than a nearest letter costs: e^-60 of it is next to none."""


def best_letter(prior: Floats, excess: Floats) -> Floats:
    """The channel that always releases the one letter that is best on the whole."""
    return _cheapest(np.broadcast_to(prior @ excess, excess.shape))


def _cheapest(costs: Floats) -> Floats:
    """The channel that always releases the cheapest letter of each input."""
    channel = np.zeros(costs.shape)
    channel[np.arange(len(costs)), costs.argmin(axis=1)] = 1.0
    return channel


def best_untelling(secrets: Secrets, excess: Floats, window: Window | None) -> Floats:
    """The channel of least distortion that tells someone with the background nothing more.

    Secrets that are possible under the same background must have the same row, and so must all that are tied together
    by a chain of such; those that the background tells apart anyhow need not.
    """
    groups = _groups(secrets.joint)
    count = int(groups.max()) + 1
    if count == 1:
        return best_letter(secrets.prior, excess)
    shares = sums_by(groups, secrets.prior, count)
    totals = np.zeros((count, excess.shape[1]))
    np.add.at(totals, groups, secrets.prior[:, None] * excess)
    means = totals / shares[:, None]
    if window is not None:
        return np.asarray(least_distortion(shares, means, window.merged(groups)).channel[groups])
    return np.asarray(_cheapest(means)[groups])


def best_nearest(secrets: Secrets, excess: Floats, gap: float) -> Optimum:
    """The channel of least weighted leakage among those that release nearest letters only."""
    nearest = excess == 0
    if (nearest.sum(axis=1) == 1).all():
        channel = np.asarray(nearest, dtype=np.float64)
        leakage = secrets.leakage(channel)
        return Optimum(channel, leakage - ROUNDING * (1 + leakage), 0)
    # Where the others are only dear, a channel may cost less, never more: the bound holds where they are forbidden.
    found = minimise_columns(secrets, np.where(nearest, 0.0, FORBIDDEN), Positive(len(excess)), gap / 2)
    channel = np.where(nearest, found.channel, 0.0)
    return replace(found, channel=channel / channel.sum(axis=1, keepdims=True))


def _groups(joint: Floats) -> Codes:
    """For each secret the number of its group: those tied together by backgrounds under which both are possible."""
    from scipy.sparse.csgraph import connected_components

    possible = joint > 0
    return np.asarray(connected_components(possible @ possible.T, directed=False)[1], dtype=np.int64)
