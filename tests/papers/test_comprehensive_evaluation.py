"""Multi-layer fuzzy comprehensive evaluation of the paper's leaves on its two trees."""

from __future__ import annotations

import pytest

from leakgauge.assessment.comprehensive_evaluation import INDEX_SYSTEM_A, INDEX_SYSTEM_B
from leakgauge.assessment.published import Frequency, State
from leakgauge.errors import ModelError
from leakgauge.papers.influence_diagram import evaluate, table_1

SYSTEMS = (INDEX_SYSTEM_A, INDEX_SYSTEM_B)


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("state", State)
def test_unanimous_leaves_are_that_state(system: dict[str, str], state: State) -> None:
    leaves = {leaf: {state: Frequency.LOW} for leaf in table_1()}
    found = evaluate(leaves, system)
    assert found.memberships == {one: pytest.approx(float(one is state)) for one in State}
    assert found.grade is state


@pytest.mark.parametrize(
    ("system", "share"), [(SYSTEMS[0], 1 / 5 / 2 + 1 / 5 / 2), (SYSTEMS[1], 1 / 5 / 5 + 1 / 5 / 5 / 2)]
)
def test_weights_by_hand(system: dict[str, str], share: float) -> None:
    """Leaf 4 and leaf 5 alone are very high: under 42, and under 31 alone (a) or beside 32 (b)."""
    leaves = {leaf: {State.LOW: Frequency.HIGH} for leaf in table_1()}
    leaves |= {leaf: {State.VERY_HIGH: Frequency.HIGH} for leaf in ("4", "5")}
    assert evaluate(leaves, system).memberships[State.VERY_HIGH] == pytest.approx(share)


def test_a_row_is_the_share_of_each_label() -> None:
    found = evaluate({"14": {State.LOW: Frequency.VERY_HIGH, State.HIGH: Frequency.LOW}}, SYSTEMS[0])
    assert found.memberships[State.LOW] == pytest.approx(0.9 / 1.2)
    assert found.memberships[State.HIGH] == pytest.approx(0.3 / 1.2)


def test_equal_states_go_to_the_lower() -> None:
    found = evaluate({"14": {State.LOW: Frequency.HIGH, State.HIGH: Frequency.HIGH}}, SYSTEMS[0])
    assert found.grade is State.LOW


def test_a_tree_that_is_none_is_refused() -> None:
    with pytest.raises(ModelError, match="The index system makes '1' a part of two factors, '42' and '41'"):
        evaluate(table_1(), {})
    with pytest.raises(ModelError, match="gives the node '1' no parent"):
        evaluate(table_1(), {**INDEX_SYSTEM_A, "1": "44"})


def test_nothing_known_is_refused() -> None:
    with pytest.raises(ModelError, match="No leaf is known"):
        evaluate({}, SYSTEMS[0])
