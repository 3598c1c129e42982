"""Channels that show what does not follow: built and evaluated, never quoted."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from leakgauge.claims import CentralDP, CentralIdentifiability, CentralMutualInformation, Statement
from leakgauge.measures import mutual_information
from leakgauge.notions import levels, ratios
from leakgauge.notions.circumstances import Circumstances
from leakgauge.probability import Channel, Distribution, Joint, Scenario
from leakgauge.sentences import Sentence


@dataclass(frozen=True)
class Counterexample:
    """A channel in one sentence, its exact levels by the names of their notions, and what its prior says."""

    description: Sentence
    levels: Mapping[str, Statement]
    circumstances: Circumstances

    def level(self, notion: type[Statement]) -> Statement:
        """Its exact statement of one notion."""
        return self.levels[notion.name]


def rare_revelation(beta: float = 0.999) -> Counterexample:
    """A secret of probability 1 − β that is revealed when it occurs: little information, no other privacy."""
    joint = Joint("ab", "uv", [[beta, 0], [0, 1 - beta]])
    description = Sentence(
        "joint β, 1 − β on the diagonal, β = {beta:g}: I = h(β) is small while ε_i and ε_d are infinite", beta=beta
    )
    return _shown(description, joint.row_marginal(), joint.channel())


def rare_revelation_central(beta: float = 0.999) -> Counterexample:
    """The same over the data sets (1, 1), (1, 2), (2, 2): β at the first, (1 − β)/4 on the four pairs of the others.

    Theorems 6 and 10 of the paper use it; each of these data sets is a neighbour of the next, in order or not.
    """
    rest = (1 - beta) / 4
    points = [(1, 1), (1, 2), (2, 2)]
    joint = Joint(points, points, [[beta, 0, 0], [0, rest, rest], [0, rest, rest]])
    description = Sentence(
        "data sets (1, 1), (1, 2), (2, 2), β = {beta:g}: I = h(β) is small while ε_i and ε_d are infinite", beta=beta
    )
    return _shown(description, joint.row_marginal(), joint.channel(), 2)


def revelation_by_chance(share: float = 0.001) -> Counterexample:
    """A secret that is shown with a small probability, and nothing otherwise: (0, δ), no pure budget."""
    channel = Channel("ab", "abn", [[share, 0, 1 - share], [0, share, 1 - share]])
    description = Sentence(
        "one of two values, shown with probability δ = {share:g} and nothing shown otherwise: total variation δ and "
        "δ bits, while ε_i and ε_d are infinite",
        share=share,
    )
    return _shown(description, Distribution.uniform("ab"), channel)


def many_records(epsilon: float = 1.0, records: int = 19) -> Counterexample:
    """r uniform bits, each by randomized response: ε_d = ε whatever r, while I = r(ln 2 − h(e^ε/(1 + e^ε)))."""
    keep = math.exp(epsilon) / (1 + math.exp(epsilon))
    response = Channel("01", "01", [[keep, 1 - keep], [1 - keep, keep]])
    # Independent bits: information adds up exactly.
    information = records * mutual_information(Scenario(Distribution.uniform("01"), response))
    exact = ratios.local_dp(response).value  # neighbours differ in one bit
    # Uniform: Δ = 0.
    statements = (CentralMutualInformation(information), CentralDP(exact), CentralIdentifiability(exact))
    description = Sentence(
        "{records:g} uniform bits by randomized response at ε = {epsilon:g}: I exceeds 2ε",
        records=records,
        epsilon=epsilon,
    )
    known = Circumstances(skew=0.0, neighbour_skew=0.0, records=records, independent=True, uncertainty=float(records))
    return Counterexample(description, {statement.name: statement for statement in statements}, known)


def records_that_break_it(epsilon: float) -> int:
    """The smallest r for which I > 2ε in ``many_records``."""
    nats = many_records(epsilon, 1).level(CentralMutualInformation).level * math.log(2)
    return math.floor(2 * epsilon / nats) + 1


def _shown(description: Sentence, prior: Distribution, channel: Channel, records: int = 1) -> Counterexample:
    exact = levels(channel, prior, records)
    known = Circumstances(records=records).with_prior(prior)
    return Counterexample(description, {name: level.statement for name, level in exact.items()}, known)


_SKEWED = Distribution([1, 2], [0.95, 0.05])
PAPERS_EXAMPLE = Channel([1, 2], [1, 2], [[0.65, 0.35], [0.35, 0.65]])
_AGAINST_THE_PRIOR = Channel([1, 2], [1, 2], [[0.9, 0.1], [0.5, 0.5]])
_FOUR_LETTERS = Distribution("abcd", [0.7, 0.01, 0.145, 0.145])
_TWO_SPEAK = Channel("abcd", "uv", [[0.5, 0.5], [0.5, 0.5], [0.6, 0.4], [0.4, 0.6]])

COUNTEREXAMPLES: Mapping[str, Callable[[], Counterexample]] = {
    "rare-revelation": rare_revelation,
    "rare-revelation-central": rare_revelation_central,
    "revelation-by-chance": revelation_by_chance,
    # The paper's own example: its first prior has ε_i = 3.56 above ε_d = 0.62.
    "skewed-prior": partial(
        _shown,
        Sentence("prior (0.95, 0.05) and q(1|1) = q(2|2) = 0.65: identifiability exceeds the budget by Δ"),
        _SKEWED,
        PAPERS_EXAMPLE,
    ),
    "skewed-prior-of-two-records": partial(
        _shown,
        Sentence("two records, each with prior (0.95, 0.05) and q(1|1) = q(2|2) = 0.65: ε_i exceeds ε_d by Δ"),
        _SKEWED.power(2),
        PAPERS_EXAMPLE.power(2),
        2,
    ),
    # A channel that speaks against a skewed prior: its ratios exceed its posteriors' ratios.
    "against-the-prior": partial(
        _shown,
        Sentence("prior (0.95, 0.05) and rows (0.9, 0.1), (0.5, 0.5): ε_d = ln 5 exceeds ε_i − Δ"),
        _SKEWED,
        _AGAINST_THE_PRIOR,
    ),
    "against-the-prior-of-two-records": partial(
        _shown,
        Sentence(
            "two records, each with prior (0.95, 0.05) and rows (0.9, 0.1), (0.5, 0.5): ε_d = ln 5 exceeds ε_i − Δ"
        ),
        _SKEWED.power(2),
        _AGAINST_THE_PRIOR.power(2),
        2,
    ),
    # Only letters of middling probability speak, so that identifiability stays at Δ while something is told.
    "middle-of-the-prior": partial(
        _shown,
        Sentence("prior (0.7, 0.01, 0.145, 0.145), only the last two letters speak: ε_i = Δ, yet I > 0 = 2(ε_i − Δ)"),
        _FOUR_LETTERS,
        _TWO_SPEAK,
    ),
    "many-records": many_records,
}
"""Every counterexample by name."""
