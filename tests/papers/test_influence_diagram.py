"""The influence-diagram paper: its matrices, tables and scores to the digit, and its slips."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from leakgauge.artefacts.reproduction import Cell, Reproduction
from leakgauge.assessment import published
from leakgauge.assessment.comprehensive_evaluation import INDEX_SYSTEM_A, INDEX_SYSTEM_B
from leakgauge.assessment.published import Frequency, State
from leakgauge.papers import influence_diagram as paper
from leakgauge.papers.influence_diagram import Directions, evaluate
from leakgauge.probability.cells import Floats
from tests.cli.running import fields, run

LAPLACE = paper.table_1()
CORRECTED = paper.table_2(Directions.CORRECTED)


@pytest.fixture(scope="module")
def reproduction() -> Reproduction:
    return paper.reproduce()


def differing(ours: Floats, name: str) -> list[tuple[int, int, float, float]]:
    """Row, column, printed and ours wherever they are not the same number."""
    printed = paper.printed_matrix(name)
    return [(int(u), int(v), printed[u, v], ours[u, v]) for u, v in np.argwhere(ours != printed)]


@pytest.mark.parametrize("directions", [Directions.CORRECTED, Directions.BY_MEANING])
def test_f45_in_all_121_entries(directions: Directions) -> None:
    found = published.propagate(LAPLACE, paper.table_2(directions))
    assert found.value == "45"
    assert differing(found.nodes["45"].frequency, "F45") == []


def test_the_relation_and_the_joint_matrix_of_node_32() -> None:
    node = published.propagate(LAPLACE, CORRECTED).nodes["32"]
    assert differing(node.joint_relation, "R32P") == []
    assert differing(node.joint_frequency, "F32P") == []


def test_the_tables_are_whole() -> None:
    assert len(LAPLACE) == 28
    assert len(CORRECTED) == 53
    assert {arc.target for arc in CORRECTED} | set(LAPLACE) == {str(node) for node in range(1, 46)}


def test_score_grade_and_credibility() -> None:
    found = published.grade(LAPLACE, CORRECTED)
    assert found.score == pytest.approx(48.4091, abs=5e-5)
    assert found.grade is State.MEDIUM
    assert found.credibility == pytest.approx(0.0280, abs=5e-5)
    assert found.frequency == 1.0
    assert found.row == (1, 0.7, 0.8, 1, 0.7, 1, 0.7, 0.6, 0.6, 0.7, 1)
    assert found.left_out == ()


def test_table_5s_row() -> None:
    found = paper.gaussian_grade()
    assert found.score == pytest.approx(58.4416, abs=5e-5)
    assert found.grade is State.MEDIUM
    assert found.credibility == pytest.approx(0.0620, abs=5e-5)


def test_table_9() -> None:
    found = published.grade(LAPLACE, CORRECTED, positive_direction=False)
    assert found.score == 50.0
    assert found.grade is State.MEDIUM
    assert [round(found.probabilities[state], 4) for state in State] == [0.3723, 0.3723, 0.4681, 0.3723, 0.3723]


def test_every_line_grid_and_order_of_the_reproduction_holds(reproduction: Reproduction) -> None:
    assert [line for line in reproduction.lines if not line.agrees] == []
    assert [grid.what for grid in reproduction.grids if not grid.agrees] == []
    assert [str(one.order) for one in reproduction.orders if not one.holds] == []
    assert reproduction.agrees
    assert len(reproduction.lines) == 1 + 2 * 3 + 2 * 5 + 11 + 6 + 1
    assert sum(len(row) for grid in reproduction.grids for row in grid.verdicts()) == 5 * 121 + 2 * 33
    # Two credibilities, nine grades in reverse or misprinted, two sums, the score of Table 2; two entries of matrices.
    assert sum(line.slip for line in reproduction.lines) == 14
    assert [grid.slips for grid in reproduction.grids if grid.slips] == [(Cell("0.2", "30"),), (Cell("0.9", "70"),)]
    assert len(reproduction.errata) == 9


def test_the_baseline_grades_as_printed() -> None:
    for system in (INDEX_SYSTEM_A, INDEX_SYSTEM_B):
        assert evaluate(LAPLACE, system).grade is State.MEDIUM
    for vector in paper.EVALUATIONS.values():
        assert np.argmax(vector) == 2
        assert sum(vector) == pytest.approx(1, abs=2e-4)
    # Ours are near the printed ones; the labels' memberships they were made of are not printed.
    for name, system in (("a", INDEX_SYSTEM_A), ("b", INDEX_SYSTEM_B)):
        ours = evaluate(LAPLACE, system).memberships
        assert [ours[state] for state in reversed(State)] == pytest.approx(
            paper.EVALUATIONS[name, paper.LAPLACE], abs=0.05
        )


def test_the_command_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "reproduce", "influence-diagram")
    assert code == 0
    assert "F45: ours agrees in 121 of 121 cells" in out
    assert "F32: ours agrees in 120 of 121 cells" in out
    assert "0.049 slip" in out
    assert "DIFFERS" not in out
    found = fields(capsys, "reproduce", "influence-diagram")["reproductions"][0]
    assert found["agrees"] is True
    by_name = {grid["what"]: grid for grid in found["grids"]}
    assert by_name["F45"]["ours"] == by_name["F45"]["published"] == paper.printed_matrix("F45").tolist()
    assert by_name["F7"]["slips"] == [{"row": "0.2", "column": "30"}]


def test_a_cell_that_is_not_met_exits_1(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, reproduction: Reproduction
) -> None:
    first = reproduction.grids[0]
    # The misprint mended: a slip that is none any more does not agree either.
    mended = np.array(first.published)
    mended[2, 3] = 0.049
    rows = tuple(tuple(row) for row in mended.tolist())
    other = replace(reproduction, grids=(replace(first, published=rows), *reproduction.grids[1:]))
    assert not other.agrees
    monkeypatch.setattr(paper, "reproduce", lambda: other)
    code, out, _ = run(capsys, "reproduce", "influence-diagram")
    assert code == 1
    assert "DIFFERS" in out


# Errata, in the order of docs/errata.md.


def test_erratum_f7() -> None:
    found = published.propagate(LAPLACE, CORRECTED).leaves["7"]
    assert differing(found, "F7") == [(2, 3, 0.49, 0.049)]


def test_erratum_f32() -> None:
    found = published.propagate(LAPLACE, CORRECTED).nodes["32"].frequency
    assert differing(found, "F32") == [(9, 7, 0.9, 0.6)]


def test_erratum_f45_of_gaussian() -> None:
    printed = paper.printed_matrix("F45G")
    sums = np.array(paper.GAUSSIAN_SUMS)
    assert np.flatnonzero(np.abs(printed.sum(axis=1) - sums) > 1e-9).tolist() == [9, 10]
    mended = printed.copy()
    mended[9, 5], mended[10, 5] = 0.9, 1.0
    assert mended.sum(axis=1) == pytest.approx(sums, abs=1e-9)
    assert mended[10].tolist() == list(paper.TABLE_5["membership"])
    assert published.grade_matrix(mended) == paper.gaussian_grade()
    # With the entry as printed the score is not the printed one.
    assert published.grade_matrix(printed).score == pytest.approx(58.78, abs=5e-3)


def test_erratum_credibility_divides_by_n_minus_1() -> None:
    for found, printed in ((paper.laplace_grade(), 0.028), (paper.gaussian_grade(), 0.062)):
        row = np.array(found.row)
        squares = ((row - row.mean()) ** 2).sum()
        assert squares / 10 == pytest.approx(printed, abs=5e-5)
        assert abs(squares / 11 - printed) > 2e-3


def test_erratum_tables_4_and_6_in_reverse() -> None:
    laplace = [round(paper.laplace_grade().probabilities[state], 4) for state in State]
    gaussian = [round(paper.gaussian_grade().probabilities[state], 4) for state in State]
    assert laplace == list(reversed(paper.TABLE_4))
    assert gaussian == [0.2338, 0.3766, 0.5195, 0.4545, 0.4545]
    assert paper.TABLE_6 == (0.4545, 0.4545, 0.5159, 0.3766, 0.2338)


def test_erratum_table_6s_middle_is_5195() -> None:
    memberships = list(paper.TABLE_5["membership"])
    assert sum(memberships[3:8]) / sum(memberships) == pytest.approx(0.5195, abs=5e-5)
    assert paper.gaussian_grade().probabilities[State.MEDIUM] == pytest.approx(0.5195, abs=5e-5)


def test_erratum_table_2_slipped_by_three_rows() -> None:
    printed, meant = paper.table_2(Directions.PRINTED), paper.table_2(Directions.BY_MEANING)
    printed_rows = [arc.mirrored for arc in printed[8:38]]
    assert printed_rows == [arc.mirrored for arc in meant[11:41]]
    assert len(printed_rows) == 30
    assert sum(arc.mirrored == other.mirrored for arc, other in zip(printed[8:38], meant[8:38], strict=True)) < 25


def test_erratum_table_2_as_printed_scores_50() -> None:
    found = published.grade(LAPLACE, paper.table_2(Directions.PRINTED))
    assert found.score == 50.0
    assert found.row == published.grade(LAPLACE, CORRECTED, positive_direction=False).row


def test_erratum_node_7_is_low() -> None:
    noisy, itself, printed = paper.RELATIVE_MUTUAL_INFORMATION
    assert noisy / itself == pytest.approx(printed, abs=5e-4)
    found = published.memberships(noisy / itself)
    assert max(found, key=lambda state: found[state]) is State.LOW
    assert found[State.LOW] == pytest.approx(0.92, abs=5e-3)
    assert found[State.MEDIUM] == pytest.approx(0.3, abs=5e-3)
    assert LAPLACE["7"] == {
        State.MEDIUM: Frequency.HIGH,
        State.LOW: Frequency.MEDIUM,
        State.VERY_LOW: Frequency.VERY_LOW,
    }
