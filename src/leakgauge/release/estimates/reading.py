"""How a recipient reads the columns of a release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np

from leakgauge.artefacts.channel_file import read_channel
from leakgauge.errors import LabelError, OptionError
from leakgauge.mechanisms import Mechanism, parse_mechanism
from leakgauge.mechanisms.noisy_number import NoisyNumber
from leakgauge.probability import Channel, Counts, Label
from leakgauge.probability.cells import Codes, Floats
from leakgauge.probability.files import NamedChannel
from leakgauge.probability.labels import label_parts
from leakgauge.release.letters import places_among
from leakgauge.sentences import Sentence

MOST_POINTS = 1000
"""Points between the bounds of a number that noise is corrected for as a channel."""


@dataclass(frozen=True)
class Noise:
    """Noise on a number: the release has the mean ``intercept`` + ``slope`` · number, and this variance about it."""

    variance: float
    slope: float = 1.0
    intercept: float = 0.0


@dataclass(frozen=True, eq=False)
class Protected:
    """A column that went through a mechanism.

    Attributes:
        channel: from its values to what is released; None where it is not known, and of noise.
        noise: of a number with noise.
        keeps_shares: whether the release has each value as often as the table had it, up to chance.
        keeps_with: the columns whose cross-tables with it the release keeps too.
        unreadable: why nothing can be estimated of it, where that is so.
        jackknife: of a channel rebuilt from an earlier release, the channels rebuilt without each part of its rows.
        since: the digest of that release.
    """

    name: str
    channel: Channel | None = None
    noise: Noise | None = None
    keeps_shares: bool = False
    keeps_with: frozenset[str] = frozenset()
    unreadable: Sentence | None = None
    jackknife: tuple[Channel, ...] = ()
    since: str | None = None

    def require_readable(self) -> None:
        """Refuse a column of which nothing can be estimated."""
        if self.unreadable is not None:
            raise OptionError("Column {name!r} cannot be estimated: {reason}.", name=self.name, reason=self.unreadable)

    def reads_directly(self, by: tuple[str, ...]) -> bool:
        """Whether its released values may be counted as they are, within groups of these columns."""
        return self.keeps_shares and self.keeps_with.issuperset(by)

    @property
    def onto(self) -> Channel | None:
        """Its channel with its inputs in the order of its outputs; None where these are not the same values."""
        if self.channel is None or set(self.channel.inputs) != set(self.channel.outputs):
            return None
        return self.channel.restrict(self.channel.outputs)

    def known(self, use: str) -> Channel:
        """Its channel; refused if there is none."""
        if self.channel is None:
            raise OptionError(
                "{use} of {name!r} cannot be estimated without its channel; ask whoever released it for a channel "
                "that may be published.",
                use=use,
                name=self.name,
            )
        return self.channel


Read: TypeAlias = Channel | NamedChannel | Mechanism | Noise | Protected | Path | str
"""What says how a column is read: its channel or the file of it, its mechanism or how that is spelled, or noise."""


def protected_column(name: str, how: Read) -> Protected:
    """How a column is read that went through a channel or a mechanism.

    Raises:
        OptionError: a mechanism that releases no column, or a channel of several columns.
    """
    if isinstance(how, Protected):
        return how
    if isinstance(how, Noise):
        return Protected(name, noise=how)
    if isinstance(how, Path | str):
        named = str(how).lower().endswith(".json")
        return protected_column(name, read_channel(how) if named else parse_mechanism(str(how)))
    if isinstance(how, NamedChannel):
        if len(how.inputs) > 1 or len(how.outputs) > 1:
            raise OptionError(
                "The channel for column {name!r} reads or writes several columns, {found}; estimates are of one "
                "column at a time.",
                name=name,
                found=tuple(map(repr, dict.fromkeys((*how.inputs, *how.outputs)))),
            )
        how = how.channel
    if isinstance(how, Channel):
        return Protected(name, how)
    if how.noise is not None and not how.noise.clamps:
        # What is estimated is the number after it was clamped to the bounds and rounded to the grid.
        return Protected(name, noise=Noise((how.noise.added.standard_deviation * how.noise.span.grid) ** 2))
    channel = how.channel() if how.noise is None else _between_bounds(how.noise)
    if channel is None:
        raise OptionError(
            "{mechanism!s} has no channel to correct for in column {name!r}; give the channel's file.",
            mechanism=how.name,
            name=name,
        )
    return Protected(name, channel)


def _between_bounds(noise: NoisyNumber) -> Channel | None:
    """The channel of noise that is clamped to its bounds, which bends the mean; None where it has too many points."""
    low, high = noise.span.bounds
    if high - low >= MOST_POINTS:
        return None
    points = tuple(noise.from_grid(np.arange(low, high + 1)).tolist())
    return noise.channel_over(points, points, lambda: np.abs(np.subtract.outer(points, points)))


def by_output(counts: Counts, name: str, channel: Channel) -> tuple[Floats, tuple[tuple[Label, ...], ...]]:
    """Released rows by output (a row) and group (a column), and the groups; counts have the column first."""
    table, groups = _grouped(counts)
    places = released_places(name, counts.labels(name), table.sum(axis=1), channel)
    rows = np.zeros((len(channel.outputs), len(groups)))
    np.add.at(rows, places, table)
    return rows, groups


def released_places(name: str, labels: Sequence[Label], rows: Floats, channel: Channel) -> Codes:
    """Which output of a channel each released value of a column is, some rows having each.

    Raises:
        LabelError: rows whose value the channel never releases.
    """
    places = places_among(channel.outputs, labels)
    reached = np.append(channel.matrix.sum(axis=0) > 0, False)
    strange = float(rows[~reached[places]].sum())
    if strange:
        raise LabelError(
            "{rows} of the {count} rows have a value in column {name!r} that its channel never releases; give the "
            "channel of this release.",
            rows=int(strange),
            count=int(rows.sum()),
            name=name,
        )
    return places


def by_value(counts: Counts) -> tuple[Floats, tuple[Label, ...], tuple[tuple[Label, ...], ...]]:
    """Released rows by value of the first column (a row) and group (a column), the values and the groups."""
    table, groups = _grouped(counts)
    return table.astype(np.float64), counts.labels(counts.names[0]), groups


def _grouped(counts: Counts) -> tuple[Floats, tuple[tuple[Label, ...], ...]]:
    """Rows by label of the first axis and by combination of the others that occurs."""
    first, *others = counts.names
    if not others:
        return counts.array()[:, None].astype(np.float64), ((),)
    merged = counts.merge({first: [first], "group": others})
    groups = tuple(label_parts(group, others) for group in merged.labels("group"))
    return merged.array().astype(np.float64), groups
