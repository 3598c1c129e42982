"""Messages along a trace: what is believed after each report, forwards and backwards, exactly on areas.

Each belief is a vector of one number per area. They are multiplied as probabilities where these can be told from 0,
and as logarithms where a trace is too unlikely for that.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator

import numpy as np

from leakgauge.errors import ModelError
from leakgauge.location.tracking.evidence import Evidence
from leakgauge.location.tracking.movement import Movement
from leakgauge.location.tracking.moves import logarithms
from leakgauge.probability.cells import Floats

UNSAFE = 1e-200
"""Where all that is left of a belief is below this share of it, floats may have lost what matters."""
GONE = 1e-280
"""Beliefs below this are 0: numbers near the smallest float would slow every product a hundredfold."""


class TooUnlikelyError(ArithmeticError):
    """Probabilities are too small for floats; their logarithms are not."""


class Messages(ABC):
    """A way to reckon with beliefs; ``state`` is a belief in its own form.

    Attributes:
        likelihood: the log of how likely the reports were, after ``states`` has passed over all of them.
    """

    def __init__(self, movement: Movement, evidence: Evidence) -> None:
        self.start, self.moves, self.evidence = movement.start.probabilities, movement.moves, evidence
        self.likelihood = 0.0

    @abstractmethod
    def first(self) -> tuple[Floats, float]:
        """The state after the first report, and the log of how likely that report was."""

    @abstractmethod
    def forward(self, state: Floats, step: int) -> tuple[Floats, float]:
        """The state after the report of a step, and the log of how likely that report was."""

    def states(self) -> Iterator[Floats]:
        """The states after each report in order."""
        state, self.likelihood = self.first()
        yield state
        for step in range(1, len(self.evidence)):
            state, likelihood = self.forward(state, step)
            self.likelihood += likelihood
            yield state

    def states_backwards(self) -> Iterator[tuple[int, Floats]]:
        """The same from the last step to the first, with their steps; about the square root of them is held."""
        block = math.isqrt(len(self.evidence)) + 1
        marks = [state for step, state in enumerate(self.states()) if step % block == 0]
        for number in reversed(range(len(marks))):
            held = [marks[number]]
            first = number * block
            for step in range(first + 1, min(first + block, len(self.evidence))):
                held.append(self.forward(held[-1], step)[0])
            for at in reversed(range(len(held))):
                yield first + at, held[at]

    @abstractmethod
    def last(self) -> Floats:
        """The message back from the end, which says nothing."""

    @abstractmethod
    def backward(self, message: Floats, step: int) -> Floats:
        """The message back to the step before, of the reports from this step on."""

    @abstractmethod
    def belief(self, state: Floats, message: Floats | None = None) -> Floats:
        """p(x) after the reports so far, or with a message back after all of them."""

    def beliefs(self, *, hindsight: bool) -> Iterator[tuple[int, Floats]]:
        """p(x) of each step given the reports so far; with hindsight given all of them, the last step first."""
        if not hindsight:
            for step, state in enumerate(self.states()):
                yield step, self.belief(state)
            return
        message = self.last()
        for step, state in self.states_backwards():
            yield step, self.belief(state, message)
            if step:
                message = self.backward(message, step)


class Probabilities(Messages):
    """Beliefs as they are; ``TooUnlikelyError`` where one hangs on what floats cannot tell from 0."""

    def first(self) -> tuple[Floats, float]:
        weights, largest = self.evidence.weights(0)
        return self._settled(self.start * weights, largest)

    def forward(self, state: Floats, step: int) -> tuple[Floats, float]:
        weights, largest = self.evidence.weights(step)
        if not self.evidence.repeated:
            moved = self.moves.all_inwards @ state
            moved *= weights
        else:
            moved = self.moves.inwards @ state * weights + self.moves.stays * state * self._repeat(step, largest)
        return self._settled(moved, largest)

    def last(self) -> Floats:
        return np.ones(len(self.start))

    def backward(self, message: Floats, step: int) -> Floats:
        weights, largest = self.evidence.weights(step)
        if not self.evidence.repeated:
            back = self.moves.all_outwards @ (weights * message)
        else:
            back = self.moves.outwards @ (weights * message) + self.moves.stays * message * self._repeat(step, largest)
        peak = float(back.max())
        if not UNSAFE < peak < math.inf:
            raise TooUnlikelyError
        back /= peak
        back[back < GONE] = 0.0
        return np.asarray(back)

    def belief(self, state: Floats, message: Floats | None = None) -> Floats:
        if message is None:
            return state
        return self._settled(state * message, 0.0)[0]

    def _repeat(self, step: int, largest: float) -> float:
        """How likely someone who stayed makes the report, in the unit of the weights."""
        if not self.evidence.repeats(step):
            return 0.0
        return math.exp(-largest) if largest > -600 else math.inf

    @staticmethod
    def _settled(values: Floats, largest: float) -> tuple[Floats, float]:
        total = float(values.sum())
        if not UNSAFE < total < math.inf:
            raise TooUnlikelyError
        values /= total
        values[values < GONE] = 0.0
        return values, math.log(total) + largest


class Logarithms(Messages):
    """Beliefs by their logarithms, ten times slower; refused where no path at all leads to the reports."""

    def first(self) -> tuple[Floats, float]:
        return self._settled(logarithms(self.start) + self.evidence.logs(0), 0)

    def forward(self, state: Floats, step: int) -> tuple[Floats, float]:
        moved = self.moves.log_inwards.products(state) + self.evidence.logs(step)
        stayed = self.moves.log_stays + state + self._log_stay(step)
        return self._settled(np.logaddexp(moved, stayed), step)

    def last(self) -> Floats:
        return np.zeros(len(self.start))

    def backward(self, message: Floats, step: int) -> Floats:
        moved = self.moves.log_outwards.products(message + self.evidence.logs(step))
        stayed = self.moves.log_stays + message + self._log_stay(step)
        back = np.logaddexp(moved, stayed)
        return np.asarray(back - back.max())

    def belief(self, state: Floats, message: Floats | None = None) -> Floats:
        both = state if message is None else state + message
        weights = np.exp(both - both.max())
        return np.asarray(weights / weights.sum())

    def _log_stay(self, step: int) -> Floats:
        """log of how likely the report of a step is for someone who stayed, given each area."""
        if not self.evidence.repeated:
            return self.evidence.logs(step)
        return np.full(len(self.start), 0.0 if self.evidence.repeats(step) else -math.inf)

    @staticmethod
    def _settled(logs: Floats, step: int) -> tuple[Floats, float]:
        """The logarithms of a belief, and that of what it was divided by."""
        total = float(np.logaddexp.reduce(logs))
        if total == -math.inf:
            raise ModelError(
                "No path of the movement leads to the report of step {step}; allow longer moves, or check the channel.",
                step=step + 1,
            )
        return logs - total, total
