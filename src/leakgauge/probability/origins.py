"""Where a prior comes from, which decides what may be said of claims that rest on it."""

from __future__ import annotations

from enum import StrEnum


class PriorOrigin(StrEnum):
    """Where a prior comes from."""

    PUBLIC = "public"
    THIS_TABLE = "this table"
    NOISY_HISTOGRAM = "noisy histogram"
