"""How recipients read each column of a release, using only what everybody may know."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from leakgauge.artefacts.record import Plan, PlannedColumn
from leakgauge.probability import Channel, Distribution, Label, PriorOrigin
from leakgauge.probability.files import NamedChannel
from leakgauge.probability.labels import label_parts
from leakgauge.release.bound import BoundColumn, RecordedPlan
from leakgauge.release.estimates.effective_rows import KEPT
from leakgauge.release.estimates.reading import Protected, protected_column
from leakgauge.release.record import names_unseen_values
from leakgauge.sentences import Sentence

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


def readings(
    plan: RecordedPlan,
    recorded: Plan,
    release: Path,
    *,
    kept: Iterable[str] = (),
    chosen_from_table: bool = False,
    publish_shares: bool = False,
) -> list[Reading]:
    """How each column that went through a mechanism is read, in the order of the plan.

    Args:
        plan: of the release, with every channel.
        recorded: the same as its record has it, which says what follows from private counts.
        release: the file, which shows values that the mechanisms took from the table.
        kept: the columns of the plan whose channel was designed on this table and keeps its shares.
        chosen_from_table: whether a mechanism was chosen by what it does to the table, so that the public record does
            not name it. All that were chosen from may keep the shares: that they do is then no news of the table.
        publish_shares: whether the steward declared that what follows from the counts may be known.
    """
    released, found = frozenset(kept), list[Reading]()
    extension = release.suffix.lower().lstrip(".")
    for column in plan.columns:
        if chosen_from_table and not (publish_shares or column.unprotected or column.name in released):
            found += [_unreadable(name, CHOSEN) for name in column.writes]
        elif column.reads != column.writes or len(column.writes) > 1:
            found += _of_several(column, plan.order, column.name in released)
        elif not publish_shares and names_unseen_values(column, release, extension):
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
