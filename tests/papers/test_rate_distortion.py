"""The rate-distortion paper: its tables, its headlines, its slips, and the leakage with background it lacks."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from leakgauge import measures
from leakgauge.artefacts.codec import encode
from leakgauge.artefacts.reproduction import Reproduction, Reproductions
from leakgauge.design import Knowledge, RateDistortion, Slope, solve
from leakgauge.distances import Hamming
from leakgauge.papers import rate_distortion as paper
from leakgauge.papers.rate_distortion import Row, algorithm_1
from leakgauge.probability import Channel, Joint, Scenario
from leakgauge.telling.figures.chart import WIDTH
from leakgauge.telling.figures.drawn_curves import drawn_curves_figure
from tests.cli.running import run
from tests.report.artefacts import drawn, width, words

# λ, distortion, R(δ), true I(X;X̂,Z), ε: recomputed apart from this code.
ROWS = (
    (0.5, 0.5086, 0.0154, 0.0906, 0.869),
    (1.0, 0.4228, 0.1073, 0.1757, 1.369),
    (1.5, 0.3545, 0.2293, 0.2893, 1.869),
    (2.0, 0.2696, 0.4437, 0.4931, 3.214),
    (2.5, 0.2028, 0.6593, 0.6989, 3.714),
    (3.0, 0.1560, 0.8440, 0.8760, 4.214),
    (3.5, 0.1197, 1.0146, 1.0401, 6.337),
    (4.0, 0.0807, 1.2245, 1.2420, 6.837),
    (4.5, 0.0533, 1.3924, 1.4042, 8.107),
    (5.0, 0.0333, 1.5291, 1.5366, 8.607),
    (5.5, 0.0207, 1.6238, 1.6286, 9.107),
    (6.0, 0.0129, 1.6881, 1.6912, 9.607),
)


@pytest.fixture(scope="module")
def joint() -> Joint:
    return paper.adult()


@pytest.fixture(scope="module")
def rows(joint: Joint) -> tuple[Row, ...]:
    return paper.table_2(joint)


@pytest.fixture(scope="module")
def reproduction() -> Reproduction:
    return paper.reproduce()


@pytest.mark.parametrize(
    ("slope", "leakage", "distortion", "epsilon", "letters"),
    [
        (1, 0.025459, 0.493883, 1.864997, 2),
        (2, 0.397735, 0.325239, 3.558145, 4),
        (3, 0.965622, 0.166075, 5.251292, 5),
        (5, 1.718735, 0.026244, 7.251292, 5),
        (10, 1.943536, 0.000182, 12.251292, 5),
    ],
)
def test_film(slope: float, leakage: float, distortion: float, epsilon: float, letters: int) -> None:
    found = solve(RateDistortion(paper.film(), Hamming(), Slope(slope)))
    assert found.leakage == pytest.approx(leakage, abs=5.1e-7)
    assert found.distortion == pytest.approx(distortion, abs=5.1e-7)
    assert found.epsilon == pytest.approx(epsilon, abs=5.1e-7)
    assert found.letters == letters


def test_film_at_a_small_slope_is_one_letter() -> None:
    found = solve(RateDistortion(paper.film(), Hamming(), Slope(0.6)))
    assert found.leakage == pytest.approx(0, abs=1e-12)
    assert found.letters == 1
    assert found.distortion == pytest.approx(0.512821, abs=5e-7)


def test_table_2_and_the_column_it_lacks(rows: tuple[Row, ...]) -> None:
    for row, (slope, distortion, leakage, true, epsilon) in zip(rows, ROWS, strict=True):
        found = row.published
        assert row.slope == slope
        assert found.distortion == pytest.approx(distortion, abs=5.1e-5)
        assert found.leakage == pytest.approx(leakage, abs=5.1e-5)
        assert found.leakage_with_background == pytest.approx(true, abs=5.1e-5)
        assert found.epsilon == pytest.approx(epsilon, abs=5.1e-4)


def test_the_honest_optimum_is_never_above_the_published_channel(rows: tuple[Row, ...]) -> None:
    for row in rows:
        true, least = row.published.leakage_with_background, row.honest.leakage_with_background
        assert true is not None and least is not None
        assert row.honest.distortion <= row.published.distortion * (1 + 1e-12)
        assert true - 0.001 < least < true < row.symmetric


@pytest.mark.parametrize(
    ("knowledge", "slope", "distortion", "leakage"),
    [
        (Knowledge.ATTACKER, 0.5, 0.5010, 0.0959),
        (Knowledge.ATTACKER, 1.0, 0.4111, 0.1920),
        (Knowledge.ATTACKER, 2.0, 0.2548, 0.5344),
        (Knowledge.ATTACKER, 3.0, 0.1471, 0.9129),
        (Knowledge.ATTACKER, 6.0, 0.0112, 1.7054),
        (Knowledge.BOTH, 0.5, 0.4650, 0.0814),
        (Knowledge.BOTH, 2.0, 0.2681, 0.4585),
        (Knowledge.BOTH, 6.0, 0.0129, 1.6884),
    ],
)
def test_honest_optima(joint: Joint, knowledge: Knowledge, slope: float, distortion: float, leakage: float) -> None:
    found = solve(RateDistortion(joint, Hamming(), Slope(slope), knowledge))
    assert found.distortion == pytest.approx(distortion, abs=5.1e-5)
    assert found.leakage_with_background == pytest.approx(leakage, abs=5.1e-5)


def test_every_line_and_order_of_the_reproduction_holds(reproduction: Reproduction) -> None:
    assert [line for line in reproduction.lines if not line.agrees] == []
    assert [str(one.order) for one in reproduction.orders if not one.holds] == []
    assert len(reproduction.lines) == 5 + 7 + 2 + 12 * 4 + 9 * 2 + 4
    # The share of 0.322, the row of 0.050, the row of 1.54 bits, twelve true leakages, two headlines.
    assert sum(line.slip for line in reproduction.lines) == 17


def test_headlines(reproduction: Reproduction) -> None:
    found = {str(line.what): line for line in reproduction.lines if str(line.where) == "abstract"}
    assert found["I saved over Table 2"].ours.value == pytest.approx(21.7, abs=0.05)
    assert "33.5%" in str(found["I saved over Table 2"].note)
    assert found["distortion saved, Table 3's pairs"].ours.value == pytest.approx(38.3, abs=0.05)
    assert found["distortion saved, equal leakage"].ours.value == pytest.approx(38.8, abs=0.05)


def test_first_row_of_table_3_at_equal_leakage(reproduction: Reproduction) -> None:
    first = [str(line.note) for line in reproduction.lines if str(line.where) == "Table 3, 0.02 bits"]
    assert first == ["exactly at 0.7855", "exactly at 0.5024"]


def test_figures_3_to_10_are_data(reproduction: Reproduction) -> None:
    curves = {str(curve.what): curve for curve in reproduction.curves}
    assert [name.partition(",")[0] for name in curves] == [
        *("Figure 3", "Figure 4", "Figure 5", "Figure 6", "Figure 6", "Figure 7", "Figure 8"),
        *["Figure 9"] * 5,
        *["Figure 10"] * 5,
    ]
    slopes, distortions, leakages = np.array(curves["Figure 4"].points).T
    assert (slopes[0], slopes[-1]) == (0.6, 10.0)
    # Recomputed apart from this code.
    assert (distortions[-1], leakages[-1]) == pytest.approx((0.000182, 1.943536), abs=5.1e-7)
    assert curves["Figure 5"].points[-1] == pytest.approx((10.0, 12.251292), abs=5.1e-7)
    best, alike = (np.array(curves[f"Figure 6, {name} channel"].points) for name in ("optimal", "symmetric"))
    assert (best[:, 0] == alike[:, 0]).all()
    assert (best[:, 1] < alike[:, 1]).all()
    for name, last in (("Figure 7, T = 0.01", 1.8156), ("Figure 8, T = 0.01", 16.5185)):
        points = curves[name].points
        assert points[0][0] == 0.5
        assert points[-1] == pytest.approx((10.0, last), abs=5.1e-5)


def test_the_papers_threshold_stops_before_the_optimum(joint: Joint) -> None:
    prior = joint.row_marginal()
    early = algorithm_1(prior, 14, 2.0, 0.01)[1]
    assert early > 1.4 * solve(RateDistortion(prior, Hamming(), Slope(2.0))).leakage


# Errata, in the order of docs/errata.md.


def test_erratum_algorithm_1_never_reads_the_background(joint: Joint) -> None:
    prior = joint.row_marginal()
    channel, claimed, distortion = algorithm_1(prior, len(joint.columns), 2.0, 1e-10)
    best = solve(RateDistortion(prior, Hamming(), Slope(2.0)))
    assert claimed == pytest.approx(best.leakage, abs=1e-7)
    assert distortion == pytest.approx(best.distortion, abs=1e-7)
    true = measures.leakage_with_background(Scenario(joint, Channel(joint.rows, joint.rows, channel)))
    assert true == pytest.approx(0.4931, abs=5.1e-5)
    assert true > claimed + 0.04


def test_erratum_below_the_floor(joint: Joint) -> None:
    assert measures.background_floor(Scenario(joint)) == pytest.approx(0.076373, abs=5e-7)
    assert measures.background_floor(Scenario(joint)) > paper.TABLE_2["optimal"][0]


def test_erratum_printed_shares_do_not_sum_to_1() -> None:
    assert sum(paper.ADULT_SHARES) == pytest.approx(0.9993)
    assert sum(paper.ROUNDED_SHARES) == pytest.approx(1)


def test_erratum_leakage_is_concave_in_the_prior_and_convex_in_the_channel() -> None:
    def leak(share: float, keep: float) -> float:
        matrix = np.array([[share * keep, share * (1 - keep)], [(1 - share) * (1 - keep), (1 - share) * keep]])
        return measures.background_floor(Scenario(Joint("ab", "ab", matrix)))

    assert leak(0.5, 0.9) > (leak(0.1, 0.9) + leak(0.9, 0.9)) / 2 + 0.1
    assert leak(0.5, 0.75) < (leak(0.5, 0.5) + leak(0.5, 1.0)) / 2 - 0.1


def test_erratum_the_budget_grows_by_one_per_unit_of_slope_and_jumps_when_a_letter_enters(
    rows: tuple[Row, ...],
) -> None:
    for before, after in itertools.pairwise(rows):
        rise = after.published.epsilon - before.published.epsilon
        if after.published.letters == before.published.letters:
            assert rise == pytest.approx(0.5, abs=1e-6)
        else:
            assert rise > 1.2


def test_erratum_the_threshold_matters_and_the_distortion_falls_with_the_slope(joint: Joint) -> None:
    prior = joint.row_marginal()
    early, late = (algorithm_1(prior, 14, 0.5, threshold) for threshold in (1e-4, 1e-8))
    assert early[1] > 2 * late[1]
    distortions = [algorithm_1(prior, 14, slope, 1e-8)[2] for slope in (0.5, 1.0, 1.5, 2.0, 2.5)]
    assert distortions == sorted(distortions, reverse=True)


def test_theorem_1_and_lemma_1_have_their_lines(reproduction: Reproduction) -> None:
    said = {str(one.order).partition(":")[0]: one for one in reproduction.orders}
    assert said["Theorem 1"].holds and "0.0031 to 0.0752 bits" in str(said["Theorem 1"].order)
    assert said["Lemma 1"].holds


def test_figures_3_to_10_are_drawn(reproduction: Reproduction) -> None:
    assert {curve.figure for curve in reproduction.curves} == set(range(3, 11))
    stored = encode(Reproductions(True, (reproduction,)))["reproductions"][0]
    figure = drawn_curves_figure("rate-distortion", stored["curves"])
    svg = figure.to_svg()
    assert width(svg) <= WIDTH
    assert {*(f"Figure {number}" for number in range(3, 11)), "λ = 0.5", "symmetric channel"} <= words(svg)
    points = [curve.points for curve in reproduction.curves if curve.figure == 9]
    assert set(drawn(figure, "up")) >= {point[1] for curve in points for point in curve}
    assert figure.told.startswith("Figure 3: distortion, leakage in bits.")


def test_curves_are_of_the_paper_that_draws_them(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for arguments in (["notions"], []):
        code, _, err = run(capsys, "reproduce", *arguments, "--curves", tmp_path / "c.svg")
        assert code == 2 and "the figures of rate-distortion alone" in err
    code, _, err = run(capsys, "reproduce", "rate-distortion", "--curves", tmp_path / "c.png")
    assert code == 2 and "end it in .svg" in err
    assert list(tmp_path.iterdir()) == []
    assert run(capsys, "reproduce", "rate-distortion", "--curves", tmp_path / "c.svg")[0] == 0
    assert (tmp_path / "c.svg").read_text().startswith("<svg")
