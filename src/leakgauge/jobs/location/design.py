"""A channel on areas, designed: the one that leaks least at a distance, or errs least at an ε per kilometre."""

from __future__ import annotations

from typing import Unpack

from leakgauge.arguments import checked
from leakgauge.artefacts import ChannelFile, Quantity
from leakgauge.artefacts.design import Role
from leakgauge.artefacts.location import LocationDesign
from leakgauge.artefacts.request.places import WITHIN, Places
from leakgauge.design import MaxDistortion, MaxLeakage
from leakgauge.errors import OptionError
from leakgauge.jobs.location.choice import Chosen, designed, in_numbers, least_leaking
from leakgauge.jobs.location.places import Mapped, table_name
from leakgauge.location.mechanisms.placed import released_shares
from leakgauge.location.shown import metres
from leakgauge.probability import PriorOrigin
from leakgauge.tables import open_table
from leakgauge.tables.reading import ReadingOptions

LEAST_DISTANCE = "least distance at this ε"


@checked
def design_places(
    table: object,
    places: Places,
    *,
    max_distance: float | None = None,
    max_leakage: float | None = None,
    epsilon_per_km: float | None = None,
    within: float = WITHIN,
    **reading: Unpack[ReadingOptions],
) -> tuple[LocationDesign, ChannelFile]:
    """The channel that leaks least at a mean distance in metres, or errs least at a leakage in bits or at a metric
    privacy, on the areas of a table, and its file.

    Raises:
        OptionError: no target or several, or too many areas.
        RefusalError: no channel meets the target.
    """
    given = [one for one in (max_distance, max_leakage, epsilon_per_km) if one is not None]
    if len(given) != 1:
        raise OptionError(
            "The target is given in {count} ways; give exactly one of --max-distance, --max-leakage and "
            "--epsilon-per-km.",
            count=len(given),
        )
    with open_table(table, **reading) as source:
        mapped = Mapped.of(places, source)
    if epsilon_per_km is not None:
        choice, gap = _within_epsilon(mapped, epsilon_per_km, places.column)
    else:
        target = MaxDistortion(max_distance) if max_distance is not None else MaxLeakage(max_leakage or 0.0)
        choice = least_leaking(mapped, target, places.column)
        gap = Quantity(choice.gap or 0.0, "bits")
    found = in_numbers(mapped, choice, within)
    file = choice.file
    assert found is not None and found[1] is not None and file is not None
    told, inference = found[0], found[1]
    channel = choice.mechanism.channel()
    assert channel is not None
    design = LocationDesign(
        table=table_name(table),
        areas=mapped.told,
        kind="least leakage" if epsilon_per_km is None else "least distance",
        designed=told,
        gap=gap,
        entropy=mapped.entropy,
        best_guess=mapped.best_guess,
        radius=metres(within),
        prior=PriorOrigin.THIS_TABLE,
        keep_inside=True,
        map=mapped.map(error=inference.errors, released=released_shares(mapped.prior, channel)),
    )
    return design, file


def _within_epsilon(mapped: Mapped, epsilon: float, column: str) -> tuple[Chosen, Quantity]:
    from leakgauge.design.metric_privacy import least_distance

    solution = least_distance(mapped.prior, mapped.distances / 1000, epsilon)
    gap = max(solution.distance - solution.lower_bound, 0.0) * 1000
    return designed(solution.channel, column, Role.DESIGNED, LEAST_DISTANCE), metres(gap)
