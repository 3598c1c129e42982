"""How sure somebody becomes of a value."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from leakgauge.artefacts.quantity import Quantity
from leakgauge.artefacts.risks import PEOPLE, Certain
from leakgauge.case.law import Sight
from leakgauge.probability.cells import Codes, Floats, sums_by

NOTHING_LEFT = 1e-9
"""Chances of a wrong guess, or nats of uncertainty, below which nothing is left to protect."""
CERTAIN = 0.9
"""A guess that is right as often as this is called nearly certain."""
EXPOSED_TENTH = 0.1
"""Of those who share a value: the tenth of whom somebody becomes surest stands for them."""


def surest(sight: Sight, classes: Codes | None = None) -> tuple[float, int]:
    """How much surer somebody becomes about the most exposed tenth of those who share a value, and of which value.

    max over v of CVaR₁₀[P(v|w) − P(v|known) over the holders of v] / max over v of (1 − P(v)), from 0 to 1: 1 for a
    copy, 0 for a release that reveals nothing. It has no threshold that a release could stay just below.

    Args:
        sight: of values.
        classes: which values count as one, by their numbers; for numbers, whose neighbours are as good as they.
    """
    if classes is not None:
        sight = sight.of_classes(classes)
    gains = sight.posterior - _anyway(sight)
    return surest_of(sight.x, gains, sight.p, sums_by(sight.x, sight.p, sight.letters))


def surest_of(x: Codes, gains: Floats, weights: Floats, holders: Floats) -> tuple[float, int]:
    """The same of people with a value, what somebody gains of each, how many they are, and how many have each value."""
    each = most_exposed(x, gains, weights, len(holders))
    most = 1 - float(holders[holders > 0].min()) / float(holders.sum())
    worst = int(np.argmax(each))
    return (min(max(float(each[worst]) / most, 0.0), 1.0) if most > NOTHING_LEFT else 0.0), worst


def most_exposed(x: Codes, gains: Floats, weights: Floats, letters: int) -> Floats:
    """Of each value the mean gain over the tenth of its holders, by weight, for whom it is largest."""
    order = np.lexsort((-gains, x))
    x, gains, weights = x[order], gains[order], weights[order]
    held = sums_by(x, weights, letters)
    starts = np.concatenate([[0.0], np.cumsum(held)])[:-1]
    so_far = np.cumsum(weights) - weights - starts[x]
    # The one on the edge of the tenth counts with the part that is within it.
    within = np.clip(EXPOSED_TENTH * held[x] - so_far, 0.0, weights)
    means = np.full(letters, -np.inf)
    np.divide(sums_by(x, within * gains, letters), EXPOSED_TENTH * held, where=held > 0, out=means)
    return means


def newly_certain(found: Certain) -> float:
    """How many people become nearly certain by a release."""
    return found.people.value - found.before.value


def worst_certain(sight: Sight, people: int, names: Sequence[str]) -> Certain:
    """The people of the value of whose holders the largest part becomes all but certain, by the law of what is seen.

    Args:
        people: of the table, all of whom the law counts alike.
        names: of the values.
    """
    holders = sums_by(sight.x, sight.p, sight.letters)
    after, before = (
        sums_by(sight.x, sight.p * (posterior >= CERTAIN - NOTHING_LEFT), sight.letters)
        for posterior in (sight.posterior, _anyway(sight))
    )
    become = np.divide(after - before, holders, where=holders > 0, out=np.zeros(sight.letters))
    # Of values with the same part the one with more people; rounding decides nothing.
    worst = int(np.lexsort((after - before, become.round(9)))[-1])
    of_value, all_of_it, known = (Quantity(float(people * one[worst]), PEOPLE) for one in (after, holders, before))
    return Certain(names[worst], of_value, all_of_it, known)


def _anyway(sight: Sight) -> Floats:
    """Of each cell P(v|known), before the release."""
    before = sight.before
    given = np.zeros((sight.letters, len(before.known)))
    given[before.x, before.seen] = before.posterior
    return np.asarray(given[sight.x, sight.known[sight.seen]])
