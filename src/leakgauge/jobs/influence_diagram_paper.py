"""The influence-diagram paper: its matrices and tables beside ours, and what keeps its score from deciding.

The leaf states of its Gaussian mechanism are not printed; what it prints of that run is checked from its own row on.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from leakgauge.artefacts.reproduction import Cell, Grid, Line, Order, Reproduction, line
from leakgauge.assessment import published
from leakgauge.assessment.published import Directions, Frequency, PublishedGrade, State
from leakgauge.probability.cells import Floats
from leakgauge.sentences import Sentence

SOURCE = Sentence(
    "Tian et al., Assessment method on protection effectiveness of differential privacy algorithms based on fuzzy "
    "influence diagram, Journal on Communications, 2024 (doi:10.11959/j.issn.1000-436x.2024122). Ours: from its Table "
    "1, with the directions of Table 2 moved back by three rows and the lost ones inferred. Its score decides nothing "
    "here"
)
LAPLACE, GAUSSIAN = Sentence("Laplace"), Sentence("Gaussian")
DEGREES = tuple(str(degree) for degree in published.DEGREES)
FREQUENCIES = tuple(str(often) for often in published.FREQUENCIES)
TABLE_3 = (
    (1.0, 0.1136, 0.1136),
    (0.7, 0.0795, 0.1932),
    (0.8, 0.0909, 0.2841),
    (1.0, 0.1136, 0.3977),
    (0.7, 0.0795, 0.4773),
    (1.0, 0.1136, 0.5909),
    (0.7, 0.0795, 0.6705),
    (0.6, 0.0682, 0.7386),
    (0.6, 0.0682, 0.8068),
    (0.7, 0.0795, 0.8864),
    (1.0, 0.1136, 1.0),
)
"""Membership, probability and cumulative probability of 0, 10, …, 100; Laplace."""
TABLE_5 = (
    (0.3, 0.0390, 0.0390),
    (0.3, 0.0390, 0.0779),
    (0.6, 0.0779, 0.1558),
    (0.6, 0.0779, 0.2338),
    (0.7, 0.0909, 0.3247),
    (1.0, 0.1299, 0.4545),
    (0.7, 0.0909, 0.5455),
    (1.0, 0.1299, 0.6753),
    (0.8, 0.1039, 0.7792),
    (0.7, 0.0909, 0.8701),
    (1.0, 0.1299, 1.0),
)
"""The same; Gaussian."""
TABLE_4 = (0.3295, 0.3295, 0.4545, 0.3977, 0.3977)
"""The probabilities as printed beside very bad, bad, medium, good, very good; Laplace."""
TABLE_6 = (0.4545, 0.4545, 0.5159, 0.3766, 0.2338)
"""The same; Gaussian."""
TABLE_9 = (0.3723, 0.3723, 0.4681, 0.3723, 0.3723)
GAUSSIAN_SUMS = (8.3, 7.9, 6.9, 5.1, 7.1, 7.7, 7.1, 4.7, 6.08, 7.22, 7.7)
"""The column SUM of F'45, which has the two entries right that the matrix has wrong."""
EVALUATIONS = {
    "a, Laplace": (0.2, 0.1773, 0.4706, 0.08166, 0.0705),
    "a, Gaussian": (0.1905, 0.1358, 0.5516, 0.1136, 0.0085),
    "b, Laplace": (0.0680, 0.2674, 0.4673, 0.1372, 0.0601),
    "b, Gaussian": (0.0695, 0.2063, 0.5490, 0.1683, 0.0068),
}
"""The vectors of the comprehensive evaluation, from VHL down to VLL."""
RELATIVE_MUTUAL_INFORMATION = (1.766, 5.517, 0.320)

ERRATA = (
    Sentence("F7 (0.2, 30), and the product VL × VLL before it, print 0.49 for 0.049 = 0.49 × 0.1."),
    Sentence("F32 (0.9, 70) prints 0.9 for 0.6."),
    Sentence(
        "F'45 (0.9, 50) and (1.0, 50) print 0.7 for 0.9 and 1.0, which its column SUM has, and Table 5 the second."
    ),
    Sentence("(8) divides by n; the printed credibilities 0.028 and 0.062 divide by n − 1."),
    Sentence("Tables 4 and 6, and the text before Table 4, list the five grades in reverse."),
    Sentence("Table 6 prints 0.5159 for 0.5195."),
    Sentence(
        "Table 2's column of directions slipped by three rows: rows 9 to 38 have what rows 12 to 41 mean, 30 of 30."
    ),
    Sentence("With Table 2 as printed the score is 50.0, as without the positive-direction step, not 48.4."),
    Sentence("Node 7's value 0.320 belongs to LL by 0.92 and to ML by 0.3; Table 1 has ML most often."),
)


def corrected() -> PublishedGrade:
    """The paper's Laplace run."""
    return published.grade(published.table_1(), published.table_2(Directions.CORRECTED))


def gaussian() -> PublishedGrade:
    """What the row of Table 5 says; its leaf states are not printed."""
    frequency = np.zeros((11, 11))
    frequency[-1] = [membership for membership, _, _ in TABLE_5]
    return published.grade_matrix(frequency)


def reproduce() -> Reproduction:
    """Every matrix and table, the scores, grades and credibilities, the baseline and the ablation."""
    laplace, other = corrected(), gaussian()
    lines = [*_node_7(), *_results(LAPLACE, laplace, 48.4, 0.028), *_results(GAUSSIAN, other, 58.4, 0.062)]
    lines += [*_states(Sentence("Table 4"), TABLE_4, laplace), *_states(Sentence("Table 6"), TABLE_6, other)]
    lines += [*_gaussian_sums(), *_ablation()]
    orders = (*_orders(laplace, other), *_baseline(), *_why_it_does_not_decide())
    return Reproduction("influence-diagram", SOURCE, tuple(lines), orders, ERRATA, _grids(laplace, other))


def _grids(laplace: PublishedGrade, other: PublishedGrade) -> tuple[Grid, ...]:
    found = published.propagate(published.table_1(), published.table_2(Directions.CORRECTED))
    node = found.nodes["32"]
    columns = ("membership", "probability", "cumulative")
    return (
        _matrix("F7", FREQUENCIES, found.leaves["7"], Cell("0.2", "30")),
        _matrix("R32P", DEGREES, node.joint_relation),
        _matrix("F32P", FREQUENCIES, node.joint_frequency),
        _matrix("F32", FREQUENCIES, node.frequency, Cell("0.9", "70")),
        _matrix("F45", FREQUENCIES, found.nodes["45"].frequency),
        Grid(Sentence("Table 3, Laplace"), DEGREES, columns, TABLE_3, _table(laplace), 5e-5),
        Grid(Sentence("Table 5, Gaussian, from its memberships"), DEGREES, columns, TABLE_5, _table(other), 5e-5),
    )


def _matrix(name: str, rows: tuple[str, ...], ours: Floats, *slips: Cell) -> Grid:
    # Printed memberships are exact, so that nothing but the noise of binary fractions is let through.
    return Grid(Sentence(name), rows, DEGREES, _tuples(published.printed_matrix(name)), _tuples(ours), 1e-9, slips)


def _tuples(matrix: Floats) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in matrix.tolist())


def _table(found: PublishedGrade) -> tuple[tuple[float, ...], ...]:
    cumulative = np.cumsum(found.distribution).tolist()
    return tuple(zip(found.row, found.distribution, cumulative, strict=True))


def _node_7() -> list[Line]:
    noisy, itself, printed = RELATIVE_MUTUAL_INFORMATION
    belongs = published.memberships(printed)
    note = Sentence(
        "belongs to LL by {low:g} and to ML by {medium:g}; Table 1 has ML most often",
        low=belongs[State.LOW],
        medium=belongs[State.MEDIUM],
    )
    where, what = Sentence("section 4.2"), Sentence("I(O;N) / I(O;O), node 7")
    return [line(where, what, printed, noisy / itself, "", 5e-4, note)]


def _results(mechanism: Sentence, found: PublishedGrade, score: float, credibility: float) -> list[Line]:
    literal = float(np.var(found.row))
    note, other = Sentence("divides by n − 1"), Sentence("(8) divides by n")
    where = Sentence("section 4.3") if mechanism is LAPLACE else Sentence("section 4.4, from Table 5's row")
    marked = Sentence("{mechanism}, score", mechanism=mechanism)
    credible = Sentence("{mechanism}, credibility", mechanism=mechanism)
    by_8 = Sentence("{mechanism}, credibility by (8)", mechanism=mechanism)
    return [
        line(where, marked, score, found.score, "", 0.05, _grade(found)),
        line(where, credible, credibility, found.credibility, "", 5e-4, note),
        line(where, by_8, credibility, literal, "", 5e-4, other, True),
    ]


def _grade(found: PublishedGrade) -> Sentence:
    return Sentence("grade {grade!s}", grade=found.grade.value)


def _states(where: Sentence, printed: Sequence[float], found: PublishedGrade) -> list[Line]:
    meant, backwards = Sentence("0.5195 is meant"), Sentence("the grades are listed in reverse")
    lines = []
    for state, value in zip(State, printed, strict=True):
        ours = found.probabilities[state]
        slip = state is not State.MEDIUM or value == 0.5159
        note = None if not slip else meant if state is State.MEDIUM else backwards
        lines.append(line(where, _share(state), value, ours, "probability", 5e-5, note, slip))
    return lines


def _share(state: State) -> Sentence:
    return Sentence("p({state!s})", state=state.value)


def _gaussian_sums() -> list[Line]:
    """The printed entries of F'45 beside its printed sums; the two that are off name the entry."""
    lines = []
    for often, row, total in zip(FREQUENCIES, published.printed_matrix("F45G").tolist(), GAUSSIAN_SUMS, strict=True):
        entries = math.fsum(row)
        slip = often in ("0.9", "1.0")
        note = Sentence(
            "(its entry at 50 is {meant:.1f}, {printed:g} is printed)", meant=row[5] + total - entries, printed=row[5]
        )
        what = Sentence("sum of the printed row {often!s}", often=often)
        lines.append(line(Sentence("F'45"), what, total, entries, "", 5e-3, note if slip else None, slip))
    return lines


def _ablation() -> list[Line]:
    leaves = published.table_1()
    found = published.grade(leaves, published.table_2(Directions.CORRECTED), positive_direction=False)
    as_printed = published.grade(leaves, published.table_2(Directions.PRINTED))
    where = Sentence("Table 9, Laplace")
    lines = [
        line(where, _share(state), value, found.probabilities[state], "probability", 5e-5)
        for state, value in zip(State, TABLE_9, strict=True)
    ]
    lines.append(line(where, Sentence("score"), 50.0, found.score, "", 0.05, _grade(found)))
    note = Sentence("its directions slipped by three rows; the row read is then that of Table 9")
    where, what = Sentence("Table 2 as printed"), Sentence("{mechanism}, score", mechanism=LAPLACE)
    lines.append(line(where, what, 48.4, as_printed.score, "", 0.05, note, True))
    return lines


def _orders(laplace: PublishedGrade, other: PublishedGrade) -> list[Order]:
    shifted = _shifted_rows()
    backwards = [
        math.isclose(found.probabilities[state], value, abs_tol=5e-5)
        for found, printed in ((laplace, TABLE_4), (other, (*TABLE_6[:2], 0.5195, *TABLE_6[3:])))
        for state, value in zip(State, reversed(printed), strict=True)
    ]
    return [
        Order(Sentence("Both mechanisms grade ML"), laplace.grade is other.grade is State.MEDIUM),
        Order(
            Sentence("The row of frequency {frequency:g} is read, as the text says", frequency=laplace.frequency),
            laplace.frequency == 1.0,
        ),
        Order(Sentence("Tables 4 and 6 agree with ours when read from below, with 0.5195"), all(backwards)),
        Order(
            Sentence(
                "Table 2's rows 9 to 38 have the meaningful directions of rows 12 to 41: {shifted:g} of 30",
                shifted=shifted,
            ),
            shifted == 30,
        ),
    ]


def _shifted_rows() -> int:
    as_printed, meant = published.table_2(Directions.PRINTED), published.table_2(Directions.BY_MEANING)
    return sum(as_printed[row - 1].mirrored == meant[row + 2].mirrored for row in range(9, 39))


def _baseline() -> list[Order]:
    systems = {"a": published.INDEX_SYSTEM_A, "b": published.INDEX_SYSTEM_B}
    orders = []
    for name, printed in EVALUATIONS.items():
        largest = list(reversed(State))[int(np.argmax(printed))]
        said = Sentence(
            "Tables 7, 8, index system {system!s}, {mechanism}: printed ({printed!s}) from VHL to VLL grades {grade!s}",
            system=name[0],
            mechanism=LAPLACE if name.endswith("Laplace") else GAUSSIAN,
            printed=_vector(printed),
            grade=largest.value,
        )
        holds = largest is State.MEDIUM
        if name.endswith("Laplace"):
            ours = published.evaluate(published.table_1(), systems[name[0]])
            said = Sentence(
                "{printed}; ours ({ours!s}) grades {own!s} (the labels' memberships are ours, none is printed)",
                printed=said,
                ours=_vector(ours.memberships[state] for state in reversed(State)),
                own=ours.grade.value,
            )
            holds = holds and ours.grade is State.MEDIUM
        orders.append(Order(said, holds))
    return orders


def _vector(values: Iterable[float]) -> str:
    return ", ".join(f"{value:.4f}" for value in values)


def _why_it_does_not_decide() -> list[Order]:
    leaves, arcs = published.table_1(), published.table_2(Directions.CORRECTED)
    known = published.propagate(leaves, arcs).nodes["45"].frequency
    unmoved = all(
        (published.propagate({**leaves, "3": {state: Frequency.VERY_HIGH}}, arcs).nodes["45"].frequency == known).all()
        for state in (State.VERY_LOW, State.MEDIUM, State.VERY_HIGH)
    )
    ends = [published.grade({**leaves, "3": {s: Frequency.VERY_HIGH}}, arcs).score for s in (State.LOW, State.HIGH)]
    return [
        Order(
            Sentence("No entry of F45 moves when ε is set very low, medium or very high: the score does not decide"),
            unmoved,
        ),
        Order(Sentence("ε low and ε high give the same score, {score:.1f}", score=ends[0]), ends[0] == ends[1]),
    ]
