"""Numbers beside the main artefacts: levels under the table's prior, usefulness, the headline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from leakgauge.artefacts import Headline, JobCost, Level, Levels, Request, SecretOutcome, Utility, strongest
from leakgauge.artefacts.dossier import AUDIT, MEASUREMENT, RECORD, UTILITY, VERDICT
from leakgauge.artefacts.measurement import ColumnUtility, NumberUtility
from leakgauge.artefacts.request import Aim
from leakgauge.assessment.worth import (
    UNCHANGED,
    coarsened,
    numbers_through_channel,
    numbers_through_noise,
    through_channel,
)
from leakgauge.distances import Distortion, Hamming
from leakgauge.distances.distortions import distortion_named
from leakgauge.jobs.protect.folder import Folder
from leakgauge.jobs.protect.sources import Sources
from leakgauge.notions.relation import relate_channel
from leakgauge.probability import PriorOrigin
from leakgauge.probability.files import NamedChannel
from leakgauge.release import Release
from leakgauge.release.bound import BoundColumn
from leakgauge.release.priors import own_prior
from leakgauge.tables import Kind
from leakgauge.tables.pairing import paired_counts


def levels_of(sources: Sources, named: NamedChannel) -> Levels:
    """The exact levels of the released channel in every notion, those under the table's own prior included."""
    prior = own_prior(sources.table, named.inputs, named.channel).distribution
    found = relate_channel(named.channel, prior, compared=named.compared).levels
    return Levels(PriorOrigin.THIS_TABLE.value, {name: level.stored() for name, level in found.items()})


def utility(sources: Sources, aim: Aim, own: BoundColumn, release: Release) -> Utility | None:
    """The worth of a released secret and the public columns by the law of the release, for numbers also as drawn; None
    of a mechanism that has neither a channel nor noise."""
    if own.channel is None and own.mechanism.noise is None:
        return None
    name, columns, numbers = aim.columns[0], _public(sources), dict[str, NumberUtility]()
    if own.channel is not None:
        worth = _through(sources, own.channel, distortion_named(aim.distortion))
        if aim.distortion == "absolute" and len(aim.columns) == 1:
            numbers[name] = numbers_through_channel(
                sources.original, aim, sources.bins.get(name), own.channel, worth.distortion.value, release
            )
        columns = {", ".join(aim.columns): worth} | columns
    elif own.mechanism.noise is not None:
        numbers[name] = numbers_through_noise(sources.original, name, own.mechanism.noise, release)
    return Utility(columns, numbers)


def _public(sources: Sources) -> dict[str, ColumnUtility]:
    kinds, found = {one.name: one.kind for one in sources.original.columns()}, {}
    hidden = sources.asked.coarsening.suppress_below is not None
    for name in sources.asked.roles.public:
        through = sources.through.get(name)
        if through is not None:
            found[name] = _through(sources, NamedChannel(through, (name,), (name,)), Hamming())
        elif (name in sources.bins or hidden) and kinds[name] is not Kind.OTHER:
            found[name] = coarsened(paired_counts(sources.original, sources.table, name))
        else:
            found[name] = UNCHANGED
    return found


def _through(sources: Sources, named: NamedChannel, distortion: Distortion) -> ColumnUtility:
    prior = own_prior(sources.table, named.inputs, named.channel).distribution
    return through_channel(named, prior, distortion, sources.table.rows)


_BUDGETS = ("local-dp", "dp", "approximate-dp")
_OF_THE_ATTACK = ("attack", "success", "baseline", "advantage")


def outcomes(folder: Folder, asked: Request) -> tuple[SecretOutcome, ...]:
    """The outcome for each secret: bits before and after, results of attacks, the scores."""
    exposures = {one.secret: one for one in folder.result(AUDIT).exposures}
    scores = folder.result(VERDICT).scores
    found = []
    for secret in asked.roles.sources:
        seen, withheld = exposures.get(secret), secret not in asked.roles.groups
        found.append(
            SecretOutcome(
                secret,
                withheld,
                leakage_before=folder.result(MEASUREMENT, secret).entropy,
                leakage_after=None if seen is None else seen.everything.information,
                exact=seen is None or seen.everything.exact,
                floor=None if seen is None or not asked.roles.background else seen.known.information,
                floor_exact=seen is None or seen.known.exact,
                success=None if seen is None else seen.everything.success,
                baseline=None if seen is None else seen.known.success,
                scores=scores.get(", ".join(secret)),
            )
        )
    return tuple(found)


def headline(folder: Folder, secrets: Sequence[SecretOutcome]) -> Headline:
    """The recommendation and its reasons, and the numbers of the deciding secret: scores, bits, ε, the best attack."""
    verdict = folder.result(VERDICT)
    outcome = next(one for one in secrets if ", ".join(one.secret) == verdict.deciding)
    secret = outcome.secret
    worth = folder.found(UTILITY, secret)
    record, name = folder.result(RECORD), ", ".join(secret)
    # For several columns, or a person with several rows, the guarantee of all of them together.
    alone = record.plan.unit is None and len(record.plan.columns) == 1
    own = next((record.claims[key].levels for key in (name, secret[0]) if key in record.claims), None)
    levels: Mapping[str, Level] = own if alone and own is not None else record.together
    attacks = folder.result(AUDIT).attacks
    on_it = [one for one in attacks if one.target == secret] or attacks
    place = strongest(on_it)
    attack = None if place is None else on_it[place]
    return Headline(
        recommendation=verdict.recommendation,
        reasons=verdict.reasons,
        scores=verdict.scores[verdict.deciding],
        conditions=verdict.conditions,
        vetoes=verdict.vetoes,
        leakage_before=outcome.leakage_before,
        leakage_after=outcome.leakage_after,
        floor=outcome.floor,
        epsilon=next((_plain(levels[name]) for name in _BUDGETS if name in levels), None),
        **({} if attack is None else {name: getattr(attack, name) for name in _OF_THE_ATTACK}),
        unchanged=None if worth is None or name not in worth.columns else worth.columns[name].unchanged,
        secret=secret,
        exact=outcome.exact,
        floor_exact=outcome.floor_exact,
    )


def _plain(level: Level) -> Level:
    """The level alone, without the bound it was derived by, which a headline has no room for."""
    return Level(**{name: getattr(level, name) for name in Level.__struct_fields__})


def spent(folder: Folder, asked: Request) -> JobCost:
    """What the histogram and the release cost, in nats: alone and together."""
    stages = folder.job.stages
    bought = asked.budget.accounted if "design" in stages else None
    drawn = folder.result(RECORD).budget.epsilon.value if "release" in stages else None
    return JobCost(bought, drawn, sum(one for one in (bought, drawn) if one is not None))
