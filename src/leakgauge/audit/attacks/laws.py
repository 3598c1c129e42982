"""What an attacker knows of a mechanism: how likely each output is, and how to run it again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from leakgauge.audit.attacks.columns import Codes, numbers_of_release, places_of_release, sets_of_release
from leakgauge.audit.outputs import Outputs
from leakgauge.errors import ModelError
from leakgauge.mechanisms import DiscreteLaplace, FiniteMechanism, LetterSets, NoisyNumber
from leakgauge.mechanisms.subset_selection import SubsetSelection
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
        apart = np.subtract.outer(inputs.astype(np.float64), outputs.astype(np.float64))
        law = self.mechanism.law
        if isinstance(law, DiscreteLaplace):
            np.abs(apart, out=apart)
            apart *= -1 / law.scale
        else:
            np.square(apart, out=apart)
            apart *= -0.5 / law.sigma**2
        return np.asarray(apart)

    def draw(self, inputs: Codes, randomness: Randomness) -> Outputs:
        """Each input with fresh noise."""
        return np.asarray(inputs + self.mechanism.law.draw(len(inputs), randomness))


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
        return np.asarray(self._logarithms[np.ix_(inputs, outputs.astype(np.int64))])

    def draw(self, inputs: Codes, randomness: Randomness) -> Outputs:
        """A draw from the channel."""
        return self.mechanism.run_places(inputs, randomness).astype(np.int64)

    @cached_property
    def _logarithms(self) -> Floats:
        with np.errstate(divide="ignore"):
            return np.log(self.mechanism.exact.matrix)


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
        held, of_size = set_terms(self.mechanism)
        own = outputs[:, inputs].T.astype(np.float64)
        return np.asarray(own * held + (outputs.sum(axis=1) * of_size)[None, :])

    def draw(self, inputs: Codes, randomness: Randomness) -> Outputs:
        """A fresh set for each letter."""
        return self.mechanism.run_places(inputs, randomness)


def set_terms(mechanism: LetterSets) -> tuple[float, float]:
    """What holding the own letter adds to the log-likelihood of a set, and what each letter held adds."""
    own, letters = mechanism.own_probability, len(mechanism.letters)
    if isinstance(mechanism, SubsetSelection):
        size = mechanism.size
        # All sets are of one size: C(k−1, d)/C(k−1, d−1) = (k − d)/d sets without the letter for one with it.
        return math.log(own / (1 - own) * (letters - size) / size), 0.0
    other = mechanism.other_probability
    return math.log(own / (1 - own)) - math.log(other / (1 - other)), math.log(other / (1 - other))


@dataclass(frozen=True)
class AsIs:
    """The raw release: what is put in comes out."""

    def scores(self, inputs: Codes, outputs: Outputs) -> Floats:
        """0 where they are the same, else minus infinity."""
        return np.where(np.equal.outer(inputs, outputs), 0.0, -np.inf)

    def draw(self, inputs: Codes, randomness: Randomness) -> Outputs:
        """The inputs."""
        return inputs
