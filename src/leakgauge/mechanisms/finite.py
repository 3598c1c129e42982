"""Finite channels sampled exactly as they are analysed: designed, written by hand, or of randomized response."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Context, Decimal
from functools import cached_property

import numpy as np

from leakgauge.claims import LocalDP
from leakgauge.errors import LabelError, OptionError
from leakgauge.mechanisms.mechanism import MOST_PAIRS, Inputs, Law, Mechanism, Outputs, Pair, Parameter
from leakgauge.mechanisms.span import require_budget
from leakgauge.mechanisms.steps import KnownChannel, RandomizedResponse, Step
from leakgauge.probability import Channel, Label
from leakgauge.probability.cells import Floats
from leakgauge.probability.channel import DYADIC_BITS
from leakgauge.probability.files import Groups
from leakgauge.probability.labels import alphabet
from leakgauge.randomness import Randomness
from leakgauge.randomness.alias import AliasTables
from leakgauge.randomness.sources import Words

UNITS = 1 << DYADIC_BITS
"""Probabilities are whole numbers of these parts of 1."""
MOST_LETTERS = 1 << 12
"""Of randomized response, whose channel is a matrix of that many rows and columns."""
LARGEST_CHANNEL = 1 << 12
"""Cells up to which a channel composes exactly, and is kept in a ledger; larger ones by their ε alone."""


@dataclass(frozen=True, eq=False)
class ChannelLaw(Law):
    """A finite channel of multiples of 2^-53; inputs and outputs are its rows and columns."""

    channel: Channel = field(repr=False)

    def draw(self, inputs: Inputs, randomness: Randomness) -> Outputs:
        return self._tables.draw(inputs, randomness)

    def draw_by_words(self, inputs: Inputs, words: Words) -> Outputs:
        return self._tables.draw_by_words(inputs, words)

    def scores(self, inputs: Inputs, outputs: Outputs) -> Floats:
        return np.asarray(self._logarithms[np.ix_(inputs, outputs.astype(np.int64))])

    @cached_property
    def _tables(self) -> AliasTables:
        return AliasTables(self.channel.cells)

    @cached_property
    def _logarithms(self) -> Floats:
        with np.errstate(divide="ignore"):
            return np.log(self.channel.matrix)


@dataclass(frozen=True, eq=False)
class FiniteMechanism(Mechanism):
    """A mechanism that is a channel of multiples of 2^-53: what is sampled is what was analysed, bit for bit.

    Its first claim is local differential privacy at the channel's ε; infinite where an output rules an input out.
    """

    law: ChannelLaw
    closed_form: Step | None = None
    """Its cost in a sequence, if a mechanism with a closed form costs at least as much as its dyadic channel."""
    compared: Groups | None = None

    def channel(self) -> Channel:
        return self.law.channel

    @property
    def letters(self) -> tuple[Label, ...]:
        return self.law.channel.inputs

    def step(self) -> Step:
        if self.closed_form is not None:
            return self.closed_form
        if self.compared is not None:
            # By its ε alone: a channel that composes exactly compares any two of its inputs.
            return super().step()
        small = len(self.letters) * len(self.law.channel.outputs) <= LARGEST_CHANNEL
        return KnownChannel(self.law.channel) if small else super().step()

    def neighbours(self) -> list[Pair]:
        """The two letters that the channel distinguishes best, then others."""
        if self.compared is not None:
            # The largest ε first, each pair within what is given.
            parts = sorted(_parts(self.law.channel, self.compared), key=exact_epsilon, reverse=True)
            pairs = [
                pair for part in parts for pair in through_channel(part).neighbours()[: -(-MOST_PAIRS // len(parts))]
            ]
            return pairs[:MOST_PAIRS]
        pairs = super().neighbours()
        if not pairs:
            return pairs
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(self.law.channel.matrix)
            ratios = np.nan_to_num(logs.max(axis=0) - logs.min(axis=0), nan=-math.inf)
        output = int(np.argmax(ratios))
        best = (self.letters[int(logs[:, output].argmax())], self.letters[int(logs[:, output].argmin())])
        return [best, *(pair for pair in pairs if set(pair) != set(best))][:MOST_PAIRS]

    def run(self, values: Iterable[Label], randomness: Randomness) -> list[Label]:
        places = {label: at for at, label in enumerate(self.letters)}
        try:
            rows = np.array([places[value] for value in values], dtype=np.int64)
        except KeyError:
            raise LabelError(
                "A value is not among the {count} inputs of {name!s}; add it to the channel, or merge it first.",
                count=len(places),
                name=self.name,
            ) from None
        return [self.law.channel.outputs[at] for at in self.law.draw(rows, randomness)]


def through_channel(channel: Channel, file: str | None = None, compared: Groups | None = None) -> FiniteMechanism:
    """The channel in its dyadic form, with the local ε it has exactly.

    None is the letter of missing values; ``file`` is where the channel was read from, for records. If inputs are
    ``compared`` in groups, ε compares inputs of one group: secrets, conditional on what everybody knows.

    Example:
        >>> mechanism = through_channel(Channel(["ill", "well"], ["ill", "well"], [[0.75, 0.25], [0.25, 0.75]]))
        >>> str(mechanism.claims[0])
        'local-dp:1.09862'
    """
    exact = channel.dyadic()
    parameters: dict[str, Parameter] = {} if file is None else {"file": file}
    claim = LocalDP(exact_epsilon(exact, compared))
    return FiniteMechanism("channel", parameters, (claim,), ChannelLaw(exact), compared=compared)


def _parts(channel: Channel, compared: Groups) -> list[Channel]:
    return [channel.restrict([channel.inputs[place] for place in group]) for group in compared]


def exact_epsilon(channel: Channel, compared: Groups | None = None) -> float:
    """The largest log-ratio of two inputs at one output in nats, rounded up; infinite where one of them is 0.

    Where inputs are ``compared`` in groups, that of two inputs of one group.
    """
    if compared is not None:
        parts = (channel.matrix[list(group)] for group in compared)
        return max(_largest_ratio(rows.max(axis=0), rows.min(axis=0)) for rows in parts)
    _, columns, values = channel.cells.nonzero()
    highest, lowest = np.zeros(len(channel.outputs)), np.full(len(channel.outputs), math.inf)
    np.maximum.at(highest, columns, values)
    np.minimum.at(lowest, columns, values)
    met = np.bincount(columns, minlength=len(channel.outputs))
    return _largest_ratio(highest, np.where(met < len(channel.inputs), 0.0, lowest))


def _largest_ratio(highest: Floats, lowest: Floats) -> float:
    """The largest log-ratio of the highest and the lowest probability of an output, of outputs that ever occur."""
    highest, lowest = highest[highest > 0], lowest[highest > 0]
    if not lowest.all():
        return math.inf
    # The difference of two multiples of 2^-53 is exact, so that a tiny ε keeps all its digits.
    return math.log1p(float(((highest - lowest) / lowest).max())) * (1 + 1e-15)


def randomized_response(epsilon: float, *, letters: Iterable[Label]) -> FiniteMechanism:
    """The true letter with e^ε times the probability of each other letter: ε-local differential privacy.

    Args:
        epsilon: the budget in nats.
        letters: all values the column may have; None is the letter of missing values.

    Raises:
        LabelError: a letter repeats.
        OptionError: an ε that is not above 0, fewer than 2 letters or too many for probabilities of 2^-53.

    Example:
        >>> answer = randomized_response(1.0, letters=["yes", "no"])
        >>> round(float(answer.channel().matrix[0, 0]), 4)
        0.7311
    """
    require_budget(epsilon)
    known = alphabet(letters, "letters")
    if len(known) < 2:
        raise OptionError("Randomized response has {count} letters; give 2 or more.", count=len(known))
    if len(known) > MOST_LETTERS:
        raise OptionError(
            "{count} letters are more than the {most} that randomized response takes; use subset-selection.",
            count=len(known),
            most=MOST_LETTERS,
        )
    other = units_above(1, epsilon, len(known) - 1)
    same = UNITS - (len(known) - 1) * other
    if same < other:
        raise OptionError(
            "{count} letters are too many for probabilities in multiples of 2^-53; merge some.", count=len(known)
        )
    matrix = np.full((len(known), len(known)), other / UNITS)
    np.fill_diagonal(matrix, same / UNITS)
    return FiniteMechanism(
        "randomized-response",
        {"epsilon": epsilon, "letters": known},
        (LocalDP(epsilon),),
        ChannelLaw(Channel(known, known, matrix)),
        RandomizedResponse(epsilon, len(known)),
    )


def units_above(share: int, epsilon: float, others: int, own: int = 1, whole: int = UNITS) -> int:
    """share/(own · e^ε + others) of the whole in units of 2^-53, rounded up: the true letter is told less often."""
    exact = Context(prec=60)
    # Beyond e^64 the share is one unit all the same.
    weight = exact.add(exact.multiply(Decimal(own), exact.exp(Decimal(min(epsilon, 64.0)))), Decimal(others))
    units = exact.divide(exact.multiply(Decimal(whole), Decimal(share)), weight)
    return max(int(units.to_integral_value(rounding=ROUND_CEILING)), 1)
