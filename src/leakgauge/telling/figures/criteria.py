"""The criteria that explain the dials of a release."""

from __future__ import annotations

from leakgauge.artefacts.criteria import Criteria, Criterion, CriterionLeaf
from leakgauge.languages import ENGLISH, Language
from leakgauge.rounding import at_least
from leakgauge.telling.figures.chart import Figure
from leakgauge.telling.figures.points import Bar, ends_of, points_figure


def criteria_figure(criteria: Criteria, language: Language = ENGLISH) -> Figure:
    """The criteria of one secret from 0 to 100."""
    under = language.say("They do not affect the decision. Missing evidence counts as the worst case.")
    bars = [_bar(one, language) for one in criteria.criteria]
    return points_figure(language.say("The criteria"), [under], bars, language)


def _bar(criterion: Criterion, language: Language) -> Bar:
    name, points = own_name(criterion, language), criterion.points
    if points is None:
        return Bar(name, None, language.say("not known"))
    return Bar(name, points.value, f"{at_least(points.value):.3g}", ends_of(points))


def own_name(node: Criterion | CriterionLeaf, language: Language) -> str:
    """The name of a criterion or a leaf in a language."""
    return node.chinese or node.name if language.code == "zh" else node.name
