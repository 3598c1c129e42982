"""The channel of an earlier release as its recipients can design it again, from what they were handed.

A channel that keeps the shares of the table that it was designed from tells those shares, so it is never handed out. It
leaks least among all that do, for a target that was declared. Recipients of that release know its shares up to chance:
the same design problem, put to the released rows instead of the table, has nearly the same channel as its solution.

Where it was designed against published columns Z, the problem needs p(x, z) too. Of it the release shows
f(y, z) = Σ p(x, z) q(y|x) only, so the channel is the fixed point of: correct f for the channel, design again.

How far the channel may be off is found by the grouped jackknife: it is rebuilt from the rows without each of some
parts. Everything here is a function of the released file and of declared settings, so that it reveals nothing more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from leakgauge.design import RateDistortion, solve
from leakgauge.errors import InputError, RefusalError, UnprovedError
from leakgauge.probability import Channel, Distribution, Joint, Label
from leakgauge.probability.cells import Floats
from leakgauge.release.estimates.correction import Correction, confused_values
from leakgauge.release.estimates.shares import nearest_with_margins
from leakgauge.release.letters import places_among
from leakgauge.tables import Table

PARTS = 20
"""Of the rows, each left out in turn."""
ROUNDS, AGAIN = 12, 3
"""Designs at most until the channel of all rows, and of all but one part, agrees with itself."""
SETTLED = 1e-6
"""How far the channel may move in the last round; chance moves it by far more."""
GAP = 1e-6
"""To the best channel, in nats."""
MOST_CELLS = 1 << 11
"""Of values and what is published beside them; with more, designing so often would take minutes."""
MOST_VALUES = 64
HALF_A_ROW = 0.5
"""What counts for a value that no row of the earlier release has."""

Problem: TypeAlias = Callable[[Distribution | Joint], RateDistortion]
"""The declared design problem, for shares that it is put to."""


@dataclass(frozen=True, eq=False)
class Rebuilt:
    """A channel rebuilt from an earlier release.

    Attributes:
        channel: from the values to the same, in the same order.
        jackknife: the same without each part of the rows.
        sha256: of the released file that it follows from.
    """

    channel: Channel
    jackknife: tuple[Channel, ...]
    sha256: str


def rebuilt(
    release: Table, column: str, known: Sequence[str], problem: Problem, *, sha256: str, also: Sequence[Label] = ()
) -> Rebuilt | None:
    """The channel of a column as its release shows it; None where it cannot be rebuilt.

    Args:
        release: the released rows.
        known: the published columns that its design counted as known.
        also: values that a later release has; those that this one lacks count as half a row.
    """
    counts, values, groups = _with_values(*_by_part(release, column, tuple(known)), also)
    if not 2 <= len(values) <= MOST_VALUES or len(values) * len(groups) > MOST_CELLS:
        return None
    try:
        whole = _designed(counts.sum(axis=0), values, groups, problem)
        parts = tuple(
            _designed(counts.sum(axis=0) - left_out, values, groups, problem, start=whole) for left_out in counts
        )
    except (InputError, RefusalError, UnprovedError):
        # The released shares may just miss a target that those of the table just met.
        return None
    if any(confused_values(one) for one in (whole, *parts)):
        return None
    return Rebuilt(whole, parts, sha256)


def kept_shares(channel: Channel) -> Floats:
    """The shares p = p q that a channel with independent rows keeps."""
    moved = channel.matrix.T - np.eye(len(channel.inputs))
    moved[-1] = 1.0
    return np.asarray(np.linalg.solve(moved, np.eye(len(moved))[-1]))


def _designed(
    counts: Floats, values: tuple[Label, ...], groups: tuple[Label, ...], problem: Problem, start: Channel | None = None
) -> Channel:
    """The channel whose design problem, with what the counts show corrected for it, has it as its solution."""
    shares = counts.sum(axis=1) / counts.sum()
    if len(groups) == 1:
        return _solution(problem(Distribution(values, shares)), values)
    sizes = counts.sum(axis=0)
    weights, released = sizes / sizes.sum(), (counts / sizes).T
    channel = _solution(problem(Joint(values, groups, counts / counts.sum())), values) if start is None else start
    for _ in range(ROUNDS if start is None else AGAIN):
        unbiased = released @ Correction.of(channel).scores
        given = nearest_with_margins(unbiased + shares - weights @ unbiased, weights, shares)
        joint = given * weights[:, None]
        again = _solution(problem(Joint(values, groups, joint.T / joint.sum())), values)
        moved, channel = float(np.abs(again.matrix - channel.matrix).max()), again
        if moved < SETTLED:
            break
    return channel


def _solution(problem: RateDistortion, values: tuple[Label, ...]) -> Channel:
    channel = solve(problem, GAP).channel
    places = [channel.outputs.index(value) for value in values]
    return Channel(values, values, channel.restrict(values).matrix[:, places])


def _with_values(
    counts: Floats, values: tuple[Label, ...], groups: tuple[Label, ...], also: Sequence[Label]
) -> tuple[Floats, tuple[Label, ...], tuple[Label, ...]]:
    """The counts with values that only a later release has, spread over parts and groups as all rows are."""
    more = [label for label, at in zip(also, places_among(values, also), strict=True) if at < 0]
    rows = counts.sum(axis=1)
    spread = np.repeat((HALF_A_ROW * rows / rows.sum())[:, None], len(more), axis=1)
    return np.concatenate([counts, spread], axis=1), (*values, *more), groups


def _by_part(
    release: Table, column: str, known: tuple[str, ...]
) -> tuple[Floats, tuple[Label, ...], tuple[Label, ...]]:
    """Rows by part, value and group, the values and the groups; rows are dealt to the parts in turn."""
    totals: pa.Table | None = None
    keys = ["part", "value", *(f"by{at}" for at in range(len(known)))]
    for columns in _dealt(release, column, known):
        more = pa.table(columns, names=[*keys, "rows"])
        both = more if totals is None else pa.concat_tables([totals, more.cast(totals.schema)])
        summed = both.group_by(keys, use_threads=False).aggregate([("rows", "sum")])
        totals = summed.rename_columns([*keys, "rows"])
    assert totals is not None
    part, *labels = (totals.column(name).to_pylist() for name in keys)
    value, *beside = labels
    group = list(zip(*beside, strict=True)) if beside else [()] * len(value)
    values, groups = (tuple(sorted(set(one), key=repr)) for one in (value, group))
    places = {label: at for at, label in enumerate(values)}, {label: at for at, label in enumerate(groups)}
    counts = np.zeros((PARTS, len(values), len(groups)))
    at = np.array(part), np.array([places[0][one] for one in value]), np.array([places[1][one] for one in group])
    np.add.at(counts, at, totals.column("rows").to_numpy())
    return counts, values, groups


def _dealt(release: Table, column: str, known: tuple[str, ...]) -> Iterator[list[pa.Array]]:
    seen = 0
    for batch in release.batches(column, *known):
        part = pa.array((seen + np.arange(batch.num_rows)) % PARTS, pa.int64())
        plain = (one.dictionary_decode() if isinstance(one, pa.DictionaryArray) else one for one in batch.columns)
        yield [part, *plain, pa.array(np.ones(batch.num_rows), pa.float64())]
        seen += batch.num_rows
