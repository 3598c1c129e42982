"""Which leaf explains which criterion: each leaf feeds one, by a weight."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from leakgauge.errors import ModelError, did_you_mean

SCORES = ("protection", "guarantee", "usefulness")
"""What a criterion may be bounded by: the scores of which more is better, and the worst case that is claimed."""


class Best(Enum):
    """Where a leaf is best for its criterion: at an end of its scale, or at one of two extreme releases."""

    HIGHER = "higher"
    LOWER = "lower"
    RAW = "raw"
    """As for the data released unchanged: everything is kept."""
    NULL = "null"
    """As for a release independent of the data: nothing is revealed."""


@dataclass(frozen=True)
class CriterionNode:
    """A criterion; where it has a score, it is never better than that."""

    key: str
    name: str
    chinese: str = ""
    score: str | None = None


NEEDED = CriterionNode("needed", "needed protection", "所需保护程度")
"""Fed by facts of the data: how much protection they call for, not how much there is."""
AUDIT = CriterionNode("audit", "strength of the audit", "审计强度")
"""Fed by how hard an audit tried; it says nothing about protection."""
BESIDE = {one.key: one for one in (NEEDED, AUDIT)}


@dataclass(frozen=True)
class LeafNode:
    """A leaf: what it feeds, where it is best for that, and its weight among those that feed the same.

    A weight of 0 shows the leaf without counting it.
    """

    key: str
    name: str
    feeds: str
    better: Best
    weight: float = 1.0
    chinese: str = ""


@dataclass(frozen=True)
class CriteriaDiagram:
    """Criteria, and the leaves that feed them or stand beside them.

    Raises:
        ModelError: no criterion, one that nothing feeds or that is named like what stands beside them, a leaf that
            feeds something else, an unknown score, a weight below 0, or weights that are all 0.
    """

    criteria: Mapping[str, CriterionNode]
    leaves: Mapping[str, LeafNode]
    file: str = "the diagram"

    def __post_init__(self) -> None:
        if not self.criteria:
            raise ModelError("{file} has no criteria; name one under [criteria].", file=self.file)
        for key, node in self.criteria.items():
            if key in BESIDE:
                raise ModelError(
                    "{file} has a criterion {key!r}, which is a reserved name; choose another.", file=self.file, key=key
                )
            if node.score is not None and node.score not in SCORES:
                raise ModelError(
                    "{file}: the criterion {key!r} has the unknown score {score!r}; {near}",
                    file=self.file,
                    key=key,
                    score=node.score,
                    near=did_you_mean(node.score, SCORES),
                )
        for leaf in self.leaves.values():
            self._require_fed(leaf)
        for node in (*self.criteria.values(), *BESIDE.values()):
            self._require_weights(node)

    def feeding(self, key: str) -> tuple[LeafNode, ...]:
        """The leaves that feed a criterion, or ``"needed"``, or ``"audit"``."""
        return tuple(leaf for leaf in self.leaves.values() if leaf.feeds == key)

    def shares(self, key: str) -> dict[str, float]:
        """The weight of each of them as a share of all; 0 for all where only a score counts."""
        weights = {leaf.key: leaf.weight for leaf in self.feeding(key)}
        # By the largest one first: a sum of huge weights must not overflow.
        most = max(weights.values(), default=0.0) or 1.0
        total = math.fsum(weight / most for weight in weights.values()) or 1.0
        return {leaf: weight / most / total for leaf, weight in weights.items()}

    def _require_fed(self, leaf: LeafNode) -> None:
        known = (*self.criteria, *BESIDE)
        if leaf.feeds not in known:
            raise ModelError(
                "{file}: the leaf {leaf!r} feeds {found!r}, which is not a criterion; {near}",
                file=self.file,
                leaf=leaf.key,
                found=leaf.feeds,
                near=did_you_mean(leaf.feeds, known),
            )
        if not (isinstance(leaf.weight, int | float) and 0 <= leaf.weight < math.inf):
            raise ModelError(
                "{file}: the leaf {leaf!r} has a weight of {weight}; give a number of at least 0.",
                file=self.file,
                leaf=leaf.key,
                weight=reprlib.repr(leaf.weight),
            )

    def _require_weights(self, node: CriterionNode) -> None:
        leaves = self.feeding(node.key)
        if not leaves and node.score is None and node.key not in BESIDE:
            raise ModelError(
                "{file}: no leaf feeds the criterion {key!r}; let one feed it, or take it out.",
                file=self.file,
                key=node.key,
            )
        if leaves and node.score is None and not any(leaf.weight for leaf in leaves):
            raise ModelError(
                "{file}: the weights of all {count} leaves that feed {key!r} are 0; raise one of them.",
                file=self.file,
                count=len(leaves),
                key=node.key,
            )
