"""An audit of counting queries before they are answered: what the answers would reveal together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from leakgauge.artefacts import Origin, Quantity, QueryAudit
from leakgauge.audit.experiment import Counting
from leakgauge.audit.planned_queries import PlannedQueries, read_queries
from leakgauge.errors import OptionError
from leakgauge.measures.binomial import require_confidence
from leakgauge.mechanisms import spelled
from leakgauge.notions.composition.sequence import smallest
from leakgauge.randomness import OperatingSystem, Simulated
from leakgauge.release.queries import Count, Protection
from leakgauge.tables import Table

FEWEST_RUNS = 2
"""Of answers that are drawn: an interval is over runs."""


@dataclass(frozen=True)
class Answering:
    """How the answers are drawn: ε of one in nats, δ of one, with which the noise is Gaussian, and in how many runs.

    Raises:
        OptionError: too few runs, or a confidence that is none.
    """

    epsilon: float
    delta: float | None = None
    runs: int = 20
    confidence: float = 0.95
    simulation_seed: int | None = None

    def __post_init__(self) -> None:
        require_confidence(self.confidence)
        if self.runs < FEWEST_RUNS:
            raise OptionError("{runs} runs are too few for an interval; try 20.", runs=self.runs)


def audit_queries(
    queries: Path, table: Table, secret: str, drawn: Answering, *, name: str = "", progress: Counting | None = None
) -> QueryAudit:
    """How much of a secret column could be reconstructed from noisy answers to planned counting queries.

    The answers are drawn as ``query count`` draws them, in so many runs, and nobody sees them: nothing is spent.

    Args:
        queries: the file, with one query per line and its conditions between commas.
        secret: a column with two values, or a condition such as ``illness=flu``.

    Raises:
        FileError, ColumnError, TableError, OptionError: queries, a secret or noise that cannot be used.
    """
    epsilon, delta, seed = drawn.epsilon, drawn.delta, drawn.simulation_seed
    asked = read_queries(queries, [column.name for column in table.columns()])
    planned = PlannedQueries.of(table, secret, asked)
    protection = Protection()
    (noise,) = Count(epsilon=epsilon, delta=delta, where=asked[0]).noises(protection)
    finding, exact_runs = planned.answered.attacked(
        noise,
        OperatingSystem() if seed is None else Simulated(seed),
        target=(planned.column,),
        knows=planned.knows,
        runs=drawn.runs,
        confidence=drawn.confidence,
        simulation_seed=seed or 0,
        progress=progress,
    )
    # Adding up is one of the bounds that are compared; where every δ adds up to 1, nothing is promised anyway.
    together, total = len(asked) * epsilon, None if delta is None else min(len(asked) * delta, 1.0)
    if total is not None and total < 1:
        steps = noise.steps() * len(asked)
        together = min(together, smallest(steps, total, neighbours=protection.neighbours).epsilon)
    return QueryAudit(
        table=name,
        secret=planned.secret,
        rows=len(planned.answered.has),
        queries=len(asked),
        unused=planned.unused,
        kinds=planned.answered.counted.shape[1],
        mechanism=spelled(noise.mechanism),
        epsilon=Quantity(together, "nats", origin=Origin.DECLARED),
        runs=drawn.runs,
        exact_runs=exact_runs,
        attack=finding,
        simulated=seed is not None,
        delta=total,
    )
