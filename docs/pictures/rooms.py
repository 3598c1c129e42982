"""Draws the rooms from the source: ``python docs/pictures/rooms.py`` writes ``rooms.svg``.

An arrow leads from a room to one that imports it, which is the way data flow; where a longer way leads there too, the
arrow is left out. Beside a room stand its docstring and the types that most rooms above it import.
"""

from __future__ import annotations

import ast
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "leakgauge"
LEFT, TOP, WIDTH, HEIGHT, STEP = 190, 20, 120, 30, 48


def rooms() -> list[str]:
    """The rooms from top to bottom, as the layers of ``pyproject.toml`` have them."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    return [room.strip() for layer in contracts[0]["layers"] for room in layer.split("|")]


def imports(file: Path) -> Iterator[tuple[str, str]]:
    """Each name of ours that a file imports, with its room."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "leakgauge":
            _, *path = node.module.split(".")
            for alias in node.names:
                yield (path[0], alias.name) if path else (alias.name, alias.name)


def room_of(file: Path) -> str:
    """The first part of its path within the package."""
    return file.relative_to(SOURCE).with_suffix("").parts[0]


def below(graph: dict[str, set[str]], room: str) -> set[str]:
    """Every room that one needs, directly or not."""
    return graph[room].union(*(below(graph, other) for other in graph[room]))


def summary(room: str) -> str:
    """The first sentence of its docstring, or what stands before its colon."""
    file = SOURCE / room / "__init__.py"
    text = ast.get_docstring(ast.parse((file if file.exists() else SOURCE / f"{room}.py").read_text(encoding="utf-8")))
    return (text or "").splitlines()[0].split(". ")[0].rstrip(".").replace("``", "")


def draw() -> str:
    """The picture as SVG."""
    order = rooms()
    graph: dict[str, set[str]] = {room: set() for room in order}
    taken: set[tuple[str, str, str]] = set()
    for file in sorted(SOURCE.rglob("*.py")):
        own = room_of(file)
        for room, name in set(imports(file)) if own in graph else ():
            if room in graph and room != own:
                graph[own].add(room)
                taken.add((room, name, own))
    direct = {
        room: {other for other in graph[room] if not any(other in below(graph, via) for via in graph[room])}
        for room in order
    }
    parts = []
    for at, room in enumerate(order):
        y = TOP + STEP * at
        types = Counter(name for where, name, _ in taken if where == room and name[0].isupper() and not name.isupper())
        most = sorted(types, key=lambda name: (-types[name], name))[:4]
        parts.append(
            f'<rect x="{LEFT}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="6" fill="#ffffff" stroke="#333"/>'
            f'<text x="{LEFT + WIDTH / 2:g}" y="{y + 20}" text-anchor="middle" font-weight="bold">{room}</text>'
            f'<text x="{LEFT + WIDTH + 14}" y="{y + 12}">{escape(summary(room))}</text>'
            f'<text x="{LEFT + WIDTH + 14}" y="{y + 29}" fill="#2b5fa8">{escape(", ".join(most))}</text>'
        )
        for other in sorted(direct[room], key=order.index):
            low, far = order.index(other), order.index(other) - at
            start, end, bend = TOP + STEP * low + 10, y + 20, LEFT - min(16 + 18 * far, 230)
            parts.append(
                f'<path d="M{LEFT},{start} C{bend},{start} {bend},{end} {LEFT},{end}" fill="none" stroke="#555" '
                f'stroke-width="1.4" marker-end="url(#head)"><title>{other} → {room}</title></path>'
            )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1060 {TOP + STEP * len(order)}" '
        'font-family="sans-serif" font-size="13" role="img" aria-label="The rooms and how data flow between them">'
        '<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0,0 L10,5 L0,10 z" fill="#555"/></marker></defs>'
        f'<rect width="1060" height="{TOP + STEP * len(order)}" fill="#fafafa"/>' + "".join(parts) + "</svg>\n"
    )


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(draw(), encoding="utf-8")
