"""The location example of the information-entropy paper (its section 4), derived by Bayes and taken as given.

The paper states what the attacker believes after each release. Here one prior, two generalisations and two
kinds of background knowledge are written down, and the beliefs follow: the same habits explain both the
four-region and the eight-region posterior.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from leakgauge import measures
from leakgauge.artefacts.reproduction import Line, Order, Reproduction, computed
from leakgauge.probability import Channel, Distribution, Joint, Scenario
from leakgauge.sentences import Sentence

SOURCE = Sentence(
    "Peng et al., Information entropy models and privacy metrics methods, Journal of Software 27(8), 2016"
)

REGIONS = tuple(f"r{offset:+d}" if offset else "r" for offset in range(-1, 8))
"""The regions r_(i−1) … r_(i+7) around the user's region r_i."""
NOTHING, HABITS, TIMETABLE = "nothing", "habits", "habits and timetable"
FOUR, EIGHT = "one of four regions", "one of eight regions"
COVERED = {FOUR: slice(0, 4), EIGHT: slice(1, 9)}
"""The regions that are released as one."""
WEIGHTS = {
    NOTHING: (1, 1, 1, 1, 1, 1, 1, 1, 1),
    HABITS: (8, 16, 4, 4, 2, 2, 2, 1, 1),
    TIMETABLE: (8, 32, 4, 4, 2, 2, 2, 1, 1),
}
"""How likely the regions are to an attacker, by what the attacker knows."""


class Belief(NamedTuple):
    """What the attacker believes after a release: a posterior the paper states, and the entropy it prints."""

    release: str
    knowledge: str
    stated: tuple[float, ...]
    bits: float
    tolerance: float = 1e-12


BELIEFS = {
    "(28)": Belief(FOUR, NOTHING, (1 / 4,) * 4, 2.0),
    # As it must be to sum to 1.
    "(29)": Belief(FOUR, HABITS, (1 / 4, 1 / 2, 1 / 8, 1 / 8), 1.75),
    "(30)": Belief(EIGHT, NOTHING, (1 / 8,) * 8, 3.0),
    "(31)": Belief(EIGHT, HABITS, (1 / 2, 1 / 8, 1 / 8, 1 / 16, 1 / 16, 1 / 16, 1 / 32, 1 / 32), 2.3125),
    "(32)": Belief(FOUR, TIMETABLE, (1 / 6, 2 / 3, 1 / 12, 1 / 12), 1.418, 5e-4),
}
"""The equations of section 4."""
MEANINGS = {
    (FOUR, NOTHING): Sentence("four regions, nothing known"),
    (FOUR, HABITS): Sentence("four regions, habits known"),
    (FOUR, TIMETABLE): Sentence("four regions, habits and timetable known"),
    (EIGHT, NOTHING): Sentence("eight regions, nothing known"),
    (EIGHT, HABITS): Sentence("eight regions, habits known"),
}

ERRATA = (
    Sentence("(8) and (14) print p(xz|y) in the numerator; conditional mutual information has p(xy|z)."),
    Sentence("(19) prints I(X1X2;Y/Z) = H(X1X2) − H(X1X2Y/Z); right is H(X1X2|Z) − H(X1X2|YZ)."),
    Sentence("3.2 says protection aims to make H(X|Y) small; it is large."),
    Sentence("(29) sums to 3/4; its 1.75 bits need (1/4, 1/2, 1/8, 1/8)."),
    Sentence("Definition 8 compares attacks by I(X;Y), which does not depend on the attack; I(X;YZ) is meant."),
    Sentence("Definition 7's two criteria disagree when Z differs; attacks are ranked by H(X|YZ) or I(X;YZ)."),
    Sentence("(27) sets H(R) = 0 and then has H(X|Y) = 2 > H(X); the prior meant is the attacker's."),
    Sentence(
        "After Theorem 3: a release unrelated to the background may still tell all with it, as where X = Y xor Z."
    ),
)


def unrelated_and_telling() -> Scenario:
    """X = Y xor Z of fair bits: the release reveals nothing, the background reveals nothing, and both together reveal
    everything."""
    bits = (0, 1)
    known = Joint(bits, bits, [[0.25, 0.25], [0.25, 0.25]])
    return Scenario(known, Channel([(x, z) for x in bits for z in bits], bits, [[1, 0], [0, 1], [0, 1], [1, 0]]))


def attackers() -> Joint:
    """p(region, what the attacker knows): uniform to someone who knows nothing, skewed by knowledge.

    The shares of the three kinds of attacker are ours; the posteriors do not depend on them.
    """
    weights = np.array(list(WEIGHTS.values())).T
    return Joint(REGIONS, tuple(WEIGHTS), np.array([1 / 2, 1 / 4, 1 / 4]) * (weights / weights.sum(axis=0)))


def generalisation(name: str) -> Channel:
    """The regions that ``name`` covers are released as that name, every other region as itself."""
    covered = REGIONS[COVERED[name]]
    outputs = (name, *(region for region in REGIONS if region not in covered))
    rows = [[float(output == (name if region in covered else region)) for output in outputs] for region in REGIONS]
    return Channel(REGIONS, outputs, rows)


def reproduce() -> Reproduction:
    """The paper's five entropies and two orders beside ours, derived and taken as given."""
    known, lines, left = attackers(), [], {}
    for equation, belief in BELIEFS.items():
        derived = Scenario(known, generalisation(belief.release)).posterior(belief.release, belief.knowledge)
        left[equation] = measures.entropy(derived)
        stated = measures.entropy(Distribution(range(len(belief.stated)), belief.stated))
        note = Sentence("as printed the posterior sums to 3/4") if equation == "(29)" else None
        meaning = MEANINGS[belief.release, belief.knowledge]
        given = Sentence("H, {meaning}, as given", meaning=meaning)
        bayes = Sentence("H, {meaning}, by Bayes", meaning=meaning)
        place = Sentence(equation)
        lines.append(Line(place, given, belief.bits, computed(stated, "bits"), belief.tolerance, note))
        lines.append(Line(place, bayes, belief.bits, computed(left[equation], "bits"), belief.tolerance))
    unrelated = unrelated_and_telling()
    apart = max(measures.mutual_information(unrelated), measures.background_floor(unrelated))
    together = measures.leakage_with_background(unrelated)
    orders = (
        Order(Sentence("eight regions protect better than four: 2.3125 > 1.75"), left["(31)"] > left["(29)"]),
        Order(Sentence("the timetable makes a stronger attack: 1.418 < 1.75"), left["(32)"] < left["(29)"]),
        Order(
            Sentence(
                "after Theorem 3, X = Y xor Z: release and background tell {apart:g} bits each, together {together:g}",
                apart=apart,
                together=together,
            ),
            abs(apart) < 1e-12 and abs(together - 1) < 1e-12,
        ),
    )
    return Reproduction("information-models", SOURCE, tuple(lines), orders, ERRATA)
