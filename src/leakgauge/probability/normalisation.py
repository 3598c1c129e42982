"""When numbers that should sum to 1 do: exactly enough, nearly (then mended), or not (then refused)."""

from __future__ import annotations

import numpy as np

from leakgauge.errors import ModelError
from leakgauge.probability.cells import Floats
from leakgauge.sentences import Sentence

TOLERANCE = 1e-9
"""A total further than this from 1 is a mistake of the caller, not of rounding."""


def off_by_rounding(totals: Floats, terms: int) -> Floats:
    """The totals where dividing by them mends something, 1 where they are 1 up to rounding.

    Totals within rounding of 1 are left alone, so that what was written is read back bit for bit.
    """
    return np.where(np.abs(totals - 1) <= 4 * terms * np.finfo(np.float64).eps, 1.0, totals)


def require_unit_totals(totals: Floats, role: str) -> None:
    """Refuse totals that are not 1, naming the first one found."""
    wrong = np.flatnonzero(~(np.abs(totals - 1) <= TOLERANCE))
    if len(wrong):
        row = Sentence("{role} in row {row:d}", role=Sentence(role), row=int(wrong[0]) + 1)
        raise ModelError(
            "The {role} sum to {total:.12g}, not 1; divide by the sum if they were meant as weights.",
            role=role if len(totals) == 1 else row,
            total=float(totals[wrong[0]]),
        )
