"""What would lift the grade: every answer reaches the target, none is cheaper, and a no names what blocks."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from leakgauge.artefacts.assessment import Grade, Lift, Veto
from leakgauge.artefacts.evidence import Evidence, Scale, Standing
from leakgauge.assessment.assessment import Assessment, assess
from leakgauge.assessment.diagram_files import default_diagram
from leakgauge.assessment.lifts import lifts
from leakgauge.errors import OptionError, RefusalError
from leakgauge.randomness import simulation
from leakgauge.sentences import Sentence
from tests.assessment.diagrams import measured
from tests.grids import examples

LEAVES = default_diagram().leaves
FIXED = {"16", "18", "19"}


def at_places(places: dict[str, float]) -> Assessment:
    return assess(default_diagram(), measured(places), draws=0)


def random_places(seed: int) -> dict[str, float]:
    return dict(zip(LEAVES, simulation(seed).random(len(LEAVES)).tolist(), strict=True))


def after(places: dict[str, float], lift: Lift) -> Assessment:
    return at_places({**places, **{move.leaf: move.end for move in lift.moves}})


@given(st.integers(0, 10_000), st.floats(0.1, 30))
def test_an_answer_reaches_the_target_and_says_what_it_does_to_privacy(seed: int, more: float) -> None:
    places = random_places(seed)
    start = at_places(places)
    target = min(start.score + more, 90.0)
    assume(target > start.score)
    try:
        found = lifts(start, target)
    except RefusalError:
        return
    assert 1 <= len(found) <= 10
    assert [one.cost for one in found] == sorted(one.cost for one in found)
    for one in found:
        reached = after(places, one)
        assert reached.score == pytest.approx(target, abs=1e-6) == one.score
        assert (reached.privacy, reached.utility) == pytest.approx((one.privacy, one.utility), abs=1e-6)
        assert start.privacy is not None and reached.privacy is not None
        assert ("privacy" in one.lowers) == (reached.privacy < start.privacy - 1e-8)
        assert one.cost == pytest.approx(sum(abs(move.end - move.start) for move in one.moves))
        assert not FIXED & {move.leaf for move in one.moves}


@given(st.integers(0, 10_000), st.floats(1, 12), st.data())
def test_no_other_two_leaves_do_it_for_less(seed: int, more: float, data: st.DataObject) -> None:
    places = random_places(seed)
    start = at_places(places)
    try:
        found = lifts(start, min(start.score + more, 100.0))
    except RefusalError:
        return
    assume(found and len(found[0].moves) <= 2)
    pair = data.draw(st.lists(st.sampled_from([key for key in LEAVES if key not in FIXED]), min_size=2, max_size=2))
    ends = {key: data.draw(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])) for key in pair}
    cost = sum(abs(end - places[key]) for key, end in ends.items())
    if at_places({**places, **ends}).score >= start.score + more:
        assert cost >= found[0].cost - 1e-9


def test_two_leaves_by_hand() -> None:
    # 14 and 15 are all that is known: half of the score each.
    start = at_places({"14": 0.2, "15": 0.6})
    assert start.score == 40
    (only,) = lifts(start, 85)
    # 45 points are 0.9 of the two: equally cheap, so that the first in the alphabet goes as far as it can.
    assert [(move.leaf, move.start) for move in only.moves] == [("14", 0.2), ("15", 0.6)]
    assert [move.end for move in only.moves] == pytest.approx([1.0, 0.7])
    assert only.cost == pytest.approx(0.9) and only.score == 85
    single = lifts(start, 60)
    # 20 points are 0.4 of either leaf; 15 has just that room.
    assert [[move.leaf for move in one.moves] for one in single] == [["14"], ["15"]]
    assert [one.cost for one in single] == pytest.approx([0.4, 0.4])


def test_a_move_says_the_raw_value() -> None:
    evidence = [
        Evidence("24", Standing.MEASURED, Sentence(""), 1.0, "bytes", Scale(0.01, 100, logarithmic=True)),
        Evidence("14", Standing.ASKED, Sentence(""), answers=(0, 0, 1, 0, 0)),
    ]
    start = assess(default_diagram(), evidence, draws=0)
    found = {one.moves[0].leaf: one.moves[0] for one in lifts(start, start.score + 1) if len(one.moves) == 1}
    assert found["24"].value == pytest.approx(0.01 * 10 ** (4 * found["24"].end)) and found["24"].end < 0.5
    assert found["14"].value is None and found["14"].end > 0.5


def test_as_many_leaves_as_it_takes() -> None:
    start = at_places(dict.fromkeys(LEAVES, 0.5))
    with pytest.raises(RefusalError):
        lifts(start, 99)
    (found,) = lifts(start, 80)
    assert len(found.moves) > 2 and found.score == 80
    assert after(dict.fromkeys(LEAVES, 0.5), found).score == pytest.approx(80)
    # No leaf stays aside that gives more for its cost than one that moves.
    moved = {move.leaf for move in found.moves}
    least = min(abs(start.sensitivities[key]) for key in moved)
    assert all(abs(start.sensitivities[key]) <= least + 1e-9 for key in set(LEAVES) - moved - FIXED)


@given(st.integers(0, 10_000))
@examples(10)
def test_a_lift_to_a_grade_lifts_all_three_scores(seed: int) -> None:
    places = random_places(seed)
    start = at_places(places)
    better = [grade for grade in Grade if grade > start.grade]
    assume(better)
    try:
        found = lifts(start, better[0])
    except RefusalError:
        reject()
    assert found
    for one in found:
        reached = after(places, one)
        assert reached.grade >= better[0]
        assert (reached.privacy, reached.utility) == pytest.approx((one.privacy, one.utility), abs=1e-6)
        assert not FIXED & {move.leaf for move in one.moves}


def test_a_grade_out_of_reach_says_what_each_score_comes_to() -> None:
    with pytest.raises(
        RefusalError, match=r"very-good .*all have to be 80, .* to score 95.37, privacy 100, utility 100"
    ):
        lifts(at_places(dict.fromkeys(LEAVES, 0.5)), Grade.VERY_GOOD)


def test_a_grade_by_hand() -> None:
    # ε is a trade-off: with δ at its place, more of it buys the utility that is short, and no lift of the score does.
    start = at_places({**dict.fromkeys(LEAVES, 0.5), "3": 0.0, "2": 0.0})
    assert start.utility is not None and start.utility < 40 <= start.score
    found = lifts(start, Grade.MEDIUM)
    alone = [one.moves[0] for one in found if [move.leaf for move in one.moves] == ["3"]]
    assert len(alone) == 1 and alone[0].end == pytest.approx((40 - start.utility) / start.utility_sensitivities["3"])
    assert all(one.utility is not None and one.utility >= 40 for one in found)
    assert [one.lowers for one in found if [move.leaf for move in one.moves] == ["3"]] == [("privacy",)]


def test_what_cannot_be_reached_names_what_blocks() -> None:
    worst = at_places({"19": 1.0, "14": 0.0})
    with pytest.raises(RefusalError, match=r"80 cannot be reached: .* give 50; .* 19 \(sensitivity of the data, 50 p"):
        lifts(worst, 80)
    with pytest.raises(RefusalError, match=r"ease of use"):
        lifts(worst, 30, fixed=["14"])
    broken = assess(default_diagram(), measured({"14": 0.0}), [Veto(Sentence("the claim is broken"))], draws=0)
    with pytest.raises(RefusalError, match=r"medium cannot be reached .*: the claim is broken"):
        lifts(broken, Grade.MEDIUM)
    assert lifts(broken, Grade.POOR)[0].score == pytest.approx(20), "a cap at poor leaves poor"
    assert lifts(broken, 60)[0].score == 60, "a score has no cap"


def test_nothing_to_do_and_bad_input() -> None:
    start = at_places({"14": 0.5})
    assert lifts(start, 50) == lifts(start, Grade.POOR) == ()
    for target, options in itertools.chain(
        ((target, {}) for target in (-1, 101, float("nan"))),
        ((60, one) for one in ({"fixed": ["99"]}, {"most": 0})),
    ):
        with pytest.raises(OptionError):
            lifts(start, target, **options)
