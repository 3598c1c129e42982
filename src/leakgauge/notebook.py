"""Tables as plain HTML for notebooks, for people who may see their content: everything escaped, nothing runs."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice

from leakgauge import rounding
from leakgauge.visible import on_one_line

MOST = 20
"""The most rows, and columns besides the first, shown of a large table."""
_LONGEST = 200
# Notebooks set every cell flush right, which makes sentences hard to read.
_LEFT, _RIGHT = 'style="text-align:left"', 'style="text-align:right"'
_FEWEST = 0.01
"""Points that are not told apart from nothing, and are not nothing."""
_NUMBER = re.compile(r"-?[\d,.]+(e[-+]\d+)?%?")


def table_html(
    head: Sequence[object],
    rows: Iterable[Sequence[object]],
    caption: str,
    *,
    of_rows: int | None = None,
    of_columns: int | None = None,
) -> str:
    """A table as HTML; of a large one the first rows and columns, and how many more there are.

    Args:
        head: of each column, that of the row names first; empty for none.
        rows: each with its name first. ``None`` is a missing value, a tuple one of several columns.
        of_rows: how many rows there are, where not all are given.
        of_columns: likewise columns, the row names not counted.
    """
    found = list(rows if of_rows is None else islice(rows, MOST))
    width = max((len(row) for row in (head, *found[:MOST])), default=1)
    left_out = (
        _more((len(found) if of_rows is None else of_rows) - MOST, "row"),
        _more((width - 1 if of_columns is None else of_columns) - MOST, "column"),
    )
    lines = ["<table>", f"<caption {_LEFT}>{_text(caption)}</caption>"]
    if head:
        lines.append("<thead>" + _row(head, "th", _LEFT) + "</thead>")
    # Numbers stand below each other only where a column holds one kind of thing.
    of_numbers = _RIGHT if head else _LEFT
    lines += ["<tbody>", *(_row(row, "td", of_numbers) for row in found[:MOST]), "</tbody>"]
    if any(left_out):
        said = f"and {' and '.join(filter(None, left_out))}"
        lines.append(f'<tfoot><tr><td colspan="{min(width, MOST + 1)}">{said}</td></tr></tfoot>')
    return "\n".join([*lines, "</table>"])


def number(value: float, unit: str = "") -> str:
    """A number in three digits, thousands apart, infinity in words, with its unit."""
    if math.isfinite(value):
        text = rounding.written(rounding.rounded(value))
    else:
        text = "infinite" if value > 0 else "minus infinity"
    return f"{text} {unit}" if unit else text


def points(value: float) -> str:
    """Points of a dial in three digits, none of them beyond hundredths."""
    return "<0.01" if 0 < value < _FEWEST else f"{round(value, 2):.3g}"


def interval(value: float, low: float, high: float, confidence: float, unit: str = "") -> str:
    """A number with its interval, such as ``0.5 [0.4, 0.6] bits at 95%``."""
    ends = rounding.interval(low, high) if math.isfinite(high - low) else f"[{number(low)}, {number(high)}]"
    text = f"{number(value)} {ends}"
    return f"{text}{' ' if unit else ''}{unit} at {100 * confidence:.6g}%"


def _row(cells: Sequence[object], kind: str, of_numbers: str) -> str:
    texts = list(map(_text, cells[: MOST + 1]))
    written = [f"<{kind} {of_numbers if _NUMBER.fullmatch(text) else _LEFT}>{text}</{kind}>" for text in texts[1:]]
    name = f'<th scope="{"row" if kind == "td" else "col"}" {_LEFT}>{texts[0]}</th>'
    return f"<tr>{name}{''.join(written)}</tr>"


def _more(count: int, what: str) -> str:
    return "" if count < 1 else f"{count:,} more {what}{'' if count == 1 else 's'}"


def _text(cell: object) -> str:
    if cell is None:
        # No label can be written like this: every other one is escaped.
        return "<em>missing</em>"
    if isinstance(cell, tuple):
        return "|".join(_text(part) for part in cell)
    text = on_one_line(str(cell))
    return escape(text if len(text) <= _LONGEST else text[:_LONGEST] + "…")
