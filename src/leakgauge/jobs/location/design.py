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
from leakgauge.jobs.location.choice import Chosen, in_numbers, least_leaking
from leakgauge.jobs.location.places import Mapped, table_name
from leakgauge.location.mechanisms.placed import released_shares
from leakgauge.location.shown import metres
from leakgauge.mechanisms.finite import through_channel
from leakgauge.probability import PriorOrigin
from leakgauge.probability.files import NamedChannel
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
    """The channel that leaks least or errs least on the areas of a table, and its file.

    Args:
        max_distance: the least leakage at this mean distance, in metres.
        max_leakage: or the least mean distance at these bits.
        epsilon_per_km: or the least mean distance at this metric privacy.
        within: how near a tracker's guess counts as near, in metres.

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
    designed = LocationDesign(
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
    return designed, file


def _within_epsilon(mapped: Mapped, epsilon: float, column: str) -> tuple[Chosen, Quantity]:
    from leakgauge.design.metric_privacy import least_distance

    solution = least_distance(mapped.prior, mapped.distances / 1000, epsilon)
    exact = through_channel(solution.channel)
    own = NamedChannel(exact.channel(), (column,), (column,), PriorOrigin.THIS_TABLE)
    gap = max(solution.distance - solution.lower_bound, 0.0) * 1000
    return Chosen(exact, Role.DESIGNED, LEAST_DISTANCE, own), metres(gap)
