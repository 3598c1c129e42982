"""The search for a setting that meets a target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from leakgauge.artefacts.assessment import Grade
from leakgauge.artefacts.codec import sentence_of
from leakgauge.assessment.improvement import Goal
from leakgauge.languages import ENGLISH, Language
from leakgauge.report.figures import chart
from leakgauge.report.figures.chart import Fields, Figure, figure_of_words
from leakgauge.report.figures.texts import apart, ended, joined, lines_of, listed, named

_LABELS, _AREA, _COLUMN = 270, 240, 50
_WIDTH = _AREA + 3 * _COLUMN + 66
_MANY = 30
"""Settings above which each name has one line, and is cut where it is too long."""
_SCORES = ("score", "privacy", "utility")


def tuning_figure(improvement: Fields, language: Language = ENGLISH) -> Figure:
    """Every setting of an ``improvement.json``, in order: score, privacy and utility, what was asked and the choice."""
    title = language.say("What was tried to meet the target")
    trials = improvement.get("trials") or []
    if not trials:
        return figure_of_words(title, language.say("Nothing was tried."))
    target = improvement["target"]
    least = (float(improvement.get(f"min_{name}") or 0.0) for name in ("privacy", "utility"))
    asked = Goal(Grade(target) if isinstance(target, str) else float(target), *least).asked()
    names = {"score": language.say("score"), "privacy": language.say("privacy"), "utility": language.say("utility")}
    rows = _rows(improvement, trials, names, language)
    wanted = language.say(
        "Asked, dashed: score of at least {score}, privacy {privacy}, utility {utility}.",
        **{name: f"{points:g}" for name, points in asked.items()},
    )
    order = [row["row"] for row in rows]
    axis = {**chart.row_axis(_LABELS + 10), "grid": True}
    status = chart.text_mark(align="left", dx=12, fontWeight="bold")
    frame = {"type": "rect", "fill": "#fdf0df", "stroke": chart.MIDDLE, "aria": False}
    # More pixels where a name needs two lines, fewer where there are many rows.
    step = 14 * max(row["row"].count("\n") + 1 for row in rows) + (4 if len(rows) > _MANY else 7)
    spec = {
        "title": {"text": title, "subtitle": wanted, "offset": 28},
        "width": _WIDTH,
        "height": {"step": step},
        "view": {"stroke": None},
        "data": {"values": rows},
        "encoding": {"y": chart.nominal("row", sort=order, title=None, axis=axis)},
        "layer": [
            chart.layer(frame, [row for row in rows if row["marked"]], x={"value": 0}, x2={"value": _WIDTH}),
            *_rules(asked),
            _symbols(rows, names),
            *chart.number_columns(names, _AREA, _COLUMN),
            chart.layer(status, x={"value": _AREA + 3 * _COLUMN}, text=chart.nominal("status")),
        ],
    }
    met = sum(bool(trial["meets"]) for trial in trials)
    said = language.say("{count} settings were tried, {met} meet the target.", count=len(trials), met=met)
    marked = [row["said"] for row in rows if row["marked"]]
    return Figure(spec, joined(language, said, wanted, *marked))


def _rows(
    improvement: Fields, trials: Sequence[Fields], names: Mapping[str, str], language: Language
) -> list[dict[str, Any]]:
    chosen, best = improvement.get("chosen"), improvement.get("best")
    forms = {language.retell(sentence_of(trial["form"])) for trial in trials if trial.get("form")}
    rows = []
    for number, trial in enumerate(trials, 1):
        name = language.retell(sentence_of(trial["mechanism"]))
        if len(forms) > 1:
            name = f"{name} ({language.retell(sentence_of(trial['form']))})"
        # Nothing is marked as chosen where nothing meets the target; the closest is.
        marked = _is(trial, best if chosen is None else chosen)
        if marked:
            status = language.say("closest") if chosen is None else language.say("chosen")
        else:
            status = language.say("meets") if trial["meets"] else language.say("vetoed") if trial.get("vetoes") else ""
        label = f"{number}  {name}"
        scores = {key: trial.get(key) for key in _SCORES}
        numbers = {f"{key}_written": "–" if one is None else f"{one:.1f}" for key, one in scores.items()}
        told = [f"{names[key]} {numbers[f'{key}_written']}" for key in _SCORES]
        rows.append(
            {
                "row": label if len(trials) > _MANY else "\n".join(lines_of(label, _LABELS)),
                **scores,
                **numbers,
                "status": status,
                "marked": marked,
                "said": ended(language, named(language, name, listed(language, *told, *([status] if status else [])))),
            }
        )
    return rows


def _is(trial: Fields, other: Fields | None) -> bool:
    compared = ("stage", "form", "mechanism", "score")
    return other is not None and all(trial.get(key) == other.get(key) for key in compared)


def _across(field: str) -> dict[str, Any]:
    # The numbers stand to the right of the points, in the same picture.
    scale = {"domain": [0, 100], "range": [0, _AREA]}
    return chart.quantitative(field, title=None, scale=scale, axis={"values": [0, 20, 40, 60, 80, 100]})


def _rules(asked: Mapping[str, float]) -> list[dict[str, Any]]:
    wanted = sorted(points for points in set(asked.values()) if points > 0)
    places = apart([points / 100 * _AREA for points in wanted], 24, 0, _AREA)
    values = [
        {"asked": points, "written": f"{points:g}", "place": 100 * place / _AREA}
        for points, place in zip(wanted, places, strict=True)
    ]
    line = {"type": "rule", "strokeDash": [6, 4], "color": chart.ALARM, "strokeWidth": 1.5, "aria": False}
    label = chart.text_mark(color=chart.ALARM)
    return [
        chart.layer(line, values, x=_across("asked"), y=None),
        chart.layer(label, values, x=_across("place"), y={"value": -9}, text=chart.nominal("written")),
    ]


def _symbols(rows: list[dict[str, Any]], names: Mapping[str, str]) -> dict[str, Any]:
    points = [
        {"row": row["row"], "kind": names[key], "points": row[key], "said": row["said"]}
        for row in rows
        for key in _SCORES
        if row[key] is not None
    ]
    kinds = list(names.values())
    legend = {"orient": "bottom", "title": None}
    shapes = {"domain": kinds, "range": ["circle", "square", "triangle-up"]}
    fills = {"domain": kinds, "range": ["white", chart.DARK, chart.MIDDLE]}
    return chart.layer(
        {"type": "point", "filled": True, "size": 70, "opacity": 1, "stroke": chart.INK, "strokeWidth": 0.6},
        points,
        x=_across("points"),
        shape=chart.nominal("kind", sort=None, scale=shapes, legend=legend),
        fill=chart.nominal("kind", sort=None, scale=fills, legend=legend),
        **chart.SAID,
    )
