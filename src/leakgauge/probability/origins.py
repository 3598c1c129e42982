"""Where a prior comes from, which decides what may be said of claims that rest on it."""

from __future__ import annotations

from enum import StrEnum


class PriorOrigin(StrEnum):
    """Where a prior comes from."""

    PUBLIC = "public"
    THIS_TABLE = "this table"
    ANOTHER_TABLE = "another table"
    NOISY_HISTOGRAM = "noisy histogram"

    @property
    def keep_inside(self) -> bool:
        """Whether what follows from the prior is kept inside: its counts are private, and no budget paid for them.

        A designed channel is an exact function of the counts it was designed from, so they can be computed from it.
        """
        return self in (PriorOrigin.THIS_TABLE, PriorOrigin.ANOTHER_TABLE)
