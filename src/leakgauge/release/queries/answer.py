"""What comes back from a query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from leakgauge.claims import Statement
from leakgauge.probability import Estimate
from leakgauge.release.queries.protection import Protection
from leakgauge.sentences import Sentence

if TYPE_CHECKING:
    from leakgauge.release.queries.query import Query

Found: TypeAlias = Estimate | float | str
"""A number with its interval, a number without one, or a label."""


@dataclass(frozen=True)
class Answer:
    """A private answer, with what it guarantees.

    Attributes:
        query: what was asked.
        protection: who is protected.
        values: what was found, with its label where there are several. An estimate rests on one draw of noise, which
            is all its ``n`` says: how many rows there are may be secret.
        unit: of the values.
        claims: what is guaranteed, the headline first.
        mechanism: as on the command line.
        rank_error: of a choice, how many rows it is off at most with the query's confidence; None for noisy numbers.
        simulated: whether the noise follows from a seed; then it protects nobody.
    """

    query: Query[Any]
    protection: Protection
    values: tuple[tuple[str | None, Found], ...]
    unit: str
    claims: tuple[Statement, ...]
    mechanism: Sentence
    rank_error: float | None = None
    simulated: bool = False

    @property
    def value(self) -> Found:
        """The first value, which is the only one of a count, sum, mean or quantile."""
        return self.values[0][1]

    def __str__(self) -> str:
        told = "; ".join(f"{label}: {found}" if label is not None else str(found) for label, found in self.values)
        return f"{told} ({SIMULATION})" if self.simulated else told


SIMULATION = "simulation: not private, not a release"
"""How an answer whose noise follows from a seed is marked wherever it is shown."""
