"""What each column is: protected, public, known or withheld, and how coarse it was released."""

from __future__ import annotations

from collections.abc import Mapping

from leakgauge.artefacts.record import PlannedColumn, RecordedBins
from leakgauge.artefacts.request import StoredRequest
from leakgauge.probability import PriorOrigin
from leakgauge.report.sections.teller import Plain, Teller


def asked_of(tell: Teller) -> StoredRequest | None:
    """What the job was asked; None where no job made the release."""
    return None if tell.dossier.job is None else tell.dossier.job.asked


def plan_columns(tell: Teller) -> Mapping[str, PlannedColumn]:
    """The columns of the plan, with their mechanisms."""
    return {} if tell.dossier.plan is None else tell.dossier.plan.columns


def plan_bins(tell: Teller) -> Mapping[str, RecordedBins]:
    """The bins and levels of the plan."""
    return {} if tell.dossier.plan is None else tell.dossier.plan.bins


def published_columns(tell: Teller) -> tuple[str, ...]:
    """The columns that were released as they are, or coarser."""
    return () if tell.dossier.plan is None else tell.dossier.plan.public


def protected_columns(tell: Teller) -> tuple[str, ...]:
    """The secret that is spoken of; of several together, the protected columns."""
    if tell.foreign is not None:
        return tell.group or tell.foreign.secrets
    if tell.group:
        return tell.group
    columns, asked, measured = plan_columns(tell), asked_of(tell), tell.results.measurement
    written = tuple(name for column in planned_columns(tell) for name in columns[column].writes or (column,))
    return written or (() if asked is None else asked.secret) or (() if measured is None else measured.secret)


def planned_columns(tell: Teller) -> list[str]:
    """The columns of the plan that release the secret that is spoken of; of several together, all."""
    public = less_telling_columns(tell)
    written = {name: one.writes or (name,) for name, one in plan_columns(tell).items() if name not in public}
    return [name for name, writes in written.items() if not tell.group or {*writes} <= {*tell.group}]


def less_telling_columns(tell: Teller) -> tuple[str, ...]:
    """The public columns that go through channels, so that they tell less of the secrets."""
    asked = asked_of(tell)
    return () if asked is None else tuple(asked.public_distortion or ())


def is_withheld(tell: Teller) -> bool:
    """Whether the secret that is spoken of is not released."""
    if tell.foreign is not None:
        return {*protected_columns(tell)} <= {*tell.foreign.withheld}
    asked = asked_of(tell)
    return tell.group != () and asked is not None and {*tell.group} <= {*asked.withhold}


def known_columns(tell: Teller) -> tuple[str, ...]:
    """The columns that the attacker knows."""
    if tell.foreign is not None:
        return tell.foreign.background
    asked, measured = asked_of(tell), tell.results.measurement
    return (() if asked is None else asked.background) or (() if measured is None else measured.background)


def written_by(tell: Teller, column: str) -> Plain:
    """The columns that the mechanism of a planned column writes."""
    planned = plan_columns(tell).get(column)
    return tell.listed((() if planned is None else planned.writes) or (column,))


def bins_of(tell: Teller) -> tuple[str, ...]:
    """How numbers and dates were put into bins, such as ``age=width:10``: as asked for, or as the record says."""
    asked = asked_of(tell)
    given = () if asked is None else asked.bins
    named = {one.rpartition("=")[0] for one in given}
    # For an error that readers can bear there are bins that nobody asked for.
    others = {name: one for name, one in plan_bins(tell).items() if name not in (*named, *_at_levels(tell))}
    return (*given, *(f"{name}={_asked_bins(one)}" for name, one in others.items()))


def bins_of_secret(tell: Teller) -> tuple[str, ...]:
    """Those of the secret."""
    protected = protected_columns(tell)
    return tuple(one for one in bins_of(tell) if one.rpartition("=")[0] in protected)


def levels_of(tell: Teller) -> tuple[str, ...]:
    """Which columns are coarser, such as ``job=jobs.csv:2``: as asked for, or as the record says."""
    asked = asked_of(tell)
    return (() if asked is None else asked.levels) or tuple(_at_levels(tell))


def _at_levels(tell: Teller) -> list[str]:
    return [name for name, one in plan_bins(tell).items() if one.binning.startswith("level:")]


def _asked_bins(recorded: RecordedBins) -> str:
    """The bins of a record as they were asked for where they were left to the table: edges may be two hundred."""
    asked = "" if recorded.learnt is None else recorded.learnt.asked
    return asked if asked.startswith("auto") else recorded.binning


def by_coarseness(tell: Teller) -> tuple[list[str], list[str], list[str]]:
    """The public columns that were released as they are, those in bins, and those at a coarser level."""
    public, coarser = published_columns(tell), _at_levels(tell)
    binned = [name for name in plan_bins(tell) if name not in coarser]
    return (
        [one for one in public if one not in (*binned, *coarser)],
        [one for one in public if one in binned],
        [one for one in public if one in coarser],
    )


def keeps_order(tell: Teller) -> bool:
    """Whether released rows are in the table's order, as in all releases whose record does not say."""
    return tell.dossier.plan is not None and tell.dossier.plan.keep_order


def is_coarsened(tell: Teller) -> bool:
    """Whether public columns are coarser than they are, or suppressed in part."""
    suppressed = tell.dossier.plan is not None and tell.dossier.plan.suppress_below is not None
    return any(by_coarseness(tell)[1:]) or suppressed


def kept_associations(tell: Teller) -> tuple[str, ...]:
    """The public columns whose cross-tables with the secret the channel was designed to keep."""
    if tell.results.design is None or tell.results.design.keep != "associations":
        return ()
    columns = plan_columns(tell)
    return tuple(dict.fromkeys(given for name in planned_columns(tell) for given in columns[name].given))


def is_from_this_table(tell: Teller) -> bool:
    """Whether a channel was designed from the private counts."""
    columns, design = plan_columns(tell), tell.results.design
    priors = [
        None if design is None else design.prior,
        *(columns[name].channel_prior for name in planned_columns(tell)),
    ]
    return PriorOrigin.THIS_TABLE in priors
