"""The record of a release, and the one that may be handed out with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec

from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.artefacts.codec import decode
from leakgauge.artefacts.ledger import BudgetSums
from leakgauge.artefacts.quantity import PROMISE, Artefact, Level, Origin, Part, Real, with_hyphens
from leakgauge.errors import FileError, VerificationError
from leakgauge.probability import PriorOrigin
from leakgauge.sentences import Sentence


class Output(Part, frozen=True):
    """The released file: its path from the record's folder, its form, columns and digest.

    Attributes:
        formulas: of a CSV file the columns with a cell, or a name, that spreadsheet programs would run; none where
            nobody looked, as in other forms.
    """

    file: Annotated[str, Origin.PUBLIC]
    format: str
    columns: tuple[str, ...]
    bytes: int
    sha256: Annotated[str, Origin.PUBLIC]
    formulas: Annotated[tuple[str, ...], Origin.PUBLIC] = ()


class LearntEdges(Part, frozen=True):
    """Which bins were asked for where the table decided, and how many of them were merged."""

    asked: str
    merged: int


class RecordedLevels(Part, frozen=True):
    """The coarser values of a column: each value as text, and the text in place of it."""

    file: str
    values: tuple[str, ...]
    coarser: tuple[str, ...]


class RecordedBins(Part, frozen=True):
    """The bins of a column, or the number of its level.

    Attributes:
        learnt: where the edges follow from the table.
        from_another_table: where they were learnt from another.
        levels: what the level does; a public record leaves it out.
    """

    binning: Annotated[str, Origin.PUBLIC]
    learnt: Annotated[LearntEdges | None, Origin.PUBLIC] = None
    from_another_table: Annotated[bool, Origin.PUBLIC] = False
    levels: RecordedLevels | None = None

    @property
    def level(self) -> int | None:
        """The number of the level; None of bins."""
        form, _, number = self.binning.partition(":")
        return int(number) if form == "level" and number.isdigit() else None


class PlannedColumn(Part, frozen=True):
    """A mechanism, what it reads and what it writes.

    Attributes:
        epsilon: its budget, where it has one.
        letters: whether they are declared, or taken from this table or another; None where the mechanism has none.
        channel_prior: from which prior its channel was designed.
        channel: the channel, if it is finite and may be shown.
        unprotected: whether the column counts as public: its mechanism makes it reveal less about others, and nothing
        is promised for its own values.
    """

    mechanism: Annotated[str, PROMISE]
    epsilon: int | float | None
    reads: Annotated[tuple[str, ...], Origin.DECLARED]
    writes: Annotated[tuple[str, ...], Origin.DECLARED]
    letters: str | None
    channel_prior: Annotated[PriorOrigin | None, PROMISE]
    channel: ChannelFile | None
    unprotected: Annotated[bool, Origin.DECLARED] = False

    @property
    def kind(self) -> str:
        """The name of the mechanism without its parameters."""
        return self.mechanism.partition(":")[0]

    @property
    def given(self) -> tuple[str, ...]:
        """The public columns that its channel also reads: its guarantee is conditional on them."""
        return () if self.channel is None else self.channel.given

    @property
    def clamps(self) -> bool:
        """Whether its mechanism clamps released numbers to their bounds."""
        return self.channel is None and "clamp=yes" in self.mechanism.split(",")

    @property
    def follows_from_counts(self) -> bool:
        """Whether its numbers may follow from private counts.

        A channel that does not say where it comes from is taken to be designed from the table, as most are; that of a
        mechanism which is written out follows from its parameters.
        """
        if self.channel is None or not (self.kind == "channel" or self.mechanism.endswith(".json")):
            return False
        return self.channel_prior is None or self.channel_prior.keep_inside

    @property
    def origin(self) -> Origin:
        """The origin of its guarantee, apart from letters taken from the table."""
        if self.follows_from_counts:
            return Origin.TABLE
        return Origin.ACCOUNTED if self.channel_prior is PriorOrigin.NOISY_HISTOGRAM else Origin.DECLARED


class Plan(Part, frozen=True, kw_only=True):
    """What was released, with everything needed to compute its claims again.

    Attributes:
        suppress_below: public values of rows in groups with fewer rows are missing.
        suppress_unit: whose values are persons, where groups have persons instead.
        keep_order: whether rows are in the table's order, as in all releases whose record does not say.
        order_by: the column by which whoever sees the rows can put them in order, as far as it was declared.
        kept: the mechanisms whose noise people keep while their values stay the same; none where all of it is fresh.
            None where nobody asked and none could be kept, without a unit and a ledger, and in earlier records.
    """

    public: Annotated[tuple[str, ...], Origin.DECLARED]
    bins: dict[str, RecordedBins] = msgspec.field(default_factory=dict)
    columns: dict[str, PlannedColumn]
    unit: Annotated[str | None, Origin.DECLARED] = None
    rows_per_unit: Annotated[int, Origin.DECLARED] = 1
    suppress_below: Annotated[int | None, Origin.DECLARED] = None
    suppress_unit: Annotated[str | None, Origin.DECLARED] = None
    suppressed: int | None = None
    keep_order: Annotated[bool, Origin.DECLARED] = True
    order_by: Annotated[str | None, Origin.DECLARED] = None
    kept: Annotated[tuple[str, ...] | None, Origin.DECLARED] = None

    @property
    def origin(self) -> Origin:
        """Where what all columns guarantee together comes from."""
        found = {column.origin for column in self.columns.values() if not column.unprotected}
        return next((one for one in (Origin.TABLE, Origin.ACCOUNTED) if one in found), Origin.DECLARED)


class Claims(Part, frozen=True):
    """What a mechanism guarantees one row.

    Attributes:
        prior: the origin of the prior of levels that need one.
        prior_epsilon: what a noisy histogram as prior cost.
        exact: whether the levels are those of a known channel, not implied by its budget.
    """

    prior: PriorOrigin | None
    prior_epsilon: Real | None
    exact: Annotated[bool, PROMISE]
    levels: dict[str, Level]

    @property
    def is_private(self) -> bool:
        """Whether levels rest on a prior that nobody else may know."""
        return self.prior is not None and self.prior.keep_inside


class Together(Level, frozen=True, kw_only=True):
    """What all columns of one row guarantee together, and by which bound."""

    method: str


class LedgerPlace(Part, frozen=True):
    """Which entry of which account of a ledger paid."""

    dataset: Annotated[str, Origin.PUBLIC]
    entry: Annotated[int, Origin.PUBLIC]


class LedgerEntry(LedgerPlace, frozen=True):
    """The same with the hash of the entry, and the identity of the key by which noise is kept."""

    hash: str
    noise_key: str | None = None


class PublicBudget(BudgetSums, frozen=True):
    """The publishable cost."""

    ledger: LedgerPlace | None


class Budget(BudgetSums, frozen=True):
    """What was spent."""

    ledger: LedgerEntry | None


class Released(Part, frozen=True, kw_only=True):
    """What both records of a release say.

    Attributes:
        private: whether the operating system drew the noise; a simulation protects nobody.
        keep_inside: whether private counts can be computed from the record.
        unit_of_protection: what two neighbouring tables differ in.
        neighbours: and how.
    """

    reference: str
    created: str
    private: Annotated[bool, Origin.PUBLIC]
    keep_inside: bool
    rows: Annotated[int, Origin.PUBLIC]
    output: Output
    plan: Plan
    unit_of_protection: Annotated[str, Origin.PUBLIC]
    neighbours: Annotated[str, Origin.PUBLIC]
    assumptions: Annotated[tuple[Sentence, ...], PROMISE]
    versions: Annotated[dict[str, str], Origin.PUBLIC]
    digest: str = ""


class RowOrderFile(Artefact, frozen=True, tag="leakgauge/row-order/1"):
    """The key of the random order of a release: whoever has it knows which row is whose, so it is never handed out.

    Attributes:
        key: in hexadecimal digits.
    """

    reference: str
    rows: int
    key: str


class OrderPlace(Part, frozen=True):
    """Where the key of the order is, from the record's folder, and the digest of its file."""

    file: str
    sha256: str


class Record(Released, frozen=True, tag_field="schema", kw_only=True, tag="leakgauge/release/2"):
    """What was done, what it guarantees and what it cost."""

    simulation_seed: int | None
    claims: dict[str, Claims]
    together: dict[str, Together]
    budget: Budget
    order: OrderPlace | None = None


class PublicRecord(Released, frozen=True, tag_field="schema", kw_only=True, tag="leakgauge/public-release/1"):
    """The publishable part of a record; None stands for fields left out, which ``left_out`` lists."""

    claims: dict[str, Claims | None]
    together: dict[str, Together] | None
    budget: PublicBudget | None
    left_out: tuple[Sentence, ...]


class PreviewedBudget(BudgetSums, frozen=True):
    """What a release would cost, and whether the ledger would admit it; None without one."""

    allowed: bool | None


class Preview(Artefact, frozen=True, tag="leakgauge/preview/1"):
    """What a release would be; nothing was drawn, spent or written."""

    keep_inside: bool
    plan: Plan
    claims: dict[str, Claims]
    budget: PreviewedBudget


def keep_inside(plan: Plan, claims: Mapping[str, Claims | None]) -> bool:
    """Whether private counts can be computed from a record: from its channels, or from levels under a private prior."""
    channels = any(column.follows_from_counts for column in plan.columns.values())
    return channels or any(claim is not None and claim.is_private for claim in claims.values())


def from_first_record(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Fields of ``leakgauge/release/1`` as those of today; it did not say whether it is to be kept private."""
    raised: dict[str, Any] = {**fields, "schema": "leakgauge/release/2"}
    if "together" in fields:
        raised["together"] = with_hyphens(fields["together"])
    if isinstance(fields.get("claims"), Mapping):
        raised["claims"] = {
            name: {**one, "levels": with_hyphens(one.get("levels"))} if isinstance(one, Mapping) else one
            for name, one in fields["claims"].items()
        }
    try:
        parts = decode(_FirstRecord, {name: raised.get(name) for name in ("plan", "claims")}, "release")
    except (FileError, VerificationError):
        # Not a whole record, which whoever decodes it finds and says.
        return raised
    return {**raised, "keep_inside": keep_inside(parts.plan, parts.claims)}


class _FirstRecord(Part, frozen=True):
    """The fields of a record that say whether it is to be kept private."""

    plan: Plan
    claims: dict[str, Claims]


class Check(Part, frozen=True):
    """One check.

    Attributes:
        holds: whether it passed; None where it could not be checked.
        reason: what was found instead, or why it was not checked.
    """

    name: Annotated[Sentence, Origin.PUBLIC]
    holds: Annotated[bool | None, Origin.PUBLIC]
    reason: Sentence = msgspec.field(default_factory=Sentence)

    @property
    def failure(self) -> Sentence:
        """What is wrong where it does not hold, in a short sentence without a full stop."""
        return Sentence("{check}: {reason}", check=self.name, reason=self.reason)


class Verified(Artefact, frozen=True, tag="leakgauge/verification/1"):
    """Every check of a record.

    Attributes:
        signed: whether a signature was asked for and holds.
        shows: what that shows; None where something is wrong.
        private: whether the record says that the release is no simulation; None of a record that cannot be read.
    """

    holds: bool
    signed: bool
    shows: Sentence | None
    private: bool | None
    rows: int | None
    digest: str | None
    checks: tuple[Check, ...]
