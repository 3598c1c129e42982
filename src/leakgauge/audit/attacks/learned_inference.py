"""Attribute inference by an attacker who sees the whole release and has learnt from other rows what predicts the
secret."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from leakgauge.artefacts import Finding, Sentence
from leakgauge.audit.attacks.attack import (
    Aim,
    Anchors,
    Attack,
    confidence_against_claims,
    independent_advantage,
    raw_advantage,
    scored,
)
from leakgauge.case.attacker import Attacker
from leakgauge.case.drawn import Drawn, Secret
from leakgauge.measures.clusters import unit_sums
from leakgauge.notions.ceilings import bound_by_others
from leakgauge.probability.cells import Codes, Floats

ORDERS = 8
"""In so many orders the released values are handed to others, to see how often the same guesses are right by chance."""


def learned_inference(drawn: Drawn) -> tuple[Finding, ...]:
    """A finding for each secret, withheld ones included: learnt on some rows, chosen on others, counted on the rest.

    With the release the attacker sees the background, the public columns, the released columns of other secrets and the
    secret's own; without it the background. In the independent release everything released stands in random order.
    Splits follow from a seed: simulation only.
    """
    return tuple(_finding(drawn, secret) for secret in drawn.secrets)


def _finding(drawn: Drawn, secret: Secret) -> Finding:
    attacker = Attacker.of(drawn, secret)
    draws, units = drawn.draws(), attacker.units
    right = attacker.is_right_with_own(attacker.by(attacker.whole.predictor))
    without = attacker.is_right(attacker.by(attacker.known.predictor))
    shuffled = draws.permutation(len(right))
    by_chance = attacker.is_right_with_own(attacker.independent(shuffled), shuffled)
    allowed = _allowed(secret, attacker, draws)
    return scored(right, without, units).finding(
        replace(
            LEARNED_INFERENCE,
            method=Sentence(
                "{method}; {rows:,d} rows, best predicted by {predictor}",
                method=LEARNED_INFERENCE.method,
                rows=len(attacker.learner.rows),
                predictor=attacker.title,
            ),
        ),
        drawn,
        secret.names,
        drawn.knows,
        Anchors(
            independent=independent_advantage(by_chance, without, draws, drawn.confidence, units),
            raw=raw_advantage(without, drawn.confidence, units),
            ceiling=None if allowed is None else min(float(allowed.mean()), 1.0),
            is_above=allowed is not None and _is_above(right - allowed, units, confidence_against_claims(drawn)),
        ),
    )


def _allowed(secret: Secret, attacker: Attacker, draws: Generator) -> Floats | None:
    """The success that the claim allows at most on each scored row; None where nothing is claimed.

    It is relative to what is seen unchanged, so a public column that reveals the secret is not held against the
    mechanism.
    """
    column = secret.column
    if column is None or not column.promises:
        return None
    given = attacker.by(attacker.whole.predictor)
    scored_rows = attacker.learner.rows[attacker.learner.score]
    # The others of whom the claim speaks: those who agree in what it is given.
    alike = column.given[scored_rows]
    orders = [_within(alike, draws) for _ in range(ORDERS)]
    by_others = np.mean([attacker.is_right_with_own(given, order) for order in orders], axis=0)
    inputs = np.unique(column.inputs[scored_rows], return_inverse=True)[1]
    shares = np.bincount(inputs)[inputs] / np.bincount(alike)[alike]
    bounds = [bound_by_others(promise, by_others, shares) for promise in column.promises]
    return min(bounds, key=lambda bound: float(bound.mean()))


def _within(groups: Codes, draws: Generator) -> Codes:
    """A random order of the rows of each group, each in a place of its group."""
    shuffled = draws.permutation(len(groups))
    order = np.empty(len(groups), dtype=np.int64)
    order[np.argsort(groups, kind="stable")] = shuffled[np.argsort(groups[shuffled], kind="stable")]
    return order


def _is_above(excess: Floats, units: Codes | None, confidence: float) -> bool:
    """Whether a mean is above 0 beyond chance, by Student's lower limit."""
    from scipy.special import stdtrit

    sums, _ = unit_sums(excess, units)
    error = float(sums.std()) / np.sqrt(len(sums) - 1)
    return bool(sums.mean() > stdtrit(len(sums) - 1, (1 + confidence) / 2) * error)


LEARNED_INFERENCE = Attack(
    Sentence("attribute inference, learnt"),
    Sentence("the most likely value, given everything published and known, learnt from other rows of both tables"),
    Aim.SECRET,
    learned_inference,
    knows_mechanism=False,
)
