"""What an attacker sees of each row: known columns, published columns, and columns released by other mechanisms."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from leakgauge.probability.cells import Codes


class Role(Enum):
    """How the attacker comes to see a column."""

    BACKGROUND = "background"
    PUBLIC = "public"
    PROTECTED = "protected"
    """What the mechanism of another secret released."""
    OWN = "own"
    """What the secret's own mechanism released."""


@dataclass(frozen=True, eq=False)
class SeenColumn:
    """One column, with the number of each row's value.

    Attributes:
        ordered: whether larger values have larger numbers.
    """

    name: str
    role: Role
    codes: Codes
    ordered: bool = False
