"""What a ledger says of its accounts."""

from __future__ import annotations

from leakgauge.artefacts.kinds import Artefact, Part
from leakgauge.artefacts.quantity import Quantity, Real


class Sums(Part, frozen=True):
    """Σ ε and Σ ρ of zCDP."""

    epsilon: Quantity
    rho: Quantity


class Spent(Sums, frozen=True, forbid_unknown_fields=True):
    """What was spent, and the smaller of Σ ε and what Σ ρ converts to at the limit's δ."""

    epsilon_at_delta: Quantity


class Left(Part, frozen=True):
    """What may still be spent; None of what is not limited."""

    epsilon: Quantity | None
    rho: Quantity | None


class LimitTold(Part, frozen=True):
    """What all releases together may cost."""

    kind: str
    epsilon: Quantity | None = None
    delta: float | None = None
    rho: Quantity | None = None


class CompositionTold(Part, frozen=True):
    """The smallest ε proved for all steps so far, had the sequence been fixed beforehand."""

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
        purpose: in words, what for.
        reference: the caller's name of it.
        admitted_by: the rule that admitted it.
        completed: None where nothing says that its release was written.
        hash: of its entry.
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


class AccountTold(Part, frozen=True):
    """The budget of one data set, and where asked for what was spent of it.

    Attributes:
        unit: in words, what is protected.
        neighbours: which data sets the guarantee compares.
        opened: when.
        composition: None where nothing was spent, or nothing is proved of the sequence.
        entries: every spend.
    """

    dataset: str
    limit: LimitTold
    unit: str
    neighbours: str
    opened: str
    spent: Spent | None = None
    left: Left | None = None
    composition: CompositionTold | None = None
    entries: tuple[SpendTold, ...] | None = None


class LedgerTold(Artefact, frozen=True, tag="leakgauge/ledger/1"):
    """A ledger.

    Attributes:
        head: the hash of the newest entry.
        accounts: those asked for.
        entries: how many there are, where all were checked.
    """

    head: str
    accounts: tuple[AccountTold, ...] | None = None
    entries: int | None = None
