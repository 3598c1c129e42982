"""What would lift the grade: the cheapest moves of one leaf or two that reach a target.

Score, privacy and utility are linear in the positions of the leaves, so that the answers are exact. A target score is
the score's alone, a grade asks for all three.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from leakgauge.artefacts.assessment import Grade, Lift, Move
from leakgauge.artefacts.evidence import Scale
from leakgauge.assessment.algebra import DIGITS
from leakgauge.assessment.assessment import Assessment
from leakgauge.errors import OptionError, RefusalError, did_you_mean
from leakgauge.probability.cells import Floats
from leakgauge.sentences import Sentence, in_turn

NEAR = 10.0**-DIGITS
"""Points of score below which a move is rounding."""
CLEAR = 1e-6
"""Points of score by which the cut is passed, so that the solver's tolerance of 1e-7 does not miss it."""
STILL = 1e-9
"""Steps below this are none."""

Steps: TypeAlias = tuple[tuple[str, float], ...]
"""Leaves with how far each goes, upwards where above 0."""


@dataclass(frozen=True)
class _Room:
    """How far a leaf may go, how many points a unit of it gives, what a unit costs, and which way it goes."""

    leaf: str
    most: float
    gain: float
    cost: float
    sign: int

    @property
    def points(self) -> float:
        return self.most * self.gain


def lifts(
    assessment: Assessment,
    target: float | Grade,
    *,
    fixed: Iterable[str] = (),
    costs: Mapping[str, float] | None = None,
    most: int = 10,
) -> tuple[Lift, ...]:
    """The cheapest moves of one leaf or two that reach a score or a grade, cheapest first; empty where it is reached.

    For a grade the score, privacy and utility all reach its cut, and what they lower stays above it.
    Where no two leaves are enough, the cheapest moves of as many as it takes. Leaves that are missing or fixed, by the
    diagram or here, stay where they are.

    Args:
        assessment: where it starts.
        target: a score or a grade.
        fixed: more leaves that cannot be moved.
        costs: of moving a leaf over its whole scale; 1 where nothing is said.
        most: how many answers at most.

    Raises:
        OptionError: a target, cost or number outside its range, or an unknown leaf.
        RefusalError: the target cannot be reached; names the vetoes or the leaves that block it.
    """
    goal = _goal(assessment, target)
    if isinstance(target, Grade) and assessment.grade >= target:
        return ()
    stay = _require_leaves(assessment, fixed) | {key for key, one in assessment.diagram.nodes.items() if one.fixed}
    priced = _priced(assessment, costs or {})
    if most < 1:
        raise OptionError("{most} answers are none; ask for 1 or more.", most=most)
    rooms = {key: _room(assessment, key, priced.get(key, 1.0)) for key in assessment.sensitivities}
    if isinstance(target, Grade):
        found = _lifts_of_all(assessment, goal, {key: one.cost for key, one in rooms.items() if key not in stay})
        if not found:
            _refuse_grade(assessment, target, [key for key in rooms if key not in stay])
    else:
        needed = goal - assessment.score
        if needed <= 0:
            return ()
        free = [one for key, one in rooms.items() if key not in stay and one.points > NEAR]
        if sum(one.points for one in free) < needed - NEAR:
            _refuse(assessment, goal, rooms, {one.leaf for one in free})
        sets = [group for size in (1, 2) for group in itertools.combinations(free, size)]
        found = {steps for group in sets if (steps := _cheapest(group, needed)) is not None}
        if not found:
            found = {steps} if (steps := _cheapest(free, needed)) is not None else set()
    answers = [_lift(assessment, steps, rooms) for steps in found]
    return tuple(sorted(answers, key=lambda one: (one.cost, [move.leaf for move in one.moves]))[:most])


def _goal(assessment: Assessment, target: float | Grade) -> float:
    if not isinstance(target, Grade):
        if isinstance(target, bool) or not 0 <= target <= 100:
            raise OptionError("A score of {target} cannot be aimed at; give 0 to 100 or a grade.", target=target)
        return float(target)
    blocking = [veto.reason for veto in assessment.vetoes if veto.cap < target]
    if blocking:
        raise RefusalError(
            "The grade {target} cannot be reached whatever the leaves say: {reasons}; that must be mended first.",
            target=Sentence(target.value),
            reasons=in_turn(blocking),
        )
    return target.lowest_score


def _require_leaves(assessment: Assessment, keys: Iterable[str]) -> set[str]:
    found = {keys} if isinstance(keys, str) else set(keys)
    for key in found:
        if key not in assessment.diagram.leaves:
            raise OptionError(
                "{file} has no leaf {leaf!r}; {near}",
                file=assessment.diagram.file,
                leaf=key,
                near=did_you_mean(key, assessment.diagram.leaves),
            )
    return found


def _priced(assessment: Assessment, costs: Mapping[str, float]) -> Mapping[str, float]:
    _require_leaves(assessment, costs)
    for key, cost in costs.items():
        if not 0 < cost < math.inf:
            raise OptionError("Moving leaf {leaf!r} costs {cost}; give a number above 0.", leaf=key, cost=cost)
    return costs


def _room(assessment: Assessment, leaf: str, cost: float) -> _Room:
    gain, place = assessment.sensitivities[leaf], assessment.position(leaf)
    return _Room(leaf, 1 - place if gain > 0 else place, abs(gain), cost, 1 if gain > 0 else -1)


def _cheapest(group: Iterable[_Room], needed: float) -> Steps | None:
    """How far each goes, those that give most for their cost first; None where they do not reach it."""
    steps: list[tuple[str, float]] = []
    for one in sorted(group, key=lambda room: (room.cost / room.gain, room.leaf)):
        steps.append((one.leaf, one.sign * min(needed / one.gain, one.most)))
        needed -= one.points
        if needed <= NEAR:
            return tuple(sorted(steps))
    return None


def _lift(assessment: Assessment, steps: Steps, rooms: Mapping[str, _Room]) -> Lift:
    moves, changes, nodes = [], [0.0, 0.0, 0.0], assessment.diagram.nodes
    every = assessment.sensitivities_of.values()
    for leaf, step in steps:
        start, scale = assessment.position(leaf), assessment.evidence[leaf].scale
        end = min(max(start + step, 0.0), 1.0)
        moves.append(Move(leaf, nodes[leaf].name, start, end, None if scale is None else _raw(scale, end)))
        changes = [sum_ + of[leaf] * step for sum_, of in zip(changes, every, strict=True)]
    after = [
        None if score is None else round(min(max(score + change, 0.0), 100.0), DIGITS)
        for score, change in zip(assessment.scores.values(), changes, strict=True)
    ]
    assert after[0] is not None
    lowers = tuple(name for name, change in zip(("privacy", "utility"), changes[1:], strict=True) if change < -NEAR)
    cost = sum(abs(step) * rooms[leaf].cost for leaf, step in steps)
    return Lift(tuple(moves), cost, after[0], after[1], after[2], lowers)


def _raw(scale: Scale, position: float) -> float:
    if scale.logarithmic:
        return float(scale.low * (scale.high / scale.low) ** position)
    return float(scale.low + (scale.high - scale.low) * position)


def _refuse(assessment: Assessment, goal: float, rooms: Mapping[str, _Room], free: set[str]) -> None:
    best = assessment.score + sum(rooms[key].points for key in free)
    held = sorted((one for key, one in rooms.items() if key not in free), key=lambda one: -one.points)
    blocking = tuple(
        Sentence(
            "{leaf!s} ({name}, {points:.3g} points)",
            leaf=one.leaf,
            name=Sentence(assessment.diagram.nodes[one.leaf].name),
            points=one.points,
        )
        for one in held
        if one.points > NEAR
    )
    raise RefusalError(
        "A score of {goal:.4g} cannot be reached: all leaves that can move, at their best, give {best:.4g}; what "
        "cannot move is {blocking}.",
        goal=goal,
        best=best,
        blocking=blocking,
    )


def _refuse_grade(assessment: Assessment, target: Grade, free: list[str]) -> None:
    reached = tuple(
        Sentence("{name} {most:.4g}", name=Sentence(name), most=most)
        for name, most in _within_reach(assessment, free).items()
    )
    raise RefusalError(
        "The grade {target} cannot be reached: score, privacy and utility would all have to be {goal:g}, and the "
        "leaves that can move bring each of them, without regard to the others, to {reached} at best.",
        target=Sentence(target.value),
        goal=target.lowest_score,
        reached=reached,
    )


def _lifts_of_all(assessment: Assessment, cut: float, costs: Mapping[str, float]) -> set[Steps]:
    """The cheapest steps of each leaf and each two that bring all scores to a cut; where none do, those of all leaves.

    Args:
        assessment: where it starts.
        cut: for the score, privacy and utility.
        costs: of the leaves that may move, over their whole scale.
    """
    leaves = sorted(costs)
    if not leaves:
        return set()
    gains, short = _needed(assessment, leaves, cut)
    places = np.array([assessment.position(leaf) for leaf in leaves])
    # The most that each leaf adds to each score by itself; sets that cannot be enough are not looked at.
    most = np.maximum(gains * (1 - places), -gains * places)
    price = np.array([costs[leaf] for leaf in leaves])
    found: set[Steps] = set()
    for size in (1, 2):
        for chosen in itertools.combinations(range(len(leaves)), size):
            at = list(chosen)
            if np.all(most[:, at].sum(axis=1) >= short):
                found |= _solved(leaves, at, gains, short, places, price)
    return found or _solved(leaves, list(range(len(leaves))), gains, short, places, price)


def _within_reach(assessment: Assessment, leaves: Sequence[str]) -> dict[str, float]:
    """The most that each score can be brought to by itself."""
    reached = {}
    for name, score, of in _scores(assessment):
        places = {leaf: assessment.position(leaf) for leaf in leaves}
        reached[name] = score + sum(max(of[leaf] * (1 - place), -of[leaf] * place) for leaf, place in places.items())
    return reached


def _scores(assessment: Assessment) -> list[tuple[str, float, Mapping[str, float]]]:
    of = assessment.sensitivities_of
    return [(name, score, of[name]) for name, score in assessment.scores.items() if score is not None]


def _needed(assessment: Assessment, leaves: Sequence[str], cut: float) -> tuple[Floats, Floats]:
    scores = _scores(assessment)
    gains = np.array([[of[leaf] for leaf in leaves] for _, _, of in scores])
    # What is above the cut may fall as far as that.
    return gains, np.array([cut - score for _, score, _ in scores])


def _solved(
    leaves: Sequence[str], at: list[int], gains: Floats, short: Floats, places: Floats, price: Floats
) -> set[Steps]:
    from scipy.optimize import linprog

    part = gains[:, at]
    # Steps up and steps down are apart, so that the cost of either is linear.
    found = linprog(
        np.concatenate([price[at], price[at]]),
        A_ub=-np.hstack([part, -part]),
        b_ub=-(short + CLEAR),
        bounds=[*((0.0, 1 - place) for place in places[at]), *((0.0, place) for place in places[at])],
    )
    if found.status != 0:
        return set()
    steps = found.x[: len(at)] - found.x[len(at) :]
    moved = tuple((leaves[one], float(step)) for one, step in zip(at, steps, strict=True) if abs(step) > STILL)
    return {moved} if moved else set()
