"""What a tracker makes of released traces: the table's own, or those of simulated people."""

from __future__ import annotations

from typing import Final, Unpack

from leakgauge.arguments import checked
from leakgauge.artefacts import Quantity
from leakgauge.artefacts.location import LocationTrack, Tracked
from leakgauge.artefacts.request.places import PlaceProtection, Places, Tracking, TrackPlacesOptions
from leakgauge.errors import OptionError
from leakgauge.jobs.location.choice import Chosen, chosen
from leakgauge.jobs.location.places import Mapped, table_name
from leakgauge.languages import message
from leakgauge.location.areas import distances_apart
from leakgauge.location.mechanisms.placed import Placed
from leakgauge.location.observed_traces import observed_traces
from leakgauge.location.shown import bits, map_shown, metres
from leakgauge.location.traces.mobility import Mobility
from leakgauge.location.traces.windows import drawn_window_leakage, release_trace, window_leakage
from leakgauge.location.tracking.following import Traces, Tracker, movements_of_others
from leakgauge.location.tracking.movement import Movement, gravity, observed_moves
from leakgauge.mechanisms.mechanism import Law
from leakgauge.probability.cells import Codes
from leakgauge.randomness import Simulated
from leakgauge.sentences import Sentence
from leakgauge.tables import open_table
from leakgauge.tables.reading import reading_of

MOST_AREAS: Final = 1024
"""Areas up to which traces are tracked from the command line: some seconds for a thousand steps."""
DRAWN_STEPS: Final = 24
"""Steps of the trace on the map."""
SINGLE, FILTER, SMOOTHER = (
    message("one report at a time"),
    message("all reports so far"),
    message("all reports, earlier and later"),
)


@checked
def track_places(table: object, places: Places, **options: Unpack[TrackPlacesOptions]) -> LocationTrack:
    """How far trackers err who see one report, all reports so far, or all reports of a trace.

    Nothing is released: the noise of the experiment follows from the seed. Options are the fields of ``Tracking`` and
    ``PlaceProtection``, lengths in metres.

    Raises:
        OptionError: too many areas, no mechanism or several, or a mechanism whose releases are no areas.
        ColumnError: traces of the table without a column of times.
    """
    asked = Tracking.of_options(options)
    reach, window = asked.reach, asked.window
    with open_table(table, **reading_of(options)) as source:
        mapped = Mapped.of(places, source)
        if len(mapped.areas.labels) > MOST_AREAS:
            raise OptionError(
                "{count:,} areas are more than the {most:,} on which traces are tracked; choose larger cells.",
                count=len(mapped.areas.labels),
                most=MOST_AREAS,
            )
        truth, notes = _first(*_traces(mapped, asked), asked.steps)
    choice = chosen(mapped, places.column, PlaceProtection.of_options(options))
    law, middles = _law(mapped, choice)
    labels, points, prior = mapped.areas.labels, mapped.areas.points, mapped.prior
    base = gravity(labels, points, prior.probabilities, reach, reach / 3)
    movements, alone = movements_of_others(truth, Movement(prior, base))
    movement = Movement(prior, observed_moves(truth.areas, base, 1.0, truth.whose)) if alone is None else movements[0]
    reports = release_trace(truth.areas, law, Simulated(asked.seed), repeated=asked.repeated, traces=truth.whose)
    trackers = {
        SINGLE: Tracker([Movement.independent(prior)] * len(movements), repeated=False),
        FILTER: Tracker(movements, repeated=asked.repeated),
        SMOOTHER: Tracker(movements, repeated=asked.repeated, hindsight=True),
    }
    followed = {name: one.follow(law, truth, reports, points) for name, one in trackers.items()}
    channel = choice.mechanism.channel()
    assert channel is not None
    told = window_leakage(movement, channel, window, repeated=asked.repeated)
    whole = bits(told.high)
    if not told.exact:
        whole = Quantity(
            drawn_window_leakage(movement, law, window, repeated=asked.repeated, simulation_seed=asked.seed).value,
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
        simulated=None if asked.people is None else asked.seed,
        traces=len(truth.starts) - 1,
        steps=len(truth.areas),
        mechanism=choice.name,
        released_error=truth.mean(distances_apart(points, middles[reports], truth.areas)),
        attackers=tuple(
            Tracked(
                attacker=name,
                error=truth.mean(one.missed),
                predicted=metres(float(one.expected.mean())),
                within=Quantity(float((one.missed <= asked.within).mean()), "share"),
            )
            for name, one in followed.items()
        ),
        window=window,
        step_leakage=bits(float(told.parts.max())),
        window_leakage=whole,
        radius=metres(asked.within),
        warnings=(*notes, *(one for one in (alone, told.warning) if one is not None)),
        map=map_shown(mapped.areas, prior.probabilities, paths=paths),
    )


def _traces(mapped: Mapped, asked: Tracking) -> tuple[Traces, tuple[Sentence, ...]]:
    if asked.people is not None:
        town = Mobility(mapped.areas, mapped.prior, asked.reach / 3, asked.reach)
        return Traces.of_trips(town.simulate(asked.people, asked.days, asked.seed)), ()
    found = observed_traces(mapped.points, mapped.areas)
    inside = found.areas >= 0
    return Traces(found.areas[inside], found.traces[inside]), found.notices


def _first(traces: Traces, notes: tuple[Sentence, ...], steps: int) -> tuple[Traces, tuple[Sentence, ...]]:
    """Whole traces until there are so many steps, and what is said of the others."""
    if steps < 1:
        raise OptionError("--steps is {steps}; give a whole number of at least 1.", steps=steps)
    if len(traces.areas) <= steps:
        return traces, notes
    first = traces.first(steps)
    note = Sentence(
        "The first {steps:,} of {all:,} steps are tracked; give a larger --steps for more.",
        steps=len(first.areas),
        all=len(traces.areas),
    )
    return first, (*notes, note)


def _law(mapped: Mapped, choice: Chosen) -> tuple[Law, Codes]:
    """The law of the mechanism on the areas, and the area that each output is read as."""
    mechanism = choice.mechanism
    if mechanism.law is None or not choice.is_placed or mechanism.letters != mapped.areas.labels:
        raise OptionError(
            "{name!s} releases no areas of this map, so that no trace can be followed; choose another mechanism.",
            name=choice.name,
        )
    return mechanism.law, Placed(mechanism, choice.members).middles(mapped.distances)
