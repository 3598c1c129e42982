"""Rules that turn statements into statements: parts side by side, sampling, groups of records.

References: McSherry, Privacy integrated queries, 2009 (parallel); Balle, Barthe and Gaboardi 2018 (sampling);
Vadhan, The complexity of differential privacy, 2017, lemma 2.2; Bun and Steinke 2016; Mironov 2017, proposition 2;
Dong, Roth and Su 2022 (groups).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields

from leakgauge.arguments import checked
from leakgauge.claims import ApproximateDP, CentralDP, GaussianDP, LocalDP, RenyiDP, Statement, ZeroConcentratedDP
from leakgauge.errors import OptionError
from leakgauge.mechanisms.steps import Batch, Claimed
from leakgauge.mechanisms.steps.step import COMPOSABLE, amplified_epsilon, require_some, require_whole
from leakgauge.notions.composition.groups import Neighbours, Parts


@checked
def in_parallel(
    statements: Sequence[Statement], *, parts: Parts, neighbours: Neighbours = Neighbours.REPLACE_ONE
) -> Statement:
    """The statement of mechanisms that each see another part of the data: the largest of theirs.

    A record that is added, removed, or replaced where it stands touches one part only. Where its value decides the
    part, replacing it may take it out of one part and put it into another: then the statements must hold for added
    or removed records, and what comes back is the largest for a group of two.

    Raises:
        OptionError: no statements, or statements of different notions or orders.
    """
    require_some(statements, "statements")
    notion = type(statements[0])
    orders = {statement.order for statement in statements if isinstance(statement, RenyiDP)}
    if any(type(statement) is not notion for statement in statements) or len(orders) > 1:
        raise OptionError(
            "Parts side by side need one notion of one order; found {found!s}.",
            found=tuple(sorted({str(statement) for statement in statements})),
        )
    _require(statements[0], COMPOSABLE, "parallel composition")
    largest = notion(*(max(getattr(s, field.name) for s in statements) for field in fields(notion)))
    if parts is Parts.BY_VALUE and neighbours is Neighbours.REPLACE_ONE:
        return group_privacy(largest, 2)
    return largest


@checked
def amplified_by_sampling(
    statement: Statement, sampling_probability: float, *, neighbours: Neighbours = Neighbours.REPLACE_ONE
) -> CentralDP | ApproximateDP:
    """The statement of a mechanism run on a Poisson sample of the records, in nats.

    For added or removed records ε' = ln(1 + p(e^ε − 1)), δ' = pδ. For replaced records only ε' = ε, δ' = pδ is
    proved from the statement alone: the sample without the record may look like neither value. (A mechanism that
    is ε-DP for both kinds of neighbours has ε' for both: state it for added or removed ones.)

    Raises:
        OptionError: a notion other than pure or approximate DP, or a probability outside (0, 1].
    """
    _require(statement, (CentralDP, ApproximateDP), "amplification by sampling")
    if not 0 < sampling_probability <= 1:
        raise OptionError(
            "A sampling probability of {probability!r} is not above 0 and at most 1; give one that is.",
            probability=sampling_probability,
        )
    epsilon = statement.level
    if neighbours is Neighbours.ADD_OR_REMOVE_ONE:
        epsilon = amplified_epsilon(epsilon, sampling_probability)
    if isinstance(statement, ApproximateDP):
        return ApproximateDP(epsilon, sampling_probability * statement.delta)
    return CentralDP(epsilon)


@checked
def amplified_without_replacement(statement: Statement, size: int, population: int) -> CentralDP | ApproximateDP:
    """The statement, for replaced records, of a mechanism on a batch of ``size`` of ``population`` records, in nats.

    ε' = ln(1 + s(e^ε − 1)), δ' = sδ with s = size/population, where the statement holds for replaced records and the
    batch is drawn anew, uniformly and without replacement (Balle, Barthe and Gaboardi 2018, theorem 9).

    Raises:
        OptionError: a notion other than pure or approximate DP, or a batch that is empty or larger than the population.
    """
    _require(statement, (CentralDP, ApproximateDP), "amplification by sampling")
    epsilon, delta = Batch(Claimed(statement), size, population).approximate()
    return ApproximateDP(epsilon, delta) if isinstance(statement, ApproximateDP) else CentralDP(epsilon)


@checked
def group_privacy(statement: Statement, size: int) -> Statement:
    """The statement for data sets that differ in ``size`` records instead of one.

    kε; (kε, δ(e^(kε) − 1)/(e^ε − 1)), which is at most k·e^((k−1)ε)·δ; k²ρ; kμ; Rényi DP of order α/2^c at 3^c·ε
    with 2^c the next power of two. A group of two also turns added or removed records into replaced ones. A local
    statement becomes one about data sets whose records are each released so.

    Raises:
        OptionError: a size below 1, another notion, or a Rényi order below twice the group.
    """
    require_whole(size, 1, "A group size")
    _require(statement, COMPOSABLE, "group privacy")
    match statement:
        case CentralDP(epsilon) | LocalDP(epsilon):
            return CentralDP(size * epsilon)
        case ApproximateDP(epsilon, delta):
            return ApproximateDP(size * epsilon, _group_delta(epsilon, delta, size))
        case ZeroConcentratedDP(rho):
            return ZeroConcentratedDP(size * size * rho)
        case GaussianDP(mu):
            return GaussianDP(size * mu)
    assert isinstance(statement, RenyiDP)
    doublings = (size - 1).bit_length()
    if size > 1 and statement.order < 2 ** (doublings + 1):
        raise OptionError(
            "Rényi DP of order {order} does not cover groups of {size}; give an order of at least {least}.",
            order=statement.order,
            size=size,
            least=2 ** (doublings + 1),
        )
    return RenyiDP(3**doublings * statement.epsilon, statement.order / 2**doublings)


def _group_delta(epsilon: float, delta: float, size: int) -> float:
    if epsilon == 0:
        return min(size * delta, 1.0)
    if size * epsilon > 700:
        return 1.0 if delta else 0.0
    return min(delta * math.expm1(size * epsilon) / math.expm1(epsilon), 1.0)


def _require(statement: object, notions: tuple[type[Statement], ...], rule: str) -> None:
    if not isinstance(statement, notions):
        raise OptionError(
            "There is no rule of {rule} for {found!r}; it is known for {known!s}.",
            rule=rule,
            found=statement,
            known=tuple(notion.name for notion in notions),
        )
