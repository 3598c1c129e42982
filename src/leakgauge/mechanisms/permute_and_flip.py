"""Permute-and-flip: a choice that is never worse than the exponential mechanism at the same ε."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from leakgauge.claims import CentralDP
from leakgauge.errors import OptionError
from leakgauge.mechanisms import steps
from leakgauge.mechanisms.choice import Choice, Counts, Utility
from leakgauge.mechanisms.span import require_budget
from leakgauge.mechanisms.steps import Step
from leakgauge.probability.cells import Floats
from leakgauge.randomness import Randomness
from leakgauge.randomness.draws import as_floats, coins, shuffled

MOST_INTEGRATED = 1024
"""Candidates up to which the law is computed: the work grows with their square."""


@dataclass(frozen=True)
class PermuteAndFlip(Choice):
    """Candidates in random order; the first whose coin of e^(ε (u − u_max) / 2Δ) falls heads."""

    def step(self) -> Step:
        """By its ε alone."""
        return steps.PermuteAndFlip(self.epsilon)

    def _exponents(
        self, utilities: Iterable[Utility], multiplicities: Sequence[int] | None
    ) -> tuple[list[Fraction], Counts]:
        if multiplicities is not None:
            raise OptionError("Permute-and-flip has no multiplicities; use the exponential mechanism.")
        return super()._exponents(utilities, None)

    def _chosen(self, exponents: list[Fraction], counts: Counts, randomness: Randomness) -> int:
        order = shuffled(len(exponents), randomness).tolist()
        gammas = [exponents[at] for at in order]
        # All coins at once: those after the first heads do not matter, and the best candidate's is always heads.
        heads = coins(as_floats(gammas), lambda at: gammas[at], randomness)
        return int(order[int(np.argmax(heads))])

    def _law(self, exponents: list[Fraction], counts: Counts) -> Floats | None:
        if len(exponents) > MOST_INTEGRATED:
            return None
        # A random order is an order of uniform times t: P(j) = p_j ∫ Π_{i≠j} (1 − t p_i) dt over (0, 1), a polynomial
        # of degree n − 1, which Gauss and Legendre's rule of n/2 points integrates exactly.
        nodes, shares = np.polynomial.legendre.leggauss(len(exponents) // 2 + 1)
        heads = np.exp(-as_floats(exponents))
        tails = np.log1p(-np.outer((nodes + 1) / 2, heads))
        others = np.exp(tails.sum(axis=1, keepdims=True) - tails)
        return np.asarray(heads * (shares / 2 @ others), dtype=np.float64)


def permute_and_flip(epsilon: float, *, sensitivity: float = 1.0) -> PermuteAndFlip:
    """Permute-and-flip: ε-differential privacy; its losses may span more than ε, so no ε²/8-zCDP is claimed.

    Args:
        epsilon: the budget in nats.
        sensitivity: how far one record moves the utility of any candidate, at most.

    Raises:
        OptionError: an ε or a sensitivity that is not a finite number above 0.

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
