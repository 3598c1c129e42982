"""What is left of each released column, and what usefulness costs in leakage."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from leakgauge.artefacts.report import Paragraph
from leakgauge.languages import message
from leakgauge.report.document import Content, Inline
from leakgauge.report.sections.pictures import pictures, released_point
from leakgauge.report.sections.teller import Teller, own, spelled

_SHOWN = 9
"""Points of the curve that are listed; the picture has all."""


def usefulness(tell: Teller) -> Iterator[Content]:
    """What is left of each released column, where it was measured."""
    columns = tell.names("utility.json", "columns")
    # Everybody may know the shares at most, which stand with the decision.
    if not columns or tell.external:
        yield from _numbers(tell)
        return
    yield from (Paragraph("warning", said) for said in never_released(tell))
    rows = []
    for column in columns:
        place = ("utility.json", "columns", column)
        rows.append(
            (
                own(column),
                tell.yes_or_no(tell.get(*place, "protected")),
                tell.cell(*place, "unchanged", percent=True),
                tell.cell(*place, "distortion", "value", interval=(*place[1:], "distortion")),
                tell.cell(*place, "total_variation", percent=True),
            )
        )
    yield from tell.grid(
        "Utility per column", "Column|Protected|Values unchanged|Mean distortion|Shift of shares", rows
    )
    words = tell.say(
        "The shift of shares is the total variation between the original and the released shares of the values: the "
        "largest error in the share of any group of values."
    )
    if tell.bins:
        words += tell.say(" A column in bins is compared with its bins, not with its exact values.")
    yield words
    yield from pictures(tell, "shares")
    yield from _numbers(tell)
    yield from _coarser(tell)


def _coarser(tell: Teller) -> Iterator[Content]:
    """What is lost of public columns that are coarser, or suppressed in part."""
    places = [("utility.json", "columns", column) for column in tell.names("utility.json", "columns")]
    rows = [
        (
            own(place[-1]),
            tell.cell(*place, "unchanged", percent=True),
            tell.cell(*place, "lost"),
            tell.cell(*place, "covered"),
        )
        for place in places
        if tell.has(*place, "lost")
    ]
    yield from tell.grid(
        "Coarser columns", "Column|Values unchanged|Bits lost|Values that a released one stands for", rows
    )
    if rows:
        yield tell.say(
            "A coarser or missing value is not wrong, since it includes the true value. Lost is H(original|released), "
            "what stays unknown about a value once the released one is known; a missing value stands for all values."
        )


def _numbers(tell: Teller) -> Iterator[Content]:
    """How far released numbers are from the true ones, and how many lie beyond their bounds."""
    columns = tell.names("utility.json", "numbers")
    errors, bounds = ("allowed", "promised", "measured"), ("lower", "upper")
    yield from tell.grid(
        "Mean error of released numbers",
        "Column|Allowed|At most, by the law|In this release",
        [(own(one), *(tell.cell("utility.json", "numbers", one, name) for name in errors)) for one in columns],
    )
    if columns:
        yield tell.say(
            "The error is the mean distance between the true number and the released one, or the centre of the "
            "released bin."
        )
    rows = []
    for column in columns:
        place = ("utility.json", "numbers", column)
        allowed, promised = (tell.get(*place, name, "value") for name in ("allowed", "promised"))
        if allowed is not None and promised is not None and promised > allowed * (1 + 1e-9):
            yield tell.alarm(
                "On this table the mean error of {column} may be larger than what was asked for: the mechanism was "
                "designed for another table.",
                column=own(column),
            )
        if tell.has(*place, "lower"):
            shares = (tell.cell(*place, name, percent=True) for name in ("beyond", "released_beyond"))
            ends = (tell.cell(*place, name) for name in bounds)
            rows.append((own(column), *ends, *shares, tell.yes_or_no(tell.get(*place, "clamped"))))
    yield from tell.grid(
        "Bounds of released numbers",
        "Column|Lower bound|Upper bound|Values beyond them|Noise beyond them|Clamped",
        rows,
    )
    if rows:
        yield tell.say(
            "Values beyond the bounds count as the nearest bound before noise is added. The noise may carry numbers "
            "beyond the bounds again; they are impossible values unless they were clamped."
        )


def never_released(tell: Teller) -> Iterator[Inline]:
    """Of each protected column how many of its values the release never has; anybody sees as much in the release."""
    for column in (*tell.planned, *tell.telling_less):
        found = tell.never_released("release.json", "plan", "columns", column, "channel")
        if found is None and len(tell.secret) == 1 and column in tell.planned:
            found = tell.never_released("channel.json")
        if found is not None:
            yield tell.say(
                "{never} of {known} values of {column} never appear in the release, however often they occur.",
                never=found[0],
                known=found[1],
                column=tell.written(column),
            )


def frontier(tell: Teller) -> Iterator[Content]:
    """The least leakage for each distortion, this release on it, and what other mechanisms waste."""
    if tell.has("frontier.json") or tell.has("comparison.json"):
        yield from (*pictures(tell, "frontier"), *_gap(tell), *_points(tell), *_comparison(tell))


def _leakage_field(tell: Teller, file: str) -> str:
    """Which leakage counts: with what the attacker knows, where that was designed against."""
    return "leakage_with_background" if tell.get(file, "knowledge") in ("attacker", "both") else "leakage"


_NONE_LESS: Final = {
    ("nothing", False): message(
        "This release leaks {leakage} at a mean distortion of {distortion}; no channel of that distortion leaks less "
        "by more than {gap}."
    ),
    ("shares", False): message(
        "This release leaks {leakage} at a mean distortion of {distortion}; no channel of that distortion that keeps "
        "the shares leaks less by more than {gap}."
    ),
    ("nothing", True): message(
        "This release leaks {leakage} at a mean distortion of {distortion}; no channel of that distortion within the ε "
        "that was asked for leaks less by more than {gap}."
    ),
    ("shares", True): message(
        "This release leaks {leakage} at a mean distortion of {distortion}; no channel of that distortion within the ε "
        "that was asked for that keeps the shares leaks less by more than {gap}."
    ),
    ("associations", False): message(
        "This release leaks {leakage} at a mean distortion of {distortion}; no channel of that distortion that keeps "
        "the associations with {columns} leaks less by more than {gap}."
    ),
    ("associations", True): message(
        "This release leaks {leakage} at a mean distortion of {distortion}; no channel of that distortion within the ε "
        "that was asked for that keeps the associations with {columns} leaks less by more than {gap}."
    ),
}
"""What the gap proves, by what is kept and by whether a bound on ε is kept too."""


def _gap(tell: Teller) -> Iterator[Content]:
    if tell.has("design.json", "gap"):
        field = _leakage_field(tell, "design.json")
        yield tell.say(
            _NONE_LESS[tell.get("design.json", "keep") or "nothing", tell.asked_epsilon is not None],
            columns=tell.listed(tell.keeps_associations),
            leakage=tell.number("design.json", field),
            distortion=tell.number("design.json", "distortion", "value"),
            gap=tell.number("design.json", "gap", digits=2),
        )
    elif (point := released_point(tell)) is not None:
        yield from _above(tell, point["mechanism"])
    elif not tell.released and tell.has("frontier.json"):
        yield tell.say("Each point can be reached; the release that was asked for is not among them.")


def _above(tell: Teller, mechanism: str) -> Iterator[Content]:
    """How far a release that was not designed lies above the curve, by the last point that distorts no more."""
    field = _leakage_field(tell, "frontier.json")
    known = "mutual_information" if field == "leakage" else field
    (column,) = (one for one in tell.secret if tell.has("utility.json", "columns", one, "distortion"))
    place = ("utility.json", "columns", column, "distortion", "value")
    distortion = tell.get(*place)
    points = tell.items("frontier.json", "points")
    below = [at for at, one in enumerate(points) if one["distortion"]["value"] <= distortion]
    if not below or not tell.has("leakage.json", known):
        return
    fields = {"leakage": tell.number("leakage.json", known), "distortion": tell.number(*place)}
    ranked = [spelled(one["mechanism"]) for one in tell.items("comparison.json", "ranking")]
    at = ranked.index(mechanism) if mechanism in ranked else len(ranked)
    waste = tell.maybe("comparison.json", "ranking", at, "waste")
    if waste is not None:
        yield tell.say(
            "This release leaks {leakage} at a mean distortion of {distortion}; the least leaking channel of that "
            "distortion leaks {waste} less.",
            **fields,
            waste=waste,
        )
    else:
        at = max(below, key=lambda at: float(points[at]["distortion"]["value"]))
        yield tell.say(
            "This release leaks {leakage} at a mean distortion of {distortion}. The least leaking channel of the "
            "nearest point on the curve, with a mean distortion of {other}, leaks {least}.",
            **fields,
            other=tell.number("frontier.json", "points", at, "distortion", "value"),
            least=tell.number("frontier.json", "points", at, field),
        )


def _points(tell: Teller) -> Iterator[Content]:
    field, last = _leakage_field(tell, "frontier.json"), len(tell.items("frontier.json", "points")) - 1
    places = sorted({round(at * last / (_SHOWN - 1)) for at in range(_SHOWN)}) if last >= 0 else []
    rows = (
        (
            tell.cell("frontier.json", "points", at, "distortion", "value"),
            tell.cell("frontier.json", "points", at, field),
            tell.cell("frontier.json", "points", at, "epsilon"),
            tell.cell("frontier.json", "points", at, "gap", digits=2),
        )
        for at in places
    )
    caption = message("Points of the curve")
    if tell.get("frontier.json", "keep") == "shares":
        caption = message("Points of the curve where the shares are kept")
    yield from tell.grid(caption, "Mean distortion|Least leakage|Local ε|Proved within", rows)


def _comparison(tell: Teller) -> Iterator[Content]:
    field, ranking = _leakage_field(tell, "comparison.json"), tell.items("comparison.json", "ranking")
    rows = []
    for at, one in enumerate(ranking):
        numbers = ((field,), ("distortion", "value"), ("epsilon",), ("waste",))
        cells = (tell.cell("comparison.json", "ranking", at, *path) for path in numbers)
        # Files of earlier versions do not say what is kept.
        answers = (tell.yes_or_no(one[name]) for name in ("meets_target", "keeps_shares") if one.get(name) is not None)
        rows.append((tell.mechanism(one["mechanism"]), *cells, *answers))
    yield from tell.grid(
        "This and other mechanisms",
        "Mechanism|Leakage|Mean distortion|Local ε|Waste|Meets the aim|Keeps the shares",
        rows,
    )
    if not rows:
        return
    above_all = message(
        "Waste is what a mechanism leaks of {secret} above the least leaking channel of the same distortion."
    )
    above_keeping = message(
        "Waste is what a mechanism leaks of {secret} above the least leaking channel of the same distortion that keeps "
        "the shares."
    )
    keeps = tell.get("comparison.json", "keep") == "shares"
    yield tell.say(above_keeping if keeps else above_all, secret=tell.listed(tell.secret))
    if keeps and tell.has("design.json", "price_of_keeping"):
        more = message("Keeping the shares costs {price} more than the least leaking channel of the same distortion.")
        within = message(
            "Keeping the shares costs {price} more than the least leaking channel of the same distortion within the ε "
            "that was asked for."
        )
        yield tell.say(
            more if tell.asked_epsilon is None else within,
            price=tell.number("design.json", "price_of_keeping"),
        )
