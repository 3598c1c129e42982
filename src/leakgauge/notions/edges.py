"""The edges of the implication graph that decide, as data, and what each concludes.

"Local" notions compare any two inputs of the channel, "central" ones neighbouring data sets; with one record they
are the same. Information is in bits, budgets in nats. What the secret can hold is not looked at here: the walk through
the graph cuts every conclusion there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from enum import Enum
from typing import TypeAlias

from leakgauge.claims import (
    AlphaLeakage,
    ApproximateDP,
    CentralDP,
    CentralIdentifiability,
    CentralMutualInformation,
    GaussianDP,
    Identifiability,
    LocalDP,
    MaximalLeakage,
    MetricPrivacy,
    MinEntropyLeakage,
    MutualInformation,
    MutualInformationDP,
    RenyiDP,
    SibsonLeakage,
    Statement,
    ZeroConcentratedDP,
)
from leakgauge.notions import formulas
from leakgauge.notions.circumstances import Circumstances

NAT = 1 / math.log(2)
"""One nat in bits."""


class Status(Enum):
    """How far an edge can be trusted."""

    SHARP = "sound and sharp"
    SOUND = "sound"
    UNSOUND = "published, unsound"


Bound: TypeAlias = Callable[[Statement, Circumstances], Statement | None]


@dataclass(frozen=True)
class Edge:
    """One implication between notions.

    Attributes:
        premise: notion of the statement one has.
        conclusion: notion of the statement that follows.
        bound: the statement that follows, or None where its conditions are not met.
        formula: the bound in symbols.
        conditions: when it holds; empty if always.
        reference: where it is from.
        status: sharp, sound, or published and unsound, which never decides.
        counterexample: for an unsound edge, the name of the one that shows it.
    """

    premise: type[Statement]
    conclusion: type[Statement]
    bound: Bound = field(repr=False)
    formula: str
    conditions: str
    reference: str
    status: Status
    counterexample: str = ""


_Level: TypeAlias = Callable[[Statement, Circumstances], float | None]


def _edge(
    premise: type[Statement],
    conclusion: type[Statement],
    level: _Level,
    formula: str,
    conditions: str,
    reference: str,
    status: Status,
) -> Edge:
    """An edge by the level that follows, at the δ or order that is wanted."""
    parameters = [parameter.name for parameter in fields(conclusion)[1:]]

    def bound(statement: Statement, known: Circumstances) -> Statement | None:
        follows = level(statement, known)
        if follows is None:
            return None
        return conclusion(follows, *(getattr(known, name) for name in parameters))  # type: ignore[call-arg]

    return Edge(premise, conclusion, bound, formula, conditions, reference, status)


def _same(statement: Statement, known: Circumstances) -> float:
    return statement.level


def _nats(statement: Statement, known: Circumstances) -> float:
    return statement.level * NAT


def _where(condition: Callable[[Statement, Circumstances], bool], level: _Level = _same) -> _Level:
    return lambda statement, known: level(statement, known) if condition(statement, known) else None


def _order(statement: Statement) -> float:
    return dict(statement.parameters)["order"]


def _from_order_1(statement: Statement, known: Circumstances) -> bool:
    return _order(statement) >= 1


def _infinite_order(statement: Statement, known: Circumstances) -> bool:
    return _order(statement) == math.inf


def _one_record(statement: Statement, known: Circumstances) -> bool:
    # Of several records each may tell little and all together much, as the parity of bits does.
    return known.records == 1


def _maximal(statement: Statement, known: Circumstances) -> bool:
    full_support = known.skew is not None and known.skew < math.inf
    return full_support and _order(statement) == math.inf


def _plus_skew(statement: Statement, known: Circumstances) -> float | None:
    return None if known.skew is None else statement.level + known.skew


def _plus_neighbour_skew(statement: Statement, known: Circumstances) -> float | None:
    return None if known.neighbour_skew is None else statement.level + known.neighbour_skew


def _between_any(statement: Statement, known: Circumstances) -> float:
    """What neighbours within ε leave between any two data sets; nothing where they cannot reach each other."""
    return math.inf if known.reach == math.inf else known.reach * statement.level


def _information(statement: Statement, known: Circumstances) -> float:
    return formulas.information_of_ratio(statement.level) * NAT


def _data_set_information(statement: Statement, known: Circumstances) -> float:
    return formulas.information_of_ratio(_between_any(statement, known)) * NAT


def _of_independent(statement: Statement, known: Circumstances) -> float | None:
    return known.records * statement.level if known.independent or known.records == 1 else None


def _at_delta(formula: Callable[[float, float], float]) -> _Level:
    return lambda statement, known: formula(statement.level, known.delta)


def _renyi_at_delta(statement: Statement, known: Circumstances) -> float:
    return formulas.approximate_of_renyi(statement.level, _order(statement), known.delta)


def _times_largest(statement: Statement, known: Circumstances) -> float | None:
    return None if known.largest_distance is None else statement.level * known.largest_distance


def _over_smallest(statement: Statement, known: Circumstances) -> float | None:
    return statement.level / known.smallest_distance if known.smallest_distance else None


def _information_to_approximate(statement: Statement, known: Circumstances) -> Statement | None:
    variation = formulas.variation_of_information(statement.level / NAT)
    # Speaks at ε = 0 only: of use where the δ asked for is at least as large.
    return ApproximateDP(0.0, variation) if variation <= known.delta else None


SHARP, SOUND = Status.SHARP, Status.SOUND

_PRIOR = "the prior is known and gives every letter a chance"
_INDEPENDENT, _ONE_RECORD = "records are independent", "a data set is one record"
_DISTANCES = "distances are known"
_LOWER_ORDER = "the order asked for is at most that known"

_RATIO, _GROUP_RATIO = "A − 1 − ln A, A = ε/(1 − e^−ε)", "A − 1 − ln A, A = rε/(1 − e^−rε)"
_PURE_AT_DELTA = "ln(e^ε − δ(1 + e^ε))"
_PURE_AT_ORDER = "ln((e^(αε) + e^((1−α)ε))/(1 + e^ε))/(α − 1)"
_ORDER_AT_DELTA = "ε + ln(1 − 1/α) − ln(δα)/(α − 1)"
_OVER_ORDERS = "min over α of αρ + ln(1 − 1/α) − ln(δα)/(α − 1)"
_GAUSSIAN_AT_DELTA = "δ = Φ(−ε/μ + μ/2) − e^ε Φ(−ε/μ − μ/2)"

_CHAIN = "chain of ln-ratios; the reverse triangle gives the other direction"
_RULE = "chain rule of mutual information"
_KOV = "per-output maximum of the divergence; sharp by subset selection (Wang et al. 2016; Ye and Barg 2018)"
_GROUP_KOV = f"group privacy, then {_KOV}"
_NEIGHBOURS = "neighbours are two inputs"
_ONE_OF_ALL = "one record tells no more than all of them"
_QUANTITY, _STATEMENT = "the same quantity", "the same statement"
_BUN = "Bun and Steinke 2016"
_TANH = f"supremum of randomized response's curve ({_BUN})"
_ISSA = "Issa, Wagner and Kamath 2020"
_CUFF = "Cuff and Yu 2016"
_CHATZI = "Chatzikokolakis et al. 2013"
_CANONNE = "Canonne, Kamath and Steinke 2020"
_BALLE = "Balle and Wang 2018"
_SIBSON = "Sibson's information grows with its order (Verdú 2015)"
_ARIMOTO = "Arimoto's capacity is Sibson's (Verdú 2015; Liao et al. 2019)"
_KAIROUZ = "randomized response is extreme (Kairouz, Oh and Viswanath 2015)"
_DONG = "the trade-off curve of randomized response (Dong, Roth and Su 2022)"
_TWO_GAUSSIANS = "Rényi divergence of two Gaussians"
_VAN_ERVEN = "Rényi divergence grows with its order (van Erven and Harremoës 2014)"

SOUND_EDGES: tuple[Edge, ...] = (
    _edge(LocalDP, Identifiability, _plus_skew, "ε + Δ", _PRIOR, _CHAIN, SHARP),
    _edge(Identifiability, LocalDP, _plus_skew, "ε + Δ", _PRIOR, _CHAIN, SHARP),
    _edge(CentralDP, CentralIdentifiability, _plus_neighbour_skew, "ε + Δ", _PRIOR, _CHAIN, SHARP),
    _edge(CentralIdentifiability, CentralDP, _plus_neighbour_skew, "ε + Δ", _PRIOR, _CHAIN, SHARP),
    _edge(LocalDP, CentralDP, _same, "ε", "", _NEIGHBOURS, SHARP),
    _edge(CentralDP, LocalDP, _between_any, "r ε", "", "group privacy (Dwork and Roth 2014)", SHARP),
    _edge(LocalDP, MutualInformation, _information, _RATIO, "", _KOV, SHARP),
    _edge(CentralDP, MutualInformationDP, _information, _RATIO, "", _KOV, SHARP),
    _edge(MutualInformationDP, CentralMutualInformation, _of_independent, "r ε", _INDEPENDENT, _RULE, SOUND),
    _edge(MutualInformation, CentralMutualInformation, _where(_one_record), "ε", _ONE_RECORD, _QUANTITY, SHARP),
    _edge(CentralMutualInformation, MutualInformation, _same, "ε", "", _ONE_OF_ALL, SHARP),
    _edge(LocalDP, MaximalLeakage, _nats, "ε nats", "", _ISSA, SHARP),
    _edge(MaximalLeakage, MutualInformation, _same, "ε", "", _ISSA, SHARP),
    _edge(MaximalLeakage, MinEntropyLeakage, _same, "ε", "", _ISSA, SHARP),
    _edge(MaximalLeakage, SibsonLeakage, _same, "ε", "", _SIBSON, SHARP),
    _edge(MaximalLeakage, AlphaLeakage, _same, "ε", "", _ARIMOTO, SHARP),
    _edge(SibsonLeakage, MutualInformation, _where(_from_order_1), "ε", "order at least 1", _SIBSON, SHARP),
    _edge(CentralDP, ApproximateDP, _at_delta(formulas.approximate_of_pure), _PURE_AT_DELTA, "", _KAIROUZ, SHARP),
    _edge(CentralDP, RenyiDP, lambda s, k: formulas.renyi_of_pure(s.level, k.order), _PURE_AT_ORDER, "", _BUN, SHARP),
    _edge(
        CentralDP,
        ZeroConcentratedDP,
        lambda s, k: formulas.concentration_of_pure(s.level),
        "ε tanh(ε/2)",
        "",
        _TANH,
        SHARP,
    ),
    _edge(
        CentralDP, GaussianDP, lambda s, k: formulas.gaussian_of_pure(s.level), "2 Φ⁻¹(e^ε/(1 + e^ε))", "", _DONG, SHARP
    ),
    _edge(GaussianDP, ZeroConcentratedDP, lambda s, k: s.level * s.level / 2, "μ²/2", "", _TWO_GAUSSIANS, SHARP),
    _edge(
        GaussianDP, ApproximateDP, _at_delta(formulas.approximate_of_gaussian), _GAUSSIAN_AT_DELTA, "", _BALLE, SHARP
    ),
    _edge(ZeroConcentratedDP, RenyiDP, lambda s, k: s.level * k.order, "α ρ", "", _BUN, SHARP),
    _edge(
        ZeroConcentratedDP,
        ApproximateDP,
        _at_delta(formulas.approximate_of_concentration),
        _OVER_ORDERS,
        "",
        _CANONNE,
        SOUND,
    ),
    _edge(ZeroConcentratedDP, MutualInformationDP, _nats, "ρ nats", "", _BUN, SOUND),
    _edge(RenyiDP, ApproximateDP, _renyi_at_delta, _ORDER_AT_DELTA, "order above 1", _CANONNE, SOUND),
    # Rényi divergence grows with its order, so from order 1 on it bounds Kullback–Leibler.
    _edge(RenyiDP, MutualInformationDP, _where(_from_order_1, _nats), "ε nats", "order at least 1", _CUFF, SOUND),
    _edge(RenyiDP, RenyiDP, _where(lambda s, k: _order(s) >= k.order), "ε", _LOWER_ORDER, _VAN_ERVEN, SHARP),
    Edge(
        MutualInformationDP,
        ApproximateDP,
        _information_to_approximate,
        "(0, δ) with ln 2 − h((1 + δ)/2) = ε",
        "the δ asked for is at least that",
        _CUFF,
        SHARP,
    ),
    _edge(MetricPrivacy, LocalDP, _times_largest, "ε d_max", _DISTANCES, _CHATZI, SHARP),
    _edge(LocalDP, MetricPrivacy, _over_smallest, "ε / d_min", _DISTANCES, _CHATZI, SHARP),
    _edge(Identifiability, CentralIdentifiability, _same, "ε", "", _NEIGHBOURS, SHARP),
    _edge(CentralIdentifiability, Identifiability, _between_any, "r ε", "", "chain of posterior ratios", SOUND),
    _edge(CentralDP, CentralMutualInformation, _data_set_information, _GROUP_RATIO, "", _GROUP_KOV, SOUND),
    _edge(
        ApproximateDP,
        CentralDP,
        _where(lambda s, k: dict(s.parameters)["delta"] == 0),
        "ε",
        "δ is 0",
        _STATEMENT,
        SOUND,
    ),
    _edge(RenyiDP, CentralDP, _where(_infinite_order), "ε", "the order is infinite", _STATEMENT, SOUND),
    _edge(SibsonLeakage, MaximalLeakage, _where(_maximal), "ε", f"the order is infinite; {_PRIOR}", _ISSA, SOUND),
    _edge(
        AlphaLeakage, MutualInformation, _where(lambda s, k: _order(s) == 1), "ε", "the order is 1", _QUANTITY, SOUND
    ),
)
"""Edges that decide; each survives the random search of ``tests/notions``."""

_WORST_CASE = (Identifiability, LocalDP, CentralIdentifiability, CentralDP, RenyiDP, ZeroConcentratedDP, GaussianDP)
NOTHING_FOLLOWS: dict[tuple[type[Statement], type[Statement]], str] = {
    **{(MutualInformation, worst): "rare-revelation" for worst in _WORST_CASE},
    **{(CentralMutualInformation, worst): "rare-revelation-central" for worst in _WORST_CASE},
}
"""Pairs of notions between which nothing follows, with the counterexample: little of the one, infinite other."""
