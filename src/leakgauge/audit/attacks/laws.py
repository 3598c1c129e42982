"""What an attacker knows of a mechanism: how likely each output is, and how to run it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from leakgauge.audit.attacks.columns import Codes, numbers_of_release, places_of_release, sets_of_release
from leakgauge.audit.outputs import Outputs
from leakgauge.errors import ModelError
from leakgauge.mechanisms import FiniteMechanism, LetterSets, NoisyNumber
from leakgauge.probability.cells import Floats
from leakgauge.randomness import Randomness
from leakgauge.release.bound import BoundColumn

if TYPE_CHECKING:
    import pyarrow as pa


class Law(Protocol):
    """From numbered inputs to outputs."""

    def scores(self, inputs: Codes, outputs: Outputs) -> Floats:
        """log q(y|x) for each input (a row) and output (a column), up to one constant for all."""

    def draw(self, inputs: Codes, randomness: Randomness) -> Outputs:
        """A fresh output for each input."""


class ColumnLaw(Law, Protocol):
    """The law of a column, with what was put in and what came out."""

    def inputs(self, values: Sequence[pa.Array]) -> Codes:
        """The input in each row, from the columns read."""

    def outputs(self, values: Sequence[pa.Array]) -> Outputs:
        """The output in each row, from the columns written."""


def law_of(bound: BoundColumn) -> ColumnLaw:
    """The law of a column of a plan."""
    if isinstance(bound.mechanism, NoisyNumber):
        return NoiseLaw(bound, bound.mechanism)
    if isinstance(bound.mechanism, FiniteMechanism):
        return ChannelLaw(bound, bound.mechanism)
    if isinstance(bound.mechanism, LetterSets):
        return SetLaw(bound, bound.mechanism)
    raise ModelError("{name!s} releases no column, so there is nothing to attack.", name=bound.mechanism.name)


@dataclass(frozen=True)
class NoiseLaw:
    """Noise on a grid; inputs and outputs are whole steps."""

    bound: BoundColumn
    mechanism: NoisyNumber

    def inputs(self, values: Sequence[pa.Array]) -> Codes:
        """The value in each row, in steps."""
        return self.bound.form.inputs(values)

    def outputs(self, values: Sequence[pa.Array]) -> Outputs:
        """The released number in each row, in steps."""
        return numbers_of_release(values[0], self.mechanism.span.grid, self.bound.writes[0])

    def scores(self, inputs: Codes, outputs: Outputs) -> Floats:
        """The exponent of the noise that leads from each input to each output."""
        return self.mechanism.law.scores(inputs, outputs)

    def draw(self, inputs: Codes, randomness: Randomness) -> Outputs:
        """Each input with fresh noise."""
        return self.mechanism.law.draw(inputs, randomness)


@dataclass(frozen=True)
class ChannelLaw:
    """A finite channel; inputs and outputs are its rows and columns."""

    bound: BoundColumn
    mechanism: FiniteMechanism

    def inputs(self, values: Sequence[pa.Array]) -> Codes:
        """The channel's row for each row of the table."""
        return self.bound.form.inputs(values)

    def outputs(self, values: Sequence[pa.Array]) -> Outputs:
        """The channel's column for each row of the release."""
        return places_of_release(values, self.mechanism.exact.outputs, self.bound.writes)

    def scores(self, inputs: Codes, outputs: Outputs) -> Floats:
        """Logarithms of the channel."""
        return self.mechanism.law.scores(inputs, outputs)

    def draw(self, inputs: Codes, randomness: Randomness) -> Outputs:
        """A draw from the channel."""
        return self.mechanism.law.draw(inputs, randomness).astype(np.int64)


@dataclass(frozen=True)
class SetLaw:
    """Sets of letters; outputs say of each letter whether it is held."""

    bound: BoundColumn
    mechanism: LetterSets

    def inputs(self, values: Sequence[pa.Array]) -> Codes:
        """The number of the letter in each row."""
        return self.bound.form.inputs(values)

    def outputs(self, values: Sequence[pa.Array]) -> Outputs:
        """Which letters the released set holds."""
        return sets_of_release(values[0], self.mechanism.letters, self.bound.writes[0])

    def scores(self, inputs: Codes, outputs: Outputs) -> Floats:
        """More for sets that hold the own letter; of each set alone only what depends on its size."""
        return self.mechanism.law.scores(inputs, outputs)

    def draw(self, inputs: Codes, randomness: Randomness) -> Outputs:
        """A fresh set for each letter."""
        return self.mechanism.law.draw(inputs, randomness)


@dataclass(frozen=True)
class AsIs:
    """The raw release: what is put in comes out."""

    def scores(self, inputs: Codes, outputs: Outputs) -> Floats:
        """0 where they are the same, else minus infinity."""
        return np.where(np.equal.outer(inputs, outputs), 0.0, -np.inf)

    def draw(self, inputs: Codes, randomness: Randomness) -> Outputs:
        """The inputs."""
        return inputs
