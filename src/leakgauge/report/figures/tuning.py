"""The search for a setting that meets a target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from leakgauge.artefacts.assessment import Grade
from leakgauge.artefacts.codec import sentence_of
from leakgauge.assessment.improvement import Goal
from leakgauge.languages import ENGLISH, Language
from leakgauge.report.figures.figure import ALARM, DARK, INK, MIDDLE, Figure, figure_of_words
from leakgauge.report.figures.quantities import Fields
from leakgauge.report.figures.texts import apart, ended, joined, lines_of, listed, named, row_axis

_LABELS, _AREA, _COLUMN, _STATUS = 270, 240, 50, 66
_MANY = 30
"""Settings above which each name has one line, and is cut where it is too long."""
_SCORES = ("score", "privacy", "utility")


def tuning_figure(improvement: Fields, language: Language = ENGLISH) -> Figure:
    """Every setting tried, in order, with its score, privacy and utility from 0 to 100, what was asked and the choice.

    Args:
        improvement: the fields of ``improvement.json``.
        language: of the words.
    """
    title = language.say("What was tried to meet the target")
    trials = improvement.get("trials") or []
    if not trials:
        return figure_of_words(title, language.say("Nothing was tried."))
    asked = _asked(improvement)
    names = {"score": language.say("score"), "privacy": language.say("privacy"), "utility": language.say("utility")}
    rows = _rows(improvement, trials, names, language)
    wanted = language.say(
        "Asked, dashed: score of at least {score}, privacy {privacy}, utility {utility}.",
        **{name: f"{points:g}" for name, points in asked.items()},
    )
    spec = {
        "title": {"text": title, "subtitle": wanted, "offset": 28},
        "width": _AREA + 3 * _COLUMN + _STATUS,
        "height": {"step": _step(rows)},
        "view": {"stroke": None},
        "encoding": {"y": _down(rows)},
        "layer": [_band(rows), *_rules(asked), _symbols(rows, names), *_numbers(rows, names)],
    }
    met = sum(bool(trial["meets"]) for trial in trials)
    said = language.say("{count} settings were tried, {met} meet the target.", count=len(trials), met=met)
    marked = [row["said"] for row in rows if row["marked"]]
    return Figure(spec, joined(language, said, wanted, *marked))


def _asked(improvement: Fields) -> dict[str, float]:
    """What the score, privacy and utility must be at least."""
    target = improvement["target"]
    goal = Goal(
        Grade(target) if isinstance(target, str) else float(target),
        float(improvement.get("min_privacy") or 0.0),
        float(improvement.get("min_utility") or 0.0),
    )
    return goal.asked()


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
        if _is(trial, chosen):
            status = language.say("chosen")
        elif chosen is None and _is(trial, best):
            status = language.say("closest")
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
                "marked": _is(trial, chosen) or (chosen is None and _is(trial, best)),
                "said": ended(language, named(language, name, listed(language, *told, *([status] if status else [])))),
            }
        )
    return rows


def _is(trial: Fields, other: Fields | None) -> bool:
    compared = ("stage", "form", "mechanism", "score")
    return other is not None and all(trial.get(key) == other.get(key) for key in compared)


def _step(rows: list[dict[str, Any]]) -> int:
    """Pixels a row: more where a name needs two lines, less where there are many."""
    lines: int = max(row["row"].count("\n") + 1 for row in rows)
    return 14 * lines + (4 if len(rows) > _MANY else 7)


def _down(rows: list[dict[str, Any]]) -> dict[str, Any]:
    axis = {**row_axis(_LABELS + 10), "grid": True}
    return {"field": "row", "type": "nominal", "sort": [row["row"] for row in rows], "title": None, "axis": axis}


def _across(field: str) -> dict[str, Any]:
    # The numbers stand to the right of the points, in the same picture.
    return {
        "field": field,
        "type": "quantitative",
        "title": None,
        "scale": {"domain": [0, 100], "range": [0, _AREA]},
        "axis": {"values": [0, 20, 40, 60, 80, 100]},
    }


def _band(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """A frame around the row that was chosen."""
    return {
        "data": {"values": [row for row in rows if row["marked"]]},
        "mark": {"type": "rect", "fill": "#fdf0df", "stroke": MIDDLE, "aria": False},
        "encoding": {"x": {"value": 0}, "x2": {"value": _AREA + 3 * _COLUMN + _STATUS}},
    }


def _rules(asked: Mapping[str, float]) -> list[dict[str, Any]]:
    wanted = sorted(points for points in set(asked.values()) if points > 0)
    places = apart([points / 100 * _AREA for points in wanted], 24, 0, _AREA)
    values = [
        {"asked": points, "written": f"{points:g}", "place": 100 * place / _AREA}
        for points, place in zip(wanted, places, strict=True)
    ]
    return [
        {
            "data": {"values": values},
            "mark": {"type": "rule", "strokeDash": [6, 4], "color": ALARM, "strokeWidth": 1.5, "aria": False},
            "encoding": {"x": _across("asked"), "y": None},
        },
        {
            "data": {"values": values},
            "mark": {"type": "text", "color": ALARM, "aria": False},
            "encoding": {"x": _across("place"), "y": {"value": -9}, "text": {"field": "written", "type": "nominal"}},
        },
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
    kind = {"field": "kind", "type": "nominal", "sort": None}
    return {
        "data": {"values": points},
        "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1, "stroke": INK, "strokeWidth": 0.6},
        "encoding": {
            "x": _across("points"),
            "shape": {
                **kind,
                "scale": {"domain": kinds, "range": ["circle", "square", "triangle-up"]},
                "legend": legend,
            },
            "fill": {**kind, "scale": {"domain": kinds, "range": ["white", DARK, MIDDLE]}, "legend": legend},
            "description": {"field": "said"},
            "tooltip": {"field": "said"},
        },
    }


def _numbers(rows: list[dict[str, Any]], names: Mapping[str, str]) -> list[dict[str, Any]]:
    """The scores in columns on the right, and what became of the setting."""
    layers: list[dict[str, Any]] = []
    for at, name in enumerate(_SCORES):
        right = {"value": _AREA + _COLUMN * (at + 1)}
        layers += [
            {
                "data": {"values": rows},
                "mark": {"type": "text", "align": "right", "aria": False},
                "encoding": {"x": right, "text": {"field": f"{name}_written", "type": "nominal"}},
            },
            {
                "data": {"values": [{"head": names[name]}]},
                "mark": {"type": "text", "align": "right", "aria": False},
                "encoding": {"x": right, "y": {"value": -9}, "text": {"field": "head", "type": "nominal"}},
            },
        ]
    status = {"type": "text", "align": "left", "dx": 12, "fontWeight": "bold", "aria": False}
    left = {"value": _AREA + 3 * _COLUMN}
    return [
        *layers,
        {
            "data": {"values": rows},
            "mark": status,
            "encoding": {"x": left, "text": {"field": "status", "type": "nominal"}},
        },
    ]
