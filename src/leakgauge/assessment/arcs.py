"""The first score: evidence carried along the arcs of the paper's diagram, or of one like it. It does not decide."""

from __future__ import annotations

from collections.abc import Iterable

from leakgauge.artefacts.criteria import NodeStates, OverArcs
from leakgauge.artefacts.evidence import Evidence, by_leaf
from leakgauge.assessment.algebra import distributions, known_shares, position_of, score
from leakgauge.assessment.diagram import Diagram


def over_arcs(diagram: Diagram, evidence: Iterable[Evidence]) -> OverArcs:
    """The score of what is known, by weighted means along the arcs.

    Raises:
        ModelError: two pieces of evidence of one leaf.
    """
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
