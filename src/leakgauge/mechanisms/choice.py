"""A private choice from a finite set of candidates by their utilities: what its mechanisms share."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from leakgauge.errors import OptionError
from leakgauge.mechanisms.mechanism import Mechanism, Pair, numbers_in
from leakgauge.mechanisms.span import require_budget
from leakgauge.probability.cells import Floats
from leakgauge.randomness import Randomness

Utility: TypeAlias = int | float | Fraction
Counts: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Choice(Mechanism):
    """The position of a candidate, likelier the higher its utility.

    Utilities, ε and sensitivity are exact rational numbers, which floats are too: no rounding enters the choice. Which
    utilities a table may give is not known here; ``exponential_channel`` knows them.

    Attributes:
        epsilon: the budget in nats.
        sensitivity: how far one record moves the utility of any candidate, at most.

    Raises:
        OptionError: an ε or a sensitivity that is not a finite number above 0.
    """

    law: None
    epsilon: float
    sensitivity: float

    def __post_init__(self) -> None:
        require_budget(self.epsilon)
        require_sensitivity(self.sensitivity)

    @property
    def reach(self) -> float:
        """The sensitivity, for each utility."""
        return self.sensitivity

    def neighbours(self) -> list[Pair]:
        """One candidate that is seldom chosen made better while all others get worse: that moves nearly all of ε."""
        bad, reach = -6 * self.sensitivity / self.epsilon, self.sensitivity
        return [([low, 0.0, 0.0, 0.0], [low + reach, -reach, -reach, -reach]) for low in (bad, bad / 2, 0.0)]

    def read_input(self, text: str) -> list[float]:
        """The utilities, between commas."""
        return numbers_in(text)

    def run(
        self, utilities: Iterable[Utility], randomness: Randomness, multiplicities: Sequence[int] | None = None
    ) -> int:
        """The position of the candidate chosen.

        Args:
            utilities: one a candidate.
            randomness: where the bits come from.
            multiplicities: how many candidates of the same utility stand at each position; one each by default.

        Raises:
            OptionError: no candidates, a utility that is not finite, or multiplicities that do not fit.
        """
        return self._chosen(*self._exponents(utilities, multiplicities), randomness)

    def probabilities(
        self, utilities: Iterable[Utility], multiplicities: Sequence[int] | None = None
    ) -> npt.NDArray[np.float64] | None:
        """The law of the position chosen, exact but for the rounding of floats; None where it is too much work."""
        return self._law(*self._exponents(utilities, multiplicities))

    def error_bar(self, count: int, confidence: float = 0.95) -> float:
        """The utility lost against the best of ``count`` candidates, at most, with this probability.

        2Δ/ε · ln(count / (1 − confidence)) (McSherry and Talwar, Mechanism design via differential privacy, 2007);
        with multiplicities ``count`` is their sum.
        """
        if count < 1 or not 0 < confidence < 1:
            raise OptionError(
                "{count} candidates at a confidence of {confidence}: give 1 or more, and a confidence in (0, 1).",
                count=count,
                confidence=confidence,
            )
        return 2 * self.sensitivity / self.epsilon * math.log(count / (1 - confidence))

    @abstractmethod
    def _chosen(self, exponents: list[Fraction], counts: Counts, randomness: Randomness) -> int:
        """A position by exponents γ = ε (u_max − u)/2Δ and multiplicities."""

    @abstractmethod
    def _law(self, exponents: list[Fraction], counts: Counts) -> Floats | None:
        """The law of ``_chosen``."""

    def _exponents(
        self, utilities: Iterable[Utility], multiplicities: Sequence[int] | None
    ) -> tuple[list[Fraction], Counts]:
        try:
            # Numbers of numpy are made plain first: the exact value stays.
            exact = [Fraction(u.item() if isinstance(u, np.generic) else u) for u in utilities]
        except (ValueError, OverflowError, TypeError):
            raise OptionError("A utility is not a finite number; give each candidate one.") from None
        if not exact:
            raise OptionError("There are no candidates to choose from; give at least one.")
        counts = np.ones(len(exact), dtype=np.int64) if multiplicities is None else _counts(multiplicities, len(exact))
        best = max(utility for utility, count in zip(exact, counts.tolist(), strict=True) if count)
        slope = Fraction(self.epsilon) / (2 * Fraction(self.sensitivity))
        return [max(slope * (best - utility), Fraction(0)) for utility in exact], counts


def require_sensitivity(sensitivity: float) -> None:
    """Refuse a sensitivity that is not a finite number above 0."""
    if not 0 < sensitivity < math.inf:
        raise OptionError(
            "A sensitivity of {sensitivity} is not a finite number above 0; say how far one record moves a utility.",
            sensitivity=sensitivity,
        )


def _counts(multiplicities: Sequence[int], length: int) -> Counts:
    whole = np.asarray(multiplicities)
    if whole.shape != (length,) or whole.dtype.kind not in "iu" or (whole < 0).any() or not whole.any():
        raise OptionError(
            "The multiplicities are not {length} whole numbers of at least 0 with one above 0; give one a candidate.",
            length=length,
        )
    return whole.astype(np.int64)
