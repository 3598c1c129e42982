"""The edges of the implication graph that decide, as data, and what each concludes.

"Local" notions compare any two inputs of the channel, "central" ones neighbouring data sets; with one record they
are the same. Information is in bits, budgets in nats. What the secret can hold is not looked at here: the walk through
the graph cuts every conclusion there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
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
    TotalVariation,
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


Follows: TypeAlias = Callable[[Statement, Circumstances], float | Statement | None]
"""The level that follows, or the statement where it is not at the δ wanted; None where conditions are not met."""


@dataclass(frozen=True)
class Edge:
    """One implication between notions: what follows, its formula, where it is from and when it holds (if not always).

    An edge that was published and is unsound never decides; it names the counterexample that shows it. A sharp one may
    be so in some circumstances only.
    """

    premise: type[Statement]
    conclusion: type[Statement]
    follows: Follows = field(repr=False)
    formula: str
    reference: str
    conditions: str = ""
    status: Status = Status.SHARP
    counterexample: str = ""
    sharp_where: Callable[[Statement, Circumstances], bool] = field(default=lambda *_: True, repr=False)

    def is_sharp(self, statement: Statement, known: Circumstances) -> bool:
        """Whether no smaller level follows from this statement, for all channels and the priors that are possible."""
        return self.status is Status.SHARP and self.sharp_where(statement, known)

    def bound(self, statement: Statement, known: Circumstances) -> Statement | None:
        """The statement that follows, at the δ or order that is wanted; None where the conditions are not met."""
        level = self.follows(statement, known)
        if level is None or isinstance(level, Statement):
            return level
        wanted = (getattr(known, parameter.name) for parameter in fields(self.conclusion)[1:])
        return self.conclusion(level, *wanted)  # type: ignore[call-arg]


def _same(statement: Statement, known: Circumstances) -> float:
    return statement.level


def _where(condition: Callable[[Statement, Circumstances], bool], follows: Follows = _same) -> Follows:
    return lambda statement, known: follows(statement, known) if condition(statement, known) else None


def _by(formula: Callable[[float], float]) -> Follows:
    return lambda statement, known: formula(statement.level)


def _at_delta(formula: Callable[[float, float], float]) -> Follows:
    return lambda statement, known: formula(statement.level, known.delta)


def _parameter(statement: Statement, name: str) -> float:
    return dict(statement.parameters)[name]


def _from_order_1(statement: Statement, known: Circumstances) -> bool:
    return _parameter(statement, "order") >= 1


def _plus(skew: str) -> Follows:
    return lambda statement, known: None if (more := getattr(known, skew)) is None else statement.level + more


def _between_any(statement: Statement, known: Circumstances) -> float:
    """What neighbours within ε leave between any two data sets; nothing where they cannot reach each other."""
    return math.inf if known.reach == math.inf else known.reach * statement.level


def _data_set_information(statement: Statement, known: Circumstances) -> float:
    return formulas.information_of_ratio(_between_any(statement, known)) * NAT


def _times_largest(statement: Statement, known: Circumstances) -> float | None:
    return None if known.largest_distance is None else statement.level * known.largest_distance


def _over_smallest(statement: Statement, known: Circumstances) -> float | None:
    return statement.level / known.smallest_distance if known.smallest_distance else None


def _renyi_at_delta(statement: Statement, known: Circumstances) -> float:
    return formulas.approximate_of_renyi(statement.level, _parameter(statement, "order"), known.delta)


def _at_epsilon_0(variation: Callable[[float], float]) -> Follows:
    """Speaks at ε = 0 only: of use where the δ asked for is at least as large."""

    def follows(statement: Statement, known: Circumstances) -> Statement | None:
        delta = variation(statement.level)
        return ApproximateDP(0.0, delta) if delta <= known.delta else None

    return follows


def _variation_of_bits(information: float) -> float:
    return formulas.variation_of_information(information / NAT)


def _variation_of_values(statement: Statement, known: Circumstances) -> float | None:
    return None if known.values is None else statement.level * math.log2(known.values)


def _of_held(statement: Statement, known: Circumstances) -> float | None:
    # From neighbour to neighbour total variation adds up, as far as they reach.
    if math.inf in (known.held, known.reach):
        return None
    return min(known.reach * statement.level, 1.0) * known.held


def _variation_of_guess(statement: Statement, known: Circumstances) -> float | None:
    least = known.least_guess
    if least is None or known.reach == math.inf:
        return None
    return math.log1p(min(known.reach * statement.level, 1.0) * (1 / least - 1)) * NAT


def _variation_of_any_guess(statement: Statement, known: Circumstances) -> float | None:
    """The same under the prior for which it is most, the uniform one."""
    return _variation_of_guess(statement, replace(known, best_guess=None))


def _of_both(formula: Callable[[float, float, Circumstances], float | None]) -> Follows:
    """Of ε, δ and what is known."""
    return lambda statement, known: formula(statement.level, _parameter(statement, "delta"), known)


def _of_values(formula: Callable[[float, float, int], float]) -> Follows:
    """In bits, of (ε, δ) and the number of values of a record."""
    return _of_both(lambda e, delta, known: None if known.values is None else formula(e, delta, known.values) * NAT)


def _one_record(statement: Statement, known: Circumstances) -> bool:
    return known.records == 1


def _two_values(statement: Statement, known: Circumstances) -> bool:
    return known.values == 2


def _above_skew(skew: str) -> Callable[[Statement, Circumstances], bool]:
    # At ε_i = Δ the likeliest and the least likely secret have equal rows, and less follows, for two secrets ε_d = 0;
    # at any ε_i above it ε_i + Δ is reached. No rounded level is taken for Δ itself.
    return lambda statement, known: statement.level > (getattr(known, skew) or 0.0) * (1 + 1e-12)


SOUND = Status.SOUND

_NATS = _by(lambda level: level * NAT)
_TWICE = _by(lambda level: 2 * level)
_INFORMATION = _by(lambda epsilon: formulas.information_of_ratio(epsilon) * NAT)
_NEAR_SKEW, _ABOVE_NEAR_SKEW = _plus("neighbour_skew"), _above_skew("neighbour_skew")
_VARIATION = _of_both(lambda epsilon, delta, _: formulas.variation_of_approximate(epsilon, delta))
_WANTED = _of_both(lambda epsilon, delta, known: formulas.approximate_of_approximate(epsilon, delta, known.delta))
_TOLD = _of_values(formulas.information_of_approximate)
_LEAKED = _where(_one_record, _of_values(formulas.leakage_of_approximate))
_ONE_RECORD = _where(_one_record)
_INDEPENDENT = _where(
    lambda _, known: known.independent or known.records == 1, lambda given, known: known.records * given.level
)
_CONCENTRATED = _at_delta(formulas.approximate_of_concentration)
_ORDER_1 = _where(lambda given, _: _parameter(given, "order") == 1)
_INFINITE_ORDER = _where(lambda given, _: _parameter(given, "order") == math.inf)
_LOWER_ORDER = _where(lambda given, known: _parameter(given, "order") >= known.order)
_MAXIMAL = _where(lambda _, known: known.skew is not None and known.skew < math.inf, _INFINITE_ORDER)

_PRIOR = "the prior is known and gives every letter a chance"
_RATIO, _GROUP_RATIO = "A − 1 − ln A, A = ε/(1 − e^−ε)", "A − 1 − ln A, A = rε/(1 − e^−rε)"
_PURE_AT_ORDER = "ln((e^(αε) + e^((1−α)ε))/(1 + e^ε))/(α − 1)"
_ORDER_AT_DELTA = "ε + ln(1 − 1/α) − ln(δα)/(α − 1)"
_OVER_ORDERS = "min over α of αρ + ln(1 − 1/α) − ln(δα)/(α − 1)"
_GAUSSIAN_AT_DELTA = "δ = Φ(−ε/μ + μ/2) − e^ε Φ(−ε/μ − μ/2)"
_AT_EPSILON_0 = "(0, δ) with ln 2 − h((1 + δ)/2) = ε"
_OTHER_DELTA = "ln(e^ε − δ'(1 + e^ε)), δ' = (δ_wanted − δ)/(1 − δ)"
_SKEW_DIVERGENCE = "δ ln k + (1 − δ) KL(P ‖ P/k + (1 − 1/k)Q), P = (e^ε, 1)/(1 + e^ε), Q = (1, e^ε)/(1 + e^ε)"
_ROWS_WITHIN = "log₂ k(e^ε + (k − 1)δ)/(e^ε + k − 1)"
_GUESS = "log₂ (1 + min(1, r t)(1/V − 1)), V the chance of the best guess"
_ANY_GUESS = "log₂ (1 + min(1, r t)(n − 1)), n the number of secrets"

_CHAIN = "chain of ln-ratios; the reverse triangle gives the other direction"
_RULE = "chain rule of mutual information"
_KOV = "per-output maximum of the divergence; sharp by subset selection (Wang et al. 2016; Ye and Barg 2018)"
_GROUP_KOV = f"group privacy, then {_KOV}"
_NEIGHBOURS = "neighbours are two inputs"
_QUANTITY, _STATEMENT = "the same quantity", "the same statement"
_BUN = "Bun and Steinke 2016"
_ISSA = "Issa, Wagner and Kamath 2020"
_CUFF = "Cuff and Yu 2016"
_CHATZI = "Chatzikokolakis et al. 2013"
_CANONNE = "Canonne, Kamath and Steinke 2020"
_BALLE = "Balle and Wang 2018"
_SIBSON = "Sibson's information grows with its order (Verdú 2015)"
_ARIMOTO = "Arimoto's capacity is Sibson's (Verdú 2015; Liao et al. 2019)"
_KAIROUZ = "randomized response is extreme (Kairouz, Oh and Viswanath 2015)"
_TANH = f"supremum of randomized response's curve ({_BUN})"
_DONG_TWO = "the best test at equal errors (Dong, Roth and Su 2022)"
_DONG = "the trade-off curve of randomized response (Dong, Roth and Su 2022)"
_PRIOR_FREE = "ε_i ≥ Δ for every prior, so that ε_i + Δ ≤ 2 ε_i"
_WORST_PAIR = "the worst pair of (ε, δ) (Kairouz, Oh and Viswanath 2015)"
_VAJDA = "range of f-divergences (Vajda 1972; Audenaert 2014); reached by an erasure"
_RISK = "Bayes security (Chatzikokolakis et al. 2023); reached by an erasure"
_VALUES = "the number of values is known"
_HELD = "the entropy of the secret or the number of values is known"
_GUESSED = "the prior or the number of values is known"
_LARGER_DELTA, _LATER_DELTA = "the δ asked for is at least that", "the δ asked for is at least that known"
_ONE_OF_VALUES = f"a data set is one record; {_VALUES}"
_DISTANCES = "distances are known"
_SHOWN = "summed over the best guesses; reached by showing the value with probability δ"
_VAN_ERVEN = "Rényi divergence grows with its order (van Erven and Harremoës 2014)"

SOUND_EDGES: tuple[Edge, ...] = (
    Edge(LocalDP, Identifiability, _plus("skew"), "ε + Δ", _CHAIN, _PRIOR),
    Edge(Identifiability, LocalDP, _plus("skew"), "ε + Δ", _CHAIN, _PRIOR, sharp_where=_above_skew("skew")),
    # ε_i ≥ Δ whatever the prior: Σ_y p(x, y) = p(x), so that the posterior ratios of two secrets average to their prior
    # ratio and some are at least as large. Nearly reached where Δ is nearly ε_i.
    Edge(Identifiability, LocalDP, _TWICE, "2 ε", _PRIOR_FREE),
    Edge(CentralIdentifiability, CentralDP, _TWICE, "2 ε", _PRIOR_FREE),
    Edge(CentralDP, CentralIdentifiability, _NEAR_SKEW, "ε + Δ", _CHAIN, _PRIOR),
    Edge(CentralIdentifiability, CentralDP, _NEAR_SKEW, "ε + Δ", _CHAIN, _PRIOR, sharp_where=_ABOVE_NEAR_SKEW),
    Edge(LocalDP, CentralDP, _same, "ε", _NEIGHBOURS),
    Edge(CentralDP, LocalDP, _between_any, "r ε", "group privacy (Dwork and Roth 2014)"),
    Edge(LocalDP, MutualInformation, _INFORMATION, _RATIO, _KOV),
    Edge(CentralDP, MutualInformationDP, _INFORMATION, _RATIO, _KOV),
    Edge(MutualInformationDP, CentralMutualInformation, _INDEPENDENT, "r ε", _RULE, "records are independent", SOUND),
    # Of several records each may tell little and all together much, as the parity of bits does.
    Edge(MutualInformation, CentralMutualInformation, _ONE_RECORD, "ε", _QUANTITY, "a data set is one record"),
    Edge(CentralMutualInformation, MutualInformation, _same, "ε", "one record tells no more than all of them"),
    Edge(LocalDP, MaximalLeakage, _NATS, "ε nats", _ISSA),
    Edge(MaximalLeakage, MutualInformation, _same, "ε", _ISSA),
    Edge(MaximalLeakage, MinEntropyLeakage, _same, "ε", _ISSA),
    Edge(MaximalLeakage, SibsonLeakage, _same, "ε", _SIBSON),
    Edge(MaximalLeakage, AlphaLeakage, _same, "ε", _ARIMOTO),
    Edge(SibsonLeakage, MutualInformation, _where(_from_order_1), "ε", _SIBSON, "order at least 1"),
    Edge(CentralDP, ApproximateDP, _at_delta(formulas.approximate_of_pure), "ln(e^ε − δ(1 + e^ε))", _KAIROUZ),
    Edge(CentralDP, RenyiDP, lambda s, k: formulas.renyi_of_pure(s.level, k.order), _PURE_AT_ORDER, _BUN),
    Edge(CentralDP, ZeroConcentratedDP, _by(formulas.concentration_of_pure), "ε tanh(ε/2)", _TANH),
    Edge(CentralDP, GaussianDP, _by(formulas.gaussian_of_pure), "2 Φ⁻¹(e^ε/(1 + e^ε))", _DONG),
    Edge(GaussianDP, ZeroConcentratedDP, _by(lambda mu: mu * mu / 2), "μ²/2", "Rényi divergence of two Gaussians"),
    Edge(GaussianDP, ApproximateDP, _at_delta(formulas.approximate_of_gaussian), _GAUSSIAN_AT_DELTA, _BALLE),
    Edge(ZeroConcentratedDP, RenyiDP, lambda s, k: s.level * k.order, "α ρ", _BUN),
    Edge(ZeroConcentratedDP, ApproximateDP, _CONCENTRATED, _OVER_ORDERS, _CANONNE, status=SOUND),
    Edge(ZeroConcentratedDP, MutualInformationDP, _NATS, "ρ nats", _BUN, status=SOUND),
    Edge(RenyiDP, ApproximateDP, _renyi_at_delta, _ORDER_AT_DELTA, _CANONNE, "order above 1", SOUND),
    # Rényi divergence grows with its order, so from order 1 on it bounds Kullback–Leibler.
    Edge(RenyiDP, MutualInformationDP, _where(_from_order_1, _NATS), "ε nats", _CUFF, "order at least 1", SOUND),
    # Met in one direction only: within the bound in both directions the lower order has less.
    Edge(RenyiDP, RenyiDP, _LOWER_ORDER, "ε", _VAN_ERVEN, "the order asked for is at most that known", SOUND),
    Edge(MutualInformationDP, ApproximateDP, _at_epsilon_0(_variation_of_bits), _AT_EPSILON_0, _CUFF, _LARGER_DELTA),
    Edge(CentralDP, TotalVariation, _by(lambda e: formulas.variation_of_approximate(e, 0.0)), "tanh(ε/2)", _KAIROUZ),
    Edge(GaussianDP, TotalVariation, _by(formulas.variation_of_gaussian), "2Φ(μ/2) − 1", _DONG_TWO),
    Edge(MutualInformationDP, TotalVariation, _by(_variation_of_bits), "t with ln 2 − h((1 + t)/2) = ε", _CUFF),
    Edge(TotalVariation, ApproximateDP, _at_epsilon_0(lambda t: t), "(0, t)", _STATEMENT, _LARGER_DELTA),
    Edge(TotalVariation, MutualInformationDP, _variation_of_values, "t log₂ k", _VAJDA, _VALUES),
    Edge(TotalVariation, CentralMutualInformation, _of_held, "min(1, r t) H", _VAJDA, _HELD, sharp_where=_one_record),
    Edge(TotalVariation, MaximalLeakage, _variation_of_any_guess, _ANY_GUESS, _RISK, _VALUES, sharp_where=_one_record),
    Edge(TotalVariation, MinEntropyLeakage, _variation_of_guess, _GUESS, _RISK, _GUESSED, sharp_where=_one_record),
    Edge(ApproximateDP, ApproximateDP, _WANTED, _OTHER_DELTA, _WORST_PAIR, _LATER_DELTA),
    Edge(ApproximateDP, TotalVariation, _VARIATION, "δ + (1 − δ) tanh(ε/2)", _WORST_PAIR),
    Edge(ApproximateDP, MutualInformationDP, _TOLD, _SKEW_DIVERGENCE, _WORST_PAIR, _VALUES, sharp_where=_two_values),
    Edge(ApproximateDP, MaximalLeakage, _LEAKED, _ROWS_WITHIN, _SHOWN, _ONE_OF_VALUES),
    Edge(MetricPrivacy, LocalDP, _times_largest, "ε d_max", _CHATZI, _DISTANCES),
    Edge(LocalDP, MetricPrivacy, _over_smallest, "ε / d_min", _CHATZI, _DISTANCES),
    Edge(Identifiability, CentralIdentifiability, _same, "ε", _NEIGHBOURS),
    Edge(CentralIdentifiability, Identifiability, _between_any, "r ε", "chain of posterior ratios", status=SOUND),
    Edge(CentralDP, CentralMutualInformation, _data_set_information, _GROUP_RATIO, _GROUP_KOV, status=SOUND),
    Edge(ApproximateDP, CentralDP, _where(lambda s, k: _parameter(s, "delta") == 0), "ε", _STATEMENT, "δ is 0", SOUND),
    Edge(RenyiDP, CentralDP, _INFINITE_ORDER, "ε", _STATEMENT, "the order is infinite", SOUND),
    Edge(SibsonLeakage, MaximalLeakage, _MAXIMAL, "ε", _ISSA, f"the order is infinite; {_PRIOR}", SOUND),
    Edge(AlphaLeakage, MutualInformation, _ORDER_1, "ε", _QUANTITY, "the order is 1", SOUND),
)
"""Edges that decide; each survives the random search of ``tests/notions``."""

_WORST_CASE = (Identifiability, LocalDP, CentralIdentifiability, CentralDP, RenyiDP, ZeroConcentratedDP, GaussianDP)
_AVERAGES = (
    ApproximateDP,
    TotalVariation,
    MutualInformationDP,
    MaximalLeakage,
    MinEntropyLeakage,
    SibsonLeakage,
    AlphaLeakage,
)
NOTHING_FOLLOWS: dict[tuple[type[Statement], type[Statement]], str] = {
    **{(average, worst): "revelation-by-chance" for average in _AVERAGES for worst in _WORST_CASE},
    **{(MutualInformation, worst): "rare-revelation" for worst in _WORST_CASE},
    **{(CentralMutualInformation, worst): "rare-revelation-central" for worst in _WORST_CASE},
}
"""Pairs of notions between which nothing follows, with the counterexample: little of the one, infinite other."""
