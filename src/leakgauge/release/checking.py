"""One check of a record, and whether what it says agrees with what is computed again."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from leakgauge.errors import VerificationError

_SAME = 1e-9
"""Numbers of another version of a library may differ by this much, relatively."""
ANOTHER = "computed again it is another"


@dataclass(frozen=True)
class Check:
    """One thing that was looked at.

    Attributes:
        name: what.
        holds: whether it is as the record says; None where it could not be looked at.
        reason: why not.
    """

    name: str
    holds: bool | None
    reason: str = ""


def same(name: str, said: object, computed: object) -> Check:
    """Whether what a record says is what is computed again."""
    holds = agree(said, computed)
    return Check(name, holds, "" if holds else ANOTHER)


def failed(name: str, error: VerificationError) -> Check:
    """A check that an error answered."""
    return Check(name, False, str(error).rstrip("."))


def agree(said: object, computed: object) -> bool:
    """Whether two values of parsed JSON are the same, numbers up to rounding."""
    if isinstance(said, dict) and isinstance(computed, dict):
        return said.keys() == computed.keys() and all(agree(said[key], computed[key]) for key in said)
    if isinstance(said, list) and isinstance(computed, list):
        return len(said) == len(computed) and all(map(agree, said, computed))
    if isinstance(said, int | float) and isinstance(computed, int | float):
        return math.isclose(said, computed, rel_tol=_SAME, abs_tol=1e-15)
    return said == computed


def agree_in_any_order(said: Iterable[object], computed: Iterable[object]) -> bool:
    """Whether the same values stand in both."""
    left = list(said)
    for one in computed:
        alike = next((other for other in left if agree(other, one)), None)
        if alike is None:
            return False
        left.remove(alike)
    return not left
