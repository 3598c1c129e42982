"""Rooms above ask a mechanism or its law; none of them asks which one it is."""

from __future__ import annotations

import ast
from pathlib import Path

import leakgauge
from leakgauge.mechanisms import CATALOGUE, Mechanism
from leakgauge.mechanisms.mechanism import Law

SOURCE = Path(leakgauge.__file__).parent


def kinds_of(base: type[object]) -> set[str]:
    known: list[type[object]] = base.__subclasses__()
    return {kind.__name__ for kind in known}.union(*map(kinds_of, known))


def types_asked(tree: ast.AST, concrete: set[str]) -> list[int]:
    """Lines of ``isinstance``, ``type(x) is`` and ``match`` patterns that name one of these."""
    found = []
    for node in ast.walk(tree):
        asked: list[ast.AST] = []
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("isinstance", "issubclass")
        ):
            asked = [node.args[1]]
        elif isinstance(node, ast.MatchClass):
            asked = [node.cls]
        elif isinstance(node, ast.Compare) and any(isinstance(op, ast.Is | ast.IsNot | ast.Eq) for op in node.ops):
            asked = [side for side in node.comparators if isinstance(side, ast.Name)]
        names = {one.id for side in asked for one in ast.walk(side) if isinstance(one, ast.Name)}
        # Of our modules: click has a Choice too.
        attributes = [one for side in asked for one in ast.walk(side) if isinstance(one, ast.Attribute)]
        names |= {one.attr for one in attributes if ast.unparse(one.value) != "click"}
        if names & concrete:
            found.append(node.lineno)  # type: ignore[attr-defined]
    return found


def names_asked(tree: ast.AST) -> list[int]:
    """Lines that compare something with the name of a mechanism."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare)
        and any(
            isinstance(one, ast.Constant) and one.value in CATALOGUE and one.value != "channel"
            for side in (node.left, *node.comparators)
            for one in ast.walk(side)
        )
    ]


def test_no_room_asks_which_mechanism_or_law_it_has() -> None:
    concrete = kinds_of(Mechanism) | kinds_of(Law)
    assert {"NoisyNumber", "FiniteMechanism", "LetterSets", "DiscreteLaplace", "ChannelLaw"} <= concrete
    found, named = [], (concrete | {*CATALOGUE}) - {"channel"}
    for path in SOURCE.rglob("*.py"):
        place, text = path.relative_to(SOURCE), path.read_text(encoding="utf-8")
        # To parse every file takes seconds.
        if place.parts[0] == "mechanisms" or not any(name in text for name in named):
            continue
        tree = ast.parse(text)
        found += [f"{place}:{line}" for line in (*types_asked(tree, concrete), *names_asked(tree))]
    assert found == []


def test_such_a_test_would_be_found() -> None:
    text = """
if isinstance(one, NoisyNumber | int): pass
match one:
    case mechanisms.LetterSets(): pass
if type(one) is NoisyNumber: pass
if one.name == "laplace" or one.name in ("gaussian", "x"): pass
"""
    tree = ast.parse(text)
    assert types_asked(tree, {"NoisyNumber", "LetterSets"}) == [2, 5, 4]
    assert names_asked(tree) == [6, 6]
