"""Exact numbers as they stand in JSON."""

from __future__ import annotations

import math


def number_json(value: float) -> float | str:
    """A finite number as it is, an infinite one in words; NaN is never written."""
    return value if math.isfinite(value) else "infinity" if value > 0 else "-infinity"


def exact_json(value: float, unit: str) -> dict[str, object]:
    """The five fields of a quantity that is exact."""
    return {"value": number_json(value), "unit": unit, "low": None, "high": None, "confidence": None}
