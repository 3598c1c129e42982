"""What would lift the grade: the cheapest moves of one leaf or two that reach a target.

Score, privacy and utility are linear in the positions of the leaves, so that the answers are exact. A target score is
the score's alone; a grade asks for all three, which is a small linear program for each set of leaves.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
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


def lifts(
    assessment: Assessment, target: float | Grade, *, fixed: Iterable[str] = (), most: int = 10
) -> tuple[Lift, ...]:
    """The cheapest moves of one leaf or two that reach a score or a grade, cheapest first; empty where it is reached.

    For a grade the score, privacy and utility all reach its cut, and what they lower stays above it.
    Where no two leaves are enough, the cheapest moves of as many as it takes. Leaves that are missing or fixed, by the
    diagram or here, stay where they are. At most so many answers are given.

    Raises:
        OptionError: a target or number outside its range, or an unknown leaf.
        RefusalError: the target cannot be reached; names the vetoes or the leaves that block it.
    """
    goal = _goal(assessment, target)
    if isinstance(target, Grade) and assessment.grade >= target:
        return ()
    stay = _require_leaves(assessment, fixed) | {key for key, one in assessment.diagram.nodes.items() if one.fixed}
    if most < 1:
        raise OptionError("{most} answers are none; ask for 1 or more.", most=most)
    if isinstance(target, Grade):
        ways = _ways_to_grade(assessment, target, sorted(key for key in assessment.sensitivities if key not in stay))
    elif assessment.score >= goal:
        return ()
    else:
        ways = _ways_to_score(assessment, goal, stay)
    answers = [_lift(assessment, steps) for steps in ways]
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
    leaves = {keys} if isinstance(keys, str) else set(keys)
    for key in leaves:
        if key not in assessment.diagram.leaves:
            raise OptionError(
                "{file} has no leaf {leaf!r}; {near}",
                file=assessment.diagram.file,
                leaf=key,
                near=did_you_mean(key, assessment.diagram.leaves),
            )
    return leaves


def _ways_to_score(assessment: Assessment, goal: float, stay: set[str]) -> set[Steps]:
    needed, gains = goal - assessment.score, assessment.sensitivities
    points = assessment.attainable("score")
    free = [leaf for leaf in gains if leaf not in stay and points[leaf] > NEAR]
    most = sum(points[leaf] for leaf in free)
    if most < needed - NEAR:
        held = sorted((leaf for leaf in gains if leaf not in free), key=lambda leaf: -points[leaf])
        nodes = assessment.diagram.nodes
        raise RefusalError(
            "A score of {goal:.4g} cannot be reached: all leaves that can move, at their best, give {best:.4g}; what "
            "cannot move is {blocking}.",
            goal=goal,
            best=assessment.score + most,
            blocking=tuple(
                Sentence(
                    "{leaf!s} ({name}, {points:.3g} points)",
                    leaf=leaf,
                    name=Sentence(nodes[leaf].name),
                    points=points[leaf],
                )
                for leaf in held
                if points[leaf] > NEAR
            ),
        )

    def cheapest(group: Iterable[str]) -> Iterator[Steps]:
        """How far each goes, those that give most for their way first; nothing where they do not reach it."""
        steps, left = [], needed
        for leaf in sorted(group, key=lambda leaf: (1 / abs(gains[leaf]), leaf)):
            room = assessment.position(leaf) if gains[leaf] < 0 else 1 - assessment.position(leaf)
            steps.append((leaf, math.copysign(min(left / abs(gains[leaf]), room), gains[leaf])))
            left -= points[leaf]
            if left <= NEAR:
                yield tuple(sorted(steps))
                return

    groups = itertools.chain(itertools.combinations(free, 1), itertools.combinations(free, 2))
    return {steps for group in groups for steps in cheapest(group)} or set(cheapest(free))


def _lift(assessment: Assessment, steps: Steps) -> Lift:
    moves, changes, nodes = [], dict.fromkeys(assessment.scores, 0.0), assessment.diagram.nodes
    for leaf, step in steps:
        start, scale = assessment.position(leaf), assessment.evidence[leaf].scale
        end = min(max(start + step, 0.0), 1.0)
        moves.append(Move(leaf, nodes[leaf].name, start, end, None if scale is None else _raw(scale, end)))
        for name, of in assessment.sensitivities_of.items():
            changes[name] += of[leaf] * step
    scores = {
        name: None if score is None else round(min(max(score + changes[name], 0.0), 100.0), DIGITS)
        for name, score in assessment.scores.items()
    }
    lowers = tuple(name for name in ("privacy", "utility") if changes[name] < -NEAR)
    cost = sum(abs(step) for _, step in steps)
    return Lift(tuple(moves), cost, scores["score"] or 0.0, scores["privacy"], scores["utility"], lowers)


def _raw(scale: Scale, position: float) -> float:
    if scale.logarithmic:
        return float(scale.low * (scale.high / scale.low) ** position)
    return float(scale.low + (scale.high - scale.low) * position)


def _ways_to_grade(assessment: Assessment, target: Grade, leaves: Sequence[str]) -> set[Steps]:
    """The cheapest steps of each leaf and each two that bring all scores to the cut; where none do, those of all."""
    known = {name: score for name, score in assessment.scores.items() if score is not None}
    gains = np.array([[assessment.sensitivities_of[name][leaf] for leaf in leaves] for name in known])
    # What is above the cut may fall as far as that.
    short = np.array([target.lowest_score - score for score in known.values()])
    places = np.array([assessment.position(leaf) for leaf in leaves])
    # The most that each leaf adds to each score by itself; sets that cannot be enough are not looked at.
    most = np.maximum(gains * (1 - places), -gains * places)
    ways: set[Steps] = set()
    for size in (1, 2):
        for at in map(list, itertools.combinations(range(len(leaves)), size)):
            if np.all(most[:, at].sum(axis=1) >= short):
                ways |= _solved(leaves, at, gains, short, places)
    ways = ways or _solved(leaves, list(range(len(leaves))), gains, short, places)
    if ways:
        return ways
    reached = {name: score + sum(most[at].tolist()) for at, (name, score) in enumerate(known.items())}
    raise RefusalError(
        "The grade {target} cannot be reached: score, privacy and utility would all have to be {goal:g}, and the "
        "leaves that can move bring each of them, without regard to the others, to {reached} at best.",
        target=Sentence(target.value),
        goal=target.lowest_score,
        reached=tuple(
            Sentence("{name} {most:.4g}", name=Sentence(name), most=score) for name, score in reached.items()
        ),
    )


def _solved(leaves: Sequence[str], at: list[int], gains: Floats, short: Floats, places: Floats) -> set[Steps]:
    from scipy.optimize import linprog

    if not at:
        return set()
    part = gains[:, at]
    # Steps up and steps down are apart, so that the cost of either is linear.
    found = linprog(
        np.ones(2 * len(at)),
        A_ub=-np.hstack([part, -part]),
        b_ub=-(short + CLEAR),
        bounds=[*((0.0, 1 - place) for place in places[at]), *((0.0, place) for place in places[at])],
    )
    if found.status != 0:
        return set()
    steps = found.x[: len(at)] - found.x[len(at) :]
    moved = tuple((leaves[one], float(step)) for one, step in zip(at, steps, strict=True) if abs(step) > STILL)
    return {moved} if moved else set()
