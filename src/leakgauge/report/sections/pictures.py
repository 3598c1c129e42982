"""Pictures of the report, added here and nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from leakgauge.errors import OptionError
from leakgauge.languages import message
from leakgauge.report import figures
from leakgauge.report.document import Picture
from leakgauge.report.figures import Figure
from leakgauge.report.sections.released_point import released_point
from leakgauge.report.sections.telling import Teller


def pictures(tell: Teller, *names: str) -> Iterator[Picture]:
    """The pictures of these names that the facts allow; none in the external edition: they are of exact numbers."""
    if tell.external:
        return
    for name in names:
        try:
            figure = _PICTURES[name](tell)
        except OptionError:
            # Too large to be read, as a channel of a hundred letters is: the tables say it all the same.
            continue
        if figure is not None:
            yield Picture(figure, tell.language.say(_CAPTIONS[name]))


def _channel(tell: Teller) -> Figure | None:
    if tell.facts.has("channel.json", "matrix"):
        return figures.channel_figure(tell.facts.files["channel.json"], tell.language)
    columns = tell.facts.get("release.json", "plan", "columns") or {}
    for column in columns.values():
        if (column.get("channel") or {}).get("matrix"):
            return figures.channel_figure(column["channel"], tell.language)
    return None


def _levels(tell: Teller) -> Figure | None:
    if not tell.facts.has("release.json", "claims"):
        return None
    return figures.levels_figure(tell.facts.files["release.json"], tell.language)


def _decomposition(tell: Teller) -> Figure | None:
    if not tell.facts.has("measurement.json", "entropy"):
        return None
    files = tell.facts.files
    return figures.decomposition_figure(files["measurement.json"], files.get("leakage.json"), tell.language)


def _frontier(tell: Teller) -> Figure | None:
    if not tell.facts.items("frontier.json", "points"):
        return None
    files = tell.facts.files
    ranking = tell.facts.items("comparison.json", "ranking")
    # Where a channel was designed it is the release, and the optimum of the comparison is the same point.
    others = [one for one in ranking if one.get("role") != "optimum"]
    release = files.get("design.json") or (released_point(tell) if tell.released else None)
    return figures.frontier_figure(files["frontier.json"], release, others, tell.language)


def _attacks(tell: Teller) -> Figure | None:
    if not tell.facts.items("audit.json", "attacks"):
        return None
    return figures.attacks_figure(tell.facts.files["audit.json"], tell.language)


def _criteria(tell: Teller) -> Figure | None:
    files, diagram = tell.facts.files, tell.facts.diagram
    if not tell.facts.has("assessment.json", "nodes"):
        return None
    return figures.criteria_figure(files.get("before.json"), files["assessment.json"], diagram, tell.language)


def _influence(tell: Teller) -> Figure | None:
    if not tell.facts.has("assessment.json", "nodes"):
        return None
    return figures.influence_figure(tell.facts.files["assessment.json"], tell.facts.diagram, tell.language)


def _tuning(tell: Teller) -> Figure | None:
    if not tell.facts.items("improvement.json", "trials"):
        return None
    return figures.tuning_figure(tell.facts.files["improvement.json"], tell.language)


_CAPTIONS: Final = {
    "channel": message("How likely each value is released, for each true value."),
    "levels": message("The levels of the table above, by their units."),
    "decomposition": message("Where the information of the secret goes."),
    "frontier": message("The least leakage for each mean distortion, and where this release and others lie."),
    "attacks": message("Each attack between its two anchors."),
    "criteria": message("The criteria, for the table released as it is and for this release."),
    "influence": message("From the indicators on the left to the protection effect on the right."),
    "tuning": message("The settings that were tried."),
}
_PICTURES: Final[dict[str, Callable[[Teller], Figure | None]]] = {
    "channel": _channel,
    "levels": _levels,
    "decomposition": _decomposition,
    "frontier": _frontier,
    "attacks": _attacks,
    "criteria": _criteria,
    "influence": _influence,
    "tuning": _tuning,
}
