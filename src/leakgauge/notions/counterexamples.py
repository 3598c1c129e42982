"""Channels that show what does not follow: built and evaluated, never quoted."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np

from leakgauge.claims import (
    CentralDP,
    CentralIdentifiability,
    CentralMutualInformation,
    Identifiability,
    LocalDP,
    MutualInformation,
    Statement,
)
from leakgauge.notions import ratios
from leakgauge.notions.circumstances import Circumstances
from leakgauge.notions.neighbours import data_sets
from leakgauge.probability import Channel, Distribution, Joint, Scenario
from leakgauge.sentences import Sentence


@dataclass(frozen=True)
class Counterexample:
    """A channel and prior with their exact levels.

    Attributes:
        name: under which it is stored.
        told: what it is, in one sentence.
        levels: its exact statements.
        circumstances: of its prior.
    """

    name: str
    told: Sentence
    levels: tuple[Statement, ...]
    circumstances: Circumstances

    def level(self, notion: type[Statement]) -> Statement:
        """Its exact statement of one notion."""
        return next(statement for statement in self.levels if type(statement) is notion)


def rare_revelation(beta: float = 0.999) -> Counterexample:
    """A secret of probability 1 − β that is revealed when it occurs: little information, no other privacy."""
    joint = Joint("ab", "uv", [[beta, 0], [0, 1 - beta]])
    told = Sentence(
        "joint β, 1 − β on the diagonal, β = {beta:g}: I = h(β) is small while ε_i and ε_d are infinite", beta=beta
    )
    return _local("rare-revelation", told, joint.row_marginal(), joint.channel())


def rare_revelation_central(beta: float = 0.999) -> Counterexample:
    """The same over the data sets (1, 1), (1, 2), (2, 2): β at the first, (1 − β)/4 on the four pairs of the others.

    Theorems 6 and 10 of the paper use it; each of these data sets is a neighbour of the next, in order or not.
    """
    rest = (1 - beta) / 4
    points = [(1, 1), (1, 2), (2, 2)]
    joint = Joint(points, points, [[beta, 0, 0], [0, rest, rest], [0, rest, rest]])
    prior, channel = joint.row_marginal(), joint.channel()
    told = Sentence(
        "data sets (1, 1), (1, 2), (2, 2), β = {beta:g}: I = h(β) is small while ε_i and ε_d are infinite", beta=beta
    )
    return _central("rare-revelation-central", told, prior, channel, 2)


_PRIOR = Distribution([1, 2], [0.95, 0.05])
_PAPERS_EXAMPLE = Channel([1, 2], [1, 2], [[0.65, 0.35], [0.35, 0.65]])
_AGAINST_IT = Channel([1, 2], [1, 2], [[0.9, 0.1], [0.5, 0.5]])


def skewed_prior() -> Counterexample:
    """The paper's own example: its first prior has ε_i = 3.56 above ε_d = 0.62."""
    told = Sentence("prior (0.95, 0.05) and q(1|1) = q(2|2) = 0.65: identifiability exceeds the budget by Δ")
    return _local("skewed-prior", told, _PRIOR, _PAPERS_EXAMPLE)


def skewed_prior_of_two_records() -> Counterexample:
    """Two independent records of the paper's example."""
    told = Sentence("two records, each with prior (0.95, 0.05) and q(1|1) = q(2|2) = 0.65: ε_i exceeds ε_d by Δ")
    return _two_records("skewed-prior-of-two-records", told, _PRIOR, _PAPERS_EXAMPLE)


def against_the_prior() -> Counterexample:
    """A channel that speaks against a skewed prior: its ratios exceed its posteriors' ratios."""
    told = Sentence("prior (0.95, 0.05) and rows (0.9, 0.1), (0.5, 0.5): ε_d = ln 5 exceeds ε_i − Δ")
    return _local("against-the-prior", told, _PRIOR, _AGAINST_IT)


def against_the_prior_of_two_records() -> Counterexample:
    """Two independent records, each released against the prior."""
    told = Sentence(
        "two records, each with prior (0.95, 0.05) and rows (0.9, 0.1), (0.5, 0.5): ε_d = ln 5 exceeds ε_i − Δ"
    )
    return _two_records("against-the-prior-of-two-records", told, _PRIOR, _AGAINST_IT)


def middle_of_the_prior() -> Counterexample:
    """Only letters of middling probability speak, so that identifiability stays at Δ while something is told."""
    prior = Distribution("abcd", [0.7, 0.01, 0.145, 0.145])
    channel = Channel("abcd", "uv", [[0.5, 0.5], [0.5, 0.5], [0.6, 0.4], [0.4, 0.6]])
    told = Sentence("prior (0.7, 0.01, 0.145, 0.145), only the last two letters speak: ε_i = Δ, yet I > 0 = 2(ε_i − Δ)")
    return _local("middle-of-the-prior", told, prior, channel)


def many_records(epsilon: float = 1.0, records: int = 19) -> Counterexample:
    """r uniform bits, each by randomized response: ε_d = ε whatever r, while I = r(ln 2 − h(e^ε/(1 + e^ε)))."""
    keep = math.exp(epsilon) / (1 + math.exp(epsilon))
    bit = Distribution.uniform("01")
    one = Channel("01", "01", [[keep, 1 - keep], [1 - keep, keep]])
    information = records * _information(bit, one)  # independent bits: information adds up exactly
    epsilon_exact = ratios.local_dp(one).value  # neighbours differ in one bit
    levels = (
        CentralMutualInformation(information),
        CentralDP(epsilon_exact),
        CentralIdentifiability(epsilon_exact),  # uniform: Δ = 0
    )
    told = Sentence(
        "{records:g} uniform bits by randomized response at ε = {epsilon:g}: I exceeds 2ε",
        records=records,
        epsilon=epsilon,
    )
    known = Circumstances(skew=0.0, neighbour_skew=0.0, records=records, independent=True, uncertainty=float(records))
    return Counterexample("many-records", told, levels, known)


def records_that_break_it(epsilon: float) -> int:
    """The smallest r for which I > 2ε in ``many_records``."""
    one = many_records(epsilon, 1).level(CentralMutualInformation).level * math.log(2)
    return math.floor(2 * epsilon / one) + 1


FAMILIES: Mapping[str, Callable[[], Counterexample]] = {
    "rare-revelation": rare_revelation,
    "rare-revelation-central": rare_revelation_central,
    "skewed-prior": skewed_prior,
    "skewed-prior-of-two-records": skewed_prior_of_two_records,
    "against-the-prior": against_the_prior,
    "against-the-prior-of-two-records": against_the_prior_of_two_records,
    "middle-of-the-prior": middle_of_the_prior,
    "many-records": many_records,
}
"""Every stored counterexample by name."""


def _information(prior: Distribution, channel: Channel) -> float:
    from leakgauge.measures import mutual_information

    return mutual_information(Scenario(prior, channel))


def _local(name: str, told: Sentence, prior: Distribution, channel: Channel) -> Counterexample:
    dp, identifiable = ratios.local_dp(channel).value, ratios.identifiability(channel, prior).value
    levels = (MutualInformation(_information(prior, channel)), LocalDP(dp), Identifiability(identifiable))
    return Counterexample(name, told, levels, Circumstances().with_prior(prior))


def _two_records(name: str, told: Sentence, prior: Distribution, channel: Channel) -> Counterexample:
    """Data sets of two independent records, each through the channel."""
    inputs, outputs = (list(product(letters, repeat=2)) for letters in (channel.inputs, channel.outputs))
    twice = Distribution(inputs, np.kron(prior.probabilities, prior.probabilities))
    return _central(name, told, twice, Channel(inputs, outputs, np.kron(channel.matrix, channel.matrix)), 2)


def _central(name: str, told: Sentence, prior: Distribution, channel: Channel, records: int) -> Counterexample:
    structure = data_sets(channel.inputs, records)
    levels = (
        CentralMutualInformation(_information(prior, channel)),
        ratios.central_dp(channel, structure).statement,
        ratios.central_identifiability(channel, prior, structure).statement,
    )
    return Counterexample(name, told, levels, Circumstances(records=records).with_prior(prior))
