"""What is left of each released column, and what usefulness costs in leakage."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.artefacts.design import Comparison, Design, Frontier
from leakgauge.artefacts.measurement import Utility
from leakgauge.artefacts.report import Paragraph
from leakgauge.languages import message
from leakgauge.telling.blocks import Content, Inline, Number, unprinted
from leakgauge.telling.columns import (
    bins_of,
    kept_associations,
    less_telling_columns,
    plan_columns,
    planned_columns,
    protected_columns,
    written_by,
)
from leakgauge.telling.pictures import ReleasedPoint, pictures, released_point
from leakgauge.telling.promises import asked_epsilon
from leakgauge.telling.voice import Voice, mechanism_of, own, spelled, yes_or_no

_SHOWN = 9
"""Points of the curve that are listed; the picture has all."""


def usefulness(voice: Voice, *, short: bool = False) -> Iterator[Content]:
    """What is left of each released column, where it was measured; of what it lacks alone where it is to be short."""
    found = voice.results.utility
    if found is None:
        return
    # Everybody may know the shares at most, which stand with the decision.
    if not found.columns or voice.external:
        yield from _numbers(voice, found)
        return
    yield from (*(Paragraph("warning", said) for said in never_released(voice)), *_dropped(voice, found))
    if short:
        yield from _numbers(voice, found)
        return
    rows = [
        (
            own(column),
            yes_or_no(voice, one.protected),
            voice.cell(one, "unchanged", percent=True),
            voice.cell(one.distortion, "value", interval=one.distortion),
            voice.cell(one, "total_variation", percent=True),
        )
        for column, one in found.columns.items()
    ]
    yield from voice.grid(
        "Utility per column", "Column|Protected|Values unchanged|Mean distortion|Shift of shares", rows
    )
    words = voice.say(
        "Shift of shares (total variation): the most by which the share of any group of values differs "
        "between original and release."
    )
    if bins_of(voice):
        words += voice.say(" A column in bins is compared with its bins, not with its exact values.")
    yield words
    yield from pictures(voice, "shares")
    yield from _numbers(voice, found)
    yield from _coarser(voice, found)


def _dropped(voice: Voice, found: Utility) -> Iterator[Content]:
    """The rows whose value is never released, for which no reader can correct."""
    for column, one in found.columns.items():
        if one.dropped is not None and one.dropped.value > 0:
            yield voice.alarm(
                "{share} of the rows have a value of {column} that is never, or hardly ever, released.",
                share=voice.number(one, "dropped"),
                column=own(column),
            )


def _coarser(voice: Voice, found: Utility) -> Iterator[Content]:
    """What is lost of public columns that are coarser, or suppressed in part."""
    rows = [
        (own(column), voice.cell(one, "unchanged", percent=True), voice.cell(one, "lost"), voice.cell(one, "covered"))
        for column, one in found.columns.items()
        if one.lost is not None
    ]
    yield from voice.grid(
        "Coarser columns", "Column|Values unchanged|Bits lost|Values that a released one stands for", rows
    )
    if rows:
        yield voice.say(
            "A coarser or missing value is not wrong, since it includes the true value. Lost is H(original|released), "
            "what stays unknown about a value once the released one is known; a missing value stands for all values."
        )


def _numbers(voice: Voice, found: Utility) -> Iterator[Content]:
    """How far released numbers are from the true ones, and how many lie beyond their bounds."""
    errors, bounds = ("allowed", "promised", "measured"), ("lower", "upper")
    yield from voice.grid(
        "Mean error of released numbers",
        "Column|Allowed|Theoretical maximum|In this release",
        [(own(column), *(voice.cell(one, name) for name in errors)) for column, one in found.numbers.items()],
    )
    if found.numbers:
        yield voice.say(
            "The error is the mean distance between the true number and the released one, or the centre of the "
            "released bin."
        )
    rows = []
    for column, one in found.numbers.items():
        allowed, promised = one.allowed, one.promised
        if allowed is not None and promised is not None and promised.value > allowed.value * (1 + 1e-9):
            yield voice.alarm(
                "On this table the mean error of {column} may be larger than required: the mechanism was "
                "designed for another table.",
                column=own(column),
            )
        if one.lower is not None:
            shares = (voice.cell(one, name, percent=True) for name in ("beyond", "released_beyond"))
            ends = (voice.cell(one, name) for name in bounds)
            rows.append((own(column), *ends, *shares, yes_or_no(voice, one.clamped)))
    yield from voice.grid(
        "Bounds of released numbers",
        "Column|Lower bound|Upper bound|Values beyond them|Noise beyond them|Clamped",
        rows,
    )
    if rows:
        yield voice.say(
            "Values beyond the bounds count as the nearest bound before noise is added. The noise may carry numbers "
            "beyond the bounds again; they are impossible values unless they were clamped."
        )


def never_released(voice: Voice) -> Iterator[Inline]:
    """Of each protected column how many of its values the release never has; anybody sees as much in the release."""
    columns, planned = plan_columns(voice), planned_columns(voice)
    for column in (*planned, *less_telling_columns(voice)):
        found = _never_released(voice, columns[column].channel if column in columns else None)
        if found is None and len(protected_columns(voice)) == 1 and column in planned:
            found = _never_released(voice, voice.results.channel)
        if found is not None:
            yield voice.say(
                "{never} of {known} values of {column} never appear in the release, however often they occur.",
                never=found[0],
                known=found[1],
                column=written_by(voice, column),
            )


def _never_released(voice: Voice, channel: ChannelFile | None) -> tuple[Number, Number] | None:
    """How many values of a channel never appear in the release, and of how many; None where all do."""
    if channel is None or not channel.matrix or not channel.outputs.labels:
        return None
    never, known = voice.counted(channel, "matrix"), voice.counted(channel.outputs, "labels")
    return (never, known) if never.value else None


def frontier(voice: Voice) -> Iterator[Content]:
    """The least leakage for each distortion, this release on it, and what other mechanisms waste."""
    found, compared = voice.results.frontier, voice.results.comparison
    if found is not None or compared is not None:
        drawn = [*pictures(voice, "frontier")]
        yield from (*drawn, *_gap(voice))
        points = () if found is None else _points(voice, found)
        # The picture has them all.
        yield from unprinted(points) if drawn else points
    if compared is not None:
        yield from _comparison(voice, compared)


def _leakage_field(found: Design | Frontier | Comparison) -> str:
    """Which leakage counts: with what the attacker knows, where that was designed against."""
    return "leakage_with_background" if found.knowledge in ("attacker", "both") else "leakage"


_NONE_LESS: Final = {
    ("nothing", False): message(
        "This release leaks {leakage} at a mean distortion of {distortion}, within {gap} of the proven "
        "minimum of all channels."
    ),
    ("shares", False): message(
        "This release leaks {leakage} at a mean distortion of {distortion}, within {gap} of the proven "
        "minimum of all channels that keep the shares."
    ),
    ("nothing", True): message(
        "This release leaks {leakage} at a mean distortion of {distortion}, within {gap} of the proven "
        "minimum of all channels within the required ε."
    ),
    ("shares", True): message(
        "This release leaks {leakage} at a mean distortion of {distortion}, within {gap} of the proven "
        "minimum of all channels within the required ε that keep the shares."
    ),
    ("associations", False): message(
        "This release leaks {leakage} at a mean distortion of {distortion}, within {gap} of the proven "
        "minimum of all channels that keep the associations with {columns}."
    ),
    ("associations", True): message(
        "This release leaks {leakage} at a mean distortion of {distortion}, within {gap} of the proven "
        "minimum of all channels within the required ε that keep the associations with {columns}."
    ),
}
"""What the gap proves, by what is kept and by whether a bound on ε is kept too."""


def _gap(voice: Voice) -> Iterator[Content]:
    design, found = voice.results.design, voice.results.frontier
    if design is not None:
        yield voice.say(
            _NONE_LESS[design.keep, asked_epsilon(voice) is not None],
            columns=voice.listed(kept_associations(voice)),
            leakage=voice.number(design, _leakage_field(design)),
            distortion=voice.number(design.distortion, "value"),
            gap=voice.number(design, "gap", digits=2),
        )
    elif (point := released_point(voice)) is not None:
        yield from () if found is None else _above(voice, found, point)
    elif not voice.released and found is not None:
        yield voice.say("Each point can be achieved; the required release is not among them.")


def _above(voice: Voice, found: Frontier, point: ReleasedPoint) -> Iterator[Content]:
    """How far a release that was not designed lies above the curve, by the last point that distorts no more."""
    field = _leakage_field(found)
    leakage = voice.maybe(voice.results.leakage, "mutual_information" if field == "leakage" else field)
    below = [one for one in found.points if one.distortion.value <= point.distortion.value]
    if not below or leakage is None:
        return
    fields = {"leakage": leakage, "distortion": voice.number(point.distortion, "value")}
    ranking = () if voice.results.comparison is None else voice.results.comparison.ranking
    ranked = next((one for one in ranking if spelled(one.mechanism) == point.mechanism), None)
    if ranked is not None:
        yield voice.say(
            "This release leaks {leakage} at a mean distortion of {distortion}; the least leaking channel of that "
            "distortion leaks {waste} less.",
            **fields,
            waste=voice.number(ranked, "waste"),
        )
    else:
        nearest = max(below, key=lambda one: one.distortion.value)
        yield voice.say(
            "This release leaks {leakage} at a mean distortion of {distortion}. The least leaking channel at the "
            "nearest point on the curve, with a mean distortion of {other}, leaks {least}.",
            **fields,
            other=voice.number(nearest.distortion, "value"),
            least=voice.number(nearest, field),
        )


def _points(voice: Voice, found: Frontier) -> Iterator[Content]:
    last = len(found.points) - 1
    places = sorted({round(at * last / (_SHOWN - 1)) for at in range(_SHOWN)}) if last >= 0 else []
    rows = (
        (
            voice.cell(one.distortion, "value"),
            voice.cell(one, _leakage_field(found)),
            voice.cell(one, "epsilon"),
            voice.cell(one, "gap", digits=2),
        )
        for one in (found.points[at] for at in places)
    )
    caption = message("Points on the curve")
    if found.keep == "shares":
        caption = message("Points on the curve where the shares are kept")
    yield from voice.grid(caption, "Mean distortion|Least leakage|Local ε|Gap to the optimum, at most", rows)


def _comparison(voice: Voice, found: Comparison) -> Iterator[Content]:
    rows = []
    for one in found.ranking:
        numbers = ((_leakage_field(found),), ("distortion", "value"), ("epsilon",), ("waste",))
        cells = (voice.cell(one, *path) for path in numbers)
        # Files of earlier versions do not say what is kept.
        answers = (yes_or_no(voice, holds) for holds in (one.meets_target, one.keeps_shares) if holds is not None)
        rows.append((mechanism_of(voice, one.mechanism), *cells, *answers))
    yield from voice.grid(
        "This and other mechanisms",
        "Mechanism|Leakage|Mean distortion|Local ε|Waste|Meets the target|Keeps the shares",
        rows,
    )
    if not rows:
        return
    above_all = message(
        "Waste is how much more a mechanism leaks about {secret} than the least leaking channel of the same distortion."
    )
    above_keeping = message(
        "Waste is how much more a mechanism leaks about {secret} than the least leaking channel of the same distortion "
        "that keeps the shares."
    )
    keeps, design = found.keep == "shares", voice.results.design
    yield voice.say(above_keeping if keeps else above_all, secret=voice.listed(protected_columns(voice)))
    if keeps and design is not None and design.price_of_keeping is not None:
        more = message("Keeping the shares costs {price} more than the least leaking channel of the same distortion.")
        within = message(
            "Keeping the shares costs {price} more than the least leaking channel of the same distortion "
            "within the required ε."
        )
        yield voice.say(
            more if asked_epsilon(voice) is None else within, price=voice.number(design, "price_of_keeping")
        )
