"""What claims guarantee against the worst case, as the largest advantage they allow."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from leakgauge.artefacts.scores import Guarantee, Neighbours
from leakgauge.claims import ApproximateDP, CentralDP, GaussianDP, LocalDP, Statement, ZeroConcentratedDP


def advantage_allowed(epsilon: float, delta: float = 0.0) -> float:
    """(e^ε − 1 + 2δ) / (e^ε + 1): the largest advantage over a coin in distinguishing two neighbours.

    It is the largest total variation that (ε, δ) allows in both directions.

    Example:
        >>> [round(100 * (1 - advantage_allowed(epsilon))) for epsilon in (0.1, 0.5, 1, 2, 3)]
        [95, 76, 54, 24, 9]
    """
    # 2δ / (e^ε + 1) = δ (1 − tanh(ε/2)), which does not overflow.
    half = math.tanh(epsilon / 2)
    return min(half + delta * (1 - half), 1.0)


def _of_rho(rho: float) -> float:
    """From KL ≤ ρ by the inequalities of Pinsker and of Bretagnolle and Huber."""
    return min(math.sqrt(rho / 2), math.sqrt(-math.expm1(-rho)), 1.0)


_ADVANTAGES: dict[type[Statement], Callable[..., float]] = {
    LocalDP: advantage_allowed,
    CentralDP: advantage_allowed,
    ApproximateDP: advantage_allowed,
    ZeroConcentratedDP: _of_rho,
    GaussianDP: lambda mu: math.erf(mu / (2 * math.sqrt(2))),
}


def guaranteed(
    claims: Iterable[Statement], neighbours: Neighbours = Neighbours.VALUES_OF_A_PERSON, *, given_counts: bool = False
) -> Guarantee | None:
    """The claim that allows the least advantage, all of which hold; None where none of them bounds it.

    Averages over a prior, such as mutual information, bound no worst case.

    Args:
        given_counts: whether the mechanism was fitted to private counts.
    """
    found = [
        Guarantee(
            claim.name,
            claim.level,
            getattr(claim, "delta", 0.0),
            _ADVANTAGES[type(claim)](*vars(claim).values()),
            neighbours,
            given_counts,
        )
        for claim in claims
        if type(claim) in _ADVANTAGES
    ]
    return min((one for one in found if one.advantage < 1), key=lambda one: one.advantage, default=None)
