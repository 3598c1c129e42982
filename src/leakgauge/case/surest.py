"""How much surer an attacker becomes about the most exposed tenth of those who share a value, and of whom certain."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from leakgauge.artefacts.quantity import Quantity
from leakgauge.artefacts.risks import PEOPLE, Certain
from leakgauge.case.law import Sight
from leakgauge.probability.cells import Codes, Floats, sums_by

MOST_EXPOSED = 0.1
"""The part of those who share a value that counts: those about whom one becomes surest."""
CERTAIN = 0.9
"""A value is all but certain from this probability on."""
_ROUNDING = 1e-9


def surest(sight: Sight, classes: Codes | None = None) -> tuple[float, int]:
    """A share from 0 to 1 and the number of the value it is reached at.

    max over v of CVaR₁₀[P(v|W) − P(v|known) over the holders of v] / max over v of (1 − P(v)). CVaR₁₀ is the mean over
    the tenth of the holders of v, by weight and fractional at the edge, for whom it is largest. It is a mean over
    holders of the convex largest part, so that processing what is seen never adds to it; and it has no threshold at
    which it could be gamed.

    Args:
        sight: of values.
        classes: which values count as one: for numbers the tenths of their ranks.

    Example:
        >>> from leakgauge.case.law import ReleaseLaw
        >>> from leakgauge.probability import Channel, Distribution
        >>> source = Distribution(["ill", "well"], [0.1, 0.9])
        >>> surest(ReleaseLaw(source, Channel.identity(source.outcomes)).sight())
        (1.0, 0)
    """
    if classes is not None:
        sight = sight.of_classes(classes)
    holders = sums_by(sight.x, sight.p, sight.letters)
    gained = sight.posterior - _known(sight)
    order = np.lexsort((-gained, sight.x))
    x, p, gained = sight.x[order], sight.p[order], gained[order]
    # Of each value the tenth of its weight that comes first, a cell at the edge in part.
    before = np.cumsum(p) - p
    first = np.searchsorted(x, np.arange(sight.letters))
    start = before[np.minimum(first, len(before) - 1)]
    counted = np.clip(MOST_EXPOSED * holders[x] - (before - start[x]), 0.0, p)
    weights = sums_by(x, counted, sight.letters)
    sums = sums_by(x, counted * gained, sight.letters)
    means = np.divide(sums, weights, where=weights > 0, out=np.zeros(sight.letters))
    left = 1 - float(holders[holders > 0].min()) / float(holders.sum())
    worst = int(means.argmax())
    return (min(max(float(means[worst]) / left, 0.0), 1.0) if left > _ROUNDING else 0.0), worst


def worst_certain(sight: Sight, people: int, names: Sequence[str]) -> Certain:
    """The people of the value of whose holders the largest part becomes all but certain, by the law of what is seen.

    Args:
        people: of the table, all of whom the law counts alike.
        names: of the values.
    """
    holders = sums_by(sight.x, sight.p, sight.letters)
    after, before = (
        sums_by(sight.x, sight.p * (posterior >= CERTAIN - _ROUNDING), sight.letters)
        for posterior in (sight.posterior, _known(sight))
    )
    become = np.divide(after - before, holders, where=holders > 0, out=np.zeros(sight.letters))
    # Of values with the same part the one with more people; rounding decides nothing.
    worst = int(np.lexsort((after - before, become.round(9)))[-1])
    counted = (Quantity(float(people * one[worst]), PEOPLE) for one in (after, holders, before))
    return Certain(names[worst], *counted)


def _known(sight: Sight) -> Floats:
    """Of each cell P(v|known), before the release."""
    before = sight.before
    groups = len(before.known)
    # Cells of a sight without the release are sorted by value, then by what is known.
    places = np.searchsorted(before.x * groups + before.seen, sight.x * groups + sight.known[sight.seen])
    return np.asarray(before.posterior[places])
