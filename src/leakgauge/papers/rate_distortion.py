"""The rate-distortion paper: its film and Adult tables beside ours, and the leakage with background it lacks.

Its figures print no numbers: their curves are computed here, and what the text says of them is checked as orders.
``reproduce --curves`` draws them. Figures 3 to 6 are drawn from certified optima. Figures 7 and 8 come from the
paper's own Algorithm 1 at its threshold of 0.01, which stops long before the optimum where the slope is small.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TypeAlias

import numpy as np

from leakgauge.artefacts.reproduction import DrawnCurve, Line, Order, Reproduction, computed
from leakgauge.design import Knowledge, MaxDistortion, MaxLeakage, RateDistortion, Slope, Solution, solve
from leakgauge.design import symmetric_channel as symmetric
from leakgauge.distances import Hamming
from leakgauge.jobs.samples import adult_rows
from leakgauge.measures import entropy, leakage_with_background, mutual_information
from leakgauge.probability import Distribution, Joint, Scenario
from leakgauge.probability.cells import Floats
from leakgauge.randomness import simulation
from leakgauge.sentences import Sentence
from leakgauge.tables import open_table

SOURCE = Sentence(
    "Wu et al., Utility optimal model for differential privacy based on the rate distortion, Chinese Journal of "
    "Computers 43(8), 2020. Ours: film 785 of MovieLens from its counts 2, 6, 19, 8, 4, Adult from the bundled sample; "
    "Table 2's leakages from Adult's shares rounded to four digits, as the paper has them"
)
FILM = (2, 6, 19, 8, 4)
"""Ratings 1 to 5 of film 785."""
FILM_SHARES = (0.0513, 0.1538, 0.4872, 0.2051, 0.1026)
ADULT_SHARES = (0.1386, 0.0007, 0.4668, 0.0127, 0.322, 0.0312, 0.0273)
ROUNDED_SHARES = (0.1386, 0.0007, 0.4668, 0.0127, 0.3227, 0.0312, 0.0273)
"""The shares to four digits, which sum to 1: with them all of Table 2's optima come out to the last digit."""
TABLE_2 = {
    "distortion": (0.509, 0.423, 0.355, 0.270, 0.203, 0.156, 0.120, 0.081, 0.050, 0.033, 0.021, 0.013),
    "symmetric": (0.3397, 0.4963, 0.6379, 0.8387, 1.0185, 1.1587, 1.2761, 1.4166, 1.5428, 1.6205, 1.6813, 1.7261),
    "optimal": (0.0154, 0.1073, 0.2293, 0.4437, 0.6593, 0.8440, 1.0143, 1.2242, 1.3923, 1.5290, 1.6237, 1.6880),
}
"""Distortion, leakage of the symmetric channel, of the optimal one; at the slopes 0.5, 1.0, …, 6.0."""
SLOPES = tuple((at + 1) / 2 for at in range(len(TABLE_2["distortion"])))
TABLE_3 = {
    "leakage": (0.02, 0.11, 0.23, 0.44, 0.66, 0.84, 1.01, 1.54, 1.69),
    "distortion": (0.780, 0.675, 0.580, 0.450, 0.345, 0.270, 0.205, 0.050, 0.020),
    "slope": (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 5.0, 6.0),
}
"""Leakage, distortion of the symmetric channel, and the slope whose distortion in Table 2 stands beside it."""
FILM_SLOPES = tuple(round(0.6 + 0.2 * step, 1) for step in range(48))
"""λ of Figures 3 to 5, from 0.6 to 10."""
ADULT_SLOPES = tuple(round(0.5 + 0.25 * step, 2) for step in range(39))
"""λ of Figures 6 to 8, from 0.5 to 10."""
COARSE = 0.01
"""The threshold T of Figures 7 and 8, in bits."""
BACKGROUNDS = 14
THRESHOLDS = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
Grid: TypeAlias = Mapping[float, list[tuple[float, float]]]
"""Leakage and distortion at each threshold, for each λ."""
GAP = 1e-6
"""Of a solution, in nats: far below the four digits shown."""

ERRATA = (
    Sentence(
        "Algorithm 1 lets nature's p(z|x) vary; from a uniform start z stays independent of all, and its I(X;X̂,Z) is "
        "R(δ)."
    ),
    Sentence("The first row of Table 2, 0.0154 bits, is below I(X;Z) = 0.0764, which no channel undercuts."),
    Sentence("Adult's p(x) prints 0.322 for 0.3227; as printed it sums to 0.9993."),
    Sentence(
        "Table 2's row of 0.050 has the distortion 0.0533; there the channels are compared at unequal distortion."
    ),
    Sentence("Table 3 compares at unequal leakage; its row of 1.54 bits sets the optimum at 1.529 beside it."),
    Sentence("21.7% is a ratio of sums over Table 2, not a mean; the mean of the ratios is 33.5%."),
    Sentence("Section 4.1 swaps convex and concave: I is concave in p(x) and convex in the channel."),
    Sentence("On Figures 5 and 8: ε does not level off; it grows by 1 per unit of λ, and jumps when a letter enters."),
    Sentence(
        "On Figure 7: at its T = 0.01 the leakage found falls from λ = 2 to 2.25; only the least one grows throughout."
    ),
    Sentence("On Figure 9: the threshold matters; at λ = 0.5 stopping at 10^-4 more than doubles the leakage found."),
    Sentence("On Figure 10: the distortion falls with λ, it does not grow."),
    Sentence("O(|X||X̂||Z|) is the cost of one iteration, not of the algorithm."),
    Sentence("Definition 6: the δ of an (ε,δ)-achievable channel is a distortion, not the δ of differential privacy."),
)


@dataclass(frozen=True)
class Row:
    """A row of Table 2 as it is on the 30,718 rows of the sample.

    ``published`` is the channel Algorithm 1 finds, with its true leakage, ``rounded`` that for the shares of four
    digits the paper has, ``honest`` the one of least I(X;X̂,Z) at the same distortion; ``symmetric`` is I(X;X̂,Z) of
    the symmetric channel there, in bits.
    """

    slope: float
    published: Solution
    rounded: Solution
    honest: Solution
    symmetric: float


def film() -> Distribution:
    """The ratings of film 785."""
    return Distribution(range(1, 6), np.array(FILM) / sum(FILM))


def adult() -> Joint:
    """p(marital status, occupation)."""
    with open_table(adult_rows()) as rows:
        return rows.counts("marital_status", "occupation").joint(("marital_status",), ("occupation",))


def table_2(joint: Joint) -> tuple[Row, ...]:
    """The slopes of Table 2."""
    return tuple(_row(joint, slope) for slope in SLOPES)


def _row(joint: Joint, slope: float) -> Row:
    published = solve(RateDistortion(joint, Hamming(), Slope(slope), Knowledge.PUBLISHED))
    equal = MaxDistortion(published.distortion)
    return Row(
        slope,
        published,
        _optimum(Distribution(joint.rows, ROUNDED_SHARES), slope),
        solve(RateDistortion(joint, Hamming(), equal, Knowledge.ATTACKER), GAP),
        leakage_with_background(Scenario(joint, symmetric(joint.rows, published.distortion))),
    )


def _optimum(prior: Distribution, slope: float) -> Solution:
    return solve(RateDistortion(prior, Hamming(), Slope(slope)))


def _symmetric(prior: Distribution, distortion: float) -> float:
    """What the symmetric channel leaks, in bits."""
    return mutual_information(Scenario(prior, symmetric(prior.outcomes, distortion)))


def algorithm_1(prior: Distribution, backgrounds: int, slope: float, threshold: float) -> tuple[Floats, float, float]:
    """The channel q(x̂|x), its "I(X;X̂,Z)" in bits and its distortion, as the paper's Algorithm 1 prints them.

    It never reads p(z|x), and it stops when the leakage moves by no more than the threshold, in bits, however far
    from the least it is. Shown for that reason only; ``solve`` is what decisions use.
    """
    shares = prior.probabilities
    distances = Hamming().between(prior.outcomes, prior.outcomes)
    kernel = np.exp(-slope * distances)[:, :, None]
    release = np.full((len(prior), backgrounds), 1 / (len(prior) * backgrounds))
    before = np.inf
    while True:
        channel = kernel * release
        channel /= channel.sum(axis=(1, 2), keepdims=True)
        leakage = float((shares[:, None, None] * channel * np.log2(channel / release)).sum())
        if abs(before - leakage) <= threshold:
            alone = channel.sum(axis=2)
            return alone, leakage, float(shares @ (alone * distances).sum(axis=1))
        before = leakage
        release = np.einsum("x,xyz->yz", shares, channel)


def reproduce() -> Reproduction:
    """Tables 2 and 3, both headlines, and what the text says of Figures 3 to 10."""
    joint = adult()
    prior, rows = joint.row_marginal(), table_2(joint)
    exact = [_equal_leakage(prior, leakage) for leakage in TABLE_3["leakage"]]
    of_table_2 = map(_of_table_2, rows, *TABLE_2.values())
    of_table_3 = map(partial(_of_table_3, prior, rows), *TABLE_3.values(), exact)
    lines = chain(_sources(prior), *of_table_2, *of_table_3, _headlines(rows, exact))
    curves = tuple(_curves(film(), prior))
    grid = _grid_of_thresholds(prior)
    curves = (*curves, *_curves_of_thresholds(grid))
    orders = (*_theory(joint, rows), *_orders(rows), *_of_figures_7_and_8(curves), *_of_figures_9_and_10(prior, grid))
    return Reproduction("rate-distortion", SOURCE, tuple(lines), orders, ERRATA, curves=curves)


def _sources(adults: Distribution) -> Iterator[Line]:
    where, meant = Sentence("section 6"), Sentence("0.3227 is meant: as printed the shares sum to 0.9993")
    for prior, shares in ((film(), FILM_SHARES), (adults, ADULT_SHARES)):
        for label, printed, ours in zip(prior.outcomes, shares, prior.probabilities.tolist(), strict=True):
            what = Sentence("Adult, p({label!s})", label=str(label))
            if shares is FILM_SHARES:
                what = Sentence("film 785, p({label!s})", label=str(label))
            slip = printed == 0.322
            note, tolerance = (meant, 5e-4) if slip else (None, 5e-5)
            yield Line(where, what, printed, computed(ours, "probability"), tolerance, note, slip)
    yield Line(where, Sentence("film 785, H(X)"), 1.9464, computed(entropy(film()), "bits"), 5e-5)
    yield Line(where, Sentence("Adult, H(X)"), 1.82, computed(entropy(adults), "bits"), 5e-3)


def _of_table_2(row: Row, distortion: float, alike: float, best: float) -> Iterator[Line]:
    where, ours = Sentence("Table 2, λ = {slope:g}", slope=row.slope), row.published
    true, honest = _with_background(ours), _with_background(row.honest)
    slip = distortion == 0.050
    unequal = Sentence("so that this row compares unequal distortions") if slip else None
    leaked = _symmetric(row.rounded.problem.prior, distortion)
    off = None if abs(leaked - alike) <= 5e-5 else Sentence("the last digit is off by one")
    note = Sentence(
        "{bits:.4f} from the counts; ε = {epsilon:.3f} nats, {letters:d} letters",
        bits=ours.leakage,
        epsilon=ours.epsilon,
        letters=ours.letters,
    )
    least = Sentence("the paper takes R(δ) for it; at this distortion the least is {bits:.4f}", bits=honest)
    yield Line(where, Sentence("distortion"), distortion, computed(ours.distortion, ""), 5e-4, unequal, slip)
    # The last digit of this column is off by one in a few rows, with the counts as with rounded shares.
    alike_at = Sentence("I, symmetric at {distortion:g}", distortion=distortion)
    yield Line(where, alike_at, alike, computed(leaked, "bits"), 1e-4, off)
    yield Line(where, Sentence("I, optimal"), best, computed(row.rounded.leakage, "bits"), 5e-5, note)
    yield Line(where, Sentence("I(X;X̂,Z), optimal"), best, computed(true, "bits"), 5e-5, least, True)


def _with_background(solution: Solution) -> float:
    assert solution.leakage_with_background is not None
    return solution.leakage_with_background


def _of_table_3(
    prior: Distribution, rows: Sequence[Row], leakage: float, distortion: float, slope: float, equal: Sequence[float]
) -> Iterator[Line]:
    where, at = Sentence("Table 3, {bits:g} bits", bits=leakage), SLOPES.index(slope)
    alike = Sentence("I, symmetric at {distortion:g}", distortion=distortion)
    best = Sentence("I, optimal at {distortion:g}", distortion=TABLE_2["distortion"][at])
    exact = [Sentence("exactly at {distortion:.4f}", distortion=distortion) for distortion in equal]
    yield Line(where, alike, leakage, computed(_symmetric(prior, distortion), "bits"), 5e-3, exact[0])
    yield Line(where, best, leakage, computed(rows[at].published.leakage, "bits"), 5e-3, exact[1], leakage == 1.54)


def _equal_leakage(prior: Distribution, bits: float) -> tuple[float, float]:
    """The distortions at which the symmetric and the optimal channel leak just so much."""
    low, high = 0.0, 1 - 1 / len(prior)
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if _symmetric(prior, middle) > bits else (low, middle)
    return high, solve(RateDistortion(prior, Hamming(), MaxLeakage(bits))).distortion


def _headlines(rows: Sequence[Row], exact: Sequence[tuple[float, float]]) -> Iterator[Line]:
    rounded = rows[0].rounded.problem.prior
    alike = np.array([_symmetric(rounded, distortion) for distortion in TABLE_2["distortion"]])
    best = np.array([row.rounded.leakage for row in rows])
    true, honest = _leakages_with_background(rows)
    with_background = np.array([row.symmetric for row in rows])
    percent = 100 * float(np.mean(1 - best / alike))
    mean = Sentence("a ratio of sums; the mean of the ratios is {percent:.1f}%", percent=percent)
    saved = _saved(honest, with_background)
    least = Sentence("at equal distortion; the least possible saves {percent:.2f}%", percent=saved)
    optimal = [TABLE_2["distortion"][SLOPES.index(slope)] for slope in TABLE_3["slope"]]
    pairs = 1 - np.array(optimal) / np.array(TABLE_3["distortion"])
    equal = [1 - best / alike for alike, best in exact]
    where, unequal = Sentence("abstract"), Sentence("its pairs leak unequally")
    yield Line(where, Sentence("I saved over Table 2"), 21.7, computed(_saved(best, alike), "%"), 0.05, mean)
    beside = Sentence("I(X;X̂,Z) saved over Table 2")
    yield Line(where, beside, 21.7, computed(_saved(true, with_background), "%"), 0.05, least, True)
    of_pairs, of_equal = Sentence("distortion saved, Table 3's pairs"), Sentence("distortion saved, equal leakage")
    yield Line(where, of_pairs, 38.3, computed(100 * float(np.mean(pairs)), "%"), 0.05)
    yield Line(where, of_equal, 38.3, computed(100 * float(np.mean(equal)), "%"), 0.05, unequal, True)


def _leakages_with_background(rows: Sequence[Row]) -> tuple[Floats, Floats]:
    """I(X;X̂,Z) of the published channels and the least, in bits."""
    published = np.array([_with_background(row.published) for row in rows])
    return published, np.array([_with_background(row.honest) for row in rows])


def _saved(best: Floats, other: Floats) -> float:
    """In percent of the sum."""
    return 100 * (1 - float(best.sum() / other.sum()))


def _curves(films: Distribution, adults: Distribution) -> Iterator[DrawnCurve]:
    """The curves of Figures 3 to 8, in the paper's order."""
    of_film = [(slope, _optimum(films, slope)) for slope in FILM_SLOPES]
    best = [(optimum.distortion, optimum.leakage) for optimum in (_optimum(adults, slope) for slope in ADULT_SLOPES)]
    coarse = [(slope, *algorithm_1(adults, BACKGROUNDS, slope, COARSE)) for slope in ADULT_SLOPES]
    plane = ("distortion", "leakage in bits")
    of_3 = [(optimum.distortion, optimum.leakage) for _, optimum in of_film]
    of_4 = [(slope, optimum.distortion, optimum.leakage) for slope, optimum in of_film]
    of_5 = [(slope, optimum.epsilon) for slope, optimum in of_film]
    of_7 = [(slope, leakage) for slope, _, leakage, _ in coarse]
    # Algorithm 3: the largest ln-ratio of two rows at one output.
    of_8 = [(slope, float(np.ptp(np.log(rows), axis=0).max())) for slope, rows, _, _ in coarse]
    yield DrawnCurve(Sentence("Figure {number:g}", number=3), plane, tuple(of_3), 3)
    yield DrawnCurve(Sentence("Figure {number:g}", number=4), ("λ", *plane), tuple(of_4), 4)
    yield DrawnCurve(Sentence("Figure {number:g}", number=5), ("λ", "ε in nats"), tuple(of_5), 5)
    yield DrawnCurve(Sentence("Figure 6, optimal channel"), plane, tuple(best), 6, Sentence("optimal channel"))
    alike = tuple((distortion, _symmetric(adults, distortion)) for distortion, _ in best)
    yield DrawnCurve(Sentence("Figure 6, symmetric channel"), plane, alike, 6, Sentence("symmetric channel"))
    for number, axis, points in ((7, "leakage in bits", of_7), (8, "ε in nats", of_8)):
        what = Sentence("Figure {number:g}, T = {threshold:g}", number=number, threshold=COARSE)
        yield DrawnCurve(what, ("λ", axis), tuple(points), number)


def _grid_of_thresholds(prior: Distribution) -> Grid:
    return {
        slope: [algorithm_1(prior, BACKGROUNDS, slope, threshold)[1:] for threshold in THRESHOLDS]
        for slope in SLOPES[:5]
    }


def _curves_of_thresholds(grid: Grid) -> Iterator[DrawnCurve]:
    """The curves of Figures 9 and 10, one for each λ."""
    powers = np.log10(THRESHOLDS).tolist()
    for at, (number, axis) in enumerate(((9, "leakage in bits"), (10, "distortion"))):
        for slope, points in grid.items():
            label = Sentence("λ = {slope:g}", slope=slope)
            what = Sentence("Figure {number:g}, {label}", number=number, label=label)
            curve = tuple(zip(powers, [point[at] for point in points], strict=True))
            yield DrawnCurve(what, ("log₁₀ T", axis), curve, number, label)


def _theory(joint: Joint, rows: Sequence[Row]) -> Iterator[Order]:
    """Theorem 1 on the channels of Table 2, and Lemma 1 on random ones."""
    told = [_gained(joint, row.published) for row in rows]
    said = Sentence(
        "Theorem 1: I(X;X̂,Z) = I(X;X̂) + I(X;Z|X̂); for Table 2's channels the second is {least:.4f} to {most:.4f} bits",
        least=min(told),
        most=max(told),
    )
    sums = [
        row.published.leakage + more - _with_background(row.published) for row, more in zip(rows, told, strict=True)
    ]
    yield Order(said, min(told) > 0 and float(np.abs(sums).max()) < 1e-9)
    random = simulation(0)
    p, r = random.dirichlet(np.ones(4), 1000), random.dirichlet(np.ones(6), 1000)
    q = random.dirichlet(np.ones(6), (1000, 4))
    output = np.einsum("bx,bxy->by", p, q)
    least, other = (np.einsum("bx,bxy,bxy->b", p, q, np.log(q / one[:, None, :])) for one in (output, r))
    apart = np.einsum("by,by->b", output, np.log(output / r))
    said = Sentence(
        "Lemma 1: of all r(x̂, z) the marginal is nearest, another one farther by D(marginal ‖ r), in {draws:,} draws",
        draws=len(p),
    )
    yield Order(said, bool((apart >= 0).all() and np.abs(other - least - apart).max() < 1e-12))


def _gained(joint: Joint, solution: Solution) -> float:
    """I(X;Z|X̂) in bits: what the background tells beside the release."""
    cells = np.einsum("xz,xy->xzy", joint.matrix, solution.channel.matrix)
    by_release, of_x, of_z = cells.sum(axis=(0, 1)), cells.sum(axis=1), cells.sum(axis=0)
    ratio = np.divide(
        cells * by_release, of_x[:, None, :] * of_z[None, :, :], out=np.ones(cells.shape), where=cells > 0
    )
    return float((cells * np.log2(ratio)).sum())


def _orders(rows: Sequence[Row]) -> Iterator[Order]:
    ends = {slope: _optimum(film(), slope) for slope in (0.6, 1.0, 3.0, 10.0)}
    held, last, most = entropy(film()), ends[10.0], ends[0.6].distortion
    said = Sentence(
        "Figures 3, 4: at λ = 10 film 785 leaks {bits:.4f} of its {entropy:.4f} bits", bits=last.leakage, entropy=held
    )
    yield Order(said, last.leakage > 0.998 * held and last.distortion < 2e-4)
    said = Sentence("Figure 3: beyond a distortion of {distortion:.4f} film 785 leaks nothing", distortion=most)
    yield Order(said, ends[0.6].leakage < 1e-12 and ends[1.0].leakage > 0.02)
    rise = last.epsilon - ends[3.0].epsilon
    said = Sentence("Figure 5: ε does not level off; from λ = 3 to 10 it grows by {rise:.6f} nats", rise=rise)
    yield Order(said, abs(rise - 7) < 1e-6)
    floor = rows[0].published.background_floor
    assert floor is not None
    said = Sentence(
        "The first row of Table 2 is below I(X;Z) = {floor:.4f} bits: no channel leaks so little", floor=floor
    )
    yield Order(said, floor > 0.0154)
    true, honest = _leakages_with_background(rows)
    said = Sentence(
        "The least I(X;X̂,Z) is never above the published channel's, and below by at most {most:.5f}",
        most=float(max(true - honest)),
    )
    yield Order(said, bool((honest <= true + GAP).all()))


def _of_figures_7_and_8(curves: tuple[DrawnCurve, ...]) -> Iterator[Order]:
    """What the curves show, where the text says that both grow with λ and level off."""
    (slopes, leakage), (_, budget) = (np.array(curve.points).T for curve in curves if curve.figure in (7, 8))
    five = int(np.searchsorted(slopes, 5.0))
    late, rise = float(leakage[-1] - leakage[five]), float(budget[-1] - budget[five])
    steps = np.diff(leakage[five:])
    said = Sentence("Figure 7: from λ = 5 to 10 the leakage grows by {late:.3f} bits, ever slower", late=late)
    yield Order(said, bool((steps > 0).all() and (np.diff(steps) < 0).all()))
    dip = int(np.argmin(np.diff(leakage)))
    (low, high), (before, after) = slopes[dip : dip + 2].tolist(), leakage[dip : dip + 2].tolist()
    said = Sentence(
        "Figure 7: at T = 0.01 Algorithm 1 finds {before:.3f} bits at λ = {low:g} and {after:.3f} bits at λ = {high:g}",
        before=before,
        low=low,
        after=after,
        high=high,
    )
    yield Order(said, after < before)
    said = Sentence("Figure 8: ε does not level off beyond λ = 5; up to λ = 10 it grows by {rise:.2f} nats", rise=rise)
    yield Order(said, bool((np.diff(budget[five:]) > 0.25).all()))


def _of_figures_9_and_10(prior: Distribution, grid: Grid) -> Iterator[Order]:
    """The λ × threshold grid, one order per slope."""
    last = None
    for slope, points in grid.items():
        cells = tuple(Sentence("{bits:.4f} at {distortion:.4f}", bits=b, distortion=d) for b, d in points)
        rises = last is None or all(new[0] > old[0] and new[1] < old[1] for new, old in zip(points, last, strict=True))
        reaches = abs(points[-1][0] - _optimum(prior, slope).leakage) < 1e-5
        what = Sentence(
            "Figures 9, 10, λ = {slope:g}, bits at distortion for T = 10^-4 … 10^-8: {cells}; more leakage and less "
            "distortion than at smaller λ",
            slope=slope,
            cells=cells,
        )
        yield Order(what, rises and reaches)
        last = points
    alone, beside = (algorithm_1(prior, count, 2.0, 1e-8) for count in (1, BACKGROUNDS))
    same = np.allclose(alone[0], beside[0], atol=1e-12) and abs(alone[1] - beside[1]) < 1e-12
    yield Order(Sentence("Algorithm 1 finds the same with 14 backgrounds as with none"), bool(same))
