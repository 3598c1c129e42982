"""The pictures of a job, for its report and for the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from leakgauge.artefacts.channel_file import named_channel
from leakgauge.artefacts.report import Picture
from leakgauge.errors import OptionError
from leakgauge.languages import message
from leakgauge.report.figures.attacks import attacks_figure
from leakgauge.report.figures.channel import channel_figure
from leakgauge.report.figures.chart import Figure
from leakgauge.report.figures.criteria import criteria_figure
from leakgauge.report.figures.decomposition import decomposition_figure
from leakgauge.report.figures.dials import dials_figure
from leakgauge.report.figures.frontier import frontier_figure
from leakgauge.report.figures.influence import influence_figure
from leakgauge.report.figures.levels import levels_figure
from leakgauge.report.figures.search import search_figure
from leakgauge.report.figures.shares import shares_figure
from leakgauge.report.sections.dials import judged_by, secret_of
from leakgauge.report.sections.teller import Teller, spelled

_NEEDED: Final = {
    "levels": ("release.json", "claims"),
    "decomposition": ("measurement.json", "entropy"),
    "frontier": ("frontier.json", "points"),
    "attacks": ("audit.json", "attacks"),
    "tuning": ("improvement.json", "trials"),
}
"""Without what stands there a picture shows nothing."""
_CAPTIONS: Final = {
    "channel": message("How likely each value is released, for each true value."),
    "levels": message("The levels of the table above, by their units."),
    "decomposition": message("Where the information of the secret goes."),
    "shares": message("Shares of the values of the secret, before the release and after."),
    "frontier": message("The least leakage for each mean distortion, and where this release and others lie."),
    "attacks": message("Each attack between its two anchors."),
    "dials": message("The dials, and the limits of the policy."),
    "criteria": message("The criteria that explain the dials."),
    "influence": message("From the indicators on the left to the protection effect on the right."),
    "tuning": message("The settings that were tried."),
}


def pictures(tell: Teller, *names: str) -> Iterator[Picture]:
    """The pictures of these names that the facts allow; none in the external edition: they are of exact numbers."""
    for name in () if tell.external else names:
        figure = figure_of(tell, name)
        if figure is not None:
            caption = tell.language.say(_CAPTIONS[name])
            if tell.group:
                caption = tell.language.say("{secret}: {caption!s}", secret=tell.listed(tell.group), caption=caption)
            yield Picture(caption, figure.told, figure.spec)


def figure_of(tell: Teller, name: str) -> Figure | None:
    """The picture of a name; None where there is none, or the facts have nothing that it could show."""
    if name not in _DRAWN or (name in _NEEDED and tell.get(*_NEEDED[name]) in (None, [])):
        return None
    return _DRAWN[name](tell)


def _channel(tell: Teller) -> Figure | None:
    planned = (tell.get("release.json", "plan", "columns", name, "channel") for name in tell.planned)
    stored = (tell.files.get("channel.json"), *planned)
    channel = next((one for one in stored if one and one.get("matrix")), None)
    try:
        return channel and channel_figure(named_channel(channel, Path("channel.json")).channel, tell.language)
    except OptionError:
        # Too large to be read, as a channel of a hundred letters is: the tables say it all the same.
        return None


def _shares(tell: Teller) -> Figure | None:
    places = [("utility.json", "columns", name, "shares") for name in (*tell.secret, ", ".join(tell.secret))]
    shares = next((tell.items(*place) for place in places if tell.items(*place)), [])
    return shares_figure(shares, tell.language) if shares else None


def _frontier(tell: Teller) -> Figure:
    files = tell.files
    # Where a channel was designed it is the release, and the same point in the comparison.
    own = ("optimum", "designed")
    others = [one for one in tell.items("comparison.json", "ranking") if one.get("role") not in own]
    release = files.get("design.json") or (released_point(tell) if tell.released else None)
    return frontier_figure(files["frontier.json"], release, others, tell.language)


def _dials(tell: Teller) -> Figure | None:
    file = judged_by(tell)
    if file is None:
        return None
    return dials_figure(tell.get(file, "dials", secret_of(tell, file)), tell.items(file, "policy"), tell.language)


def _criteria(tell: Teller) -> Figure | None:
    found = tell.get("verdict.json", "beside", secret_of(tell, "verdict.json"), "criteria")
    return found and criteria_figure(found, tell.language)


def _influence(tell: Teller) -> Figure | None:
    found = tell.get("verdict.json", "beside", secret_of(tell, "verdict.json"), "over_arcs")
    return found and influence_figure(found, tell.diagram, tell.language)


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


_DRAWN: Final[Mapping[str, Callable[[Teller], Figure | None]]] = {
    "channel": _channel,
    "levels": lambda tell: levels_figure(tell.files["release.json"], tell.language),
    "decomposition": lambda tell: decomposition_figure(
        tell.files["measurement.json"], tell.files.get("leakage.json"), tell.language
    ),
    "shares": _shares,
    "frontier": _frontier,
    "attacks": lambda tell: attacks_figure(tell.files["audit.json"], tell.language),
    "dials": _dials,
    "criteria": _criteria,
    "influence": _influence,
    "tuning": lambda tell: search_figure(tell.files["improvement.json"], tell.language),
}
