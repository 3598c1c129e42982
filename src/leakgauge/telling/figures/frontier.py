"""The trade-off: leakage over distortion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from leakgauge.artefacts.design import Compared, Frontier, Role
from leakgauge.artefacts.quantity import Quantity
from leakgauge.design import Knowledge
from leakgauge.languages import ENGLISH, Language, message
from leakgauge.sentences import Sentence
from leakgauge.telling.figures import chart
from leakgauge.telling.figures.chart import (
    Fields,
    Figure,
    clauses,
    joined,
    lines_of,
    listed,
    named,
    shortened,
    shown,
    width_of,
)
from leakgauge.telling.figures.placing import AREA, Area, Box, box_of, distortion_at, label_places, room_beside

_SHAPES = ["square", "triangle-up", "cross", "triangle-down", "circle", "triangle-right", "triangle-left"]
_LEAST = {
    "nothing": message("least of all channels"),
    "shares": message("least that keeps the shares"),
    "associations": message("least that keeps the associations"),
}
"""What a curve is called, by what its channels keep."""
_SAID_OF_ONE = {
    "nothing": message("The line is the least that any channel leaks at its mean distortion."),
    "shares": message("The line is the least that any channel that keeps the shares leaks at its mean distortion."),
    "associations": message(
        "The line is the least that any channel that keeps the associations leaks at its mean distortion."
    ),
}

_NO_UNIT = message("mean distortion")
_UNITS = {
    "hamming": message("mean distortion: the share of the values that are changed"),
    "absolute": message("mean distortion: how far values are moved, in the units of the column"),
    "squared": message("mean distortion: the squared error, in squared units of the column"),
    "great-circle": message("mean distortion: how far places are moved, in kilometres"),
}
"""What an axis of distortions is called, by what a wrong value costs."""


class OnPlane(Protocol):
    """What lies on the plane of leakage and distortion: a designed channel, or a mechanism beside it."""

    @property
    def distortion(self) -> Quantity:
        """How much it distorts on average; its leakage is a field by the name of the measure."""

    @property
    def epsilon(self) -> Quantity | None:
        """Local ε, where it is known."""


def frontier_figure(
    frontier: Frontier,
    release: OnPlane | None = None,
    others: Sequence[Compared] = (),
    language: Language = ENGLISH,
    *,
    distortion: str = "",
    width: int = chart.WIDTH,
) -> Figure:
    """The least leakage over the mean distortion, with the floor that the background sets.

    Between two points the curve lies on or below the straight line: mixing two channels reaches the line. Where the
    frontier has the curve of channels that keep something else as well, that is dashed, and both are named where they
    run.

    Args:
        release: what was released, marked.
        others: mechanisms of a comparison, drawn with their names.
        distortion: what a wrong value costs, which is the unit of the axis: hamming, absolute, squared or great-circle.
    """
    name, title = _objective(frontier, language)
    curve, kept = [_point(one, name) for one in frontier.points], frontier.keep
    other = frontier.beside
    beside = [] if other is None else [_point(one, name) for one in other.points]
    least = frontier.points[0].background_floor if name == "leakage_with_background" else None
    floor = None if least is None else least.value
    marked = _marked(release, others, name, language)
    everything = [*curve, *beside, *marked]
    most = {
        "distortion": 1.05 * max(one["distortion"] for one in everything) or 1.0,
        "leakage": 1.08 * max([floor or 0.0, *(one["leakage"] for one in everything)]) or 1.0,
    }
    across = language.say(_UNITS.get(distortion, _NO_UNIT))
    axes = {
        "x": _axis("distortion", across if width >= chart.WIDTH else lines_of(across, width - 90), most["distortion"]),
        "y": _axis("leakage", title, most["leakage"]),
    }
    said = message("Each line is the least that its channels leak at their mean distortion.")
    called = "" if other is None else language.say(_LEAST[other.keep])
    lines = [(language.say(_LEAST[kept]), curve, chart.LINE), (called, beside, chart.INK)] if beside else []
    half = max(one["leakage"] for one in curve) / 2
    is_lower = bool(beside) and distortion_at(curve, half) < distortion_at(beside, half)
    area = {**AREA, "width": width - (chart.WIDTH - AREA["width"])}
    places = label_places(marked, most, below=is_lower, area=area)
    floor_box = _floor_box(floor, most, area, language)
    # Where its name would meet the curves, it stands above the picture.
    is_named = floor_box is None or floor_box[1] < 0.5 * area["width"]
    dashed = {"type": "line", "color": chart.FAINT, "strokeDash": [5, 3], "aria": False}
    spec = {
        "title": chart.titled(
            language.say("What usefulness costs"),
            language.say(said if beside else _SAID_OF_ONE[kept]),
            language.say(
                "Channels of the solid line reach every point on the shaded side, and none on the other side."
            ),
            *([] if is_named or floor is None else [_said_of_dashes(floor, language)]),
            width=width,
        ),
        **area,
        "layer": [
            _reachable(curve, most, axes),
            *([chart.layer(dashed, [{key: one[key] for key in most} for one in beside], **axes)] if beside else []),
            chart.layer(
                {"type": "line", "point": {"size": 26, "color": chart.LINE}, "color": chart.LINE},
                [{**one, "said": listed(language, _place(one, language), f"ε {one['epsilon']}")} for one in curve],
                **axes,
                **chart.SAID,
            ),
            *([] if floor is None else _floor(floor, most["leakage"], axes, language, named=is_named)),
            *_names_of_lines(lines[::-1] if is_lower else lines, places, most, floor_box, area),
            *(_marks(marked, places, axes, width) if marked else []),
        ],
    }
    return Figure(spec, _told(curve, (called, beside) if beside else None, floor, marked, language))


def _objective(frontier: Frontier, language: Language) -> tuple[str, str]:
    """The field that was made small, and what it is called."""
    attacker = frontier.knowledge in (Knowledge.ATTACKER.value, Knowledge.BOTH.value)
    if frontier.through is not None:
        title = message("bits revealed about {secret} by {column}")
        known = message("bits revealed about {secret} by {column} and the background")
        secret = shortened(listed(language, *frontier.secret), 120)
        told = language.say(known if attacker else title, secret=secret, column=shortened(frontier.through, 120))
        return ("leakage_with_background" if attacker else "leakage"), told
    if frontier.points[0].weighted_leakage is not None:
        return "weighted_leakage", language.say("I_w(X;Y), bits")
    if attacker:
        return "leakage_with_background", language.say("I(X;Y,Z), bits")
    return "leakage", language.say("I(X;Y), bits")


def _leaks(one: OnPlane, name: str) -> float | None:
    leakage: Quantity | None = getattr(one, name)
    return None if leakage is None else leakage.value


def _point(one: OnPlane, name: str) -> dict[str, Any]:
    epsilon = "" if one.epsilon is None else shown(one.epsilon.value)
    return {"distortion": one.distortion.value, "leakage": _leaks(one, name), "epsilon": epsilon}


def _marked(release: OnPlane | None, others: Sequence[Compared], name: str, language: Language) -> list[dict[str, Any]]:
    """The release and the other mechanisms, each with its label at the point and its line in the legend."""
    found: list[dict[str, Any]] = []
    if release is not None and _leaks(release, name) is not None:
        own = _point(release, name)
        line = named(language, language.say("this release"), _place(own, language))
        found.append({**own, "label": language.say("this release"), "line": line, "own": True})
    for one in others:
        if _leaks(one, name) is None or _same(one, release, name):
            continue
        # The release has no number.
        point, number = _point(one, name), str(1 + sum(not other["own"] for other in found))
        called = shortened(language.retell(Sentence(one.mechanism)), 440)
        line = named(language, f"{number} {called}", _place(point, language))
        found.append({**point, "label": number, "line": line, "own": False})
    return found


def _place(point: Fields, language: Language) -> str:
    at = {"leakage": shown(point["leakage"]), "distortion": shown(point["distortion"])}
    return language.say("{leakage} bits at distortion {distortion}", **at)


def _same(one: Compared, release: OnPlane | None, name: str) -> bool:
    """Whether a mechanism is the release itself, which the best channel often is."""
    if release is None:
        return False
    near = abs((_leaks(one, name) or 0.0) - (_leaks(release, name) or 0.0))
    apart = max(near, abs(one.distortion.value - release.distortion.value))
    return apart < 1e-9 and (one.role is Role.OPTIMUM or one.mechanism == getattr(release, "mechanism", None))


def _axis(field: str, title: str | list[str], most: float) -> dict[str, Any]:
    return chart.quantitative(field, title=title, scale={"domain": [0, most], "nice": False})


def _floor(floor: float, most: float, axes: dict[str, Any], language: Language, *, named: bool) -> list[dict[str, Any]]:
    values = [{"leakage": floor, "said": _said_of_floor(floor, language)}]
    line = {"type": "rule", "strokeDash": [6, 4], "color": chart.ALARM}
    # On the left the curve is high; where the floor is high too, there is room below it.
    text = chart.text_mark(align="left", dx=8, dy=11 if floor > most / 3 else -10, color=chart.ALARM)
    name = chart.layer(text, values, x={"value": 0}, y=axes["y"], text=chart.nominal("said"))
    return [chart.layer(line, values, y=axes["y"], description={"field": "said"}), *([name] if named else [])]


def _reachable(curve: list[dict[str, Any]], most: Mapping[str, float], axes: dict[str, Any]) -> dict[str, Any]:
    """The side of the curve on which there are channels: whoever may distort more, or leak more, may do as well."""
    points = sorted((one["distortion"], one["leakage"]) for one in curve)
    points.append((most["distortion"], points[-1][1]))
    rows = [{"at": distortion, "least": leakage, "top": most["leakage"]} for distortion, leakage in points]
    area = {"type": "area", "color": chart.LIGHT, "opacity": 0.6, "aria": False}
    sides = {"x": {**axes["x"], "field": "at"}, "y": {**axes["y"], "field": "least"}, "y2": {"field": "top"}}
    return chart.layer(area, rows, **sides)


def _names_of_lines(
    lines: Sequence[tuple[str, list[dict[str, Any]], str]],
    places: Sequence[Fields],
    most: Mapping[str, float],
    floor: Box | None,
    area: Area,
) -> list[dict[str, Any]]:
    """The names of two curves, the upper one first: above it to the right, of the lower one below it to the left.

    Where they meet nothing else; both fall, so that there is room on these sides.
    """
    taken = [*map(box_of, places), *([] if floor is None else [floor])]
    layers = []
    for (name, line, colour), above in zip(lines, (True, False), strict=False):
        found = room_beside(line, name, most, taken, above=above, area=area)
        if found is None:
            continue
        taken.append(found)
        text = chart.text_mark(align="left", baseline="middle", color=colour)
        values = [{"name": name, "across": found[0], "down": (found[2] + found[3]) / 2}]
        x, y = (chart.quantitative(one, scale=None) for one in ("across", "down"))
        layers.append(chart.layer(text, values, x=x, y=y, text=chart.nominal("name")))
    return layers


def _floor_box(floor: float | None, most: Mapping[str, float], area: Area, language: Language) -> Box | None:
    """What the name of the floor covers."""
    if floor is None:
        return None
    down = (1 - floor / most["leakage"]) * area["height"]
    return (0.0, width_of(_said_of_floor(floor, language)) + 8, down - 20, down + 20)


def _said_of_dashes(floor: float, language: Language) -> str:
    return language.say("The background alone reveals {floor} bits (dashed).", floor=shown(floor))


def _said_of_floor(floor: float, language: Language) -> str:
    return language.say("the background alone reveals {floor} bits", floor=shown(floor))


def _marks(
    marked: list[dict[str, Any]], labels: list[dict[str, Any]], axes: dict[str, Any], width: int
) -> list[dict[str, Any]]:
    """The marked points, and their labels beside them, those of one place together."""
    marked = [{**one, "line": chart.wrapped(one["line"], width - 110)} for one in marked]
    names = [one["line"] for one in marked]
    shapes = ["diamond" if one["own"] else _SHAPES[at % len(_SHAPES)] for at, one in enumerate(marked)]
    fills = [chart.MIDDLE if one["own"] else chart.DARK for one in marked]
    legend = chart.legend_below(690, symbolSize=90)
    return [
        chart.layer(
            {"type": "rule", "color": chart.FAINT, "strokeWidth": 0.8, "aria": False},
            labels,
            x=chart.quantitative("across", scale=None),
            x2={"field": "line_across"},
            y=chart.quantitative("down", scale=None),
            y2={"field": "line_down"},
        ),
        chart.layer(
            {"type": "point", "filled": True, "size": 110, "opacity": 1, "stroke": chart.INK, "strokeWidth": 1},
            marked,
            **axes,
            shape=chart.nominal("line", sort=None, scale={"domain": names, "range": shapes}, legend=legend),
            fill=chart.nominal("line", sort=None, scale={"domain": names, "range": fills}, legend=legend),
            size={"condition": {"test": "datum.own", "value": 200}, "value": 80},
            description={"field": "line"},
            tooltip={"field": "line"},
        ),
        chart.layer(
            chart.text_mark(align="left", fontWeight="bold"),
            labels,
            x=chart.quantitative("label_across", scale=None),
            y=chart.quantitative("label_down", scale=None),
            text=chart.nominal("label"),
        ),
    ]


def _told(
    curve: list[dict[str, Any]],
    beside: tuple[str, list[dict[str, Any]]] | None,
    floor: float | None,
    marked: list[dict[str, Any]],
    language: Language,
) -> str:
    said = language.say(
        "Least leakage over mean distortion, {count} points from {first} to {last} bits.",
        count=len(curve),
        first=shown(curve[0]["leakage"]),
        last=shown(curve[-1]["leakage"]),
    )
    if beside is not None:
        name, line = beside
        dashed = language.say(
            "Grey and dashed: {name}, from {first} to {last} bits.",
            name=name,
            first=shown(line[0]["leakage"]),
            last=shown(line[-1]["leakage"]),
        )
        said = joined(language, said, dashed)
    if floor is not None:
        said = joined(language, said, _said_of_dashes(floor, language))
    if marked:
        points = clauses(language, *(one["line"] for one in marked))
        said = joined(language, said, language.say("Marked: {points}.", points=points))
    return said
