"""Draws the implication graph from its data: ``python docs/pictures/notions.py`` writes ``notions.svg``."""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import escape

from leakgauge.claims import NOTIONS
from leakgauge.notions.edges import SOUND_EDGES, Edge, Status
from leakgauge.papers.notion_relations import PUBLISHED_EDGES

WIDTH, HEIGHT = 190, 44
PLACES = {
    "central-identifiability": (30, 40),
    "identifiability": (30, 250),
    "dp": (330, 40),
    "local-dp": (330, 250),
    "metric-privacy": (330, 430),
    "zcdp": (640, 40),
    "gaussian-dp": (900, 40),
    "renyi-dp": (640, 150),
    "approximate-dp": (900, 150),
    "total-variation": (1160, 200),
    "mutual-information-dp": (640, 250),
    "maximal-leakage": (640, 430),
    "central-mutual-information": (900, 250),
    "mutual-information": (900, 340),
    "sibson-leakage": (900, 430),
    "alpha-leakage": (900, 500),
    "min-entropy-leakage": (900, 570),
}
DASHES = ' stroke-dasharray="6 4"'
COLOURS = {Status.SHARP: "#1b6e3c", Status.SOUND: "#2b5fa8", Status.UNSOUND: "#b3261e"}


def border(place: tuple[float, float], towards: tuple[float, float]) -> tuple[float, float]:
    """Where the line from a box's centre to another point leaves the box."""
    x, y = place[0] + WIDTH / 2, place[1] + HEIGHT / 2
    dx, dy = towards[0] - x, towards[1] - y
    scale = min(WIDTH / 2 / abs(dx) if dx else 1e9, HEIGHT / 2 / abs(dy) if dy else 1e9)
    return x + dx * scale, y + dy * scale


def arrow(edge: Edge, bend: float) -> str:
    """One edge as a curve, bent so that the two directions of a pair do not lie on each other."""
    start, end = PLACES[edge.premise.name], PLACES[edge.conclusion.name]
    a = (start[0] + WIDTH / 2, start[1] + HEIGHT / 2)
    b = (end[0] + WIDTH / 2, end[1] + HEIGHT / 2)
    dx, dy = b[0] - a[0], b[1] - a[1]
    middle = ((a[0] + b[0]) / 2 - dy * bend, (a[1] + b[1]) / 2 + dx * bend)
    (x1, y1), (x2, y2) = border(start, middle), border(end, middle)
    colour = COLOURS[edge.status]
    dash = DASHES if edge.status is Status.UNSOUND else ""
    title = escape(
        f"{edge.premise.name} → {edge.conclusion.name}: {edge.formula} ({edge.status.value}; {edge.reference})"
    )
    return (
        f'<path d="M{x1:.1f},{y1:.1f} Q{middle[0]:.1f},{middle[1]:.1f} {x2:.1f},{y2:.1f}" fill="none" '
        f'stroke="{colour}" stroke-width="1.6"{dash} marker-end="url(#{edge.status.name})">'
        f"<title>{title}</title></path>"
    )


def draw() -> str:
    """The graph as SVG."""
    heads = "".join(
        f'<marker id="{status.name}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
        f'orient="auto"><path d="M0,0 L10,5 L0,10 z" fill="{colour}"/></marker>'
        for status, colour in COLOURS.items()
    )
    unsound = {(edge.premise, edge.conclusion): edge for edge in PUBLISHED_EDGES if edge.status is Status.UNSOUND}
    arrows = [arrow(edge, 0.10) for edge in SOUND_EDGES if edge.premise is not edge.conclusion]
    arrows += [arrow(edge, 0.24) for edge in unsound.values()]
    boxes = [
        f'<rect x="{PLACES[name][0]}" y="{PLACES[name][1]}" width="{WIDTH}" height="{HEIGHT}" rx="8" fill="#ffffff" '
        f'stroke="#333"/><text x="{PLACES[name][0] + WIDTH / 2}" y="{PLACES[name][1] + 27}" text-anchor="middle">'
        f"{name}</text>"
        for name in NOTIONS
    ]
    legend = [
        f'<line x1="30" y1="{530 + 24 * at}" x2="70" y2="{530 + 24 * at}" stroke="{colour}" stroke-width="2"'
        f"{DASHES if status is Status.UNSOUND else ''}/>"
        f'<text x="80" y="{534 + 24 * at}">{status.value}</text>'
        for at, (status, colour) in enumerate(COLOURS.items())
    ]
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1380 640" font-family="sans-serif" font-size="13" '
        'role="img" aria-label="Implications between privacy notions">'
        f'<defs>{heads}</defs><rect width="1380" height="640" fill="#fafafa"/>'
        + "".join([*arrows, *boxes, *legend])
        + "</svg>\n"
    )


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(draw(), encoding="utf-8")
