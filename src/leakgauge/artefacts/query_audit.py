"""The audit of planned counting queries."""

from __future__ import annotations

from typing import Annotated

from leakgauge.artefacts.audit import Finding
from leakgauge.artefacts.quantity import Artefact, Origin, Quantity


class QueryAudit(Artefact, frozen=True, tag="leakgauge/query-audit/1"):
    """What noisy answers to planned counting queries would reveal about who has a secret.

    Attributes:
        secret: the column with two values, or the condition, that was reconstructed.
        rows: of the table.
        queries: that are planned.
        unused: those whose answers do not count the secret.
        kinds: of rows that the queries tell apart; rows of one kind get the same guess.
        mechanism: of one answer.
        epsilon: of all answers together, in nats: the smallest that is proved at ``delta``.
        delta: of all answers together, by adding up; None of Laplace noise.
        runs: in how many the answers were drawn.
        exact_runs: those in which every row was right.
        attack: its shares are of the rows, over all runs.
        simulated: whether the noise follows from a seed.
    """

    table: str
    secret: Annotated[str, Origin.DECLARED]
    rows: Annotated[int, Origin.COUNT]
    queries: Annotated[int, Origin.DECLARED]
    unused: Annotated[int, Origin.DECLARED]
    kinds: Annotated[int, Origin.COUNT]
    mechanism: Annotated[str, Origin.DECLARED]
    epsilon: Quantity
    delta: Annotated[float | None, Origin.DECLARED]
    runs: Annotated[int, Origin.DECLARED]
    exact_runs: int
    attack: Finding
    simulated: bool
