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
from leakgauge.audit.levels import at_level, line
from leakgauge.audit.outputs import Outputs
from leakgauge.audit.partitions import Partition
from leakgauge.claims import Statement
from leakgauge.probability.cells import Codes, Floats

_TIMES = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0)
_ABOVE = (0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 12.0)
"""How far above the claim levels are bet against too, in shares of it and plainly: a broken claim gets a number."""
_FRACTIONS = np.linspace(0, 0.95, 39)
STAKES = 25.0
"""What all kinds of events may stake together, in two directions; a stake that is never used keeps what it holds."""


class Bets:
    """Wealth against a claim and against higher levels of the same notion, one purse a kind of event and direction."""

    def __init__(self, claim: Statement, miss: float) -> None:
        steps = {0.0, *(claim.level * times for times in _TIMES), *_ABOVE}
        # Nothing can be won against an infinite claim.
        levels = sorted(claim.level + step for step in steps) if claim.level < math.inf else []
        self._claims = [at_level(claim, level) for level in levels]
        self._enough = math.log(1 / miss)
        self._purses: dict[tuple[str, bool], Floats] = {}
        self._stakes: dict[tuple[str, bool], float] = {}

    def play(self, events: Sequence[Event], first: Outputs, second: Outputs) -> None:
        """Bet on outputs that no event was chosen on."""
        length = min(len(first), len(second))
        placed: dict[Partition, tuple[Codes, Codes]] = {}
        for event in events if self._claims else ():
            if event.partition not in placed:
                places = event.partition.places
                placed[event.partition] = places(first[:length]), places(second[:length])
            first_hit, second_hit = (event.members[places] for places in placed[event.partition])
            ours, theirs = (second_hit, first_hit) if event.swapped else (first_hit, second_hit)
            # How often neither is hit, the one less likely alone, the likelier alone, and both.
            counts = np.bincount(2 * ours + theirs, minlength=4).astype(np.float64)
            won = _growth(self._claims, event, counts)
            purse = (event.partition.name, event.swapped)
            self._stakes[purse] = event.partition.stake
            self._purses[purse] = self._purses.get(purse, np.zeros(len(self._claims))) + won

    @property
    def log_wealth(self) -> Floats:
        """The logarithm of what 1 has grown to, against the claim and each higher level."""
        # What all purses held at the start, used or not, is fixed: the sum is a fair gambler's too.
        used = np.array(list(self._stakes.values()))
        shares = np.append(used, STAKES - used.sum()) / STAKES
        logs = np.stack([*self._purses.values(), np.zeros(len(self._claims))])
        return np.asarray(np.logaddexp.reduce(logs + np.log(shares)[:, None], axis=0))

    @property
    def disproved(self) -> float | None:
        """The highest level that is disproved together with all below it; None where the claim stands."""
        # Only levels without a gap: the first one that stands ends the search, and so only one of them must not be
        # disproved by chance.
        standing = np.flatnonzero(self.log_wealth < self._enough)
        count = int(standing[0]) if len(standing) else len(self._claims)
        return self._claims[count - 1].level if count else None


def _growth(claims: Sequence[Statement], event: Event, counts: Floats) -> Floats:
    """The logarithm of what a stake grows to over a round, the fraction chosen from what was known before."""
    slope, height = np.array([line(claim, event.p, event.q) for claim in claims]).T
    pays = np.stack([-height, -slope - height, 1 - height, 1 - slope - height], axis=-1)
    p, q = (min(max(share, 1e-6), 1 - 1e-6) for share in (event.p, event.q))
    chances = np.array([(1 - p) * (1 - q), (1 - p) * q, p * (1 - q), p * q])
    fractions = _FRACTIONS / np.maximum(-pays.min(axis=1, keepdims=True), 1e-12)
    logs = np.log1p(fractions[:, :, None] * pays[:, None, :])
    # Half of the stake that the estimates call best: they are estimates.
    chosen = np.argmax(logs @ chances, axis=1) // 2
    grown = logs[np.arange(len(claims)), chosen] @ counts
    return np.where(pays.max(axis=1) > 0, grown, 0.0)
