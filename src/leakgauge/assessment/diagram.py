"""The influence diagram as data: indicators, what they influence, and in which direction."""

from __future__ import annotations

import reprlib
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from graphlib import CycleError, TopologicalSorter

from leakgauge.errors import ModelError


class Better(Enum):
    """Which way an indicator is good for the whole."""

    HIGHER = "higher"
    LOWER = "lower"
    TRADE_OFF = "trade-off"


@dataclass(frozen=True)
class Node:
    """An indicator, an intermediate node, a criterion or the value.

    Attributes:
        better: of a leaf which way is good; None of a node that others lead to.
    """

    key: str
    name: str
    chinese: str = ""
    better: Better | None = None


@dataclass(frozen=True)
class Arc:
    """An influence of one node on another, mirrored where more of the source means less of the target.

    Its weight is its share among the arcs into the target, up to a common factor.
    """

    source: str
    target: str
    mirrored: bool = False
    weight: float = 1.0


@dataclass(frozen=True)
class Diagram:
    """Nodes and arcs without a cycle, from leaves to one value.

    Attributes:
        privacy: the criteria whose mean is the privacy score; utility likewise.
        states: how many states a node may be in, from very low to very high; 5 in the paper.

    Raises:
        ModelError: a cycle, an unknown or orphan node, a weight that is not above 0, no leaf, a leaf that does not say
            which way is better, or a declaration that the arcs contradict; the node and the file are named.
    """

    nodes: Mapping[str, Node]
    arcs: tuple[Arc, ...]
    value: str
    privacy: tuple[str, ...]
    utility: tuple[str, ...]
    states: int = 5
    file: str = "the diagram"

    def __post_init__(self) -> None:
        self._require_known()
        self._require_connected()

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """The nodes without incoming arcs, in the order of the nodes."""
        targets = {arc.target for arc in self.arcs}
        return tuple(key for key in self.nodes if key not in targets)

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The nodes in topological order."""
        before: dict[str, set[str]] = {key: set() for key in self.nodes}
        for arc in self.arcs:
            before[arc.target].add(arc.source)
        try:
            return tuple(TopologicalSorter(before).static_order())
        except CycleError as error:
            cycle = " → ".join(error.args[1])
            raise ModelError("{file} has a cycle: {cycle}; take one arc out.", file=self.file, cycle=cycle) from None

    def into(self, key: str) -> tuple[Arc, ...]:
        """The arcs that lead to a node."""
        return tuple(arc for arc in self.arcs if arc.target == key)

    def _require_known(self) -> None:
        named = [(end, "an arc") for arc in self.arcs for end in (arc.source, arc.target)]
        named += [(self.value, "the value"), *((key, "privacy") for key in self.privacy)]
        named += [(key, "utility") for key in self.utility]
        for key, where in named:
            if key not in self.nodes:
                raise ModelError(
                    "{file} names the node {node!r} in {where}, which is not declared; declare it under [nodes].",
                    file=self.file,
                    node=key,
                    where=where,
                )
        for arc in self.arcs:
            # A whole number beyond all floats is no weight either.
            if not (isinstance(arc.weight, int | float) and 0 < arc.weight <= sys.float_info.max):
                raise ModelError(
                    "{file}: the arc {source!s} → {target!s} has a weight of {weight}; give a number above 0.",
                    file=self.file,
                    source=arc.source,
                    target=arc.target,
                    weight=reprlib.repr(arc.weight),
                )
        for (source, target), times in Counter((arc.source, arc.target) for arc in self.arcs).items():
            if times > 1:
                raise ModelError(
                    "{file} has the arc {s!s} → {t!s} twice; keep one.", file=self.file, s=source, t=target
                )
        if not 3 <= self.states <= 101:
            raise ModelError("{file} has {states} states; use 3 to 101.", file=self.file, states=self.states)
        if not self.privacy or not self.utility:
            raise ModelError("{file} does not name privacy and utility criteria; name a node each.", file=self.file)

    def _require_connected(self) -> None:
        signs = self.path_signs()
        # A declared direction must be the one that every path has; a trade-off must have paths of both signs.
        ways = {frozenset({1}): Better.HIGHER, frozenset({-1}): Better.LOWER, frozenset({1, -1}): Better.TRADE_OFF}
        for key, node in self.nodes.items():
            leaf = key in self.leaves
            if not signs[key] or (leaf and key == self.value):
                raise ModelError(
                    "{file}: nothing leads from the node {node!r} to the value {value!r}; connect it or take it out.",
                    file=self.file,
                    node=key,
                    value=self.value,
                )
            if leaf != (node.better is not None):
                raise ModelError(
                    "{file}: the node {node!r} {fault}.",
                    file=self.file,
                    node=key,
                    fault="is a leaf and does not say which way is better; add better = higher, lower or trade-off"
                    if leaf
                    else "has arcs leading to it, so it cannot say which way is better; leave that out",
                )
            found = ways[frozenset(signs[key])]
            if node.better not in (None, found):
                raise ModelError(
                    "{file}: the leaf {node!r} says better = {said!s}, but its arcs say {found!s}; correct one of "
                    "them.",
                    file=self.file,
                    node=key,
                    said=node.better.value,
                    found=found.value,
                )

    def path_signs(self) -> dict[str, set[int]]:
        """For each node the signs of its paths to the value."""
        signs: dict[str, set[int]] = {key: set() for key in self.nodes}
        signs[self.value] = {1}
        for key in reversed(self.order):
            for arc in self.arcs:
                if arc.source == key:
                    signs[key] |= {-sign if arc.mirrored else sign for sign in signs[arc.target]}
        return signs
