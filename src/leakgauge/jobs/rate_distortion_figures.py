"""Algorithm 1 of the rate-distortion paper, and its Figures 3 to 8 as data: it draws curves, here are their points.

Figures 3 to 6 are drawn from certified optima. Figures 7 and 8 come from the paper's own Algorithm 1 at its threshold
of 0.01, which stops long before the optimum where the slope is small.
"""

from __future__ import annotations

import numpy as np

from leakgauge import measures
from leakgauge.artefacts.reproduction import Curve, Order
from leakgauge.design import RateDistortion, Slope, Solution, solve
from leakgauge.design import symmetric_channel as symmetric
from leakgauge.distances import Hamming
from leakgauge.probability import Distribution, Scenario
from leakgauge.probability.cells import Floats
from leakgauge.sentences import Sentence

FILM_SLOPES = tuple(round(0.6 + 0.2 * step, 1) for step in range(48))
"""λ from 0.6 to 10."""
ADULT_SLOPES = tuple(round(0.5 + 0.25 * step, 2) for step in range(39))
"""λ from 0.5 to 10."""
COARSE = 0.01
"""The threshold T of Figures 7 and 8, in bits."""
BACKGROUNDS = 14


def curves(film: Distribution, adult: Distribution) -> tuple[Curve, ...]:
    """The curves of Figures 3 to 8, in the paper's order."""
    films = [(slope, _optimum(film, slope)) for slope in FILM_SLOPES]
    adults = [(slope, _optimum(adult, slope)) for slope in ADULT_SLOPES]
    return (
        Curve(
            Sentence("Figure {number:g}", number=3),
            ("distortion", "leakage in bits"),
            tuple((found.distortion, found.leakage) for _, found in films),
        ),
        Curve(
            Sentence("Figure {number:g}", number=4),
            ("λ", "distortion", "leakage in bits"),
            tuple((slope, found.distortion, found.leakage) for slope, found in films),
        ),
        Curve(
            Sentence("Figure {number:g}", number=5),
            ("λ", "ε in nats"),
            tuple((slope, found.epsilon) for slope, found in films),
        ),
        Curve(
            Sentence("Figure 6, optimal channel"),
            ("distortion", "leakage in bits"),
            tuple((found.distortion, found.leakage) for _, found in adults),
        ),
        Curve(
            Sentence("Figure 6, symmetric channel"),
            ("distortion", "leakage in bits"),
            tuple((found.distortion, _leakage_of_symmetric(adult, found.distortion)) for _, found in adults),
        ),
        *_at_the_coarse_threshold(adult),
    )


def algorithm_1(prior: Distribution, backgrounds: int, slope: float, threshold: float) -> tuple[Floats, float, float]:
    """The channel q(x̂|x), its "I(X;X̂,Z)" in bits and its distortion, as the paper's Algorithm 1 prints them.

    It never reads p(z|x), and it stops when the leakage moves by no more than the threshold, in bits, however far
    from the least it is. Shown for that reason only; ``solve`` is what decisions use.
    """
    shares = prior.probabilities
    distances = Hamming().between(prior.outcomes, prior.outcomes).matrix
    kernel = np.exp(-slope * distances)[:, :, None]
    release = np.full((len(prior), backgrounds), 1 / (len(prior) * backgrounds))
    before = np.inf
    while True:
        channel = kernel * release
        channel /= channel.sum(axis=(1, 2), keepdims=True)
        leakage = float((shares[:, None, None] * channel * np.log2(channel / release)).sum())
        if abs(before - leakage) <= threshold:
            seen = channel.sum(axis=2)
            return seen, leakage, float(shares @ (seen * distances).sum(axis=1))
        before = leakage
        release = np.einsum("x,xyz->yz", shares, channel)


def orders(found: tuple[Curve, ...]) -> tuple[Order, ...]:
    """What the curves of Figures 7 and 8 show, where the text says that both grow with λ and level off."""
    (slopes, leakage), (_, budget) = (np.array(curve.points).T for curve in found[-2:])
    five = int(np.searchsorted(slopes, 5.0))
    late, rise = leakage[-1] - leakage[five], budget[-1] - budget[five]
    dip = int(np.argmin(np.diff(leakage)))
    return (
        Order(
            Sentence("Figure 7: from λ = 5 to 10 the leakage grows by {late:.3f} bits, ever slower", late=float(late)),
            _slower(leakage[five:]),
        ),
        Order(
            Sentence(
                "Figure 7: at T = 0.01 Algorithm 1 finds {before:.3f} bits at λ = {low:g} and {after:.3f} bits at λ = "
                "{high:g}",
                before=float(leakage[dip]),
                low=float(slopes[dip]),
                after=float(leakage[dip + 1]),
                high=float(slopes[dip + 1]),
            ),
            bool(leakage[dip + 1] < leakage[dip]),
        ),
        Order(
            Sentence(
                "Figure 8: ε does not level off beyond λ = 5; up to λ = 10 it grows by {rise:.2f} nats",
                rise=float(rise),
            ),
            bool((np.diff(budget[five:]) > 0.25).all()),
        ),
    )


def _slower(values: Floats) -> bool:
    steps = np.diff(values)
    return bool((steps > 0).all() and (np.diff(steps) < 0).all())


def _optimum(prior: Distribution, slope: float) -> Solution:
    return solve(RateDistortion(prior, Hamming(), Slope(slope)))


def _leakage_of_symmetric(prior: Distribution, distortion: float) -> float:
    return measures.mutual_information(Scenario(prior, symmetric(prior.outcomes, distortion)))


def _at_the_coarse_threshold(adult: Distribution) -> tuple[Curve, Curve]:
    leakages, budgets = [], []
    for slope in ADULT_SLOPES:
        rows, leakage, _ = algorithm_1(adult, BACKGROUNDS, slope, COARSE)
        leakages.append((slope, leakage))
        # Algorithm 3: the largest ln-ratio of two rows at one output.
        budgets.append((slope, float(np.ptp(np.log(rows), axis=0).max())))
    return (
        Curve(
            Sentence("Figure {number:g}, T = {threshold:g}", number=7, threshold=COARSE),
            ("λ", "leakage in bits"),
            tuple(leakages),
        ),
        Curve(
            Sentence("Figure {number:g}, T = {threshold:g}", number=8, threshold=COARSE),
            ("λ", "ε in nats"),
            tuple(budgets),
        ),
    )
