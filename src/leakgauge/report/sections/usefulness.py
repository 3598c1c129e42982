"""What is left of each released column, and what usefulness costs in leakage."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.report.document import Content, Grid, Inline
from leakgauge.report.numbers import Number
from leakgauge.report.sections.pictures import pictures, released_point
from leakgauge.report.sections.teller import Own, Teller, spelled, warning

_SHOWN = 9
"""Points of the curve that are listed; the picture has all."""


def usefulness(tell: Teller) -> Iterator[Content]:
    """What is left of each released column, where it was measured."""
    say, columns = tell.language.say, tell.facts.names("utility.json", "columns")
    if not columns:
        return
    yield from map(warning, never_released(tell))
    head = (say("Column"), say("Protected"), say("Values unchanged"), say("Mean distortion"), say("Shift of shares"))
    yield Grid(say("Utility per column"), head, tuple(_column(tell, column) for column in columns))
    words = tell.say(
        "The shift of shares is the total variation between the original and the released shares of the values: the "
        "largest error in the share of any group of values."
    )
    if tell.bins:
        words = (*words, *tell.say(" A column in bins is compared with its bins, not with its exact values."))
    yield words


def never_released(tell: Teller) -> Iterator[Inline]:
    """Of each protected column how many of its values the release never has; anybody sees as much in the release."""
    for column in tell.facts.names("release.json", "plan", "columns"):
        places: list[tuple[str, ...]] = [("release.json", "plan", "columns", column, "channel")]
        if len(tell.secret) == 1:
            places.append(("channel.json",))
        found = next((one for one in (tell.facts.never_released(*place) for place in places) if one), None)
        if found is not None:
            yield tell.say(
                "{never} of {known} values of {column} never appear in the release, however often they occur.",
                never=found[0],
                known=found[1],
                column=tell.written(column),
            )


def _column(tell: Teller, column: str) -> tuple[Inline, ...]:
    place = ("utility.json", "columns", column)
    return (
        (str(Own(column)),),
        tell.yes_or_no(tell.facts.get(*place, "protected")),
        tell.cell(*place, "unchanged", percent=True),
        tell.cell(*place, "distortion", "value", interval=(*place[1:], "distortion")),
        tell.cell(*place, "total_variation", percent=True),
    )


def frontier(tell: Teller) -> Iterator[Content]:
    """The least leakage for each distortion, this release on it, and what other mechanisms waste."""
    if tell.facts.has("frontier.json") or tell.facts.has("comparison.json"):
        yield from (*pictures(tell, "frontier"), *_gap(tell), *_points(tell), *_comparison(tell))


def _leakage_field(tell: Teller, file: str) -> str:
    """Which leakage counts: with what the attacker knows, where that was designed against."""
    return "leakage_with_background" if tell.facts.get(file, "knowledge") in ("attacker", "both") else "leakage"


def _gap(tell: Teller) -> Iterator[Content]:
    facts = tell.facts
    if facts.has("design.json", "gap"):
        field = _leakage_field(tell, "design.json")
        yield tell.say(
            "This release leaks {leakage} at a mean distortion of {distortion}; no channel of that distortion "
            "leaks less by more than {gap}.",
            leakage=facts.number("design.json", field),
            distortion=facts.number("design.json", "distortion", "value"),
            gap=facts.number("design.json", "gap", digits=2),
        )
    elif released_point(tell):
        yield from _above(tell)
    elif not tell.released and facts.has("frontier.json"):
        yield tell.say("Each point can be had; the release that was asked for is not among them.")


def _above(tell: Teller) -> Iterator[Content]:
    """How far a release that was not designed lies above the curve, by the last point that distorts no more."""
    facts, field = tell.facts, _leakage_field(tell, "frontier.json")
    known = "leakage_with_background" if field == "leakage_with_background" else "mutual_information"
    (column,) = (one for one in tell.secret if facts.has("utility.json", "columns", one, "distortion"))
    place = ("utility.json", "columns", column, "distortion", "value")
    distortion = facts.get(*place)
    points = facts.items("frontier.json", "points")
    below = [at for at, one in enumerate(points) if one["distortion"]["value"] <= distortion]
    if not below or not facts.has("leakage.json", known):
        return
    fields = {"leakage": facts.number("leakage.json", known), "distortion": facts.number(*place)}
    waste = _waste(tell)
    if waste is not None:
        said = tell.say(
            "This release leaks {leakage} at a mean distortion of {distortion}; the least leaking channel of that "
            "distortion leaks {waste} less.",
            **fields,
            waste=waste,
        )
    else:
        at = max(below, key=lambda at: float(points[at]["distortion"]["value"]))
        said = tell.say(
            "This release leaks {leakage} at a mean distortion of {distortion}. The least leaking channel of the "
            "nearest point on the curve, with a mean distortion of {other}, leaks {least}.",
            **fields,
            other=facts.number("frontier.json", "points", at, "distortion", "value"),
            least=facts.number("frontier.json", "points", at, field),
        )
    yield said


def _waste(tell: Teller) -> Number | None:
    """What the comparison says that this release wastes."""
    point = released_point(tell) or {}
    for at, one in enumerate(tell.facts.items("comparison.json", "ranking")):
        if spelled(one["mechanism"]) == point.get("mechanism"):
            return tell.maybe("comparison.json", "ranking", at, "waste")
    return None


def _points(tell: Teller) -> Iterator[Content]:
    points = tell.facts.items("frontier.json", "points")
    if not points:
        return
    say, field = tell.language.say, _leakage_field(tell, "frontier.json")
    last = len(points) - 1
    places = sorted({round(at * last / (_SHOWN - 1)) for at in range(_SHOWN)})
    head = (say("Mean distortion"), say("Least leakage"), say("Local ε"), say("Proved within"))
    rows = tuple(
        (
            tell.cell("frontier.json", "points", at, "distortion", "value"),
            tell.cell("frontier.json", "points", at, field),
            tell.cell("frontier.json", "points", at, "epsilon"),
            tell.cell("frontier.json", "points", at, "gap", digits=2),
        )
        for at in places
    )
    yield Grid(say("Points of the curve"), head, rows)


def _comparison(tell: Teller) -> Iterator[Content]:
    facts, say = tell.facts, tell.language.say
    ranking = facts.items("comparison.json", "ranking")
    if not ranking:
        return
    field = _leakage_field(tell, "comparison.json")
    head = (
        say("Mechanism"),
        say("Leakage"),
        say("Mean distortion"),
        say("Local ε"),
        say("Waste"),
        say("Meets the aim"),
    )
    rows = []
    for at, one in enumerate(ranking):
        place = ("comparison.json", "ranking", at)
        rows.append(
            (
                (str(tell.mechanism(one["mechanism"])),),
                tell.cell(*place, field),
                tell.cell(*place, "distortion", "value"),
                tell.cell(*place, "epsilon"),
                tell.cell(*place, "waste"),
                tell.yes_or_no(one.get("meets_target")),
            )
        )
    yield Grid(say("This and other mechanisms"), head, tuple(rows))
    yield tell.say(
        "Waste is what a mechanism leaks of {secret} above the least leaking channel of the same distortion.",
        secret=tell.listed(tell.secret),
    )
