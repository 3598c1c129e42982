"""Laws of the grade that decides."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from leakgauge.assessment.assessment import Assessment, assess
from leakgauge.assessment.diagram import Arc, Better, Diagram
from leakgauge.assessment.diagram_files import default_diagram
from leakgauge.errors import ModelError
from leakgauge.randomness import simulation
from tests.assessment.diagrams import PLACES, measured, small_diagrams, weighted_default, with_places

Placed = tuple[Diagram, dict[str, float]]


def scored(diagram: Diagram, places: dict[str, float]) -> Assessment:
    try:
        return assess(diagram, measured(places), draws=0)
    except ModelError as error:
        # Trade-offs may cancel where hardly anything else is known.
        if "no leaf that moves" in str(error):
            reject()
        raise


@given(with_places())
def test_the_best_of_everything_is_100_and_the_worst_0(placed: Placed) -> None:
    diagram, places = placed
    start = scored(diagram, places)
    best = {key: 1.0 if start.sensitivities[key] > 0 else 0.0 for key in places}
    assert scored(diagram, best).score == 100
    assert scored(diagram, {key: 1 - place for key, place in best.items()}).score == 0
    for key in places:
        better = diagram.nodes[key].better
        assert better is Better.TRADE_OFF or (better is Better.HIGHER) == (start.sensitivities[key] > 0)


@given(with_places(), st.data())
def test_a_leaf_that_gets_better_never_lowers_the_score(placed: Placed, data: st.DataObject) -> None:
    diagram, places = placed
    plain = [key for key in places if diagram.nodes[key].better is not Better.TRADE_OFF]
    assume(plain)
    key = data.draw(st.sampled_from(plain))
    low, high = sorted([places[key], data.draw(PLACES)])
    worse, better = (low, high) if diagram.nodes[key].better is Better.HIGHER else (high, low)
    before, after = (scored(diagram, {**places, key: place}) for place in (worse, better))
    assert after.score >= before.score
    if diagram.value == "45":
        # A diagram drawn at random may count a criterion against its value.
        assert after.grade >= before.grade
    if high - low > 1e-3:
        assert after.score > before.score


@given(weighted_default(), st.sampled_from(["1", "2", "3", "6", "7", "8", "9"]), st.data())
def test_a_trade_off_moves_privacy_and_utility_apart(diagram: Diagram, key: str, data: st.DataObject) -> None:
    places = {one: data.draw(PLACES) for one in diagram.leaves}
    low, high = (scored(diagram, {**places, key: place}) for place in (0.2, 0.8))
    assert None not in (low.privacy, low.utility, high.privacy, high.utility)
    privacy, utility = high.privacy - low.privacy, high.utility - low.utility  # type: ignore[operator]
    # More of Δ and of entropy hides more; more of δ, ε and information tells more.
    assert (privacy > 0 > utility) if key in {"1", "8", "9"} else (privacy < 0 < utility)


@given(weighted_default(), st.sampled_from(range(53)))
def test_an_arc_against_a_declaration_is_refused(diagram: Diagram, at: int) -> None:
    arc = diagram.arcs[at]
    arcs = [*diagram.arcs[:at], dataclasses.replace(arc, mirrored=not arc.mirrored), *diagram.arcs[at + 1 :]]
    if arc.source in {"1", "2", "3"}:
        # One arc of three leaves a trade-off unless it was the only one of its sign.
        alone = [one.mirrored for one in diagram.arcs if one.source == arc.source].count(arc.mirrored) == 1
        assume(alone)
    if arc.source in {"6", "7", "8", "9"}:
        assert dataclasses.replace(diagram, arcs=tuple(arcs)).nodes[arc.source].better is Better.TRADE_OFF
        return
    with pytest.raises(ModelError, match="says better"):
        dataclasses.replace(diagram, arcs=tuple(arcs))


@given(with_places(), st.data())
def test_sensitivities_are_exact(placed: Placed, data: st.DataObject) -> None:
    diagram, places = placed
    start = scored(diagram, places)
    key, place = data.draw(st.sampled_from(list(places))), data.draw(PLACES)
    moved, step = scored(diagram, {**places, key: place}), place - places[key]
    assert moved.score - start.score == pytest.approx(start.sensitivities[key] * step, abs=1e-7)
    for after, before, of in (
        (moved.privacy, start.privacy, start.privacy_sensitivities),
        (moved.utility, start.utility, start.utility_sensitivities),
    ):
        assert (after is None) == (before is None)
        if after is not None and before is not None:
            assert after - before == pytest.approx(of[key] * step, abs=1e-7)


@given(small_diagrams(), st.data())
def test_the_score_is_the_expected_state_between_the_ends_of_all_corners(diagram: Diagram, data: st.DataObject) -> None:
    places = {key: data.draw(PLACES) for key in diagram.leaves}
    found = scored(diagram, places)
    corners = itertools.product((0.0, 1.0), repeat=len(places))
    reached = [scored(diagram, dict(zip(places, one, strict=True))).position("value") for one in corners]
    low, high = min(reached), max(reached)
    assume(high - low > 1e-6)
    assert found.score == pytest.approx(100 * (found.position("value") - low) / (high - low), abs=1e-6)


@given(with_places())
def test_nodes_are_distributions_of_those_that_lead_to_them(placed: Placed) -> None:
    diagram, places = placed
    found = scored(diagram, places)
    for key, states in found.nodes.items():
        assert states.shape == (diagram.states,) and states.min() >= 0
        assert states.sum() == pytest.approx(1)
        into = [arc for arc in diagram.into(key) if arc.source in found.nodes]
        if into:
            parts = [found.nodes[arc.source][:: -1 if arc.mirrored else 1] * arc.weight for arc in into]
            assert np.allclose(states, sum(parts) / sum(arc.weight for arc in into))
        else:
            assert found.position(key) == pytest.approx(places[key])
    assert set(found.missing) == set(diagram.leaves) - set(places)
    for key in found.unknown:
        assert not any(arc.source in found.nodes for arc in diagram.into(key))


@given(weighted_default(), st.data())
def test_a_missing_leaf_is_as_if_the_diagram_never_had_it(diagram: Diagram, data: st.DataObject) -> None:
    gone = set(data.draw(st.lists(st.sampled_from(diagram.leaves), min_size=1, max_size=20, unique=True)))
    places = {key: data.draw(PLACES) for key in diagram.leaves if key not in gone}
    dropped = set(gone)
    for key in diagram.order:
        into = diagram.into(key)
        if into and all(arc.source in dropped for arc in into):
            dropped.add(key)
    assume(not dropped & {"41", "42", "43", "45"})
    smaller = dataclasses.replace(
        diagram,
        nodes={key: node for key, node in diagram.nodes.items() if key not in dropped},
        arcs=tuple(arc for arc in diagram.arcs if arc.source not in dropped),
    )
    one, other = assess(diagram, measured(places), draws=0), assess(smaller, measured(places), draws=0)
    assert one.score == pytest.approx(other.score)
    assert (one.privacy, one.utility) == pytest.approx((other.privacy, other.utility))
    assert set(one.missing) | set(one.unknown) == dropped


@given(weighted_default(), st.floats(0.01, 100))
def test_only_the_ratios_of_weights_count(diagram: Diagram, factor: float) -> None:
    arcs = tuple(
        dataclasses.replace(one, weight=one.weight * (factor if one.target == "42" else 1)) for one in diagram.arcs
    )
    places = {key: at / 27 for at, key in enumerate(diagram.leaves)}
    one, other = scored(diagram, places), scored(dataclasses.replace(diagram, arcs=arcs), places)
    assert one.score == pytest.approx(other.score, abs=1e-7)


def test_huge_weights_do_not_overflow() -> None:
    diagram = default_diagram()
    arcs = tuple(Arc(one.source, one.target, one.mirrored, 1e308) for one in diagram.arcs)
    places = {key: at / 27 for at, key in enumerate(diagram.leaves)}
    assert scored(dataclasses.replace(diagram, arcs=arcs), places).score == scored(diagram, places).score


def test_random_leaves_give_distinct_scores() -> None:
    diagram, random = default_diagram(), simulation(7)
    scores = {scored(diagram, dict(zip(diagram.leaves, random.random(28), strict=True))).score for _ in range(300)}
    assert len(scores) == 300
    assert max(scores) - min(scores) > 20


def test_privacy_falls_and_utility_rises_with_epsilon() -> None:
    diagram = default_diagram()
    along = [scored(diagram, {**dict.fromkeys(diagram.leaves, 0.5), "3": place}) for place in np.linspace(0, 1, 11)]
    privacy = [one.privacy for one in along if one.privacy is not None]
    utility = [one.utility for one in along if one.utility is not None]
    assert len(privacy) == len(utility) == 11
    assert np.all(np.diff(privacy) < 0) and np.all(np.diff(utility) > 0)
