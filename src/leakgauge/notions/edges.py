"""The edges of the implication graph that decide, as data.

"Local" notions compare any two inputs of the channel, "central" ones neighbouring data sets; with one record they
are the same. Information is in bits, budgets in nats.
"""

from __future__ import annotations

import math
from collections.abc import Callable

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
from leakgauge.notions.graph import Circumstances, Edge, Status

NAT = 1 / math.log(2)
"""One nat in bits."""

_NEEDS_PRIOR = "the prior is known and gives every letter a chance"
_SPEC = "chain of ln-ratios; the reverse triangle gives the other direction"
_KOV = "per-output maximum of the divergence; sharp by subset selection (Wang et al. 2016; Ye and Barg 2018)"
_BUN = "Bun and Steinke 2016"
_ISSA = "Issa, Wagner and Kamath 2020"
_CUFF = "Cuff and Yu 2016"
_CHATZI = "Chatzikokolakis et al. 2013"


def _add_skew(
    notion: Callable[[float], Statement], central: bool
) -> Callable[[Statement, Circumstances], Statement | None]:
    def bound(statement: Statement, known: Circumstances) -> Statement | None:
        skew = known.neighbour_skew if central else known.skew
        return None if skew is None else notion(statement.level + skew)

    return bound


def _bits(notion: Callable[[float], Statement]) -> Callable[[Statement, Circumstances], Statement]:
    """The same number of bits, capped by what there is to learn."""
    return lambda statement, known: notion(min(statement.level, known.uncertainty))


def _information(notion: Callable[[float], Statement]) -> Callable[[Statement, Circumstances], Statement]:
    def bound(statement: Statement, known: Circumstances) -> Statement:
        return notion(min(formulas.information_of_ratio(statement.level) * NAT, known.uncertainty))

    return bound


def _independent_information(statement: Statement, known: Circumstances) -> Statement | None:
    if not (known.independent or known.records == 1):
        return None
    return CentralMutualInformation(min(known.records * statement.level, known.uncertainty))


def _scaled(notion: Callable[[float], Statement], which: str) -> Callable[[Statement, Circumstances], Statement | None]:
    def bound(statement: Statement, known: Circumstances) -> Statement | None:
        distance = getattr(known, which)
        if distance is None or (which == "smallest_distance" and distance == 0):
            return None
        return notion(statement.level * distance if which == "largest_distance" else statement.level / distance)

    return bound


def _renyi_to_approximate(statement: Statement, known: Circumstances) -> Statement:
    order = dict(statement.parameters)["order"]
    return ApproximateDP(formulas.approximate_of_renyi(statement.level, order, known.delta), known.delta)


def _renyi_to_information(statement: Statement, known: Circumstances) -> Statement | None:
    # Rényi divergence grows with its order, so from order 1 on it bounds Kullback–Leibler.
    return MutualInformationDP(statement.level * NAT) if dict(statement.parameters)["order"] >= 1 else None


def _renyi_to_lower(statement: Statement, known: Circumstances) -> Statement | None:
    return RenyiDP(statement.level, known.order) if dict(statement.parameters)["order"] >= known.order else None


def _sibson_to_information(statement: Statement, known: Circumstances) -> Statement | None:
    if dict(statement.parameters)["order"] < 1:
        return None
    return MutualInformation(min(statement.level, known.uncertainty))


def _information_to_approximate(statement: Statement, known: Circumstances) -> Statement | None:
    variation = formulas.variation_of_information(statement.level / NAT)
    # Speaks at ε = 0 only: of use where the δ asked for is at least as large.
    return ApproximateDP(0.0, variation) if variation <= known.delta else None


SOUND_EDGES: tuple[Edge, ...] = (
    Edge(LocalDP, Identifiability, _add_skew(Identifiability, False), "ε + Δ", _NEEDS_PRIOR, _SPEC, Status.SHARP),
    Edge(Identifiability, LocalDP, _add_skew(LocalDP, False), "ε + Δ", _NEEDS_PRIOR, _SPEC, Status.SHARP),
    Edge(
        CentralDP,
        CentralIdentifiability,
        _add_skew(CentralIdentifiability, True),
        "ε + Δ",
        _NEEDS_PRIOR,
        _SPEC,
        Status.SHARP,
    ),
    Edge(CentralIdentifiability, CentralDP, _add_skew(CentralDP, True), "ε + Δ", _NEEDS_PRIOR, _SPEC, Status.SHARP),
    Edge(LocalDP, CentralDP, lambda s, k: CentralDP(s.level), "ε", "", "neighbours are two inputs", Status.SHARP),
    Edge(
        CentralDP,
        LocalDP,
        lambda s, k: LocalDP(k.records * s.level),
        "r ε",
        "",
        "group privacy (Dwork and Roth 2014)",
        Status.SHARP,
    ),
    Edge(
        LocalDP,
        MutualInformation,
        _information(MutualInformation),
        "A − 1 − ln A, A = ε/(1 − e^−ε); at most H",
        "",
        _KOV,
        Status.SHARP,
    ),
    Edge(
        CentralDP,
        MutualInformationDP,
        lambda s, k: MutualInformationDP(formulas.information_of_ratio(s.level) * NAT),
        "A − 1 − ln A, A = ε/(1 − e^−ε)",
        "",
        _KOV,
        Status.SHARP,
    ),
    Edge(
        MutualInformationDP,
        CentralMutualInformation,
        _independent_information,
        "r ε; at most H",
        "records are independent",
        "chain rule of mutual information",
        Status.SOUND,
    ),
    Edge(
        MutualInformation,
        CentralMutualInformation,
        _bits(CentralMutualInformation),
        "ε",
        "",
        "the same quantity of a data set",
        Status.SHARP,
    ),
    Edge(
        CentralMutualInformation,
        MutualInformation,
        _bits(MutualInformation),
        "ε",
        "",
        "the same quantity of a data set",
        Status.SHARP,
    ),
    Edge(LocalDP, MaximalLeakage, lambda s, k: MaximalLeakage(s.level * NAT), "ε nats", "", _ISSA, Status.SHARP),
    Edge(MaximalLeakage, MutualInformation, _bits(MutualInformation), "ε; at most H", "", _ISSA, Status.SHARP),
    Edge(MaximalLeakage, MinEntropyLeakage, lambda s, k: MinEntropyLeakage(s.level), "ε", "", _ISSA, Status.SHARP),
    Edge(
        MaximalLeakage,
        SibsonLeakage,
        lambda s, k: SibsonLeakage(s.level, k.order),
        "ε",
        "",
        "Sibson's information grows with its order (Verdú 2015)",
        Status.SHARP,
    ),
    Edge(
        MaximalLeakage,
        AlphaLeakage,
        lambda s, k: AlphaLeakage(s.level, k.order),
        "ε",
        "",
        "Arimoto's capacity is Sibson's (Verdú 2015; Liao et al. 2019)",
        Status.SHARP,
    ),
    Edge(
        SibsonLeakage,
        MutualInformation,
        _sibson_to_information,
        "ε; at most H",
        "order at least 1",
        "Sibson's information grows with its order (Verdú 2015)",
        Status.SHARP,
    ),
    Edge(
        CentralDP,
        ApproximateDP,
        lambda s, k: ApproximateDP(formulas.approximate_of_pure(s.level, k.delta), k.delta),
        "ln(e^ε − δ(1 + e^ε))",
        "",
        "randomized response is extreme (Kairouz, Oh and Viswanath 2015)",
        Status.SHARP,
    ),
    Edge(
        CentralDP,
        RenyiDP,
        lambda s, k: RenyiDP(formulas.renyi_of_pure(s.level, k.order), k.order),
        "ln((e^(αε) + e^((1−α)ε))/(1 + e^ε))/(α − 1)",
        "",
        _BUN,
        Status.SHARP,
    ),
    Edge(
        CentralDP,
        ZeroConcentratedDP,
        lambda s, k: ZeroConcentratedDP(formulas.concentration_of_pure(s.level)),
        "ε tanh(ε/2)",
        "",
        _BUN,
        Status.SHARP,
    ),
    Edge(
        CentralDP,
        GaussianDP,
        lambda s, k: GaussianDP(formulas.gaussian_of_pure(s.level)),
        "2 Φ⁻¹(e^ε/(1 + e^ε))",
        "",
        "the trade-off curve of randomized response (Dong, Roth and Su 2022)",
        Status.SHARP,
    ),
    Edge(
        GaussianDP,
        ZeroConcentratedDP,
        lambda s, k: ZeroConcentratedDP(s.level**2 / 2),
        "μ²/2",
        "",
        "Rényi divergence of two Gaussians",
        Status.SHARP,
    ),
    Edge(
        GaussianDP,
        ApproximateDP,
        lambda s, k: ApproximateDP(formulas.approximate_of_gaussian(s.level, k.delta), k.delta),
        "δ = Φ(−ε/μ + μ/2) − e^ε Φ(−ε/μ − μ/2)",
        "",
        "Balle and Wang 2018",
        Status.SHARP,
    ),
    Edge(ZeroConcentratedDP, RenyiDP, lambda s, k: RenyiDP(s.level * k.order, k.order), "α ρ", "", _BUN, Status.SHARP),
    Edge(
        ZeroConcentratedDP,
        ApproximateDP,
        lambda s, k: ApproximateDP(formulas.approximate_of_concentration(s.level, k.delta), k.delta),
        "min over α of αρ + ln(1 − 1/α) − ln(δα)/(α − 1)",
        "",
        "Canonne, Kamath and Steinke 2020",
        Status.SOUND,
    ),
    Edge(
        ZeroConcentratedDP,
        MutualInformationDP,
        lambda s, k: MutualInformationDP(s.level * NAT),
        "ρ nats",
        "",
        _BUN,
        Status.SOUND,
    ),
    Edge(
        RenyiDP,
        ApproximateDP,
        _renyi_to_approximate,
        "ε + ln(1 − 1/α) − ln(δα)/(α − 1)",
        "order above 1",
        "Canonne, Kamath and Steinke 2020",
        Status.SOUND,
    ),
    Edge(RenyiDP, MutualInformationDP, _renyi_to_information, "ε nats", "order at least 1", _CUFF, Status.SOUND),
    Edge(
        RenyiDP,
        RenyiDP,
        _renyi_to_lower,
        "ε",
        "the order asked for is at most that known",
        "Rényi divergence grows with its order (van Erven and Harremoës 2014)",
        Status.SHARP,
    ),
    Edge(
        MutualInformationDP,
        ApproximateDP,
        _information_to_approximate,
        "(0, δ) with ln 2 − h((1 + δ)/2) = ε",
        "the δ asked for is at least that",
        _CUFF,
        Status.SHARP,
    ),
    Edge(
        MetricPrivacy,
        LocalDP,
        _scaled(LocalDP, "largest_distance"),
        "ε d_max",
        "distances are known",
        _CHATZI,
        Status.SHARP,
    ),
    Edge(
        LocalDP,
        MetricPrivacy,
        _scaled(MetricPrivacy, "smallest_distance"),
        "ε / d_min",
        "distances are known",
        _CHATZI,
        Status.SHARP,
    ),
)
"""Edges that decide; each survives the random search of ``tests/notions``."""

_WORST_CASE = (Identifiability, LocalDP, CentralIdentifiability, CentralDP, RenyiDP, ZeroConcentratedDP, GaussianDP)
NOTHING_FOLLOWS: dict[tuple[type[Statement], type[Statement]], str] = {
    **{(MutualInformation, worst): "rare-revelation" for worst in _WORST_CASE},
    **{(CentralMutualInformation, worst): "rare-revelation-central" for worst in _WORST_CASE},
}
"""Pairs of notions between which nothing follows, with the family that shows it: little of one, infinite other."""
