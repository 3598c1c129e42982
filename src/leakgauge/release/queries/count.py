"""A private count."""

from __future__ import annotations

from dataclasses import dataclass

from leakgauge.errors import OptionError
from leakgauge.mechanisms import spelled
from leakgauge.mechanisms.steps import Step
from leakgauge.probability import Estimate
from leakgauge.randomness import Randomness
from leakgauge.release.queries.answer import Answer
from leakgauge.release.queries.noise import TotalNoise, total_noise
from leakgauge.release.queries.protection import Protection
from leakgauge.release.queries.query import NoisyQuery
from leakgauge.release.queries.rows import used_rows
from leakgauge.sentences import Sentence
from leakgauge.tables import Table


@dataclass(frozen=True, kw_only=True)
class Count(NoisyQuery[int]):
    """How many rows there are, or how many meet a condition.

    A neighbour moves the count by at most ``rows`` of the protection, 1 where one row is the unit: a replaced row may
    meet the condition or not, an added one counts or not. Where rows are replaced one by one, the number of all rows
    is public and needs no noise.

    Example:
        >>> import pyarrow as pa
        >>> from leakgauge.randomness import Simulated
        >>> from leakgauge.release.queries import Condition, Protection
        >>> from leakgauge.tables import open_table
        >>> with open_table(pa.table({"city": ["A", "B", "A"]})) as people:
        ...     query = Count(where=Condition("city", "A"), epsilon=1.0)
        ...     query.ask(people, Protection(), Simulated(simulation_seed=1)).value.confidence
        0.95
    """

    @property
    def about(self) -> Sentence:
        """What is asked of the rows, in words."""
        return Sentence("count")

    def sensitivity(self, protection: Protection) -> int:
        """``rows``."""
        return protection.rows

    def steps(self, protection: Protection) -> tuple[Step, ...]:
        """One noisy number."""
        if self._always_counts(protection):
            raise OptionError(
                "The number of rows is public where one row is replaced; read it off the table, or give a condition."
            )
        return (self._noise(protection).step(),)

    def exact(self, table: Table, protection: Protection) -> int:
        """The number of rows."""
        column = protection.unit if self.where is None else self.where.column
        if column is None:
            return table.rows
        return sum(len(values) for values in used_rows(table, protection, self.where, column))

    def answer(self, exact: int, protection: Protection, randomness: Randomness) -> Answer:
        """The count with noise."""
        noise = self._noise(protection)
        value, reach = noise.noisy([exact], randomness)[0], noise.reach(self.confidence)
        return Answer(
            self,
            protection,
            ((None, Estimate(value, value - reach, value + reach, self.confidence, 1)),),
            "rows",
            noise.mechanism.claims,
            Sentence(spelled(noise.mechanism)),
            simulated=not randomness.private,
        )

    def _noise(self, protection: Protection) -> TotalNoise:
        return total_noise(self.epsilon, self.delta, self.sensitivity(protection), 1.0)
