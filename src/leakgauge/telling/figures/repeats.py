"""What an attacker learns from repeated releases of the same rows."""

from __future__ import annotations

from typing import Any

from leakgauge.languages import ENGLISH, Language, message
from leakgauge.measures import entropy
from leakgauge.measures.sequences import SIMULATED_PEOPLE, SIMULATION_SEED, repeated_leakage
from leakgauge.probability import Channel, Distribution
from leakgauge.telling.figures import chart
from leakgauge.telling.figures.chart import Fields, Figure, clauses, ended, figure_of_words, joined

RELEASES = (1, 2, 5, 10, 20, 50)
_ROOMY = 280
"""Pixels of a panel with room for all numbers."""
_HEIGHT, _BESIDE = 210, 73
"""Pixels of a panel, and of the axis beside it."""
_AFTER = message("after {releases:d} releases {success}% guessed correctly, protection {protection}")
_AFTER_ONE = message("after one release {success}% guessed correctly, protection {protection}")


def repeats_figure(
    prior: Distribution,
    channel: Channel,
    limit: float | None = None,
    language: Language = ENGLISH,
    *,
    kept: bool = False,
    width: int = chart.WIDTH,
) -> Figure:
    """How often a secret is guessed right, and how much is protected, after 1, 2, 5, 10, 20 and 50 releases of it.

    Each release draws its noise anew, and whoever sees all of them guesses the value that is likeliest given all. They
    are counted by their law while that is small, and simulated beyond. Of the two numbers each has an axis of its own.

    Args:
        prior: of the values of the secret.
        channel: through which each of the releases goes; nothing else is seen.
        limit: the protection that a policy asks for; where it is first missed is marked.
        kept: whether values that stay the same keep their noise, so that all releases are one.
    """
    title = language.say("The same rows released again and again")
    baseline = float(max(prior.probabilities))
    if baseline >= 1:
        return figure_of_words(title, language.say("All rows have the same value: there is nothing to guess."))
    rows = [_row(times, prior, channel, language, draws=1 if kept else times) for times in RELEASES]
    for row in rows:
        row["missed"] = limit is not None and row["protection"] < limit
    broken = next((row for row in rows if row["missed"]), None)
    under = [
        language.say("The attacker sees only this column; other published columns add to this."),
        language.say("Without a release {share}% are guessed correctly (dashed).", share=_three(100 * baseline)),
        *_said_of_limit(limit, broken, language),
    ]
    if kept:
        under.insert(1, language.say("Of people whose value stays the same: their noise is kept, so nothing adds up."))
    if not all(row["exact"] for row in rows):
        under.append(
            language.say(
                "Hollow points are simulated, with {people} people and the seed {seed}; the others are exact.",
                people=f"{SIMULATED_PEOPLE:,}",
                seed=str(SIMULATION_SEED),
            )
        )
    beside = width >= chart.WIDTH
    area = width // 2 - _BESIDE if beside else width - _BESIDE
    spec = {
        "title": chart.titled(title, *under, width=width),
        "spacing": 40,
        "data": {"values": rows},
        "hconcat" if beside else "vconcat": [
            _panel("success", language.say("guessed correctly, % of people"), 100 * baseline, area, language),
            _panel("protection", language.say("protection, 0 to 100"), limit, area, language),
        ],
    }
    said = clauses(language, *(row["said"] for row in rows))
    return Figure(spec, joined(language, *under, ended(language, said)))


def _row(times: int, prior: Distribution, channel: Channel, language: Language, *, draws: int) -> dict[str, Any]:
    told = repeated_leakage(prior, channel, draws)
    baseline = float(max(prior.probabilities))
    gained = max((told.success - baseline) / (1 - baseline), told.bits / entropy(prior), 0.0)
    success, protection = 100 * told.success, 100 * (1 - min(float(gained), 1.0))
    numbers = {"success": success, "protection": protection}
    written = {name: _three(number, exact=told.exact) for name, number in numbers.items()}
    return {
        "releases": times,
        **numbers,
        **{f"{name}_written": number for name, number in written.items()},
        "exact": told.exact,
        "said": language.say(_AFTER_ONE if times == 1 else _AFTER, releases=times, **written),
    }


def _three(number: float, *, exact: bool = True) -> str:
    """A number from 0 to 100 with at most three digits, and none that pretends to be an end: no simulation is."""
    if number < 0.1 and (number > 0 or not exact):
        return "<0.1"
    if number > 99.9 and (number < 100 or not exact):
        return ">99.9"
    return f"{number:.3g}" if number >= 10 else f"{number:.1f}"


def _said_of_limit(limit: float | None, broken: Fields | None, language: Language) -> list[str]:
    if limit is None:
        return []
    if broken is None:
        return [language.say("Protection stays at or above the limit of {limit} (dashed).", limit=f"{limit:.3g}")]
    if broken["releases"] == RELEASES[0]:
        return [
            language.say(
                "Protection is below the limit of {limit} (dashed) already with one release: diamonds.",
                limit=f"{limit:.3g}",
            )
        ]
    return [
        language.say(
            "Protection is below the limit of {limit} (dashed) from {releases:d} releases on: diamonds.",
            limit=f"{limit:.3g}",
            releases=broken["releases"],
        )
    ]


def _panel(field: str, title: str, line: float | None, width: float, language: Language) -> dict[str, Any]:
    """One number over the releases, with what it is compared to as a line."""
    x = chart.quantitative(
        "releases",
        title=language.say("releases of the same rows"),
        scale={"type": "log", "domain": [0.55, 90], "nice": False},
        axis={"values": [*RELEASES], "grid": False, "format": "d", "labelOverlap": False},
    )
    # Above 100 there is room for the number of a point at the top.
    y = chart.quantitative(
        field, title=title, scale={"domain": [-4, 112], "nice": False}, axis={"values": [0, 20, 40, 60, 80, 100]}
    )
    of_limit = field == "protection"
    rule = {"type": "rule", "strokeDash": [6, 4], "color": chart.ALARM if of_limit else chart.FAINT, "aria": False}
    beside = [] if line is None else [{"at": line}]
    point = {"type": "point", "opacity": 1, "strokeWidth": 2, "size": 60}
    missed = "datum.missed" if of_limit else "false"
    alarm = {"test": missed, "value": chart.ALARM}
    # The numbers of points that rise stand to the left, of those that fall to the right: the line is on the other side.
    number = chart.text_mark(dy=-12, align="left" if of_limit else "right", dx=4 if of_limit else -1)
    # Where the last numbers would meet, the last of all is enough.
    thinned = {"transform": [{"filter": f"datum.releases !== {RELEASES[-2]}"}]} if width < _ROOMY else {}
    return {
        "width": width,
        "height": _HEIGHT,
        "layer": [
            chart.layer(rule, beside, y=chart.quantitative("at")),
            chart.layer({"type": "line", "color": chart.LINE, "aria": False}, x=x, y=y),
            chart.layer(
                point,
                x=x,
                y=y,
                shape={"condition": [{"test": missed, "value": "diamond"}], "value": "circle"},
                stroke={"condition": [alarm], "value": chart.LINE},
                fill={"condition": [{"test": "!datum.exact", "value": "white"}, alarm], "value": chart.LINE},
                **chart.SAID,
            ),
            {**chart.layer(number, x=x, y=y, text=chart.nominal(f"{field}_written")), **thinned},
        ],
    }
