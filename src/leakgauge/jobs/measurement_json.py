"""A measurement as the fields of its file."""

from __future__ import annotations

from typing import Any

from leakgauge.claims.quantities import number_json
from leakgauge.jobs.measure import COMPANIONS, Measurement, Quantity

MEASURE_SCHEMA = "leakgauge/measure/1"
SHANNON = (
    "entropy",
    "conditional_entropy",
    "mutual_information",
    "background_floor",
    "conditional_mutual_information",
    "leakage_with_background",
    "conditional_entropy_with_background",
)
"""Names of Shannon's measures in the order in which they are told."""


def quantity_json(quantity: Quantity | None) -> dict[str, object] | None:
    """A quantity's five fields."""
    if quantity is None:
        return None
    estimate = quantity.estimate
    return {
        "value": number_json(estimate.value),
        "unit": quantity.unit,
        "low": number_json(estimate.low),
        "high": number_json(estimate.high),
        "confidence": estimate.confidence,
    }


def measurement_json(found: Measurement, table: str, estimator: str = "plug-in") -> dict[str, Any]:
    """The fields of a measurement; those that its roles do not define are null."""
    shannon = {name: quantity_json(found.quantities.get(name)) for name in SHANNON}
    if shannon["conditional_entropy"] is None:
        # Nothing is released: what stays uncertain is what the background leaves.
        shannon["conditional_entropy"] = shannon["conditional_entropy_with_background"]
    test = found.zero_leakage
    return {
        "schema": MEASURE_SCHEMA,
        "table": table,
        "rows": found.rows,
        "secret": list(found.roles.secret),
        "release": list(found.roles.release),
        "background": list(found.roles.background),
        "letters": dict(found.letters),
        "estimator": estimator,
        "reliable": found.reliable,
        **shannon,
        "bias_corrected": {name: quantity_json(quantity) for name, quantity in found.corrected.items()},
        "weighted": {name: quantity_json(quantity) for name, quantity in found.weighted.items()} or None,
        **{name: quantity_json(found.companions.get(name)) for name in COMPANIONS},
        "zero_leakage": test and {"p_value": test.p_value, "statistic": test.statistic, "method": test.method.value},
    }
