"""What each edge of the implication graph concludes: functions of a statement and the circumstances.

None stands for a condition that is not met. What the secret can hold is not looked at here: the walk through the graph
cuts every conclusion there.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from leakgauge.claims import (
    ApproximateDP,
    CentralDP,
    CentralMutualInformation,
    MaximalLeakage,
    MutualInformation,
    MutualInformationDP,
    RenyiDP,
    Statement,
)
from leakgauge.notions import formulas
from leakgauge.notions.circumstances import Circumstances

NAT = 1 / math.log(2)
"""One nat in bits."""


def add_skew(
    notion: Callable[[float], Statement], central: bool
) -> Callable[[Statement, Circumstances], Statement | None]:
    """ε + Δ, where the prior is known."""

    def bound(statement: Statement, known: Circumstances) -> Statement | None:
        skew = known.neighbour_skew if central else known.skew
        return None if skew is None else notion(statement.level + skew)

    return bound


def bits(notion: Callable[[float], Statement]) -> Callable[[Statement, Circumstances], Statement]:
    """The same number of bits."""
    return lambda statement, known: notion(statement.level)


def information(notion: Callable[[float], Statement]) -> Callable[[Statement, Circumstances], Statement]:
    """A − 1 − ln A."""
    return lambda statement, known: notion(formulas.information_of_ratio(statement.level) * NAT)


def independent_information(statement: Statement, known: Circumstances) -> Statement | None:
    """r times that of one record, where the records are independent."""
    if not (known.independent or known.records == 1):
        return None
    return CentralMutualInformation(known.records * statement.level)


def of_one_record(statement: Statement, known: Circumstances) -> Statement | None:
    """The same number of bits, where a data set is one record."""
    # Of several records each may tell little and all together much, as the parity of bits does.
    return CentralMutualInformation(statement.level) if known.records == 1 else None


def data_set_information(statement: Statement, known: Circumstances) -> Statement | None:
    """The most that neighbours within ε tell of the whole data set."""
    nats = formulas.information_of_ratio(between_any(statement.level, known))
    return CentralMutualInformation(nats * NAT)


def between_any(epsilon: float, known: Circumstances) -> float:
    """What neighbours within ε leave between any two data sets; nothing where they cannot reach each other."""
    return math.inf if known.reach == math.inf else known.reach * epsilon


def pure_of_approximate(statement: Statement, known: Circumstances) -> Statement | None:
    """The same ε, where δ is 0."""
    return CentralDP(statement.level) if dict(statement.parameters)["delta"] == 0 else None


def pure_of_renyi(statement: Statement, known: Circumstances) -> Statement | None:
    """The same ε, where the order is infinite."""
    return CentralDP(statement.level) if dict(statement.parameters)["order"] == math.inf else None


def maximal_of_sibson(statement: Statement, known: Circumstances) -> Statement | None:
    """The same number of bits, where the order is infinite and every letter has a chance."""
    full_support = known.skew is not None and known.skew < math.inf
    return MaximalLeakage(statement.level) if full_support and dict(statement.parameters)["order"] == math.inf else None


def information_of_alpha(statement: Statement, known: Circumstances) -> Statement | None:
    """The same number of bits, where the order is 1."""
    return MutualInformation(statement.level) if dict(statement.parameters)["order"] == 1 else None


def scaled(notion: Callable[[float], Statement], which: str) -> Callable[[Statement, Circumstances], Statement | None]:
    """ε times or over a distance, where distances are known."""

    def bound(statement: Statement, known: Circumstances) -> Statement | None:
        distance = getattr(known, which)
        if distance is None or (which == "smallest_distance" and distance == 0):
            return None
        return notion(statement.level * distance if which == "largest_distance" else statement.level / distance)

    return bound


def renyi_to_approximate(statement: Statement, known: Circumstances) -> Statement:
    """(ε, δ) from one order."""
    order = dict(statement.parameters)["order"]
    return ApproximateDP(formulas.approximate_of_renyi(statement.level, order, known.delta), known.delta)


def renyi_to_information(statement: Statement, known: Circumstances) -> Statement | None:
    """ε nats, from order 1 on."""
    # Rényi divergence grows with its order, so from order 1 on it bounds Kullback–Leibler.
    return MutualInformationDP(statement.level * NAT) if dict(statement.parameters)["order"] >= 1 else None


def renyi_to_lower(statement: Statement, known: Circumstances) -> Statement | None:
    """The same ε at a lower order."""
    return RenyiDP(statement.level, known.order) if dict(statement.parameters)["order"] >= known.order else None


def sibson_to_information(statement: Statement, known: Circumstances) -> Statement | None:
    """The same number of bits, from order 1 on."""
    if dict(statement.parameters)["order"] < 1:
        return None
    return MutualInformation(statement.level)


def information_to_approximate(statement: Statement, known: Circumstances) -> Statement | None:
    """(0, δ) by the sharp form of Pinsker, where that δ is small enough."""
    variation = formulas.variation_of_information(statement.level / NAT)
    # Speaks at ε = 0 only: of use where the δ asked for is at least as large.
    return ApproximateDP(0.0, variation) if variation <= known.delta else None
