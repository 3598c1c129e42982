"""A private choice from a finite set of candidates by their utilities: the exponential mechanism, permute-and-flip."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from leakgauge.arguments import checked
from leakgauge.claims import CentralDP, LocalDP, ZeroConcentratedDP
from leakgauge.errors import OptionError
from leakgauge.mechanisms import steps
from leakgauge.mechanisms.finite import ChannelLaw, FiniteMechanism, exact_epsilon
from leakgauge.mechanisms.mechanism import Mechanism, Pair, numbers_in
from leakgauge.mechanisms.noise import quotient_above
from leakgauge.mechanisms.span import require_budget
from leakgauge.probability import Channel, Label
from leakgauge.probability.cells import Floats
from leakgauge.probability.labels import alphabet
from leakgauge.randomness import Randomness
from leakgauge.randomness.draws import as_floats, coins, proportionally, shuffled
from leakgauge.randomness.sources import require_source

Utility: TypeAlias = int | float | Fraction
Counts: TypeAlias = npt.NDArray[np.int64]
Candidates: TypeAlias = tuple[list[Fraction], Counts]
MOST_INTEGRATED = 1024
"""Candidates up to which the law of permute-and-flip is computed: the work grows with their square."""


@dataclass(frozen=True)
class Choice(Mechanism):
    """The position of a candidate, likelier the higher its utility.

    Utilities, ε and sensitivity are exact rational numbers, which floats are too: no rounding enters the choice. Which
    utilities a table may give is not known here; ``exponential_channel`` knows them.
    ``sensitivity`` is how far one record moves the utility of any candidate, at most; ``monotonic`` is whether it moves
    all of them in one direction, so that the difference of two utilities moves half as far.
    """

    law: None
    epsilon: float
    sensitivity: float
    monotonic: bool = False
    TAKES_MULTIPLICITIES: ClassVar[bool] = False

    def __post_init__(self) -> None:
        require_budget(self.epsilon)
        _require_sensitivity(self.sensitivity)

    @property
    def reach(self) -> float:
        return self.sensitivity

    @property
    def moves_one_way(self) -> bool:
        return self.monotonic

    def neighbours(self) -> list[Pair]:
        """One candidate that is seldom chosen made better while all others get worse: that moves nearly all of ε."""
        bad, reach = -3 * self._moved * self.sensitivity / self.epsilon, self.sensitivity
        worse = 0.0 if self.monotonic else -reach
        return [([low, 0.0, 0.0, 0.0], [low + reach, worse, worse, worse]) for low in (bad, bad / 2, 0.0)]

    def read_input(self, text: str) -> list[float]:
        return numbers_in(text)

    def run(
        self, utilities: Iterable[Utility], randomness: Randomness, multiplicities: Sequence[int] | None = None
    ) -> int:
        """The position of the candidate chosen; ``multiplicities`` candidates stand at each, by default one.

        Raises:
            OptionError: no candidates, a utility that is not finite, or multiplicities that do not fit.
        """
        require_source(randomness)
        return self._chosen(*self._candidates(utilities, multiplicities), randomness)

    def probabilities(self, utilities: Iterable[Utility], multiplicities: Sequence[int] | None = None) -> Floats | None:
        """The law of the position chosen, exact but for the rounding of floats; None where it is too much work."""
        return self._law(*self._candidates(utilities, multiplicities))

    def error_bar(self, count: int, confidence: float = 0.95) -> float:
        """The utility lost against the best of ``count`` candidates, at most, with this probability.

        2Δ/ε · ln(count / (1 − confidence)) (McSherry and Talwar, Mechanism design via differential privacy, 2007);
        with multiplicities ``count`` is their sum; Δ/ε in place of 2Δ/ε if the utilities are monotonic.
        """
        require_candidates(count, confidence)
        return self._moved * self.sensitivity / self.epsilon * math.log(count / (1 - confidence))

    @property
    def _moved(self) -> int:
        """Sensitivities by which one record moves the difference of two utilities, at most."""
        return 1 if self.monotonic else 2

    @abstractmethod
    def _chosen(self, utilities: list[Fraction], counts: Counts, randomness: Randomness) -> int:
        """A position by utilities and multiplicities."""

    @abstractmethod
    def _law(self, utilities: list[Fraction], counts: Counts) -> Floats | None:
        """The law of ``_chosen``."""

    def _candidates(self, utilities: Iterable[Utility], multiplicities: Sequence[int] | None) -> Candidates:
        if multiplicities is not None and not self.TAKES_MULTIPLICITIES:
            raise OptionError("{name!s} has no multiplicities; use the exponential mechanism.", name=self.name)
        exact = exact_numbers(utilities)
        if exact is None:
            raise OptionError("A utility is not a finite number; give each candidate one.")
        if not exact:
            raise OptionError("There are no candidates to choose from; give at least one.")
        counts = np.ones(len(exact), dtype=np.int64) if multiplicities is None else _counts(multiplicities, len(exact))
        return exact, counts

    def _exponents(self, utilities: list[Fraction], counts: Counts) -> list[Fraction]:
        """γ = ε (u_max − u)/2Δ of each, or ε (u_max − u)/Δ if the utilities are monotonic."""
        best = max(utility for utility, count in zip(utilities, counts.tolist(), strict=True) if count)
        slope = Fraction(self.epsilon) / (self._moved * Fraction(self.sensitivity))
        return [max(slope * (best - utility), Fraction(0)) for utility in utilities]


@dataclass(frozen=True)
class Exponential(Choice):
    """Weights m · e^(ε u / 2Δ) exactly, m the multiplicities; Δ in the place of 2Δ if the utilities are monotonic."""

    TAKES_MULTIPLICITIES = True

    def step(self) -> steps.Step:
        """By its bounded range."""
        return steps.ExponentialChoice(self.epsilon)

    def channel_over(
        self, inputs: Sequence[Label], outputs: Sequence[Label], distances: Callable[[], Floats]
    ) -> Channel:
        """The exponential mechanism whose utility is the negative distance."""
        return exponential_channel(inputs, outputs, -distances(), self.epsilon).channel()

    def _chosen(self, utilities: list[Fraction], counts: Counts, randomness: Randomness) -> int:
        return proportionally(counts, self._exponents(utilities, counts), randomness)

    def _law(self, utilities: list[Fraction], counts: Counts) -> Floats:
        weights = counts * np.exp(-as_floats(self._exponents(utilities, counts)))
        return np.asarray(weights / weights.sum(), dtype=np.float64)


@dataclass(frozen=True)
class PermuteAndFlip(Choice):
    """Candidates in random order; the first whose coin of e^(ε (u − u_max) / 2Δ) falls heads.

    If the utilities are monotonic, Δ stands in the place of 2Δ.
    """

    def step(self) -> steps.Step:
        return steps.PermuteAndFlip(self.epsilon)

    def _chosen(self, utilities: list[Fraction], counts: Counts, randomness: Randomness) -> int:
        exponents, order = self._exponents(utilities, counts), shuffled(len(utilities), randomness).tolist()
        gammas = [exponents[at] for at in order]
        # All coins at once: those after the first heads do not matter, and the best candidate's is always heads.
        heads = coins(as_floats(gammas), lambda at: gammas[at], randomness)
        return int(order[int(np.argmax(heads))])

    def _law(self, utilities: list[Fraction], counts: Counts) -> Floats | None:
        if len(utilities) > MOST_INTEGRATED:
            return None
        # A random order is an order of uniform times t: P(j) = p_j ∫ Π_{i≠j} (1 − t p_i) dt over (0, 1), a polynomial
        # of degree n − 1, which Gauss and Legendre's rule of n/2 points integrates exactly.
        nodes, shares = np.polynomial.legendre.leggauss(len(utilities) // 2 + 1)
        heads = np.exp(-as_floats(self._exponents(utilities, counts)))
        tails = np.log1p(-np.outer((nodes + 1) / 2, heads))
        others = np.exp(tails.sum(axis=1, keepdims=True) - tails)
        return np.asarray(heads * (shares / 2 @ others), dtype=np.float64)


@checked
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
    claims = (CentralDP(epsilon), ZeroConcentratedDP(quotient_above(Fraction(epsilon) ** 2, 8)))
    parameters = {"epsilon": epsilon, "sensitivity": sensitivity}
    return Exponential("exponential", parameters, claims, None, epsilon, sensitivity)


@checked
def permute_and_flip(epsilon: float, *, sensitivity: float = 1.0) -> PermuteAndFlip:
    """Permute-and-flip: ε-differential privacy; its losses may span more than ε, so no ε²/8-zCDP is claimed.

    In a composition its worst case is that of Laplace noise at ε, exactly.

    Its arguments are those of ``exponential``.

    References:
        McKenna and Sheldon, Permute-and-flip: a new mechanism for differentially private selection, 2020.

    Example:
        >>> from leakgauge.randomness import Simulated
        >>> choose = permute_and_flip(2.0)
        >>> choose.run([3, 9, 4], Simulated(simulation_seed=1)), choose.probabilities([3, 9, 4]).round(3).tolist()
        (1, [0.001, 0.995, 0.003])
    """
    require_budget(epsilon)
    parameters = {"epsilon": epsilon, "sensitivity": sensitivity}
    return PermuteAndFlip("permute-and-flip", parameters, (CentralDP(epsilon),), None, epsilon, sensitivity)


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
        utilities: of each candidate for each input, one row per input.
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
            "The utilities are not {rows} rows of {columns} finite numbers; give one per input and candidate.",
            rows=len(rows),
            columns=len(columns),
        )
    found = float((matrix.max(axis=0) - matrix.min(axis=0)).max())
    _require_sensitivity(found)
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
        weights = np.exp(level * (slopes - slopes.max(axis=1, keepdims=True)))
        # A weight that underflows is one unit of 2^-53 in the dyadic channel: it must be above 0 for that.
        weights = np.maximum(weights, np.finfo(np.float64).tiny)
        exact = Channel(rows, columns, weights / weights.sum(axis=1, keepdims=True)).dyadic()
        if exact_epsilon(exact) <= epsilon:
            return exact
        level, less = level * (1 - less), min(2 * less, 0.25)


def require_candidates(count: int, confidence: float) -> None:
    """Refuse an error bar of no candidates, or at a confidence outside (0, 1)."""
    if count < 1 or not 0 < confidence < 1:
        raise OptionError(
            "There are {count} candidates at a confidence of {confidence}; give 1 or more, and a confidence "
            "between 0 and 1.",
            count=count,
            confidence=confidence,
        )


def exact_numbers(numbers: Iterable[object]) -> list[Fraction] | None:
    """The numbers as they are, without rounding; None where one is not a finite number, or they are not a list."""
    exact = []
    try:
        for number in numbers:
            # Numbers of numpy are made plain first: the exact value stays.
            plain = number.item() if isinstance(number, np.generic) else number
            if isinstance(plain, str) or isinstance(numbers, bytes):
                return None  # digits are a text, which says nothing of numbers
            exact.append(Fraction(plain))  # type: ignore[arg-type]  # what is not a number raises
    except (ValueError, OverflowError, TypeError):
        return None
    return exact


def _require_sensitivity(sensitivity: float) -> None:
    if not 0 < sensitivity < math.inf:
        raise OptionError(
            "A sensitivity of {sensitivity} is not a finite number above 0; say how far one record moves a utility.",
            sensitivity=sensitivity,
        )


def _counts(multiplicities: Sequence[int], length: int) -> Counts:
    whole = np.asarray(multiplicities)
    if whole.shape != (length,) or whole.dtype.kind not in "iu" or (whole < 0).any() or not whole.any():
        raise OptionError(
            "The multiplicities are not {length} whole numbers of at least 0 with one above 0; give one per candidate.",
            length=length,
        )
    return whole.astype(np.int64)
