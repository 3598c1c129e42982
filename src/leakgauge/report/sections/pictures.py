"""The pictures of a job, for its report and for the page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from leakgauge.artefacts.report import Picture
from leakgauge.errors import OptionError
from leakgauge.languages import message
from leakgauge.report import figures
from leakgauge.report.figures import Figure
from leakgauge.report.sections.teller import Teller, spelled

_NEEDED: Final = {
    "levels": ("release.json", "claims"),
    "decomposition": ("measurement.json", "entropy"),
    "frontier": ("frontier.json", "points"),
    "attacks": ("audit.json", "attacks"),
    "criteria": ("assessment.json", "nodes"),
    "influence": ("assessment.json", "nodes"),
    "tuning": ("improvement.json", "trials"),
}
"""Without what stands there a picture shows nothing."""
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


def pictures(tell: Teller, *names: str) -> Iterator[Picture]:
    """The pictures of these names that the facts allow; none in the external edition: they are of exact numbers."""
    for name in () if tell.external else names:
        figure = figure_of(tell, name)
        if figure is not None:
            yield Picture(tell.language.say(_CAPTIONS[name]), figure.told, figure.spec)


def figure_of(tell: Teller, name: str) -> Figure | None:
    """The picture of a name; None where there is none, or the facts have nothing that it could show."""
    if name not in _CAPTIONS or (name in _NEEDED and tell.get(*_NEEDED[name]) in (None, [])):
        return None
    files, diagram, language = tell.files, tell.diagram, tell.language
    match name:
        case "channel":
            return _channel(tell)
        case "levels":
            return figures.levels_figure(files["release.json"], language)
        case "decomposition":
            return figures.decomposition_figure(files["measurement.json"], files.get("leakage.json"), language)
        case "frontier":
            return _frontier(tell)
        case "attacks":
            return figures.attacks_figure(files["audit.json"], language)
        case "criteria":
            return figures.criteria_figure(files.get("before.json"), files["assessment.json"], diagram, language)
        case "influence":
            return figures.influence_figure(files["assessment.json"], diagram, language)
    return figures.tuning_figure(files["improvement.json"], language)


def _channel(tell: Teller) -> Figure | None:
    planned = tell.get("release.json", "plan", "columns") or {}
    stored = (tell.files.get("channel.json"), *(column.get("channel") for column in planned.values()))
    channel = next((one for one in stored if one and one.get("matrix")), None)
    try:
        return None if channel is None else figures.channel_figure(channel, tell.language)
    except OptionError:
        # Too large to be read, as a channel of a hundred letters is: the tables say it all the same.
        return None


def _frontier(tell: Teller) -> Figure:
    files = tell.files
    # Where a channel was designed it is the release, and the optimum of the comparison is the same point.
    others = [one for one in tell.items("comparison.json", "ranking") if one.get("role") != "optimum"]
    release = files.get("design.json") or (released_point(tell) if tell.released else None)
    return figures.frontier_figure(files["frontier.json"], release, others, tell.language)


def released_point(tell: Teller) -> dict[str, Any] | None:
    """Where a release that was not designed lies: its leakage, its distortion and its ε, as a design has them."""
    columns = [column for column in tell.secret if tell.has("utility.json", "columns", column, "distortion")]
    if len(columns) != 1 or not tell.has("leakage.json", "mutual_information"):
        return None
    return {
        "mechanism": spelled(tell.get("release.json", "plan", "columns", columns[0], "mechanism")),
        "leakage": tell.get("leakage.json", "mutual_information"),
        "leakage_with_background": tell.get("leakage.json", "leakage_with_background"),
        "distortion": tell.get("utility.json", "columns", columns[0], "distortion"),
        "epsilon": tell.get("release.json", "claims", columns[0], "levels", "local-dp"),
    }
