"""The criteria that explain the dials of a release."""

from __future__ import annotations

from leakgauge.languages import ENGLISH, Language
from leakgauge.report.figures.chart import Fields, Figure
from leakgauge.report.figures.points import Bar, ends_of, points_figure
from leakgauge.rounding import at_least


def criteria_figure(criteria: Fields, language: Language = ENGLISH) -> Figure:
    """The criteria of one secret in ``verdict.json`` from 0 to 100."""
    under = language.say("They explain the dials and decide nothing. Missing evidence counts at its unfavourable end.")
    bars = [_bar(one, language) for one in criteria["criteria"]]
    return points_figure(language.say("The criteria"), [under], bars, language)


def _bar(criterion: Fields, language: Language) -> Bar:
    name, points = own_name(criterion, language), criterion["points"]
    if points is None:
        return Bar(name, None, language.say("not known"))
    return Bar(name, float(points["value"]), f"{at_least(points['value']):.3g}", ends_of(points))


def own_name(node: Fields, language: Language) -> str:
    """The name of a criterion, a leaf or a node in a language."""
    english, chinese = str(node.get("name") or ""), str(node.get("chinese") or "")
    return chinese or english if language.code == "zh" else english
