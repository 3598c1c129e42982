"""The six dials of a secret, and the limits that they are held to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from leakgauge.artefacts.dials import DIALS
from leakgauge.languages import ENGLISH, Language, message
from leakgauge.report.figures.chart import Fields, Figure, value_of
from leakgauge.report.figures.points import Bar, ends_of, points_figure

NAMES: Final = {
    "protection": message("protection"),
    "exposed": message("exposed"),
    "guarantee": message("guarantee"),
    "usefulness": message("usefulness"),
    "effect": message("effect"),
    "efficiency": message("efficiency"),
}
"""What the dials are called."""
_NOTHING_KNOWN = (0.0, 100.0)


def is_known(quantity: Fields) -> bool:
    """Whether anything is known of a stored dial."""
    return ends_of(quantity) != _NOTHING_KNOWN


def dials_figure(dials: Fields, policy: Sequence[Fields], language: Language = ENGLISH) -> Figure:
    """The dials of one secret in ``verdict.json``, with the lines of its policy that are about dials."""
    limits = {str(line["name"]).partition("_")[2]: line for line in policy}
    title = language.say("The dials")
    under = [
        language.say("More is better, except for exposed. The line on a bar is its interval."),
        language.say(
            "The upright mark is the limit of the policy, which the unfavourable end of the interval must keep."
        ),
    ]
    return points_figure(
        title, under, [_bar(name, dials[name], limits.get(name), language) for name in DIALS], language
    )


def _bar(name: str, dial: Fields, line: Fields | None, language: Language) -> Bar:
    value, exposed = value_of(dial, "value") or 0.0, name == "exposed"
    called = language.say(NAMES[name])
    limit = None if line is None else float(line["limit"])
    at_most, at_least = message("limit: at most {limit:.3g}"), message("limit: at least {limit:.3g}")
    held = "" if limit is None else language.say(at_most if exposed else at_least, limit=limit)
    return Bar(
        language.say("{dial!s} (less is better)", dial=called) if exposed else called,
        value if is_known(dial) else None,
        _shown(value, "%" if exposed else "") if is_known(dial) else language.say("not known"),
        ends_of(dial) if is_known(dial) else None,
        limit,
        held,
        exposed,
    )


def _shown(value: float, unit: str) -> str:
    # What is rare must not read as what never happens.
    written = "<0.01" if 0 < value < 0.01 else f"{value:.3g}"
    return f"{written} {unit}" if unit else written
