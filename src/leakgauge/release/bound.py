"""Mechanisms bound to the columns of a table: the columns they read and write, and what they refuse."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import cached_property
from typing import Any

import pyarrow as pa

from leakgauge.errors import ColumnError, LabelError, OptionError, did_you_mean
from leakgauge.mechanisms import Mechanism, parse_mechanism, through_channel
from leakgauge.mechanisms.spelling import with_letters
from leakgauge.mechanisms.steps import Step
from leakgauge.probability import Channel, Interval, Label
from leakgauge.probability.files import NamedChannel
from leakgauge.randomness import Randomness
from leakgauge.release.files import NOT_PRIVATE
from leakgauge.release.forms import ColumnForm, form_of
from leakgauge.release.kept import KeptNoise, Noise, can_keep
from leakgauge.release.plan import Planned, ReleasePlan
from leakgauge.release.unit import UnitOfProtection
from leakgauge.tables import Column, Kind, Suppression, Table, in_bins, suppressed
from leakgauge.tables.binnings import Bins
from leakgauge.tables.suppression import SuppressedTable

LARGEST_ALPHABET = 1 << 12
"""The most letters taken from a table; a column with more is a key rather than an alphabet."""
_THIS_TABLE = "letters=this-table"
"""Spelt out in a plan, because which values occur is then not protected."""
_READERS: dict[Kind, Callable[[str], Label]] = {
    Kind.INT: int,
    Kind.FLOAT: float,
    Kind.BOOL: lambda text: {"true": True, "false": False}[text.casefold()],
    Kind.DATE: date.fromisoformat,
    Kind.TIMESTAMP: datetime.fromisoformat,
}


@dataclass(frozen=True)
class BoundColumn:
    """One mechanism with all its letters, the columns of the table it reads and those of the release it writes.

    The name is that of the column in the plan, or the first of several that a channel writes. An ``unprotected`` one
    counts as public.
    """

    name: str
    mechanism: Mechanism
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    letters_from_table: bool = False
    channel: NamedChannel | None = None
    unprotected: bool = False

    @cached_property
    def form(self) -> ColumnForm:
        """How its columns are read and written."""
        return form_of(self)

    @cached_property
    def analysed(self) -> NamedChannel | None:
        """The channel that its letters go through, whether a record keeps it or not; None of noise, and of sets."""
        channel = self.mechanism.recorded_channel() if self.channel is None else None
        return self.channel if channel is None else NamedChannel(channel, self.reads, self.writes)

    def released(self, values: Sequence[pa.Array], randomness: Randomness) -> list[pa.Array]:
        """The columns written, for a batch of the columns read."""
        return self.form.written(self.form.law.draw(self.form.inputs(values), randomness))

    def counted_among(self, table: Table) -> bool:
        """Whether counting, which is faster than streaming, can show that every value is an input."""
        labels = self.form.labels
        if not labels or len(self.reads) > 1:
            return False
        try:
            found = table.counts(*self.reads, limit=len(labels))
        except ColumnError:
            return False
        return set(found.labels(self.reads[0])) <= set(labels)


@dataclass(frozen=True)
class RecordedPlan:
    """A plan for existing columns, as a record keeps it; its bins include learnt edges."""

    columns: tuple[BoundColumn, ...]
    public: tuple[str, ...]
    order: tuple[str, ...]
    bins: Bins
    unit: UnitOfProtection = field(default=UnitOfProtection(), kw_only=True)
    from_another_table: frozenset[str] = field(default=frozenset(), kw_only=True)
    suppression: Suppression | None = field(default=None, kw_only=True)
    keep_order: bool = field(default=False, kw_only=True)
    order_by: str | None = field(default=None, kw_only=True)
    kept: tuple[str, ...] | None = field(default=None, kw_only=True)
    """The mechanisms whose noise is kept for a person and a value; None where no unit and no ledger could keep any."""

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The cost of each protecting mechanism to a person, once per row."""
        return tuple(self.unit.cost(one.mechanism.step()) for one in self.protecting)

    @property
    def protecting(self) -> tuple[BoundColumn, ...]:
        """The mechanisms that promise something."""
        return tuple(one for one in self.columns if not one.unprotected)

    def hiding(self, secret: tuple[str, ...]) -> BoundColumn | None:
        """The mechanism of a secret, which may read public columns as well; None where the secret is withheld."""
        return next(
            (one for one in self.columns if {*secret} == {name for name in one.reads if name not in self.public}), None
        )

    @property
    def suppressed(self) -> int | None:
        """The number of suppressed rows; None if unknown, or if nothing was to be suppressed."""
        return None

    @property
    def mechanisms(self) -> dict[str, Mechanism]:
        """By the names of the columns."""
        return {one.name: one.mechanism for one in self.columns}

    @property
    def reads(self) -> tuple[str, ...]:
        """Every column that is read, once."""
        return tuple(dict.fromkeys([*(name for one in self.columns for name in one.reads), *self.public]))

    def made(self, batch: pa.RecordBatch, randomness: Randomness, kept: KeptNoise | None = None) -> pa.RecordBatch:
        """The released rows of one batch, which has the column of the unit as well where noise is kept."""
        made: dict[str, pa.Array] = {name: batch.column(name) for name in self.public}
        for one in self.columns:
            values = [batch.column(name) for name in one.reads]
            if kept is not None and one.name in kept.names:
                units = batch.column(kept.unit)
                columns = one.form.written(kept.outputs(one, one.form.inputs(values), units, randomness))
            else:
                columns = one.released(values, randomness)
            made.update(zip(one.writes, columns, strict=True))
        return pa.RecordBatch.from_arrays([made[name] for name in self.order], list(self.order))


@dataclass(frozen=True)
class BoundPlan(RecordedPlan):
    """A plan whose columns are all in the table, with mechanisms that fit them."""

    table: Table = field(repr=False)

    @property
    def suppressed(self) -> int | None:
        """The number of suppressed rows; None if nothing was to be suppressed."""
        return int(self.table.mask.sum()) if isinstance(self.table, SuppressedTable) else None

    def require_known_values(self) -> None:
        """Refuse, before anything is spent or written, a table with values that a mechanism does not accept."""
        own = {one.name for one in self.columns if one.letters_from_table} - self.from_another_table
        streamed = [one for one in self.columns if one.name not in own and not one.counted_among(self.table)]
        reads = tuple(dict.fromkeys(name for one in streamed for name in one.reads))
        if reads:
            for batch in self.table.batches(*reads, size=1 << 17):
                for one in streamed:
                    one.form.inputs([batch.column(name) for name in one.reads])


def bind(plan: ReleasePlan, table: Table) -> BoundPlan:
    """The plan bound to a table."""
    known = {column.name: column for column in table.columns()}
    for name in (*plan.columns, *plan.public, *plan.bins):
        how = plan.columns.get(name)
        # A channel of several columns may rename them; the columns it reads are found below.
        if not (isinstance(how, NamedChannel) and name in how.outputs):
            _require_known(name, known)
    if plan.suppression is not None and plan.suppression.unit is not None:
        _require_known(plan.suppression.unit, known)
    seen = suppressed(in_bins(table, plan.bins), plan.suppression)
    kinds = {column.name: column for column in seen.columns()}
    columns = tuple(_bound(name, how, kinds, seen, plan) for name, how in _once(plan.columns))
    _require_one_each(columns, plan.public)
    for one in columns:
        for name in one.reads:
            _require_known(name, known)
    made = [*(name for one in columns for name in one.writes), *plan.public]
    order = [name for name in known if name in made] + [name for name in made if name not in known]
    if plan.unit.column is not None:
        _require_known(plan.unit.column, known)
    plan.unit.require_kept_by(table)
    if plan.order_by is not None:
        _require_known(plan.order_by, known)
        _require_seen_in_order(plan.order_by, plan)
    return BoundPlan(
        columns,
        plan.public,
        tuple(order),
        seen.bins,
        seen,
        unit=plan.unit,
        suppression=plan.suppression,
        from_another_table=plan.from_another_table,
        keep_order=plan.keep_order,
        order_by=plan.order_by,
        kept=None
        if plan.noise is None
        else tuple(one.name for one in columns if plan.noise is Noise.KEPT and can_keep(one)),
    )


def _once(columns: Mapping[str, Planned]) -> Iterator[tuple[str, Planned]]:
    """Each mechanism once, under the first of the columns that it is planned for."""
    joint: list[NamedChannel] = []
    for name, how in columns.items():
        if isinstance(how, NamedChannel) and len(how.outputs) > 1:
            if how in joint:
                continue
            joint.append(how)
        yield name, how


def _bound(name: str, how: Planned, known: Mapping[str, Column], table: Table, plan: ReleasePlan) -> BoundColumn:
    bins = plan.bins
    if isinstance(how, NamedChannel):
        _require_not_clamped(name, plan, "a channel")
        # Whatever its file says is known: only columns that this release publishes unchanged are known to everybody.
        published = tuple(one for one in how.inputs if one in plan.public)
        given = published if len(published) < len(how.inputs) else ()
        read = replace(how, channel=_in_text(how, bins), given=given)
        fixed = through_channel(read.channel, compared=read.compared)
        exact, unprotected = replace(read, channel=fixed.channel()), name in plan.unprotected
        return BoundColumn(name, fixed, how.inputs, how.outputs, channel=exact, unprotected=unprotected)
    column, own = known[name], isinstance(how, str) and _THIS_TABLE in how.partition(":")[2].split(",")
    mechanism = _mechanism(how, column, table, own) if isinstance(how, str) else how
    if column.kind not in mechanism.capabilities.columns:
        raise ColumnError(
            "Column {name!r} holds {kind}, which {mechanism!s} cannot release; {way}.",
            name=name,
            kind="bins" if name in bins else column.kind.words,
            mechanism=mechanism.name,
            way="leave its bins out, or choose another mechanism"
            if name in bins
            else "give lower and upper instead of a sensitivity"
            if mechanism.noise is not None and mechanism.capabilities.answers
            else "choose another mechanism",
        )
    if mechanism.noise is None:
        _require_not_clamped(name, plan, mechanism.name)
    elif name in plan.clamp:
        mechanism = mechanism.noise.clamped()
    channel = mechanism.recorded_channel()
    named = None if channel is None else NamedChannel(channel, (name,), (name,))
    elsewhere = name in plan.from_another_table and "letters" in mechanism.parameters
    return BoundColumn(name, mechanism, (name,), (name,), own or elsewhere, named, name in plan.unprotected)


def _require_not_clamped(name: str, plan: ReleasePlan, mechanism: str) -> None:
    if name in plan.clamp:
        raise ColumnError(
            "Column {name!r} is clamped, but {mechanism!s} adds no noise that could leave the bounds; leave the "
            "clamping out.",
            name=name,
            mechanism=mechanism,
        )


def _in_text(named: NamedChannel, bins: Bins) -> Channel:
    """The channel with the texts of the intervals of columns that the plan bins; they are what the channel is given."""

    def texts(names: Sequence[str], labels: Sequence[Any]) -> list[Any]:
        if len(names) > 1:
            columns = [texts(names[at : at + 1], part) for at, part in enumerate(zip(*labels, strict=True))]
            return list(zip(*columns, strict=True))
        return [str(label) if names[0] in bins and isinstance(label, Interval) else label for label in labels]

    channel = named.channel
    return Channel(texts(named.inputs, channel.inputs), texts(named.outputs, channel.outputs), channel.matrix)


def _mechanism(text: str, column: Column, table: Table, own: bool) -> Mechanism:
    if own:
        letters = table.counts(column.name, limit=LARGEST_ALPHABET).labels(column.name)
        if len(letters) < 2:
            raise LabelError(
                "Column {name!r} has fewer than 2 values; declare its letters with letters=a|b|….", name=column.name
            )
        kind, _, parameters = text.partition(":")
        rest = ",".join(part for part in parameters.split(",") if part != _THIS_TABLE)
        return parse_mechanism(f"{kind}:{rest}", letters=tuple(letters))
    mechanism = parse_mechanism(text)
    written = mechanism.parameters.get("letters")
    if column.kind is Kind.STRING or not isinstance(written, tuple):
        return mechanism
    # Letters in a text are texts; the column has them as numbers, dates or truths.
    return with_letters(mechanism, [_read_letter(letter, column) for letter in written])


def _read_letter(letter: object, column: Column) -> Label:
    if letter is None:
        return None
    try:
        return _READERS[column.kind](str(letter))
    except (ValueError, KeyError):
        # The letter is in the plan, so the error may show it.
        raise ColumnError(
            "Column {name!r} holds {kind}, but the letter {letter!r} of its mechanism is of another kind; correct it.",
            name=column.name,
            kind=column.kind.words,
            letter=letter,
        ) from None


def _require_known(name: str, known: Mapping[str, Column]) -> None:
    if name not in known:
        raise ColumnError(
            "The plan names column {name!r}, which is not in the table; {hint}",
            name=name,
            hint=did_you_mean(name, known),
        )


def _require_seen_in_order(name: str, plan: ReleasePlan) -> None:
    """Refuse an order that nobody sees: its column is not published, and rows leave in a random order."""
    if not plan.keep_order and name not in plan.public:
        raise OptionError(
            "The plan orders rows by column {name!r}, which it does not publish, and they leave in a random order; "
            "name the column as public, set keep_order = true, or leave order_by out.",
            name=name,
        )


def _require_one_each(columns: Sequence[BoundColumn], public: Sequence[str]) -> None:
    written = [*(name for one in columns for name in one.writes), *public]
    if NOT_PRIVATE in written:
        raise OptionError("A column named {name!r} marks simulations; rename it first.", name=NOT_PRIVATE)
    for name in written:
        if written.count(name) > 1:
            raise OptionError("Column {name!r} would be released twice; give it one mechanism.", name=name)
    secret = [name for one in columns for name in one.reads if name not in public]
    for name in secret:
        if secret.count(name) > 1:
            raise OptionError("Two mechanisms read column {name!r}; give it one.", name=name)
