"""The unit of information: bits unless the caller asks for nats."""

from __future__ import annotations

import math
from enum import Enum


class Unit(Enum):
    """What one unit of information is, by the nats it holds."""

    BITS = math.log(2)
    NATS = 1.0

    def of_nats(self, nats: float) -> float:
        """An amount of nats in this unit, never a negative zero."""
        return float(nats) / self.value + 0.0
