"""The pictures of a job, for its report and for the page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from leakgauge.artefacts.design import Role
from leakgauge.artefacts.dossier import CHANNEL
from leakgauge.artefacts.measurement import ValueShares
from leakgauge.artefacts.quantity import Quantity
from leakgauge.artefacts.report import Picture
from leakgauge.artefacts.scores import OF_A_RAW_COPY
from leakgauge.artefacts.verdict import Beside
from leakgauge.errors import OptionError
from leakgauge.languages import message
from leakgauge.probability import Channel
from leakgauge.telling.bits import exposure
from leakgauge.telling.columns import asked_of, is_withheld, plan_columns, planned_columns, protected_columns
from leakgauge.telling.figures.attacks import attacks_figure
from leakgauge.telling.figures.channel import channel_figure
from leakgauge.telling.figures.chart import NARROW, WIDTH, Figure
from leakgauge.telling.figures.criteria import criteria_figure
from leakgauge.telling.figures.decomposition import decomposition_figure
from leakgauge.telling.figures.frontier import frontier_figure
from leakgauge.telling.figures.guarantee import guarantee_figure
from leakgauge.telling.figures.influence import influence_figure
from leakgauge.telling.figures.levels import levels_figure
from leakgauge.telling.figures.people import people_figure
from leakgauge.telling.figures.repeats import repeats_figure
from leakgauge.telling.figures.scores import scores_figure
from leakgauge.telling.figures.search import search_figure
from leakgauge.telling.figures.shares import prior_of, shares_figure
from leakgauge.telling.figures.telling import telling_figure
from leakgauge.telling.figures.waterfall import waterfall_figure
from leakgauge.telling.promises import asked_epsilon, epsilon_of, keeps_noise, promises_nothing
from leakgauge.telling.scores import judged_by, secret_in
from leakgauge.telling.voice import Voice, spelled

FOR_EVERYBODY: Final = ("guarantee", "levels", "channel", "shares")
"""Pictures of what the facts for everybody have only where it may be known: claims, channels that are handed out, and
shares that were declared to be publishable. All others show the table."""
_Draw: TypeAlias = "Callable[[Voice, int], Figure | None]"
_DRAWN: Final[dict[str, tuple[str, _Draw]]] = {}
"""The pictures by their names, each with its caption; each is drawn for a width in pixels."""
_WIDE_ONLY: Final = ("influence", "levels", "telling", "waterfall", "attacks", "criteria")
"""Pictures that are pushed sideways on a narrow screen; a report has the first alone, which has room nowhere else."""
_ROUNDED: Final = message("Shares of the values of the secret in the table, rounded.")


def _picture(name: str, caption: str) -> Callable[[_Draw], _Draw]:
    def known(draw: _Draw) -> _Draw:
        _DRAWN[name] = caption, draw
        return draw

    return known


def pictures(voice: Voice, *names: str) -> Iterator[Picture]:
    """The pictures of these names that the facts allow; for everybody, those of what may be known."""
    for name in (one for one in names if not voice.external or one in FOR_EVERYBODY):
        figure = figure_of(voice, name)
        if figure is not None:
            caption = voice.language.say(_ROUNDED if voice.external and name == "shares" else _DRAWN[name][0])
            if voice.group:
                caption = voice.language.say("{secret}: {caption!s}", secret=voice.listed(voice.group), caption=caption)
            narrow = None if name in _WIDE_ONLY else figure_of(voice, name, NARROW)
            yield Picture(caption, figure.told, figure.spec, None if narrow is None else narrow.spec)


def is_drawn(voice: Voice, *names: str) -> bool:
    """Whether a picture of these names is in the edition."""
    return any(picture for one in voice.each for picture in pictures(one, *names))


@dataclass(frozen=True)
class ReleasedPoint:
    """Where a release that was not designed lies: its leakage, its distortion and its ε, as a design has them."""

    mechanism: str
    leakage: Quantity
    leakage_with_background: Quantity | None
    distortion: Quantity
    epsilon: Quantity | None
    weighted_leakage: None = None


def figure_of(voice: Voice, name: str, width: int = WIDTH) -> Figure | None:
    """The picture of a name in so many pixels; None where there is none, or the dossier has nothing to show in it."""
    return _DRAWN[name][1](voice, width) if name in _DRAWN else None


def _channel_of(voice: Voice) -> Channel | None:
    public, columns = voice.dossier.public_record, plan_columns(voice)
    records = (columns, {} if public is None else public.plan.columns)
    planned = (one[name].channel for one in records for name in planned_columns(voice) if name in one)
    channel = next((one for one in (voice.results.channel, *planned) if one is not None and one.matrix), None)
    return None if channel is None else channel.named(CHANNEL.name).channel


@_picture("channel", message("How likely each value is to be released, for each true value."))
def _channel(voice: Voice, width: int) -> Figure | None:
    channel = _channel_of(voice)
    if channel is None:
        return None
    try:
        return channel_figure(channel, voice.language, prior=prior_of(_shares_of(voice), channel.inputs), width=width)
    except OptionError:
        # Too large to be read, as a channel of a hundred letters is: the tables say it all the same.
        return None


@_picture("repeats", message("What repeated releases would reveal."))
def _repeats(voice: Voice, width: int) -> Figure | None:
    channel, verdict = _channel_of(voice), voice.dossier.verdict
    prior = None if channel is None else prior_of(_shares_of(voice), channel.inputs)
    if channel is None or prior is None:
        return None
    policy = () if verdict is None else verdict.policy
    limit = next((line.limit for line in policy if line.name == "min_protection"), None)
    return repeats_figure(prior, channel, limit, voice.language, kept=keeps_noise(voice), width=width)


@_picture("levels", message("The guarantees in the table above, grouped by unit."))
def _levels(voice: Voice, width: int) -> Figure | None:
    record = voice.dossier.record
    # For everybody there are no claims where they follow from private counts.
    shows = record is not None and (record.claims or not voice.external)
    return levels_figure(record.claims, voice.language) if record is not None and shows else None


@_picture("telling", message("The columns of the table by what they reveal about the secret."))
def _telling(voice: Voice, width: int) -> Figure | None:
    survey, secret = voice.dossier.survey, protected_columns(voice)
    # Secrets that are protected together are surveyed one by one.
    drawn = survey is not None and survey.columns and len(secret) == 1
    return telling_figure(survey, secret[0], voice.language) if survey is not None and drawn else None


@_picture("waterfall", message("What each visible column adds to correct guesses."))
def _waterfall(voice: Voice, width: int) -> Figure | None:
    found, audit = exposure(voice), voice.dossier.audit
    if found is None or audit is None:
        return None
    commonest = max((one.table.value for one in _shares_of(voice)), default=None)
    return waterfall_figure(found, audit.rows, commonest, voice.language)


def _shares_of(voice: Voice) -> Sequence[ValueShares]:
    worth = voice.results.utility
    secret = protected_columns(voice)
    found = (
        [] if worth is None else [worth.columns[name] for name in (*secret, ", ".join(secret)) if name in worth.columns]
    )
    return next((one.shares for one in found if one.shares), ())


@_picture("shares", message("Shares of the values of the secret, before the release and after."))
def _shares(voice: Voice, width: int) -> Figure | None:
    shares = _shares_of(voice)
    return shares_figure(shares, voice.language, width=width) if shares else None


@_picture("frontier", message("The least leakage for each mean distortion, and where this release and others lie."))
def _frontier(voice: Voice, width: int) -> Figure | None:
    found, compared = voice.results.frontier, voice.results.comparison
    if found is None or not found.points:
        return None
    # Where a channel was designed it is the release, and the same point in the comparison.
    own, ranking = (Role.OPTIMUM, Role.DESIGNED), () if compared is None else compared.ranking
    others = [one for one in ranking if one.role not in own]
    release = voice.results.design or (released_point(voice) if voice.released else None)
    return frontier_figure(found, release, others, voice.language, distortion=_distortion(voice), width=width)


def _distortion(voice: Voice) -> str:
    """What a wrong value of the secret costs, by its name; empty where it is not one of those with a unit."""
    asked = asked_of(voice)
    if asked is not None and asked.within is not None:
        return "absolute"
    column, given = ", ".join(protected_columns(voice)), () if asked is None else asked.distortion
    own = [one.removeprefix(f"{column}=") for one in given if one.startswith(f"{column}=")]
    return next(iter([*own, *(one for one in given if "=" not in one)]), "hamming")


@_picture("attacks", message("Each attack compared with its two baselines."))
def _attacks(voice: Voice, width: int) -> Figure | None:
    audit = voice.dossier.audit
    return attacks_figure(audit.attacks, voice.language) if audit is not None and audit.attacks else None


@_picture(
    "people",
    message(
        "Out of every hundred people: how many have their value guessed correctly without this "
        "release, and how many more with it."
    ),
)
def _people(voice: Voice, width: int) -> Figure | None:
    audit, verdict, secret = voice.dossier.audit, voice.dossier.verdict, protected_columns(voice)
    if audit is None or not audit.attacks:
        return None
    # What the verdict counts is of the secret that decides.
    decides = verdict is not None and verdict.deciding == ", ".join(secret)
    facts = verdict.facts if verdict is not None and decides else None
    return people_figure(audit, secret, voice.language, facts, width=width)


@_picture("scores", message("The scores of the original data and of this release, with the limits of the policy."))
def _score(voice: Voice, width: int) -> Figure | None:
    found = judged_by(voice)
    if found is None:
        return None
    # What a secret would be worth that is not released, nobody knows.
    before = {} if is_withheld(voice) else OF_A_RAW_COPY
    return scores_figure(found.scores[secret_in(voice, found)], found.policy, before, voice.language, width=width)


@_picture("guarantee", message("The guarantee, whatever the attacker knows: how sure anybody can become of a value."))
def _guarantee(voice: Voice, width: int) -> Figure | None:
    """Of the ε of the record where it may be known, otherwise of the bound that was asked for."""
    level = epsilon_of(voice)
    if level is not None:
        found = level.value
    else:
        asked = [asked_epsilon(one) for one in voice.each]
        found = float(asked[0].value) if len(asked) == 1 and asked[0] is not None else math.inf
    return None if promises_nothing(voice) else guarantee_figure(found, voice.language, width=width)


def _beside(voice: Voice) -> Beside | None:
    verdict = voice.dossier.verdict
    return None if verdict is None else verdict.beside.get(secret_in(voice, verdict))


@_picture("criteria", message("The criteria that explain the scores."))
def _criteria(voice: Voice, width: int) -> Figure | None:
    found = _beside(voice)
    return None if found is None else criteria_figure(found.criteria, voice.language)


@_picture("influence", message("From the indicators on the left to the protection effect on the right."))
def _influence(voice: Voice, width: int) -> Figure | None:
    found = _beside(voice)
    arcs = None if found is None else found.over_arcs
    return None if arcs is None else influence_figure(arcs, voice.diagram, voice.language)


@_picture("tuning", message("The settings that were tried."))
def _tuning(voice: Voice, width: int) -> Figure | None:
    found = voice.results.improvement
    return search_figure(found, voice.language, width=width) if found is not None and found.trials else None


def released_point(voice: Voice) -> ReleasedPoint | None:
    """Where a release that was not designed lies; None where it is no single point."""
    worth, leakage, record = voice.results.utility, voice.results.leakage, voice.dossier.record
    columns = [one for one in protected_columns(voice) if worth is not None and one in worth.columns]
    if len(columns) != 1 or worth is None or leakage is None or leakage.mutual_information is None or record is None:
        return None
    claims = record.claims.get(columns[0])
    return ReleasedPoint(
        spelled(record.plan.columns[columns[0]].mechanism),
        leakage.mutual_information,
        leakage.leakage_with_background,
        worth.columns[columns[0]].distortion,
        None if claims is None else claims.levels.get("local-dp"),
    )


@_picture("decomposition", message("How much of the secret is revealed, and how much stays hidden."))
def _decomposition(voice: Voice, width: int) -> Figure | None:
    found, measured = exposure(voice), voice.results.measurement
    everything = None if found is None else found.everything
    return None if measured is None else decomposition_figure(measured, everything, voice.language, width=width)
