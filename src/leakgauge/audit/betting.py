"""Bets against a claim: the wealth of a gambler who would stay poor if the claim were true.

Each round pays 1[Y₁ ∈ E] − s·1[Y₂ ∈ E] − t, whose mean is at most 0 under the claim whatever the event E and the line
(s, t) that were chosen before the round. So the wealth is a supermartingale and ever passes 1/miss with a chance of at
most ``miss`` (Ville 1939; Waudby-Smith and Ramdas 2024): one may look after every round and stop when it does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from leakgauge.audit.events import Event
from leakgauge.audit.least_levels import at_level, line
from leakgauge.audit.partitions import Outputs
from leakgauge.claims import Statement
from leakgauge.probability.cells import Floats

_TIMES = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0)
_ABOVE = (0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 12.0)
"""How far above the claim levels are bet against too, in shares of it and plainly: a broken claim gets a number."""
_FRACTIONS = np.linspace(0, 0.95, 39)


class Bets:
    """Wealth against a claim and against higher levels of the same notion, one purse an event."""

    def __init__(self, claim: Statement, miss: float) -> None:
        steps = {0.0, *(claim.level * times for times in _TIMES), *_ABOVE}
        self._claims = [at_level(claim, claim.level + step) for step in sorted(steps)]
        self._enough = math.log(1 / miss)
        self._purses: dict[int, Floats] = {}

    def play(self, events: Sequence[Event], first: Outputs, second: Outputs) -> None:
        """Bet on outputs that no event was chosen on; the events keep their order from round to round."""
        for purse, event in enumerate(events):
            likely, unlikely = (second, first) if event.swapped else (first, second)
            counts = _pair_counts(event, likely, unlikely)
            won = np.array([_growth(claim, event, counts) for claim in self._claims])
            self._purses[purse] = self._purses.get(purse, np.zeros(len(self._claims))) + won

    @property
    def disproved(self) -> float | None:
        """The highest level that is disproved together with all below it; None where the claim stands."""
        if not self._purses:
            return None
        logs = np.array(list(self._purses.values()))
        # The purses were of equal size at the start; their mean is a fair gambler's too.
        highest = logs.max(axis=0)
        wealth = highest + np.log(np.exp(logs - highest).mean(axis=0))
        # Only levels without a gap: the first one that stands ends the search, and so only one of them must not be
        # disproved by chance.
        standing = np.flatnonzero(wealth < self._enough)
        count = int(standing[0]) if len(standing) else len(self._claims)
        return self._claims[count - 1].level if count else None


def _pair_counts(event: Event, likely: Outputs, unlikely: Outputs) -> Floats:
    length = min(len(likely), len(unlikely))
    ours, theirs = event.hits(likely[:length]), event.hits(unlikely[:length])
    return np.bincount(2 * ours + theirs, minlength=4).astype(np.float64)


def _growth(claim: Statement, event: Event, counts: Floats) -> float:
    """The logarithm of what a stake grows to over a round, the fraction chosen from what was known before."""
    slope, height = line(claim, event.p, event.q)
    pays = np.array([-height, -slope - height, 1 - height, 1 - slope - height])
    if pays.max() <= 0:
        return 0.0
    p, q = (min(max(share, 1e-6), 1 - 1e-6) for share in (event.p, event.q))
    chances = np.array([(1 - p) * (1 - q), (1 - p) * q, p * (1 - q), p * q])
    with np.errstate(divide="ignore"):
        logs = np.log1p(np.outer(_FRACTIONS / max(-pays.min(), 1e-12), pays))
    # Half of the stake that the estimates call best: they are estimates.
    chosen = int(np.argmax(logs @ chances)) // 2
    return float(logs[chosen] @ counts)
