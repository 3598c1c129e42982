"""Scores as tables of the command line show them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leakgauge.cli.language import say
from leakgauge.notebook import points as shown
from leakgauge.rounding import at_least, at_most

if TYPE_CHECKING:
    from leakgauge.artefacts import Quantity
    from leakgauge.artefacts.dials import Dials

_UNKNOWN = (0.0, 100.0)


def points(dials: Dials | None, *names: str) -> list[str]:
    """Dials as shown in a table."""
    return ["–" if dials is None else _points(name, getattr(dials, name)) for name in names]


def dials_in_words(dials: Dials) -> str:
    """The dials at their unfavourable ends, in one line."""
    return say(
        "protection {safe:.3g}, exposed {exposed:.3g}%, usefulness {useful:.3g}",
        safe=at_least(dials.protection.ends[0]),
        exposed=round(at_most(dials.exposed.ends[1]), 2),
        useful=at_least(dials.usefulness.ends[0]),
    )


def _points(dial: str, value: Quantity) -> str:
    if value.ends == _UNKNOWN:
        return say("not known")
    return f"{shown(at_most(value.value))}%" if dial == "exposed" else shown(at_least(value.value))
