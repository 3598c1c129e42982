"""A private histogram."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from leakgauge.claims import ZeroConcentratedDP
from leakgauge.errors import OptionError
from leakgauge.mechanisms import spelled
from leakgauge.mechanisms.steps import Claimed, DiscreteLaplaceNoise, Step
from leakgauge.probability import Interval
from leakgauge.randomness import Randomness
from leakgauge.release.queries.bounds import as_numbers
from leakgauge.release.queries.labels import MISSING, OTHER, DeclaredLabel, declared, positions, shown
from leakgauge.release.queries.noise import TotalNoise, bin_noise, sum_above, together
from leakgauge.release.queries.query import Answer, ColumnQuery, NoisyQuery
from leakgauge.release.queries.rows import Protection, counted, used_rows
from leakgauge.sentences import Sentence
from leakgauge.tables import Table
from leakgauge.tables.binnings import Edges

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Histogram(ColumnQuery[npt.NDArray[np.int64]], NoisyQuery[npt.NDArray[np.int64]]):
    """How many rows have each declared label, or lie between each two edges; each count has its own interval.

    Bins are declared, never found in the table: which values occur may be secret. All other values are counted
    together, also where there are none. Edges cut all numbers into intervals, the outermost without end; missing
    values are counted by themselves.

    A replaced row or unit lowers some counts by at most ``rows`` in all and raises some by as many; an added or removed
    one does only one of both. Each part has half of ε where there are two: noise of scale rows/(ε/2) in every count.
    With a δ, the Euclidean length of the move is at most √2 · rows, or ``rows``.

    Args:
        column: whose values.
        labels: the texts of its values that are counted, None for missing ones.
        edges: or where its numbers are cut.

    Raises:
        OptionError: neither or both, labels that repeat, edges that do not increase.
    """

    labels: Sequence[DeclaredLabel] | None = None
    edges: Sequence[float] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.labels is None) == (self.edges is None):
            raise OptionError("A histogram needs labels or edges, and not both; declare its bins in one way.")
        # Tuples, so that nobody changes them afterwards.
        if self.labels is not None:
            object.__setattr__(self, "labels", declared(self.labels))
        if self.edges is not None:
            object.__setattr__(self, "edges", Edges(tuple(float(edge) for edge in self.edges)).cuts)

    @property
    def about(self) -> Sentence:
        return Sentence("histogram of {column!s}", column=self.column)

    @property
    def bins(self) -> tuple[str, ...]:
        """The bins as they are shown."""
        if self.labels is not None:
            return (*map(shown, self.labels), OTHER)
        cuts = [None, *(self.edges or ()), None]
        return (*(str(Interval(low, high)) for low, high in pairwise(cuts)), MISSING)

    def sensitivity(self, protection: Protection) -> int:
        return protection.rows

    def steps(self, protection: Protection) -> tuple[Step, ...]:
        """The part that falls and the part that rises, or one of them; with a δ, a level of zCDP.

        A part may spread over several counts. Then all that is known of it is its ε, of which noise with a sensitivity
        of 1 is the worst case.
        """
        noise, moved = self._noise(protection), self._moved(protection)
        epsilon = noise.mechanism.law.epsilon(protection.rows)
        if epsilon is not None:
            return (DiscreteLaplaceNoise(epsilon, 1, count=moved),)
        return (Claimed(ZeroConcentratedDP(sum_above([noise.rho] * moved))),)

    @property
    def needs_numbers(self) -> bool:
        return self.edges is not None

    def exact(self, table: Table, protection: Protection) -> npt.NDArray[np.int64]:
        """The count of each bin."""
        return counted(map(self._places, used_rows(table, protection, self.where, self.column)), len(self.bins))

    def answer(self, exact: npt.NDArray[np.int64], protection: Protection, randomness: Randomness) -> Answer:
        noise = self._noise(protection)
        values = tuple(zip(self.bins, noise.estimates(exact.tolist(), self.confidence, randomness), strict=True))
        claims = together(self.epsilon, self.delta, [noise] * self._moved(protection))
        mechanism = Sentence("{noise!s} in each count", noise=spelled(noise.mechanism))
        return Answer(self, protection, values, "rows", claims, mechanism, not randomness.private)

    def _places(self, values: pa.Array) -> npt.NDArray[np.int64]:
        if self.labels is not None:
            return positions(self.column, values, tuple(self.labels))
        numbers = as_numbers(values)
        return np.where(np.isnan(numbers), len(self.bins) - 1, np.searchsorted(self.edges or (), numbers, "right"))

    def _moved(self, protection: Protection) -> int:
        return 2 if protection.replaces else 1

    def _noise(self, protection: Protection) -> TotalNoise:
        return bin_noise(self.epsilon, self.delta, protection.rows, self._moved(protection))
