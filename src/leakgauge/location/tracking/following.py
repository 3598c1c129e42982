"""Trackers who follow several traces whose truth is known, and how far off they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from leakgauge.artefacts import Quantity
from leakgauge.location.areas import distances_apart
from leakgauge.location.shown import metres
from leakgauge.location.traces.mobility import Trips
from leakgauge.location.tracking.evidence import Evidence
from leakgauge.location.tracking.markov import track
from leakgauge.location.tracking.movement import Movement, observed_moves
from leakgauge.mechanisms.mechanism import Law
from leakgauge.probability.cells import Codes, Floats
from leakgauge.sentences import Sentence

FOLDS: Final = 5
"""Parts of the traces: of each, movement is learnt from the others, since its own would give the answer away."""


@dataclass(frozen=True, eq=False)
class Traces:
    """True areas in order of time, and whose each is."""

    areas: Codes
    whose: Codes

    @classmethod
    def of_trips(cls, trips: Trips) -> Traces:
        """Those of simulated people, one after another."""
        people, hours = trips.areas.shape
        return cls(trips.areas.ravel(), np.repeat(np.arange(people), hours))

    @property
    def starts(self) -> Codes:
        """Where each trace starts, and where the last one ends."""
        new = np.flatnonzero(np.diff(self.whose, prepend=self.whose[0] - 1))
        return np.append(new, len(self.whose))

    def first(self, steps: int) -> Traces:
        """The first whole traces of at most so many steps together; so many steps of the first where it has more."""
        enough = int(np.searchsorted(self.starts, steps, side="right")) - 1
        end = int(self.starts[enough]) if enough > 0 else steps
        return Traces(self.areas[:end], self.whose[:end])

    def mean(self, lengths: Floats) -> Quantity:
        """The mean of a length over all steps with an interval over traces: steps of one trace err together."""
        starts = self.starts
        mean = float(lengths.mean())
        if len(starts) < 3:
            return metres(mean)
        sums = np.add.reduceat(lengths, starts[:-1])
        sizes = np.diff(starts)
        spread = float(np.sqrt(((sums - mean * sizes) ** 2).sum() * len(sizes) / (len(sizes) - 1)) / sizes.sum())
        return Quantity(mean, "m", max(mean - 1.96 * spread, 0.0), mean + 1.96 * spread, 0.95)


@dataclass(frozen=True, eq=False)
class Followed:
    """The guesses over all traces, how far each is off, and how far off it is expected to be, in metres."""

    guesses: Codes
    missed: Floats
    expected: Floats


@dataclass(frozen=True)
class Tracker:
    """Somebody who knows how people move: one movement for each trace."""

    movements: Sequence[Movement]
    repeated: bool
    hindsight: bool = False

    def follow(self, law: Law, truth: Traces, reports: Codes, points: Floats) -> Followed:
        """The guesses from the reports of a mechanism with this law, beside the truth."""
        found = []
        ends = zip(truth.starts[:-1].tolist(), truth.starts[1:].tolist(), strict=True)
        for movement, (start, end) in zip(self.movements, ends, strict=True):
            evidence = Evidence.through_law(law, len(points), reports[start:end], repeated=self.repeated)
            found.append(track(movement, evidence, points, hindsight=self.hindsight))
        guesses = np.concatenate([one.guesses for one in found])
        expected = np.concatenate([one.errors for one in found])
        return Followed(guesses, distances_apart(points, guesses, truth.areas), expected)


def movements_of_others(truth: Traces, assumed: Movement) -> tuple[list[Movement], Sentence | None]:
    """How people move, for each trace from those of others; assumed where there are none, which is said."""
    count = len(truth.starts) - 1
    if count < 2:
        return [assumed] * count, Sentence(
            "There is one trace, and no other to learn movement from: it is assumed to follow distances alone."
        )
    number = np.repeat(np.arange(count), np.diff(truth.starts))
    learnt = []
    for part in range(min(FOLDS, count)):
        others = number % FOLDS != part
        moves = observed_moves(truth.areas[others], assumed.transitions, 1.0, truth.whose[others])
        learnt.append(Movement(assumed.start, moves))
    return [learnt[at % FOLDS] for at in range(count)], None
