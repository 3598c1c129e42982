"""Letters through a channel, guessed by where their shares change in an order of rows, or by what follows what."""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from leakgauge.case.series import Series, folded
from leakgauge.probability.cells import Codes, Floats

_CANDIDATES = 512
"""Places where shares may change, among which the best segments are found exactly."""
_FINEST = 8
"""Rows between two such places at least."""
_MOST_OUTPUTS = 16
"""Released values that segments are told apart by, and so many times as many that shares are learnt from."""
_FINER = 16
_ROUNDS, _FEWEST_ROUNDS = 500, 20
_STEPS = 1 << 31
"""Rounds of expectation and maximisation: as many as take so many multiplications."""
_WINDOW, _MARGIN = 256, 128
"""Rows that are guessed together by what follows what, and how many more are looked at on either side."""
_PAIRS = 20
"""Of neighbours for every step from letter to letter, by which it is learnt."""
_LEAVES = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.001)
"""The chances with which a letter is drawn anew that are tried."""
_CELLS = 1 << 21
"""Probabilities of windows held in memory."""
_LEAST = 1e-12


def by_changes(released: Codes, series: Series, channel: Floats, prior: Floats) -> Floats:
    """Of each row the posterior of its letter, where the shares of letters are constant between change points.

    Segments maximise the likelihood of the released values less Schwarz's penalty (BIC). The shares of letters in a
    segment are those that make its released values likeliest, drawn to the prior as if by one more row.

    Args:
        released: the number of each row's released value.
        channel: how likely each released value is for each letter.
        prior: the shares of the letters in the whole table.
    """
    seen = folded(released, _MOST_OUTPUTS)
    penalty = (int(seen.max()) / 2 + 1) * math.log(len(seen))
    # A slow change shows over the whole, a short stay only among nearby rows, and persons begin where they begin.
    sizes = {_FINEST, max(-(-len(seen) // _CANDIDATES), _FINEST)}
    starts = np.cumsum(series.lengths) - series.lengths
    found = np.unique(np.concatenate([[0, len(seen)], starts, *(_segments(seen, one, penalty) for one in sizes)]))
    edges = _worthwhile(seen, found, penalty)
    segment = np.repeat(np.arange(len(edges) - 1), np.diff(edges))
    few, likely = _fewer(released, channel)
    counts = np.bincount(segment * likely.shape[1] + few, minlength=(len(edges) - 1) * likely.shape[1])
    counts, shares = counts.reshape(len(edges) - 1, -1), np.tile(prior, (len(edges) - 1, 1))
    for _ in range(_rounds(counts.size * len(prior))):
        shares = _normalised(shares * ((counts / np.maximum(shares @ likely, _LEAST)) @ likely.T) + prior)
    return _normalised(shares[segment] * channel[:, released].T)


def by_stays(released: Codes, series: Series, channel: Floats, prior: Floats) -> Floats:
    """Of each row the posterior of its letter, where a letter stays with one chance or is drawn anew.

    The chance is that which makes the released values likeliest.
    """
    found = [_by_chain(released, series, channel, prior, _Stays(1 - leaves, prior)) for leaves in _LEAVES]
    return max(found, key=lambda one: one[1])[0]


def by_steps(released: Codes, series: Series, channel: Floats, prior: Floats) -> Floats:
    """Of each row the posterior of its letter, where a letter depends on the one before it (a hidden Markov chain).

    How often one letter follows another is what makes the released pairs of neighbours likeliest. Where these are too
    few for that, a letter stays or is drawn anew.
    """
    few, likely = _fewer(released, channel)
    followed, width = np.flatnonzero(series.followed), likely.shape[1]
    if len(followed) < _PAIRS * len(prior) ** 2:
        return by_stays(released, series, channel, prior)
    pairs = np.bincount(few[followed] * width + few[followed + 1], minlength=width**2).reshape(width, width)
    joint = apart = np.outer(prior, prior)
    for _ in range(_rounds(width * len(prior) * (width + len(prior)))):
        joint = joint * (likely @ (pairs / np.maximum(likely.T @ joint @ likely, _LEAST)) @ likely.T)
        joint /= joint.sum()
    return _by_chain(released, series, channel, prior, _Steps(_normalised(joint + _LEAST * apart)))[0]


class _Chain(Protocol):
    """The chances of the next letter."""

    def next(self, shares: Floats) -> Floats:
        """Of the next letter, by those of this one."""

    def before(self, chances: Floats) -> Floats:
        """Of what is seen later, for each letter, by those for each next one."""


@dataclass(frozen=True, eq=False)
class _Steps:
    steps: Floats

    def next(self, shares: Floats) -> Floats:
        return shares @ self.steps

    def before(self, chances: Floats) -> Floats:
        return chances @ self.steps.T


@dataclass(frozen=True, eq=False)
class _Stays:
    stays: float
    prior: Floats

    def next(self, shares: Floats) -> Floats:
        return self.stays * shares + (1 - self.stays) * self.prior

    def before(self, chances: Floats) -> Floats:
        return np.asarray(self.stays * chances + (1 - self.stays) * (chances @ self.prior)[:, None])


def _by_chain(released: Codes, series: Series, channel: Floats, prior: Floats, chain: _Chain) -> tuple[Floats, float]:
    """The posterior of each row, forth and back in windows side by side, and the logarithm of the likelihood."""
    rows, windows = len(released), -(-len(released) // _WINDOW)
    parts = min(-(-windows * (_WINDOW + 2 * _MARGIN) * len(prior) // _CELLS), windows)
    made, likelihood = list[Floats](), 0.0
    for some in np.array_split(np.arange(windows), parts):
        at = (some * _WINDOW - _MARGIN)[:, None] + np.arange(_WINDOW + 2 * _MARGIN)
        there, held = (at >= 0) & (at < rows), np.clip(at, 0, rows - 1)
        chances = np.where(there[:, :, None], channel.T[released[held]], 1.0)
        begins = (series.places == 0)[held] & there
        forth, back, last = np.empty(chances.shape), np.ones(chances.shape), np.tile(prior, (len(some), 1))
        for place in range(at.shape[1]):
            came = np.where(begins[:, place, None] | (place == 0), prior, chain.next(last)) * chances[:, place]
            last = forth[:, place] = _normalised(came)
            if _MARGIN <= place < _MARGIN + _WINDOW:
                likelihood += float(np.log(np.maximum(came.sum(axis=1), 1e-300)).sum())
        for place in range(at.shape[1] - 2, -1, -1):
            comes = chain.before(chances[:, place + 1] * back[:, place + 1])
            back[:, place] = np.where(begins[:, place + 1, None], 1.0, _normalised(comes))
        middle = slice(_MARGIN, _MARGIN + _WINDOW)
        made.append(_normalised((forth[:, middle] * back[:, middle]).reshape(-1, len(prior))))
    return np.concatenate(made)[:rows], likelihood


def _fewer(released: Codes, channel: Floats) -> tuple[Codes, Floats]:
    """Released values of which several are one where they are many, and the channel to them."""
    few = folded(released, _FINER * _MOST_OUTPUTS)
    # A value that was never released is as rare as any.
    place = np.full(channel.shape[1], few[np.bincount(released)[released].argmin()])
    place[released] = few
    likely = np.zeros((len(channel), int(few.max()) + 1))
    np.add.at(likely.T, place, channel.T)
    return few, likely


def _rounds(size: int) -> int:
    return min(max(_STEPS // (4 * size), _FEWEST_ROUNDS), _ROUNDS)


def _segments(seen: Codes, size: int, penalty: float) -> Codes:
    """The edges of the best segments, by dynamic programming over places so many rows apart; long columns in parts."""
    values, blocks = int(seen.max()) + 1, -(-len(seen) // size)
    parts = -(-blocks // _CANDIDATES)
    places = min(blocks, _CANDIDATES)
    counts = np.bincount(np.arange(len(seen)) // size * values + seen, minlength=parts * places * values)
    sums = np.zeros((parts, places + 1, values), dtype=np.int64)
    sums[:, 1:] = np.cumsum(counts.reshape(parts, places, values), axis=1)
    costs, best, came = _costs(places * size), np.zeros((parts, places + 1)), np.zeros((parts, places + 1), np.int64)
    for end in range(1, places + 1):
        held = sums[:, end : end + 1] - sums[:, :end]
        total = best[:, :end] + costs[held.sum(axis=2)] - costs[held].sum(axis=2)
        came[:, end] = total.argmin(axis=1)
        best[:, end] = total.min(axis=1) + penalty
    edges = list[int]()
    for part in range(parts):
        end = places
        while end > 0:
            end = int(came[part, end])
            edges.append((part * places + end) * size)
    return np.array([one for one in edges if one < len(seen)], dtype=np.int64)


def _worthwhile(seen: Codes, edges: Codes, penalty: float) -> Codes:
    """The edges without those that tell too little apart, the least telling left out first."""
    values = int(seen.max()) + 1
    segment = np.repeat(np.arange(len(edges) - 1), np.diff(edges))
    counts = np.bincount(segment * values + seen, minlength=(len(edges) - 1) * values).reshape(-1, values)
    costs, held = _costs(len(seen)), {at: counts[at] for at in range(len(counts))}
    before = {at: at - 1 for at in held}
    after = {at: at + 1 for at in held}

    def gain(left: int, right: int) -> float:
        both = np.stack([held[left] + held[right], held[left], held[right]])
        whole, *apart = (costs[both.sum(axis=1)] - costs[both].sum(axis=1)).tolist()
        return float(whole - sum(apart))

    queue, version = [(gain(at, at + 1), at, at + 1, 0, 0) for at in range(len(counts) - 1)], dict.fromkeys(held, 0)
    heapq.heapify(queue)
    while queue and queue[0][0] < penalty:
        _, left, right, first, second = heapq.heappop(queue)
        if left not in held or right not in held or (version[left], version[right]) != (first, second):
            continue
        held[left] = held[left] + held.pop(right)
        version[left] += 1
        following = after[left] = after[right]
        if following in held:
            before[following] = left
            heapq.heappush(queue, (gain(left, following), left, following, version[left], version[following]))
        if (previous := before[left]) in held:
            heapq.heappush(queue, (gain(previous, left), previous, left, version[previous], version[left]))
    return np.concatenate([edges[sorted(held)], edges[-1:]])


def _costs(most: int) -> Floats:
    """k log k for every k up to this."""
    whole = np.arange(most + 1, dtype=np.float64)
    return np.asarray(whole * np.log(np.maximum(whole, 1)))


def _normalised(weights: Floats) -> Floats:
    return np.asarray(weights / np.maximum(weights.sum(axis=-1, keepdims=True), 1e-300))
