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
from leakgauge.audit.attacks.learner import MOST_ROWS
from leakgauge.audit.binomial import at_least, at_most
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
    and rows guessed right only without it, beside that of the baseline. Of numbers it is that of the squared errors of
    the best guess with the release beside those without.
    """
    by_law, targets = gained(sight, numbers), targets_of(rows)
    if numbers is not None:
        errors = (numbers[sight.x] - sight.means(numbers)[sight.seen]) ** 2
        usual_errors = (numbers[sight.x] - sight.before.means(numbers)[sight.known[sight.seen]]) ** 2
        # Errors with the release and without are of the same rows, so that A is a ratio of two paired means.
        deviation = _deviation(sight.p, (1 - by_law) * usual_errors - errors) / math.sqrt(targets)
        away = (_Z_OF_AUDIT + _Z_OF_DRAW) * deviation / sight.before.variance(numbers)
        return share(by_law, by_law - away, by_law + away, CONFIDENCE)
    guess, without = _best(sight), _best(sight.before)[sight.known[sight.seen]]
    right, usual = guess[sight.seen] == sight.x, without == sight.x
    gains, losses, baseline = (float(sight.p[where].sum()) for where in (right & ~usual, usual & ~right, usual))
    miss = 1 - CONFIDENCE
    most_usual = float(at_most(baseline * targets, targets, miss / 2))
    left, least_left = 1 - baseline, max(1 - most_usual, 1 / targets)

    def highest(gained_rows: float) -> float:
        most = at_most(min(gained_rows, 1.0) * targets, targets, miss / 4)
        return float(most - at_least(losses * targets, targets, miss / 4))

    lowest = float(at_least(gains * targets, targets, miss / 4) - at_most(losses * targets, targets, miss / 4))
    # A draw moves the success; which rows are scored moves the baseline, and what is left of it, with the success.
    slope = min(highest(gains) / least_left, 1.0)
    spread = gains + losses - (gains - losses) ** 2
    mean = gains - losses + slope * baseline
    with_baseline = gains + losses * (slope - 1) ** 2 + (baseline - losses) * slope**2 - mean**2
    drawn, both = (_Z_OF_DRAW * math.sqrt(max(one, 0.0) / targets) for one in (spread, with_baseline))
    high = (highest(gains + drawn) + max(both - drawn, 0.0)) / least_left
    low = max(lowest - drawn, 0.0) / left
    return share(by_law, min(low, by_law), max(high, by_law), CONFIDENCE)


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

    more, less = (_Z_OF_AUDIT * _deviation(sight.p, one) / math.sqrt(rows) + cells for one in (tells, surprise))
    nats, entropy = float(sight.p @ tells), float(sight.p @ surprise)
    by_law = told(sight, numbers)

    def ratio(bits: float, whole: float) -> float:
        if whole <= 0 or bits >= whole:
            return 1.0
        return bits / whole if numbers is None else math.expm1(-2 * bits) / math.expm1(-2 * whole)

    low, high = ratio(max(nats - more, 0.0), entropy + less), ratio(nats + more, entropy - less)
    return share(by_law, min(low, by_law), max(high, by_law), CONFIDENCE)


def _deviation(p: Floats, values: Floats) -> float:
    """The standard deviation of values with these probabilities."""
    mean = float(p @ values)
    return math.sqrt(max(float(p @ (values - mean) ** 2), 0.0))


def _best(sight: Sight) -> Codes:
    """Of each thing seen the likeliest value, the first of several."""
    most = np.zeros(len(sight.known))
    np.maximum.at(most, sight.seen, sight.p)
    guess = np.full(len(sight.known), sight.letters)
    ties = sight.p >= most[sight.seen]
    np.minimum.at(guess, sight.seen[ties], sight.x[ties])
    return np.asarray(guess)
