"""How people come to be guessed right, step by step as more is seen of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from leakgauge.artefacts.exposure import Exposure, ToldByColumns
from leakgauge.languages import ENGLISH, Language
from leakgauge.rounding import percentage, written
from leakgauge.telling.figures import chart
from leakgauge.telling.figures.chart import Figure, clauses, ended, joined, lines_of, listed, named, shortened, width_of

_LABELS, _ROW = 230, 40
_NAMES = 300
"""Pixels for the names of columns in a label."""


def waterfall_figure(
    exposure: Exposure, people: int, commonest: float | None = None, language: Language = ENGLISH
) -> Figure:
    """How many people are guessed right with nothing known, and how many more each thing that is seen adds.

    The steps are those of an exposure: the declared background, the published columns, the released
    secret itself. The most telling published column is a step of its own where the audit measured it together with
    the whole background; what was not measured apart is one step. An attacker who does worse with more is one who
    learnt badly: no step is negative.

    Args:
        exposure: of one secret.
        people: of the table; shares are shown as numbers of them.
        commonest: the share of the commonest value of the secret, which is guessed where nothing is known; without it
            the first step is what is known anyway.
    """
    everybody = all(one.everybody for one in (exposure.known, exposure.plain, exposure.everything))
    steps = _steps(list(_levels(exposure, commonest, language)), people, language, exact=everybody)
    if everybody:
        under = [
            language.say(
                "Counted over all {people} people; from one row alone nobody guesses more.", people=f"{people:,}"
            )
        ]
    else:
        under = [
            language.say(
                "Estimate: measured on {scored} people the attack was not trained on, scaled up to all {people}.",
                scored=f"{exposure.scored:,}",
                people=f"{people:,}",
            ),
            language.say("A better attack may guess more."),
        ]
    labels = min(max(width_of(line) for one in steps for line in one["step"].split("\n")) + 8, _LABELS + 30)
    area = chart.WIDTH - 44 - labels
    most = chart.domain_with_room([(one["end"], one["number"]) for one in steps], area)
    scale = {"domain": [0, most], "nice": False}
    # The room for numbers may be that of more than all.
    axis = {"format": "%", "labelExpr": "datum.value > 1 ? '' : datum.label"}
    x = chart.quantitative("start", title=language.say("share of the people guessed correctly"), scale=scale, axis=axis)
    fills = {"first": chart.LIGHT, "known": chart.FAINT, "added": chart.MIDDLE, "total": chart.DARK}
    fill = chart.nominal("kind", scale={"domain": [*fills], "range": [*fills.values()]}, legend=None)
    rule = {"type": "rule", "color": chart.FAINT, "strokeWidth": 0.8, "aria": False}
    order = [one["step"] for one in steps]
    spec = {
        "title": chart.titled(language.say("What lets an attacker guess correctly"), *under),
        "width": area,
        **chart.rows_of(steps, "step", chart.row_axis(_LABELS + 30, labels), order, chart.row_step(order, _ROW)),
        "layer": [
            chart.layer(rule, x={**x, "field": "end"}, y2={"field": "next"}),
            chart.layer({**chart.BAR, "height": 20}, x=x, x2={"field": "end"}, fill=fill, **chart.SAID),
            chart.layer(chart.text_mark(align="left", dx=6), x={**x, "field": "end"}, text=chart.nominal("number")),
        ],
    }
    return Figure(spec, joined(language, ended(language, clauses(language, *(one["said"] for one in steps))), *under))


def _levels(exposure: Exposure, commonest: float | None, language: Language) -> Iterator[tuple[str, str, float]]:
    """What is seen, step by step: its name, its kind, and the share that is guessed right with it."""

    def columns(*roles: str) -> list[str]:
        found = [name for one in exposure.columns for name, role in _seen(one) if role in roles]
        return list(dict.fromkeys(found))

    def named_with(said: str, names: Sequence[str]) -> str:
        return named(language, said, shortened(listed(language, *names), _NAMES))

    background, published, others = columns("background"), columns("public"), columns("public", "protected")
    known = exposure.known.success.value
    if not background:
        yield language.say("nothing known: the most common value"), "first", known if commonest is None else commonest
    elif commonest is None:
        yield named_with(language.say("already known"), background), "first", known
    else:
        yield language.say("nothing known: the most common value"), "first", commonest
        yield named_with(language.say("the background"), background), "known", known
    apart = _most_telling(exposure, background)
    if apart is not None and len(others) > 1:
        name, share = apart
        yield named_with(language.say("the most revealing published column"), [name]), "added", share
        yield language.say("the other published columns"), "added", exposure.plain.success.value
    elif others:
        said = language.say("the published column") if len(others) == 1 else language.say("the published columns")
        yield named_with(said, published or others), "added", exposure.plain.success.value
    if exposure.everything != exposure.plain:
        own = named_with(language.say("the released secret"), exposure.secret)
        yield own, "added", exposure.everything.success.value


def _most_telling(exposure: Exposure, background: Sequence[str]) -> tuple[str, float] | None:
    """The published column that adds most to the whole background, where that was measured."""
    found = []
    for one in (*exposure.columns, *exposure.pairs):
        public = [name for name, role in _seen(one) if role == "public"]
        known = {name for name, role in _seen(one) if role == "background"}
        if len(public) == 1 and known == {*background} and len(known) + 1 == len(one.columns):
            found.append((public[0], one.success.value))
    return max(found, key=lambda one: one[1], default=None)


def _seen(told: ToldByColumns) -> Iterator[tuple[str, str]]:
    return zip(told.columns, told.roles, strict=True)


def _steps(
    levels: list[tuple[str, str, float]], people: int, language: Language, *, exact: bool
) -> list[dict[str, Any]]:
    """The bars: each begins where the one before it ends, and the last is all of them."""
    rows: list[dict[str, Any]] = []
    reached = 0.0

    def counted(start: float, end: float) -> int:
        # Rounded ends, so that the steps add up.
        return round(people * end) - round(people * start) if exact else _about(people * (end - start))

    for at, (said, kind, share) in enumerate(levels):
        start, reached = reached, max(reached, min(share, 1.0))
        rows.append(_bar(said, kind, start, reached, counted(start, reached), language, signed=at > 0))
    said = language.say("guessed correctly in the end")
    rows.append(_bar(said, "total", 0.0, reached, counted(0.0, reached), language, signed=False))
    for row, after in pairwise(rows):
        row["next"] = after["step"]
    rows[-1]["next"] = rows[-1]["step"]
    return rows


def _bar(
    said: str, kind: str, start: float, end: float, count: int, language: Language, *, signed: bool
) -> dict[str, Any]:
    sign = "+" if signed else ""
    number = language.say(
        "{count} people, {share}%", count=f"{sign}{count:,}", share=f"{sign}{written(percentage(end - start))}"
    )
    step = "\n".join(lines_of(said, _LABELS))
    return {
        "step": step,
        "kind": kind,
        "start": start,
        "end": end,
        "number": number,
        "said": named(language, said, number),
    }


def _about(count: float) -> int:
    """A count with three digits that count: shares of other people say no more of it."""
    if count < 1000:
        return round(count)
    unit: int = 10 ** (math.floor(math.log10(count)) - 2)
    return round(count / unit) * unit
