"""What an audit of one drawn release may show, before it is drawn: the gains by law with an interval around each.

An attack is tried on so many rows. Its success on them varies with the noise that was drawn, and the audit puts an
interval around what it saw: the upper end here is beyond the audit's own upper end in 99 of 100 releases. Bits are
computed from the table's counts and the channel, so that nothing drawn is in them; the audit's interval is about the
people whom the table stands for.
"""

from __future__ import annotations

import math

import numpy as np

from leakgauge.artefacts import Quantity
from leakgauge.artefacts.dials import share
from leakgauge.assessment.dials.protection import gained, told
from leakgauge.assessment.dials.sight import Sight
from leakgauge.audit import binomial
from leakgauge.audit.attacks.learner import MOST_ROWS
from leakgauge.probability.cells import Codes, Floats, log_or_zero

SCORED = 0.3
"""The share of the rows that the attacker who learns is scored on: fewer than other attacks are, so the widest."""
CONFIDENCE = 0.95
"""Of the audit's intervals."""
_Z_OF_AUDIT, _Z_OF_DRAW = 1.96, 2.33
"""Standard deviations of an interval that misses 5 % on both sides together, and of one that misses 1 % on one side."""


def targets_of(rows: int) -> int:
    """On how many rows of a release of so many the audit scores its attacks, at least."""
    return max(int(SCORED * min(rows, MOST_ROWS)), 1)


def gained_when_drawn(sight: Sight, rows: int, numbers: Floats | None = None) -> Quantity:
    """A with the ends that an audit of a release of so many rows shows.

    Of guesses the audit's interval is that of the difference of two shares, rows guessed right only with the release
    and rows guessed right only without it, beside that of the baseline. Of numbers it is that of the mean squared
    error of the best guess.
    """
    by_law, targets = gained(sight, numbers), targets_of(rows)
    if numbers is not None:
        squares = (numbers[sight.x] - sight.means(numbers)[sight.seen]) ** 2
        mean = float(sight.p @ squares)
        deviation = math.sqrt(max(float(sight.p @ squares**2) - mean**2, 0.0) / targets)
        away = (_Z_OF_AUDIT + _Z_OF_DRAW) * deviation / sight.before.variance(numbers)
        return share(by_law, by_law - away, by_law + away, CONFIDENCE)
    guess, without = _best(sight), _best(sight.before)[sight.known[sight.seen]]
    right, usual = guess[sight.seen] == sight.x, without == sight.x
    gains, losses, baseline = (float(sight.p[where].sum()) for where in (right & ~usual, usual & ~right, usual))
    found = binomial.difference(round(gains * targets), round(losses * targets), targets, CONFIDENCE)
    usually = binomial.share(round(baseline * targets), targets, CONFIDENCE)
    # Both shares are of the rows that are scored, so that the draw moves the success and the baseline.
    drawn = _Z_OF_DRAW * math.sqrt(max(gains + losses - (gains - losses) ** 2, 0.0) / targets)
    left, least_left = 1 - baseline, max(1 - usually.high, 1 / targets)
    low = max(found.low - drawn, 0.0) / left
    return share(by_law, min(low, by_law), max((found.high + drawn) / least_left, by_law), CONFIDENCE)


def told_when_drawn(sight: Sight, rows: int, numbers: Floats | None = None) -> Quantity:
    """B with the ends that an audit of a table of so many rows shows.

    By the variance of what each row tells, ln p(x|seen) − ln p(x|known), and of its surprise, − ln p(x|known); counts
    of n rows have too much information, and too little entropy, by half of the cells over n.
    """
    before = sight.before
    known = np.zeros((sight.letters, len(before.known)))
    known[before.x, before.seen] = log_or_zero(before.posterior)
    surprise = -known[sight.x, sight.known[sight.seen]]
    tells = log_or_zero(sight.posterior) + surprise
    cells = len(before.p) / (2 * rows)

    def away(values: Floats) -> float:
        mean = float(sight.p @ values)
        return _Z_OF_AUDIT * math.sqrt(max(float(sight.p @ values**2) - mean**2, 0.0) / rows) + cells

    nats, entropy = float(sight.p @ tells), float(sight.p @ surprise)
    by_law = told(sight, numbers)

    def ratio(bits: float, whole: float) -> float:
        if whole <= 0 or bits >= whole:
            return 1.0
        return bits / whole if numbers is None else math.expm1(-2 * bits) / math.expm1(-2 * whole)

    low = ratio(max(nats - away(tells), 0.0), entropy + away(surprise))
    high = ratio(nats + away(tells), entropy - away(surprise))
    return share(by_law, min(low, by_law), max(high, by_law), CONFIDENCE)


def _best(sight: Sight) -> Codes:
    """Of each thing seen the likeliest value, the first of several."""
    most = np.zeros(len(sight.known))
    np.maximum.at(most, sight.seen, sight.p)
    guess = np.full(len(sight.known), sight.letters)
    ties = sight.p >= most[sight.seen]
    np.minimum.at(guess, sight.seen[ties], sight.x[ties])
    return np.asarray(guess)
