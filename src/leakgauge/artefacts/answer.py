"""A private answer, or what one would cost."""

from __future__ import annotations

import msgspec

from leakgauge.artefacts.kinds import Artefact, Part
from leakgauge.artefacts.ledger import Left, Sums
from leakgauge.artefacts.levels import Level
from leakgauge.artefacts.quantity import Origin, Quantity, Real
from leakgauge.sentences import Sentence


class Value(Part, frozen=True):
    """What was found: a number, with its interval where noise was added, or a label."""

    label: str | None
    value: float | str
    unit: str
    low: Real | None = None
    high: Real | None = None
    confidence: float | None = None
    origin: Origin = Origin.TABLE


class Protected(Part, frozen=True):
    """Who is protected.

    Attributes:
        unit: as the account of a ledger names it.
        column: whose values name the units; None where one row is the unit.
        rows_per_unit: how many rows of each unit are used at most.
        neighbours: which tables the guarantee compares.
    """

    unit: str
    column: str | None
    rows_per_unit: int
    neighbours: str


class Budget(Part, frozen=True):
    """What an answer costs, and what it leaves where a ledger counts it; ``allowed`` is said of a dry run."""

    cost: Sums
    spent: Sums | None = None
    left: Left | None = None
    allowed: bool | None = None


class Answer(Artefact, frozen=True, kw_only=True, tag="leakgauge/answer/1"):
    """A private answer with what it guarantees; of a dry run, what it would cost.

    Attributes:
        question: in words.
        rank_error: of a choice, how many rows it is off at most.
        claims: what is guaranteed, by the name of the notion.
        simulated: whether the noise follows from a seed; then it protects nobody, and ``note`` says so.
        budget: None where nothing counts the answer.
        table: its name.
    """

    question: Sentence
    answers: tuple[Value, ...]
    rank_error: Quantity | None = None
    claims: dict[str, Level] = msgspec.field(default_factory=dict)
    mechanism: Sentence | None = None
    protection: Protected
    simulated: bool
    dry_run: bool
    budget: Budget | None = None
    note: str | None = None
    table: str
