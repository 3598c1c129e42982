"""Finite channels, sampled exactly as they are analysed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from leakgauge.claims import LocalDP
from leakgauge.errors import LabelError
from leakgauge.mechanisms.mechanism import Capabilities, Parameter
from leakgauge.probability import Channel, Label
from leakgauge.randomness import AliasTables, Randomness
from leakgauge.tables import Kind

COUNTABLE = (Kind.STRING, Kind.INT, Kind.FLOAT, Kind.BOOL, Kind.DATE, Kind.TIMESTAMP)


@dataclass(frozen=True, eq=False)
class FiniteMechanism:
    """A mechanism that is a channel of multiples of 2^-53: what is sampled is what was analysed, bit for bit.

    Made by ``randomized_response`` or ``through_channel``.

    Attributes:
        name: as on the command line.
        parameters: as on the command line.
        claims: local differential privacy at the channel's ε; infinite where an output rules an input out.
        exact: the dyadic channel.
    """

    name: str
    parameters: Mapping[str, Parameter]
    claims: tuple[LocalDP, ...]
    exact: Channel = field(repr=False)

    @property
    def capabilities(self) -> Capabilities:
        """Columns of any countable kind."""
        return Capabilities(columns=COUNTABLE, finite=True, values=len(self.exact.inputs))

    def channel(self) -> Channel:
        """The dyadic channel."""
        return self.exact

    def run(self, values: Iterable[Label], randomness: Randomness) -> list[Label]:
        """A released letter for each value.

        Raises:
            LabelError: a value is not one of the channel's inputs.
        """
        places = {label: at for at, label in enumerate(self.exact.inputs)}
        try:
            rows = np.array([places[value] for value in values], dtype=np.int64)
        except KeyError:
            raise LabelError(
                "A value is not one of the {count} inputs of {name!s}; add it to the channel, or merge it first.",
                count=len(places),
                name=self.name,
            ) from None
        return [self.exact.outputs[at] for at in self.run_places(rows, randomness)]

    def run_places(self, rows: npt.NDArray[np.integer], randomness: Randomness) -> npt.NDArray[np.int32]:
        """For the number of each input the number of a released output."""
        return self._tables.draw(rows, randomness)

    @cached_property
    def _tables(self) -> AliasTables:
        return AliasTables(self.exact.cells)


def exact_epsilon(channel: Channel) -> float:
    """The largest log-ratio of two inputs at one output in nats, rounded up; infinite where one of them is 0."""
    _, columns, values = channel.cells.nonzero()
    highest, lowest = np.zeros(len(channel.outputs)), np.full(len(channel.outputs), math.inf)
    np.maximum.at(highest, columns, values)
    np.minimum.at(lowest, columns, values)
    met = np.bincount(columns, minlength=len(channel.outputs))
    if ((met > 0) & (met < len(channel.inputs))).any():
        return math.inf
    seen = met > 0
    # The difference of two multiples of 2^-53 is exact, so that a tiny ε keeps all its digits.
    return math.log1p(float(((highest[seen] - lowest[seen]) / lowest[seen]).max())) * (1 + 1e-15)
