"""What a search tried: protection against usefulness."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from leakgauge.artefacts.improvement import StoredImprovement, TriedSetting
from leakgauge.languages import ENGLISH, Language
from leakgauge.telling.figures import chart
from leakgauge.telling.figures.chart import Figure, ended, joined, listed, named

_BESIDE = 70
"""Pixels of the axis beside the marks, and of what stands out on the right."""


def search_figure(improvement: StoredImprovement, language: Language = ENGLISH, *, width: int = chart.WIDTH) -> Figure:
    """Every setting that was tried, by its law, at the unfavourable ends that limits are held to."""
    kinds = {
        "meets": language.say("meets the limits"),
        "misses": language.say("does not meet them"),
        "marked": language.say("chosen") if improvement.chosen else language.say("closest"),
    }
    rows = [_row(trial, "meets" if trial.meets else "misses", kinds, language) for trial in improvement.trials]
    marked = _row(improvement.chosen or improvement.closest, "marked", kinds, language)
    across = chart.of_a_hundred("usefulness", language.say("usefulness"))
    down = chart.of_a_hundred("protection", language.say("protection"))
    order = list(kinds.values())
    legend = {"orient": "bottom", "title": None, "symbolSize": 70, "columnPadding": 24}
    if width < chart.WIDTH:
        legend["columns"] = 1
    fills = {"domain": order, "range": [chart.DARK, "white", chart.MIDDLE]}
    shapes = {"domain": order, "range": ["circle", "circle", "diamond"]}
    looks = {
        "fill": chart.nominal("kind", sort=None, legend=legend, scale=fills),
        "shape": chart.nominal("kind", sort=None, legend=legend, scale=shapes),
    }
    point = {"type": "point", "filled": True, "opacity": 0.9, "stroke": chart.INK, "strokeWidth": 0.8}
    spec = {
        "title": chart.titled(
            language.say("What was tried"),
            language.say(
                "Each mark is one setting, scored in advance (worse end where uncertain). Dashed: the limits."
            ),
            width=width,
        ),
        "width": width - _BESIDE,
        "height": 240,
        "layer": [
            *_limits(improvement.asked),
            chart.layer(point, rows, x=across, y=down, **looks, size={"value": 45}, **chart.SAID),
            chart.layer(point, [marked], x=across, y=down, **looks, size={"value": 260}, **chart.SAID),
        ],
    }
    said = language.say(
        "{count} settings were tried, {met} meet the limits.",
        count=len(rows),
        met=sum(one.meets for one in improvement.trials),
    )
    return Figure(spec, joined(language, said, marked["said"]))


def _row(trial: TriedSetting, kind: str, kinds: Mapping[str, str], language: Language) -> dict[str, Any]:
    ends = {"protection": trial.scores.protection.ends[0], "usefulness": trial.scores.usefulness.ends[0]}
    told = [
        kinds[kind],
        language.say("protection {points:.3g}", points=ends["protection"]),
        language.say("usefulness {points:.3g}", points=ends["usefulness"]),
    ]
    name = language.retell(trial.mechanism)
    return {**ends, "kind": kinds[kind], "said": ended(language, named(language, name, listed(language, *told)))}


def _limits(asked: Mapping[str, float]) -> list[dict[str, Any]]:
    line = {"type": "rule", "strokeDash": [6, 4], "color": chart.ALARM, "strokeWidth": 1.5, "aria": False}
    places = {"min_protection": "y", "min_usefulness": "x"}
    return [
        chart.layer(line, [{"limit": asked[name]}], **{axis: chart.quantitative("limit")})
        for name, axis in places.items()
        if name in asked
    ]
