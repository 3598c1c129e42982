"""Randomized response over any number of letters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal

import numpy as np

from leakgauge.claims import LocalDP
from leakgauge.errors import OptionError
from leakgauge.mechanisms.finite import ChannelLaw, FiniteMechanism
from leakgauge.mechanisms.span import require_budget
from leakgauge.mechanisms.steps import RandomizedResponse, Step
from leakgauge.probability import Channel, Label
from leakgauge.probability.channel import DYADIC_BITS
from leakgauge.probability.labels import alphabet

UNITS = 1 << DYADIC_BITS
"""Probabilities are whole numbers of these parts of 1."""
LARGEST = 1 << 12
"""Letters; the channel is a matrix of that many rows and columns."""


@dataclass(frozen=True, eq=False)
class ResponseLaw(ChannelLaw):
    """Randomized response at ε, whose dyadic channel tells no more than the response at the ε asked for."""

    epsilon: float

    def step(self) -> Step:
        return RandomizedResponse(self.epsilon, len(self.channel.inputs))


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
        raise OptionError("Randomized response needs 2 letters or more; {count} is given.", count=len(known))
    if len(known) > LARGEST:
        raise OptionError(
            "{count} letters are more than the {most} randomized response is for; use subset-selection.",
            count=len(known),
            most=LARGEST,
        )
    other = units_above(1, epsilon, len(known) - 1)
    same = UNITS - (len(known) - 1) * other
    if same < other:
        raise OptionError("{count} letters are too many for probabilities of 2^-53.", count=len(known))
    matrix = np.full((len(known), len(known)), other / UNITS)
    np.fill_diagonal(matrix, same / UNITS)
    return FiniteMechanism(
        "randomized-response",
        {"epsilon": epsilon, "letters": known},
        (LocalDP(epsilon),),
        ResponseLaw(Channel(known, known, matrix), epsilon),
    )


def units_above(share: int, epsilon: float, others: int, own: int = 1) -> int:
    """share/(own · e^ε + others) in units of 2^-53, rounded up: the true letter is told a little less often."""
    exact = Context(prec=60)
    # Beyond e^64 the share is one unit all the same.
    weight = exact.add(exact.multiply(Decimal(own), exact.exp(Decimal(min(epsilon, 64.0)))), Decimal(others))
    units = exact.divide(exact.multiply(Decimal(UNITS), Decimal(share)), weight)
    return max(int(units.to_integral_value(rounding=ROUND_CEILING)), 1)
