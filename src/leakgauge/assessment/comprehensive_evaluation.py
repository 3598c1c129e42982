"""Multi-layer fuzzy comprehensive evaluation, which the paper compares with (section 4.5), on its trees and on others.

It needs a tree: where a node of a diagram leads to two others, one of the arcs is cut. A factor's row is the weighted
mean of its parts' rows. On the paper's trees siblings weigh the same and directions are not used: the paper speaks of
none here, and with leaf 2 mirrored index system b would have at least 0.08 in VHL where 0.068 is printed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from leakgauge.artefacts.criteria import ComprehensiveEvaluation, FactorMemberships
from leakgauge.artefacts.evidence import Evidence, Standing, by_leaf
from leakgauge.assessment.diagram_files import default_diagram
from leakgauge.assessment.published import State, memberships
from leakgauge.errors import ModelError
from leakgauge.probability.cells import Floats

INDEX_SYSTEM_A: Mapping[str, str] = {"1": "41", "2": "41", "3": "41", "32": "43", "24": "36", "25": "36"}
"""The parent of each node that leads to several: 24 and 25 are our choice, because Figure 9 is only a picture."""
INDEX_SYSTEM_B: Mapping[str, str] = {"1": "42", "2": "42", "3": "42", "32": "31", "24": "36", "25": "36"}
"""The paper's other way to cut."""


@dataclass(frozen=True)
class FactorTree:
    """Layers of factors: the weighted parts of each; a factor without parts is a leaf.

    Attributes:
        value: the factor that is evaluated.
        parts: of each factor, with their weights, up to a common factor.
        names: of factors and leaves, where they have one.
        lower_is_better: leaves whose states are mirrored.
        file: where it comes from, for messages.

    Raises:
        ModelError: something is part of two factors or of none, or leads back to itself.
    """

    value: str
    parts: Mapping[str, Mapping[str, float]]
    names: Mapping[str, str] = field(default_factory=dict)
    lower_is_better: frozenset[str] = frozenset()
    file: str = "The index system"

    def __post_init__(self) -> None:
        under: dict[str, str] = {}
        for factor, parts in self.parts.items():
            for part in parts:
                if part in under:
                    raise ModelError(
                        "{file} makes {part!r} a part of two factors, {first!r} and {second!r}; keep one.",
                        file=self.file,
                        part=part,
                        first=under[part],
                        second=factor,
                    )
                under[part] = factor
        reached = {key for key, *_ in self.walk()} if self.value not in under else set()
        lost = [factor for factor in self.parts if factor not in reached]
        if self.value not in self.parts or lost:
            raise ModelError(
                "{file}: {factor!r} is not a part of anything that leads to {value!r}; make it one, or take it out.",
                file=self.file,
                factor=(lost or [self.value])[0],
                value=self.value,
            )
        for leaf in self.lower_is_better:
            if leaf in self.parts or leaf not in under:
                raise ModelError(
                    "{file} says that lower is better for {leaf!r}, which is not one of its leaves; take it out.",
                    file=self.file,
                    leaf=leaf,
                )

    def walk(self) -> Iterator[tuple[str, str | None, float]]:
        """Every factor and leaf after the one that it is part of, and its weight there."""
        waiting: list[tuple[str, str | None, float]] = [(self.value, None, 1.0)]
        while waiting:
            key, under, weight = waiting.pop()
            yield key, under, weight
            waiting += reversed([(part, key, weight) for part, weight in self.parts.get(key, {}).items()])


def paper_tree(index_system: Mapping[str, str]) -> FactorTree:
    """The paper's diagram as a tree.

    Args:
        index_system: for each node that leads to several the one it stays under, such as ``INDEX_SYSTEM_A``.
    """
    diagram, parts = default_diagram(), dict[str, dict[str, float]]()
    for arc in diagram.arcs:
        if index_system.get(arc.source, arc.target) == arc.target:
            parts.setdefault(arc.target, {})[arc.source] = 1.0
    hung = {part for those in parts.values() for part in those}
    for node in index_system:
        if node not in hung:
            raise ModelError("The index system gives the node {node!r} no parent; name one.", node=node)
    return FactorTree(diagram.value, parts, {key: node.name for key, node in diagram.nodes.items()})


def evaluate_evidence(evidence: Iterable[Evidence], tree: FactorTree) -> ComprehensiveEvaluation:
    """The evaluation of what is known of the leaves, over one's own factors and weights.

    A measured leaf belongs to states by its position on its scale, an asked one by the shares of its answers.

    Raises:
        ModelError: two pieces of evidence of one leaf, or no leaf of the tree is known.

    Example:
        >>> from leakgauge.artefacts.evidence import Scale
        >>> from leakgauge.sentences import Sentence
        >>> attack = Evidence("5", Standing.MEASURED, Sentence("by hand"), 0.0, "share", Scale(0, 1))
        >>> tree = FactorTree("security", {"security": {"5": 1.0}}, lower_is_better=frozenset({"5"}))
        >>> evaluate_evidence([attack], tree).grade
        'VHL'
    """
    known = {leaf: _row(one) for leaf, one in by_leaf(evidence).items() if one.standing is not Standing.MISSING}
    places = list(tree.walk())
    leaves = [key for key, *_ in places if key not in tree.parts]
    rows = rows_of(tree, {leaf: known[leaf] for leaf in leaves if leaf in known})
    return ComprehensiveEvaluation(
        grade=largest_state(rows[tree.value]).value,
        memberships=tuple(rows[tree.value].tolist()),
        factors=tuple(
            FactorMemberships(
                key=key,
                name=tree.names.get(key, key),
                under=under,
                weight=weight,
                memberships=tuple(rows[key].tolist()),
            )
            for key, under, weight in places
            if key in rows
        ),
        left_out=tuple(leaf for leaf in leaves if leaf not in known),
    )


def rows_of(tree: FactorTree, leaves: Mapping[str, Floats]) -> dict[str, Floats]:
    """The memberships of every factor and leaf that is known, and of the value.

    Raises:
        ModelError: no leaf is known.
    """
    rows = dict[str, Floats]()
    for key, *_ in reversed(list(tree.walk())):
        if key in tree.parts:
            parts = {part: weight for part, weight in tree.parts[key].items() if part in rows and weight}
            if parts:
                # By the largest weight first: a sum of huge ones must not overflow.
                weights = np.array(list(parts.values())) / max(parts.values())
                rows[key] = np.average([rows[part] for part in parts], axis=0, weights=weights)
        elif key in leaves:
            rows[key] = leaves[key][::-1] if key in tree.lower_is_better else leaves[key]
    if tree.value not in rows:
        raise ModelError("No leaf is known; give the states of at least one.")
    return rows


def _row(evidence: Evidence) -> Floats:
    if evidence.standing is Standing.ASKED:
        return np.array(evidence.answers) / sum(evidence.answers)
    assert evidence.scale is not None and evidence.value is not None
    belongs = np.array(list(memberships(float(evidence.scale.position(evidence.value))).values()))
    return np.asarray(belongs / belongs.sum())


def largest_state(row: Floats) -> State:
    """The state with the largest membership; among equals, the lowest."""
    return list(State)[int(np.round(row, 9).argmax())]
