"""What a tracker makes of released traces: the table's own, or those of simulated people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Unpack

import numpy as np

from leakgauge.arguments import checked
from leakgauge.artefacts import Quantity
from leakgauge.artefacts.location import LocationTrack, Tracked
from leakgauge.errors import OptionError
from leakgauge.jobs.location.choice import Chosen, chosen
from leakgauge.jobs.location.design import WITHIN
from leakgauge.jobs.location.places import Mapped, Places, table_name
from leakgauge.jobs.location.shown import bits, map_shown, metres
from leakgauge.languages import message
from leakgauge.location.mechanisms import Placed
from leakgauge.location.observed_traces import observed_traces
from leakgauge.location.traces.mobility import Mobility
from leakgauge.location.traces.release import release_trace
from leakgauge.location.traces.windows import drawn_window_leakage, window_leakage
from leakgauge.location.tracking.evidence import Evidence
from leakgauge.location.tracking.markov import track
from leakgauge.location.tracking.movement import Movement, gravity, observed_moves
from leakgauge.mechanisms.mechanism import Law
from leakgauge.probability.cells import Codes, Floats
from leakgauge.randomness import Simulated
from leakgauge.sentences import Sentence
from leakgauge.tables import open_table
from leakgauge.tables.reading import ReadingOptions

MOST_AREAS: Final = 1024
"""Areas up to which traces are tracked from the command line: some seconds for a thousand steps."""
MOST_STEPS: Final = 5000
"""Steps that are tracked unless more are asked for."""
DRAWN_STEPS: Final = 24
"""Steps of the trace on the map."""
REACH: Final = 10_000.0
FOLDS: Final = 5
"""Parts of the traces: of each, movement is learnt from the others, since its own would give the answer away."""
SINGLE, FILTER, SMOOTHER = (
    message("one report at a time"),
    message("all reports so far"),
    message("all reports, earlier and later"),
)


@dataclass(frozen=True)
class Traces:
    """True areas in order of time, and whose each is."""

    areas: Codes
    whose: Codes

    @property
    def starts(self) -> Codes:
        """Where each trace starts, and where the last one ends."""
        new = np.flatnonzero(np.diff(self.whose, prepend=self.whose[0] - 1))
        return np.append(new, len(self.whose))


@checked
def track_places(
    table: object,
    places: Places,
    *,
    epsilon_per_km: float | None = None,
    max_distance: float | None = None,
    max_leakage: float | None = None,
    mechanism: str | None = None,
    people: int | None = None,
    days: int = 1,
    seed: int = 1,
    repeated: bool = False,
    reach: float = REACH,
    steps: int = MOST_STEPS,
    window: int = 3,
    within: float = WITHIN,
    **reading: Unpack[ReadingOptions],
) -> LocationTrack:
    """How far trackers err who see one report, all reports so far, or all reports of a trace.

    Nothing is released: the noise of the experiment follows from the seed.

    Args:
        epsilon_per_km: and its neighbours choose the mechanism, as of ``protect_places``.
        people: so many simulated people, who live where the points are, instead of the table's own traces.
        days: that they are followed for.
        repeated: whether a report is repeated as long as somebody stays, instead of drawn anew.
        reach: how far somebody may be at the next step, in metres.
        steps: that are tracked at most: whole traces, as they come, until there are so many.
        window: steps of the window whose leakage is told.
        within: how near a guess counts as near, in metres.

    Raises:
        OptionError: too many areas, no mechanism or several, or a mechanism whose releases are no areas.
        ColumnError: traces of the table without a column of times.
    """
    with open_table(table, **reading) as source:
        mapped = places.counted(source)
        if len(mapped.areas.labels) > MOST_AREAS:
            raise OptionError(
                "{count:,} areas are more than the {most:,} on which traces are tracked; choose larger cells.",
                count=len(mapped.areas.labels),
                most=MOST_AREAS,
            )
        truth, notes = _first(*_traces(mapped, people, days, seed, reach), steps)
    choice = chosen(
        mapped,
        places.column,
        epsilon_per_km=epsilon_per_km,
        max_distance=max_distance,
        max_leakage=max_leakage,
        mechanism=mechanism,
    )
    law, middles = _law(mapped, choice)
    labels, points, prior = mapped.areas.labels, mapped.areas.points, mapped.prior
    base = gravity(labels, points, prior.probabilities, reach, reach / 3)
    movements, alone = _movements(truth, Movement(prior, base))
    movement = Movement(prior, observed_moves(truth.areas, base, 1.0, truth.whose)) if alone is None else movements[0]
    reports = release_trace(truth.areas, law, Simulated(seed), repeated=repeated, traces=truth.whose)
    trackers = {
        SINGLE: _Tracker([Movement.independent(prior)] * len(movements), repeated=False),
        FILTER: _Tracker(movements, repeated=repeated),
        SMOOTHER: _Tracker(movements, repeated=repeated, hindsight=True),
    }
    followed = {name: one.follow(law, truth, reports, points) for name, one in trackers.items()}
    off = np.hypot(*(points[middles[reports]] - points[truth.areas]).T)
    channel = choice.mechanism.channel()
    assert channel is not None
    told = window_leakage(movement, channel, window, repeated=repeated)
    whole = bits(told.high)
    if not told.exact:
        whole = Quantity(
            drawn_window_leakage(movement, law, window, repeated=repeated, simulation_seed=seed).value,
            "bits",
            told.low,
            told.high,
            1.0,
        )
    shown = slice(0, min(DRAWN_STEPS, int(truth.starts[1])))
    paths = {
        "true": truth.areas[shown],
        "released": middles[reports[shown]],
        "inferred": followed[SMOOTHER].guesses[shown],
    }
    return LocationTrack(
        table=table_name(table),
        areas=mapped.told,
        simulated=None if people is None else seed,
        traces=len(truth.starts) - 1,
        steps=len(truth.areas),
        mechanism=choice.name,
        released_error=_mean(off, truth),
        attackers=tuple(
            Tracked(
                attacker=name,
                error=_mean(one.missed, truth),
                predicted=metres(float(one.expected.mean())),
                within=Quantity(float((one.missed <= within).mean()), "share"),
            )
            for name, one in followed.items()
        ),
        window=window,
        step_leakage=bits(float(told.parts.max())),
        window_leakage=whole,
        radius=metres(within),
        warnings=(*notes, *(one for one in (alone, told.warning) if one is not None)),
        map=map_shown(mapped.areas, prior.probabilities, paths=paths),
    )


@dataclass(frozen=True)
class _Followed:
    guesses: Codes
    missed: Floats
    expected: Floats


@dataclass(frozen=True)
class _Tracker:
    """Somebody who knows how people move: one movement for each trace."""

    movements: Sequence[Movement]
    repeated: bool
    hindsight: bool = False

    def follow(self, law: Law, truth: Traces, reports: Codes, points: Floats) -> _Followed:
        """The guesses over all traces, how far each is off, and how far off it is expected to be."""
        found = []
        ends = zip(truth.starts[:-1].tolist(), truth.starts[1:].tolist(), strict=True)
        for movement, (start, end) in zip(self.movements, ends, strict=True):
            evidence = Evidence.through_law(law, len(points), reports[start:end], repeated=self.repeated)
            found.append(track(movement, evidence, points, hindsight=self.hindsight))
        guesses = np.concatenate([one.guesses for one in found])
        missed = np.hypot(*(points[guesses] - points[truth.areas]).T)
        return _Followed(guesses, np.asarray(missed), np.concatenate([one.errors for one in found]))


def _movements(truth: Traces, assumed: Movement) -> tuple[list[Movement], Sentence | None]:
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


def _traces(
    mapped: Mapped, people: int | None, days: int, seed: int, reach: float
) -> tuple[Traces, tuple[Sentence, ...]]:
    if people is not None:
        town = Mobility(mapped.areas, mapped.prior, reach / 3, reach)
        trips = town.simulate(people, days, seed).areas
        return Traces(trips.ravel(), np.repeat(np.arange(people), trips.shape[1])), ()
    found = observed_traces(mapped.points, mapped.areas)
    inside = found.areas >= 0
    return Traces(found.areas[inside], found.traces[inside]), found.notices


def _first(traces: Traces, notes: tuple[Sentence, ...], steps: int) -> tuple[Traces, tuple[Sentence, ...]]:
    """Whole traces until there are so many steps, and what is said of the others."""
    if steps < 1:
        raise OptionError("--steps is {steps}; give a whole number of at least 1.", steps=steps)
    if len(traces.areas) <= steps:
        return traces, notes
    enough = int(np.searchsorted(traces.starts, steps, side="right")) - 1
    end = int(traces.starts[enough]) if enough > 0 else steps
    note = Sentence(
        "The first {steps:,} of {all:,} steps are tracked; give a larger --steps for more.",
        steps=end,
        all=len(traces.areas),
    )
    return Traces(traces.areas[:end], traces.whose[:end]), (*notes, note)


def _law(mapped: Mapped, choice: Chosen) -> tuple[Law, Codes]:
    """The law of the mechanism on the areas, and the area that each output is read as."""
    mechanism = choice.mechanism
    if mechanism.law is None or not choice.is_placed or mechanism.letters != mapped.areas.labels:
        raise OptionError(
            "{name!s} releases no areas of this map, so that no trace can be followed; choose another mechanism.",
            name=choice.name,
        )
    return mechanism.law, Placed(mechanism, choice.members).middles(mapped.distances)


def _mean(values: Floats, traces: Traces) -> Quantity:
    """The mean over all steps with an interval over traces: steps of one trace err together."""
    starts = traces.starts
    mean = float(values.mean())
    if len(starts) < 3:
        return metres(mean)
    sums = np.add.reduceat(values, starts[:-1])
    sizes = np.diff(starts)
    spread = float(np.sqrt(((sums - mean * sizes) ** 2).sum() * len(sizes) / (len(sizes) - 1)) / sizes.sum())
    return Quantity(mean, "m", max(mean - 1.96 * spread, 0.0), mean + 1.96 * spread, 0.95)
