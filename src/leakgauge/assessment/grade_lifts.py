"""Moves that lift score, privacy and utility together over the cut of a grade: a small linear program for each set."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from leakgauge.assessment.assessment import Assessment
from leakgauge.probability.cells import Floats

Steps: TypeAlias = tuple[tuple[str, float], ...]
"""Leaves with how far each goes, upwards where above 0."""
CLEAR = 1e-6
"""Points of score by which the cut is passed, so that the solver's tolerance of 1e-7 does not miss it."""
STILL = 1e-9
"""Steps below this are none."""


def lifts_of_all(assessment: Assessment, cut: float, costs: Mapping[str, float]) -> set[Steps]:
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


def within_reach(assessment: Assessment, leaves: Sequence[str]) -> dict[str, float]:
    """The most that each score can be brought to by itself."""
    reached = {}
    for name, score, of in _scores(assessment):
        places = {leaf: assessment.position(leaf) for leaf in leaves}
        reached[name] = score + sum(max(of[leaf] * (1 - place), -of[leaf] * place) for leaf, place in places.items())
    return reached


def _scores(assessment: Assessment) -> list[tuple[str, float, Mapping[str, float]]]:
    every = (
        ("score", assessment.score, assessment.sensitivities),
        ("privacy", assessment.privacy, assessment.privacy_sensitivities),
        ("utility", assessment.utility, assessment.utility_sensitivities),
    )
    return [(name, score, of) for name, score, of in every if score is not None]


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
