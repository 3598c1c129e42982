"""The published score of one's own data, with every table that the paper prints of its example.

On the paper's diagram or one like it: nodes that were added or deleted count here as they do over the arcs. The method
knows no weights, and always five states.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from msgspec import structs

from leakgauge.artefacts.criteria import Published, PublishedLeaf, PublishedNode, PublishedReading, Rows
from leakgauge.artefacts.evidence import Evidence, Standing, by_leaf
from leakgauge.assessment.diagram import Arc, Diagram, Node
from leakgauge.assessment.diagram_files import default_diagram
from leakgauge.assessment.published import (
    WHY_NOT,
    LeafStates,
    PublishedGrade,
    State,
    grade,
    grade_matrix,
    label_shares,
    memberships,
    propagate,
)
from leakgauge.probability.cells import Floats


def published_score(
    evidence: Iterable[Evidence], diagram: Diagram | None = None, *, matrices: bool = False
) -> Published | None:
    """The published score of what is known of the leaves of a diagram; None where that is nothing.

    Args:
        evidence: that of leaves which the diagram does not have is not used.
        diagram: by default the paper's, its arcs as they are meant.
        matrices: whether those of the nodes between the leaves and the value are kept.

    Raises:
        ModelError: two pieces of evidence of one leaf.

    Example:
        >>> from leakgauge.artefacts.evidence import Scale
        >>> from leakgauge.sentences import Sentence
        >>> attack = Evidence("5", Standing.MEASURED, Sentence("by hand"), 0.2, "share", Scale(0, 1))
        >>> found = published_score([attack])
        >>> found.leaves[0].frequencies, len(found.left_out), found.grade
        ({'VLL': 'L', 'LL': 'VH'}, 27, 'ML')
    """
    drawn, found = default_diagram() if diagram is None else diagram, by_leaf(evidence)
    known = {
        key: _memberships(found[key])
        for key in drawn.leaves
        if key in found and found[key].standing is not Standing.MISSING
    }
    if not known:
        return None
    made = published_of({key: label_shares(belongs) for key, belongs in known.items()}, drawn.arcs, matrices=matrices)
    leaves = tuple(_leaf(drawn.nodes[key], found[key], belongs) for key, belongs in known.items())
    return structs.replace(made, leaves=leaves)


def published_of(leaf_states: LeafStates, arcs: Iterable[Arc], *, matrices: bool = False) -> Published:
    """The published score of leaves that are in these states; errors as for ``propagate``."""
    arcs = tuple(arcs)
    found = propagate(leaf_states, arcs)
    value = found.nodes[found.value].frequency
    read = grade_matrix(value, found.left_out)
    unflipped = grade(leaf_states, arcs, positive_direction=False)
    between = {key: node for key, node in found.nodes.items() if key != found.value} if matrices else {}
    return Published(
        **structs.asdict(_reading(read)),
        decides=read.decides,
        why_not=WHY_NOT,
        matrix=_rows(value),
        left_out=found.left_out,
        unflipped=_reading(unflipped),
        nodes={
            key: PublishedNode(
                joint_frequency=_rows(node.joint_frequency),
                joint_relation=_rows(node.joint_relation),
                frequency=_rows(node.frequency),
            )
            for key, node in between.items()
        },
    )


def _memberships(evidence: Evidence) -> Mapping[State, float]:
    """How far a leaf belongs to each state; where people were asked, the share of each answer."""
    if evidence.standing is Standing.ASKED:
        shares = np.array(evidence.answers) / sum(evidence.answers)
        return dict(zip(State, shares.tolist(), strict=True))
    assert evidence.scale is not None and evidence.value is not None
    return memberships(float(evidence.scale.position(evidence.value)))


def _leaf(node: Node, evidence: Evidence, belongs: Mapping[State, float]) -> PublishedLeaf:
    return PublishedLeaf(
        leaf=node.key,
        name=node.name,
        chinese=node.chinese,
        value=evidence.value,
        unit=evidence.unit,
        memberships={state.value: share for state, share in belongs.items() if share > 0},
        frequencies={state.value: often.value for state, often in label_shares(belongs).items()},
    )


def _reading(found: PublishedGrade) -> PublishedReading:
    return PublishedReading(
        score=found.score,
        grade=found.grade.value,
        credibility=found.credibility,
        frequency=found.frequency,
        row=found.row,
        probabilities={state.value: share for state, share in found.probabilities.items()},
    )


def _rows(matrix: Floats) -> Rows:
    return tuple(map(tuple, matrix.tolist()))
