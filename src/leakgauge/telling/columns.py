"""What each column is: protected, public, known or withheld, and how coarse it was released."""

from __future__ import annotations

from collections.abc import Mapping

from leakgauge.artefacts.record import PlannedColumn, RecordedBins
from leakgauge.artefacts.request import StoredRequest
from leakgauge.probability import PriorOrigin
from leakgauge.telling.voice import Plain, Voice


def asked_of(voice: Voice) -> StoredRequest | None:
    """What the job was asked; None where no job made the release."""
    return None if voice.dossier.job is None else voice.dossier.job.asked


def plan_columns(voice: Voice) -> Mapping[str, PlannedColumn]:
    """The columns of the plan, with their mechanisms."""
    return {} if voice.dossier.plan is None else voice.dossier.plan.columns


def plan_bins(voice: Voice) -> Mapping[str, RecordedBins]:
    """The bins and levels of the plan."""
    return {} if voice.dossier.plan is None else voice.dossier.plan.bins


def published_columns(voice: Voice) -> tuple[str, ...]:
    """The columns that were released as they are, or coarser."""
    return () if voice.dossier.plan is None else voice.dossier.plan.public


def protected_columns(voice: Voice) -> tuple[str, ...]:
    """The secret that is spoken of; of several together, the protected columns."""
    if voice.foreign is not None:
        return voice.group or voice.foreign.secrets
    if voice.group:
        return voice.group
    columns, asked, measured = plan_columns(voice), asked_of(voice), voice.results.measurement
    written = tuple(name for column in planned_columns(voice) for name in columns[column].writes or (column,))
    return written or (() if asked is None else asked.secret) or (() if measured is None else measured.secret)


def planned_columns(voice: Voice) -> list[str]:
    """The columns of the plan that release the secret that is spoken of; of several together, all."""
    public = less_telling_columns(voice)
    written = {name: one.writes or (name,) for name, one in plan_columns(voice).items() if name not in public}
    return [name for name, writes in written.items() if not voice.group or {*writes} <= {*voice.group}]


def less_telling_columns(voice: Voice) -> tuple[str, ...]:
    """The public columns that go through channels, so that they tell less of the secrets."""
    asked = asked_of(voice)
    return () if asked is None else tuple(asked.public_distortion or ())


def is_withheld(voice: Voice) -> bool:
    """Whether the secret that is spoken of is not released."""
    if voice.foreign is not None:
        return {*protected_columns(voice)} <= {*voice.foreign.withheld}
    asked = asked_of(voice)
    return voice.group != () and asked is not None and {*voice.group} <= {*asked.withhold}


def known_columns(voice: Voice) -> tuple[str, ...]:
    """The columns that the attacker knows."""
    if voice.foreign is not None:
        return voice.foreign.background
    asked, measured = asked_of(voice), voice.results.measurement
    return (() if asked is None else asked.background) or (() if measured is None else measured.background)


def written_by(voice: Voice, column: str) -> Plain:
    """The columns that the mechanism of a planned column writes."""
    planned = plan_columns(voice).get(column)
    return voice.listed((() if planned is None else planned.writes) or (column,))


def bins_of(voice: Voice) -> tuple[str, ...]:
    """How numbers and dates were put into bins, such as ``age=width:10``: as asked for, or as the record says."""
    asked = asked_of(voice)
    given = () if asked is None else asked.bins
    named = {one.rpartition("=")[0] for one in given}
    # For an error that readers can bear there are bins that nobody asked for.
    others = {name: one for name, one in plan_bins(voice).items() if name not in (*named, *_at_levels(voice))}
    return (*given, *(f"{name}={_asked_bins(one)}" for name, one in others.items()))


def bins_of_secret(voice: Voice) -> tuple[str, ...]:
    """Those of the secret."""
    protected = protected_columns(voice)
    return tuple(one for one in bins_of(voice) if one.rpartition("=")[0] in protected)


def levels_of(voice: Voice) -> tuple[str, ...]:
    """Which columns are coarser, such as ``job=jobs.csv:2``: as asked for, or as the record says."""
    asked = asked_of(voice)
    return (() if asked is None else asked.levels) or tuple(_at_levels(voice))


def _at_levels(voice: Voice) -> list[str]:
    return [name for name, one in plan_bins(voice).items() if one.binning.startswith("level:")]


def _asked_bins(recorded: RecordedBins) -> str:
    """The bins of a record as they were asked for where they were left to the table: edges may be two hundred."""
    asked = "" if recorded.learnt is None else recorded.learnt.asked
    return asked if asked.startswith("auto") else recorded.binning


def by_coarseness(voice: Voice) -> tuple[list[str], list[str], list[str]]:
    """The public columns that were released as they are, those in bins, and those at a coarser level."""
    public, coarser = published_columns(voice), _at_levels(voice)
    binned = [name for name in plan_bins(voice) if name not in coarser]
    return (
        [one for one in public if one not in (*binned, *coarser)],
        [one for one in public if one in binned],
        [one for one in public if one in coarser],
    )


def keeps_order(voice: Voice) -> bool:
    """Whether released rows are in the table's order, as in all releases whose record does not say."""
    return voice.dossier.plan is not None and voice.dossier.plan.keep_order


def is_coarsened(voice: Voice) -> bool:
    """Whether public columns are coarser than they are, or suppressed in part."""
    suppressed = voice.dossier.plan is not None and voice.dossier.plan.suppress_below is not None
    return any(by_coarseness(voice)[1:]) or suppressed


def kept_associations(voice: Voice) -> tuple[str, ...]:
    """The public columns whose cross-tables with the secret the channel was designed to keep."""
    if voice.results.design is None or voice.results.design.keep != "associations":
        return ()
    columns = plan_columns(voice)
    return tuple(dict.fromkeys(given for name in planned_columns(voice) for given in columns[name].given))


def is_from_this_table(voice: Voice) -> bool:
    """Whether a channel was designed from the private counts."""
    columns, design = plan_columns(voice), voice.results.design
    priors = [
        None if design is None else design.prior,
        *(columns[name].channel_prior for name in planned_columns(voice)),
    ]
    return PriorOrigin.THIS_TABLE in priors
