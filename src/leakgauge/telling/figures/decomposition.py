"""Where the information of a secret goes."""

from __future__ import annotations

import itertools
from typing import Any

from leakgauge.artefacts.exposure import Bracket
from leakgauge.artefacts.measurement import Measurement
from leakgauge.languages import ENGLISH, Language, message
from leakgauge.rounding import is_all
from leakgauge.telling.figures import chart
from leakgauge.telling.figures.chart import Figure, apart, clauses, ended, joined, named, shown, width_of

_BESIDE = 176
"""Pixels of the names beside the bars."""
_STEP = 74
_FILLS = {"background": chart.DARK, "release": chart.MIDDLE, "hidden": chart.LIGHT}


def decomposition_figure(
    measurement: Measurement,
    everything: Bracket | None = None,
    language: Language = ENGLISH,
    *,
    width: int = chart.WIDTH,
) -> Figure:
    """The secret's entropy in bits: revealed by the background alone, added by the release, still hidden.

    H(X) = I(X;Z) + I(X;Y|Z) + H(X|Y,Z) with the background Z in every bar; Y is everything that leaves, public columns
    and other secrets too, where the bracket of it is known.
    """
    area = width - min(_BESIDE, width // 3)
    told = _rows(measurement, everything, language)
    words = _words(measurement.background_floor is not None, language)
    if width < chart.WIDTH:
        words = {part: chart.wrapped(word, area - 30) for part, word in words.items()}
    rows = [(chart.wrapped(name, width - area), parts) for name, parts in told]
    most = max(sum(parts.values()) for _, parts in rows) or 1.0
    bars = _bars(rows, words, language)
    names = [name for name, _ in rows]
    shades = {word: _FILLS[part] for part, word in words.items() if any(bar["part"] == word for bar in bars)}
    fill = chart.nominal(
        "part",
        scale={"domain": list(shades), "range": list(shades.values())},
        legend=chart.legend_below(600),
    )
    scale = {"domain": [0, most], "nice": False}
    x = chart.quantitative("start", scale=scale, title=language.say("bits of the secret"))
    spec = {
        "title": chart.titled(
            language.say("How much of the secret is revealed, and how much stays hidden"), width=width
        ),
        "width": area,
        "height": {"step": _STEP},
        "encoding": {"y": chart.nominal("row", sort=names, title=None, axis=chart.row_axis(190))},
        "layer": [
            chart.layer({**chart.BAR, "height": 30}, bars, x=x, x2={"field": "end"}, fill=fill, **chart.SAID),
            chart.layer(
                chart.text_mark(dy=-24),
                _numbers(bars, most, area),
                x={**x, "field": "place"},
                text=chart.nominal("number"),
            ),
        ],
    }
    said = [clauses(language, *(bar["said"] for bar in bars if bar["row"] == name)) for name in names]
    named_so = [name for name, _ in told]
    sentences = [ended(language, named(language, name, one)) for name, one in zip(named_so, said, strict=True)]
    entropy = shown(measurement.entropy.value)
    return Figure(spec, joined(language, language.say("The secret holds {entropy} bits.", entropy=entropy), *sentences))


def _words(background: bool, language: Language) -> dict[str, str]:
    """What each part is called."""
    if background:
        return {
            "background": language.say("revealed by the background alone, I(X;Z)"),
            "release": language.say("added by the release, I(X;Y|Z)"),
            "hidden": language.say("still hidden, H(X|Y,Z)"),
        }
    return {"release": language.say("revealed by the release, I(X;Y)"), "hidden": language.say("still hidden, H(X|Y)")}


def _rows(
    measurement: Measurement, everything: Bracket | None, language: Language
) -> list[tuple[str, dict[str, float]]]:
    known = measurement.background_floor
    entropy, floor = measurement.entropy.value, 0.0 if known is None else known.value
    rest = max(entropy - floor, 0.0)
    rows = [
        (language.say("nothing released"), {"background": floor, "release": 0.0, "hidden": rest}),
        (language.say("released unchanged"), {"background": floor, "release": rest, "hidden": 0.0}),
    ]
    if everything is not None:
        # Where it is bounded, the unfavourable end: nobody learns more.
        told = max(everything.information.value, floor)
        told = entropy if is_all(told, entropy) else told
        said = message("released with protection") if everything.exact else message("released, at most")
        rows.append((language.say(said), {"background": floor, "release": told - floor, "hidden": entropy - told}))
    return rows


def _bars(rows: list[tuple[str, dict[str, float]]], words: dict[str, str], language: Language) -> list[dict[str, Any]]:
    bars = []
    for name, parts in rows:
        start = 0.0
        for part, bits in parts.items():
            if bits <= 0:
                continue
            said = named(language, words[part], f"{shown(bits)} {language.retell('bits')}")
            bars.append(
                {"row": name, "part": words[part], "bits": bits, "start": start, "end": start + bits, "said": said}
            )
            start += bits
    return bars


def _numbers(bars: list[dict[str, Any]], most: float, area: float) -> list[dict[str, Any]]:
    """The numbers above the bars, each over its part and beside the others."""
    found = []
    for name, group in itertools.groupby(bars, key=lambda bar: bar["row"]):
        row = list(group)
        room = max(width_of(shown(bar["bits"])) for bar in row)
        middles = [(bar["end"] - bar["bits"] / 2) / most * area for bar in row]
        places = apart(middles, room + 8, room / 2, area - room / 2)
        found += [
            {"row": name, "number": shown(bar["bits"]), "place": place / area * most}
            for place, bar in zip(places, row, strict=True)
        ]
    return found
