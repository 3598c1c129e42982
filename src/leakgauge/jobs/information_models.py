"""The location example of the information-entropy paper (its section 4), derived by Bayes and taken as given.

The paper states what the attacker believes after each release. Here one prior, two generalisations and two
kinds of background knowledge are written down, and the beliefs follow: the same habits explain both the
four-region and the eight-region posterior.
"""

from __future__ import annotations

from leakgauge import measures
from leakgauge.artefacts.reproduction import Order, Reproduction, line
from leakgauge.probability import Channel, Distribution, Joint, Scenario
from leakgauge.sentences import Sentence

SOURCE = Sentence(
    "Peng et al., Information entropy models and privacy metrics methods, Journal of Software 27(8), 2016"
)

REGIONS = tuple(f"r{offset:+d}" if offset else "r" for offset in range(-1, 8))
"""The regions r_(i−1) … r_(i+7) around the user's region r_i."""
NOTHING, HABITS, TIMETABLE = "nothing", "habits", "habits and timetable"
FOUR, EIGHT = "one of four regions", "one of eight regions"

_HABITS = (8, 16, 4, 4, 2, 2, 2, 1, 1)
_TIMETABLE = (8, 32, 4, 4, 2, 2, 2, 1, 1)

GIVEN = {
    "(28)": (1 / 4, 1 / 4, 1 / 4, 1 / 4),
    "(29)": (1 / 4, 1 / 2, 1 / 8, 1 / 8),
    "(30)": (1 / 8,) * 8,
    "(31)": (1 / 2, 1 / 8, 1 / 8, 1 / 16, 1 / 16, 1 / 16, 1 / 32, 1 / 32),
    "(32)": (1 / 6, 2 / 3, 1 / 12, 1 / 12),
}
"""The posteriors as the paper states them, (29) corrected so that it sums to 1."""

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
    """X = Y xor Z of fair bits: the release tells nothing, the background tells nothing, and both tell everything."""
    bits = (0, 1)
    known = Joint(bits, bits, [[0.25, 0.25], [0.25, 0.25]])
    return Scenario(known, Channel([(x, z) for x in bits for z in bits], bits, [[1, 0], [0, 1], [0, 1], [1, 0]]))


def attackers() -> Joint:
    """p(region, what the attacker knows): uniform to someone who knows nothing, skewed by knowledge.

    The shares of the three kinds of attacker are ours; the posteriors do not depend on them.
    """
    columns = [[1 / len(REGIONS)] * len(REGIONS), _normalised(_HABITS), _normalised(_TIMETABLE)]
    shares = (1 / 2, 1 / 4, 1 / 4)
    matrix = [[share * column[at] for share, column in zip(shares, columns, strict=True)] for at in range(len(REGIONS))]
    return Joint(REGIONS, (NOTHING, HABITS, TIMETABLE), matrix)


def generalisation(name: str, first: int, last: int) -> Channel:
    """Regions ``first`` to ``last`` are released as one name, every other region as itself."""
    covered = REGIONS[first : last + 1]
    outputs = (name, *(region for region in REGIONS if region not in covered))
    rows = [[float(output == (name if region in covered else region)) for output in outputs] for region in REGIONS]
    return Channel(REGIONS, outputs, rows)


def reproduce() -> Reproduction:
    """The paper's five entropies and two orders beside ours, derived and taken as given."""
    weak = Scenario(attackers(), generalisation(FOUR, 0, 3))
    strong = Scenario(attackers(), generalisation(EIGHT, 1, 8))
    derived = {
        "(28)": weak.posterior(FOUR, NOTHING),
        "(29)": weak.posterior(FOUR, HABITS),
        "(30)": strong.posterior(EIGHT, NOTHING),
        "(31)": strong.posterior(EIGHT, HABITS),
        "(32)": weak.posterior(FOUR, TIMETABLE),
    }
    published = {"(28)": 2.0, "(29)": 1.75, "(30)": 3.0, "(31)": 2.3125, "(32)": 1.418}
    meanings = {
        "(28)": Sentence("four regions, nothing known"),
        "(29)": Sentence("four regions, habits known"),
        "(30)": Sentence("eight regions, nothing known"),
        "(31)": Sentence("eight regions, habits known"),
        "(32)": Sentence("four regions, habits and timetable known"),
    }
    lines = []
    for where, value in published.items():
        tolerance = 0.0005 if where == "(32)" else 1e-12
        note = Sentence("as printed the posterior sums to 3/4") if where == "(29)" else None
        place, meaning = Sentence(where), meanings[where]
        as_given = measures.entropy(Distribution(range(len(GIVEN[where])), GIVEN[where]))
        by_bayes = measures.entropy(derived[where])
        given, bayes = (
            Sentence("H, {meaning}, as given", meaning=meaning),
            Sentence("H, {meaning}, by Bayes", meaning=meaning),
        )
        lines.append(line(place, given, value, as_given, "bits", tolerance, note))
        lines.append(line(place, bayes, value, by_bayes, "bits", tolerance))
    left = {where: measures.entropy(belief) for where, belief in derived.items()}
    unrelated = unrelated_and_telling()
    apart, together = measures.mutual_information(unrelated), measures.leakage_with_background(unrelated)
    apart = max(apart, measures.background_floor(unrelated))
    return Reproduction(
        name="information-models",
        source=SOURCE,
        lines=tuple(lines),
        orders=(
            Order(Sentence("eight regions protect better than four: 2.3125 > 1.75"), left["(31)"] > left["(29)"]),
            Order(Sentence("the timetable makes a stronger attack: 1.418 < 1.75"), left["(32)"] < left["(29)"]),
            Order(
                Sentence(
                    "after Theorem 3, X = Y xor Z: release and background tell {apart:g} bits each, together "
                    "{together:g}",
                    apart=apart,
                    together=together,
                ),
                abs(apart) < 1e-12 and abs(together - 1) < 1e-12,
            ),
        ),
        errata=ERRATA,
    )


def _normalised(weights: tuple[int, ...]) -> list[float]:
    return [weight / sum(weights) for weight in weights]
