"""What attacks find in a release, between what they find without it and in the raw table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leakgauge.artefacts.audit import Finding
from leakgauge.languages import ENGLISH, Language
from leakgauge.rounding import percent
from leakgauge.telling.figures import chart
from leakgauge.telling.figures.chart import Figure, figure_of_words, joined, lines_of, named, shortened

_LABELS, _AREA, _COLUMN, _ROW = 200, 244, 72, 34
_TARGET = 140
"""Pixels for the names of the columns that are attacked."""


def attacks_figure(attacks: Sequence[Finding], language: Language = ENGLISH) -> Figure:
    """The share of targets that each attack is right about, its interval, anchors and ceiling.

    The anchors are what the same attacker is right about without the release, and with the raw table; the ceiling is
    what the claim allows at most.
    """
    title = language.say("What attacks find")
    if not attacks:
        return figure_of_words(title, language.say("No attack was tried."))
    several = len({one.target for one in attacks}) > 1
    rows = [_row(one, several, language) for one in attacks]
    under = [
        language.say("How often an attacker guesses correctly: a dot with the release, a line for its interval,"),
        language.say(
            "a band from no release to the original table, a vertical line for the most the guarantee allows."
        ),
    ]
    if any(row["beaten"] for row in rows):
        under.append(language.say("Diamond: the attack exceeds what the guarantee allows."))
    heads = {
        "without": language.say("no release"),
        "success": language.say("this release"),
        "raw": language.say("original"),
        "ceiling": language.say("allowed"),
    }
    order = [row["attack"] for row in rows]
    spec = {
        "title": chart.titled(title, *under, offset=30),
        "width": _AREA + _COLUMN * len(heads),
        "view": {"stroke": None},
        **chart.rows_of(rows, "attack", chart.row_axis(_LABELS + 30), order, chart.row_step(order, _ROW)),
        "layer": [*_marks(), *chart.number_columns(heads, _AREA, _COLUMN, bold="success", color="#3a444c")],
    }
    return Figure(spec, joined(language, *(row["said"] for row in rows)))


def _row(attack: Finding, several: bool, language: Language) -> dict[str, Any]:
    name = language.retell(attack.attack)
    if several:
        name = language.say("{name!s} ({setting})", name=name, setting=shortened(", ".join(attack.target), _TARGET))
    shares = {
        "without": attack.baseline.value,
        "success": attack.success.value,
        # Stored is the advantage over what is known without a release, on the same targets.
        "raw": attack.baseline.value + attack.raw.value,
        "ceiling": None if attack.ceiling is None else attack.ceiling.value,
    }
    written = {key: "–" if share is None else percent(share) for key, share in shares.items()}
    said = language.say(
        "{success} correct, without the release {without}, with the original table {raw}; allowed {ceiling}.", **written
    )
    beaten = language.say("This exceeds what the guarantee allows.") if attack.beats_claim else ""
    return {
        "attack": "\n".join(lines_of(name, _LABELS)),
        **shares,
        "low": attack.success.low,
        "high": attack.success.high,
        "beaten": attack.beats_claim,
        **{f"{key}_written": one for key, one in written.items()},
        "said": joined(language, named(language, name, said), beaten),
    }


def _across(field: str) -> dict[str, Any]:
    # The numbers stand to the right of the shares, in the same picture.
    axis = {"format": ".0%", "values": [0, 0.25, 0.5, 0.75, 1]}
    return chart.quantitative(field, title=None, scale={"domain": [0, 1], "range": [0, _AREA]}, axis=axis)


def _marks() -> list[dict[str, Any]]:
    def if_beaten(then: Any, otherwise: Any) -> dict[str, Any]:
        return {"condition": {"test": "datum.beaten", "value": then}, "value": otherwise}

    red = if_beaten(chart.ALARM, chart.DARK)
    band = {**chart.BAR, "height": 16, "fill": chart.LIGHT, "aria": False}
    allowed = {"type": "tick", "size": 24, "thickness": 3, "color": chart.ALARM, "aria": False}
    interval = {"type": "rule", "strokeWidth": 3, "aria": False}
    return [
        {
            "transform": [{"filter": "datum.raw !== null"}],
            **chart.layer(band, x=_across("without"), x2={"field": "raw"}),
        },
        {"transform": [{"filter": "datum.ceiling !== null"}], **chart.layer(allowed, x=_across("ceiling"))},
        {
            "transform": [{"filter": "datum.low !== null && datum.high !== null"}],
            **chart.layer(interval, x=_across("low"), x2={"field": "high"}, color=red),
        },
        chart.layer(
            {"type": "point", "filled": True, "opacity": 1},
            x=_across("success"),
            color=red,
            shape=if_beaten("diamond", "circle"),
            size=if_beaten(150, 64),
            **chart.SAID,
        ),
    ]
