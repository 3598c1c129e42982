"""The accounts of a ledger, and a private answer or its cost."""

from __future__ import annotations

import msgspec

from leakgauge.artefacts.quantity import Artefact, Level, Origin, Part, Quantity, Real
from leakgauge.sentences import Sentence


class BudgetSums(Part, frozen=True):
    """Σ ε and Σ ρ of zCDP."""

    epsilon: Quantity
    rho: Quantity


class SpentSums(BudgetSums, frozen=True, forbid_unknown_fields=True):
    """What was spent, and the smaller of Σ ε and what Σ ρ converts to at the limit's δ."""

    epsilon_at_delta: Quantity


class BudgetLeft(Part, frozen=True):
    """What may still be spent; None of what is not limited."""

    epsilon: Quantity | None
    rho: Quantity | None


class LimitTold(Part, frozen=True):
    """What all releases together may cost; of a limit that renews, those of one period."""

    kind: str
    epsilon: Quantity | None = None
    delta: float | None = None
    rho: Quantity | None = None


class PeriodTold(Part, frozen=True):
    """The running period of a limit that renews, and what all periods come to.

    Attributes:
        length: ``year``, ``quarter``, ``month`` or a number of days.
        first: its first day, UTC.
        renews: the day on which the next one begins.
        renewed: how often the limit has renewed since the account was opened.
        spent: in all periods together.
        allowed: by the limits of all periods so far together; None where they promise nothing.
    """

    length: str | int
    first: str
    renews: str
    renewed: int
    spent: BudgetSums
    allowed: LimitTold | None = None


class CompositionTold(Part, frozen=True):
    """The smallest ε proved for all steps so far, if the sequence had been fixed in advance."""

    epsilon: Quantity
    delta: Real
    method: str


class Completed(Part, frozen=True):
    """When the release of a spend was written, and the digest of its record."""

    time: str
    digest: str | None


class SpendTold(Part, frozen=True):
    """One spend.

    Attributes:
        completed: None where nothing says that its release was written.
        noise_key: the identity of the key by which its release keeps noise, which is not the key; None of fresh noise.
    """

    sequence: int
    time: str
    purpose: str
    reference: str
    epsilon: Quantity
    rho: Quantity
    admitted_by: str | None
    completed: Completed | None
    hash: str
    noise_key: str | None = None


class ColumnTold(Part, frozen=True):
    """What the releases of a data set reveal about a column of one row, or of all rows of a person where it protects
    persons.

    Attributes:
        uncounted: releases without a finite channel, such as numbers with noise, which add nothing to the bits.
        bits: the sum of what the others reveal, at most the entropy: together they never reveal more.
        entropy: all there is to tell; bits and entropy follow from the exact counts of the table.
        unchanged: the bits about a value that never changed: releases that keep one noise count once. None where none
            does.
    """

    column: str
    releases: int
    uncounted: int
    bits: Quantity | None = None
    entropy: Quantity | None = None
    unchanged: Quantity | None = None


class AccountTold(Part, frozen=True):
    """The budget of one data set, and where asked for what was spent of it.

    Attributes:
        unit: in words, what is protected.
        spent: of a limit that renews, in the running period, as is what is left.
        composition: of all periods; None where nothing was spent, or nothing is proved of the sequence beyond the
            limit.
        without_bits: spends that say nothing of it: queries, and releases of earlier versions.
        period: None where the limit does not renew.
        unchanged: of what was spent, what it cost a person whose values never changed; None where no noise is kept.
    """

    dataset: str
    limit: LimitTold
    unit: str
    neighbours: str
    opened: str
    spent: SpentSums | None = None
    left: BudgetLeft | None = None
    composition: CompositionTold | None = None
    entries: tuple[SpendTold, ...] | None = None
    told: tuple[ColumnTold, ...] = ()
    without_bits: int = 0
    period: PeriodTold | None = None
    unchanged: BudgetSums | None = None


class LedgerTold(Artefact, frozen=True, tag="leakgauge/ledger/1"):
    """A ledger.

    Attributes:
        head: the hash of the newest entry.
        entries: how many there are, where all were checked.
    """

    head: str
    accounts: tuple[AccountTold, ...] | None = None
    entries: int | None = None


class Value(Part, frozen=True):
    """What was found: a number, with its interval where noise was added, or a label."""

    label: str | None
    value: float | str
    unit: str
    low: Real | None = None
    high: Real | None = None
    confidence: float | None = None
    origin: Origin = Origin.TABLE


class ProtectedUnit(Part, frozen=True):
    """Who is protected.

    Attributes:
        column: whose values name the units; None where one row is the unit.
    """

    unit: str
    column: str | None
    rows_per_unit: int
    neighbours: str


class AnswerBudget(Part, frozen=True):
    """What an answer costs, and what it leaves where a ledger counts it; ``allowed`` is said of a dry run.

    Attributes:
        renews: the day on which the limit renews; what is spent and left is of the period until then.
    """

    cost: BudgetSums
    spent: BudgetSums | None = None
    left: BudgetLeft | None = None
    allowed: bool | None = None
    renews: str | None = None


class Answer(Artefact, frozen=True, kw_only=True, tag="leakgauge/answer/1"):
    """A private answer with what it guarantees; of a dry run, what it would cost.

    Attributes:
        question: with every condition, its values as they were typed.
        groups: those asked about, as they were declared, and the one of all other values; None without groups.
        rank_error: of a choice, how many rows it is off at most.
        clamped: of sums, means and quantiles that the answer is about clamped values; its fields ``lower`` and
            ``upper`` are the declared bounds. None of counts, and in files of earlier versions.
        simulated: whether the noise follows from a seed; then it protects nobody, and ``note`` says so.
    """

    question: Sentence
    groups: tuple[str, ...] | None = None
    answers: tuple[Value, ...]
    rank_error: Quantity | None = None
    claims: dict[str, Level] = msgspec.field(default_factory=dict)
    mechanism: Sentence | None = None
    clamped: Sentence | None = None
    protection: ProtectedUnit
    simulated: bool
    dry_run: bool
    budget: AnswerBudget | None = None
    note: str | None = None
    table: str
