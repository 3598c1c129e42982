"""The least leakage for each distortion, this release on it, and what other mechanisms waste."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.languages import Language
from leakgauge.report.document import Block, Edition, Grid, Inline, Number, Paragraph, Section
from leakgauge.report.facts import Facts
from leakgauge.report.sections.pictures import pictures
from leakgauge.report.sections.released_point import released_point
from leakgauge.report.sections.telling import Teller, spelled
from leakgauge.report.sections.titles import title_of

KEY = "frontier"
_SHOWN = 9
"""Points of the curve that are listed; the picture has all."""


def section(facts: Facts, language: Language, edition: Edition) -> Section | None:
    """The frontier; None where there is none."""
    if not (facts.has("frontier.json") or facts.has("comparison.json")):
        return None
    tell = Teller(facts, language, edition)
    blocks = (*pictures(tell, "frontier"), *_gap(tell), *_points(tell), *_comparison(tell))
    return Section(KEY, title_of(KEY, language), blocks)


def leakage_field(facts: Facts, file: str) -> str:
    """Which leakage counts: with what the attacker knows, where that was designed against."""
    return "leakage_with_background" if facts.get(file, "knowledge") in ("attacker", "both") else "leakage"


def _gap(tell: Teller) -> Iterator[Block]:
    facts = tell.facts
    if facts.has("design.json", "gap"):
        field = leakage_field(facts, "design.json")
        yield Paragraph(
            tell.say(
                "This release leaks {leakage} at a mean distortion of {distortion}; no channel of that distortion "
                "leaks less by more than {gap}.",
                leakage=facts.number("design.json", field),
                distortion=facts.number("design.json", "distortion", "value"),
                gap=facts.number("design.json", "gap", digits=2),
            )
        )
    elif released_point(tell):
        yield from _above(tell)
    elif not tell.released and facts.has("frontier.json"):
        yield Paragraph(tell.say("Each point can be had; the release that was asked for is not among them."))


def _above(tell: Teller) -> Iterator[Block]:
    """How far a release that was not designed lies above the curve, by the last point that distorts no more."""
    facts, field = tell.facts, leakage_field(tell.facts, "frontier.json")
    known = "leakage_with_background" if field == "leakage_with_background" else "mutual_information"
    (column,) = (one for one in tell.secret if facts.has("utility.json", "columns", one, "distortion"))
    place = ("utility.json", "columns", column, "distortion", "value")
    distortion = facts.get(*place)
    points = facts.items("frontier.json", "points")
    below = [at for at, one in enumerate(points) if one["distortion"]["value"] <= distortion]
    if not below or not facts.has("leakage.json", known):
        return
    waste = _waste(tell)
    if waste is not None:
        yield Paragraph(
            tell.say(
                "This release leaks {leakage} at a mean distortion of {distortion}; the least leaking channel of that "
                "distortion leaks {waste} less.",
                leakage=facts.number("leakage.json", known),
                distortion=facts.number(*place),
                waste=waste,
            )
        )
        return
    at = max(below, key=lambda at: float(points[at]["distortion"]["value"]))
    yield Paragraph(
        tell.say(
            "This release leaks {leakage} at a mean distortion of {distortion}. The least leaking channel of the "
            "nearest point on the curve, with a mean distortion of {other}, leaks {least}.",
            leakage=facts.number("leakage.json", known),
            distortion=facts.number(*place),
            other=facts.number("frontier.json", "points", at, "distortion", "value"),
            least=facts.number("frontier.json", "points", at, field),
        )
    )


def _waste(tell: Teller) -> Number | None:
    """What the comparison says that this release wastes."""
    point = released_point(tell) or {}
    for at, one in enumerate(tell.facts.items("comparison.json", "ranking")):
        if spelled(one["mechanism"]) == point.get("mechanism"):
            return tell.maybe("comparison.json", "ranking", at, "waste")
    return None


def _points(tell: Teller) -> Iterator[Block]:
    points = tell.facts.items("frontier.json", "points")
    if not points:
        return
    say, field = tell.language.say, leakage_field(tell.facts, "frontier.json")
    last = len(points) - 1
    places = sorted({round(at * last / (_SHOWN - 1)) for at in range(_SHOWN)})
    head = (say("Mean distortion"), say("Least leakage"), say("Local ε"), say("Proved within"))
    yield Grid(say("Points of the curve"), head, tuple(_point(tell, at, field) for at in places))


def _point(tell: Teller, at: int, field: str) -> tuple[Inline, ...]:
    place = ("frontier.json", "points", at)
    return (
        tell.cell(*place, "distortion", "value"),
        tell.cell(*place, field),
        tell.cell(*place, "epsilon"),
        tell.cell(*place, "gap", digits=2),
    )


def _comparison(tell: Teller) -> Iterator[Block]:
    facts, say = tell.facts, tell.language.say
    ranking = facts.items("comparison.json", "ranking")
    if not ranking:
        return
    field = leakage_field(facts, "comparison.json")
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
                (say("yes") if one.get("meets_target") else say("no"),),
            )
        )
    yield Grid(say("This and other mechanisms"), head, tuple(rows))
    yield Paragraph(
        tell.say(
            "Waste is what a mechanism leaks of {secret} above the least leaking channel of the same distortion.",
            secret=tell.listed(tell.secret),
        )
    )
