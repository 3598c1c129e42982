"""A number estimated from a sample, with its confidence interval."""

from __future__ import annotations

import math
from dataclasses import dataclass

from leakgauge import notebook
from leakgauge.arguments import check_fields
from leakgauge.errors import ModelError


@dataclass(frozen=True)
class Estimate:
    """A value with its confidence interval.

    Attributes:
        confidence: how often such intervals hold the truth, at least, as a fraction.
        reliable: False where the sample is too small for the alphabet to promise that confidence.
    """

    value: float
    low: float
    high: float
    confidence: float
    n: int
    reliable: bool = True

    def __post_init__(self) -> None:
        check_fields(self)
        if not (math.isfinite(self.value) and self.low <= self.value <= self.high):
            raise ModelError(
                "The interval {low} to {high} does not contain the value {value}; correct one of them.",
                low=self.low,
                high=self.high,
                value=self.value,
            )
        if not 0 < self.confidence < 1:
            raise ModelError("A confidence of {found} is not between 0 and 1; try 0.95.", found=self.confidence)
        if self.n < 1:
            raise ModelError("An estimate has {n} observations; give at least 1.", n=self.n)

    def __contains__(self, truth: float) -> bool:
        return self.low <= truth <= self.high

    def _repr_html_(self) -> str:
        rows = [
            ("value", notebook.number(self.value)),
            (f"{100 * self.confidence:.6g}% interval", f"[{notebook.number(self.low)}, {notebook.number(self.high)}]"),
            ("observations", f"{self.n:,}"),
            ("reliable", "yes" if self.reliable else "no: the sample is too small for the alphabet"),
        ]
        return notebook.table_html((), rows, "Estimate")

    def __str__(self) -> str:
        return f"{self.value:.4f} [{self.low:.4f}, {self.high:.4f}]"
