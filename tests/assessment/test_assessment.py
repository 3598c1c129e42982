"""Assessments: numbers by hand, what is missing, grades and intervals."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from scipy import stats

from leakgauge.artefacts.assessment import Grade, Veto, grade_of
from leakgauge.artefacts.evidence import Evidence, Scale, Standing, missing
from leakgauge.assessment.assessment import Assessment, assess
from leakgauge.assessment.diagram import Diagram
from leakgauge.assessment.diagram_files import default_diagram
from leakgauge.assessment.intervals import CONCENTRATION
from leakgauge.errors import ModelError, OptionError
from leakgauge.sentences import Sentence
from tests.assessment.diagrams import measured, with_places
from tests.grids import examples

MIDDLE = dict.fromkeys(default_diagram().leaves, 0.5)


def test_a_criterion_by_hand() -> None:
    places = {"6": 0.25, "10": 0.1, "12": 0.8}
    found = assess(default_diagram(), measured(places), draws=0)
    # 32 = mirrored 6, 33 = mean of mirrored 10 and of 12, 43 = mean of mirrored 32 and of 33.
    assert found.nodes["32"].tolist() == [0, 0, 0, 1, 0]
    assert found.position("33") == pytest.approx((0.9 + 0.8) / 2)
    assert found.position("43") == pytest.approx((0.25 + 0.85) / 2)
    assert found.utility == pytest.approx(55)
    # 42 knows 31 alone, which knows 32 alone; 41 knows nothing.
    assert found.privacy == pytest.approx(75) and "41" in found.unknown
    # 45 = mean of 42 and 43, where 6 has −1/2 + 1/4: it spans 1/4 + 1/8 + 1/8.
    assert found.score == pytest.approx(100 * (0.25 * 0.75 + 0.125 * 0.9 + 0.125 * 0.8) / 0.5)
    assert found.sensitivities == pytest.approx({"6": -50, "10": -25, "12": 25})


def test_nodes_without_known_leaves_are_named() -> None:
    places = {key: place for key, place in MIDDLE.items() if key not in {"26", "27", "15"}}
    given_ = [
        *measured(places),
        missing("26", Sentence("No plan.")),
        Evidence("x", Standing.DECLARED, Sentence(""), 1, "", Scale(0, 1)),
    ]
    found = assess(default_diagram(), given_, draws=0)
    assert (found.missing, found.unknown, found.unused) == (("15", "26", "27"), ("37",), ("x",))
    assert found.evidence["26"].source == Sentence("No plan.") and found.evidence["27"].standing is Standing.MISSING
    assert found.score == 50 and found.grade is Grade.MEDIUM


def test_nothing_known_is_refused_and_privacy_may_be_unknown() -> None:
    diagram = default_diagram()
    for evidence in ([], [missing("3", Sentence(""))], measured({"x": 0.5})):
        with pytest.raises(ModelError, match="no leaf that moves the value '45' is known"):
            assess(diagram, evidence)
    # 42 falls by as much as 43 rises: alone, leaf 6 says nothing of the whole.
    with pytest.raises(ModelError, match="no leaf"):
        assess(diagram, measured({"6": 0.5}))
    found = assess(diagram, measured({"14": 1}))
    assert (found.privacy, found.utility, found.privacy_interval) == (None, None, None)
    assert (found.score, found.grade_uncapped, found.interval) == (100, Grade.VERY_GOOD, (100, 100))
    # What is not known is not safe, however good the rest is.
    assert found.grade is Grade.POOR and "privacy, utility, the budget ε (leaf 3)" in str(found.vetoes[0].reason)
    with pytest.raises(ModelError, match="two pieces of evidence of leaf '3'"):
        assess(diagram, measured({"3": 1}) * 2)


def test_cuts_belong_to_the_better_grade() -> None:
    for cut, below, above in zip((20, 40, 60, 80), list(Grade)[:-1], list(Grade)[1:], strict=True):
        assert (grade_of(cut - 1e-6), grade_of(cut)) == (below, above)
    assert (grade_of(0), grade_of(100)) == (Grade.VERY_POOR, Grade.VERY_GOOD)


def test_grades_rank_and_have_the_papers_letters() -> None:
    assert [one.label for one in sorted(Grade, reverse=True)] == ["VHL", "HL", "ML", "LL", "VLL"]
    for score in (-0.1, 100.1, float("nan")):
        with pytest.raises(OptionError, match="has no grade"):
            grade_of(score)


def test_a_score_on_a_cut_is_not_lost_to_rounding() -> None:
    # 0.1 + 0.2 is above 0.3 and 1 − 0.9 below 0.1: thirds and tenths must not decide a grade.
    for share, grade in ((0.2, Grade.POOR), (0.4, Grade.MEDIUM), (0.6, Grade.GOOD), (0.8, Grade.VERY_GOOD)):
        start = assess(default_diagram(), measured(MIDDLE), draws=0)
        places = {key: share if one > 0 else 1 - share for key, one in start.sensitivities.items()}
        assert grade_of(assess(default_diagram(), measured(places), draws=0).score) is grade


def test_the_grade_is_the_lowest_of_score_privacy_and_utility() -> None:
    for places in (MIDDLE | {"3": 0.0, "2": 0.0}, MIDDLE | {"3": 1.0, "2": 1.0}, MIDDLE):
        found = assess(default_diagram(), measured(places), draws=0)
        assert found.privacy is not None and found.utility is not None
        assert found.grade_uncapped is grade_of(min(found.score, found.privacy, found.utility))
        assert found.grade is found.grade_uncapped
    low, high = (assess(default_diagram(), measured(MIDDLE | {"3": at, "2": at}), draws=0) for at in (0.0, 1.0))
    assert low.score >= 40 <= high.score, "the score alone would not show it"
    assert low.grade is Grade.POOR and high.grade is Grade.POOR


def test_a_leaf_that_a_verdict_needs_caps_the_grade_where_it_is_missing() -> None:
    good = {key: 0.8 if one > 0 else 0.2 for key, one in assess_at(MIDDLE).sensitivities.items()}
    for leaf in ("3", "5", "6"):
        found = assess(default_diagram(), measured({key: at for key, at in good.items() if key != leaf}), draws=0)
        assert [f"(leaf {leaf})" in str(veto.reason) for veto in found.vetoes] == [True]
        assert found.grade is Grade.POOR
    without = assess(default_diagram(), measured({key: at for key, at in good.items() if key != "14"}), draws=0)
    assert without.vetoes == () and assess_at(good).vetoes == ()


def assess_at(places: dict[str, float]) -> Assessment:
    return assess(default_diagram(), measured(places), draws=0)


def test_vetoes_cap_the_grade_and_leave_the_score() -> None:
    best = {"14": 1.0, "15": 1.0}
    found = assess(
        default_diagram(), measured(best), [Veto(Sentence("broken")), Veto(Sentence("worse"), Grade.VERY_POOR)], draws=0
    )
    assert (found.score, found.grade_uncapped, found.grade) == (100, Grade.VERY_GOOD, Grade.VERY_POOR)
    low = assess(default_diagram(), measured({"14": 0.0}), [Veto(Sentence("broken"))], draws=0)
    assert low.grade is Grade.VERY_POOR, "a cap lifts nobody"


def test_answers_count_as_their_mean() -> None:
    asked = Evidence("14", Standing.ASKED, Sentence("12 people"), answers=(1, 0, 3, 4, 4))
    found = assess(default_diagram(), [asked])
    assert found.score == pytest.approx(25 * (3 * 2 + 4 * 3 + 4 * 4) / 12)
    many = assess(default_diagram(), [replace(asked, answers=(100, 0, 300, 400, 400))])
    assert found.interval is not None and many.interval is not None
    assert np.diff(found.interval) > 1.5 * np.diff(many.interval)


@examples(15)
@given(with_places(), st.integers(0, 3), st.sampled_from([0.5, 0.95]))
def test_the_interval_holds_the_score(placed: tuple[Diagram, dict[str, float]], seed: int, confidence: float) -> None:
    diagram, places = placed
    try:
        found = assess(diagram, measured(places), draws=200, simulation_seed=seed, confidence=confidence)
    except ModelError:
        return
    for score, interval in (
        (found.score, found.interval),
        (found.privacy, found.privacy_interval),
        (found.utility, found.utility_interval),
    ):
        assert (score is None) == (interval is None)
        if score is not None and interval is not None:
            assert 0 <= interval[0] <= score <= interval[1] <= 100


def width(found: tuple[float, float] | None) -> float:
    assert found is not None
    return found[1] - found[0]


def test_intervals_are_repeatable_and_widen_with_what_is_unknown() -> None:
    random = {key: (at * 37 % 28) / 27 for at, key in enumerate(MIDDLE)} | {"4": 0.1}
    exact, diagram = measured(random), default_diagram()
    loose = [replace(one, low=one.value - 0.1, high=one.value + 0.1) for one in exact if one.value is not None]
    first, again, other = (assess(diagram, exact, simulation_seed=seed) for seed in (1, 1, 2))
    assert first.interval == again.interval != other.interval
    assert width(first.interval) == pytest.approx(width(other.interval), rel=0.05)
    assert width(assess(diagram, loose).interval) > width(first.interval) + 1
    assert width(assess(diagram, exact, confidence=0.5).interval) < 0.6 * width(first.interval)
    assert assess(diagram, exact, draws=0).interval is None
    unbounded = [replace(one, high=float("inf")) if one.leaf == "4" else one for one in exact]
    assert width(assess(diagram, unbounded).privacy_interval) > width(first.privacy_interval)


def test_equal_weights_are_drawn_within_a_factor_of_two() -> None:
    ratio = stats.f(2 * CONCENTRATION, 2 * CONCENTRATION)
    assert ratio.cdf(2) - ratio.cdf(0.5) == pytest.approx(0.95, abs=0.005)


def test_other_states_give_the_same_score_and_a_stated_range() -> None:
    places = {key: (at * 37 % 28) / 27 for at, key in enumerate(MIDDLE)}
    five, finer = default_diagram(), dataclasses.replace(default_diagram(), states=11)
    one, other = assess(five, measured(places)), assess(finer, measured(places))
    assert one.score == pytest.approx(other.score) and other.nodes["45"].shape == (11,)
    for options in ({"draws": -1}, {"draws": 10**6}, {"confidence": 1.0}, {"simulation_seed": -1}):
        with pytest.raises(OptionError):
            assess(five, measured(places), **options)
