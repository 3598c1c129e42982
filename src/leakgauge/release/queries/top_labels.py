"""A private choice of the labels that occur most often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from leakgauge.claims import CentralDP, ZeroConcentratedDP
from leakgauge.errors import OptionError
from leakgauge.mechanisms import spelled
from leakgauge.mechanisms.exponential import Exponential, exponential
from leakgauge.mechanisms.steps import ExponentialChoice, Step
from leakgauge.randomness import Randomness
from leakgauge.release.queries.answer import Answer
from leakgauge.release.queries.labels import DeclaredLabel, declared, positions, shown
from leakgauge.release.queries.noise import share, sum_above
from leakgauge.release.queries.protection import Protection
from leakgauge.release.queries.query import Query
from leakgauge.release.queries.rows import require_column, used_rows
from leakgauge.sentences import Sentence
from leakgauge.tables import Table


@dataclass(frozen=True)
class TopLabels(Query[npt.NDArray[np.int64]]):
    """The k declared labels that most rows have, the most frequent first.

    k rounds of the exponential mechanism with ε/k each, by the labels' counts, each without those chosen before. A
    neighbour moves every count by at most ``rows``. ``rank_error`` says by how many rows the count of any chosen label
    lies at most below that of the best one it was chosen from.

    Args:
        column: whose values.
        k: how many labels.
        labels: the texts of values to choose from, None for missing ones; never found in the table, because which
            values occur may be secret.

    Raises:
        OptionError: labels that repeat, or a k that is not between 1 and their number.
    """

    column: str
    k: int
    labels: Sequence[DeclaredLabel]

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "labels", declared(self.labels))  # a tuple, so that nobody changes it afterwards
        if isinstance(self.k, bool) or not isinstance(self.k, int) or not 1 <= self.k <= len(self.labels):
            raise OptionError(
                "A k of {k!r} is not a whole number from 1 to {count}, the number of labels.",
                k=self.k,
                count=len(self.labels),
            )

    @property
    def about(self) -> Sentence:
        """What is asked of the rows, in words."""
        return Sentence("top {k:d} of {column!s}", k=self.k, column=self.column)

    def sensitivity(self, protection: Protection) -> int:
        """``rows``: by so many a count moves at most."""
        return protection.rows

    def steps(self, protection: Protection) -> tuple[Step, ...]:
        """k private choices."""
        return (ExponentialChoice(share(self.epsilon, self.k), count=self.k),)

    def require_columns(self, table: Table, protection: Protection) -> None:
        """Refuse a table that lacks a column."""
        super().require_columns(table, protection)
        require_column(table, self.column)

    def exact(self, table: Table, protection: Protection) -> npt.NDArray[np.int64]:
        """The count of each label."""
        counts = np.zeros(len(self.labels) + 1, dtype=np.int64)
        for values in used_rows(table, protection, self.where, self.column):
            counts += np.bincount(positions(self.column, values, tuple(self.labels)), minlength=len(counts))
        return counts[:-1]

    def answer(self, exact: npt.NDArray[np.int64], protection: Protection, randomness: Randomness) -> Answer:
        """The labels chosen, by their place."""
        choice = self._choice(protection)
        left = list(range(len(self.labels)))
        chosen = [left.pop(choice.run(exact[left].tolist(), randomness)) for _ in range(self.k)]
        # Every round misses its bound a kth as often as the whole may.
        error = choice.error_bar(len(self.labels), 1 - (1 - self.confidence) / self.k)
        rho = sum_above([claim.rho for claim in choice.claims if isinstance(claim, ZeroConcentratedDP)] * self.k)
        return Answer(
            self,
            protection,
            tuple((str(place), shown(self.labels[at])) for place, at in enumerate(chosen, 1)),
            "label",
            (CentralDP(self.epsilon), ZeroConcentratedDP(rho)),
            Sentence("{choice!s} {k:d} times", choice=spelled(choice), k=self.k)
            if self.k > 1
            else Sentence(spelled(choice)),
            rank_error=error,
            simulated=not randomness.private,
        )

    def _choice(self, protection: Protection) -> Exponential:
        return exponential(share(self.epsilon, self.k), sensitivity=self.sensitivity(protection))
