"""Pseudonyms: names are replaced, places are not, so that a person's places together tell who it is.

Someone who knows a few of a person's places, and no more, looks for the pseudonyms that were in all of them. What that
tells of the person is counted exactly, over every choice of places that could be known.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from leakgauge.arguments import checked
from leakgauge.errors import OptionError
from leakgauge.probability.cells import Codes

MOST_CHOICES = 5_000_000
"""Choices of known places, over all people, that are counted one by one."""


@dataclass(frozen=True)
class Recognised:
    """What some known places of a person tell of who it is, everybody and every choice of places alike.

    Attributes:
        people: with so many different places or more; the others are left out.
        known: how many of a person's places are known.
        information: I(person; known places), in bits.
        remaining: H(person | known places), in bits.
        recognised: the probability that the likeliest of those who were in all the places is the person.
        alone: the share of choices of places where nobody else was.
    """

    people: int
    known: int
    information: float
    remaining: float
    recognised: float
    alone: float


@checked
def recognised_by_places(people: Sequence[int] | Codes, places: Sequence[int] | Codes, known: int) -> Recognised:
    """What ``known`` different places of a person tell of who it is, in a table whose names are pseudonyms.

    P(places | person) is alike for every choice among the person's own, and people are equally likely; so the
    information is log2(people) less the mean entropy of who had these places.

    Args:
        people: whose each point is, by number.
        places: the area of each point, by number; −1 outside all areas is left out.
        known: how many of a person's places are known.

    Raises:
        OptionError: a number below 1, nobody with so many places, or more choices than can be counted.

    Example:
        >>> found = recognised_by_places([0, 0, 1, 1, 2, 2], [5, 6, 5, 7, 5, 6], known=2)
        >>> round(found.information, 4), round(found.recognised, 4), round(found.alone, 4)
        (0.9183, 0.6667, 0.3333)
    """
    if known < 1:
        raise OptionError("{known} known places reveal nothing; give 1 or more.", known=known)
    whose, where = np.asarray(people), np.asarray(places)
    pairs = np.unique(np.stack([whose[where >= 0], where[where >= 0]]), axis=1)
    _, starts = np.unique(pairs[0], return_index=True)
    own = [part for part in np.split(pairs[1], starts[1:]) if len(part) >= known]
    if not own:
        raise OptionError("Nobody has {known} different places; give fewer known ones.", known=known)
    choices = [math.comb(len(part), known) for part in own]
    if sum(choices) > MOST_CHOICES:
        raise OptionError(
            "{count:,} choices of {known} known places are too many to count; give fewer known places, or larger "
            "areas.",
            count=sum(choices),
            known=known,
        )
    chances: dict[tuple[int, ...], list[float]] = defaultdict(list)
    for part, count in zip(own, choices, strict=True):
        for chosen in combinations(part.tolist(), known):
            chances[chosen].append(1 / count / len(own))
    remaining = recognised = 0.0
    for held in chances.values():
        total = math.fsum(held)
        remaining += total * -math.fsum(chance / total * math.log2(chance / total) for chance in held)
        recognised += max(held)
    alone = sum(held[0] for held in chances.values() if len(held) == 1)
    return Recognised(
        len(own), known, max(math.log2(len(own)) - remaining, 0.0), remaining, min(recognised, 1.0), min(alone, 1.0)
    )
