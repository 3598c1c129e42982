"""Numbers as artefacts store them, and as pictures write them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

Fields = Mapping[str, Any]
"""The parsed JSON of an artefact, or a part of it."""


def value_of(fields: Fields, name: str) -> float | None:
    """The value of a stored quantity, infinite where the file says so; None where there is none."""
    found = fields.get(name)
    number = found.get("value") if isinstance(found, Mapping) else found
    return None if number is None else float(number)


def end_of(fields: Fields, name: str, end: str) -> float | None:
    """The ``low`` or ``high`` end of a stored quantity's interval; None where it has none."""
    found = fields.get(name)
    number = found.get(end) if isinstance(found, Mapping) else None
    return None if number is None else float(number)


def shown(value: float) -> str:
    """A number with four digits that count; the same in every language."""
    return f"{value:.4g}" if math.isfinite(value) else "∞" if value > 0 else "−∞"


def position_in_percent(states: Sequence[float]) -> float:
    """Where the mean of a distribution over states lies between the lowest, 0, and the highest, 100."""
    return 100 * sum(at * share for at, share in enumerate(states)) / (len(states) - 1)
