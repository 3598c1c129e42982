"""The criteria explain the scores: raw copies and pure noise at the ends, and nothing improves by being left out."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leakgauge.artefacts import codec
from leakgauge.artefacts.criteria import Criteria, Criterion
from leakgauge.artefacts.evidence import Evidence, Scale, Standing
from leakgauge.artefacts.scores import Attacker, ScoreEvidence, Scores, Statistic, share
from leakgauge.assessment import Questionnaire, collect, default_diagram, protected_column
from leakgauge.assessment.algebra import over_arcs
from leakgauge.assessment.criteria import criteria_of, default_criteria
from leakgauge.assessment.criteria.diagram import Best
from leakgauge.assessment.indicators.questionnaire import declared_sensitivity
from leakgauge.assessment.scores.evidence import evidence_by_law
from leakgauge.assessment.scores.reading import scores_of
from leakgauge.case.law import ReleaseLaw
from leakgauge.errors import ModelError, OptionError
from leakgauge.mechanisms import Mechanism, randomized_response, through_channel
from leakgauge.probability import Channel
from leakgauge.randomness import Simulated, simulation
from leakgauge.sentences import Sentence
from tests.assessment.indicators.small import LETTERS, table

FACTS = {"16", "18", "19"}


@cache
def known(epsilon: float | None, independent: bool = False) -> tuple[tuple[Evidence, ...], Scores]:
    """Leaves and scores of randomized response, of a raw copy (no ε), or of an independent draw."""
    people = table()
    source = people.counts("illness").distribution()
    mechanism: Mechanism
    if epsilon is not None:
        mechanism = randomized_response(epsilon, letters=LETTERS)
    else:
        rows = np.tile(source.probabilities, (3, 1)) if independent else np.eye(3)
        mechanism = through_channel(Channel(source.outcomes, source.outcomes, rows))
    answers = Questionnaire({"14": (0, 1, 2, 3, 4), "15": (5, 4, 3, 2, 1), "19": (0, 0, 1, 2, 3)}, 15)
    channel = mechanism.channel()
    assert channel is not None
    scores = scores_of(evidence_by_law(ReleaseLaw(source, channel), claims=mechanism.claims))
    gained = Evidence(
        *("5", Standing.MEASURED, Sentence("by law"), 1 - scores.protection.value / 100, "", Scale(0, 1)), null=0, raw=1
    )
    evidence = collect(protected_column(people, "illness", mechanism, Simulated(1)), questionnaire=answers)
    return tuple(gained if one.leaf == "5" else one for one in evidence), scores


def by_key(found: Criteria) -> dict[str, Criterion]:
    return {one.key: one for one in found.criteria}


def points(found: Criteria) -> dict[str, float]:
    return {one.key: one.points.value for one in found.criteria if one.points is not None}


def test_a_raw_copy_and_pure_noise_stand_at_the_ends() -> None:
    raw, noise = points(criteria_of(*known(None))), points(criteria_of(*known(None, independent=True)))
    assert (raw["security"], raw["guarantee"], raw["utility"]) == (0, 0, 100)
    assert noise["security"] == pytest.approx(100, abs=0.1) and noise["guarantee"] == 100
    assert noise["utility"] == pytest.approx(0, abs=1e-6)


def test_more_noise_secures_and_guarantees_more_and_is_worth_less() -> None:
    found = [points(criteria_of(*known(epsilon))) for epsilon in (0.1, 0.5, 1.0, 2.0, 4.0)]
    for more, less in pairwise(found):
        assert more["security"] > less["security"] and more["guarantee"] > less["guarantee"]
        assert more["utility"] < less["utility"]


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_no_criterion_is_better_than_its_score(epsilon: float) -> None:
    evidence, scores = known(epsilon)
    for one in criteria_of(evidence, scores).criteria:
        assert one.points is not None
        if one.score is not None:
            if one.score == "guarantee":
                assert scores.guarantee is not None
                assert one.points.value == pytest.approx(100 * (1 - scores.guarantee.advantage))
                continue
            score = getattr(scores, one.score)
            assert one.points.value <= score.value and one.points.ends[1] <= score.ends[1]


def test_a_leaf_that_says_worse_lowers_its_criterion() -> None:
    evidence, scores = known(1.0)
    attacked = [replaced(one, 0.9) if one.leaf == "5" else one for one in evidence]
    assert points(criteria_of(attacked, scores))["security"] < points(criteria_of(evidence, scores))["security"]


def replaced(one: Evidence, value: float) -> Evidence:
    return Evidence(one.leaf, Standing.MEASURED, one.source, value, one.unit, one.scale, null=one.null, raw=one.raw)


def test_a_guarantee_is_one_advantage_whatever_its_parameters_are() -> None:
    evidence, scores = known(1.0)
    moved = [
        replaced(one, value) if (value := {"1": 50.0, "2": 0.01, "3": 9.0}.get(one.leaf)) else one for one in evidence
    ]
    assert points(criteria_of(moved, scores)) == points(criteria_of(evidence, scores))
    guarantee = by_key(criteria_of(evidence, scores))["guarantee"]
    assert scores.guarantee is not None and guarantee.points is not None
    assert guarantee.points.value == pytest.approx(100 * (1 - scores.guarantee.advantage))
    assert guarantee.standing is Standing.DECLARED
    assert [leaf.leaf for leaf in guarantee.leaves] == ["1", "2", "3"]


@given(st.sets(st.sampled_from(list(default_criteria().leaves))))
def test_leaving_something_out_improves_nothing(left_out: set[str]) -> None:
    evidence, scores = known(1.0)
    every = criteria_of(evidence, scores)
    fewer = criteria_of([one for one in evidence if one.leaf not in left_out], scores)
    for before, after in zip(every.criteria, fewer.criteria, strict=True):
        assert before.points is not None and set(after.missing) <= left_out | set(before.missing)
        if after.points is not None:
            assert after.points.value <= before.points.value and after.points.ends[0] <= before.points.ends[0]
            assert after.points.ends[1] >= before.points.ends[1] - 1e-9
    assert every.needed is not None and every.needed.points is not None and fewer.needed is not None
    if fewer.needed.points is not None:
        assert fewer.needed.points.value >= every.needed.points.value
        assert fewer.needed.points.ends[1] >= every.needed.points.ends[1]
    else:
        assert left_out >= FACTS and "How sensitive these data are was not declared" in str(fewer.beside)


PLACES = st.floats(0, 1)


def facts(correlation: float, covariance: float, sensitivity: float) -> list[Evidence]:
    places = zip(sorted(FACTS), (correlation, covariance, sensitivity), strict=True)
    return [Evidence(leaf, Standing.DECLARED, Sentence(""), place, "", Scale(0, 1)) for leaf, place in places]


def needed(found: Criteria) -> float:
    assert found.needed is not None and found.needed.points is not None
    return found.needed.points.value


@given(st.tuples(PLACES, PLACES, PLACES), st.tuples(PLACES, PLACES, PLACES))
def test_facts_of_the_data_set_what_is_needed_and_nothing_else(
    one: tuple[float, float, float], other: tuple[float, float, float]
) -> None:
    evidence, scores = known(1.0)
    release = [leaf for leaf in evidence if leaf.leaf not in FACTS]
    low, high = (list(map(pick, one, other)) for pick in (min, max))
    less, more = (criteria_of([*release, *facts(*places)], scores) for places in (low, high))
    assert less.criteria == more.criteria and less.audit == more.audit
    assert 0 <= needed(less) <= needed(more) <= 100


def test_what_is_needed_by_hand() -> None:
    _, scores = known(1.0)
    assert needed(criteria_of(facts(1, 1, 1), scores)) == 100 and needed(criteria_of(facts(0, 0, 0), scores)) == 0
    # Very sensitive data that go with nothing call for more than the 60 that everybody is held to.
    assert needed(criteria_of(facts(0, 0, 1), scores)) == pytest.approx(200 / 3)
    found = criteria_of([*facts(0.6, 0.36, 0)[:2], declared_sensitivity(4)], scores)
    assert needed(found) == pytest.approx(100 * (0.6 + 0.36 + 4 * 0.75) / 6)
    assert str(found.beside) == "The data need a protection of 66 of 100; the release has 71."
    unasked = criteria_of(facts(0.6, 0.36, 0)[:2], scores)
    assert unasked.needed is not None and unasked.needed.missing == ("19",)
    assert needed(unasked) == pytest.approx(100 * (0.6 + 0.36 + 4) / 6)
    assert "up to 82.7 of 100" in str(unasked.beside)


@pytest.mark.parametrize("answer", [0, 6, 2.5, True, "4"])
def test_a_sensitivity_that_is_no_answer(answer: object) -> None:
    with pytest.raises(OptionError, match="from 1 to 5"):
        declared_sensitivity(answer)  # type: ignore[arg-type]


def test_the_tightness_of_an_audit_protects_nobody() -> None:
    evidence, scores = known(1.0)
    others = [one for one in evidence if one.leaf != "4"]
    weak, strong = (criteria_of([*others, *tight(place)], scores) for place in (0.1, 0.9))
    assert weak.criteria == strong.criteria and weak.needed == strong.needed
    assert weak.audit is not None and weak.audit.points is not None and weak.audit.points.value == pytest.approx(10)
    none = criteria_of(others, scores)
    assert none.audit is not None and none.audit.points is None and str(none.audit.said) == "not known"


def tight(place: float) -> list[Evidence]:
    return [Evidence("4", Standing.MEASURED, Sentence(""), place, "", Scale(0, 1))]


def test_who_was_not_asked_says_nothing() -> None:
    evidence, scores = known(1.0)
    unasked = by_key(criteria_of([one for one in evidence if one.leaf not in ("14", "15")], scores))["experience"]
    assert unasked.points is None and unasked.standing is Standing.MISSING and str(unasked.said) == "not asked"
    half = by_key(criteria_of([one for one in evidence if one.leaf != "15"], scores))["experience"]
    # (1 · 1 + 2 · 2 + 3 · 3 + 4 · 4) / 4 / 10 of one leaf, nothing of the other.
    assert half.points is not None and half.points.value == pytest.approx(75 / 2) and half.missing == ("15",)
    assert half.standing is Standing.ASKED and half.points.ends[1] == pytest.approx(100)


def test_means_of_answers_lie_in_their_intervals() -> None:
    _, scores = known(1.0)
    draws, missed = simulation(5), 0
    law = np.array([0.1, 0.1, 0.2, 0.3, 0.3])
    truth = 100 * float(law @ np.linspace(0, 1, 5))
    for counts in draws.multinomial(8, law, size=200):
        asked = Evidence("14", Standing.ASKED, Sentence(""), answers=tuple(counts.tolist()))
        leaf = by_key(criteria_of([asked], scores))["experience"].leaves[0]
        assert leaf.points is not None
        missed += truth not in leaf.points
    assert missed <= 10


def test_the_default_diagram_has_every_indicator_once() -> None:
    diagram = default_criteria()
    fed: Mapping[str, list[str]] = {
        key: [leaf.key for leaf in diagram.feeding(key)] for key in (*diagram.criteria, "needed", "audit")
    }
    assert fed == {
        "security": ["5", "6", "7"],
        "guarantee": ["1", "2", "3"],
        "utility": ["8", "9", "10", "11", "12", "13"],
        "feasibility": [str(leaf) for leaf in range(20, 30)],
        "experience": ["14", "15"],
        "needed": ["16", "18", "19"],
        "audit": ["4"],
    }
    assert [one.score for one in diagram.criteria.values()] == ["protection", "guarantee", "usefulness", None, None]
    outcomes = {key for key, leaf in diagram.leaves.items() if leaf.better in (Best.RAW, Best.NULL)}
    assert outcomes == {str(leaf) for leaf in range(5, 14)}


def test_evidence_of_other_leaves_is_named_and_not_used() -> None:
    evidence, scores = known(1.0)
    other = Evidence("46", Standing.MEASURED, Sentence(""), 0.5, "", Scale(0, 1))
    found = criteria_of([*evidence, other], scores)
    assert found.unused == ("46",) and found.criteria == criteria_of(evidence, scores).criteria
    with pytest.raises(ModelError, match="two pieces of evidence of leaf '46'"):
        criteria_of([other, other], scores)
    with pytest.raises(OptionError, match="confidence of 1 is not between"):
        criteria_of(evidence, scores, confidence=1)


def test_nothing_known_is_not_a_number() -> None:
    found = criteria_of([], scores_of(ScoreEvidence(attackers=())))
    # Without a claim nothing is guaranteed; that much is known.
    assert points(found) == {"guarantee": 0}
    assert {str(one.said) for one in found.criteria} == {"", "not known", "not asked"}


def test_intervals_of_scores_and_leaves_add_up() -> None:
    attacked = ScoreEvidence(
        attackers=(Attacker((), share(0.3, 0.2, 0.4, 0.95), share(0.1)),),
        statistics=(Statistic((), share(0.5, 0.4, 0.6, 0.95)),),
    )
    leaf = Evidence("5", Standing.MEASURED, Sentence(""), 0.2, "", Scale(0, 1), 0.1, 0.5, null=0.0, raw=1.0)
    security = by_key(criteria_of([leaf], scores_of(attacked)))["security"].points
    # A third of what leaf 5 says, nothing of leaves 6 and 7, and at most the score: 70 (60 to 80).
    assert security is not None and security.value == pytest.approx(80 / 3)
    assert security.ends == pytest.approx((50 / 3, 80)) and security.confidence == pytest.approx(0.9)


def test_criteria_are_stored_and_read_back() -> None:
    found = criteria_of(*known(1.0))
    assert codec.decode(Criteria, codec.encode(found), "criteria") == found


def test_why_the_papers_arcs_do_not_decide() -> None:
    evidence, _ = known(None)
    relaxed = [replaced(one, 0.01) if one.leaf == "2" else one for one in evidence]
    raw, more = (over_arcs(default_diagram(), one) for one in (evidence, relaxed))
    assert raw.privacy is not None and raw.privacy > 35 and not raw.decides
    assert raw.utility is not None and more.utility is not None and more.utility > raw.utility + 10
    assert "even unchanged data keep part of the privacy score, and a larger δ raises utility" in str(raw.why_not)


def test_the_reference_says_what_each_leaf_feeds() -> None:
    page = (Path(__file__).parents[3] / "docs" / "reference" / "indicators.md").read_text(encoding="utf-8")
    table = page.split("## What each leaf feeds")[1].split("\n## ")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines() if line.startswith("| ")]
    diagram = default_criteria()
    said = {leaf: (feeds, better, float(share.rstrip(" %"))) for feeds, leaf, better, share, _ in rows[1:]}
    assert said == {
        leaf.key: (leaf.feeds, leaf.better.value, round(100 * diagram.shares(leaf.feeds)[leaf.key], 1))
        for leaf in diagram.leaves.values()
    }
