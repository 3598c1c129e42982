"""How often each value of a secret occurs with other columns, and the channel that it goes through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from leakgauge.case.law import ReleaseLaw
from leakgauge.case.numbers import condensed, law_of_noise
from leakgauge.mechanisms.noisy_number import NoisyNumber
from leakgauge.probability import Channel, Counts, Distribution, Joint, Label
from leakgauge.probability.cells import Floats
from leakgauge.probability.labels import label_parts
from leakgauge.release.bound import BoundColumn
from leakgauge.release.letters import places_among


@dataclass(frozen=True, eq=False)
class CountedSecret:
    """The counts of a secret and other columns, and the channel of the secret."""

    counts: Counts
    secret: tuple[str, ...]
    columns: tuple[str, ...]
    channel: Channel | None
    reads: tuple[str, ...] | None
    numbers: Floats | None = None

    @property
    def groups(self) -> int:
        """Combinations of the other columns that occur."""
        return len(self.source.columns) if isinstance(self.source, Joint) else 1

    @cached_property
    def source(self) -> Distribution | Joint:
        """p(x), or p(x, z) with the other columns."""
        if not self.columns:
            return self.counts.distribution(*self.secret)
        return self.counts.joint(self.secret, self.columns)

    @property
    def values(self) -> tuple[Label, ...]:
        """Of the secret."""
        return self.source.rows if isinstance(self.source, Joint) else self.source.outcomes

    def law(self, published: Sequence[str]) -> ReleaseLaw:
        """With the secret withheld as yet where its channel reads other columns."""
        kept = tuple(name for name in published if name in self.columns)
        plain = ReleaseLaw(self.source, None, self.columns, kept)
        return plain if self._reads_others else self.through(plain)

    def through(self, law: ReleaseLaw) -> ReleaseLaw:
        """The law with the secret through its channel."""
        if self.channel is None or self.reads is None:
            return law
        if not self._reads_others:
            return replace(law, channel=_renamed(self.channel, self.values, self.secret, self.reads))
        source = law.source
        assert isinstance(source, Joint)
        x, z, _ = source.cells.nonzero()
        rows = {label: at for at, label in enumerate(self.channel.inputs)}
        pairs, places = [], []
        for row, column in zip(x.tolist(), z.tolist(), strict=True):
            pair = source.rows[row], source.columns[column]
            known = dict(zip(self.secret, label_parts(pair[0], self.secret), strict=True))
            known |= dict(zip(law.columns, label_parts(pair[1], law.columns), strict=True))
            pairs.append(pair)
            places.append(rows[tuple(known[name] for name in self.reads)])
        return replace(law, channel=Channel(pairs, self.channel.outputs, np.asarray(self.channel.matrix)[places]))

    @property
    def _reads_others(self) -> bool:
        return self.reads is not None and not {*self.reads} <= {*self.secret}


def channel_of(one: BoundColumn) -> Channel | None:
    """The exact channel of a mechanism; None of numbers with noise, and where it is too large to write down."""
    if one.mechanism.noise is not None:
        return None
    return one.mechanism.channel() if one.channel is None else one.channel.channel


def _renamed(channel: Channel, rows: Sequence[Label], secret: tuple[str, ...], reads: tuple[str, ...]) -> Channel:
    """The channel on the values that occur, whatever order it reads their parts in."""
    if reads == secret or len(secret) == 1:
        spelled = [] if {*rows} <= {*channel.inputs} else places_among(channel.inputs, rows).tolist()
        if not spelled or min(spelled) < 0:
            return channel.restrict(rows)
        # Sets are of texts, whatever the values are.
        return Channel(rows, channel.outputs, np.asarray(channel.matrix)[spelled])
    order = [secret.index(name) for name in reads]
    places = {label: at for at, label in enumerate(channel.inputs)}
    read = [tuple(label_parts(label, secret)[at] for at in order) for label in rows]
    return Channel(rows, channel.outputs, np.asarray(channel.matrix)[[places[label] for label in read]])


def counted_numbers(
    counts: Counts, secret: str, columns: tuple[str, ...], noise: NoisyNumber, points: int
) -> CountedSecret:
    """Numbers with noise by a few points, each number at the nearest; a missing one is what stands for it."""
    labels = counts.labels(secret)
    numbers = np.array([noise.missing if label is None else float(label) for label in labels], dtype=np.float64)  # type: ignore[arg-type]
    shares = counts.distribution(secret).probabilities
    if columns:
        places, _ = condensed(numbers, shares, max(points // 2, 1))
        near = np.abs(numbers[:, None] - places[None, :]).argmin(axis=1)
        used, near = np.unique(near, return_inverse=True)
        places = places[used]
        codes = [near[counts.codes[0]], *counts.codes[1:]]
        axes = {secret: tuple(places.tolist()), **{name: counts.labels(name) for name in columns}}
        counts = Counts.from_cells(axes, codes, counts.counts)
        shares = counts.distribution(secret).probabilities
        law, places = law_of_noise(noise, places, shares, len(places))
        return CountedSecret(counts, (secret,), columns, law.channel, (secret,), places)
    law, places = law_of_noise(noise, numbers, shares)
    return _Points(counts, (secret,), (), law.channel, (secret,), places, law.shares)


@dataclass(frozen=True, eq=False)
class _Points(CountedSecret):
    """Numbers alone, by points that have their moments."""

    weights: Floats | None = None

    @cached_property
    def source(self) -> Distribution | Joint:
        assert self.weights is not None and self.numbers is not None
        return Distribution(self.numbers, self.weights)
