"""Multi-layer fuzzy comprehensive evaluation, which the paper compares with (section 4.5), on its trees and on others.

It needs a tree: where a node of a diagram leads to two others, one of the arcs is cut. A factor's row is the weighted
mean of its parts' rows. On the paper's trees siblings weigh the same and directions are not used: the paper speaks of
none here, and with leaf 2 mirrored index system b would have at least 0.08 in VHL where 0.068 is printed.

Factors of one's own are in TOML: ``value`` and a table for each factor with its parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from leakgauge.artefacts.criteria import ComprehensiveEvaluation, FactorMemberships
from leakgauge.artefacts.evidence import Evidence, Standing, by_leaf
from leakgauge.assessment.diagram_files import as_weight, default_diagram, require_keys
from leakgauge.assessment.indicators.catalogue import INDICATORS
from leakgauge.assessment.pairwise import read_comparisons
from leakgauge.assessment.published import State, memberships
from leakgauge.errors import FileError, ModelError
from leakgauge.probability.cells import Floats
from leakgauge.probability.files import parsed_toml, require_schema
from leakgauge.sentences import Sentence

INDEX_SYSTEM_A: Mapping[str, str] = {"1": "41", "2": "41", "3": "41", "32": "43", "24": "36", "25": "36"}
"""The parent of each node that leads to several: 24 and 25 are our choice, because Figure 9 is only a picture."""
INDEX_SYSTEM_B: Mapping[str, str] = {"1": "42", "2": "42", "3": "42", "32": "31", "24": "36", "25": "36"}
"""The paper's other way to cut."""
SCHEMA = "leakgauge/factors/1"
PAPER_TREES = {"paper-a": INDEX_SYSTEM_A, "paper-b": INDEX_SYSTEM_B}
_TOP = ("schema", "value", "lower_is_better", "factors")
_FACTOR = ("name", "parts", "judgements")


@dataclass(frozen=True)
class FactorTree:
    """Layers of factors: the weighted parts of each; a factor without parts is a leaf.

    Attributes:
        parts: of each factor, with their weights, up to a common factor.
        lower_is_better: leaves whose states are mirrored.

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
    """The memberships of every factor and leaf that is known, and of the value."""
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


def open_factors(given: Path | str) -> FactorTree:
    """The factors in a TOML file, or the paper's as ``"paper-a"`` or ``"paper-b"``.

    Raises:
        FileError: a file that cannot be read, or parts without weights that are numbers.
        ModelError: a part of two factors or of none.
    """
    if str(given) in PAPER_TREES:
        return paper_tree(PAPER_TREES[str(given)])
    place = Path(given)
    fields = parsed_toml(place)
    require_schema(fields, SCHEMA, place)
    require_keys(fields, _TOP, place, Sentence("it"))
    value, factors, lower = fields.get("value"), fields.get("factors"), fields.get("lower_is_better", [])
    if not isinstance(value, str) or not isinstance(factors, dict) or value not in factors:
        raise FileError(
            '{path} has no factor to evaluate; write value = "…" and a table [factors.…] of that name.', path=place
        )
    if not isinstance(lower, list) or not all(isinstance(leaf, str) for leaf in lower):
        raise FileError('{path}: lower_is_better is not a list of leaves; write ["5", "7"].', path=place)
    names = {one.leaf: one.name for one in INDICATORS.values()}
    parts = dict[str, dict[str, float]]()
    for key, factor in factors.items():
        parts[key] = _parts(key, factor, place)
        names[key] = str(factor.get("name", key))
    return FactorTree(value, parts, names, frozenset(lower), str(place))


def _parts(key: str, factor: object, place: Path) -> dict[str, float]:
    """What a factor is made of: a table of weights, or a list, which weighs the same or is judged two at a time."""
    what = Sentence("the factor {key!r}", key=key)
    if not isinstance(factor, Mapping):
        raise FileError("{path}: {what} is not a table; write [factors.{key!s}].", path=place, what=what, key=key)
    require_keys(factor, _FACTOR, place, what)
    given = factor.get("parts")
    if isinstance(given, list) and given and len(set(map(str, given))) == len(given):
        parts = [str(part) for part in given]
        if "judgements" in factor:
            return read_comparisons({"of": parts, "judgements": factor["judgements"]}, parts, key, place)
        return dict.fromkeys(parts, 1.0)
    if not isinstance(given, dict) or not given or "judgements" in factor:
        raise FileError(
            '{path}: {what} has no parts; write parts = ["…"], with or without judgements, or parts = {{ … = 1 }} '
            "with weights.",
            path=place,
            what=what,
        )
    weights = {part: as_weight(weight, place, Sentence("{part!r}", part=part)) for part, weight in given.items()}
    for part, weight in weights.items():
        if not weight >= 0:
            raise FileError(
                "{path}: {part!r} has a weight of {weight:g}; give a number of at least 0.",
                path=place,
                part=part,
                weight=weight,
            )
    if not any(weights.values()):
        raise FileError("{path}: the weights of all parts of {what} are 0; raise one of them.", path=place, what=what)
    return weights
