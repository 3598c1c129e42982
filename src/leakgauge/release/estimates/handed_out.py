"""How recipients read each column of a release, as far as everybody may know it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from leakgauge.artefacts.record import Plan
from leakgauge.mechanisms.letter_sets import SEPARATOR
from leakgauge.probability import Channel, Distribution, Label, PriorOrigin
from leakgauge.probability.files import NamedChannel
from leakgauge.release.bound import BoundColumn, RecordedPlan
from leakgauge.release.estimates.effective_rows import KEPT
from leakgauge.release.estimates.reading import Protected, protected_column
from leakgauge.release.letters import places_among
from leakgauge.sentences import Sentence
from leakgauge.tables import Table, open_table

CHOSEN = Sentence("its mechanism was chosen by what it does to the table, so that naming it would tell of the table")
CLAMPED = Sentence("its numbers were brought back to their bounds after the noise, which moves their mean")
SEVERAL = Sentence("one channel released it together with other columns, and corrections are of one column at a time")
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
            not name it.
        publish_shares: whether the steward declared that what follows from the counts may be known.
    """
    with open_table(release) as table:
        return [
            one
            for column in plan.columns
            for one in _readings(column, recorded, table, column.name in set(kept), chosen_from_table, publish_shares)
        ]


def _readings(
    column: BoundColumn, recorded: Plan, table: Table, kept: bool, chosen: bool, publish_shares: bool
) -> Iterator[Reading]:
    planned = recorded.columns[column.name]
    if chosen and not publish_shares:
        yield from (_unreadable(name, CHOSEN) for name in column.writes)
    elif column.reads != column.writes or len(column.writes) > 1:
        # What one channel reads or writes beside a column keeps its cross-tables with it as well.
        beside = {*column.reads, *column.writes}
        for name in column.writes:
            direct = Protected(name, keeps_shares=True, keeps_with=frozenset(beside - {name}))
            yield Reading(direct) if kept else _unreadable(name, SEVERAL)
    elif column.mechanism.noise is not None and column.mechanism.noise.clamps:
        yield _unreadable(column.name, CLAMPED)
    elif column.mechanism.noise is None and channel_of(column) is None:
        yield _unreadable(column.name, ENDLESS)
    elif column.letters_from_table and not publish_shares and not _all_seen(column, table):
        # Then the kit would name a value of the table that nobody else does.
        yield _unreadable(column.name, UNSEEN)
    else:
        channel = channel_of(column)
        read = protected_column(column.name, column.mechanism if channel is None else channel)
        own = Protected(column.name, read.channel, read.noise, keeps_shares=kept)
        yield Reading(own, planned.channel_prior if planned.follows_from_counts else _published(planned.channel_prior))


def _unreadable(name: str, reason: Sentence) -> Reading:
    return Reading(Protected(name, unreadable=reason))


def _published(origin: PriorOrigin | None) -> PriorOrigin:
    """The origin of a channel that everybody may know: where none is said, it follows from declared settings."""
    return PriorOrigin.PUBLIC if origin is None else origin


def channel_of(column: BoundColumn) -> Channel | None:
    """The channel of a column, of a mechanism that releases sets too; None of noise, and where it is too large."""
    return column.mechanism.channel() if column.channel is None else column.channel.channel


def _all_seen(column: BoundColumn, table: Table) -> bool:
    """Whether the release itself shows every value that the mechanism took from the table."""
    shown = table.counts(column.name).labels(column.name)
    letters: tuple[Label, ...] = column.mechanism.letters or ()
    if column.mechanism.sets is not None:
        parts: dict[Label, None] = {text: None for one in shown for text in str(one or "").split(SEPARATOR)}
        letters, shown = column.mechanism.sets.letter_texts, tuple(parts)
    return set(range(len(letters))) <= set(places_among(letters, shown).tolist())


def keeps_shares(named: NamedChannel, prior: Distribution) -> bool:
    """Whether a channel releases every value as often as it occurs under a prior over its inputs.

    Where it reads columns that it does not write, it does so for each of their values.
    """
    inputs = [label if len(named.inputs) > 1 and isinstance(label, tuple) else (label,) for label in prior.outcomes]
    outputs = [
        label if len(named.outputs) > 1 and isinstance(label, tuple) else (label,) for label in named.channel.outputs
    ]
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
