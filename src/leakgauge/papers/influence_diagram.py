"""The influence-diagram paper: its matrices and tables beside ours, and what keeps its score from deciding.

The leaf states of its Gaussian mechanism are not printed; what it prints of that run is checked from its own row on.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from importlib.resources import files

import numpy as np

from leakgauge.artefacts.reproduction import Cell, Line, Order, PrintedTable, Reproduction, computed
from leakgauge.assessment import published
from leakgauge.assessment.comprehensive_evaluation import (
    INDEX_SYSTEM_A,
    INDEX_SYSTEM_B,
    largest_state,
    paper_tree,
    rows_of,
)
from leakgauge.assessment.diagram import Arc
from leakgauge.assessment.published import DEGREES, FREQUENCIES, Frequency, LeafStates, PublishedGrade, State
from leakgauge.probability.cells import Floats
from leakgauge.sentences import Sentence

SOURCE = Sentence(
    "Tian et al., Assessment method on protection effectiveness of differential privacy algorithms based on fuzzy "
    "influence diagram, Journal on Communications, 2024 (doi:10.11959/j.issn.1000-436x.2024122). Ours: from its Table "
    "1, with the directions of Table 2 moved back by three rows and the lost ones inferred. Its score decides nothing "
    "here"
)
LAPLACE, GAUSSIAN = Sentence("Laplace"), Sentence("Gaussian")
TABLE_3 = {
    "membership": (1.0, 0.7, 0.8, 1.0, 0.7, 1.0, 0.7, 0.6, 0.6, 0.7, 1.0),
    "probability": (0.1136, 0.0795, 0.0909, 0.1136, 0.0795, 0.1136, 0.0795, 0.0682, 0.0682, 0.0795, 0.1136),
    "cumulative": (0.1136, 0.1932, 0.2841, 0.3977, 0.4773, 0.5909, 0.6705, 0.7386, 0.8068, 0.8864, 1.0),
}
"""Membership, probability and cumulative probability of 0, 10, …, 100; Laplace."""
TABLE_5 = {
    "membership": (0.3, 0.3, 0.6, 0.6, 0.7, 1.0, 0.7, 1.0, 0.8, 0.7, 1.0),
    "probability": (0.0390, 0.0390, 0.0779, 0.0779, 0.0909, 0.1299, 0.0909, 0.1299, 0.1039, 0.0909, 0.1299),
    "cumulative": (0.0390, 0.0779, 0.1558, 0.2338, 0.3247, 0.4545, 0.5455, 0.6753, 0.7792, 0.8701, 1.0),
}
"""The same; Gaussian."""
TABLE_4 = (0.3295, 0.3295, 0.4545, 0.3977, 0.3977)
"""The probabilities as printed beside very bad, bad, medium, good, very good; Laplace."""
TABLE_6 = (0.4545, 0.4545, 0.5159, 0.3766, 0.2338)
"""The same; Gaussian."""
TABLE_9 = (0.3723, 0.3723, 0.4681, 0.3723, 0.3723)
GAUSSIAN_SUMS = (8.3, 7.9, 6.9, 5.1, 7.1, 7.7, 7.1, 4.7, 6.08, 7.22, 7.7)
"""The column SUM of F'45, which has the two entries right that the matrix has wrong."""
EVALUATIONS = {
    ("a", LAPLACE): (0.2, 0.1773, 0.4706, 0.08166, 0.0705),
    ("a", GAUSSIAN): (0.1905, 0.1358, 0.5516, 0.1136, 0.0085),
    ("b", LAPLACE): (0.0680, 0.2674, 0.4673, 0.1372, 0.0601),
    ("b", GAUSSIAN): (0.0695, 0.2063, 0.5490, 0.1683, 0.0068),
}
"""The vectors of the comprehensive evaluation in Tables 7 and 8, by index system and mechanism, from VHL to VLL."""
MEMBERSHIP: Mapping[Frequency, float] = {often: (2 * place + 1) / 10 for place, often in enumerate(Frequency)}
"""The membership a label stands for: the middle of its fifth, 0.1, 0.3, …, 0.9. Our choice, because the paper prints
none."""
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


class Directions(Enum):
    """Which directions the 53 arcs of Table 2 have; the values are columns of its file."""

    PRINTED = "printed"
    """As Table 2 has them: slipped by three rows."""
    CORRECTED = "corrected"
    """The slip mended, the rest as printed: gives the paper's numbers."""
    BY_MEANING = "by_meaning"
    """What each influence means: an attack that succeeds lowers resistance."""


def table_1() -> dict[str, dict[State, Frequency]]:
    """The leaves' labels for the Laplace mechanism, ε = 0.1."""
    return {
        row["node"]: {state: Frequency(row[state.value]) for state in State if row[state.value]}
        for row in _rows("leaf_states")
    }


def table_2(directions: Directions) -> tuple[Arc, ...]:
    """The 53 arcs in the order of the table."""
    return tuple(Arc(row["src"], row["dst"], row[directions.value] == "rev") for row in _rows("arcs"))


def printed_matrix(name: str) -> Floats:
    """A matrix as it is printed, misprints and all: F7, R32P, F32P, F32, F45, or F45G for the Gaussian mechanism."""
    cells = [float(row["printed"]) for row in _rows("matrices") if row["matrix"] == name]
    return np.array(cells).reshape(11, 11)


def _rows(table: str) -> list[dict[str, str]]:
    text = files(__package__).joinpath("tables", f"influence_diagram_{table}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def laplace_grade() -> PublishedGrade:
    """The paper's Laplace run."""
    return published.grade(table_1(), table_2(Directions.CORRECTED))


def gaussian_grade() -> PublishedGrade:
    """What the row of Table 5 says; its leaf states are not printed."""
    frequency = np.zeros((11, 11))
    frequency[-1] = TABLE_5["membership"]
    return published.grade_matrix(frequency)


def reproduce() -> Reproduction:
    """Every matrix and table, the scores, grades and credibilities, the baseline and the ablation."""
    laplace, gaussian = laplace_grade(), gaussian_grade()
    lines = (
        _node_7(),
        *_results(LAPLACE, Sentence("section 4.3"), laplace, 48.4, 0.028),
        *_results(GAUSSIAN, Sentence("section 4.4, from Table 5's row"), gaussian, 58.4, 0.062),
        *_states(Sentence("Table 4"), TABLE_4, laplace),
        *_states(Sentence("Table 6"), TABLE_6, gaussian),
        *_gaussian_sums(),
        *_ablation(),
    )
    orders = (*_orders(laplace, gaussian), *_baseline(), *_why_it_does_not_decide())
    return Reproduction("influence-diagram", SOURCE, lines, orders, ERRATA, tuple(_grids(laplace, gaussian)))


def _grids(laplace: PublishedGrade, gaussian: PublishedGrade) -> Iterator[PrintedTable]:
    matrices = published.propagate(table_1(), table_2(Directions.CORRECTED))
    degrees, frequencies = tuple(map(str, DEGREES)), tuple(map(str, FREQUENCIES))
    node = matrices.nodes["32"]
    for name, rows, ours, slips in (
        ("F7", frequencies, matrices.leaves["7"], (Cell("0.2", "30"),)),
        ("R32P", degrees, node.joint_relation, ()),
        ("F32P", frequencies, node.joint_frequency, ()),
        ("F32", frequencies, node.frequency, (Cell("0.9", "70"),)),
        ("F45", frequencies, matrices.nodes["45"].frequency, ()),
    ):
        # Printed memberships are exact, so that nothing but the noise of binary fractions is let through.
        yield PrintedTable(Sentence(name), rows, degrees, _tuples(printed_matrix(name)), _tuples(ours), 1e-9, slips)
    for what, printed, grade in (
        (Sentence("Table 3, Laplace"), TABLE_3, laplace),
        (Sentence("Table 5, Gaussian, from its memberships"), TABLE_5, gaussian),
    ):
        cumulative = np.cumsum(grade.distribution).tolist()
        table = tuple(zip(grade.row, grade.distribution, cumulative, strict=True))
        yield PrintedTable(what, degrees, tuple(printed), tuple(zip(*printed.values(), strict=True)), table, 5e-5)


def _tuples(matrix: Floats) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, matrix.tolist()))


def _node_7() -> Line:
    noisy, itself, printed = RELATIVE_MUTUAL_INFORMATION
    belongs = published.memberships(printed)
    note = Sentence(
        "belongs to LL by {low:g} and to ML by {medium:g}; Table 1 has ML most often",
        low=belongs[State.LOW],
        medium=belongs[State.MEDIUM],
    )
    what = Sentence("I(O;N) / I(O;O), node 7")
    return Line(Sentence("section 4.2"), what, printed, computed(noisy / itself, ""), 5e-4, note)


def _results(
    mechanism: Sentence, where: Sentence, grade: PublishedGrade, score: float, credibility: float
) -> Iterator[Line]:
    what = Sentence("{mechanism}, score", mechanism=mechanism)
    yield Line(where, what, score, computed(grade.score, ""), 0.05, _label(grade))
    what, note = Sentence("{mechanism}, credibility", mechanism=mechanism), Sentence("divides by n − 1")
    yield Line(where, what, credibility, computed(grade.credibility, ""), 5e-4, note)
    what, note = Sentence("{mechanism}, credibility by (8)", mechanism=mechanism), Sentence("(8) divides by n")
    yield Line(where, what, credibility, computed(float(np.var(grade.row)), ""), 5e-4, note, True)


def _label(grade: PublishedGrade) -> Sentence:
    return Sentence("grade {grade!s}", grade=grade.grade.value)


def _share(state: State) -> Sentence:
    return Sentence("p({state!s})", state=state.value)


def _states(where: Sentence, printed: Sequence[float], grade: PublishedGrade) -> Iterator[Line]:
    for state, value in zip(State, printed, strict=True):
        note = None
        if state is not State.MEDIUM:
            note = Sentence("the grades are listed in reverse")
        elif value == 0.5159:
            note = Sentence("0.5195 is meant")
        ours = grade.probabilities[state]
        yield Line(where, _share(state), value, computed(ours, "probability"), 5e-5, note, note is not None)


def _gaussian_sums() -> Iterator[Line]:
    """The printed entries of F'45 beside its printed sums; the two that are off name the entry."""
    for often, row, total in zip(FREQUENCIES, printed_matrix("F45G").tolist(), GAUSSIAN_SUMS, strict=True):
        entries, note = math.fsum(row), None
        if often in (0.9, 1.0):
            meant = row[5] + total - entries
            note = Sentence("(its entry at 50 is {meant:.1f}, {printed:g} is printed)", meant=meant, printed=row[5])
        what = Sentence("sum of the printed row {often!s}", often=str(often))
        yield Line(Sentence("F'45"), what, total, computed(entries, ""), 5e-3, note, note is not None)


def _ablation() -> Iterator[Line]:
    leaves, where = table_1(), Sentence("Table 9, Laplace")
    unflipped = published.grade(leaves, table_2(Directions.CORRECTED), positive_direction=False)
    for state, value in zip(State, TABLE_9, strict=True):
        yield Line(where, _share(state), value, computed(unflipped.probabilities[state], "probability"), 5e-5)
    yield Line(where, Sentence("score"), 50.0, computed(unflipped.score, ""), 0.05, _label(unflipped))
    as_printed = published.grade(leaves, table_2(Directions.PRINTED))
    note = Sentence("its directions slipped by three rows; the row read is then that of Table 9")
    where, what = Sentence("Table 2 as printed"), Sentence("{mechanism}, score", mechanism=LAPLACE)
    yield Line(where, what, 48.4, computed(as_printed.score, ""), 0.05, note, True)


def _orders(laplace: PublishedGrade, gaussian: PublishedGrade) -> Iterator[Order]:
    yield Order(Sentence("Both mechanisms grade ML"), laplace.grade is gaussian.grade is State.MEDIUM)
    said = Sentence("The row of frequency {frequency:g} is read, as the text says", frequency=laplace.frequency)
    yield Order(said, laplace.frequency == 1.0)
    backwards = [
        math.isclose(grade.probabilities[state], value, abs_tol=5e-5)
        for grade, printed in ((laplace, TABLE_4), (gaussian, (*TABLE_6[:2], 0.5195, *TABLE_6[3:])))
        for state, value in zip(State, reversed(printed), strict=True)
    ]
    yield Order(Sentence("Tables 4 and 6 agree with ours when read from below, with 0.5195"), all(backwards))
    as_printed, meant = table_2(Directions.PRINTED), table_2(Directions.BY_MEANING)
    shifted = sum(as_printed[row - 1].mirrored == meant[row + 2].mirrored for row in range(9, 39))
    said = Sentence(
        "Table 2's rows 9 to 38 have the meaningful directions of rows 12 to 41: {shifted:g} of 30", shifted=shifted
    )
    yield Order(said, shifted == 30)


def _baseline() -> Iterator[Order]:
    trees = {"a": INDEX_SYSTEM_A, "b": INDEX_SYSTEM_B}
    for (system, mechanism), printed in EVALUATIONS.items():
        largest = list(reversed(State))[int(np.argmax(printed))]
        said = Sentence(
            "Tables 7, 8, index system {system!s}, {mechanism}: printed ({printed!s}) from VHL to VLL grades {grade!s}",
            system=system,
            mechanism=mechanism,
            printed=_vector(printed),
            grade=largest.value,
        )
        holds = largest is State.MEDIUM
        if mechanism is LAPLACE:
            ours = evaluate(table_1(), trees[system])
            said = Sentence(
                "{printed}; ours ({ours!s}) grades {own!s} (the labels' memberships are ours, none is printed)",
                printed=said,
                ours=_vector(ours.memberships[state] for state in reversed(State)),
                own=ours.grade.value,
            )
            holds = holds and ours.grade is State.MEDIUM
        yield Order(said, holds)


def _vector(values: Iterable[float]) -> str:
    return ", ".join(f"{value:.4f}" for value in values)


def _why_it_does_not_decide() -> Iterator[Order]:
    leaves, arcs = table_1(), table_2(Directions.CORRECTED)
    known = published.propagate(leaves, arcs).nodes["45"].frequency
    unmoved = all(
        (published.propagate({**leaves, "3": {state: Frequency.VERY_HIGH}}, arcs).nodes["45"].frequency == known).all()
        for state in (State.VERY_LOW, State.MEDIUM, State.VERY_HIGH)
    )
    said = Sentence("No entry of F45 moves when ε is set very low, medium or very high: the score does not decide")
    yield Order(said, unmoved)
    ends = [published.grade({**leaves, "3": {s: Frequency.VERY_HIGH}}, arcs).score for s in (State.LOW, State.HIGH)]
    yield Order(Sentence("ε low and ε high give the same score, {score:.1f}", score=ends[0]), ends[0] == ends[1])


@dataclass(frozen=True)
class Evaluation:
    """Memberships of the states, which sum to 1, and the state with the largest; among equals, the lowest."""

    memberships: Mapping[State, float]
    grade: State


def evaluate(leaf_states: LeafStates, index_system: Mapping[str, str]) -> Evaluation:
    """The evaluation of the paper's 28 leaves on a tree; leaves that are not there are left out."""
    tree, leaves = paper_tree(index_system), dict[str, Floats]()
    for leaf, states in leaf_states.items():
        labels = np.array([MEMBERSHIP[states[state]] if state in states else 0.0 for state in State])
        if labels.any():
            leaves[leaf] = labels / labels.sum()
    row = rows_of(tree, leaves)[tree.value]
    return Evaluation(dict(zip(State, row.tolist(), strict=True)), largest_state(row))
