"""How recipients read each column of a release, using only what everybody may know."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

import numpy as np

from leakgauge.artefacts import Request
from leakgauge.artefacts.record import Plan, PlannedColumn
from leakgauge.probability import Channel, Distribution, Label, PriorOrigin
from leakgauge.probability.files import NamedChannel
from leakgauge.probability.labels import label_parts
from leakgauge.release.bound import BoundColumn, RecordedPlan
from leakgauge.release.estimates.effective_rows import KEPT
from leakgauge.release.estimates.first_release import rebuilt_channels
from leakgauge.release.estimates.kit import kit_column
from leakgauge.release.estimates.offered import Offered
from leakgauge.release.estimates.reading import Protected, protected_column
from leakgauge.release.estimates.rebuilding import Rebuilt
from leakgauge.release.priors import own_prior
from leakgauge.release.record import names_unseen_values
from leakgauge.release.recorded_plan import recorded_plan
from leakgauge.sentences import Sentence
from leakgauge.tables import Table

MOST_CELLS = 1 << 20
"""Of a channel that is handed out; one of more could hardly be read, nor inverted in a minute."""
CHOSEN = Sentence(
    "the noise level is confidential, because it was tuned on the private table, and without it counts "
    "cannot be corrected"
)
CLAMPED = Sentence("its numbers were clamped to their bounds after the noise, which moves their mean")
SEVERAL = Sentence("its channel reads or writes several columns, and corrections handle one column at a time")
ENDLESS = Sentence("its mechanism has too many different outputs to write its channel down")
UNSEEN = Sentence("its mechanism knows values of the table that the release never shows")


@dataclass(frozen=True)
class Reading:
    """How one column is read, and from which prior its channel was designed; None where the table decided."""

    column: Protected
    origin: PriorOrigin | None = None


@dataclass(frozen=True)
class KitTerms:
    """What decides, beside a plan, what recipients are handed: known before anything is drawn.

    Attributes:
        keeps_shares: whether channels were designed to keep the shares of the table.
        brought: columns that a channel was brought for; what it keeps by chance would tell something of the table.
        chosen_from_table: whether a mechanism was chosen by what it does to the table.
        publish_shares: whether the steward declared that what follows from the counts may be known.
        repeating: the job, where it repeats another one, whose recipients may rebuild its channels.
    """

    keeps_shares: bool = True
    brought: frozenset[str] = frozenset()
    chosen_from_table: bool = False
    publish_shares: bool = False
    repeating: Request | None = None

    @classmethod
    def of(cls, asked: Request) -> KitTerms:
        """Those of a job."""
        return cls(
            keeps_shares=asked.limits.kept != "nothing",
            brought=frozenset(name for aim in asked.aims if aim.mechanism for name in aim.columns),
            chosen_from_table=is_chosen_by_counts(asked),
            publish_shares=asked.declared.publish_shares,
            # What the steward publishes is exact, and needs no rebuilding.
            repeating=None if asked.repeat is None or asked.declared.publish_shares else asked,
        )

    def kept(self, plan: RecordedPlan, table: Table) -> Iterator[str]:
        """The columns whose channel was designed on this table to keep its shares, and does."""
        for one in plan.columns:
            named = one.channel
            if not self.keeps_shares or named is None or self.brought.intersection(one.writes):
                continue
            designed = named.prior_origin is PriorOrigin.THIS_TABLE
            if designed and keeps_shares(named, own_prior(table, one.reads, named.channel).distribution):
                yield one.name

    def readings(
        self, plan: RecordedPlan, kept: Iterable[str], release: Path | None = None, recorded: Plan | None = None
    ) -> list[Reading]:
        """How each column that goes through a mechanism is read, of a release or before anything is drawn."""
        return readings(
            plan,
            recorded or recorded_plan(plan),
            release,
            kept=kept,
            chosen_from_table=self.chosen_from_table,
            publish_shares=self.publish_shares,
            rebuilt={} if self.repeating is None else rebuilt_channels(self.repeating, release),
        )

    def offered(self, plan: RecordedPlan, table: Table, release: Path | None = None) -> dict[str, Offered]:
        """What the kit of a release of the table offers to estimate each column by; by law before anything is drawn."""
        found = self.readings(plan, tuple(self.kept(plan, table)), release)
        return {one.column.name: self.offer(one, table.rows) for one in found}

    def offer(self, one: Reading, rows: int) -> Offered:
        """What a kit offers to estimate one column by."""
        said, channel = kit_column(one.column, one.origin, self.publish_shares)
        read = replace(
            one.column,
            channel=one.column.channel if channel is not None else None,
            keeps_shares=said.keeps_shares,
            keeps_with=frozenset(said.keeps_with),
            unreadable=said.unreadable,
        )
        return Offered(read, fitted=one.origin is PriorOrigin.THIS_TABLE, rows=rows)


BY_LAW = KitTerms()
"""Of a release without a job: its record says which channels may be known, and their law what they keep."""


def is_chosen_by_counts(asked: Request) -> bool:
    """Whether the choice of mechanism depends on the table, so that naming it would reveal something of the counts."""
    # A search that reads only a noisy histogram was paid for.
    searched = asked.is_searched and asked.budget.accounted is None
    if searched or any(len(aim.mechanism) > 1 for aim in asked.aims):
        return True
    # For an ε alone a channel is designed, or randomized response is taken where that channel would be constant, as one
    # that keeps the shares never is.
    return (
        asked.budget.accounted is None
        and asked.limits.kept == "nothing"
        and any(not aim.mechanism and aim.target is None for aim in asked.aims)
    )


def readings(
    plan: RecordedPlan,
    recorded: Plan,
    release: Path | None,
    *,
    kept: Iterable[str] = (),
    chosen_from_table: bool = False,
    publish_shares: bool = False,
    rebuilt: Mapping[str, Rebuilt] = MappingProxyType({}),
) -> list[Reading]:
    """How each column that went through a mechanism is read, in the order of the plan.

    Args:
        plan: of the release, with every channel.
        recorded: the same as its record has it, which says what follows from private counts.
        release: the file, which shows values that the mechanisms took from the table; None before it is drawn, where
            all of them count as shown.
        kept: the columns of the plan whose channel was designed on this table and keeps its shares.
        chosen_from_table: whether a mechanism was chosen by what it does to the table, so that the public record does
            not name it. All that were chosen from may keep the shares: that they do is then no news of the table.
        publish_shares: whether the steward declared that what follows from the counts may be known.
        rebuilt: channels of an earlier release as its recipients can rebuild them.
    """
    released, found = frozenset(kept), list[Reading]()
    extension = "" if release is None else release.suffix.lower().lstrip(".")
    for column in plan.columns:
        if column.name in rebuilt and column.reads == column.writes == (column.name,):
            found.append(_as_rebuilt(column.name, rebuilt[column.name]))
        elif chosen_from_table and not (publish_shares or column.unprotected or column.name in released):
            found += [_unreadable(name, CHOSEN) for name in column.writes]
        elif column.reads != column.writes or len(column.writes) > 1:
            found += _of_several(column, plan.order, column.name in released)
        elif release is not None and not publish_shares and names_unseen_values(column, release, extension):
            # The kit would name a value of the table that nobody else does.
            found.append(_unreadable(column.name, UNSEEN))
        else:
            found.append(_of_one(column, recorded.columns[column.name], column.name in released))
    return found


def _of_several(column: BoundColumn, order: tuple[str, ...], kept: bool) -> Iterator[Reading]:
    """Columns that one channel writes, or one that it writes by what others hold: cross-tables are kept with shares."""
    beside = {*column.reads, *column.writes}.intersection(order)
    for name in column.writes:
        direct = Protected(name, keeps_shares=True, keeps_with=frozenset(beside - {name}))
        yield Reading(direct) if kept else _unreadable(name, SEVERAL)


def _of_one(column: BoundColumn, planned: PlannedColumn, kept: bool) -> Reading:
    noise, channel = column.mechanism.noise, channel_of(column)
    if noise is not None and noise.clamps:
        return _unreadable(column.name, CLAMPED)
    if noise is not None:
        return Reading(protected_column(column.name, noise))
    if column.unprotected:
        # A channel made for the secrets reveals how they are related to the column, which is more than shares.
        return Reading(Protected(column.name, keeps_shares=kept))
    if channel is None and not kept:
        return _unreadable(column.name, ENDLESS)
    # Where no origin is said of what may be known, it follows from declared settings.
    origin = planned.channel_prior if planned.follows_from_counts else planned.channel_prior or PriorOrigin.PUBLIC
    return Reading(Protected(column.name, channel, keeps_shares=kept), origin)


def _as_rebuilt(name: str, found: Rebuilt) -> Reading:
    """Read by what recipients of the earlier release could compute themselves, so that it may be handed out."""
    column = Protected(name, found.channel, jackknife=found.jackknife, since=found.sha256)
    return Reading(column, PriorOrigin.PUBLIC)


def _unreadable(name: str, reason: Sentence) -> Reading:
    return Reading(Protected(name, unreadable=reason))


def channel_of(column: BoundColumn) -> Channel | None:
    """The channel of a column, of a mechanism that releases sets too; None of noise, and where it is too large."""
    if column.mechanism.noise is not None:
        return None
    channel = column.mechanism.channel() if column.channel is None else column.channel.channel
    return None if channel is None or len(channel.inputs) * len(channel.outputs) > MOST_CELLS else channel


def keeps_shares(named: NamedChannel, prior: Distribution) -> bool:
    """Whether a channel releases every value as often as it occurs under a prior over its inputs.

    Where it reads columns that it does not write, it does so for each of their values.
    """
    inputs = [label_parts(label, named.inputs) for label in prior.outcomes]
    outputs = [label_parts(label, named.outputs) for label in named.channel.outputs]
    at = [named.inputs.index(name) for name in named.outputs if name in named.inputs]
    beside = [place for place in range(len(named.inputs)) if place not in at]
    places: Mapping[tuple[Label, ...], int] = {label: place for place, label in enumerate(outputs)}
    own = [places.get(tuple(label[place] for place in at), -1) for label in inputs]
    if len(at) < len(named.outputs) or -1 in own:
        return False
    _, groups = np.unique([repr([label[place] for place in beside]) for label in inputs], return_inverse=True)
    changed = np.zeros((int(groups.max()) + 1, len(outputs)))
    np.add.at(changed, groups, prior.probabilities[:, None] * named.channel.restrict(prior.outcomes).matrix)
    np.subtract.at(changed.ravel(), groups * len(outputs) + np.array(own), prior.probabilities)
    return bool(np.abs(changed).max() <= KEPT)
