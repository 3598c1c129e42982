"""What attacks find in a release, between what they find without it and in the raw table."""

from __future__ import annotations

from typing import Any

from leakgauge.artefacts.codec import sentence_of
from leakgauge.languages import ENGLISH, Language
from leakgauge.report.figures import chart
from leakgauge.report.figures.figure import Fields, Figure, figure_of_words, interval_of, value_of
from leakgauge.report.figures.texts import joined, lines_of, named

_LABELS, _AREA, _COLUMN, _ROW = 200, 250, 72, 34


def attacks_figure(audit: Fields, language: Language = ENGLISH) -> Figure:
    """The share of targets that each attack of an ``audit.json`` is right about, its interval, anchors and ceiling.

    The anchors are what the same attacker is right about without the release, and with the raw table; the ceiling is
    what the claim allows at most.
    """
    title = language.say("What attacks find")
    attacks = audit.get("attacks") or []
    if not attacks:
        return figure_of_words(title, language.say("No attack was tried."))
    several = len({tuple(one["target"]) for one in attacks}) > 1
    rows = [_row(one, several, language) for one in attacks]
    under = [
        language.say(
            "The share of targets an attacker is right about: dot with the release, line through it its interval,"
        ),
        language.say(
            "band from what is known without it to what the raw table tells, upright line what the claim allows."
        ),
    ]
    if any(row["beaten"] for row in rows):
        under.append(language.say("Diamond: the attack beats the claim."))
    heads = {
        "without": language.say("no release"),
        "success": language.say("release"),
        "raw": language.say("raw table"),
        "ceiling": language.say("allowed"),
    }
    order = [row["attack"] for row in rows]
    spec = {
        "title": {"text": title, "subtitle": under, "offset": 30},
        "width": _AREA + _COLUMN * len(heads),
        "height": {"step": _ROW},
        "view": {"stroke": None},
        "data": {"values": rows},
        "encoding": {"y": chart.nominal("attack", sort=order, title=None, axis=chart.row_axis(_LABELS + 30))},
        "layer": [*_marks(), *chart.number_columns(heads, _AREA, _COLUMN, bold="success", color="#3a444c")],
    }
    return Figure(spec, joined(language, *(row["said"] for row in rows)))


def _row(attack: Fields, several: bool, language: Language) -> dict[str, Any]:
    success, baseline, advantage = (value_of(attack, name) for name in ("success", "baseline", "raw"))
    assert success is not None
    name = language.retell(sentence_of(attack["attack"]))
    if several:
        name += f" ({', '.join(attack['target'])})"
    low, high = interval_of(attack, "success")
    row: dict[str, Any] = {
        "attack": "\n".join(lines_of(name, _LABELS)),
        "success": success,
        "low": low,
        "high": high,
        "without": baseline,
        # Stored is the advantage over what is known without a release, on the same targets.
        "raw": None if baseline is None or advantage is None else baseline + advantage,
        "ceiling": value_of(attack, "ceiling"),
        "beaten": bool(attack.get("beats_claim")),
    }
    written = {f"{key}_written": _percent(row[key]) for key in ("without", "success", "raw", "ceiling")}
    return {**row, **written, "said": _said(name, written, row["beaten"], language)}


def _said(name: str, written: dict[str, str], beaten: bool, language: Language) -> str:
    said = language.say(
        "right about {success}, without the release {without}, in the raw table {raw}; allowed {ceiling}.",
        success=written["success_written"],
        without=written["without_written"],
        raw=written["raw_written"],
        ceiling=written["ceiling_written"],
    )
    return joined(language, named(language, name, said), language.say("This beats the claim.") if beaten else "")


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.3g}%"


def _across(field: str) -> dict[str, Any]:
    # The numbers stand to the right of the shares, in the same picture.
    axis = {"format": ".0%", "values": [0, 0.25, 0.5, 0.75, 1]}
    return chart.quantitative(field, title=None, scale={"domain": [0, 1], "range": [0, _AREA]}, axis=axis)


def _marks() -> list[dict[str, Any]]:
    red = {"condition": {"test": "datum.beaten", "value": chart.ALARM}, "value": chart.DARK}
    return [
        {
            "transform": [{"filter": "datum.raw !== null"}],
            "mark": {
                "type": "bar",
                "height": 16,
                "fill": chart.LIGHT,
                "stroke": chart.FAINT,
                "strokeWidth": 0.8,
                "aria": False,
            },
            "encoding": {"x": _across("without"), "x2": {"field": "raw"}},
        },
        {
            "transform": [{"filter": "datum.ceiling !== null"}],
            "mark": {"type": "tick", "size": 24, "thickness": 3, "color": chart.ALARM, "aria": False},
            "encoding": {"x": _across("ceiling")},
        },
        {
            "transform": [{"filter": "datum.low !== null && datum.high !== null"}],
            "mark": {"type": "rule", "strokeWidth": 3, "aria": False},
            "encoding": {"x": _across("low"), "x2": {"field": "high"}, "color": red},
        },
        {
            "mark": {"type": "point", "filled": True, "opacity": 1},
            "encoding": {
                "x": _across("success"),
                "color": red,
                "shape": {"condition": {"test": "datum.beaten", "value": "diamond"}, "value": "circle"},
                "size": {"condition": {"test": "datum.beaten", "value": 150}, "value": 64},
                **chart.SAID,
            },
        },
    ]
