"""The pictures of a job, for its report and for the page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from leakgauge.artefacts.channel_file import named_channel
from leakgauge.artefacts.dials import OF_A_RAW_COPY
from leakgauge.artefacts.report import Picture
from leakgauge.errors import OptionError
from leakgauge.languages import message
from leakgauge.probability import Channel
from leakgauge.report.figures.attacks import attacks_figure
from leakgauge.report.figures.channel import channel_figure
from leakgauge.report.figures.chart import Figure
from leakgauge.report.figures.criteria import criteria_figure
from leakgauge.report.figures.decomposition import decomposition_figure
from leakgauge.report.figures.dials import dials_figure
from leakgauge.report.figures.frontier import frontier_figure
from leakgauge.report.figures.guarantee import guarantee_figure
from leakgauge.report.figures.influence import influence_figure
from leakgauge.report.figures.levels import levels_figure
from leakgauge.report.figures.people import people_figure
from leakgauge.report.figures.repeats import repeats_figure
from leakgauge.report.figures.search import search_figure
from leakgauge.report.figures.shares import prior_of, shares_figure
from leakgauge.report.figures.telling import telling_figure
from leakgauge.report.figures.waterfall import waterfall_figure
from leakgauge.report.sections.bits import exposure
from leakgauge.report.sections.dials import judged_by, secret_of
from leakgauge.report.sections.teller import Teller, spelled

_NEEDED: Final = {
    "levels": ("release.json", "claims"),
    "decomposition": ("measurement.json", "entropy"),
    "frontier": ("frontier.json", "points"),
    "attacks": ("audit.json", "attacks"),
    "tuning": ("improvement.json", "trials"),
    "people": ("audit.json", "attacks"),
    "telling": ("survey.json", "columns"),
}
"""Without what stands there a picture shows nothing."""
FOR_EVERYBODY: Final = ("guarantee", "levels", "channel", "shares")
"""Pictures of what the facts for everybody have only where it may be known: claims, channels that are handed out, and
shares that were declared to be publishable. All others show the table."""
_CAPTIONS: Final = {
    "channel": message("How likely each value is released, for each true value."),
    "levels": message("The levels of the table above, by their units."),
    "decomposition": message("Where the information of the secret goes."),
    "shares": message("Shares of the values of the secret, before the release and after."),
    "rounded shares": message("Shares of the values of the secret in the table, rounded."),
    "frontier": message("The least leakage for each mean distortion, and where this release and others lie."),
    "attacks": message("Each attack between its two anchors."),
    "dials": message("The dials of the table as it is and of this release, and the limits of the policy."),
    "criteria": message("The criteria that explain the dials."),
    "influence": message("From the indicators on the left to the protection effect on the right."),
    "tuning": message("The settings that were tried."),
    "people": message("A hundred people: how many are guessed right without this release, and how many more with it."),
    "waterfall": message("What each visible column adds to right guesses."),
    "telling": message("The columns of the table by what they reveal about the secret."),
    "guarantee": message("The guarantee, whatever anybody knows: how sure one can become of a value."),
    "repeats": message("What repeated releases would reveal."),
}


def pictures(tell: Teller, *names: str) -> Iterator[Picture]:
    """The pictures of these names that the facts allow; for everybody, those of what may be known."""
    for name in (one for one in names if not tell.external or one in FOR_EVERYBODY):
        figure = figure_of(tell, name)
        if figure is not None:
            rounded = tell.external and name == "shares"
            caption = tell.language.say(_CAPTIONS["rounded shares" if rounded else name])
            if tell.group:
                caption = tell.language.say("{secret}: {caption!s}", secret=tell.listed(tell.group), caption=caption)
            yield Picture(caption, figure.told, figure.spec)


def is_drawn(tell: Teller, *names: str) -> bool:
    """Whether a picture of these names is in the edition."""
    return any(picture for one in tell.each for picture in pictures(one, *names))


def figure_of(tell: Teller, name: str) -> Figure | None:
    """The picture of a name; None where there is none, or the facts have nothing that it could show."""
    if name not in _DRAWN or (name in _NEEDED and tell.get(*_NEEDED[name]) in (None, [])):
        return None
    return _DRAWN[name](tell)


def _channel_of(tell: Teller) -> Channel | None:
    records = ("release.json", "release.public.json")
    planned = (tell.get(one, "plan", "columns", name, "channel") for one in records for name in tell.planned)
    stored = (tell.files.get("channel.json"), *planned)
    channel = next((one for one in stored if one and one.get("matrix")), None)
    return None if channel is None else named_channel(channel, Path("channel.json")).channel


def _channel(tell: Teller) -> Figure | None:
    channel = _channel_of(tell)
    if channel is None:
        return None
    try:
        return channel_figure(channel, tell.language, prior=prior_of(_shares_of(tell), channel.inputs))
    except OptionError:
        # Too large to be read, as a channel of a hundred letters is: the tables say it all the same.
        return None


def _repeats(tell: Teller) -> Figure | None:
    channel = _channel_of(tell)
    prior = None if channel is None else prior_of(_shares_of(tell), channel.inputs)
    if channel is None or prior is None:
        return None
    limits = (line["limit"] for line in tell.items("verdict.json", "policy") if line["name"] == "min_protection")
    return repeats_figure(prior, channel, next(limits, None), tell.language)


def _telling(tell: Teller) -> Figure | None:
    # Secrets that are protected together are surveyed one by one.
    return telling_figure(tell.files["survey.json"], tell.secret[0], tell.language) if len(tell.secret) == 1 else None


def _waterfall(tell: Teller) -> Figure | None:
    places = exposure(tell)
    if places is None:
        return None
    commonest = max((float(one["table"]["value"]) for one in _shares_of(tell)), default=None)
    return waterfall_figure(tell.get("audit.json", *places), tell.get("audit.json", "rows"), commonest, tell.language)


def _shares_of(tell: Teller) -> list[Any]:
    places = [("utility.json", "columns", name, "shares") for name in (*tell.secret, ", ".join(tell.secret))]
    return next((tell.items(*place) for place in places if tell.items(*place)), [])


def _deciding_facts(tell: Teller) -> Mapping[str, Any] | None:
    """What the verdict counts of the secret that decides; None of others."""
    decides = tell.get("verdict.json", "deciding") == ", ".join(tell.secret)
    return tell.get("verdict.json", "facts") if decides else None


def _shares(tell: Teller) -> Figure | None:
    shares = _shares_of(tell)
    return shares_figure(shares, tell.language) if shares else None


def _frontier(tell: Teller) -> Figure:
    files = tell.files
    # Where a channel was designed it is the release, and the same point in the comparison.
    own = ("optimum", "designed")
    others = [one for one in tell.items("comparison.json", "ranking") if one.get("role") not in own]
    release = files.get("design.json") or (released_point(tell) if tell.released else None)
    return frontier_figure(files["frontier.json"], release, others, tell.language, distortion=_distortion(tell))


def _distortion(tell: Teller) -> str:
    """What a wrong value of the secret costs, by its name; empty where it is not one of those with a unit."""
    if tell.has("job.json", "asked", "within"):
        return "absolute"
    column, given = ", ".join(tell.secret), tell.names("job.json", "asked", "distortion")
    own = [one.removeprefix(f"{column}=") for one in given if one.startswith(f"{column}=")]
    return next(iter([*own, *(one for one in given if "=" not in one)]), "hamming")


def _dials(tell: Teller) -> Figure | None:
    file = judged_by(tell)
    if file is None:
        return None
    # What a secret would be worth that is not released, nobody knows.
    before = {} if tell.withheld else OF_A_RAW_COPY
    dials = tell.get(file, "dials", secret_of(tell, file))
    return dials_figure(dials, tell.items(file, "policy"), before, tell.language)


def _guarantee(tell: Teller) -> Figure | None:
    """Of the ε of the record where it may be known, otherwise of the bound that was asked for."""
    if tell.epsilon is not None:
        found = tell.number("release.json", *tell.epsilon).value
    else:
        asked = [one.asked_epsilon for one in tell.each]
        found = asked[0].value if len(asked) == 1 and asked[0] is not None else math.inf
    return None if tell.promises_nothing else guarantee_figure(float(found), tell.language)


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


def _decomposition(tell: Teller) -> Figure:
    place = exposure(tell)
    everything = None if place is None else tell.get("audit.json", *place, "everything")
    return decomposition_figure(tell.files["measurement.json"], everything, tell.language)


_DRAWN: Final[Mapping[str, Callable[[Teller], Figure | None]]] = {
    "channel": _channel,
    "levels": lambda tell: levels_figure(tell.files["release.json"], tell.language),
    "decomposition": _decomposition,
    "shares": _shares,
    "frontier": _frontier,
    "attacks": lambda tell: attacks_figure(tell.files["audit.json"], tell.language),
    "dials": _dials,
    "criteria": _criteria,
    "influence": _influence,
    "tuning": lambda tell: search_figure(tell.files["improvement.json"], tell.language),
    "people": lambda tell: people_figure(tell.files["audit.json"], tell.secret, tell.language, _deciding_facts(tell)),
    "waterfall": _waterfall,
    "telling": _telling,
    "guarantee": _guarantee,
    "repeats": _repeats,
}
