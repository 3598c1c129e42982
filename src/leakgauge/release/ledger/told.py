"""What releases reveal about the columns they read, in bits, as a ledger stores and adds it up.

A release through a finite channel reveals I(X;Y) per row, and of a person who has several rows so many times that,
as the account counts it; noisy numbers have no finite channel, and are listed without
bits. Given the rows, releases are independent, so several reveal at most the sum, and never more than H(X). Bits follow
from the exact counts of a table: a ledger that contains them is kept private.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from leakgauge.artefacts import Quantity
from leakgauge.artefacts.ledger import ColumnTold

Told = Mapping[str, "Bits | None"]
"""For each column that is read, what a release reveals about it; None where that is not known in bits."""


class Bits(msgspec.Struct, frozen=True):
    """I(X;Y) of one release and H(X), both of all rows of a unit of protection."""

    told: float
    entropy: float

    def __post_init__(self) -> None:
        if not 0 <= self.told < float("inf") or not 0 <= self.entropy < float("inf"):
            raise ValueError


def added_up(releases: Iterable[Told]) -> tuple[ColumnTold, ...]:
    """The most that all releases reveal about each column."""
    by_column: dict[str, list[Bits | None]] = {}
    for told in releases:
        for column, bits in told.items():
            by_column.setdefault(column, []).append(bits)
    return tuple(_column(column, found) for column, found in by_column.items())


def _column(column: str, found: list[Bits | None]) -> ColumnTold:
    known = [bits for bits in found if bits is not None]
    # Tables of one data set may differ from release to release: the largest entropy is never too little.
    entropy = max((bits.entropy for bits in known), default=None)
    return ColumnTold(
        column,
        releases=len(found),
        uncounted=len(found) - len(known),
        bits=None if entropy is None else Quantity(min(sum(bits.told for bits in known), entropy), "bits"),
        entropy=None if entropy is None else Quantity(entropy, "bits"),
    )
