"""Influence diagrams in TOML: ``value``, ``privacy``, ``utility``, ``arcs`` and ``[nodes]``."""

from __future__ import annotations

import math
import reprlib
import sys
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any

from leakgauge.assessment.algebra import known_shares, pulls
from leakgauge.assessment.diagram import Arc, Better, Diagram, Node
from leakgauge.assessment.pairwise import read_comparisons, with_weights
from leakgauge.errors import FileError, ModelError, did_you_mean
from leakgauge.probability.files import parsed_toml, require_schema
from leakgauge.sentences import Sentence

DIAGRAM_SCHEMA = "leakgauge/diagram/1"
_DIRECTIONS = {"same": False, "mirrored": True}
_TOP = {"schema", "value", "privacy", "utility", "states", "weights", "arcs", "nodes", "pairwise"}
_NODE = {"name", "chinese", "better", "fixed"}
"""Files of earlier versions say what is fixed, which nothing asks any more."""
_ARC = {"from", "to", "direction", "weight"}


@cache
def default_diagram() -> Diagram:
    """The paper's diagram, 45 nodes and 53 arcs, its arcs pointing as they are meant."""
    text = files(__package__).joinpath("tables", "default_diagram.toml").read_text(encoding="utf-8")
    return _diagram(tomllib.loads(text), Path("default_diagram.toml"))


def read_diagram(path: Path | str) -> Diagram:
    """The diagram in a TOML file, or a FileError or ModelError that says what is wrong with it.

    With ``weights = "relative"``, as it is by default, the weights into a node count relative to each other and are 1
    where none is given; with ``weights = "shares"`` each arc gives its own and those into a node sum to 1.
    """
    place = Path(path)
    return _diagram(parsed_toml(place), place)


def _diagram(fields: Mapping[str, object], place: Path) -> Diagram:
    require_schema(fields, DIAGRAM_SCHEMA, place)
    require_keys(fields, _TOP, place, Sentence("it"))
    value = fields.get("value")
    if not isinstance(value, str):
        raise FileError('{path} has no value node; write value = "…" with the node that all lead to.', path=place)
    states = fields.get("states", 5)
    if not isinstance(states, int) or isinstance(states, bool):
        raise FileError("{path} has states = {states!r}; write a whole number.", path=place, states=states)
    nodes, arcs = fields.get("nodes"), fields.get("arcs")
    if not isinstance(nodes, dict) or not nodes or not isinstance(arcs, list) or not arcs:
        raise FileError("{path} has no [nodes] or no arcs = […]; a diagram needs both.", path=place)
    made = Diagram(
        MappingProxyType({key: _node(key, one, place) for key, one in nodes.items()}),
        tuple(_arc(number, one, place) for number, one in enumerate(arcs, 1)),
        value,
        _names(fields, "privacy", place),
        _names(fields, "utility", place),
        states,
        str(place),
    )
    made = _judged(made, arcs, fields.get("pairwise", {}), place)
    _require_trade_offs(made)
    _require_shares(made, arcs, fields.get("weights", "relative"), place)
    return made


def _node(key: str, fields: Any, place: Path) -> Node:
    if not isinstance(fields, dict):
        raise FileError('{path}: the node {node!r} is not a table; write {{ name = "…" }}.', path=place, node=key)
    require_keys(fields, _NODE, place, Sentence("the node {node!r}", node=key))
    name, chinese, better = (fields.get(one) for one in ("name", "chinese", "better"))
    if not isinstance(name, str) or not name or not isinstance(chinese, str | None):
        raise FileError("{path}: the node {node!r} has no name in text; give it one.", path=place, node=key)
    ways = {one.value: one for one in Better}
    if better is not None and (not isinstance(better, str) or better not in ways):
        raise FileError(
            "{path}: the node {node!r} has better = {better!r}; write higher, lower or trade-off.",
            path=place,
            node=key,
            better=better,
        )
    return Node(key, name, chinese or "", None if better is None else ways[better])


def _arc(number: int, fields: Any, place: Path) -> Arc:
    source, target = (fields.get("from"), fields.get("to")) if isinstance(fields, dict) else (None, None)
    if not isinstance(source, str) or not isinstance(target, str):
        raise FileError(
            '{path}: arc {number} does not join two nodes; write {{ from = "…", to = "…", direction = "same" }}.',
            path=place,
            number=number,
        )
    what = Sentence("the arc {source!s} → {target!s}", source=source, target=target)
    require_keys(fields, _ARC, place, what)
    direction = fields.get("direction")
    if not isinstance(direction, str) or direction not in _DIRECTIONS:
        raise FileError(
            "{path}: {arc} has {found}; write direction = same or mirrored.",
            path=place,
            arc=what,
            found=Sentence("no direction")
            if direction is None
            else Sentence("the direction {direction!r}", direction=str(direction)),
        )
    return Arc(source, target, _DIRECTIONS[direction], as_weight(fields.get("weight", 1.0), place, what))


def as_weight(weight: object, place: Path, what: Sentence) -> float:
    """The weight that a file gives something, if it is a number."""
    if isinstance(weight, bool) or not isinstance(weight, int | float) or weight > sys.float_info.max:
        raise FileError(
            "{path}: {arc} has the weight {weight}; write a number.", path=place, arc=what, weight=reprlib.repr(weight)
        )
    return float(weight)


def _judged(diagram: Diagram, arcs: Iterable[Mapping[str, object]], pairwise: object, place: Path) -> Diagram:
    """The diagram with the weights that judgements of two arcs at a time give those into a node."""
    if not isinstance(pairwise, dict):
        raise FileError("{path}: pairwise is not a table; write [pairwise.NODE].", path=place)
    for node, compared in pairwise.items():
        sources = [arc.source for arc in diagram.into(node)]
        if not sources:
            raise FileError(
                "{path}: [pairwise.{node!s}] is for a node that nothing leads to; name another one.",
                path=place,
                node=node,
            )
        if any(arc["to"] == node and "weight" in arc for arc in arcs):
            raise FileError(
                "{path}: arcs into {node!r} have weights, and [pairwise.{node!s}] judges them as well; keep one.",
                path=place,
                node=node,
            )
        diagram = with_weights(diagram, node, read_comparisons(compared, sources, node, place))
    return diagram


def _require_trade_offs(diagram: Diagram) -> None:
    """A trade-off must move privacy and utility in opposite directions."""
    shares = known_shares(diagram, diagram.leaves)
    moved = [[pulls(diagram, shares, key) for key in names] for names in (diagram.privacy, diagram.utility)]
    for key in diagram.leaves:
        privacy, utility = (sum(one.get(key, 0.0) for one in criteria) for criteria in moved)
        if diagram.nodes[key].better is Better.TRADE_OFF and privacy * utility >= 0:
            raise ModelError(
                "{file}: the leaf {node!r} says better = trade-off, but its arcs do not move privacy and utility in "
                "opposite directions; correct them, or declare higher or lower.",
                file=diagram.file,
                node=key,
            )


def _require_shares(diagram: Diagram, arcs: Iterable[Mapping[str, object]], weights: object, place: Path) -> None:
    if weights not in ("relative", "shares"):
        raise FileError("{path} has weights = {weights!r}; write relative or shares.", path=place, weights=weights)
    if weights == "relative":
        return
    for arc in arcs:
        if "weight" not in arc:
            raise FileError(
                "{path} has weights = shares, but the arc {source!s} → {target!s} has no weight; give each arc its "
                "share.",
                path=place,
                source=arc["from"],
                target=arc["to"],
            )
    for key in diagram.nodes:
        into = diagram.into(key)
        total = math.fsum(arc.weight for arc in into)
        # Shares such as thirds are written with a few digits.
        if into and abs(total - 1) > 1e-3:
            raise ModelError(
                "{file}: the weights into the node {node!r} sum to {total:.6g} instead of 1; mend them, or write "
                'weights = "relative".',
                file=diagram.file,
                node=key,
                total=total,
            )


def _names(fields: Mapping[str, object], name: str, place: Path) -> tuple[str, ...]:
    found = fields.get(name)
    if not isinstance(found, list) or not found or not all(isinstance(one, str) for one in found):
        raise FileError(
            '{path} does not say which nodes are {name!s}; write {name!s} = ["…"] with one node or more.',
            path=place,
            name=name,
        )
    if len(set(found)) < len(found):
        raise FileError("{path} names a node twice under {name!s}; name each once.", path=place, name=name)
    return tuple(found)


def require_keys(fields: Mapping[str, object], known: Iterable[str], place: Path, what: Sentence) -> None:
    """Refuse a key that a file should not have."""
    for key in fields:
        if key not in known:
            raise FileError(
                "{path}: {what} has the unknown key {key!r}; {near}",
                path=place,
                what=what,
                key=key,
                near=did_you_mean(key, sorted(known)),
            )
