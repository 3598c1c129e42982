"""The exponential mechanism: a choice by weights e^(ε u / 2Δ), as the largest utility plus Gumbel noise is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from leakgauge.claims import CentralDP, LocalDP, ZeroConcentratedDP
from leakgauge.errors import OptionError
from leakgauge.mechanisms.choice import Choice, Counts, require_sensitivity
from leakgauge.mechanisms.finite import ChannelLaw, FiniteMechanism, exact_epsilon
from leakgauge.mechanisms.noise import quotient_above
from leakgauge.mechanisms.span import require_budget
from leakgauge.mechanisms.steps import ExponentialChoice, Step
from leakgauge.probability import Channel, Label
from leakgauge.probability.cells import Floats
from leakgauge.probability.labels import alphabet
from leakgauge.randomness import Randomness
from leakgauge.randomness.draws import as_floats, proportionally


@dataclass(frozen=True)
class Exponential(Choice):
    """Weights m · e^(ε u / 2Δ) exactly, m the multiplicities."""

    def step(self) -> Step:
        """By its bounded range."""
        return ExponentialChoice(self.epsilon)

    def channel_over(
        self, inputs: Sequence[Label], outputs: Sequence[Label], distances: Callable[[], Floats]
    ) -> Channel:
        """The exponential mechanism whose utility is the negative distance."""
        return exponential_channel(inputs, outputs, -distances(), self.epsilon).channel()

    def _chosen(self, exponents: list[Fraction], counts: Counts, randomness: Randomness) -> int:
        return proportionally(counts, exponents, randomness)

    def _law(self, exponents: list[Fraction], counts: Counts) -> Floats:
        weights = counts * np.exp(-as_floats(exponents))
        return np.asarray(weights / weights.sum(), dtype=np.float64)


def exponential(epsilon: float, *, sensitivity: float = 1.0) -> Exponential:
    """The exponential mechanism: ε-differential privacy, and ε²/8-zero-concentrated privacy by its bounded range.

    Args:
        epsilon: the budget in nats.
        sensitivity: how far one record moves the utility of any candidate, at most.

    Raises:
        OptionError: an ε or a sensitivity that is not a finite number above 0.

    References:
        McSherry and Talwar, Mechanism design via differential privacy, 2007; Cesar and Rogers, Bounding, concentrating,
        and truncating, 2021.

    Example:
        >>> from leakgauge.randomness import Simulated
        >>> choose = exponential(2.0)
        >>> choose.run([3, 9, 4], Simulated(simulation_seed=1)), choose.probabilities([3, 9, 4]).round(3).tolist()
        (1, [0.002, 0.991, 0.007])
    """
    require_budget(epsilon)
    require_sensitivity(sensitivity)
    concentrated = Fraction(epsilon) ** 2 / 8
    claims = (
        CentralDP(epsilon),
        ZeroConcentratedDP(quotient_above(concentrated.numerator, Fraction(concentrated.denominator))),
    )
    parameters = {"epsilon": epsilon, "sensitivity": sensitivity}
    return Exponential("exponential", parameters, claims, None, epsilon, sensitivity)


def exponential_channel(
    inputs: Iterable[Label],
    outputs: Iterable[Label],
    utilities: npt.ArrayLike,
    epsilon: float,
    sensitivity: float | None = None,
) -> FiniteMechanism:
    """The exponential mechanism over a finite domain as an exact channel, whose local ε is at most the one asked for.

    Args:
        inputs: the letters of the column.
        outputs: the candidates.
        utilities: of each candidate for each input, a row an input.
        epsilon: the budget in nats.
        sensitivity: the largest difference of a candidate's utility between two inputs; found by comparing all.

    Raises:
        OptionError: an ε or utilities that cannot be used, or a sensitivity below the one found.

    Example:
        >>> near = exponential_channel([1, 2, 3], [1, 2, 3], [[0, -1, -2], [-1, 0, -1], [-2, -1, 0]], epsilon=1.0)
        >>> near.claims[0].epsilon < 1.0
        True
    """
    require_budget(epsilon)
    rows, columns = alphabet(inputs, "inputs"), alphabet(outputs, "outputs")
    matrix = np.asarray(utilities, dtype=np.float64)
    if matrix.shape != (len(rows), len(columns)) or not np.isfinite(matrix).all():
        raise OptionError(
            "The utilities are not {rows} rows of {columns} finite numbers; give one an input and candidate.",
            rows=len(rows),
            columns=len(columns),
        )
    found = float((matrix.max(axis=0) - matrix.min(axis=0)).max())
    require_sensitivity(found)
    if sensitivity is not None and not found <= sensitivity < np.inf:
        raise OptionError(
            "A sensitivity of {given} is infinite or below {found:g}, by which the utilities differ; leave it out.",
            given=sensitivity,
            found=found,
        )
    width = found if sensitivity is None else sensitivity
    exact = _at_most(rows, columns, matrix / (2 * width), epsilon)
    return FiniteMechanism(
        "exponential", {"epsilon": epsilon, "sensitivity": width}, (LocalDP(exact_epsilon(exact)),), ChannelLaw(exact)
    )


def _at_most(rows: tuple[Label, ...], columns: tuple[Label, ...], slopes: Floats, epsilon: float) -> Channel:
    """The dyadic channel; its weights are flattened until the rounding to 2^-53 leaves ε where it was asked for."""
    level, less = epsilon, 2.0**-40
    while True:
        powers = level * (slopes - slopes.max(axis=1, keepdims=True))
        weights = np.exp(powers)
        # A weight that underflows is one unit of 2^-53 in the dyadic channel: it must be above 0 for that.
        weights = np.maximum(weights, np.finfo(np.float64).tiny)
        exact = Channel(rows, columns, weights / weights.sum(axis=1, keepdims=True)).dyadic()
        if exact_epsilon(exact) <= epsilon:
            return exact
        level, less = level * (1 - less), min(2 * less, 0.25)
