"""Distributions over states carried along the arcs, and the score that is linear in them; it decides nothing.

A node is the weighted mean of the nodes that lead to it, mirrored where an arc is. The value's expected state is then
Σ (s − m) · position over the leaves, where s and m are the weights of a leaf's straight and mirrored paths; the score
rescales it by what the known leaves can attain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

import numpy as np

from leakgauge.artefacts.criteria import NodeStates, OverArcs
from leakgauge.artefacts.evidence import Evidence, by_leaf
from leakgauge.assessment.diagram import Diagram
from leakgauge.probability.cells import Floats

Ends: TypeAlias = tuple[str, str]

DIGITS = 9
"""Decimals of a score: few enough that a score meant to be 60 is not 59.999…"""
NOTHING = 1e-12
"""A range of path weights below this is rounding error of weights that cancel."""


def known_shares(diagram: Diagram, leaves: Iterable[str]) -> dict[Ends, float]:
    """For each arc from a known node (one that any known leaf leads to), its share among the arcs into the same
    target."""
    known = set(leaves)
    shares: dict[Ends, float] = {}
    for key in diagram.order:
        kept = [arc for arc in diagram.into(key) if arc.source in known]
        if kept:
            known.add(key)
            # The largest weight first: a sum of huge ones must not overflow.
            most = max(arc.weight for arc in kept)
            total = sum(arc.weight / most for arc in kept)
            shares |= {(arc.source, arc.target): arc.weight / most / total for arc in kept}
    return shares


def distributions(diagram: Diagram, shares: Mapping[Ends, float], leaves: Mapping[str, Floats]) -> dict[str, Floats]:
    """The distribution over states of every node that is known, in the order of the nodes."""
    found = dict(leaves)
    for key in diagram.order:
        parts = [
            shares[arc.source, key] * (found[arc.source][::-1] if arc.mirrored else found[arc.source])
            for arc in diagram.into(key)
            if arc.source in found
        ]
        if parts:
            found[key] = sum(parts[1:], start=parts[0])
    return {key: found[key] for key in diagram.nodes if key in found}


def path_weights(diagram: Diagram, shares: Mapping[Ends, float], root: str) -> dict[str, tuple[float, float]]:
    """For each known leaf that leads to the root the weights of its straight and of its mirrored paths."""
    mirrored = {(arc.source, arc.target): arc.mirrored for arc in diagram.arcs}
    out: dict[str, list[Ends]] = {key: [] for key in diagram.nodes}
    for ends in shares:
        out[ends[0]].append(ends)
    weights: dict[str, tuple[float, float]] = {root: (1.0, 0.0)}
    for key in reversed(diagram.order):
        for ends in out[key]:
            if ends[1] not in weights:
                continue
            straight, other = weights[ends[1]][::-1] if mirrored[ends] else weights[ends[1]]
            before = weights.get(key, (0.0, 0.0))
            weights[key] = (before[0] + straight * shares[ends], before[1] + other * shares[ends])
    return {key: weights[key] for key in diagram.leaves if key in weights}


def pulls(diagram: Diagram, shares: Mapping[Ends, float], root: str) -> dict[str, float]:
    """How far each known leaf moves a node, below 0 where it is mirrored; their sizes sum to 1, or there are none."""
    weights = {key: straight - other for key, (straight, other) in path_weights(diagram, shares, root).items()}
    total = sum(map(abs, weights.values()))
    return {key: weight / total for key, weight in weights.items()} if total > NOTHING else {}


def score(diagram: Diagram, shares: Mapping[Ends, float], positions: Mapping[str, float], root: str) -> float | None:
    """A node's expected state, rescaled by what the known leaves can attain; None where nothing known moves it.

    0 where all of them are as bad as can be, 100 where they are as good.
    """
    known = {key: pull for key, pull in pulls(diagram, shares, root).items() if key in positions}
    reached = sum(abs(pull) * (positions[key] if pull > 0 else 1 - positions[key]) for key, pull in known.items())
    return round(min(100 * reached, 100.0), DIGITS) if known else None


def position_of(states: Floats) -> float:
    """Where a distribution's mean lies between the lowest state, 0, and the highest, 1."""
    return float(states @ np.linspace(0.0, 1.0, len(states)))


def over_arcs(diagram: Diagram, evidence: Iterable[Evidence]) -> OverArcs:
    """The score of what is known, by weighted means along the arcs."""
    known = by_leaf(evidence)
    states = {key: known[key].states(diagram.states) for key in diagram.leaves if key in known}
    leaves = {key: found for key, found in states.items() if found is not None}
    shares = known_shares(diagram, leaves)
    positions = {key: position_of(found) for key, found in leaves.items()}

    def mean(criteria: Iterable[str]) -> float | None:
        scores = [one for key in criteria if (one := score(diagram, shares, positions, key)) is not None]
        return sum(scores) / len(scores) if scores else None

    return OverArcs(
        score=mean([diagram.value]),
        privacy=mean(diagram.privacy),
        utility=mean(diagram.utility),
        nodes={
            key: NodeStates(diagram.nodes[key].name, diagram.nodes[key].chinese, tuple(found.tolist()))
            for key, found in distributions(diagram, shares, leaves).items()
        },
        missing=tuple(key for key in diagram.leaves if key not in leaves),
    )
