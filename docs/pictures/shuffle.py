"""Draws what tasks send between machines: ``python docs/pictures/shuffle.py`` writes ``shuffle.svg``.

Lines are the formula of ``docs/concepts/scale.md``, points are simulated from a seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np
import pyarrow.compute as pc

from leakgauge.jobs.samples import adult_rows

LEFT, TOP, WIDTH, HEIGHT = 60, 20, 460, 260
LEAST, MOST = 2, 8
"""Powers of ten: the rows of a task."""
COLOURS = ("#2b5fa8", "#b5532a", "#3a7d44", "#7a4fa3", "#333333")


def shares_of(*columns: str) -> np.ndarray:
    """The share of rows with each combination of values in the bundled sample."""
    sizes = adult_rows().group_by(list(columns)).aggregate([([], "count_all")]).column("count_all")
    return np.sort(np.asarray(sizes))[::-1] / pc.sum(sizes).as_py()


def zipf(number: int) -> np.ndarray:
    """Shares in proportion to 1/k."""
    weights = 1 / np.arange(1, number + 1)
    return weights / weights.sum()


def kinds() -> Iterator[tuple[str, np.ndarray | None]]:
    """Keys by their names; None where every row has a key of its own."""
    yield "Adult: age, occupation", shares_of("age", "occupation")
    yield "Adult: age, occupation, hours", shares_of("age", "occupation", "hours_per_week")
    yield "10⁴ keys in proportion to 1/k", zipf(10**4)
    yield "10⁶ keys in proportion to 1/k", zipf(10**6)
    yield "a number for each person", None


def sent(shares: np.ndarray | None, rows: float) -> float:
    """Records for each row, by the formula."""
    return 1.0 if shares is None else float(-np.expm1(rows * np.log1p(-shares)).sum() / rows)


def place(power: float, share: float) -> tuple[str, str]:
    """Where a point lies."""
    x = LEFT + WIDTH * (power - LEAST) / (MOST - LEAST)
    return f"{x:.0f}", f"{TOP + HEIGHT * (1 - share):.0f}"


def draw() -> str:
    """The picture as SVG."""
    parts, draws = list(axes()), np.random.default_rng(21)
    for at, (name, shares) in enumerate(kinds()):
        colour, powers = COLOURS[at], np.linspace(LEAST, MOST, 49)
        line = " ".join(",".join(place(power, sent(shares, 10**power))) for power in powers)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for power in (3, 4, 5) if shares is not None and len(shares) <= 10**4 else ():
            found = np.count_nonzero(draws.multinomial(10**power, shares)) / 10**power
            across, up = place(power, found)
            parts.append(f'<circle cx="{across}" cy="{up}" r="4" fill="{colour}"/>')
        x, y = LEFT + WIDTH + 20, TOP + 30 + 24 * at
        parts.append(
            f'<line x1="{x}" x2="{x + 24}" y1="{y}" y2="{y}" stroke="{colour}" stroke-width="2"/>'
            f'<text x="{x + 32}" y="{y + 4}">{escape(name)}</text>'
        )
    size = f"{LEFT + WIDTH + 270} {TOP + HEIGHT + 50}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" font-family="sans-serif" font-size="13" '
        'role="img" aria-label="Records that a task sends for each of its rows">'
        f'<rect width="100%" height="100%" fill="#ffffff"/>{"".join(parts)}</svg>\n'
    )


def axes() -> Iterator[str]:
    """The frame, with powers of ten below and shares on the left."""
    yield f'<rect x="{LEFT}" y="{TOP}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#999"/>'
    for power in range(LEAST, MOST + 1):
        x, y = place(power, 0)
        yield f'<text x="{x}" y="{int(y) + 18}" text-anchor="middle">10{"⁰¹²³⁴⁵⁶⁷⁸⁹"[power]}</text>'
    for share in (0, 0.5, 1):
        x, y = place(LEAST, share)
        yield f'<text x="{int(x) - 8}" y="{int(y) + 4}" text-anchor="end">{share:g}</text>'
    middle = LEFT + WIDTH // 2
    yield f'<text x="{middle}" y="{TOP + HEIGHT + 40}" text-anchor="middle">rows of a task</text>'
    yield (
        f'<text x="16" y="{TOP + HEIGHT // 2}" text-anchor="middle" '
        f'transform="rotate(-90 16 {TOP + HEIGHT // 2})">records per row</text>'
    )


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(draw(), encoding="utf-8")
