"""A mechanism over a source: its law and what it claims there, before anything is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, TypeAlias

import numpy as np

from leakgauge.assessment.indicators.indicator import Form
from leakgauge.assessment.indicators.source import NUMERIC, Source
from leakgauge.claims import Statement
from leakgauge.errors import ColumnError, ModelError, OptionError
from leakgauge.mechanisms import Mechanism
from leakgauge.mechanisms.finite import exact_epsilon
from leakgauge.mechanisms.noisy_number import NoisyNumber
from leakgauge.probability import Channel, Distribution, Label
from leakgauge.probability.cells import Codes, Floats


@dataclass(frozen=True, eq=False)
class _Setting:
    """A source with a mechanism, as it was named, and what is guaranteed here."""

    form: ClassVar[Form]

    source: Source
    mechanism: Mechanism
    claims: tuple[Statement, ...]

    @property
    def exact_level(self) -> float | None:
        """The level in nats of the law itself; None where it is the claim that says it."""
        return None


@dataclass(frozen=True, eq=False)
class LetterSetting(_Setting):
    """A column of letters through a channel."""

    form = Form.LETTERS

    channel: Channel

    @property
    def exact_level(self) -> float:
        """The level in nats of the channel."""
        return exact_epsilon(self.channel, self.mechanism.compared)

    @property
    def counted(self) -> Codes:
        """How many rows have each secret (rows) and each letter that the channel takes (columns)."""
        return self.source.counted(self.mechanism, self.channel.inputs)

    @cached_property
    def prior(self) -> Distribution:
        """How often each letter occurs in the data."""
        counts = self.counted.sum(axis=0)
        if (self.of_secrets(counts) > 0).sum() < 2:
            raise ModelError(
                "All rows of {name!r} fall on one letter of the mechanism; there is nothing to protect.",
                name=self.source.name,
            )
        return Distribution(self.channel.inputs, counts / counts.sum())

    @cached_property
    def letters(self) -> tuple[tuple[Label, ...], Codes]:
        """The letters of the secret columns, and of each input the number of its own."""
        return self._parts(public=False)

    @cached_property
    def known(self) -> Codes:
        """Of each input the number of what public columns show of it; all 0 where none is read."""
        return self._parts(public=True)[1]

    def _parts(self, public: bool) -> tuple[tuple[Label, ...], Codes]:
        names, inputs = self.source.names, self.channel.inputs
        if not self.source.public:
            return (inputs, np.arange(len(inputs))) if not public else ((), np.zeros(len(inputs), dtype=np.int64))
        kept = [at for at, name in enumerate(names) if (name in self.source.public) == public]
        parts: list[Any] = [label[kept[0]] if len(kept) == 1 else tuple(label[at] for at in kept) for label in inputs]  # type: ignore[index]
        letters = tuple(dict.fromkeys(parts))
        at = {label: place for place, label in enumerate(letters)}
        return letters, np.array([at[label] for label in parts], dtype=np.int64)

    def of_secrets(self, cells: Floats) -> Floats:
        """Rows of inputs added up to rows of secret letters."""
        letters, at = self.letters
        if len(letters) == len(cells):
            return cells
        sums = np.zeros((len(letters), *cells.shape[1:]), dtype=cells.dtype)
        np.add.at(sums, at, cells)
        return sums

    @cached_property
    def same(self) -> Floats | None:
        """1 where an output is the secret's own letter; None where outputs are no letters of the column."""
        letters, outputs = self.letters[0], self.channel.outputs
        at = {label: place for place, label in enumerate(letters)}
        if not set(outputs) <= set(at):
            return None
        same = np.zeros((len(letters), len(outputs)))
        same[[at[label] for label in outputs], np.arange(len(outputs))] = 1.0
        return same

    def counts(self, inputs: Codes | Floats, outputs: Codes | Floats) -> Codes:
        """How often each input gave each output."""
        rows, columns = self.channel.matrix.shape
        together = np.bincount(inputs.astype(np.int64) * columns + outputs, minlength=rows * columns)
        return together.reshape(rows, columns).astype(np.int64)


@dataclass(frozen=True, eq=False)
class NumberSetting(_Setting):
    """A column of numbers with noise in each."""

    form = Form.NUMBERS

    noise: NoisyNumber

    @property
    def noise_variance(self) -> float:
        """Of each number, in the data's unit squared."""
        return (self.noise.added.standard_deviation * self.noise.span.grid) ** 2

    @cached_property
    def numbers(self) -> Floats:
        """Each number as it is; where one is missing, what stands for it."""
        return self.source.filled(self.noise.missing)

    @cached_property
    def variance(self) -> float:
        """Of the numbers, what stands for missing ones included."""
        return float(self.numbers.var())


Setting: TypeAlias = LetterSetting | NumberSetting


def setting_of(mechanism: Mechanism, source: Source) -> Setting:
    """A mechanism over the rows of a column; refuses one that cannot be run on it, and a column that it cannot take."""
    noise = mechanism.noise
    if noise is not None:
        if source.kind not in NUMERIC or noise.span.lowest is None:
            raise ColumnError(
                "Column {name!r} holds {kind}, which {mechanism!s} cannot release row by row; {way}.",
                name=source.name,
                kind=source.kind.words,
                mechanism=mechanism.name,
                way="release its histogram, or choose another mechanism"
                if source.kind not in NUMERIC
                else "give lower and upper instead of a sensitivity",
            )
        if not np.isfinite(source.known).all():
            raise ColumnError(
                "Column {name!r} holds infinite numbers, whose error is undefined; leave those rows out.",
                name=source.name,
            )
        if source.known.var() == 0:
            raise ColumnError("Column {name!r} has one value only; there is nothing to protect.", name=source.name)
        return NumberSetting(source, mechanism, mechanism.claims, noise)
    channel = mechanism.channel()
    if channel is None:
        raise OptionError(
            "The channel of {name!s} is too large to write down; choose fewer letters, or another mechanism.",
            name=mechanism.name,
        )
    return LetterSetting(source, mechanism, mechanism.claims, channel)
